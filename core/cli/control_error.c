#include "cli/control_error.h"

const struct control_error control_timed_out = {CONTROL_TIMED_OUT, "timeout"};
const struct control_error control_closed = {CONTROL_CLOSED, "Query closed before response received"};
const struct control_error control_no_memory = {CONTROL_NO_MEMORY, "out of memory"};
