#include "session/settings_check.h"

#include <stdlib.h>

#include "session/internal.h"

enum { ASK_LIMIT_MS = 5000 };

struct settings_place session_settings_place(const struct session *s)
{
    return (struct settings_place){
        .config_dir = str_of(s->host->dirs->claude_config),
        .home = str_of(s->host->dirs->home),
        .cwd = str_of(s->setup.cwd),
        .left_out = session_params_left_out(&s->setup.params),
    };
}

/* ---- What the CLI ignores ------------------------------------------------------------------------ */

/* One reading of the files again, on a worker. */
struct rereading {
    uv_work_t work;
    struct session *s;
    void (*go_on)(struct session *s);
    struct arena mem;
    struct settings_place place;
    struct settings_ignored *ignored;
    struct settings *settings;
};

static void reread(uv_work_t *work)
{
    struct rereading *r = CONTAINER_OF(work, struct rereading, work);
    for (size_t i = 0; i < r->place.n_ignored; i++) {
        settings_ignore(&r->ignored[i]);
    }
    r->settings = settings_load(&r->place);
}

static void was_reread(uv_work_t *work, int status)
{
    struct rereading *r = CONTAINER_OF(work, struct rereading, work);
    struct session *s = r->s;
    (void)status;
    if (r->settings && session_live(s)) {
        session_use_settings(s, r->settings, &r->place);
    } else {
        settings_free(r->settings);
    }
    if (session_live(s) && s->process.cli) {
        r->go_on(s);
    }
    arena_free(&r->mem);
    free(r);
    session_unref(s);
}

/* True when it goes on later. */
static bool read_again(struct session *s, void (*go_on)(struct session *s))
{
    const struct settings_faults *f = &s->configured.faults;
    struct rereading *r = f->n ? calloc(1, sizeof *r) : NULL;
    if (!r) {
        return false;
    }
    r->s = s;
    r->go_on = go_on;
    r->place = session_settings_place(s);
    r->place.ignored = r->ignored = arena_alloc(&r->mem, f->n * sizeof *r->ignored);
    for (size_t i = 0; r->ignored && i < f->n; i++) {
        if (i == 0 || !str_eq(f->list[i].file, f->list[i - 1].file)) {
            r->ignored[r->place.n_ignored++].path = arena_str(&r->mem, f->list[i].file);
        }
    }
    if (!arena_ok(&r->mem) || uv_queue_work(s->host->loop, &r->work, reread, was_reread) != 0) {
        arena_free(&r->mem);
        free(r);
        return false;
    }
    session_ref(s);
    return true;
}

struct asking {
    struct session *s;
    void (*go_on)(struct session *s);
};

static void on_settings(void *user, const struct control_error *error, json payload)
{
    struct asking *q = user;
    struct session *s = q->s;
    bool gone = !session_live(s) || control_ended(error, CONTROL_CLOSED);
    if (!gone) {
        struct settings_faults *f = &s->configured.faults;
        bool asked = s->start.launch.settings.p != NULL;
        if (settings_faults_take(f, error ? JSON_NONE : json_get(payload, "errors"),
                                 error ? s->configured.settings : NULL, asked)) {
            s->start.launch.settings = STR_ABSENT;
        }
        if (!read_again(s, q->go_on)) {
            q->go_on(s);
        }
    }
    free(q);
    session_unref(s);
}

void session_check_settings(struct session *s, void (*go_on)(struct session *s))
{
    bool any = settings_present(s->configured.settings) || s->start.launch.settings.p;
    struct asking *q = any ? malloc(sizeof *q) : NULL;
    if (!q) {
        go_on(s);
        return;
    }
    *q = (struct asking){s, go_on};
    session_ref(s);
    cli_control_request(s->process.cli, "get_settings", STR_ABSENT, ASK_LIMIT_MS, on_settings, q);
}

/* ---- What the person is told --------------------------------------------------------------------- */

/* One file, with its first `n` faults. */
static void tell(struct session *s, const struct settings_fault *list, size_t n)
{
    static const char title[] = "Settings ignored";
    const struct client_capabilities *client = &s->host->client;
    struct failure_record record;
    AUTO_BUF(text);
    bool as_record = !client->session_notices && client->air_session_failure;

    struct settings_place place = session_settings_place(s);
    if (as_record) {
        buf_printf(&text, "%s: ", title);
    }
    settings_faults_put(&text, &s->configured.faults, list, n, as_record ? &place : NULL);
    if (!buf_ok(&text)) {
        return;
    }
    if (!as_record) {
        session_warn(s, title, buf_c(&text));
    } else if (failures_notice(&s->failures, buf_str(&text), STR_ABSENT, &record)) {
        session_send_failure(s, &record);
    }
}

void session_warn_settings(struct session *s)
{
    struct settings_faults *f = &s->configured.faults;

    for (size_t from = 0, to; from < f->n; from = to) {
        for (to = from + 1; to < f->n && str_eq(f->list[to].file, f->list[from].file); to++) {
        }
        tell(s, &f->list[from], to - from);
    }
    settings_faults_free(f);
}
