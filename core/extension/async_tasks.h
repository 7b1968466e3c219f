/* The AIR extension asyncTasks: work that Claude runs in the background (commands, workflows, monitors), as
 * updates.
 *
 * A record is made for every task that the CLI tells of and that is no subagent. It is *announced* when the
 * task is known to run in the background; from then on the client is told about it:
 *
 *     SILENT --announced, its tool call is known--> SPAWNED
 *     SILENT --announced, no tool call known--> HELD --the call becomes known, the end, a result--> SPAWNED
 *
 * Invariants: async_task_spawned comes once and before anything else of its task; what happens to a held task
 * follows its spawn in order; a progress update carries only what changed since the client was told, and a
 * change of state nothing but the state and its summary; the first final state stays, except that "stopped",
 * when it was only inferred from the CLI's list of tasks, gives way to what the CLI says later.
 *
 * The session that a task belongs to is asked for once, at the spawn. Nothing here does I/O. */
#ifndef HERALD_EXTENSION_ASYNC_TASKS_H
#define HERALD_EXTENSION_ASYNC_TASKS_H

#include "base/list.h"
#include "base/map.h"
#include "json/json.h"

/* What an update can carry as a text. */
enum async_field {
    ASYNC_DESCRIPTION,
    ASYNC_SUMMARY,
    ASYNC_LAST_TOOL,
    ASYNC_OUTPUT,
    ASYNC_CALL,
    ASYNC_FIELDS,
};

enum async_state { ASYNC_RUNNING, ASYNC_PAUSED, ASYNC_COMPLETED, ASYNC_FAILED, ASYNC_STOPPED };
enum async_phase { ASYNC_SILENT, ASYNC_HELD, ASYNC_SPAWNED };

struct async_task {
    struct list link; /* of all records, oldest first */
    char *id;
    enum async_phase phase;
    enum async_state state;
    bool inferred; /* "stopped" only because the list lacks it */
    bool skipped;  /* the CLI asks not to show it in the transcript */
    bool monitor;  /* a Monitor call began it, whatever type the CLI states */
    bool listed;   /* on the CLI's last list of tasks */
    bool stopping;
    struct buf session;   /* where its updates go; set at the spawn */
    struct buf announced; /* the description that the spawn says */
    struct buf name, type;
    struct buf now[ASYNC_FIELDS], told[ASYNC_FIELDS];
    int64_t usage[3], usage_told[3]; /* total tokens, tool uses, milliseconds; below zero: not known */
    struct list held;                /* updates that wait for the spawn: struct async_update */
};

struct async_tasks_sink {
    /* The session that owns this tool call (absent: the root); the text lives until the next call. */
    str (*session_of)(void *user, str call_id);
    /* The call is one of Claude's Monitor tool. */
    bool (*is_monitor)(void *user, str call_id);
    void (*update)(void *user, str session, const char *name, str members);
};

struct async_tasks {
    const struct async_tasks_sink *sink;
    void *user;
    struct map by_id;
    struct list tasks;
    bool list_had_tasks; /* the CLI's last list of tasks was not empty */
    struct map ignored;  /* ids of subagents */
    struct map outputs;  /* tool call id → the output paths in its result, a struct async_output */
    struct list output_order;
};

void async_tasks_init(struct async_tasks *at, const struct async_tasks_sink *sink, void *user);
void async_tasks_free(struct async_tasks *at);

/* Frames of the CLI: system/task_started, task_progress, task_updated, task_notification, and the `tasks` of
 * background_tasks_changed. Late ones of an older run are the caller's to leave out. */
void async_tasks_started(struct async_tasks *at, json frame);
void async_tasks_progress(struct async_tasks *at, json frame);
void async_tasks_updated(struct async_tasks *at, json frame);
void async_tasks_notified(struct async_tasks *at, json frame);
void async_tasks_listed(struct async_tasks *at, json tasks);

/* The result of a shell command's call came, before its report: `text` is what it says (any output file of a
 * task stands in it), `task` the background task that it names (absent: none), `command` what it runs. */
void async_tasks_result(struct async_tasks *at, str call_id, str task, str command, str text);
/* An announced task runs for this call. */
bool async_tasks_has_call(const struct async_tasks *at, str call_id);
/* A result of the model's work was handled: held tasks need not wait any longer. */
void async_tasks_release(struct async_tasks *at);
/* The CLI or the conversation ends: what still runs is failed, or stopped. */
void async_tasks_finish(struct async_tasks *at, bool stopped);

/* Its updates go to this session; absent before its spawn, and when it is not known. */
str async_tasks_session(const struct async_tasks *at, str id);
/* The client stops a task: true when the CLI is to be asked for it. Then, with its answer,
 * async_tasks_stopped(): `done` publishes the end and writes the name and the session that the task was
 * announced with; else it can be stopped again. */
bool async_tasks_stop(struct async_tasks *at, str id);
void async_tasks_stopped(struct async_tasks *at, str id, bool done, struct buf *name, struct buf *session);

/* Which of a message's shell results belongs to the background task that the message tells of: the call's id,
 * with the task's in `*task`; absent when there is none or it is not clear. `is_shell` says whether a call is
 * of a shell command. */
str async_background_call(json message, bool (*is_shell)(void *user, str call_id), void *user, str *task);
/* The task's output file as `text` names it: an absolute path that ends in "/tasks/<id>.output"; absent when
 * it does not. */
str async_output_path(str text, str id);
/* Appends the text of a result's content: a string, or the text blocks of an array, one a line. */
void async_result_text(struct buf *out, json content);

#endif
