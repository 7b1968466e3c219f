/* Why a request failed, and who is told. */
#ifndef HERALD_RPC_REQUEST_ERROR_H
#define HERALD_RPC_REQUEST_ERROR_H

#include "base/str.h"

/* `details` goes to data.details. */
struct session_error {
    int code;
    str message; /* absent: the code's standard text */
    str details; /* absent: none */
    str data;    /* JSON in place of details; absent: none */
};

/* The answer to a request; `error` is NULL on success. */
typedef void session_done_cb(void *user, const struct session_error *error);

#endif
