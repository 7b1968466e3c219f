/* The methods that begin a session. */
#include "acp/sessions.h"
#include "acp_v2/internal.h"

#define SESSION_ROWS BEGIN_ROWS(FIELD_NULLABLE, mcp_servers_check_v2)
#define STORED_ROWS  SESSION_ROWS, ROW(begin_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED)

static const char *check_replay_from(json v)
{
    return str_is(json_str(json_get(v, "type")), "start") ? NULL : "expected null or {\"type\":\"start\"}";
}

static const struct json_field new_rows[] = {SESSION_ROWS};
static const struct json_field fork_rows[] = {STORED_ROWS};
static const struct json_field resume_rows[] = {
    STORED_ROWS,
    CHECKED(begin_params, "replayFrom", replay_from, FIELD_NULLABLE, check_replay_from),
};

/* The answer to the request, and what follows it. */
static void reply_ready(struct rpc_request *req, struct session *s, const struct session_error *error,
                        bool names_session)
{
    if (error) {
        reply_error(req, error);
        return;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    if (names_session) {
        json_member_str(&b, "sessionId", session_id(s));
    }
    json_key(&b, "configOptions");
    session_put_options(s, &b);
    json_key(&b, "availableCommands");
    session_put_commands(s, &b);
    json_close_object(&b);
    rpc_reply_built(req, &b);
    session_answered(s);
}

static void on_new(void *user, struct session *s, const struct session_error *error)
{
    reply_ready(user, s, error, true);
}

static void on_resumed(void *user, struct session *s, const struct session_error *error)
{
    reply_ready(user, s, error, false);
}

static void on_replayed(void *user, struct session *s, const struct session_error *error)
{
    struct rpc_request *req = user;
    struct connection *c = rpc_request_data(req);
    replay_marks_end(acp_v2_state(c)->replays, json_str(json_get(rpc_request_params(req), "sessionId")));
    reply_ready(req, s, error, false);
}

void acp_v2_session_new(struct connection *c, struct rpc_request *req)
{
    struct begin_params p = {0};
    if (acp_read_begin(req, new_rows, ARRAY_LEN(new_rows), &p)) {
        acp_begin(c, req, &p, on_new);
    }
}

void acp_v2_session_resume(struct connection *c, struct rpc_request *req)
{
    struct begin_params p = {0};
    if (!acp_read_begin(req, resume_rows, ARRAY_LEN(resume_rows), &p)) {
        return;
    }
    if (!json_present(p.replay_from)) {
        acp_begin_stored(c, req, &p, false, on_resumed);
        return;
    }
    rpc_request_set_data(req, c);
    replay_marks_begin(acp_v2_state(c)->replays, p.session_id);
    if (!acp_begin_stored(c, req, &p, true, on_replayed)) {
        replay_marks_end(acp_v2_state(c)->replays, p.session_id);
    }
}

void acp_v2_session_fork(struct connection *c, struct rpc_request *req)
{
    struct begin_params p = {0};
    if (acp_read_begin(req, fork_rows, ARRAY_LEN(fork_rows), &p)) {
        acp_begin_fork(c, req, &p, on_new);
    }
}
