#include "local/file_reports.h"

#include <stdlib.h>

#include "base/uuid.h"

struct report_wait {
    struct list link;
    uv_work_t work;
    struct local_work *lw; /* whose host is kept */
    char *request;
    char uuid[UUID_SIZE];
    bool told;     /* the report went out: what still comes does not count */
    bool released; /* the frames are not held any more */
    struct json_doc *answer;
    struct file_report_places places;
    struct file_report_list list;
};

static void send_report(const struct local_host *h, const struct buf *members)
{
    if (buf_ok(members)) {
        h->surface->info(h->surface_self, h->session, buf_str(members));
    }
}

static void send_unavailable(const struct local_host *h, const char *request, enum file_report_reason reason)
{
    AUTO_BUF(b);
    file_report_put_unavailable(&b, str_of(request), reason);
    send_report(h, &b);
}

static void release(struct report_wait *w)
{
    if (!w->released) {
        w->released = true;
        w->lw->host.calls->release(w->lw->host.user);
    }
}

/* The report went out (or must not): the turn is answered, and the CLI's frames go on. */
static void report_done(struct report_wait *w)
{
    const struct local_host *h = &w->lw->host;
    list_remove(&w->link);
    if (!w->told && h->calls->alive(h->user)) {
        turns_settled(h->turns, str_of(w->uuid));
    }
    release(w);
    json_unref(w->answer);
    arena_free(&w->list.mem);
    free(w->request);
    free(w);
    h->calls->drop(h->user);
}

static void report_unavailable(struct report_wait *w, enum file_report_reason reason)
{
    if (!w->told && w->lw->host.calls->alive(w->lw->host.user)) {
        send_unavailable(&w->lw->host, w->request, reason);
    }
    report_done(w);
}

static void look_at_disk(uv_work_t *work)
{
    struct report_wait *w = CONTAINER_OF(work, struct report_wait, work);
    file_report_list(&w->list, json_get(json_root(w->answer), "filesChanged"), &w->places);
}

static void disk_looked_at(uv_work_t *work, int status)
{
    struct report_wait *w = CONTAINER_OF(work, struct report_wait, work);
    if (status != 0 || !arena_ok(&w->list.mem)) {
        report_unavailable(w, FILE_REPORT_PROVIDER);
        return;
    }
    if (!w->told && w->lw->host.calls->alive(w->lw->host.user)) {
        AUTO_BUF(b);
        file_report_put(&b, str_of(w->request), &w->list);
        send_report(&w->lw->host, &b);
    }
    report_done(w);
}

/* The folders that a report may name files of. */
static void read_places(struct report_wait *w)
{
    const struct session_params *p = w->lw->host.params;
    const json lists[] = {
        json_path(p->meta, "claudeCode", "options", "additionalDirectories", NULL),
        json_present(p->additional_directories) ? p->additional_directories
                                                : json_get(p->meta, "additionalRoots"),
    };
    size_t n = 1;
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        n += json_is(lists[i], JSON_ARRAY) ? json_count(lists[i]) : 0;
    }
    struct arena *a = &w->list.mem;
    str *roots = arena_alloc(a, n * sizeof(*roots));
    w->places.cwd = arena_str(a, p->cwd);
    if (!roots) {
        return;
    }
    w->places.roots = roots;
    roots[w->places.n++] = w->places.cwd;
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        for (struct json_iter it = json_each(lists[i]); json_is(lists[i], JSON_ARRAY) && json_next(&it);) {
            if (json_text(it.value).p) {
                roots[w->places.n++] = arena_str(a, json_str(it.value));
            }
        }
    }
}

static void rewind_answered(void *user, const struct control_error *error, json payload)
{
    struct report_wait *w = user;
    if (error) {
        report_unavailable(w, control_ended(error, CONTROL_TIMED_OUT) ? FILE_REPORT_TIMEOUT
                                                                      : FILE_REPORT_PROVIDER);
        return;
    }
    if (!file_report_readable(payload)) {
        report_unavailable(w, FILE_REPORT_INVALID);
        return;
    }
    w->answer = json_detach(payload); /* of its own: the worker thread decodes its strings */
    read_places(w);
    if (!w->answer || !arena_ok(&w->list.mem) ||
        uv_queue_work(w->lw->host.loop, &w->work, look_at_disk, disk_looked_at) != 0) {
        report_unavailable(w, FILE_REPORT_PROVIDER);
    }
}

/* Asks the CLI what a rewind to the prompt would restore. Takes the request over. False: it was told already.
 */
static bool begin_report(struct local_work *lw, struct cli_control *cli, const struct turn *t, char *request)
{
    struct report_wait *w = calloc(1, sizeof(*w));
    if (!w) {
        send_unavailable(&lw->host, request, FILE_REPORT_PROVIDER);
        free(request);
        return false;
    }
    w->lw = lw;
    w->request = request;
    memcpy(w->uuid, t->uuid, sizeof(w->uuid));
    list_append(&lw->reports_waiting, &w->link);
    lw->host.calls->keep(lw->host.user);
    lw->host.calls->hold(lw->host.user);
    AUTO_BUF(b);
    json_member_c(&b, "user_message_id", w->uuid);
    json_member_bool(&b, "dry_run", true);
    return cli_control_request(cli, "rewind_files", buf_str(&b), FILE_REPORT_LIMIT_MS, rewind_answered, w) !=
           0;
}

bool file_reports_before_answer(struct local_work *lw, const struct turn *t, const struct turn_end *end,
                                bool may_wait)
{
    struct cli_control *cli = lw->host.calls->cli(lw->host.user);
    char *request = file_reports_take(&lw->reports, (str){t->uuid, UUID_LENGTH});
    if (!request) {
        return false;
    }
    if (may_wait && cli) {
        return begin_report(lw, cli, t, request);
    }
    bool cancelled = end->stop_reason && strcmp(end->stop_reason, "cancelled") == 0;
    send_unavailable(&lw->host, request, cancelled ? FILE_REPORT_CANCELLED : FILE_REPORT_PROVIDER);
    free(request);
    return false;
}

void file_reports_overtake(struct local_work *lw, enum file_report_reason reason)
{
    LIST_EACH(w, &lw->reports_waiting, struct report_wait, link) {
        if (!w->told) {
            send_unavailable(&lw->host, w->request, reason);
            w->told = true;
            release(w);
        }
    }
}
