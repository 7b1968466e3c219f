#include "cli/auth_probe.h"

#include <stdlib.h>

struct auth_probe {
    uv_loop_t *loop;
    const struct log *log;
    bool complained; /* a useless answer is logged once, not at every prompt */
    struct run *run; /* the one under way, or NULL */
};

/* A run outlives its probe: it is freed when its process and its timer are gone. */
struct run {
    struct auth_probe *probe; /* NULL once nobody waits */
    struct cli_process *process;
    auth_probe_cb *cb;
    void *user;
    struct buf output;
    uv_timer_t limit;
    bool timer_closed, timed_out;
};

static const char *const arguments[] = {"auth", "status", "--json", NULL};

struct auth_probe *auth_probe_new(uv_loop_t *loop, const struct log *log)
{
    struct auth_probe *probe = calloc(1, sizeof(*probe));
    if (probe) {
        probe->loop = loop;
        probe->log = log;
    }
    return probe;
}

static void complain(struct auth_probe *probe, const char *what, str detail)
{
    if (!probe->complained && detail.p) {
        probe->complained = true;
        log_write(probe->log, LOG_WARN, "claude auth status: %s%s%.*s", what, detail.n ? ": " : "",
                  STR_ARG(detail));
    }
}

static void free_when_gone(struct run *run)
{
    if (!run->process && run->timer_closed) {
        buf_free(&run->output);
        free(run);
    }
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct run *run = handle->data;
    run->timer_closed = true;
    free_when_gone(run);
}

/* The JSON comes on several lines. */
static void on_line(void *user, str line)
{
    struct run *run = user;
    if (!buf_ok(&run->output)) {
        return;
    }
    if (run->output.n + line.n >= AUTH_PROBE_OUTPUT_MAX) {
        run->output.failed = true;
        cli_process_kill(run->process);
        return;
    }
    buf_put_str(&run->output, line);
    buf_put_byte(&run->output, '\n');
}

/* The answer, or NULL and a word in the log. */
static struct json_doc *read_answer(struct run *run, const struct cli_exit *how)
{
    const char *why = NULL;
    struct json_doc *doc = NULL;
    if (run->timed_out) {
        why = "no answer in time";
    } else if (!buf_ok(&run->output)) {
        why = "the answer is too long";
    } else if (!str_trim(buf_str(&run->output)).n) {
        complain(run->probe, "no answer", how->message);
        return NULL;
    } else {
        doc = json_parse(buf_str(&run->output), &why);
    }
    if (doc && !json_is(json_root(doc), JSON_OBJECT)) {
        json_unref(doc);
        doc = NULL;
        why = "not an object";
    }
    if (!doc) {
        complain(run->probe, why, STR(""));
    }
    return doc;
}

static void on_ended(void *user, const struct cli_exit *how)
{
    struct run *run = user;
    run->process = NULL;
    uv_close((uv_handle_t *)&run->limit, on_timer_closed);
    if (run->probe) {
        AUTO_JSON(doc) = read_answer(run, how);
        run->probe->run = NULL;
        run->cb(run->user, doc);
    }
}

static const struct cli_process_events events = {.line = on_line, .ended = on_ended};

static void on_limit(uv_timer_t *timer)
{
    struct run *run = timer->data;
    run->timed_out = true;
    cli_process_kill(run->process);
}

bool auth_probe_run(struct auth_probe *probe, const struct cli_spawn *spawn, auth_probe_cb *cb, void *user)
{
    struct run *run = probe->run ? NULL : calloc(1, sizeof(*run));
    if (!run) {
        return false;
    }
    struct cli_spawn mine = *spawn;
    mine.argv = arguments;
    run->process = cli_process_start(probe->loop, probe->log, &mine, &events, run);
    if (!run->process) {
        free(run);
        return false;
    }
    cli_process_close_input(run->process);
    run->probe = probe;
    run->cb = cb;
    run->user = user;
    uv_timer_init(probe->loop, &run->limit);
    run->limit.data = run;
    uv_timer_start(&run->limit, on_limit, AUTH_PROBE_TIMEOUT_MS, 0);
    probe->run = run;
    return true;
}

bool auth_probe_running(const struct auth_probe *probe)
{
    return probe->run != NULL;
}

void auth_probe_cancel(struct auth_probe *probe)
{
    struct run *run = probe->run;
    if (!run) {
        return;
    }
    probe->run = NULL;
    run->probe = NULL;
    cli_process_kill(run->process);
    cli_process_abandon(run->process);
    run->process = NULL;
    uv_close((uv_handle_t *)&run->limit, on_timer_closed);
    run->cb(run->user, NULL);
}

void auth_probe_free(struct auth_probe *probe)
{
    if (probe) {
        auth_probe_cancel(probe);
        free(probe);
    }
}
