#include "session/extensions.h"

#include "local/file_reports.h"

#include <stdlib.h>

#include "prompt/prompt_content.h"
#include "session/goal.h"
#include "session/internal.h"

/* ---- Sinks ---- */

static void tell_tool(void *user, struct tool_report *report)
{
    struct session *s = user;
    s->host->surface->tool(s->host->surface_self, str_of(s->id), report);
}

static void tell_update(void *user, const char *name, str members)
{
    struct session *s = user;
    s->host->surface->update(s->host->surface_self, str_of(s->id), name, members);
}

static const struct compaction_sink compaction_sink = {.tool = tell_tool, .update = tell_update};

static str session_of_call(void *user, str call_id)
{
    struct session *s = user;
    return children_session_of_call(&s->children, call_id);
}

static void tell_task(void *user, str session, const char *name, str members)
{
    struct session *s = user;
    s->host->surface->update(s->host->surface_self, session, name, members);
}

static bool is_monitor_call(void *user, str call_id)
{
    struct session *s = user;
    const struct tool_call *call = tool_calls_any(&s->tooling.calls, call_id, false);
    return call && str_is(str_of(call->name), "Monitor");
}

static const struct async_tasks_sink tasks_sink = {.session_of = session_of_call,
                                                   .is_monitor = is_monitor_call,
                                                   .update = tell_task};

static bool tells_tasks(const struct session *s)
{
    return s->host->client.air_async_tasks;
}

/* ---- Life ---- */

void extensions_init(struct session *s)
{
    compaction_init(&s->ext.compaction, &s->host->client, &compaction_sink, s);
    async_tasks_init(&s->ext.tasks, &tasks_sink, s);
}

void extensions_free(struct session *s)
{
    goal_free(&s->ext.goal);
    async_tasks_free(&s->ext.tasks);
    compaction_free(&s->ext.compaction);
    file_reports_free(&s->local.reports);
}

/* ---- Prompts ---- */

void extensions_sent(struct session *s, json blocks, json meta, str uuid)
{
    if (s->host->client.air_file_change_report && json_present(meta)) {
        file_reports_accept(&s->local.reports, meta, uuid);
    }
    session_goal_sent(s, prompt_first_text(blocks), uuid);
}

/* ---- Async tasks ---- */

void extensions_task(struct session *s, json frame, void (*step)(struct async_tasks *at, json frame))
{
    if (tells_tasks(s) && !live_tasks_late(&s->live, frame)) {
        step(&s->ext.tasks, frame);
    }
}

void extensions_task_progress(struct session *s, json frame)
{
    extensions_task(s, frame, async_tasks_progress);
}

void extensions_task_list(struct session *s, json tasks)
{
    if (tells_tasks(s)) {
        async_tasks_listed(&s->ext.tasks, tasks);
    }
}

static bool is_shell_call(void *user, str call_id)
{
    struct session *s = user;
    const struct tool_call *call = tool_calls_any(&s->tooling.calls, call_id, false);
    return call && call->command;
}

bool extensions_result_of_call(struct session *s, const struct tool_call *call, json block, json message)
{
    if (!tells_tasks(s)) {
        return false;
    }
    str id = str_of(call->id), task = STR_ABSENT;
    json input = json_root(call->input);
    AUTO_BUF(text);
    async_result_text(&text, json_get(block, "content"));
    bool named = call->command && str_eq(async_background_call(message, is_shell_call, s, &task), id);
    async_tasks_result(&s->ext.tasks, id, named ? task : STR_ABSENT, json_str(json_get(input, "command")),
                       buf_str(&text));
    bool asked =
        json_is_true(json_get(input, "run_in_background")) && !json_is_true(json_get(block, "is_error"));
    return call->command && (named || asked || async_tasks_has_call(&s->ext.tasks, id));
}

struct stop_request {
    struct session *s; /* a reference */
    struct buf task;
    session_stopped_cb *done;
    void *user;
};

