/* The ACP v1 surface: JSON-RPC methods in, session updates out.
 *
 * Follows the Agent Client Protocol v1 and the AIR extension contract. A table of methods reads parameters by
 * tables of fields and calls the agent and its sessions; the surface table shapes what they have to say.
 * There is one object for each connection. */
#ifndef HERALD_ACP_V1_ACP_V1_H
#define HERALD_ACP_V1_ACP_V1_H

#include "rpc/endpoint.h"
#include "session/agent.h"

struct acp_v1;

struct acp_v1_setup {
    uv_loop_t *loop;
    const struct log *log;
    const struct standard_dirs *dirs;
    struct reporter_dirs reporters;
    const char *const *env; /* of this process */
    int in, out;            /* descriptors, taken over */
    bool hide_claude_auth;
    const str *args; /* what we were started with, without the program itself */
    size_t n_args;
    void (*closed)(void *user); /* the client is gone */
    void *user;
};

/* NULL when the descriptors cannot be used or memory is out. */
struct acp_v1 *acp_v1_new(const struct acp_v1_setup *setup);
/* Ends the connection and every session; their processes are told to go. Nothing is sent any more. */
void acp_v1_close(struct acp_v1 *v);
/* After the loop has ended. */
void acp_v1_free(struct acp_v1 *v);

#endif
