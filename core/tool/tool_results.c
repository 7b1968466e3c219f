/* What becomes of a call: its result and the hook after it, a denial, the progress of its work. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/path.h"
#include "tool/child_sessions.h"
#include "tool/tool_calls_internal.h"
#include "tool/tool_host.h"
#include "tool/tool_job.h"

enum {
    HOOK_GRACE_MS = 30000,
};

/* ---- Results ---- */

static json result_meta(json message, str id)
{
    for (struct json_iter it = json_each(json_get(message, "tool_result_meta")); json_next(&it);) {
        if (str_eq(json_str(json_get(it.value, "id")), id) &&
            json_is(json_get(it.value, "non_execution_kind"), JSON_STRING)) {
            return it.value;
        }
    }
    return JSON_NONE;
}

/* The structured result belongs to a message with exactly one result. */
static json structured_result(json message)
{
    size_t results = 0;
    for (struct json_iter it = json_each(json_get(json_get(message, "message"), "content"));
         json_next(&it);) {
        results += str_is(json_str(json_get(it.value, "type")), "tool_result");
    }
    return results == 1 ? json_get(message, "tool_use_result") : JSON_NONE;
}

static void finish_result(struct tool_job *job)
{
    job->result.plan_file = job->cx.plan_file;
    struct tool_report r[2];
    size_t n = render_result(&job->cx, &job->call, &job->use, &job->facts, &job->result, r);
    for (size_t i = 0; i < n; i++) {
        tool_job_send(job, &r[i]);
    }
    if (str_is(job->call.name, "ExitPlanMode") && !job->call.parent.p && !job->result.is_error) {
        job->host->calls->plan_approved(job->host->user, job->call.input, job->rcall.structured);
    }
    /* A call whose hook may still come is known until then, and so is what the client knows of it. */
    struct tool_call *call = tool_calls_of_key(job->calls, job->key);
    if (call && call->ended && !call->hook) {
        tool_call_forget(job->calls, call);
    }
}

static void finish_plan_result(struct tool_job *job, bool was_announced)
{
    if (was_announced) {
        struct tool_report r;
        job->cx.arena = &job->mem;
        render_plan_call_result(&job->cx, &job->call, &job->result, &r);
        tool_job_send(job, &r);
    }
    bool changes = job->facts.task_changes || job->facts.publish_tasks;
    if (changes && arena_ok(&job->mem)) {
        job->host->calls->tasks(job->host->user, job->call.parent, job->facts.task_changes);
    }
}

static void read_result(struct tool_job *job, const struct tool_call *call, json block, json message)
{
    json meta = result_meta(message, str_of(call->id));
    job->message = message;
    job->rcall.result = json_get(block, "content");
    job->rcall.structured = job->calls->replay ? JSON_NONE : structured_result(message);
    job->rcall.is_error = json_is_true(json_get(block, "is_error"));
    job->result = (struct render_result_input){
        .result = job->rcall.result,
        .is_error = job->rcall.is_error,
        .non_execution_kind = json_str(json_get(meta, "non_execution_kind")),
        .user_feedback = json_str(json_get(meta, "user_feedback")),
        .stopped = !job->calls->replay && job->host->calls->stopped(job->host->user),
        .accepted_plan = call->cleared_plan,
    };
    tool_job_read_use(job, call->reporter);
    facts_begin(&job->facts, &job->mem, PHASE_RESULT);
    reporter_result(*job->host->reporters, call->reporter, &job->rcall, &job->facts);
}

/* The command goes on after its result: the result or what is stored beside it names a task, one was begun
 * by the call, or the call asked for it and the result does not say that it ended. */
static bool goes_on(const struct tool_job *job, const struct tool_call *call, const struct live_task *task)
{
    return job->facts.background_task.p || (task && task->backgrounded) ||
           json_text(json_path(job->message, "toolUseResult", "backgroundTaskId", NULL)).p ||
           (!job->rcall.is_error && !json_is(job->rcall.structured, JSON_OBJECT) &&
            !json_is(json_get(job->message, "toolUseResult"), JSON_OBJECT) &&
            json_is_true(json_get(json_root(call->input), "run_in_background")));
}

/* What goes on in the background after its result has no exit code. A terminal that is still written to ends
 * with its task. */
