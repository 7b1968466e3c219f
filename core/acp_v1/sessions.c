/* The methods that begin a session. */
#include "acp/sessions.h"
#include "acp_v1/internal.h"

#define SESSION_ROWS BEGIN_ROWS(FIELD_REQUIRED, mcp_servers_check)
#define ID_ROW       ROW(begin_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED)

static const struct json_field new_rows[] = {SESSION_ROWS};
static const struct json_field load_rows[] = {SESSION_ROWS, ID_ROW};
/* The schema requires the servers of session/new and session/load alone. */
static const struct json_field resume_rows[] = {BEGIN_ROWS(0, mcp_servers_check), ID_ROW};

static void on_session_ready(void *user, struct session *s, const struct session_error *error)
{
    struct rpc_request *req = user;
    if (error) {
        reply_error(req, error);
        return;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "sessionId", session_id(s));
    json_key(&b, "modes");
    session_put_modes(s, &b);
    json_key(&b, "configOptions");
    session_put_options(s, &b);
    json_close_object(&b);
    rpc_reply_built(req, &b);
    session_send_commands(s);
    session_answered(s);
}

void acp_v1_session_new(struct connection *c, struct rpc_request *req)
{
    struct begin_params p = {0};
    if (acp_read_begin(req, new_rows, ARRAY_LEN(new_rows), &p)) {
        acp_begin(c, req, &p, on_session_ready);
    }
}

void acp_v1_session_load(struct connection *c, struct rpc_request *req)
{
    struct begin_params p = {0};
    if (acp_read_begin(req, load_rows, ARRAY_LEN(load_rows), &p)) {
        acp_begin_stored(c, req, &p, true, on_session_ready);
    }
}

void acp_v1_session_resume(struct connection *c, struct rpc_request *req)
{
    struct begin_params p = {0};
    if (acp_read_begin(req, resume_rows, ARRAY_LEN(resume_rows), &p)) {
        acp_begin_stored(c, req, &p, false, on_session_ready);
    }
}

void acp_v1_session_fork(struct connection *c, struct rpc_request *req)
{
    struct begin_params p = {0};
    if (acp_read_begin(req, resume_rows, ARRAY_LEN(resume_rows), &p)) {
        acp_begin_fork(c, req, &p, on_session_ready);
    }
}
