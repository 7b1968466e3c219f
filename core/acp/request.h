/* Reading the parameters of a method by a table, and answering it; for the files that have methods. */
#ifndef HERALD_ACP_REQUEST_H
#define HERALD_ACP_REQUEST_H

#include "rpc/endpoint.h"
#include "session/session.h"
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

void reply_problems(struct rpc_request *req, const struct json_problems *p);
void reply_empty(struct rpc_request *req);
void reply_error(struct rpc_request *req, const struct session_error *e);
void reply_no_session(struct rpc_request *req);
/* RPC_INTERNAL_ERROR with data.details. */
void reply_details(struct rpc_request *req, const char *details);
/* Answers with an error unless `begun`: memory was out. */
void reply_unless(struct rpc_request *req, bool begun);
/* A session_done_cb: `user` is the request. */
void reply_done(void *user, const struct session_error *error);

#endif
