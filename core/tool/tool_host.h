/* What tool calls use of whoever shows them: a live session, or a replay of a stored one. */
#ifndef HERALD_TOOL_TOOL_HOST_H
#define HERALD_TOOL_TOOL_HOST_H

#include <uv.h>

#include "base/dirs.h"
#include "base/log.h"
#include "client/capabilities.h"
#include "report/facts.h"
#include "report/report.h"
#include "reporter_host/reporter_host.h"
#include "subagent/live_tasks.h"
#include "json/json.h"

struct child_sessions;
struct tool_call;

/* `user` is the host's. Those below the line are asked by a live session's calls alone; a replay has NULL
 * there. */
struct tool_host_calls {
    /* Sends a report to where the call belongs. */
    void (*send)(void *user, struct tool_report *r);
    /* A whole plan, or changes of the task list, of the subagent of this launch (absent: the main
     * conversation). `changes` may be NULL: the list is told as it is. */
    void (*plan)(void *user, str parent, const struct fact_plan_entry *entries);
    void (*tasks)(void *user, str parent, const struct fact_task_change *changes);
    /* An ExitPlanMode of the main conversation was approved. */
    void (*plan_approved)(void *user, json input, json structured);
    /* The result of a known call, before it is told: true when its work goes on in the background. */
    bool (*background)(void *user, const struct tool_call *call, json block, json message);

    /* ---- Live ---- */

    /* The client is still told something. */
    bool (*alive)(const void *user);
    /* The CLI's frames wait, and the host lives, until the release. */
    void (*hold)(void *user);
    void (*release)(void *user);
    /* The turn at hand was stopped by the client. */
    bool (*stopped)(const void *user);
    /* A result came for this id, known or not. */
    void (*result)(void *user, str id, json message);
};

struct tool_host {
    uv_loop_t *loop;
    const struct log *log;
    const struct standard_dirs *dirs;
    const struct client_capabilities *client;
    struct reporter_host *const *reporters; /* there when the first call comes */
    str cwd;                                /* of the session */
    struct live_tasks *live;         /* what runs beside the conversation, and the subagents that are */
    struct child_sessions *children; /* sessions of their own; both NULL in a replay */
    const struct tool_host_calls *calls;
    void *user;
};

#endif