static void note_background(struct tool_job *job, const struct tool_call *call, json block, json message)
{
    const struct tool_host *h = job->host;
    job->result.background = h->calls->background(h->user, call, block, message);
    struct live_task *task = job->calls->replay ? NULL : live_tasks_find(h->live, job->facts.background_task);
    if (!task && !job->calls->replay) {
        task = tool_call_task(job->calls, call);
    }
    if (!call->command || !goes_on(job, call, task)) {
        return;
    }
    job->facts.exit_known = false;
    if (task && client_has_terminal(h->client)) {
        job->result.background_live = true;
        task->owes_exit = true;
        free(task->call_parent);
        free(task->call_tool);
        free(task->call_key);
        free(task->call_told);
        task->call_key = str_dup(str_of(call->key));
        task->call_told = str_dup(tool_call_told_id(call));
        task->call_parent = str_dup(str_of(call->parent));
        task->call_tool = str_dup(str_of(call->name));
    }
}

static void report_result(struct tool_calls *tc, struct tool_call *call, json block, json message)
{
    struct tool_job job;
    bool announced = call->announced;
    tool_job_begin(&job, tc, call, json_root(call->input));
    read_result(&job, call, block, message);
    note_background(&job, call, block, message);
    call->announced = false;
    call->ended = true;
    call->forget_at = clock_monotonic_ms() + HOOK_GRACE_MS;
    if (reporter_shows_plan(call->reporter)) {
        finish_plan_result(&job, announced);
        tool_job_end(&job);
        tool_call_forget(tc, call);
        return;
    }
    call->hook = call->hook && !job.rcall.is_error; /* only a success has one */
    tool_job_want_use_files(&job);
    tool_job_want_plan_file(&job, job.facts.plan_file);
    job.finish = finish_result;
    tool_job_run(&job);
}

void tool_calls_result(struct tool_calls *tc, str parent, json block, json message)
{
    str id = json_str(json_get(block, "tool_use_id"));
    struct tool_call *call = tool_calls_find(tc, call_place_of_parent(parent), id);
    if (!tc->replay) {
        tc->host->calls->result(tc->host->user, id, message);
    }
    if (call && !call->ended) {
        tool_call_set_parent(call, parent);
        report_result(tc, call, block, message);
    } else {
        log_write(tc->host->log, LOG_DEBUG, "a result of an unknown tool call came");
    }
}

/* ---- Hooks, denials, progress ---- */

/* The client was shown another input than the tool got. What happened to the file is told by itself. */
static void tell_rewritten(struct tool_job *job, str content, str locations)
{
    struct tool_report r;
    job->shown.rewritten = true;
    render_use(&job->cx, &job->call, &job->use, job->shown, &r);
    if (content.p) {
        r.field[REPORT_CONTENT] = STR_ABSENT;
    }
    if (locations.p) {
        r.field[REPORT_LOCATIONS] = STR_ABSENT;
    }
    tool_job_send(job, &r);
}

static void finish_hook(struct tool_job *job)
{
    str content = STR_ABSENT, locations = STR_ABSENT;
    if (job->facts.change.stated) {
        final_change(&job->mem, job->cx.client, &job->facts.change,
                     tool_job_resolve(job, job->facts.change.path), job->source_read ? &job->source : NULL,
                     &content, &locations);
    }
    struct tool_report r;
    if (job->rewritten) {
        tell_rewritten(job, content, locations);
    }
    if (render_finished(&job->cx, &job->call, &job->facts, job->response, content, locations, &r)) {
        tool_job_send(job, &r);
    }
    struct tool_call *call = tool_calls_of_key(job->calls, job->key);
    if (call && call->ended) {
        tool_call_forget(job->calls, call);
    }
    job->shown_cb(job->user);
}

static void finish_failed(struct tool_job *job)
{
    tell_rewritten(job, STR_ABSENT, STR_ABSENT);
    job->shown_cb(job->user);
}

/* A job about what the hook of the call says, with the input that the tool got. */
static void begin_hook(struct tool_job *job, struct tool_calls *tc, struct tool_call *call, json input,
                       tool_calls_shown_cb *done, void *user)
{
    json given = json_get(input, "tool_input");
    bool rewritten = tool_call_take_input(tc, call, given);
    tool_job_begin(job, tc, call, given);
    job->rewritten = rewritten;
    job->message = input;
    job->shown_cb = done;
    job->user = user;
    if (rewritten) {
        tool_job_read_use(job, call->reporter);
        tool_job_note_use(job, call);
        tool_job_want_use_files(job);
    }
}

static struct call_place place_of_hook(const struct tool_calls *tc, json request)
{
    return call_place_of_agent(tc, json_text(json_path(request, "input", "agent_id", NULL)));
}

