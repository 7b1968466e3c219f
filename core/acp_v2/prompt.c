/* session/prompt: answered when the CLI takes the prompt in; how the turn ends is told as the session's
 * state. */
#include <stdlib.h>

#include "acp/sessions.h"
#include "acp/updates.h"
#include "acp_v2/internal.h"
#include "prompt/prompt_content.h"

struct prompt {
    struct connection *c;
    struct rpc_request *req; /* NULL: it is answered */
};

static void tell_message(struct connection *c, struct rpc_request *req, str id)
{
    json params = rpc_request_params(req);
    struct buf *b = acp_begin_update(c, json_str(json_get(params, "sessionId")), "user_message");
    json_member_str(b, "messageId", id);
    json_member(b, "content", json_get(params, "prompt"));
    acp_end_update(c, b);
}

static void inserted(void *user, const char *uuid)
{
    struct prompt *p = user;
    AUTO_BUF(b);
    tell_message(p->c, p->req, str_of(uuid));
    json_open_object(&b);
    json_member_c(&b, "messageId", uuid);
    json_close_object(&b);
    rpc_reply_built(p->req, &b);
    p->req = NULL;
}

/* It was never taken in. */
static void refuse(struct rpc_request *req, const struct turn_end *end)
{
    if (!end->stop_reason) {
        rpc_reply_error(req, end->code, end->message, end->data);
    } else if (strcmp(end->stop_reason, "cancelled") == 0) {
        rpc_reply_error(req, RPC_REQUEST_CANCELLED, STR("Request cancelled"), STR_ABSENT);
    } else {
        AUTO_BUF(data);
        json_open_object(&data);
        json_member_c(&data, "stopReason", end->stop_reason);
        json_close_object(&data);
        rpc_reply_error(req, RPC_INTERNAL_ERROR, STR("Internal error"), buf_str(&data));
    }
}

static void ended(void *user, const struct turn_end *end)
{
    struct prompt *p = user;
    if (p->req) {
        refuse(p->req, end);
    }
    free(p);
}

static const struct turn_observer observer = {.inserted = inserted, .ended = ended};

void acp_v2_session_prompt(struct connection *c, struct rpc_request *req)
{
    struct prompt_params p = {0};
    struct session_error error;
    if (!READ(req, prompt_rows, &p) || !acp_takes_prompt(req, p.prompt)) {
        return;
    }
    struct session *s = agent_session(&c->agent, p.session_id);
    struct prompt *prompt = s ? malloc(sizeof(*prompt)) : NULL;
    if (!s) {
        reply_no_session(req);
        return;
    }
    if (!prompt) {
        reply_details(req, "out of memory");
        return;
    }
    *prompt = (struct prompt){c, req};
    if (!session_prompt(s, p.prompt, p.meta, &observer, prompt, &error)) {
        free(prompt);
        reply_error(req, &error);
    }
    agent_probe_auth(&c->agent, s);
}
