#include "session/tool_calls.h"

#include <stdlib.h>

#include "base/clock.h"
#include "session/children.h"
#include "session/input_scanner.h"
#include "session/tool_job.h"

enum {
    HOOK_GRACE_MS = 30000,
    CALLS_MAX = 8192,    /* known at a time; one more is not shown */
    CALL_DEPTH_MAX = 64, /* calls around a call that are followed */
};

/* Reads the input of one open block. */
struct scanner {
    struct input_scanner input;
    char *id, *name;
};

bool tool_block_is_use(str type)
{
    return str_is(type, "tool_use") || str_is(type, "server_tool_use") || str_is(type, "mcp_tool_use");
}

bool tool_block_is_result(str type)
{
    static const char *const types[] = {
        "tool_result",
        "mcp_tool_result",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "tool_search_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
    };
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (str_is(type, types[i])) {
            return true;
        }
    }
    return false;
}

/* ---- The table of calls ---- */

static void free_call(void *p)
{
    struct tool_call *call = p;
    free(call->id);
    free(call->name);
    free(call->parent);
    free(call->shown);
    json_unref(call->input);
    free(call);
}

static void free_scanner(void *p)
{
    struct scanner *sc = p;
    input_scanner_free(&sc->input);
    free(sc->id);
    free(sc->name);
    free(sc);
}

bool tool_calls_init(struct tool_calls *tc, struct session *s)
{
    *tc = (struct tool_calls){.session = s, .tracker = field_tracker_new()};
    return tc->tracker != NULL;
}

void tool_calls_free(struct tool_calls *tc)
{
    map_free(&tc->by_id, free_call);
    map_free(&tc->scanners, free_scanner);
    field_tracker_free(tc->tracker);
    buf_free(&tc->scratch);
}

struct tool_call *tool_calls_find(struct tool_calls *tc, str id)
{
    return map_get(&tc->by_id, id);
}

static void forget(struct tool_calls *tc, struct tool_call *call)
{
    field_tracker_end(tc->tracker, str_of(call->id));
    map_remove(&tc->by_id, str_of(call->id));
    free_call(call);
}

/* Calls whose hook did not come in time. */
static void forget_late(struct tool_calls *tc)
{
    int64_t now = clock_monotonic_ms();
    size_t at = 0;
    void *p;
    while (map_next(&tc->by_id, &at, NULL, &p)) {
        struct tool_call *call = p;
        if (call->ended && call->forget_at <= now) {
            forget(tc, call);
        }
    }
}

/* What a later message says of the call around it is as good as what the first one said. */
static void set_parent(struct tool_call *call, str parent)
{
    if (parent.n && !call->parent) {
        call->parent = str_dup(parent);
    }
}

static struct tool_call *new_call(struct tool_calls *tc, str id, str name, str parent)
{
    struct tool_call *call = calloc(1, sizeof(*call));
    if (!call) {
        return NULL;
    }
    call->id = str_dup(id);
    call->name = str_dup(name.p ? name : STR(""));
    call->parent = str_dup(parent);
    call->reporter = reporter_for(tc->session->agent->reporters, name);
    call->hook = !tc->replay && !reporter_shows_plan(call->reporter);
    if (!call->id || !call->name || (parent.p && !call->parent) || !map_put(&tc->by_id, id, call, NULL)) {
        free_call(call);
        return NULL;
    }
    return call;
}

struct tool_call *tool_calls_open(struct tool_calls *tc, str id, str name, str parent)
{
    if (!id.n || str_find_byte(id, '\0', 0) != SIZE_MAX) {
        return NULL;
    }
    struct tool_call *call = tool_calls_find(tc, id);
    if (call && call->ended) { /* the id is used again */
        forget(tc, call);
        call = NULL;
    }
    if (call) {
        set_parent(call, parent);
        return call;
    }
    forget_late(tc);
    if (tc->by_id.used >= CALLS_MAX) {
        log_write(tc->session->agent->log, LOG_WARN, "too many open tool calls: one is not shown");
        return NULL;
    }
    return new_call(tc, id, name, parent);
}

/* ---- Uses ---- */

static void finish_use(struct tool_job *job)
{
    struct tool_report r;
    render_use(&job->cx, &job->call, &job->use, job->shown, &r);
    tool_job_send(job, &r);
}