/* The call of a hook's request, when the client can still be told of it. */
static struct tool_call *call_of_hook(struct tool_calls *tc, json request)
{
    str id = json_text(json_get(request, "tool_use_id"));
    struct tool_call *call = tool_calls_find(tc, place_of_hook(tc, request), id);
    if (call && !call->ended && reporter_shows_plan(call->reporter)) {
        json given = json_path(request, "input", "tool_input", NULL);
        if (tool_call_take_input(tc, call, given)) {
            tool_calls_plan_use(tc, call, given);
        }
    }
    return call && call->hook && !(call->ended && call->forget_at <= clock_monotonic_ms()) ? call : NULL;
}

void tool_calls_failed(struct tool_calls *tc, json request, tool_calls_shown_cb *done, void *user)
{
    struct tool_call *call = call_of_hook(tc, request);
    struct tool_job job;
    if (!call || !call->announced) {
        done(user);
        return;
    }
    begin_hook(&job, tc, call, json_get(request, "input"), done, user);
    if (job.rewritten) {
        job.finish = finish_failed;
        tool_job_run(&job);
    } else {
        tool_job_end(&job);
        done(user);
    }
}

/* The text before the edit, as the CLI tells it, is what the file held. It is not when the lines ended
 * otherwise, and nobody knows when another file was looked at. */
static bool knows_before(struct tool_job *job, const struct tool_call *call)
{
    const struct fact_file_change *change = &job->facts.change;
    if (!call->looked_at || change->kind == CHANGE_CREATED) {
        return true;
    }
    str looked_at = path_resolve(&job->mem, STR("/"), str_of(call->looked_at));
    return !call->had_cr && str_eq(looked_at, path_resolve(&job->mem, job->cx.cwd, change->path));
}

void tool_calls_hook(struct tool_calls *tc, json request, tool_calls_shown_cb *done, void *user)
{
    json input = json_get(request, "input");
    struct tool_call *known =
        tool_calls_find(tc, place_of_hook(tc, request), json_text(json_get(request, "tool_use_id")));
    if (known && (known->parent || json_text(json_get(input, "agent_id")).p)) {
        known->succeeded = true; /* whether or not its result comes: a subagent's may stay out */
    }
    struct tool_call *call = call_of_hook(tc, request);
    if (!call) {
        done(user);
        return;
    }
    call->hook = false; /* there is one */
    struct tool_job job;
    begin_hook(&job, tc, call, input, done, user);
    job.response = job.rcall.response = json_get(input, "tool_response");
    facts_begin(&job.facts, &job.mem, PHASE_FINISHED);
    reporter_finished(*tc->host->reporters, call->reporter, &job.rcall, &job.facts);
    if (final_change_needs_source(job.cx.client, &job.facts.change) && knows_before(&job, call)) {
        job.source_path = tool_job_resolve(&job, job.facts.change.path);
    }
    job.finish = finish_hook;
    tool_job_run(&job);
}

void tool_calls_denied(struct tool_calls *tc, json message)
{
    str agent = json_text(json_get(message, "agent_id"));
    struct tool_call *call =
        tool_calls_find(tc, call_place_of_agent(tc, agent), json_text(json_get(message, "tool_use_id")));
    bool stray = children_agent_is_over(tc->host->children, agent);
    if (!call || !call->announced || (stray && !call->shown)) {
        return;
    }
    struct tool_job job;
    struct tool_report r;
    tool_job_begin(&job, tc, call, json_root(call->input));
    job.cx.arena = &job.mem;
    render_denied(&job.cx, &job.call, message, &r);
    call->hook = false;
    tool_job_send(&job, &r);
    tool_job_end(&job);
}

/* The call is that of a subagent that runs. */
static bool is_subagent_call(const struct tool_calls *tc, str id)
{
    return id.n && live_tasks_of_call(tc->host->live, id, true);
}

void tool_calls_progress(struct tool_calls *tc, json beat)
{
    str parent = json_str(json_get(beat, "parent_tool_use_id"));
    struct tool_call *call =
        tool_calls_find(tc, call_place_of_parent(parent), json_text(json_get(beat, "tool_use_id")));
    bool fallback = !call || !call->announced;
    if (fallback) {
        call = tool_calls_any(tc, parent, true);
    }
    if (!call || !call->announced) {
        return;
    }
    struct tool_job job;
    struct tool_report r;
    bool inside = !(fallback && str_is(parent, call->id)) && is_subagent_call(tc, parent);
    tool_job_begin(&job, tc, call, json_root(call->input));
    job.cx.arena = &job.mem;
    render_progress(&job.cx, &job.call, beat, fallback, inside ? parent : STR_ABSENT, &r);
    tool_job_send(&job, &r);
    tool_job_end(&job);
}
