#include "cli/control.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/control_internal.h"

#define ID_PREFIX "herald-"

static void on_pump(uv_idle_t *idle);
static void on_timer(uv_timer_t *timer);

static void wake(struct cli_control *c)
{
    uv_idle_start(&c->pump, on_pump);
}

/* ---- Requests of ours --------------------------------------------------------------------------- */

static void set_timer(struct cli_control *c)
{
    uint64_t first = 0, now = uv_now(c->loop);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed was taken out of the list before
    LIST_EACH(r, &c->requests, struct request, link) {
        if (r->deadline && (!first || r->deadline < first)) {
            first = r->deadline;
        }
    }
    if (!first) {
        uv_timer_stop(&c->timer);
    } else {
        uv_timer_start(&c->timer, on_timer, first > now ? first - now : 0, 0);
    }
}

/* Takes the request out and answers it. */
static void settle(struct cli_control *c, struct request *r, const struct control_error *error, json payload)
{
    control_answer_cb *cb = r->cb;
    void *user = r->user;
    bool timed = r->deadline != 0;
    list_remove(&r->link);
    free(r);
    if (timed) {
        set_timer(c);
    }
    if (cb) {
        cb(user, error, payload);
    }
}

static struct request *first_failed(struct cli_control *c)
{
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed was taken out of the list before
    LIST_EACH(r, &c->requests, struct request, link) {
        if (r->failed) {
            return r;
        }
    }
    return NULL;
}

/* Fails those that have a reason to, oldest first. A callback may add and forget requests, hence a new search
 * each time. */
