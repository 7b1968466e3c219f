/* The subagents of a session that are sessions of their own: what subagents.h decides, carried out. Without
 * such a client everything goes to the root session. */
#ifndef HERALD_TOOL_CHILD_SESSIONS_H
#define HERALD_TOOL_CHILD_SESSIONS_H

#include "base/log.h"
#include "client/capabilities.h"
#include "subagent/live_tasks.h"
#include "subagent/subagents.h"
#include "surface/surface.h"
#include "tool/tool_calls.h"

/* What they are told with, and what they are decided by; all of it outlives them. */
struct children_setup {
    const struct client_capabilities *client; /* read at the start only */
    const struct surface *surface;
    void *surface_self;
    const struct log *log;
    str root; /* the session's own id */
    struct tool_calls *calls;
    struct live_tasks *live;
};

struct child_sessions {
    struct children_setup with;
    struct subagents subagents;
};

void children_init(struct child_sessions *cs, const struct children_setup *with);
void children_free(struct child_sessions *cs);
/* The client is shown subagents as sessions. */
bool children_shown(const struct child_sessions *cs);

/* Sends the report of a tool call. */
void children_tool(struct child_sessions *cs, struct tool_report *report);
/* Sends what the subagent of this launch has to say, or (absent) the main conversation; without its `meta`,
 * which children_meta() makes. */
void children_say(struct child_sessions *cs, str launch, const struct subagent_update *update);

/* The _meta of what a subagent says, an object in `b`; absent without a launch. */
str children_meta(struct buf *b, str launch);

/* Frames about tasks, when they are not late. */
void children_task(struct child_sessions *cs, json frame, void (*step)(struct subagents *sa, json frame));
/* A complete use of SendMessage, and a result that says which agent such a message woke up. */
void children_message(struct child_sessions *cs, str call, json input);
void children_resumed(struct child_sessions *cs, str agent, json frame);
/* Their process is gone: every child that still runs is over. Nothing is forgotten yet. */
void children_finish(struct child_sessions *cs, enum subagent_state state);
/* The work of the session is cancelled. */
void children_cancel(struct child_sessions *cs);
/* The agent (absent: the main conversation) waits for an answer, or does not any more. */
void children_await(struct child_sessions *cs, str agent, bool waits);
/* The agent has ended in a session that takes nothing more. */
bool children_agent_is_over(const struct child_sessions *cs, str agent);

/* Where a question of this agent (absent: the main conversation) is asked. */
str children_session_of_agent(struct child_sessions *cs, str agent);
/* Where the background work of this tool call is shown. */
str children_session_of_call(struct child_sessions *cs, str id);

#endif
