/* Permission questions about tool calls: the call is announced, then the request is written. */
#include <stdlib.h>

#include "permission/presentation.h"
#include "session/children.h"
#include "session/tool_job.h"

/* The toolCall member of the request. */
static void put_request_call(struct tool_job *job, struct buf *b, const struct permission_question *q,
                             str preview, bool notice)
{
    bool air = job->cx.client->air;
    str title = permission_heading(&job->mem, q, render_title(&job->cx, &job->call, &job->use));
    str blocked = permission_blocked_path(&job->mem, q);
    str locations = render_locations(&job->cx, &job->use, blocked);
    json_key(b, "toolCall");
    json_open_object(b);
    json_member_str(b, "toolCallId", job->call.id);
    if (!air) {
        json_member_str(b, "name", job->call.name);
        json_member_c(b, "status", "pending");
    }
    json_member_raw(b, "rawInput", render_raw_input(&job->cx, job->call.input, &job->use, notice));
    json_member_str(b, "title", title);
    if (air) {
        json_member_raw(b, "content", preview);
        if (blocked.p && !str_eq(locations, render_locations(&job->cx, &job->use, STR_ABSENT))) {
            json_member_raw(b, "locations", locations);
        }
    } else {
        enum fact_form form = client_takes_facts(job->cx.client) ? FORM_FACT : FORM_PLAIN;
        int kind = job->use.kind[form];
        json_member_c(b, "kind", tool_kind_name(kind < 0 ? KIND_OTHER : (enum tool_kind)kind));
        str content = preview.p ? preview : render_use_content(&job->cx, &job->call, &job->use);
        json_key(b, "content");
        if (!str_is(content, "[]") || !permission_put_input_content(b, q)) {
            json_put_raw(b, content);
        }
        json_member_raw(b, "locations", locations);
    }
    size_t before = b->n;
    json_key(b, "_meta");
    if (!permission_put_call_meta(b, q, air, job->call.parent)) {
        buf_truncate(b, before);
    }
    json_close_object(b);
}

static void put_request(struct tool_job *job, struct buf *b, const struct permission_question *q, str preview,
                        bool notice)
{
    json_open_object(b);
    json_member_str(b, "sessionId", children_session_of_agent(job->session, q->agent_id));
    put_request_call(job, b, q, preview, notice);
    json_member_raw(b, "options", job->options);
    if (job->cx.client->air) {
        size_t before = b->n;
        json_key(b, "_meta");
        str heading = permission_heading(&job->mem, q, render_title(&job->cx, &job->call, &job->use));
        if (!permission_put_request_meta(b, q, heading)) {
            buf_truncate(b, before);
        }
    }
    json_close_object(b);
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
        job->ready(job->user, STR_ABSENT);
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
    AUTO_BUF(b);
    put_request(job, &b, &q, preview, notice);
    job->ready(job->user, buf_ok(&b) && arena_ok(&job->mem) ? buf_str(&b) : STR_ABSENT);
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
        ready(user, STR_ABSENT);
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
