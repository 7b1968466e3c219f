/* A question to the CLI of somebody who has one open at a time, and may lose interest in the answer. */
#ifndef HERALD_CLI_CLI_REQUEST_H
#define HERALD_CLI_CLI_REQUEST_H

#include "cli/control.h"

struct cli_request {
    struct cli_control *cli; /* the process that is asked */
    uint64_t request;        /* 0: none is open */
};

/* Asks; none may be open. `cb` may come at once, and must begin with cli_request_over(). */
void cli_request_ask(struct cli_request *q, const char *subtype, str members, unsigned limit_ms,
                     control_answer_cb *cb, void *user);
/* The answer came. */
void cli_request_over(struct cli_request *q);
/* The callback does not come any more. */
void cli_request_drop(struct cli_request *q);

#endif
