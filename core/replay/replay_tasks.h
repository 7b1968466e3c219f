/* Work that a stored conversation ran in the background, for a client that is told of it (asyncTasks): by
 * what the transcript says of its end, or as stopped where it says nothing. */
#ifndef HERALD_REPLAY_REPLAY_TASKS_H
#define HERALD_REPLAY_REPLAY_TASKS_H

#include "extension/async_tasks.h"
#include "replay/user_text.h"

struct replay_child;
struct replay_target;

struct replay_tasks {
    const struct replay_target *to;
    bool tells; /* the client is told */
    struct async_tasks tasks;
    struct map calls; /* ids of the tool calls that were shown → struct known_call */
};

/* `rt` stays where it is. */
void replay_tasks_init(struct replay_tasks *rt, const struct replay_target *to);
void replay_tasks_free(struct replay_tasks *rt);
/* A tool call (its block) is shown, of this child (NULL: the root's). */
void replay_tasks_call(struct replay_tasks *rt, const struct replay_child *child, json block);
/* The result of a call names the task that goes on in the background for it. */
void replay_tasks_began(struct replay_tasks *rt, str call, str task);
/* A notice of the end of a task that is no subagent's. */
void replay_tasks_notice(struct replay_tasks *rt, const struct task_notice *t);
/* Everything was shown: what the transcript says no end of was stopped with its process, unless it still runs
 * in the session. */
void replay_tasks_end(struct replay_tasks *rt);

#endif