static void settle_failed(struct cli_control *c)
{
    for (struct request *r; (r = first_failed(c));) {
        settle(c, r, r->failed, JSON_NONE);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct cli_control *c = timer->data;
    uint64_t now = uv_now(c->loop);
    LIST_EACH(r, &c->requests, struct request, link) {
        if (r->deadline && r->deadline <= now) {
            r->deadline = 0;
            r->failed = &control_timed_out;
        }
    }
    set_timer(c);
    settle_failed(c);
}

uint64_t cli_control_request(struct cli_control *c, const char *subtype, str members, unsigned timeout_ms,
                             control_answer_cb *cb, void *user)
{
    struct request *r = calloc(1, sizeof(*r));
    if (!r) {
        if (cb) {
            cb(user, &control_no_memory, JSON_NONE);
        }
        return 0;
    }
    uint64_t id = r->id = ++c->last_id;
    r->cb = cb;
    r->user = user;
    list_append(&c->requests, &r->link);
    AUTO_BUF(line);
    buf_printf(&line, "{\"type\":\"control_request\",\"request_id\":\"" ID_PREFIX "%llu\",\"request\":{",
               (unsigned long long)id);
    json_member_c(&line, "subtype", subtype);
    if (members.n) {
        buf_put_byte(&line, ',');
        buf_put_str(&line, members);
    }
    buf_put_c(&line, "}}");
    if (!buf_ok(&line) || !c->process) {
        r->failed = c->process ? &control_no_memory : &control_closed;
        wake(c);
        return id;
    }
    if (timeout_ms) {
        r->deadline = uv_now(c->loop) + timeout_ms;
        set_timer(c);
    }
    cli_process_write(c->process, buf_str(&line));
    return id;
}

static struct request *find_request(struct cli_control *c, uint64_t id)
{
    LIST_EACH(r, &c->requests, struct request, link) {
        if (r->id == id) {
            return r;
        }
    }
    return NULL;
}

void cli_control_forget(struct cli_control *c, uint64_t request)
{
    struct request *r = find_request(c, request);
    if (r) {
        r->cb = NULL;
        settle(c, r, NULL, JSON_NONE);
    }
}

/* ---- Frames ------------------------------------------------------------------------------------- */

static void apply_pause(struct cli_control *c)
{
    if (!c->process) {
        return;
    }
    if (c->paused_by_user || c->held_bytes > CONTROL_HELD_MAX) {
        cli_process_pause(c->process);
    } else {
        cli_process_resume(c->process);
    }
}

static bool is_request(json root)
{
    return str_is(json_str(json_get(root, "type")), "control_request");
}

static void drop_frame(struct cli_control *c, struct frame *f)
{
    list_remove(&f->link);
    c->held_bytes -= f->size;
    json_unref(f->doc);
    free(f);
}

static void deliver(struct cli_control *c, struct json_doc *doc)
{
    c->events->frame(c->user, doc);
}

/* Whether a request of the CLI's is to be delivered; then it is open, and `frame` (or NULL) is where it
 * waits. */
static bool open_theirs(struct cli_control *c, json root, struct frame *frame)
{
    str id = json_text(json_get(root, "request_id"));
    if (!id.n || map_get(&c->theirs, id)) {
        log_write(c->log, LOG_DEBUG, "a request of claude's without an id, or with that of an open one");
        return false;
    }
    if (c->theirs.used >= CONTROL_OPEN_MAX ||
        !map_put(&c->theirs, id, frame ? (void *)frame : (void *)c, NULL)) {
        cli_control_refuse(c, id, STR("too many requests"));
        return false;
    }
    return true;
}

static bool may_deliver(const struct cli_control *c)
{
    return !c->holds && !c->paused_by_user;
}

static struct frame *queue_frame(struct cli_control *c, struct json_doc *doc)
{
    struct frame *f = malloc(sizeof(*f));
    if (!f) {
        log_write(c->log, LOG_ERROR, "out of memory for a message of claude's; it is dropped");
        return NULL;
    }
    f->doc = json_ref(doc);
    f->size = sizeof(*f) + json_doc_memory(doc);
    list_append(&c->frames, &f->link);
    c->held_bytes += f->size;
    apply_pause(c);
    return f;
}

static void take_frame(struct cli_control *c, struct json_doc *doc)
{
    bool now = may_deliver(c) && list_empty(&c->frames);
    struct frame *f = now ? NULL : queue_frame(c, doc);
    if (!now && !f) {
        str id = is_request(json_root(doc)) ? json_str(json_get(json_root(doc), "request_id")) : STR_ABSENT;
        if (id.p) {
            cli_control_refuse(c, id, STR("out of memory"));
        }
        return;
    }
    if (is_request(json_root(doc)) && !open_theirs(c, json_root(doc), f)) {
        if (f) {
            drop_frame(c, f);
            apply_pause(c);
        }
        return;
    }
    if (now) {
        deliver(c, doc);
    }
}

static void deliver_queue(struct cli_control *c)
{
    while (may_deliver(c) && !list_empty(&c->frames)) {
        struct frame *f = LIST_FIRST(&c->frames, struct frame, link);
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed was taken out of the list before
        AUTO_JSON(doc) = json_ref(f->doc);
        drop_frame(c, f);
        if (is_request(json_root(doc))) {
            void *old; /* the entry exists, so that nothing is allocated */
            (void)!map_put(&c->theirs, json_str(json_get(json_root(doc), "request_id")), c, &old);
        }
        deliver(c, doc);
    }
    apply_pause(c);
}

void cli_control_hold(struct cli_control *c)
{
    c->holds++;
}

void cli_control_release(struct cli_control *c)
{
    if (c->holds && --c->holds == 0) {
        wake(c);
    }
}

bool cli_control_put_back(struct cli_control *c, struct json_doc *doc)
{
    struct frame *f = queue_frame(c, doc);
    if (f) { /* it comes before all others */
        list_remove(&f->link);
        list_append(c->frames.next, &f->link);
        wake(c);
    }
    return f;
}

void cli_control_pause(struct cli_control *c, bool paused)
{
    c->paused_by_user = paused;
    apply_pause(c);
    if (!paused && !list_empty(&c->frames)) {
        wake(c);
    }
}

/* ---- Lines of the CLI's ------------------------------------------------------------------------- */

/* Requests that were open before we came (in the answer to initialize): each is served like one that comes
 * now. */
static void take_pending(struct cli_control *c, json list)
{
    for (struct json_iter it = json_each(list); json_next(&it);) {
        if (is_request(it.value)) {
            AUTO_JSON(doc) = json_detach(it.value);
            if (doc) {
                take_frame(c, doc);
            }
        }
    }
}

static uint64_t own_id(str id)
{
    if (!str_starts(id, STR(ID_PREFIX))) {
        return 0;
    }
    uint64_t n = 0;
    for (size_t i = sizeof(ID_PREFIX) - 1; i < id.n; i++) {
        if (id.p[i] < '0' || id.p[i] > '9' || n > UINT64_MAX / 16) {
            return 0;
        }
        n = n * 10 + (uint64_t)(id.p[i] - '0');
    }
    return n;
}

static void take_answer(struct cli_control *c, json root)
{
    json response = json_get(root, "response");
    struct request *r = find_request(c, own_id(json_str(json_get(response, "request_id"))));
    if (!r) {
        return;
    }
    if (str_is(json_str(json_get(response, "subtype")), "success")) {
        settle(c, r, NULL, json_get(response, "response"));
        take_pending(c, json_get(response, "pending_permission_requests"));
        take_pending(c, json_get(response, "pending_user_dialog_requests"));
        return;
    }
    AUTO_BUF(text);
    buf_put_str(&text, json_str(json_get(response, "error")));
    struct control_error error = {CONTROL_REFUSED,
                                  text.n ? buf_c(&text) : "Claude Code refused without a reason"};
    settle(c, r, &error, response);
}

static void take_withdrawal(struct cli_control *c, json root)
{
    str id = json_str(json_get(root, "request_id"));
    void *where = id.p ? map_remove(&c->theirs, id) : NULL;
    if (!where) {
        return;
    }
    if (where == c) {
        c->events->withdrawn(c->user, id);
        return;
    }
    drop_frame(c, where);
    apply_pause(c);
    cli_control_refuse(c, id, STR("Tool use aborted"));
}

static void ignore(struct cli_control *c, json root)
{
    (void)c;
    (void)root;
}

/* What is no frame. */
static const struct {
    const char *type;
    void (*take)(struct cli_control *c, json root);
} special[] = {
    {"control_response", take_answer},
    {"control_cancel_request", take_withdrawal},
    {"keep_alive", ignore},
};

static void on_line(void *user, str line)
{
    struct cli_control *c = user;
    const char *why = NULL;
    if (!str_trim(line).n) {
        return;
    }
    AUTO_JSON(doc) = json_parse_reuse(&c->spare, line, &why);
    json root = json_root(doc);
    if (!json_is(root, JSON_OBJECT)) {
        log_write(c->log, LOG_DEBUG, "a line of claude's is skipped (%s): %.*s", why ? why : "not an object",
                  STR_ARG(str_first(line, 200)));
        return;
    }
    str type = json_str(json_get(root, "type"));
    for (size_t i = 0; i < ARRAY_LEN(special); i++) {
        if (str_is(type, special[i].type)) {
            special[i].take(c, root);
            return;
        }
    }
    take_frame(c, doc);
}

/* ---- Start and end ------------------------------------------------------------------------------ */

static void on_closed(uv_handle_t *handle)
{
    struct cli_control *c = handle->data;
    if (++c->closed < 2) {
        return;
    }
    free(c->how_tail);
    free(c->how_message);
    json_unref(c->spare);
    free(c);
}

static void close_control(struct cli_control *c)
{
    LIST_EACH(r, &c->requests, struct request, link) {
        list_remove(&r->link);
        free(r);
    }
    LIST_EACH(f, &c->frames, struct frame, link) {
        drop_frame(c, f);
    }
    map_free(&c->theirs, NULL);
    c->theirs = MAP_INIT;
    uv_close((uv_handle_t *)&c->timer, on_closed);
    uv_close((uv_handle_t *)&c->pump, on_closed);
}

/* After the end of the process: what is open fails, what is held is delivered, then `ended`. */
static void finish(struct cli_control *c)
{
    LIST_EACH(r, &c->requests, struct request, link) {
        r->failed = r->failed ? r->failed : &control_closed;
    }
    settle_failed(c);
    deliver_queue(c);
    if (c->holds || !list_empty(&c->frames) || !list_empty(&c->requests)) {
        return; /* a release or a new request wakes us again */
    }
    c->events->ended(c->user, &c->how);
    close_control(c);
}

static void on_pump(uv_idle_t *idle)
{
    struct cli_control *c = idle->data;
    uv_idle_stop(idle);
    if (!c->process) {
        finish(c);
        return;
    }
    settle_failed(c);
    deliver_queue(c);
}

static void on_ended(void *user, const struct cli_exit *how)
{
    struct cli_control *c = user;
    c->process = NULL;
    c->how = *how;
    c->how_tail = str_dup(how->stderr_tail);
    c->how_message = str_dup(how->message);
    c->how.stderr_tail = c->how_tail ? (str){c->how_tail, how->stderr_tail.n} : STR("");
    c->how.message = c->how_message ? (str){c->how_message, how->message.n} : str_of(control_closed.text);
    wake(c);
}

static void on_drained(void *user)
{
    struct cli_control *c = user;
    if (c->events->drained) {
        c->events->drained(c->user);
    }
}

static const struct cli_process_events process_events = {.line = on_line,
                                                         .ended = on_ended,
                                                         .drained = on_drained};

struct cli_control *cli_control_start(uv_loop_t *loop, const struct log *log, const struct cli_spawn *spawn,
                                      const struct cli_control_events *events, void *user)
{
    struct cli_control *c = calloc(1, sizeof(*c));
    if (!c) {
        return NULL;
    }
    c->process = cli_process_start(loop, log, spawn, &process_events, c);
    if (!c->process) {
        free(c);
        return NULL;
    }
    c->loop = loop;
    c->log = log;
    c->events = events;
    c->user = user;
    list_init(&c->requests);
    list_init(&c->frames);
    uv_timer_init(loop, &c->timer);
    uv_idle_init(loop, &c->pump);
    c->timer.data = c->pump.data = c;
    return c;
}

void cli_control_end(struct cli_control *c, bool now)
{
    cli_control_pause(c, false); /* a process that cannot write does not see that it is to leave */
    if (c->process) {
        cli_process_end(c->process, now);
    }
}
