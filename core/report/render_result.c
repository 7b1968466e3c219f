/* Reports of results, finished tools and calls that end otherwise. */
#include "base/js_space.h"
#include "report/blocks.h"
#include "report/render_internal.h"

/* ---- Results ----------------------------------------------------------------------------------------- */

static str status_json(const struct render_context *cx, const struct render_result_input *in,
                       bool interrupted)
{
    bool aborted =
        interrupted || (in->is_error && (in->stopped || str_is(in->non_execution_kind, "interrupted") ||
                                         str_is(in->non_execution_kind, "cancelled")));
    if (is_v2(cx->client) && aborted) {
        return STR("\"cancelled\"");
    }
    return in->is_error ? STR("\"failed\"") : STR("\"completed\"");
}

static void add_result_meta(const struct render_context *cx, const struct render_call *call,
                            const struct render_result_input *in, struct tool_report *out)
{
    render_tool_name(cx, call->name, out);
    if (in->non_execution_kind.p) {
        tool_report_add_meta(out, META_CLAUDE_CODE, STR("nonExecutionKind"),
                             json_string(cx->arena, in->non_execution_kind));
        tool_report_add_meta(out, META_CLAUDE_CODE, STR("userFeedback"),
                             json_string(cx->arena, in->user_feedback));
    }
}

static void add_background(const struct render_context *cx, const struct render_result_input *in,
                           struct tool_report *out)
{
    if (in->background && cx->client->air_async_tasks) {
        tool_report_add_meta(out, META_AIR, STR("asyncTasks"), STR("{\"backgrounded\":true}"));
    }
}

/* How the output of a command travels. */
static bool has_output_terminal(const struct render_context *cx, const struct render_call *call,
                                const struct facts *f)
{
    return f->output_stated && call->id.n && client_has_terminal(cx->client);
}

/* The code is the command's own. Where that is not known, AIR is told whether it failed, others nothing. */
static str exit_json(const struct render_context *cx, const struct render_call *call, const struct facts *f,
                     bool is_error)
{
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "terminal_id", call->id);
    json_key(&b, "exit_code");
    if (f->exit_known) {
        json_put_int(&b, f->exit_code);
    } else if (cx->client->air) {
        json_put_int(&b, is_error || f->interrupted);
    } else {
        json_put_null(&b);
    }
    json_member_null(&b, "signal");
    json_close_object(&b);
    return arena_buf(cx->arena, &b);
}

static void put_console(struct buf *b, str output)
{
    str trimmed = space_trim(output);
    AUTO_BUF(text);
    buf_put_c(&text, "```console\n");
    buf_put(&text, output.p, (size_t)(trimmed.p - output.p) + trimmed.n); /* the beginning stays as it is */
    buf_put_c(&text, "\n```");
    put_built_text(b, &text);
}

static bool is_shown_error(const struct render_result_input *in)
{
    return in->is_error &&
           (json_text(in->result).n > 0 || (json_is(in->result, JSON_ARRAY) && json_count(in->result) > 0));
}

/* The content of a command's result without a terminal: what the reporter stated, else the failure as any
 * other tool shows it, or the output. */
static str output_content(const struct render_context *cx, const struct facts *f,
                          const struct render_result_input *in)
{
    const struct fact_contents *stated = &f->content[form_for(cx)];
    struct fact_contents failure = {0};
    if (is_shown_error(in) && !stated->stated) {
        facts_add_result(cx->arena, &failure, in->result, true);
        stated = &failure;
    }
    bool console = !is_shown_error(in) && space_trim(f->output).n > 0;
    if (!console && !stated->first) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    json_open_array(&b);
    if (console) {
        put_console(&b, f->output);
    }
    put_contents(&b, stated);
    json_close_array(&b);
    return arena_buf(cx->arena, &b);
}

/* With a terminal the content of a failure is the output once more, so only that of a success is shown beside
 * it. Clients other than AIR get the terminal again, since a denial may have taken its place. */
static str beside_terminal(const struct render_context *cx, const struct render_call *call,
                           const struct facts *f, const struct render_result_input *in)
{
    const struct fact_contents *stated = &f->content[form_for(cx)];
    bool shown = !in->is_error && stated->first;
    if (cx->client->air && !shown) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    json_open_array(&b);
    put_terminal(&b, call->id);
    if (shown) {
        put_contents(&b, stated);
    }
    json_close_array(&b);
    return arena_buf(cx->arena, &b);
}

