/* Whom a stored conversation is told to: what a replay uses of the session that it belongs to, and of its
 * client. */
#ifndef HERALD_REPLAY_REPLAY_TARGET_H
#define HERALD_REPLAY_REPLAY_TARGET_H

#include "extension/async_tasks.h"
#include "extension/session_failure.h"
#include "surface/surface.h"
#include "tool/child_sessions.h"
#include "tool/tool_host.h"

struct replay_target_calls {
    /* The client is still told something. */
    bool (*alive)(const void *user);
    /* The target lives until it is dropped as often. */
    void (*keep)(void *user);
    void (*drop)(void *user);
    /* What outlives a replay stays with the session: the plan, which begins anew, and the usage limit that
     * still holds. */
    void (*forget_plan)(void *user);
    void (*plan)(void *user, const struct fact_plan_entry *entries);
    void (*tasks)(void *user, const struct fact_task_change *changes);
    void (*plan_approved)(void *user, json input, json structured);
    void (*failure)(void *user, const struct failure_record *record);
};

struct replay_target {
    uv_loop_t *loop;
    const struct log *log;
    const struct standard_dirs *dirs;
    const struct client_capabilities *client;
    struct reporter_host *const *reporters;
    const struct surface *surface;
    void *surface_self;
    const bool *congested; /* the client is slow: nothing more is read */
    bool *replaying;       /* set while something is told */
    str session, cwd;

    /* What goes on in the session, and is not told as if it were over. */
    struct child_sessions *children;
    const struct tool_calls *calls;
    const struct async_tasks *tasks;
    struct failures *failures;

    const struct replay_target_calls *does;
    void *user;
};

#endif
