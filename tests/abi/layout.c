/* The public headers as C11, with the recorded layout. */
#include "layout.h"