static void report_use(struct tool_calls *tc, struct tool_call *call, json input, bool start, bool partial)
{
    struct tool_job job;
    tool_job_begin(&job, tc, call, input);
    job.rcall.input_state = start ? INPUT_START : partial ? INPUT_PARTIAL : INPUT_COMPLETE;
    job.shown = (struct render_use_options){.first = !call->announced || tc->replay,
                                            .start = start,
                                            .partial = partial};
    job.finish = finish_use;
    call->announced = true;
    tool_job_read_use(&job, call->reporter);
    call->command = job.use.command;
    tool_job_want_use_files(&job);
    tool_job_run(&job);
}

/* A TodoWrite-like tool: its input is the plan. */
static void report_plan_use(struct tool_calls *tc, struct tool_call *call, json input)
{
    struct tool_job job;
    tool_job_begin(&job, tc, call, input);
    tool_job_read_use(&job, call->reporter);
    if (job.use.plan && arena_ok(&job.mem) && !tc->place.p) { /* a stored child's plan is over */
        session_publish_plan_entries(tc->session, str_of(call->parent), job.use.plan_entries);
    }
    tool_job_end(&job);
}

static str scanner_key(struct tool_calls *tc, str parent, int64_t index)
{
    buf_clear(&tc->scratch);
    buf_put_str(&tc->scratch, parent);
    buf_printf(&tc->scratch, "\n%lld", (long long)index);
    return buf_str(&tc->scratch);
}

static void drop_scanner(struct tool_calls *tc, str key)
{
    struct scanner *sc = map_remove(&tc->scanners, key);
    if (sc) {
        free_scanner(sc);
    }
}

void tool_calls_block_start(struct tool_calls *tc, str parent, int64_t index, json block)
{
    str id = json_text(json_get(block, "id")), name = json_str(json_get(block, "name"));
    if (!id.p) {
        return;
    }
    str key = scanner_key(tc, parent, index);
    drop_scanner(tc, key);
    struct scanner *sc = calloc(1, sizeof(*sc));
    if (sc) {
        sc->id = str_dup(id);
        sc->name = str_dup(name.p ? name : STR(""));
        if (!sc->id || !sc->name || !map_put(&tc->scanners, key, sc, NULL)) {
            free_scanner(sc);
        }
    }
    struct tool_call *call = tool_calls_open(tc, id, name, parent);
    if (!call || call->announced) {
        return;
    }
    json input = json_get(block, "input");
    if (reporter_shows_plan(call->reporter)) {
        if (json_count(input)) {
            report_plan_use(tc, call, input);
        }
        return;
    }
    report_use(tc, call, input, json_count(input) == 0, false);
}

void tool_calls_input_delta(struct tool_calls *tc, str parent, int64_t index, str fragment)
{
    struct scanner *sc = map_get(&tc->scanners, scanner_key(tc, parent, index));
    if (!sc) {
        return;
    }
    AUTO_BUF(so_far);
    enum input_scan scan = input_scanner_feed(&sc->input, fragment, &so_far);
    struct tool_call *call = scan == SCAN_PARTIAL ? tool_calls_find(tc, str_of(sc->id)) : NULL;
    if (!call || call->ended || call->dispatched || reporter_shows_plan(call->reporter)) {
        return;
    }
    AUTO_JSON(doc) = json_parse(buf_str(&so_far), NULL);
    if (json_is(json_root(doc), JSON_OBJECT)) {
        report_use(tc, call, json_root(doc), false, true);
    }
}

void tool_calls_block_stop(struct tool_calls *tc, str parent, int64_t index)
{
    drop_scanner(tc, scanner_key(tc, parent, index));
}

void tool_calls_message_edge(struct tool_calls *tc, str parent)
{
    buf_clear(&tc->scratch);
    buf_put_str(&tc->scratch, parent);
    buf_put_byte(&tc->scratch, '\n');
    str prefix = buf_str(&tc->scratch), key;
    size_t at = 0;
    while (tc->scanners.used && map_next(&tc->scanners, &at, &key, NULL)) {
        if (str_starts(key, prefix)) {
            drop_scanner(tc, key);
        }
    }
}