static void tell_stopped(struct session *s, str session, str name)
{
    struct session_host *a = s->host;
    AUTO_BUF(line);
    if (a->client.session_notices) {
        buf_put_str(&line, name);
        buf_put_c(&line, ".");
        a->surface->notice(a->surface_self, session, "info", STR("Task stopped by user"), buf_str(&line));
        return;
    }
    buf_put_c(&line, "**Task stopped by user:** ");
    buf_put_str(&line, name);
    buf_put_c(&line, ".");
    a->surface->text(a->surface_self, session, MESSAGE_AGENT, STR_ABSENT, buf_str(&line), STR_ABSENT);
}

static void stop_answered(void *user, const struct control_error *error, json payload)
{
    struct stop_request *r = user;
    struct session_error failure = {.code = RPC_INTERNAL_ERROR,
                                    .details = error ? str_of(error->text) : STR_ABSENT};
    AUTO_BUF(name);
    AUTO_BUF(session);
    (void)payload;
    async_tasks_stopped(&r->s->ext.tasks, buf_str(&r->task), !error, &name, &session);
    if (!error && session_live(r->s)) {
        tell_stopped(r->s, session.n ? buf_str(&session) : str_of(r->s->id), buf_str(&name));
    }
    r->done(r->user, error ? &failure : NULL, !error);
    session_unref(r->s);
    buf_free(&r->task);
    free(r);
}

str session_of_task(const struct session *s, str task)
{
    return async_tasks_session(&s->ext.tasks, task);
}

void session_stop_task(struct session *s, str task, session_stopped_cb *done, void *user)
{
    struct stop_request *r =
        s->process.cli && async_tasks_stop(&s->ext.tasks, task) ? malloc(sizeof(*r)) : NULL;
    if (!r) {
        done(user, NULL, false);
        return;
    }
    *r = (struct stop_request){.s = s, .done = done, .user = user};
    buf_put_str(&r->task, task);
    session_ref(s);
    AUTO_BUF(b);
    json_member_str(&b, "task_id", task);
    cli_control_request(s->process.cli, "stop_task", buf_str(&b), 0, stop_answered, r);
}

/* ---- Compaction ---- */

void extensions_status(struct session *s, json frame)
{
    compaction_on_status(&s->ext.compaction, frame);
}

void extensions_compaction_text(struct session *s, str frame_uuid, json block)
{
    static const char *const keys[] = {"content", "text"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        json text = json_get(block, keys[i]);
        if (json_is(text, JSON_STRING)) {
            compaction_on_text(&s->ext.compaction, frame_uuid, json_str(text));
            return;
        }
    }
}

bool extensions_hide_local(struct session *s, str text)
{
    return compaction_has_output(&s->ext.compaction) || compaction_take_error(&s->ext.compaction, text);
}

bool extensions_before_answer(struct session *s, const struct turn *t, const struct turn_end *end,
                              bool may_wait)
{
    return file_reports_before_answer(&s->local, t, end, may_wait);
}

/* ---- The turns ---- */

void extensions_cancelling(struct session *s)
{
    file_reports_overtake(&s->local, FILE_REPORT_CANCELLED);
    compaction_interrupt(&s->ext.compaction);
}

void extensions_activated(struct session *s, const struct turn *t)
{
    compaction_accept(&s->ext.compaction);
    goal_echoed(&s->ext.goal, str_of(t->uuid));
}

void extensions_lifecycle(struct session *s, str uuid, str state)
{
    if (str_is(state, "started") && turns_find(&s->turns, uuid)) {
        compaction_accept(&s->ext.compaction);
    }
}

void extensions_echo(struct session *s, str uuid)
{
    goal_echoed(&s->ext.goal, uuid);
}

void extensions_result(struct session *s, json result, bool own)
{
    async_tasks_release(&s->ext.tasks);
    if (own) {
        session_goal_on_result(s, result);
    }
    compaction_close(&s->ext.compaction);
}

void extensions_result_done(struct session *s, bool over)
{
    if (over) {
        compaction_on_result(&s->ext.compaction);
    }
}

void extensions_idle(struct session *s)
{
    session_goal_idle(s);
    compaction_close(&s->ext.compaction);
}

void extensions_ended(struct session *s)
{
    file_reports_overtake(&s->local, s->turns.cancelled ? FILE_REPORT_CANCELLED : FILE_REPORT_PROVIDER);
    compaction_close(&s->ext.compaction);
    async_tasks_finish(&s->ext.tasks, s->turns.cancelled);
}
