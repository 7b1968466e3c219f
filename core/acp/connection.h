/* The connection to one client: JSON-RPC in, and out what the agent's sessions have to say.
 *
 * The first message, `initialize`, selects the version of the Agent Client Protocol that is spoken from then
 * on. Each version is a surface of its own over the same agent: a table of methods, and a table of what
 * sessions tell (acp_v1, acp_v2). There is one object for each process.
 *
 * Follows the ACP v1 and v2 documents; where v2 is served at all, what comes before `initialize` is refused
 * and the connection ends. */
#ifndef HERALD_ACP_CONNECTION_H
#define HERALD_ACP_CONNECTION_H

#include "agent/agent.h"
#include "rpc/endpoint.h"

struct connection;

/* The versions that clients are offered. */
struct acp_served {
    bool v1, v2;
};
/* Reads the value of CLAUDE_AGENT_ACP_PROTOCOL: auto (also NULL and empty), v1 or v2. False: it is none of
 * these. */
bool acp_served_parse(const char *text, struct acp_served *served);

struct connection_setup {
    uv_loop_t *loop;
    const struct log *log;
    const struct standard_dirs *dirs;
    struct reporter_dirs reporters;
    const char *const *env; /* of this process */
    int in, out;            /* descriptors, taken over */
    struct acp_served served;
    bool hide_claude_auth;
    const str *args; /* what we were started with, without the program itself */
    size_t n_args;
    void (*closed)(void *user); /* the client is gone, or was refused */
    void *user;
};

/* NULL when the descriptors cannot be used or memory is out. */
struct connection *connection_new(const struct connection_setup *setup);
/* Ends the connection and every session; their processes are told to go. Nothing is sent any more. */
void connection_close(struct connection *c);

#endif