static str result_content(const struct render_context *cx, const struct render_call *call,
                          const struct facts *f, const struct render_result_input *in)
{
    const struct fact_contents *stated = &f->content[form_for(cx)];
    if (has_output_terminal(cx, call, f)) {
        return beside_terminal(cx, call, f, in);
    }
    if (f->output_stated) {
        return output_content(cx, f, in);
    }
    return f->general && !stated->first ? STR_ABSENT : render_contents(cx, stated);
}

/* The raw output: never beside a terminal's output; for AIR only when nothing else carries the result. */
static str raw_output(const struct render_context *cx, const struct render_call *call, const struct facts *f,
                      const struct render_result_input *in, str content)
{
    enum fact_form form = form_for(cx);
    bool terminal = has_output_terminal(cx, call, f);
    if (f->raw_output_stated[form] && (cx->client->air || !terminal)) {
        return f->raw_output[form];
    }
    if (terminal || (cx->client->air && content.p)) {
        return STR_ABSENT;
    }
    return json_raw(in->result);
}

static void render_output(const struct render_context *cx, const struct render_call *call,
                          const struct facts *f, const struct render_result_input *in,
                          struct tool_report *out)
{
    render_begin(cx, call, false, out);
    if (!cx->client->air) {
        render_tool_name(cx, call->name, out);
    }
    str key = cx->client->terminal_output_delta ? STR("terminal_output_delta") : STR("terminal_output");
    str output = f->output.p ? f->output : STR("");
    tool_report_add_meta(out, META_TOP, key, render_terminal_info(cx, call->id, output));
    add_background(cx, in, out);
    out->untracked = true;
}

size_t render_result(const struct render_context *cx, const struct render_call *call, const struct facts *use,
                     const struct facts *f, const struct render_result_input *in, struct tool_report out[2])
{
    size_t n = 0;
    bool terminal = has_output_terminal(cx, call, f);
    if (terminal) {
        render_output(cx, call, f, in, &out[n++]);
    }
    struct tool_report *r = &out[n++];
    render_begin(cx, call, false, r);
    r->replaces_pinned = true;
    add_result_meta(cx, call, in, r);
    render_extras(cx, f, r);
    if (terminal && !in->background_live) {
        tool_report_add_meta(r, META_TOP, STR("terminal_exit"), exit_json(cx, call, f, in->is_error));
    }
    add_background(cx, in, r);
    str title = f->title[form_for(cx)];
    r->field[REPORT_TITLE] = title.n ? json_string(cx->arena, title) : STR_ABSENT;
    r->field[REPORT_LOCATIONS] = render_own_locations(cx, f);
    if (cx->client->air_plan_file && in->plan_file.n) {
        r->field[REPORT_RAW_INPUT] = render_plan_file_input(cx, call->input, use, in->plan_file);
    }
    if (in->accepted_plan) {
        r->field[REPORT_STATUS] = STR("\"completed\"");
        return n;
    }
    r->field[REPORT_STATUS] = status_json(cx, in, f->interrupted);
    r->field[REPORT_CONTENT] = result_content(cx, call, f, in);
    r->field[REPORT_RAW_OUTPUT] = raw_output(cx, call, f, in, r->field[REPORT_CONTENT]);
    return n;
}

void render_plan_call_result(const struct render_context *cx, const struct render_call *call,
                             const struct render_result_input *in, struct tool_report *out)
{
    render_begin(cx, call, false, out);
    add_result_meta(cx, call, in, out);
    out->field[REPORT_STATUS] = status_json(cx, in, false);
    out->field[REPORT_RAW_OUTPUT] = json_raw(in->result);
    out->untracked = true;
}

/* ---- Finished tools ---------------------------------------------------------------------------------- */

/* Of a response a client that keeps _meta gets only the marks of asynchronous work; the rest repeats the
 * content. */
static str response_marks(const struct render_context *cx, json response)
{
    json status = json_get(response, "status"), is_async = json_get(response, "isAsync");
    bool has_status = json_is(status, JSON_STRING), has_async = json_is_bool(is_async);
    if (!json_is(response, JSON_OBJECT) || (!has_status && !has_async)) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    json_member(&b, "status", has_status ? status : JSON_NONE);
    json_member(&b, "isAsync", has_async ? is_async : JSON_NONE);
    json_close_object(&b);
    return arena_buf(cx->arena, &b);
}

