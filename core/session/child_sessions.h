/* The subagents of a session that are sessions of their own: what subagents.h decides, carried out. Without
 * such a client everything goes to the root session. */
#ifndef HERALD_SESSION_CHILD_SESSIONS_H
#define HERALD_SESSION_CHILD_SESSIONS_H

#include "session/internal.h"

void children_init(struct session *s);
/* The client is shown subagents as sessions. */
bool children_shown(const struct session *s);

/* Sends the report of a tool call. */
void children_tool(struct session *s, struct tool_report *report);
/* Sends what the subagent of this launch has to say, or (absent) the main conversation; without its `meta`,
 * which children_meta() makes. */
void children_say(struct session *s, str launch, const struct subagent_update *update);

/* The _meta of what a subagent says, an object in `b`; absent without a launch. */
str children_meta(struct buf *b, str launch);

/* Frames about tasks, when they are not late. */
void children_task(struct session *s, json frame, void (*step)(struct subagents *sa, json frame));
/* A complete use of SendMessage, and a result that says which agent such a message woke up. */
void children_message(struct session *s, str call, json input);
void children_resumed(struct session *s, str agent, json frame);
/* Their process is gone: every child that still runs is over. Nothing is forgotten yet. */
void children_finish(struct session *s, enum subagent_state state);
/* The work of the session is cancelled. */
void children_cancel(struct session *s);
/* A question of this agent was asked or is over: tells whether it waits for one. */
void children_sync_waiting(struct session *s, str agent);

/* Where a question of this agent (absent: the main conversation) is asked. */
str children_session_of_agent(struct session *s, str agent);
/* Where the background work of this tool call is shown. */
str children_session_of_call(struct session *s, str id);

#endif
