/* What comes before a tool runs: permission questions, for which the call is announced and then the request
 * is made, and the hook that shows an edit. */
#include <stdlib.h>

#include "permission/presentation.h"
#include "report/items.h"
#include "surface/surface.h"
#include "tool/child_sessions.h"
#include "tool/tool_calls_internal.h"
#include "tool/tool_host.h"
#include "tool/tool_job.h"

/* The tool call of the request. */
static void fill_call(struct tool_job *job, struct tool_report *r, const struct permission_question *q,
                      str preview, bool textless, str heading)
{
    struct arena *a = &job->mem;
    bool air = job->cx.client->air;
    str blocked = permission_blocked_path(a, q);
    str locations = render_locations(&job->cx, &job->use, blocked);
    *r = (struct tool_report){.id = job->call.id};
    r->field[REPORT_RAW_INPUT] = render_raw_input(&job->cx, job->call.input, &job->use, textless);
    r->field[REPORT_TITLE] = json_string(a, heading);
    permission_add_call_meta(a, q, air, job->call.parent, r);
    if (air) {
        r->field[REPORT_CONTENT] = preview;
        if (blocked.p && !str_eq(locations, render_locations(&job->cx, &job->use, STR_ABSENT))) {
            r->field[REPORT_LOCATIONS] = locations;
        }
        return;
    }
    int kind = job->use.kind[form_for(&job->cx)];
    str content = preview.p ? preview : render_use_content(&job->cx, &job->call, &job->use);
    if (str_is(content, "[]")) {
        AUTO_BUF(input);
        content = permission_put_input_content(&input, q) ? arena_buf(a, &input) : content;
    }
    r->name = job->call.name;
    r->field[REPORT_STATUS] = STR("\"pending\"");
    r->field[REPORT_KIND] =
        json_string(a, str_of(tool_kind_name(kind < 0 ? KIND_OTHER : (enum tool_kind)kind)));
    r->field[REPORT_CONTENT] = content;
    r->field[REPORT_LOCATIONS] = locations;
}

static void tell_ready(struct tool_job *job, const struct permission_question *q, str preview, bool textless)
{
    str heading = permission_heading(&job->mem, q, render_title(&job->cx, &job->call, &job->use));
    struct tool_report call;
    struct permission_request rq = {
        .session = children_session_of_agent(job->host->children, q->agent_id),
        .title = permission_title(&job->mem, q, heading),
        .description = permission_description(&job->mem, q),
        .call = &call,
        .options = job->options,
    };
    AUTO_BUF(meta);
    if (job->cx.client->air && permission_put_request_meta(&meta, q, heading)) {
        rq.meta = buf_str(&meta);
    }
    fill_call(job, &call, q, preview, textless, heading);
    job->ready(job->user, buf_ok(&meta) && arena_ok(&job->mem) ? &rq : NULL);
}

/* What the edit is about to change; absent when that is not known. */
static str make_preview(struct tool_job *job, bool *textless)
{
    *textless = false;
    return job->source_read ? preview_content(&job->mem, job->cx.client, job->use.edits, job->source_path,
                                              &job->source, textless)
                            : STR_ABSENT;
}

/* The call was not seen before it was asked about. */
static void announce(struct tool_job *job, struct tool_call *call, str agent, str preview)
{
    struct tool_report r;
    str session = children_session_of_agent(job->host->children, agent);
    if (agent.n && str_eq(session, job->host->children->with.root)) { /* beside the main conversation's */
        call->tells_key = true;
        job->call.id = arena_str(&job->mem, tool_call_told_id(call));
    }
    render_use(&job->cx, &job->call, &job->use,
               (struct render_use_options){.first = true, .preview = preview}, &r);
    if (arena_ok(&job->mem)) {
        call->announced = true;
        free(call->shown);
        call->shown = str_dup(session);
        tool_job_send(job, &r);
    }
}

/* What of the file before the edit is asked about after it. */
static void note_source(struct tool_job *job, struct tool_call *call)
{
    call->had_cr = job->source.has_cr;
    free(call->looked_at);
    call->looked_at = str_dup(job->source_path);
}