void tool_calls_use(struct tool_calls *tc, str parent, json block)
{
    str id = json_text(json_get(block, "id"));
    struct tool_call *call = id.p ? tool_calls_open(tc, id, json_str(json_get(block, "name")), parent) : NULL;
    if (!call) {
        return;
    }
    json input = json_get(block, "input");
    json_unref(call->input);
    call->input = json_detach(input);
    call->dispatched = true;
    if (!tc->replay && str_is(str_of(call->name), "SendMessage")) {
        children_message(tc->session, id, input);
    }
    if (reporter_shows_plan(call->reporter)) {
        report_plan_use(tc, call, input);
        return;
    }
    report_use(tc, call, input, false, false);
}

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
    /* The end of an approved plan names its file also when the client holds it. */
    r[n - 1].untracked = !job->result.is_error && r[n - 1].field[REPORT_RAW_INPUT].p;
    for (size_t i = 0; i < n; i++) {
        tool_job_send(job, &r[i]);
    }
    if (str_is(job->call.name, "ExitPlanMode") && !job->call.parent.p && !job->result.is_error) {
        session_plan_approved(job->session, job->call.input, job->rcall.structured);
    }
    /* A call whose hook may still come is known until then, and so is what the client knows of it. */
    struct tool_call *call = tool_calls_find(job->calls, job->call.id);
    if (call && call->ended && !call->hook) {
        forget(job->calls, call);
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
    if (changes && arena_ok(&job->mem) && !job->calls->place.p) {
        session_change_tasks(job->session, job->call.parent, job->facts.task_changes);
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
        .stopped = !job->calls->replay && job->session->turns.cancelled,
        .accepted_plan = call->cleared_plan,
    };
    tool_job_read_use(job, call->reporter);
    facts_begin(&job->facts, &job->mem, PHASE_RESULT);
    reporter_result(job->session->agent->reporters, call->reporter, &job->rcall, &job->facts);
}

/* What goes on in the background after its result. A terminal that is still written to ends with its task. */
static void note_background(struct tool_job *job, const struct tool_call *call, json block, json message)
{
    struct session *s = job->session;
    if (job->calls->replay) {
        return;
    }
    job->result.background = extensions_result_of_call(s, call, block, message);
    struct live_task *task = live_tasks_find(&s->live, job->facts.background_task);
    if (task && !s->agent->client.air && client_has_terminal(&s->agent->client)) {
        job->result.background_live = true;
        task->owes_exit = true;
        free(task->call_parent);
        task->call_parent = str_dup(str_of(call->parent));
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
        forget(tc, call);
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
    struct tool_call *call = id.p ? tool_calls_find(tc, id) : NULL;
    if (!tc->replay) {
        session_plan_exit_result(tc->session, id, message);
    }
    if (call && !call->ended) {
        set_parent(call, parent);
        report_result(tc, call, block, message);
    } else {
        log_write(tc->session->agent->log, LOG_DEBUG, "a result of an unknown tool call came");
    }
}

/* ---- Hooks, denials, progress ---- */

static void finish_hook(struct tool_job *job)
{
    str content = STR_ABSENT, locations = STR_ABSENT;
    if (job->facts.change.stated) {
        final_change(&job->mem, job->cx.client, &job->facts.change,
                     tool_job_resolve(job, job->facts.change.path), job->source_read ? &job->source : NULL,
                     &content, &locations);
    }
    struct tool_report r;
    if (render_finished(&job->cx, &job->call, &job->facts, job->response, content, locations, &r)) {
        tool_job_send(job, &r);
    }
    struct tool_call *call = tool_calls_find(job->calls, job->call.id);
    if (call && call->ended) {
        forget(job->calls, call);
    }
}

void tool_calls_hook(struct tool_calls *tc, json input, str tool_use_id)
{
    struct tool_call *call = tool_calls_find(tc, tool_use_id);
    if (!call || !call->hook || (call->ended && call->forget_at <= clock_monotonic_ms())) {
        return;
    }
    call->hook = false; /* there is one */
    struct tool_job job;
    tool_job_begin(&job, tc, call, json_get(input, "tool_input"));
    job.message = input;
    job.response = job.rcall.response = json_get(input, "tool_response");
    facts_begin(&job.facts, &job.mem, PHASE_FINISHED);
    reporter_finished(tc->session->agent->reporters, call->reporter, &job.rcall, &job.facts);
    if (job.facts.change.stated && final_change_needs_source(job.cx.client, &job.facts.change)) {
        job.source_path = tool_job_resolve(&job, job.facts.change.path);
    }
    job.finish = finish_hook;
    tool_job_run(&job);
}

void tool_calls_denied(struct tool_calls *tc, json message)
{
    struct tool_call *call = tool_calls_find(tc, json_str(json_get(message, "tool_use_id")));
    str agent = json_text(json_get(message, "agent_id"));
    bool over = agent.p && !live_tasks_find(&tc->session->live, agent);
    bool stray = over && children_shown(tc->session) && !subagents_take_late(&tc->session->subagents);
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
    const struct live_task *task = id.n ? live_tasks_of_call(&tc->session->live, id) : NULL;
    return task && task->subagent;
}

void tool_calls_progress(struct tool_calls *tc, json beat)
{
    str parent = json_str(json_get(beat, "parent_tool_use_id"));
    struct tool_call *call = tool_calls_find(tc, json_str(json_get(beat, "tool_use_id")));
    bool fallback = !call || !call->announced;
    if (fallback) {
        call = parent.p ? tool_calls_find(tc, parent) : NULL;
    }
    if (!call || !call->announced) {
        return;
    }
    struct tool_job job;
    struct tool_report r;
    bool inside = !str_is(parent, call->id) && is_subagent_call(tc, parent);
    tool_job_begin(&job, tc, call, json_root(call->input));
    job.cx.arena = &job.mem;
    render_progress(&job.cx, &job.call, beat, fallback, inside ? parent : STR_ABSENT, &r);
    tool_job_send(&job, &r);
    tool_job_end(&job);
}

/* ---- The end of a turn ---- */

void tool_calls_terminal_ended(struct tool_calls *tc, str id, str parent)
{
    AUTO_ARENA(mem);
    str terminal = arena_str(&mem, id);
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "terminal_id", terminal);
    json_member_null(&b, "exit_code");
    json_member_null(&b, "signal");
    json_close_object(&b);
    struct tool_report r = {.id = terminal, .untracked = true};
    AUTO_BUF(around);
    if (parent.p) {
        json_put_str(&around, parent);
        tool_report_add_meta(&r, META_CLAUDE_CODE, STR("parentToolUseId"), buf_str(&around));
    }
    tool_report_add_meta(&r, META_TOP, STR("terminal_exit"), buf_str(&b));
    if (buf_ok(&b) && buf_ok(&around) && arena_ok(&mem)) {
        tool_calls_send(tc, &r);
    }
}

