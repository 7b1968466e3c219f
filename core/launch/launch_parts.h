/* The pieces of a launch that are JSON texts; used by launch.c alone. */
#ifndef HERALD_LAUNCH_LAUNCH_PARTS_H
#define HERALD_LAUNCH_LAUNCH_PARTS_H

#include "launch/launch.h"

/* The value of --mcp-config; empty when there is no server. */
void launch_put_mcp_config(struct buf *b, json options, json mcp_servers);
/* The --settings object; empty when nothing is in it. NULL, or why it cannot be made. */
const char *launch_put_settings(struct arena *a, struct buf *b, const struct launch_request *rq,
                                json options);
/* The members of the `initialize` control request. */
void launch_put_initialize(struct buf *b, const struct launch_request *rq, json options, bool subagent_text);

#endif
