/* The ACP v2 surface, for the files that make it up: methods.c, sessions.c, prompt.c (requests of the
 * client), initialize.c (what it is told first), updates.c and tools.c (what goes to it). Follows the draft
 * of the Agent Client Protocol v2 and the contract's documents on it. */
#ifndef HERALD_ACP_V2_INTERNAL_H
#define HERALD_ACP_V2_INTERNAL_H

#include "acp/version.h"
#include "acp_v2/replay_marks.h"
#include "acp_v2/tool_store.h"

struct acp_v2_state {
    struct tool_store *tools;     /* what the client has stored of each tool call */
    struct replay_marks *replays; /* the sessions whose history is being sent */
};

static inline struct acp_v2_state *acp_v2_state(struct connection *c)
{
    return c->state;
}

extern const struct surface acp_v2_surface;

bool acp_v2_initialize(struct connection *c, struct rpc_request *req);

void acp_v2_session_new(struct connection *c, struct rpc_request *req);
void acp_v2_session_resume(struct connection *c, struct rpc_request *req);
void acp_v2_session_fork(struct connection *c, struct rpc_request *req);
void acp_v2_session_prompt(struct connection *c, struct rpc_request *req);

/* Parts of the surface table. */
void acp_v2_say_tool(void *self, str session, struct tool_report *report);
uint64_t acp_v2_ask_permission(void *self, const struct permission_request *rq, surface_answer_cb *cb,
                               void *user);

#endif
