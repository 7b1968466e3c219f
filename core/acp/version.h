/* A version of the protocol, and what the versions share. For the files of the surfaces. */
#ifndef HERALD_ACP_VERSION_H
#define HERALD_ACP_VERSION_H

#include "acp/connection.h"

struct acp_version;

struct connection {
    struct agent agent;
    struct rpc_endpoint *rpc;
    struct connection_setup setup;
    const struct acp_version *version; /* NULL: not selected yet */
    bool closed;
    void *state; /* the version's own */
};

struct acp_method {
    const char *name;
    void (*handle)(struct connection *c, struct rpc_request *req);
};

struct acp_notification {
    const char *name;
    void (*handle)(struct connection *c, json params);
};

struct acp_version {
    const struct surface *surface;
    /* Makes what the version keeps for the connection; NULL when memory is out. */
    void *(*open)(void);
    void (*close)(void *state);
    const struct acp_method *methods;
    size_t method_count;
    const struct acp_notification *notifications;
    size_t notification_count;
    /* Answers the connection's first `initialize` (v1: and those after it). False: it was refused, and the
     * version is not selected. */
    bool (*initialize)(struct connection *c, struct rpc_request *req);
    bool batches; /* a line may be an array of messages */
};

extern const struct acp_version acp_v1, acp_v2;

/* What both versions do in the same way. */
void acp_authenticate(struct connection *c, struct rpc_request *req);
void acp_logout(struct connection *c, struct rpc_request *req);
void acp_providers_list(struct connection *c, struct rpc_request *req);
void acp_providers_set(struct connection *c, struct rpc_request *req);
void acp_providers_disable(struct connection *c, struct rpc_request *req);
void acp_session_list(struct connection *c, struct rpc_request *req);
void acp_session_delete(struct connection *c, struct rpc_request *req);
void acp_cancel(struct connection *c, json params);

/* initialize: who we are, an object; the member of `_meta` for AIR; the methods to sign in with. */
void acp_put_info(struct buf *b);
void acp_put_air(struct buf *b, bool v1);
void acp_put_auth_methods(struct connection *c, struct buf *b);
/* And its last steps: the answer, and the question to the CLI who is signed in. */
void acp_reply_initialize(struct connection *c, struct rpc_request *req, const struct buf *result);

#endif
