/* The public headers as C++17, with the recorded layout. */
#include "layout.h"
