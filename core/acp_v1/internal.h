/* The ACP v1 surface, for the files that make it up: methods.c (requests of the client), updates.c (what goes
 * to it), initialize.c (what it is told first). */
#ifndef HERALD_ACP_V1_INTERNAL_H
#define HERALD_ACP_V1_INTERNAL_H

#include "acp_v1/acp_v1.h"
#include "report/tracker.h"

struct acp_v1 {
    struct agent agent;
    struct rpc_endpoint *rpc;
    struct meta_filter *meta; /* for AIR */
    struct acp_v1_setup setup;
    bool closed;
};

extern const struct surface acp_v1_surface;

/* Writes the result of initialize. */
void acp_v1_put_initialize(struct buf *b, struct acp_v1 *v);

#endif
