#include "acp/sessions.h"

#include "acp/version.h"
#include "agent/stored_sessions.h"
#include "base/js_space.h"
#include "base/path.h"
#include "prompt/prompt_content.h"

/* ---- Beginning a session ---- */

bool acp_read_begin(struct rpc_request *req, const struct json_field *rows, size_t n, struct begin_params *p)
{
    if (!read_params(req, rows, n, p)) {
        return false;
    }
    str cwd = p->session.cwd;
    if (path_is_absolute(cwd) && str_find_byte(cwd, '\0', 0) == SIZE_MAX) {
        return true;
    }
    AUTO_BUF(data);
    json_open_object(&data);
    json_member_str(&data, "cwd", cwd);
    json_close_object(&data);
    rpc_reply_error(req, RPC_INVALID_PARAMS, STR("Invalid params: cwd must be an absolute path"),
                    buf_str(&data));
    return false;
}

void acp_begin(struct connection *c, struct rpc_request *req, const struct begin_params *p,
               session_ready_cb *ready)
{
    struct json_doc *doc = rpc_request_doc(req);
    str stored = session_params_resume(&p->session);
    if (stored.p) {
        reply_unless(req,
                     stored_sessions_open(c->agent.history, &p->session, doc, stored, false, ready, req));
    } else {
        reply_unless(req, session_new(&c->agent.host, &p->session, doc, ready, req) != NULL);
    }
}

bool acp_begin_stored(struct connection *c, struct rpc_request *req, const struct begin_params *p,
                      bool replay, session_ready_cb *ready)
{
    bool begun = stored_sessions_open(c->agent.history, &p->session, rpc_request_doc(req), p->session_id,
                                      replay, ready, req);
    reply_unless(req, begun);
    return begun;
}

/* Where AIR wants the copy to end; the whole session when it does not say, or says it in another way. */
static struct fork_point read_fork_point(json meta)
{
    enum { SAFE_BITS = 53 };
    struct fork_point point = {0};
    json fork = json_path(meta, "jetbrains", "air", "fork", NULL);
    str id = space_trim(json_str(json_get(fork, "messageId")));
    str fingerprint = space_trim(json_str(json_get(fork, "messageFingerprint")));
    if (json_int_or(json_get(fork, "version"), 0) != 1 || !id.n) {
        return point;
    }
    int64_t occurrence = json_int_or(json_get(fork, "messageOccurrence"), 0);
    point.message_id = id;
    if (fingerprint.n && occurrence > 0 && occurrence < (int64_t)1 << SAFE_BITS) {
        point.fingerprint = fingerprint;
        point.occurrence = occurrence;
    }
    return point;
}

void acp_begin_fork(struct connection *c, struct rpc_request *req, const struct begin_params *p,
                    session_ready_cb *ready)
{
    struct fork_point point = read_fork_point(p->session.meta);
    reply_unless(req, stored_sessions_fork(c->agent.history, &p->session, rpc_request_doc(req), p->session_id,
                                           &point, ready, req));
}

/* ---- Prompts ---- */

const struct json_field prompt_rows[3] = {
    ROW(prompt_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
    CHECKED(prompt_params, "prompt", prompt, FIELD_REQUIRED, prompt_check),
    ROW(prompt_params, "_meta", meta, FIELD_OBJECT, FIELD_LENIENT),
};

bool acp_takes_prompt(struct rpc_request *req, json prompt)
{
    AUTO_BUF(why);
    if (!prompt_refused(prompt, &why)) {
        return true;
    }
    struct json_problems problems = JSON_PROBLEMS_INIT;
    json_problem(&problems, "prompt", buf_c(&why));
    reply_problems(req, &problems);
    json_problems_free(&problems);
    return false;
}

/* ---- Options ---- */

const char *acp_check_option_value(json v)
{
    return json_is(v, JSON_STRING) || json_is_bool(v) ? NULL : "expected a string or a boolean";
}

static void reply_options(void *user, const struct session_error *error)
{
    struct rpc_request *req = user;
    struct connection *c = rpc_request_data(req);
    struct session *s = agent_session(&c->agent, json_str(json_get(rpc_request_params(req), "sessionId")));
    if (error || !s) {
        reply_done(req, error);
        return;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    json_key(&b, "configOptions");
    session_put_options(s, &b);
    json_close_object(&b);
    rpc_reply_built(req, &b);
}

void acp_set_option(struct connection *c, struct rpc_request *req, const struct option_params *p)
{
    struct session *s = agent_session(&c->agent, p->session_id);
    if (s) {
        rpc_request_set_data(req, c);
        session_set_option(s, p->config_id, p->value, reply_options, req);
    } else {
        reply_no_session(req);
    }
}

/* ---- Lists ---- */

struct list_params {
    str cwd, cursor;
};

/* "offset:<digits>" */
static bool read_cursor(str cursor, uint64_t *offset)
{
    enum { DIGITS_MAX = 15 };
    static const char word[] = "offset:";
    str digits = str_from(cursor, sizeof(word) - 1);
    *offset = 0;
    if (!cursor.p) {
        return true;
    }
    if (!str_starts(cursor, str_of(word)) || !digits.n) {
        return false;
    }
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9') {
            return false;
        }
        if (i < DIGITS_MAX) { /* more of them lie behind the end of every list */
            *offset = *offset * 10 + (uint64_t)(digits.p[i] - '0');
        }
    }
    return true;
}

static void reply_list(void *user, str list)
{
    struct rpc_request *req = user;
    if (list.p) {
        rpc_reply(req, list);
    } else {
        reply_details(req, "out of memory");
    }
}

void acp_session_list(struct connection *c, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(list_params, "cwd", cwd, FIELD_STRING, FIELD_NULLABLE),
        ROW(list_params, "cursor", cursor, FIELD_STRING, FIELD_NULLABLE),
    };
    struct list_params p = {0};
    uint64_t offset;
    if (!READ(req, rows, &p)) {
        return;
    }
    if (!read_cursor(p.cursor, &offset)) {
        AUTO_BUF(message);
        buf_put_c(&message, "Invalid params: Unknown session/list cursor: ");
        buf_put_str(&message, p.cursor);
        rpc_reply_error(req, RPC_INVALID_PARAMS, buf_str(&message), STR_ABSENT);
        return;
    }
    reply_unless(req, stored_sessions_list(c->agent.history, p.cwd, offset, reply_list, req));
}

/* ---- Ending one ---- */

/* For a method that takes a session's id alone. */
struct session_ref_params {
    str session_id;
};

static const struct json_field session_ref_rows[] = {
    ROW(session_ref_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
};

void acp_close(struct connection *c, struct rpc_request *req, session_done_cb *closed)
{
    struct session_ref_params p = {0};
    if (!READ(req, session_ref_rows, &p)) {
        return;
    }
    struct session *s = agent_session(&c->agent, p.session_id);
    if (s) {
        rpc_request_set_data(req, c);
        session_close(s, closed, req);
    } else {
        reply_empty(req);
    }
}

void acp_session_delete(struct connection *c, struct rpc_request *req)
{
    struct session_ref_params p = {0};
    if (READ(req, session_ref_rows, &p)) {
        reply_unless(req, stored_sessions_delete(c->agent.history, p.session_id, reply_done, req));
    }
}
