/* What is asked of sessions alike in all versions. For beginning one the rows of the parameters and the
 * answer are a version's own. */
#ifndef HERALD_ACP_SESSIONS_H
#define HERALD_ACP_SESSIONS_H

#include "acp/request.h"
#include "session/session.h"

struct connection;

struct begin_params {
    struct session_params session;
    str session_id;
    json replay_from; /* v2 */
};

/* The rows that all of them have; versions differ in the form of MCP servers. */
#define BEGIN_ROWS(servers_flags, servers_check)                                                             \
    ROW(begin_params, "cwd", session.cwd, FIELD_STRING, FIELD_REQUIRED),                                     \
        CHECKED(begin_params, "mcpServers", session.mcp_servers, servers_flags, servers_check),              \
        ROW(begin_params, "additionalDirectories", session.additional_directories, FIELD_STRINGS,            \
            FIELD_NULLABLE),                                                                                 \
        ROW(begin_params, "_meta", session.meta, FIELD_OBJECT, FIELD_LENIENT)

/* Reads the parameters. The folder's path is checked as well; the disk is asked later. False: they do not
 * fit, and the request is answered. */
bool acp_read_begin(struct rpc_request *req, const struct json_field *rows, size_t n, struct begin_params *p);

/* `ready` answers the request, which is its `user`. A new session, or the stored one that `_meta` names. */
void acp_begin(struct connection *c, struct rpc_request *req, const struct begin_params *p,
               session_ready_cb *ready);
/* A stored session; with `replay` its history is sent first. False: the request is answered, without `ready`.
 */
bool acp_begin_stored(struct connection *c, struct rpc_request *req, const struct begin_params *p,
                      bool replay, session_ready_cb *ready);
/* A copy of a stored session. */
void acp_begin_fork(struct connection *c, struct rpc_request *req, const struct begin_params *p,
                    session_ready_cb *ready);

/* session/set_config_option. */
struct option_params {
    str session_id, config_id, type;
    json value;
};
/* For FIELD_CHECKED: a string or a boolean. */
const char *acp_check_option_value(json v);
void acp_set_option(struct connection *c, struct rpc_request *req, const struct option_params *p);

/* session/prompt. */
struct prompt_params {
    str session_id;
    json prompt, meta;
};
extern const struct json_field prompt_rows[3];
/* False: the model cannot take all of a checked prompt, and the request is answered. */
bool acp_takes_prompt(struct rpc_request *req, json prompt);

/* session/close. `closed` answers the request, which is its `user` and has the connection as its data; a
 * session that is not open is answered at once. */
void acp_close(struct connection *c, struct rpc_request *req, session_done_cb *closed);

#endif
