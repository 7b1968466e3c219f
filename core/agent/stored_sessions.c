#include "agent/stored_sessions.h"

#include <stdlib.h>

#include "agent/stored_task.h"
#include "base/path.h"
#include "replay/replay.h"

struct listing_task {
    uv_work_t work;
    struct stored_sessions *h;
    struct arena mem;
    struct listing_request rq;
    struct buf out;
    stored_sessions_list_cb *done;
    void *user;
};

/* ---- The object ---- */

static void free_task(struct task *t)
{
    list_remove(&t->link);
    json_unref(t->doc);
    arena_free(&t->mem);
    free(t);
}

struct stored_sessions *stored_sessions_new(struct agent *agent)
{
    struct stored_sessions *h = calloc(1, sizeof(*h));
    if (h && uv_mutex_init(&h->cache_lock) != 0) {
        free(h);
        return NULL;
    }
    if (h) {
        h->agent = agent;
        list_init(&h->tasks);
    }
    return h;
}

void stored_sessions_close(struct stored_sessions *h)
{
    if (h && h->has_timer) {
        h->has_timer = false;
        uv_close((uv_handle_t *)&h->timer, NULL);
    }
}

void stored_sessions_wake(struct stored_sessions *h, const struct session *s)
{
    LIST_EACH(t, &h->tasks, struct task, link) {
        if (t->running && (!s || t->session == s)) {
            replay_wake(t->running);
        }
    }
}

void stored_sessions_free(struct stored_sessions *h)
{
    if (!h) {
        return;
    }
    LIST_EACH(t, &h->tasks, struct task, link) {
        free_task(t);
    }
    listing_cache_free(&h->cache);
    uv_mutex_destroy(&h->cache_lock);
    free(h);
}

/* ---- What ids mean ---- */

/* Where conversations are looked up, with the sessions that are open at this moment; in the arena. */
static struct conversation_place place_now(struct agent *agent, struct arena *a)
{
    const struct standard_dirs *dirs = agent->host.dirs;
    struct open_conversation *open = arena_alloc(a, (agent->sessions.used + 1) * sizeof(*open));
    struct conversation_place place = {
        .config = str_of(dirs->claude_config),
        .state = str_of(dirs->state),
        .open = open,
    };
    size_t at = 0;
    void *value;
    while (open && map_next(&agent->sessions, &at, NULL, &value)) {
        const struct session *s = value;
        memcpy(open[place.n_open].id, session_id(s).p, UUID_SIZE);
        memcpy(open[place.n_open].conversation, session_conversation(s).p, UUID_SIZE);
        place.n_open++;
    }
    return place;
}

void stored_put_place(struct task *t)
{
    t->place = place_now(t->h->agent, &t->mem);
}

/* A session that was closed for the request told what the id meant to it. */
void stored_find(struct task *t)
{
    struct open_conversation was = {{0}, {0}};
    struct conversation_place place = {.config = t->place.config, .open = &was, .n_open = 1};
    if (t->was[0]) {
        memcpy(was.id, t->id.p, UUID_LENGTH);
        memcpy(was.conversation, t->was, sizeof(t->was));
        conversation_find(&t->mem, &place, t->id, &t->found);
    }
    bool known = t->was[0] && (t->found.transcript.p || t->kind == TASK_DELETE);
    if (!known) {
        conversation_find(&t->mem, &t->place, t->id, &t->found);
    }
}

/* ---- Listing ---- */

static void make_list(uv_work_t *work)
{
    struct listing_task *t = CONTAINER_OF(work, struct listing_task, work);
    uv_mutex_lock(&t->h->cache_lock);
    listing_put(&t->out, &t->h->cache, &t->rq);
    uv_mutex_unlock(&t->h->cache_lock);
}

static void free_listing(struct listing_task *t)
{
    buf_free(&t->out);
    arena_free(&t->mem);
    free(t);
}

static void list_made(uv_work_t *work, int status)
{
    struct listing_task *t = CONTAINER_OF(work, struct listing_task, work);
    if (!t->h->agent->host.closing) {
        t->done(t->user, status == 0 && buf_ok(&t->out) ? buf_str(&t->out) : STR_ABSENT);
    }
    free_listing(t);
}

