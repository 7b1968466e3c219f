/* How a request to the CLI can fail. */
#ifndef HERALD_CLI_CONTROL_ERROR_H
#define HERALD_CLI_CONTROL_ERROR_H

#include <stdbool.h>

enum control_end {
    CONTROL_REFUSED,   /* the CLI's answer is an error */
    CONTROL_TIMED_OUT, /* it did not answer in time */
    CONTROL_CLOSED,    /* the process is gone, or goes; its end says why */
    CONTROL_NO_MEMORY, /* it was not asked */
};

struct control_error {
    enum control_end end;
    const char *text; /* what a client may be told: of a refusal the CLI's own words */
};

extern const struct control_error control_timed_out, control_closed, control_no_memory;

/* Whether that is how it ended; an `error` of NULL is none. */
static inline bool control_ended(const struct control_error *error, enum control_end end)
{
    return error && error->end == end;
}

#endif
