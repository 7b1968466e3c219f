/* Reading the parameters of a method by a table, and answering it; for the files that have methods. */
#ifndef HERALD_ACP_V1_PARAMS_H
#define HERALD_ACP_V1_PARAMS_H

#include "acp_v1/internal.h"
#include "json/fields.h"

/* Reads the parameters by the rows; when they do not fit, the request is answered and false comes back. */
bool read_params(struct rpc_request *req, const struct json_field *rows, size_t n, void *out);
#define READ(req, rows, out) read_params(req, rows, ARRAY_LEN(rows), out)
/* For a method whose parameters must only be an object. */
#define READ_OBJECT(req) read_params(req, NULL, 0, NULL)
#define ROW(type, name, member, kind, flags)                                                                 \
    {                                                                                                        \
        name, kind, offsetof(struct type, member), flags, NULL                                               \
    }
#define CHECKED(type, name, member, flags, check)                                                            \
    {                                                                                                        \
        name, FIELD_CHECKED, offsetof(struct type, member), flags, check                                     \
    }

void reply_empty(struct rpc_request *req);
void reply_error(struct rpc_request *req, const struct session_error *e);
void reply_no_session(struct rpc_request *req);
/* -32603 with data.details. */
void reply_details(struct rpc_request *req, const char *details);
/* A session_done_cb: `user` is the request. */
void reply_done(void *user, const struct session_error *error);

/* sessions.c */
void acp_v1_session_new(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_session_load(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_session_resume(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_session_fork(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_session_list(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_session_delete(struct acp_v1 *v, struct rpc_request *req);

/* accounts.c */
void acp_v1_authenticate(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_logout(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_providers_list(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_providers_set(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_providers_disable(struct acp_v1 *v, struct rpc_request *req);

/* extension_methods.c */
void acp_v1_session_goal(struct acp_v1 *v, struct rpc_request *req);
void acp_v1_async_task_stop(struct acp_v1 *v, struct rpc_request *req);

#endif
