/* The methods that begin a session or are about stored ones: new, load, resume, fork, list, delete. */
#include "acp_v1/internal.h"
#include "acp_v1/params.h"
#include "base/path.h"
#include "base/space.h"
#include "history/history.h"

/* ---- Beginning a session ---- */

struct begin_params {
    struct session_params session;
    str session_id;
};

#define SESSION_ROWS                                                                                         \
    ROW(begin_params, "cwd", session.cwd, FIELD_STRING, FIELD_REQUIRED),                                     \
        CHECKED(begin_params, "mcpServers", session.mcp_servers, FIELD_REQUIRED, mcp_servers_check),         \
        ROW(begin_params, "additionalDirectories", session.additional_directories, FIELD_STRINGS,            \
            FIELD_NULLABLE),                                                                                 \
        ROW(begin_params, "_meta", session.meta, FIELD_OBJECT, FIELD_LENIENT)

static const struct json_field stored_rows[] = {
    SESSION_ROWS,
    ROW(begin_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
};

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
    rpc_reply(req, buf_str(&b));
    session_announce(s);
}

/* The folder is checked before all else; the disk is asked later. When it cannot be one, the request is
 * answered. */
static bool read_begin_params(struct rpc_request *req, const struct json_field *rows, size_t n,
                              struct begin_params *p)
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

static void reply_unless(struct rpc_request *req, bool begun)
{
    if (!begun) {
        reply_details(req, "out of memory");
    }
}

void acp_v1_session_new(struct acp_v1 *v, struct rpc_request *req)
{
    static const struct json_field rows[] = {SESSION_ROWS};
    struct begin_params p = {0};
    if (!read_begin_params(req, rows, ARRAY_LEN(rows), &p)) {
        return;
    }
    struct json_doc *doc = rpc_request_doc(req);
    str stored = session_params_resume(&p.session);
    if (stored.p) {
        reply_unless(req,
                     history_open(v->agent.history, &p.session, doc, stored, false, on_session_ready, req));
    } else {
        reply_unless(req, session_new(&v->agent, &p.session, doc, on_session_ready, req) != NULL);
    }
}

static void open_stored(struct acp_v1 *v, struct rpc_request *req, bool replay)
{
    struct begin_params p = {0};
    if (read_begin_params(req, stored_rows, ARRAY_LEN(stored_rows), &p)) {
        reply_unless(req, history_open(v->agent.history, &p.session, rpc_request_doc(req), p.session_id,
                                       replay, on_session_ready, req));
    }
}

void acp_v1_session_load(struct acp_v1 *v, struct rpc_request *req)
{
    open_stored(v, req, true);
}

void acp_v1_session_resume(struct acp_v1 *v, struct rpc_request *req)
{
    open_stored(v, req, false);
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

void acp_v1_session_fork(struct acp_v1 *v, struct rpc_request *req)
{
    struct begin_params p = {0};
    if (read_begin_params(req, stored_rows, ARRAY_LEN(stored_rows), &p)) {
        struct fork_point point = read_fork_point(p.session.meta);
        reply_unless(req, history_fork(v->agent.history, &p.session, rpc_request_doc(req), p.session_id,
                                       &point, on_session_ready, req));
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

void acp_v1_session_list(struct acp_v1 *v, struct rpc_request *req)
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
    reply_unless(req, history_list(v->agent.history, p.cwd, offset, reply_list, req));
}

struct delete_params {
    str session_id;
};

void acp_v1_session_delete(struct acp_v1 *v, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(delete_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
    };
    struct delete_params p = {0};
    if (READ(req, rows, &p)) {
        reply_unless(req, history_delete(v->agent.history, p.session_id, reply_done, req));
    }
}
