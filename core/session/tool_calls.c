#include "session/tool_calls.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/path.h"
#include "permission/presentation.h"
#include "report/patch.h"
#include "report/render.h"
#include "session/input_scanner.h"
#include "session/internal.h"

enum { HOOK_GRACE_MS = 30000 };

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

static struct tool_call *open_call(struct tool_calls *tc, str id, str name, str parent)
{
    struct tool_call *call = tool_calls_find(tc, id);
    if (call && call->ended) { /* the id is used again */
        forget(tc, call);
        call = NULL;
    }
    if (call) {
        return call;
    }
    forget_late(tc);
    call = calloc(1, sizeof(*call));
    if (!call) {
        return NULL;
    }
    call->id = str_dup(id);
    call->name = str_dup(name.p ? name : STR(""));
    call->parent = str_dup(parent);
    call->reporter = reporter_for(tc->session->agent->reporters, name);
    call->hook = !reporter_shows_plan(call->reporter);
    if (!call->id || !call->name || (parent.p && !call->parent) || !map_put(&tc->by_id, id, call, NULL)) {
        free_call(call);
        return NULL;
    }
    return call;
}

/* ---- One report in the making ---- */

enum { SKILL_PLACES = 7 };

/* What a report needs: the facts with their memory, the JSON that they point into, what the disk has to say,
 * and what to make of it all. Lives on the stack when the disk is not asked, else on the heap until the
 * worker thread is done. */
struct job {
    uv_work_t work;
    struct session *s;
    struct arena mem;
    struct json_doc *docs[3];
    struct facts use, facts;
    struct render_context cx;
    struct render_call call;
    struct reporter_call rcall;
    void (*finish)(struct job *);

    /* Questions to the disk and its answers; the worker thread touches only these. */
    str plan_candidate;
    str skill_places[SKILL_PLACES];
    str source_path;
    bool plan_found, source_read;
    int skill_found; /* an index, or -1 */
    struct file_source source;

    /* For finish(). */
    bool first, start, partial;
    struct render_result_input result;
    json response;
    json request;
    str options;
    tool_calls_ready_cb *ready;
    void *user;
};

static void job_begin(struct job *job, struct tool_calls *tc, const struct tool_call *call, json input)
{
    struct session *s = tc->session;
    *job = (struct job){.s = s, .skill_found = -1};
    job->call = (struct render_call){
        .id = arena_str(&job->mem, str_of(call->id)),
        .name = arena_str(&job->mem, str_of(call->name)),
        .parent = arena_str(&job->mem, str_of(call->parent)),
        .input = input,
    };
    job->cx = (struct render_context){
        .client = &s->agent->client,
        .cwd = str_of(s->cwd),
    };
    job->rcall = (struct reporter_call){
        .tool = job->call.name,
        .id = job->call.id,
        .cwd = job->cx.cwd,
        .home = str_of(s->agent->dirs->home),
        .process_cwd = str_of(s->agent->dirs->cwd),
        .input_state = INPUT_COMPLETE,
        .input = input,
    };
}

static void job_keep(struct job *job, json v)
{
    for (size_t i = 0; v.doc && i < ARRAY_LEN(job->docs); i++) {
        if (!job->docs[i]) {
            job->docs[i] = json_ref(json_doc_of(v));
            return;
        }
    }
}

static void job_end(struct job *job)
{
    file_source_free(&job->source);
    for (size_t i = 0; i < ARRAY_LEN(job->docs); i++) {
        json_unref(job->docs[i]);
    }
    arena_free(&job->mem);
}

static bool is_regular(str path)
{
    struct stat st;
    return path.p && stat(path.p, &st) == 0 && S_ISREG(st.st_mode);
}

/* On a worker thread. */
static void ask_disk(uv_work_t *work)
{
    struct job *job = CONTAINER_OF(work, struct job, work);
    job->plan_found = is_regular(job->plan_candidate);
    for (int i = 0; i < SKILL_PLACES && job->skill_found < 0; i++) {
        if (is_regular(job->skill_places[i])) {
            job->skill_found = i;
        }
    }
    if (job->source_path.p) {
        read_file_source(job->source_path.p, &job->source);
        job->source_read = true;
    }
}