/* The call belongs to work that goes on in the background: a task was begun by it, or by a call around it. */
static bool lives_on(const struct tool_calls *tc, const struct tool_call *call)
{
    const struct live_tasks *live = &tc->session->live;
    for (unsigned depth = 0; call && depth < CALL_DEPTH_MAX; depth++) {
        const struct live_task *own = live_tasks_of_call(live, str_of(call->id));
        const struct live_task *around = call->parent ? live_tasks_of_call(live, str_of(call->parent)) : NULL;
        if ((own && own->backgrounded) || (around && around->backgrounded)) {
            return true;
        }
        call = call->parent ? map_get(&tc->by_id, str_of(call->parent)) : NULL;
    }
    return false;
}

static void report_closed(struct tool_calls *tc, const struct tool_call *call, bool cancelled)
{
    struct tool_job job;
    struct tool_report r;
    tool_job_begin(&job, tc, call, json_root(call->input));
    job.cx.arena = &job.mem;
    field_tracker_end(tc->tracker, job.call.id); /* what it says is said, whatever was said before */
    render_closed(&job.cx, &job.call,
                  !call->dispatched ? CLOSE_NOT_RUN
                  : cancelled       ? CLOSE_CANCELLED
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
    forget(tc, call);
}

void tool_calls_cancelling(struct tool_calls *tc)
{
    size_t at = 0;
    void *p;
    while (map_next(&tc->by_id, &at, NULL, &p)) {
        struct tool_call *call = p;
        call->hook = false;
        free(call->shown);
        call->shown = NULL;
        if (!client_keeps_cancelled_calls(&tc->session->agent->client)) {
            field_tracker_end(tc->tracker, str_of(call->id));
        }
        if (call->ended) {
            forget(tc, call);
        }
    }
}

void tool_calls_close(struct tool_calls *tc, bool cancelled, bool died, bool *lost)
{
    size_t at = 0;
    void *p;
    while (map_next(&tc->by_id, &at, NULL, &p)) {
        struct tool_call *call = p;
        if (call->ended || lives_on(tc, call)) {
            continue;
        }
        *lost = *lost || (call->announced && call->dispatched && !call->parent && !cancelled && !died);
        tool_calls_close_one(tc, call, cancelled);
    }
    at = 0;
    str key;
    while (map_next(&tc->scanners, &at, &key, &p)) {
        struct scanner *sc = p;
        if (!tool_calls_find(tc, str_of(sc->id))) {
            drop_scanner(tc, key);
        }
    }
}
