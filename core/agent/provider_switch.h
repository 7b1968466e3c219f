/* Changes of where the CLI sends its API calls that reach open sessions: providers/set, providers/disable and
 * logout.
 *
 * They take place one after the other. One that changes the route waits until no session works: on a prompt,
 * on an option change, or on something that the CLI began by itself. Two things are not waited for:
 * background subagents that hold the answer of a prompt while another prompt of the session waits for the
 * change, and an option change that the CLI has left unanswered for too long (struct session_limits), which
 * fails with its process. Then it takes effect, and each open session gets another CLI process
 * (session/restart.h) under the new route, in the same conversation. It is answered when they all are back:
 *
 *     WAITING --its turn--> SIGNING_OUT (logout) --> QUIETING --nobody works--> REPLACING --all are back-->
 * LOOKING (logout: who is signed in now) --> DONE
 *
 * From the moment that such a change comes until it is done the launch gate is closed
 * (launch/launch_gate.h): prompts that come stay unsent in their sessions' queues, and sessions that start
 * do not launch their CLI yet. A session whose CLI was launched before the change took effect gets another
 * one before its start is answered. A session that cannot come back is closed. */
#ifndef HERALD_AGENT_PROVIDER_SWITCH_H
#define HERALD_AGENT_PROVIDER_SWITCH_H

#include "base/list.h"
#include "provider/providers.h"
#include "session/session.h"

struct agent;
struct provider_switch;

/* NULL when memory is out. */
struct provider_switch *provider_switch_new(struct agent *a);
/* The agent closes: nothing is answered any more, and whoever waits goes on (to find its session closed). */
void provider_switch_close(struct provider_switch *r);
/* After the loop has ended. */
void provider_switch_free(struct provider_switch *r);

/* providers/set, or providers/disable without a route. Takes the route over. `done` does not come when the
 * agent is closed meanwhile. */
void provider_switch_set(struct provider_switch *r, struct provider_route *route, session_done_cb *done,
                         void *user);
/* logout: forgets the routes, runs `claude auth logout` (logout.c) and looks afresh who is signed in.
 */
void provider_switch_logout(struct provider_switch *r, session_done_cb *done, void *user);

/* Something that a change may have waited for is over. It is looked at from the loop. */
void provider_switch_look_again(struct provider_switch *r);

#endif