static void job_finish(struct job *job)
{
    job->cx.arena = &job->mem;
    job->use.arena = job->facts.arena = &job->mem;
    if (job->plan_found) {
        job->cx.plan_file = job->plan_candidate;
    }
    if (job->skill_found >= 0) {
        job->cx.skill_path = job->skill_places[job->skill_found];
    }
    job->finish(job);
    if (!arena_ok(&job->mem)) {
        log_write(job->s->agent->log, LOG_ERROR, "out of memory: a report of a tool call was dropped");
    }
}

static void disk_answered(uv_work_t *work, int status)
{
    struct job *job = CONTAINER_OF(work, struct job, work);
    struct session *s = job->s;
    (void)status;
    if (session_live(s)) {
        job_finish(job);
    }
    job_end(job);
    free(job);
    session_release_frames(s);
    session_unref(s);
}

/* Finishes the job, after asking the disk when there is something to ask. */
static void job_run(struct job *job)
{
    bool ask = job->plan_candidate.p || job->source_path.p;
    for (size_t i = 0; i < SKILL_PLACES; i++) {
        ask = ask || job->skill_places[i].p;
    }
    struct job *kept = ask ? malloc(sizeof(*kept)) : NULL;
    if (!kept) {
        job_finish(job);
        job_end(job);
        return;
    }
    *kept = *job;
    job_keep(kept, kept->call.input);
    job_keep(kept, kept->rcall.result);
    job_keep(kept, kept->response);
    job_keep(kept, kept->request);
    session_ref(kept->s);
    session_hold_frames(kept->s);
    if (uv_queue_work(kept->s->agent->loop, &kept->work, ask_disk, disk_answered) != 0) {
        disk_answered(&kept->work, UV_ENOMEM);
    }
}

/* ---- What the disk is asked ---- */

static void want_plan_file(struct job *job, str path)
{
    if (job->cx.client->air_plan_file && path_is_absolute(path)) {
        job->plan_candidate = arena_str(&job->mem, path);
    }
}

static void want_use_files(struct job *job, const struct facts *f)
{
    if (f->plan_path_key.p) {
        want_plan_file(job, json_str(json_get_str(job->call.input, f->plan_path_key)));
    }
    str name = f->skill, cwd = job->cx.cwd, scope = STR_ABSENT;
    size_t colon = str_find_byte(name, ':', 0);
    if (colon != SIZE_MAX) {
        scope = str_first(name, colon);
        name = str_from(name, colon + 1);
    }
    if (!job->cx.client->air || !name.n || !cwd.n || str_has(name, STR("/")) || str_is(name, "..")) {
        return;
    }
    struct arena *a = &job->mem;
    str *at = job->skill_places;
    if (scope.n && !str_has(scope, STR("/")) && !str_is(scope, "..")) {
        *at++ = arena_printf(a, "%.*s/%.*s/.claude/skills/%.*s/SKILL.md", STR_ARG(cwd), STR_ARG(scope),
                             STR_ARG(name));
        *at++ = arena_printf(a, "%.*s/%.*s/.agents/skills/%.*s/SKILL.md", STR_ARG(cwd), STR_ARG(scope),
                             STR_ARG(name));
        *at++ = arena_printf(a, "%.*s/.claude/plugins/%.*s/skills/%.*s/SKILL.md", STR_ARG(cwd),
                             STR_ARG(scope), STR_ARG(name));
    }
    str roots[2] = {cwd, job->rcall.home};
    for (size_t i = 0; i < 2; i++) {
        if (roots[i].n) {
            *at++ = arena_printf(a, "%.*s/.claude/skills/%.*s/SKILL.md", STR_ARG(roots[i]), STR_ARG(name));
            *at++ = arena_printf(a, "%.*s/.agents/skills/%.*s/SKILL.md", STR_ARG(roots[i]), STR_ARG(name));
        }
    }
}

/* An absolute path stays as it is written. */
static str resolved(struct job *job, str path)
{
    return path_is_absolute(path) ? arena_str(&job->mem, path) : path_resolve(&job->mem, job->cx.cwd, path);
}

/* ---- Sending ---- */

static void send_report(struct session *s, struct tool_report *r)
{
    if (r->untracked || field_tracker_pass(s->calls.tracker, r)) {
        s->agent->surface->tool(s->agent->surface_self, str_of(s->id), r);
    }
}

