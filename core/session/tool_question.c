/* Permission questions about tool calls: the call is announced, then the request is made. */
#include <stdlib.h>

#include "permission/presentation.h"
#include "report/items.h"
#include "session/children.h"
#include "session/tool_job.h"

/* The tool call of the request. */
static void fill_call(struct tool_job *job, struct tool_report *r, const struct permission_question *q,
                      str preview, bool notice, str heading)
{
    struct arena *a = &job->mem;
    bool air = job->cx.client->air;
    str blocked = permission_blocked_path(a, q);
    str locations = render_locations(&job->cx, &job->use, blocked);
    *r = (struct tool_report){.id = job->call.id};
    r->field[REPORT_RAW_INPUT] = render_raw_input(&job->cx, job->call.input, &job->use, notice);
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
    r->field[REPORT_KIND] = json_string(a, str_of(tool_kind_name(kind < 0 ? KIND_OTHER : (enum tool_kind)kind)));
    r->field[REPORT_CONTENT] = content;
    r->field[REPORT_LOCATIONS] = locations;
}

static void tell_ready(struct tool_job *job, const struct permission_question *q, str preview, bool notice)
{
    str heading = permission_heading(&job->mem, q, render_title(&job->cx, &job->call, &job->use));
    struct tool_report call;
    struct permission_request rq = {
        .session = children_session_of_agent(job->session, q->agent_id),
        .title = permission_title(&job->mem, q, heading),
        .description = permission_description(&job->mem, q),
        .call = &call,
        .options = job->options,
    };
    AUTO_BUF(meta);
    if (job->cx.client->air && permission_put_request_meta(&meta, q, heading)) {
        rq.meta = buf_str(&meta);
    }
    fill_call(job, &call, q, preview, notice, heading);
    job->ready(job->user, buf_ok(&meta) && arena_ok(&job->mem) ? &rq : NULL);
}

static void finish_question(struct tool_job *job)
{
    struct permission_question q;
    bool notice = false;
    str preview = STR_ABSENT;
    if (job->source_read) {
        preview = preview_content(&job->mem, job->cx.client, job->use.edits, job->source_path, &job->source,
                                  &notice);
    }
    struct tool_call *call = tool_calls_find(job->calls, job->call.id);
    if (!call || !permission_question_read(&q, job->message)) {
        job->ready(job->user, NULL);
        return;
    }
    if (!call->announced && arena_ok(&job->mem)) {
        struct tool_report r;
        render_use(&job->cx, &job->call, &job->use,
                   (struct render_use_options){.first = true, .preview = preview}, &r);
        if (arena_ok(&job->mem)) {
            call->announced = true;
            free(call->shown);
            call->shown = str_dup(children_session_of_agent(job->session, q.agent_id));
            tool_job_send(job, &r);
        }
    }
    if (preview.p) {
        field_tracker_pin(job->calls->tracker, job->call.id, preview);
    }
    tell_ready(job, &q, preview, notice);
}

void tool_calls_ask(struct tool_calls *tc, json request, str options, tool_calls_ready_cb *ready, void *user)
{
    struct permission_question q;
    struct tool_call *call = NULL;
    if (permission_question_read(&q, request)) {
        struct live_task *asks = live_tasks_find(&tc->session->live, q.agent_id);
        call = tool_calls_open(tc, q.tool_use_id, q.tool_name, asks ? str_of(asks->call) : STR_ABSENT);
    }
    if (!call) {
        ready(user, NULL);
        return;
    }
    call->dispatched = true;
    if (!call->input) {
        call->input = json_detach(q.input);
    }
    struct tool_job job;
    tool_job_begin(&job, tc, call, q.input);
    job.message = request;
    job.options = arena_str(&job.mem, options);
    job.ready = ready;
    job.user = user;
    job.finish = finish_question;
    /* The question says what is asked about, whatever the call was when it was streamed. */
    job.call.name = job.rcall.tool = arena_str(&job.mem, q.tool_name);
    tool_job_read_use(&job, reporter_for(tc->session->agent->reporters, q.tool_name));
    call->command = job.use.command;
    if (job.use.edits && !job.use.edits->next && client_wants_patches(job.cx.client)) {
        job.source_path = tool_job_resolve(&job, job.use.edits->path);
    }
    tool_job_want_use_files(&job);
    tool_job_run(&job);
}
