/* Why a request failed, and who is told. */
#ifndef HERALD_RPC_REQUEST_ERROR_H
#define HERALD_RPC_REQUEST_ERROR_H

#include "base/str.h"

/* JSON-RPC's codes and those that ACP adds. */
enum rpc_error_code {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_AUTH_REQUIRED = -32000,
    RPC_RESOURCE_NOT_FOUND = -32002,
    RPC_REQUEST_CANCELLED = -32800,
};

/* `details` goes to data.details. */
struct session_error {
    int code;    /* one of these, or one that the application has */
    str message; /* absent: the code's standard text */
    str details; /* absent: none */
    str data;    /* JSON in place of details; absent: none */
};

/* Memory is out; there is no session of this id. */
extern const struct session_error session_error_memory, session_error_gone;

/* The answer to a request; `error` is NULL on success. */
typedef void session_done_cb(void *user, const struct session_error *error);

#endif
