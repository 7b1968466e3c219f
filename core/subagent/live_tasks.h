/* The tasks that the CLI runs beside the conversation: subagents, background commands, workflows, monitors.
 *
 * An entry lives from the task's start to its end. What is asked of it: does a turn still wait for this task
 * (only subagents hold a turn), which tool call began it, does it run in the foreground. Settled subagents
 * are remembered for a while (id and tool call), since a message can resume one. The list of all background
 * tasks that the CLI sends now and then (the level) never adds entries: an unlisted task that is no subagent
 * has ended; an unlisted subagent is kept, so that its late frames find their tool call, but holds no turn
 * any more, and goes at the second later activation of a turn.
 *
 * A frame of an older run of a task than the newest one seen is late and does not count. */
#ifndef HERALD_SUBAGENT_LIVE_TASKS_H
#define HERALD_SUBAGENT_LIVE_TASKS_H

#include "base/list.h"
#include "base/map.h"
#include "json/json.h"

enum {
    LIVE_TASKS_SETTLED_MAX = 256,
    LIVE_TASKS_RUNS_MAX = 1024,
};

struct live_task {
    struct list link;
    char *id, *call; /* the tool call that began it, or NULL */
    char *parent;    /* the task that it belongs to, or NULL */
    bool subagent;
    bool backgrounded;
    bool ended_by_level;
    bool owes_exit;       /* its command's terminal is still open at the client */
    char *call_key;       /* of that command's call, or NULL */
    char *call_told;      /* the id that the client knows it by, or NULL */
    char *call_parent;    /* the call around that command, or NULL */
    char *call_tool;      /* the tool of that call, or NULL */
    unsigned activations; /* of turns since the level ended it */
};

struct live_tasks {
    struct map by_id;
    struct list tasks;   /* struct live_task */
    struct list settled; /* of subagents, oldest first: struct live_task that is in no map */
    size_t settled_count;
    struct live_task *gone; /* the last other task that ended, which the caller may still look at */
    struct map runs;        /* task id → struct live_run */
    struct list run_order;  /* oldest first */
};

void live_tasks_init(struct live_tasks *lt);
void live_tasks_free(struct live_tasks *lt);

/* What a frame changed. `task` is NULL when nothing did. After LIVE_ENDED the task is out of the registry; it
 * lives until the next call. */
enum live_change { LIVE_NOTHING, LIVE_STARTED, LIVE_CHANGED, LIVE_RESUMED, LIVE_ENDED };
struct live_event {
    enum live_change change;
    const struct live_task *task;
};

/* The frames task_started, task_updated (with its `patch`) and task_notification. A late one changes nothing.
 */
struct live_event live_tasks_started(struct live_tasks *lt, json frame);
struct live_event live_tasks_updated(struct live_tasks *lt, json frame);
struct live_event live_tasks_notified(struct live_tasks *lt, json frame);
/* True when the frame is of an older run than one that was seen; it notes the newest. For frames that only
 * others handle (task_progress). */
bool live_tasks_late(struct live_tasks *lt, json frame);
/* A message to a settled subagent woke it up. */
struct live_event live_tasks_resumed(struct live_tasks *lt, str id);
/* background_tasks_changed: `list` is the array of entries. `ended` (may be NULL) is called for each task
 * that ends by it. */
void live_tasks_level(struct live_tasks *lt, json list,
                      void (*ended)(void *user, const struct live_task *task), void *user);
/* A turn became active that is not only a local command. */
void live_tasks_activation(struct live_tasks *lt);
/* Everything ends, as the CLI is gone; or (`reset`) the conversation was reset: commands and the like that
 * run in the background go on then. `ended` (may be NULL) is called for each task that ends. */
void live_tasks_clear(struct live_tasks *lt, bool reset,
                      void (*ended)(void *user, const struct live_task *task), void *user);

struct live_task *live_tasks_find(const struct live_tasks *lt, str id);
/* The live task, a subagent or another one, that this tool call began; NULL when there is none. */
struct live_task *live_tasks_of_call(const struct live_tasks *lt, str call, bool subagent);
/* The task is a subagent that a turn waits for. */
bool live_tasks_holds(const struct live_tasks *lt, str id);
/* The task is a subagent whose whole chain of parents runs in the foreground. */
bool live_tasks_foreground(const struct live_tasks *lt, str id);

#endif
