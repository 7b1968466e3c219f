/* The ends of calls that have no result: with the turn, by a cancel, with a background command. */
#include <stdlib.h>

#include "report/items.h"
#include "subagent/subagents.h"
#include "tool/tool_calls_internal.h"
#include "tool/tool_host.h"
#include "tool/tool_job.h"

enum {
    CALL_DEPTH_MAX = 64, /* calls around a call that are followed */
};

void tool_calls_terminal_ended(struct tool_calls *tc, const struct live_task *task)
{
    AUTO_ARENA(mem);
    str terminal = arena_str(&mem, str_of(task->call_told ? task->call_told : task->call));
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "terminal_id", terminal);
    json_member_null(&b, "exit_code");
    json_member_null(&b, "signal");
    json_close_object(&b);
    struct tool_report r = {.id = terminal, .key = str_of(task->call_key), .untracked = true};
    str parent = str_of(task->call_parent), tool = str_of(task->call_tool);
    if (parent.p) {
        tool_report_add_meta(&r, META_CLAUDE_CODE, STR("parentToolUseId"), json_string(&mem, parent));
    }
    if (tool.p && !tc->host->client->air) {
        tool_report_add_meta(&r, META_CLAUDE_CODE, STR("toolName"), json_string(&mem, tool));
    }
    tool_report_add_meta(&r, META_TOP, STR("terminal_exit"), buf_str(&b));
    if (buf_ok(&b) && arena_ok(&mem)) {
        tool_calls_send(tc, &r);
    }
}

static struct live_task *task_of(const struct tool_calls *tc, const char *id, bool subagent)
{
    struct live_task *task = live_tasks_of_call(tc->host->live, str_of(id), subagent);
    return task ? task : live_tasks_of_call(tc->host->live, str_of(id), !subagent);
}

/* A call may have its launch's id, whose task is another's. */
struct live_task *tool_call_task(const struct tool_calls *tc, const struct tool_call *call)
{
    struct live_task *task = task_of(tc, call->id, subagents_is_launch(str_of(call->name)));
    bool around = task && task->subagent && call->parent && str_is(str_of(call->parent), call->id);
    return around ? NULL : task;
}

/* The call belongs to work that goes on in the background: a task was begun by it, or by a call around it. */
static bool lives_on(const struct tool_calls *tc, const struct tool_call *call)
{
    for (unsigned depth = 0; call && depth < CALL_DEPTH_MAX; depth++) {
        const struct live_task *own = tool_call_task(tc, call);
        const struct live_task *around = call->parent ? task_of(tc, call->parent, true) : NULL;
        if ((own && own->backgrounded) || (around && around->backgrounded)) {
            return true;
        }
        call = call->parent ? tool_calls_any(tc, str_of(call->parent), true) : NULL;
    }
    return false;
}

static void report_closed(struct tool_calls *tc, const struct tool_call *call, bool cancelled)
{
    struct tool_job job;
    struct tool_report r;
    tool_job_begin(&job, tc, call, json_root(call->input));
    job.cx.arena = &job.mem;
    field_tracker_end(tc->tracker, job.key); /* what it says is said, whatever was said before */
    render_closed(&job.cx, &job.call,
                  call->succeeded     ? CLOSE_SUCCEEDED
                  : !call->dispatched ? CLOSE_NOT_RUN
                  : cancelled         ? CLOSE_CANCELLED
                                      : CLOSE_NO_RESULT,
                  &r);
    tool_job_send(&job, &r);
    tool_job_end(&job);
}

void tool_calls_close_one(struct tool_calls *tc, struct tool_call *call, bool cancelled)
{
    if (call->ended) {
        return;
    }
    if (call->announced) {
        report_closed(tc, call, cancelled);
    }
    tool_call_forget(tc, call);
}

void tool_calls_cancelling(struct tool_calls *tc)
{
    size_t at = 0;
    void *p;
    while (map_next(&tc->by_key, &at, NULL, &p)) {
        struct tool_call *call = p;
        call->hook = false;
        free(call->shown);
        call->shown = NULL;
        if (!client_keeps_cancelled_calls(tc->host->client)) {
            field_tracker_end(tc->tracker, str_of(call->key));
        }
        if (call->ended) {
            tool_call_forget(tc, call);
        }
    }
}

void tool_calls_close(struct tool_calls *tc, bool cancelled, bool died, bool *lost)
{
    size_t at = 0;
    void *p;
    while (map_next(&tc->by_key, &at, NULL, &p)) {
        struct tool_call *call = p;
        if (call->ended || lives_on(tc, call)) {
            continue;
        }
        *lost = *lost || (call->announced && call->dispatched && !call->parent && !cancelled && !died);
        tool_calls_close_one(tc, call, cancelled);
    }
    tool_scanners_sweep(tc);
}
