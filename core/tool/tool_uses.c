/* Uses of tools: as they are streamed, and as a complete message has them. */
#include <stdlib.h>

#include "tool/child_sessions.h"
#include "tool/input_scanner.h"
#include "tool/tool_calls_internal.h"
#include "tool/tool_host.h"
#include "tool/tool_job.h"

/* ---- Reports ---- */

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
    tool_job_note_use(&job, call);
    tool_job_want_use_files(&job);
    tool_job_run(&job);
}

void tool_calls_plan_use(struct tool_calls *tc, struct tool_call *call, json input)
{
    struct tool_job job;
    tool_job_begin(&job, tc, call, input);
    tool_job_read_use(&job, call->reporter);
    if (job.use.plan && arena_ok(&job.mem)) {
        tc->host->calls->plan(tc->host->user, str_of(call->parent), job.use.plan_entries);
    }
    tool_job_end(&job);
}

/* ---- The inputs of open blocks ---- */

/* Reads the input of one of them. */
struct scanner {
    struct input_scanner input;
    char *key; /* of the call */
};

static void free_scanner(void *p)
{
    struct scanner *sc = p;
    input_scanner_free(&sc->input);
    free(sc->key);
    free(sc);
}

void tool_scanners_free(struct tool_calls *tc)
{
    map_free(&tc->scanners, free_scanner);
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

static void add_scanner(struct tool_calls *tc, str at, const struct tool_call *call)
{
    struct scanner *sc = calloc(1, sizeof(*sc));
    if (sc) {
        sc->key = str_dup(str_of(call->key));
        if (!sc->key || !map_put(&tc->scanners, at, sc, NULL)) {
            free_scanner(sc);
        }
    }
}

void tool_scanners_sweep(struct tool_calls *tc)
{
    size_t at = 0;
    str key;
    void *p;
    while (map_next(&tc->scanners, &at, &key, &p)) {
        struct scanner *sc = p;
        if (!tool_calls_of_key(tc, str_of(sc->key))) {
            drop_scanner(tc, key);
        }
    }
}

/* ---- Streamed blocks ---- */

void tool_calls_block_start(struct tool_calls *tc, str parent, int64_t index, json block)
{
    str id = json_text(json_get(block, "id")), name = json_str(json_get(block, "name"));
    if (!id.p) {
        return;
    }
    drop_scanner(tc, scanner_key(tc, parent, index));
    struct tool_call *call = tool_calls_open(tc, id, name, call_place_of_parent(parent));
    if (call) {
        add_scanner(tc, scanner_key(tc, parent, index), call);
    }
    if (!call || call->announced) {
        return;
    }
    json input = json_get(block, "input");
    if (reporter_shows_plan(call->reporter)) {
        if (json_count(input)) {
            tool_calls_plan_use(tc, call, input);
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
    struct tool_call *call = scan == SCAN_PARTIAL ? tool_calls_of_key(tc, str_of(sc->key)) : NULL;
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

/* ---- Complete blocks ---- */

void tool_calls_use(struct tool_calls *tc, str parent, json block)
{
    str id = json_text(json_get(block, "id"));
    struct tool_call *call =
        tool_calls_open(tc, id, json_str(json_get(block, "name")), call_place_of_parent(parent));
    if (!call) {
        return;
    }
    json input = json_get(block, "input"), asked = call->asked ? json_root(call->input) : JSON_NONE;
    if (json_present(asked) && tool_call_input_differs(tc, call, input, asked)) {
        input = asked; /* a hook rewrote it before the person was asked */
    } else {
        json_unref(call->input);
        call->input = json_detach(input);
    }
    call->dispatched = true;
    if (!tc->replay && str_is(str_of(call->name), "SendMessage")) {
        children_message(tc->host->children, id, input);
    }
    if (reporter_shows_plan(call->reporter)) {
        tool_calls_plan_use(tc, call, input);
        return;
    }
    report_use(tc, call, input, false, false);
}
