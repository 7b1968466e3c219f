#include "session/settings_faults.h"

#include <stdlib.h>

#include "base/path.h"
#include "base/utf8.h"
#include "session/internal.h"

enum {
    ASK_LIMIT_MS = 5000,
    ERRORS_MAX = 64, /* of the CLI's list */
    KEYS_TOLD = 5,   /* of one file */
    TOLD_MAX = 300,  /* bytes of one key or reason */
};

void settings_faults_free(struct settings_faults *f)
{
    arena_free(&f->mem);
    *f = (struct settings_faults){.n = 0};
}

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

/* The CLI keeps in a file of its own what it got with --settings. */
static bool is_request(const struct session *s, str file)
{
    return s->start.launch.settings.p && str_starts(path_basename(file), STR("claude-settings-"));
}

/* As much of a text as is told, on one line: names in a file can be anything. */
static str tame(struct arena *a, str text)
{
    AUTO_BUF(b);
    str start = str_first(text, TOLD_MAX);
    start = str_first(start, utf8_valid_until(start));
    for (size_t i = 0; i < start.n; i++) {
        char c = start.p[i];
        if ((c >= '\0' && c < ' ') || c == 0x7F) {
            c = ' ';
        }
        buf_put_byte(&b, c);
    }
    return arena_buf(a, &b);
}

static void add(struct settings_faults *f, str file, str key, str why)
{
    f->list[f->n++] =
        (struct settings_fault){arena_str(&f->mem, file), tame(&f->mem, key), tame(&f->mem, why)};
}

/* Takes over the CLI's list or, when it knows of none, what was seen on the disk. */
static void take_faults(struct session *s, json errors, bool answered)
{
    struct settings_faults *f = &s->configured.faults;
    size_t n = 0;
    const struct settings_fault *own = settings_faults(s->configured.settings, &n);

    settings_faults_free(f);
    f->list = arena_alloc(&f->mem, (ERRORS_MAX + n) * sizeof *f->list);
    if (!f->list) {
        return;
    }
    bool request = false;
    for (struct json_iter it = json_each(errors);
         json_is(errors, JSON_ARRAY) && f->n < ERRORS_MAX && json_next(&it);) {
        str file = json_text(json_get(it.value, "file"));
        if (file.p && is_request(s, file)) {
            request = true;
            file = STR("_meta.claudeCode.options.settings");
        }
        if (file.p) {
            add(f, file, json_str(json_get(it.value, "path")), json_str(json_get(it.value, "message")));
        }
    }
    if (request) {
        s->start.launch.settings = STR_ABSENT;
    }
    for (size_t i = 0; !answered && i < n; i++) {
        add(f, own[i].file, own[i].key, own[i].why);
    }
    if (!arena_ok(&f->mem)) {
        settings_faults_free(f);
    }
}

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
        take_faults(s, error ? JSON_NONE : json_get(payload, "errors"), !error);
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

/* The file by what it is: a path may say more of a machine than a record should. */
static str name_of(struct session *s, str file)
{
    struct settings_place place = session_settings_place(s);
    str base = path_basename(file);
    return path_within(file, place.cwd) ? path_display(&s->configured.faults.mem, file, place.cwd, STR_ABSENT)
           : place.home.n && path_within(file, place.home)
               ? arena_printf(&s->configured.faults.mem, "~/%.*s",
                              STR_ARG(path_display(&s->configured.faults.mem, file, place.home, STR_ABSENT)))
               : base;
}

/* "permissions.defaultMode (why), model (why) and 2 more". */
static void put_keys(struct buf *b, const struct settings_fault *list, size_t n)
{
    for (size_t i = 0; i < n && i < KEYS_TOLD; i++) {
        buf_put_c(b, i ? "; " : "");
        buf_put_str(b, list[i].key);
        buf_put_c(b, list[i].key.n ? ": " : "");
        buf_put_str(b, list[i].why);
    }
    if (n > KEYS_TOLD) {
        buf_printf(b, "; and %zu more", n - KEYS_TOLD);
    }
}

/* One file, with its first `n` faults. */
static void tell(struct session *s, const struct settings_fault *list, size_t n)
{
    static const char title[] = "Settings ignored";
    const struct client_capabilities *client = &s->host->client;
    struct failure_record record;
    AUTO_BUF(text);
    bool as_record = !client->session_notices && client->air_session_failure;

    if (as_record) {
        buf_printf(&text, "%s: ", title);
    }
    buf_put_str(&text, as_record ? name_of(s, list->file) : list->file);
    buf_put_c(&text, " does not count, as Claude Code does not accept it (");
    put_keys(&text, list, n);
    buf_put_c(&text, "). It counts as a whole again once that is corrected.");
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
