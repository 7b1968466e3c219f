#include "rpc/request_error.h"

const struct session_error session_error_memory = {.code = RPC_INTERNAL_ERROR,
                                                   .details = STR_INIT("out of memory")};
const struct session_error session_error_gone = {.code = RPC_INTERNAL_ERROR,
                                                 .details = STR_INIT("Session not found")};