static void finish_question(struct tool_job *job)
{
    struct permission_question q;
    bool textless;
    str preview = make_preview(job, &textless);
    struct tool_call *call = tool_calls_of_key(job->calls, job->key);
    if (!call || !permission_question_read(&q, job->message)) {
        job->ready(job->user, NULL);
        return;
    }
    if (!call->announced) {
        announce(job, call, q.agent_id, preview);
    } else if (job->rewritten) {
        struct tool_report r;
        job->shown.rewritten = true;
        job->shown.preview = preview;
        render_use(&job->cx, &job->call, &job->use, job->shown, &r);
        tool_job_send(job, &r);
    }
    if (job->source_read) {
        note_source(job, call);
    }
    if (preview.p) {
        field_tracker_pin(job->calls->tracker, job->key, preview);
    }
    tell_ready(job, &q, preview, textless);
}

/* The call that a subagent or the main conversation is about to make, with its whole input. */
static struct tool_call *open_call(struct tool_calls *tc, str id, str tool, str agent, json input)
{
    struct tool_call *call = tool_calls_open(tc, id, tool, call_place_of_agent(tc, agent));
    if (call && !call->input) {
        call->input = json_detach(input);
    }
    return call;
}

static void read_edit(struct tool_job *job)
{
    tool_job_read_use(job, reporter_for(*job->host->reporters, job->call.name));
    if (job->use.edits && !job->use.edits->next && client_wants_patches(job->cx.client)) {
        job->source_path = tool_job_resolve(job, job->use.edits->path);
    }
}

void tool_calls_ask(struct tool_calls *tc, json request, str options, tool_calls_ready_cb *ready, void *user)
{
    struct permission_question q;
    struct tool_call *call = NULL;
    if (permission_question_read(&q, request)) {
        call = open_call(tc, q.tool_use_id, q.tool_name, q.agent_id, q.input);
    }
    if (!call) {
        ready(user, NULL);
        return;
    }
    call->dispatched = call->asked = true;
    /* A question about another tool is no word on what this one was given. */
    bool rewritten = str_is(q.tool_name, call->name) && tool_call_take_input(tc, call, q.input);
    if (rewritten && reporter_shows_plan(call->reporter)) {
        tool_calls_plan_use(tc, call, q.input);
    }
    struct tool_job job;
    tool_job_begin(&job, tc, call, q.input);
    job.rewritten = rewritten;
    job.message = request;
    job.options = arena_str(&job.mem, options);
    job.ready = ready;
    job.user = user;
    job.finish = finish_question;
    /* The question says what is asked about, whatever the call was when it was streamed. */
    job.call.name = job.rcall.tool = arena_str(&job.mem, q.tool_name);
    read_edit(&job);
    tool_job_note_use(&job, call);
    tool_job_want_use_files(&job);
    tool_job_run(&job);
}

/* ---- Before an edit ---- */

static void show_preview(struct tool_job *job, struct tool_call *call)
{
    bool textless;
    str preview = make_preview(job, &textless);
    if (!preview.p) {
        return;
    }
    if (!call->announced) {
        announce(job, call, json_text(json_get(job->message, "agent_id")), preview);
    } else {
        struct tool_report r = {.id = job->call.id};
        r.field[REPORT_CONTENT] = preview;
        tool_job_send(job, &r);
    }
    field_tracker_pin(job->calls->tracker, job->key, preview);
}

static void finish_preview(struct tool_job *job)
{
    struct tool_call *call = tool_calls_of_key(job->calls, job->key);
    if (call) {
        note_source(job, call);
        if (is_v2(job->cx.client)) {
            show_preview(job, call);
        }
    }
    job->shown_cb(job->user);
}

void tool_calls_preview(struct tool_calls *tc, json request, tool_calls_shown_cb *done, void *user)
{
    json hook = json_get(request, "input"), input = json_get(hook, "tool_input");
    str id = json_text(json_get(request, "tool_use_id")), tool = json_str(json_get(hook, "tool_name"));
    struct tool_call *call =
        id.p && tool.p ? open_call(tc, id, tool, json_text(json_get(hook, "agent_id")), input) : NULL;
    if (!call) {
        done(user);
        return;
    }
    struct tool_job job;
    tool_job_begin(&job, tc, call, input);
    job.message = hook;
    job.shown_cb = done;
    job.user = user;
    job.finish = finish_preview;
    read_edit(&job);
    tool_job_run(&job);
}
