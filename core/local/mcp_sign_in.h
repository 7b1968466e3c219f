/* Sign-in to MCP servers of the client's that ask for it: the person is sent to a page, and told when it is
 * done.
 *
 * One run at a time for a session. It looks at the servers once and then goes through those that need a
 * sign-in, one after another: the CLI begins it and names the page, the client opens it (elicitation/create),
 * and the server's state is asked for every second until it is no longer in need of one, the person
 * declined, or the time is over. What fails is only logged. */
#ifndef HERALD_LOCAL_MCP_SIGN_IN_H
#define HERALD_LOCAL_MCP_SIGN_IN_H

#include "base/map.h"
#include "local/local_host.h"

/* Begins a run for the servers that the client's request named, or those of them that are in `only` (NULL:
 * all). Does nothing while a run goes on, or for a client that cannot open pages. */
void mcp_sign_in_begin(struct local_work *w, const struct map *only);
/* Ends the run, if there is one: its process or its session goes. */
void mcp_sign_in_drop(struct local_work *w);

#endif