bool render_finished(const struct render_context *cx, const struct render_call *call, const struct facts *f,
                     json tool_response, str content, str locations, struct tool_report *out)
{
    bool keeps = client_keeps_meta(cx->client);
    str response = keeps ? response_marks(cx, tool_response) : json_raw(tool_response);
    content = content.p ? content : render_contents(cx, &f->content[form_for(cx)]);
    locations = locations.p ? locations : render_own_locations(cx, f);
    if (keeps && !response.p && !content.p && !locations.p) {
        return false;
    }
    render_begin(cx, call, false, out);
    tool_report_add_meta(out, META_CLAUDE_CODE, STR("toolResponse"), response);
    render_tool_name(cx, call->name, out);
    out->field[REPORT_CONTENT] = content;
    out->field[REPORT_LOCATIONS] = locations;
    out->replaces_pinned = true;
    return true;
}

/* ---- Other ends and beats ---------------------------------------------------------------------------- */

static str denial_response(const struct render_context *cx, json message)
{
    json reason = json_get(message, "decision_reason"), text = json_get(message, "message");
    AUTO_BUF(b);
    json_open_object(&b);
    json_member(&b, "decisionReasonType", json_get(message, "decision_reason_type"));
    if (!client_keeps_meta(cx->client)) {
        json_member(&b, "decisionReason", reason);
        json_member(&b, "message", text);
    } else if (json_str(reason).p && json_str(text).p && !str_eq(json_str(reason), json_str(text))) {
        json_member(&b, "message", text);
    }
    json_close_object(&b);
    return arena_buf(cx->arena, &b);
}

void render_denied(const struct render_context *cx, const struct render_call *call, json message,
                   struct tool_report *out)
{
    str reason = json_str(json_get(message, "decision_reason")),
        text = json_str(json_get(message, "message"));
    str name = json_str(json_get(message, "tool_name"));
    str shown = reason.p ? reason : text;
    AUTO_BUF(b);
    buf_put_c(&b, shown.p ? "Permission denied: " : "Permission denied");
    buf_put_str(&b, shown);
    render_begin(cx, call, false, out);
    render_tool_name(cx, name.p ? name : call->name, out);
    tool_report_add_meta(out, META_CLAUDE_CODE, STR("toolResponse"), denial_response(cx, message));
    out->field[REPORT_STATUS] = STR("\"failed\"");
    out->field[REPORT_CONTENT] = buf_ok(&b) ? text_content(cx->arena, buf_str(&b)) : STR_ABSENT;
    out->replaces_pinned = true;
}

static str progress_response(const struct render_context *cx, json beat)
{
    AUTO_BUF(b);
    json_open_object(&b);
    json_member(&b, "elapsedTimeSeconds", json_get(beat, "elapsed_time_seconds"));
    json_member(&b, "subagentType", json_get(beat, "subagent_type"));
    json_member(&b, "subagentRetry", json_get(beat, "subagent_retry"));
    json_close_object(&b);
    return arena_buf(cx->arena, &b);
}

void render_progress(const struct render_context *cx, const struct render_call *call, json beat,
                     bool fallback, str parent, struct tool_report *out)
{
    struct render_call target = *call;
    target.parent = parent;
    str name = fallback && cx->client->air ? call->name : json_str(json_get(beat, "tool_name"));
    render_begin(cx, &target, false, out);
    if (name.n) {
        render_tool_name(cx, name, out);
    }
    tool_report_add_meta(out, META_CLAUDE_CODE, STR("toolResponse"), progress_response(cx, beat));
    out->field[REPORT_STATUS] = STR("\"in_progress\"");
}

void render_closed(const struct render_context *cx, const struct render_call *call, enum render_close why,
                   struct tool_report *out)
{
    render_begin(cx, call, false, out);
    if (!cx->client->air) {
        render_tool_name(cx, call->name, out);
    }
    out->replaces_pinned = true;
    if (why == CLOSE_SUCCEEDED) {
        out->field[REPORT_STATUS] = STR("\"completed\"");
        return;
    }
    static const str texts[] = {
        [CLOSE_NOT_RUN] = STR_INIT("Claude stopped this tool call before it ran."),
        [CLOSE_CANCELLED] = STR_INIT("The turn was cancelled before this tool call returned a result."),
        [CLOSE_NO_RESULT] = STR_INIT("Claude ended the turn without returning a result for this tool."),
    };
    out->field[REPORT_STATUS] =
        is_v2(cx->client) && why != CLOSE_NO_RESULT ? STR("\"cancelled\"") : STR("\"failed\"");
    out->field[REPORT_CONTENT] = text_content(cx->arena, texts[why]);
}