bool stored_sessions_list(struct stored_sessions *h, str cwd, uint64_t offset, stored_sessions_list_cb *done,
                          void *user)
{
    const char *here = h->agent->host.dirs->cwd;
    struct listing_task *t = calloc(1, sizeof(*t));
    if (!t) {
        return false;
    }
    t->h = h;
    t->done = done;
    t->user = user;
    t->rq = (struct listing_request){
        .place = place_now(h->agent, &t->mem),
        .cwd = cwd.p ? path_resolve(&t->mem, here ? str_of(here) : STR("/"), cwd) : STR_ABSENT,
        .offset = offset,
        .hide_archived = h->agent->host.client.air,
    };
    if (!arena_ok(&t->mem) || uv_queue_work(h->agent->host.loop, &t->work, make_list, list_made) != 0) {
        free_listing(t);
        return false;
    }
    return true;
}

/* ---- Lanes ---- */

static void begin(struct task *t)
{
    t->begun = true;
    if (t->kind == TASK_DELETE) {
        stored_begin_removal(t);
    } else {
        stored_begin_opening(t);
    }
}

/* Nothing that came before concerns the same session. */
static bool may_begin(const struct task *t)
{
    LIST_EACH(other, &t->h->tasks, struct task, link) {
        if (other == t) {
            break;
        }
        if (str_eq(other->id, t->id)) {
            return false;
        }
    }
    return true;
}

/* Ends the task and lets the next one of its session begin. */
void stored_end(struct task *t)
{
    struct stored_sessions *h = t->h;
    AUTO_BUF(id);
    buf_put_str(&id, t->id);
    stored_unclaim(t);
    if (t->session) {
        session_unref(t->session);
    }
    free_task(t);
    LIST_EACH(next, &h->tasks, struct task, link) {
        if (!next->begun && str_eq(next->id, buf_str(&id))) {
            begin(next);
            break;
        }
    }
}

void stored_fail(struct task *t, const struct session_error *error)
{
    if (t->running) {
        replay_stop(t->running);
        t->running = NULL;
    }
    if (t->h->agent->host.closing) {
        stored_end(t);
        return;
    }
    if (t->done) {
        t->done(t->user, error);
    } else {
        t->ready(t->user, NULL, error);
    }
    stored_end(t);
}

void stored_fail_text(struct task *t, str details)
{
    stored_fail(t, &(struct session_error){.code = RPC_INTERNAL_ERROR, .details = details});
}

bool stored_refuse_id(struct task *t)
{
    if (uuid_valid(t->id)) {
        return false;
    }
    AUTO_BUF(details);
    buf_put_c(&details, "Invalid sessionId: ");
    buf_put_str(&details, t->id);
    stored_fail_text(t, buf_str(&details));
    return true;
}

static struct task *new_task(struct stored_sessions *h, enum task_kind kind, str id, void *user)
{
    struct task *t = calloc(1, sizeof(*t));
    if (t) {
        t->h = h;
        t->kind = kind;
        t->id = arena_str(&t->mem, id);
        t->user = user;
        t->mode = MODE_NONE;
        list_init(&t->link);
    }
    return t;
}

static bool enter_lane(struct task *t)
{
    if (!arena_ok(&t->mem)) {
        free_task(t);
        return false;
    }
    list_append(&t->h->tasks, &t->link);
    if (may_begin(t)) {
        begin(t);
    }
    return true;
}

/* ---- Requests ---- */

static bool begin_session(struct task *t, const struct session_params *params, struct json_doc *doc,
                          session_ready_cb *ready)
{
    t->cwd = arena_str(&t->mem, params->cwd);
    t->doc = json_ref(doc);
    t->params = *params;
    t->ready = ready;
    return enter_lane(t);
}

bool stored_sessions_open(struct stored_sessions *h, const struct session_params *params,
                          struct json_doc *doc, str id, bool replay, session_ready_cb *ready, void *user)
{
    struct task *t = new_task(h, TASK_OPEN, id, user);
    if (!t) {
        return false;
    }
    t->replay = replay;
    return begin_session(t, params, doc, ready);
}

bool stored_sessions_fork(struct stored_sessions *h, const struct session_params *params,
                          struct json_doc *doc, str id, const struct fork_point *point,
                          session_ready_cb *ready, void *user)
{
    struct task *t = new_task(h, TASK_FORK, id, user);
    if (!t) {
        return false;
    }
    t->point = (struct fork_point){
        .message_id = arena_str(&t->mem, point->message_id),
        .fingerprint = arena_str(&t->mem, point->fingerprint),
        .occurrence = point->occurrence,
    };
    return begin_session(t, params, doc, ready);
}

bool stored_sessions_delete(struct stored_sessions *h, str id, session_done_cb *done, void *user)
{
    struct task *t = new_task(h, TASK_DELETE, id, user);
    if (!t) {
        return false;
    }
    t->done = done;
    return enter_lane(t);
}
