/* Runs a program for its answer: stdin is empty, stderr is dropped, and it is killed when it takes too long.
 */
#ifndef HERALD_COMMAND_RUN_H
#define HERALD_COMMAND_RUN_H

#include "base/str.h"

struct run_result {
    int error;      /* why it could not be started, an errno value; 0 when it was */
    bool timed_out; /* it was killed because its time was up */
    int exit_code;  /* 128 and more when a signal ended it */
};

/* `argv` starts with the program's path and ends with NULL. Its standard output goes to `out`, as far as it
 * is within 64 KiB. Takes little longer than `timeout_ms`. */
struct run_result run_program(const char *const *argv, int timeout_ms, struct buf *out);

#endif
