#include "cli/cli_request.h"

void cli_request_ask(struct cli_request *q, const char *subtype, str members, unsigned limit_ms,
                     control_answer_cb *cb, void *user)
{
    uint64_t request = cli_control_request(q->cli, subtype, members, limit_ms, cb, user);
    if (request) { /* else it was answered already */
        q->request = request;
    }
}

void cli_request_over(struct cli_request *q)
{
    q->request = 0;
}

void cli_request_drop(struct cli_request *q)
{
    if (q->request) {
        cli_control_forget(q->cli, q->request);
        q->request = 0;
    }
}
