#include "acp/request.h"

void reply_empty(struct rpc_request *req)
{
    rpc_reply(req, STR("{}"));
}

static str standard_text(int code)
{
    switch (code) {
    case RPC_INVALID_PARAMS:
        return STR("Invalid params");
    case RPC_AUTH_REQUIRED:
        return STR("Authentication required");
    case RPC_RESOURCE_NOT_FOUND:
        return STR("Resource not found");
    default:
        return STR("Internal error");
    }
}

void reply_error(struct rpc_request *req, const struct session_error *e)
{
    AUTO_BUF(data);
    if (e->data.p) {
        buf_put_str(&data, e->data);
    } else if (e->details.p) {
        json_open_object(&data);
        json_member_str(&data, "details", e->details);
        json_close_object(&data);
    }
    rpc_reply_error(req, e->code, e->message.p ? e->message : standard_text(e->code),
                    data.n ? buf_str(&data) : STR_ABSENT);
}

void reply_no_session(struct rpc_request *req)
{
    reply_error(req, &session_error_gone);
}

void reply_details(struct rpc_request *req, const char *details)
{
    reply_error(req, &(struct session_error){.code = RPC_INTERNAL_ERROR, .details = str_of(details)});
}

void reply_done(void *user, const struct session_error *error)
{
    struct rpc_request *req = user;
    if (error) {
        reply_error(req, error);
    } else {
        reply_empty(req);
    }
}

void reply_problems(struct rpc_request *req, const struct json_problems *p)
{
    AUTO_BUF(data);
    AUTO_BUF(message);
    json_put_problems(&data, p);
    buf_put_c(&message, "Invalid params: ");
    buf_put_str(&message, buf_str(&p->first));
    rpc_reply_error(req, RPC_INVALID_PARAMS, buf_str(&message), buf_str(&data));
}

bool read_params(struct rpc_request *req, const struct json_field *rows, size_t n, void *out)
{
    struct json_problems p = JSON_PROBLEMS_INIT;
    bool ok = json_fields(rpc_request_params(req), rows, n, out, &p);
    if (!ok) {
        reply_problems(req, &p);
    }
    json_problems_free(&p);
    return ok;
}

void reply_unless(struct rpc_request *req, bool begun)
{
    if (!begun) {
        reply_details(req, "out of memory");
    }
}