/* A report whose memory ran out is dropped rather than sent in part. */
static void send_job(struct job *job, struct tool_report *r)
{
    if (arena_ok(&job->mem)) {
        send_report(job->s, r);
    }
}

/* ---- Uses ---- */

static void finish_use(struct job *job)
{
    struct tool_report r;
    render_use(&job->cx, &job->call, &job->use,
               (struct render_use_options){.first = job->first, .start = job->start, .partial = job->partial},
               &r);
    send_job(job, &r);
}

static void report_use(struct tool_calls *tc, struct tool_call *call, json input, bool start, bool partial)
{
    struct job job;
    job_begin(&job, tc, call, input);
    job.rcall.input_state = start ? INPUT_START : partial ? INPUT_PARTIAL : INPUT_COMPLETE;
    job.first = !call->announced;
    job.start = start;
    job.partial = partial;
    job.finish = finish_use;
    call->announced = true;
    facts_begin(&job.use, &job.mem, PHASE_USE);
    reporter_use(tc->session->agent->reporters, call->reporter, &job.rcall, &job.use);
    want_use_files(&job, &job.use);
    job_run(&job);
}

/* A TodoWrite-like tool: its input is the plan. */
static void report_plan_use(struct tool_calls *tc, struct tool_call *call, json input)
{
    AUTO_ARENA(mem);
    struct job job;
    job_begin(&job, tc, call, input);
    facts_begin(&job.use, &job.mem, PHASE_USE);
    reporter_use(tc->session->agent->reporters, call->reporter, &job.rcall, &job.use);
    if (job.use.plan) {
        session_publish_plan_entries(tc->session, job.use.plan_entries);
    }
    job_end(&job);
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
    struct tool_call *call = open_call(tc, id, name, parent);
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
    if (!call || call->ended || reporter_shows_plan(call->reporter)) {
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
    struct tool_call *call = id.p ? open_call(tc, id, json_str(json_get(block, "name")), parent) : NULL;
    if (!call) {
        return;
    }
    json input = json_get(block, "input");
    json_unref(call->input);
    call->input = json_detach(input);
    call->dispatched = true;
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
    for (struct json_iter it = json_each(json_path(message, "message", "content", NULL)); json_next(&it);) {
        results += str_is(json_str(json_get(it.value, "type")), "tool_result");
    }
    return results == 1 ? json_get(message, "tool_use_result") : JSON_NONE;
}

static void finish_result(struct job *job)
{
    if (job->plan_found && !job->cx.plan_file.p) {
        job->cx.plan_file = job->plan_candidate;
    }
    job->result.plan_file = job->cx.plan_file;
    struct tool_report r[2];
    size_t n = render_result(&job->cx, &job->call, &job->use, &job->facts, &job->result, r);
    for (size_t i = 0; i < n; i++) {
        send_job(job, &r[i]);
    }
    /* The tracker's entry lives on for the hook; without one it ends here. */
    struct tool_call *call = tool_calls_find(&job->s->calls, job->call.id);
    if (!call || !call->hook) {
        field_tracker_end(job->s->calls.tracker, job->call.id);
    }
}

static void finish_plan_result(struct tool_calls *tc, struct job *job, bool was_announced)
{
    if (was_announced) {
        struct tool_report r;
        job->cx.arena = &job->mem;
        render_plan_call_result(&job->cx, &job->call, &job->result, &r);
        r.untracked = true;
        send_job(job, &r);
    }
    if (job->facts.task_changes || job->facts.publish_tasks) {
        session_change_tasks(tc->session, job->facts.task_changes);
    }
}

static void report_result(struct tool_calls *tc, struct tool_call *call, json block, json message)
{
    struct session *s = tc->session;
    json meta = result_meta(message, str_of(call->id));
    struct job job;
    job_begin(&job, tc, call, json_root(call->input));
    job.rcall.result = json_get(block, "content");
    job.rcall.structured = structured_result(message);
    job.rcall.is_error = json_is_true(json_get(block, "is_error"));
    job.result = (struct render_result_input){
        .result = job.rcall.result,
        .is_error = job.rcall.is_error,
        .non_execution_kind = json_str(json_get(meta, "non_execution_kind")),
        .user_feedback = json_str(json_get(meta, "user_feedback")),
        .stopped = s->turns.cancelled,
        .accepted_plan = call->cleared_plan,
    };
    facts_begin(&job.use, &job.mem, PHASE_USE);
    reporter_use(s->agent->reporters, call->reporter, &job.rcall, &job.use);
    facts_begin(&job.facts, &job.mem, PHASE_RESULT);
    reporter_result(s->agent->reporters, call->reporter, &job.rcall, &job.facts);
    job.result.background =
        job.facts.background_task.p != NULL ||
        (json_is_true(json_get(json_root(call->input), "run_in_background")) && !job.rcall.is_error);
    bool announced = call->announced;
    call->announced = false;
    call->ended = true;
    call->forget_at = clock_monotonic_ms() + HOOK_GRACE_MS;
    if (reporter_shows_plan(call->reporter)) {
        finish_plan_result(tc, &job, announced);
        job_end(&job);
        forget(tc, call);
        return;
    }
    bool hook = call->hook && !job.rcall.is_error;
    call->hook = hook;
    want_use_files(&job, &job.use);
    if (!job.plan_candidate.p && job.facts.plan_file.p) {
        want_plan_file(&job, job.facts.plan_file);
    }
    job.finish = finish_result;
    job_run(&job);
}

void tool_calls_result(struct tool_calls *tc, str parent, json block, json message)
{
    str id = json_str(json_get(block, "tool_use_id"));
    struct tool_call *call = id.p ? tool_calls_find(tc, id) : NULL;
    (void)parent;
    if (call && !call->ended && call->input) {
        report_result(tc, call, block, message);
        return;
    }
    log_write(tc->session->agent->log, LOG_DEBUG, "a result of an unknown tool call came");
    if (call && call->announced) {
        AUTO_ARENA(mem);
        struct render_context cx = {.client = &tc->session->agent->client, .arena = &mem};
        struct render_result_input in = {
            .result = json_get(block, "content"),
            .is_error = json_is_true(json_get(block, "is_error")),
        };
        struct tool_report r;
        render_unknown_result(&cx, id, &in, &r);
        send_report(tc->session, &r);
        forget(tc, call);
    }
}

/* ---- Hooks, denials, progress ---- */

static void finish_hook(struct job *job)
{
    str content = STR_ABSENT, locations = STR_ABSENT;
    if (job->facts.change.stated) {
        final_change(&job->mem, job->cx.client, &job->facts.change, resolved(job, job->facts.change.path),
                     job->source_read ? &job->source : NULL, &content, &locations);
    } else {
        enum fact_form form = client_takes_facts(job->cx.client) ? FORM_FACT : FORM_PLAIN;
        content = render_contents(&job->cx, &job->facts.content[form]);
        if (job->facts.locations[form].stated) {
            locations = render_locations(&job->cx, &job->facts, STR_ABSENT);
        }
    }
    struct tool_report r;
    if (render_finished(&job->cx, &job->call, &job->facts, job->response, content, locations, &r)) {
        send_job(job, &r);
    }
    struct tool_call *call = tool_calls_find(&job->s->calls, job->call.id);
    if (call) {
        call->hook = false;
        if (call->ended) {
            forget(&job->s->calls, call);
        }
    }
}

void tool_calls_hook(struct tool_calls *tc, json input, str tool_use_id)
{
    struct tool_call *call = tool_calls_find(tc, tool_use_id);
    if (!call || !call->hook) {
        return;
    }
    struct job job;
    job_begin(&job, tc, call, json_get(input, "tool_input"));
    job.response = job.rcall.response = json_get(input, "tool_response");
    facts_begin(&job.facts, &job.mem, PHASE_FINISHED);
    reporter_finished(tc->session->agent->reporters, call->reporter, &job.rcall, &job.facts);
    if (job.facts.change.stated && final_change_needs_source(job.cx.client, &job.facts.change)) {
        job.source_path = resolved(&job, job.facts.change.path);
    }
    job.finish = finish_hook;
    job_run(&job);
}

void tool_calls_denied(struct tool_calls *tc, json message)
{
    struct tool_call *call = tool_calls_find(tc, json_str(json_get(message, "tool_use_id")));
    if (!call || !call->announced) {
        return;
    }
    struct job job;
    struct tool_report r;
    job_begin(&job, tc, call, json_root(call->input));
    job.cx.arena = &job.mem;
    render_denied(&job.cx, &job.call, message, &r);
    call->hook = false;
    send_job(&job, &r);
    job_end(&job);
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
    struct job job;
    struct tool_report r;
    job_begin(&job, tc, call, json_root(call->input));
    job.cx.arena = &job.mem;
    bool own_parent = parent.p && !str_is(parent, call->id);
    render_progress(&job.cx, &job.call, beat, fallback, own_parent ? parent : STR_ABSENT, &r);
    send_job(&job, &r);
    job_end(&job);
}

/* ---- Questions ---- */

/* The toolCall member of the request. */
static void put_request_call(struct job *job, struct buf *b, const struct permission_question *q, str preview,
                             bool notice)
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

static void finish_question(struct job *job)
{
    struct permission_question q;
    bool notice = false;
    str preview = STR_ABSENT;
    if (job->source_read) {
        preview = preview_content(&job->mem, job->cx.client, job->use.edits, job->source_path, &job->source,
                                  &notice);
    }
    struct tool_call *call = tool_calls_find(&job->s->calls, job->call.id);
    if (!call || !permission_question_read(&q, job->request)) {
        job->ready(job->user, STR_ABSENT);
        return;
    }
    if (!call->announced) {
        struct tool_report r;
        render_use(&job->cx, &job->call, &job->use,
                   (struct render_use_options){.first = true, .preview = preview}, &r);
        call->announced = true;
        send_job(job, &r);
    }
    if (preview.p) {
        field_tracker_pin(job->s->calls.tracker, job->call.id, preview);
    }
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_c(&b, "sessionId", job->s->id);
    put_request_call(job, &b, &q, preview, notice);
    json_member_raw(&b, "options", job->options);
    if (job->cx.client->air) {
        size_t before = b.n;
        json_key(&b, "_meta");
        str heading = permission_heading(&job->mem, &q, render_title(&job->cx, &job->call, &job->use));
        if (!permission_put_request_meta(&b, &q, heading)) {
            buf_truncate(&b, before);
        }
    }
    json_close_object(&b);
    job->ready(job->user, buf_ok(&b) && arena_ok(&job->mem) ? buf_str(&b) : STR_ABSENT);
}

void tool_calls_ask(struct tool_calls *tc, json request, str options, tool_calls_ready_cb *ready, void *user)
{
    struct permission_question q;
    struct tool_call *call =
        permission_question_read(&q, request) ? open_call(tc, q.tool_use_id, q.tool_name, STR_ABSENT) : NULL;
    if (!call) {
        ready(user, STR_ABSENT);
        return;
    }
    call->dispatched = true;
    if (!call->input) {
        call->input = json_detach(q.input);
    }
    struct job job;
    job_begin(&job, tc, call, q.input);
    job.request = request;
    job.options = arena_str(&job.mem, options);
    job.ready = ready;
    job.user = user;
    job.finish = finish_question;
    facts_begin(&job.use, &job.mem, PHASE_USE);
    reporter_use(tc->session->agent->reporters, call->reporter, &job.rcall, &job.use);
    if (job.use.edits && !job.use.edits->next && client_wants_patches(job.cx.client)) {
        job.source_path = resolved(&job, job.use.edits->path);
    }
    want_use_files(&job, &job.use);
    job_run(&job);
}

/* ---- The end of a turn ---- */

void tool_calls_close(struct tool_calls *tc, bool cancelled, bool died, bool *lost)
{
    size_t at = 0;
    void *p;
    while (map_next(&tc->by_id, &at, NULL, &p)) {
        struct tool_call *call = p;
        if (call->ended) {
            continue;
        }
        if (call->announced) {
            AUTO_ARENA(mem);
            struct render_context cx = {.client = &tc->session->agent->client, .arena = &mem};
            struct render_call rc = {.id = str_of(call->id),
                                     .name = str_of(call->name),
                                     .parent = str_of(call->parent)};
            struct tool_report r;
            render_closed(&cx, &rc,
                          !call->dispatched ? CLOSE_NOT_RUN
                          : cancelled       ? CLOSE_CANCELLED
                                            : CLOSE_NO_RESULT,
                          &r);
            *lost = *lost || (call->dispatched && !cancelled && !died);
            send_report(tc->session, &r);
        }
        forget(tc, call);
    }
    map_free(&tc->scanners, free_scanner);
}
