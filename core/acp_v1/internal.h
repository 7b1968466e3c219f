/* The ACP v1 surface, for the files that make it up: methods.c, sessions.c, extensions.c (requests of the
 * client), initialize.c (what it is told first), updates.c (what goes to it). Follows the Agent Client
 * Protocol v1 and the AIR extension contract. */
#ifndef HERALD_ACP_V1_INTERNAL_H
#define HERALD_ACP_V1_INTERNAL_H

#include "acp/version.h"
#include "report/tracker.h"

extern const struct surface acp_v1_surface;

bool acp_v1_initialize(struct connection *c, struct rpc_request *req);

void acp_v1_session_new(struct connection *c, struct rpc_request *req);
void acp_v1_session_load(struct connection *c, struct rpc_request *req);
void acp_v1_session_resume(struct connection *c, struct rpc_request *req);
void acp_v1_session_fork(struct connection *c, struct rpc_request *req);

void acp_v1_session_goal(struct connection *c, struct rpc_request *req);
void acp_v1_async_task_stop(struct connection *c, struct rpc_request *req);

#endif
