#include "agent/stored_sessions.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "agent/agent.h"
#include "base/path.h"
#include "history/conversations.h"
#include "history/listing.h"
#include "history/removal.h"
#include "replay/replay.h"
#include "session/internal.h"

enum task_kind { TASK_OPEN, TASK_FORK, TASK_DELETE };

/* One request about a session. */
struct task {
    struct list link; /* of the history's tasks, in the order in which they came */
    uv_work_t work;
    struct gate_waiter waiter;
    struct history *h;
    enum task_kind kind;
    bool begun;
    struct arena mem;
    str id, cwd;
    struct json_doc *doc;
    struct session_params params;
    bool replay;
    struct fork_point point;
    session_ready_cb *ready;
    session_done_cb *done; /* of a removal */
    void *user;

    /* What the worker found. */
    bool no_folder, not_a_folder, archive;
    str conversation; /* that goes on under the id */
    str transcript;
    enum fork_result forked;
    enum removal removed;
    char other_id[UUID_SIZE]; /* of the copy, or of a live session's conversation */
    str why;

    /* While it starts. */
    struct session *session; /* a reference, with a replay or when it is ready */
    struct replay *running;
    bool is_ready;
    enum mode mode; /* of the live session that was closed for it */
};

struct listing_task {
    uv_work_t work;
    struct history *h;
    struct arena mem;
    struct listing_request rq;
    struct buf out;
    history_list_cb *done;
    void *user;
};

struct history {
    struct agent *agent;
    struct list tasks;
    uv_mutex_t cache_lock;
    struct listing_cache cache;
};

static const struct session_error NO_MEMORY = {.code = -32603, .details = STR_INIT("out of memory")};

/* ---- The object ---- */

static void free_task(struct task *t)
{
    list_remove(&t->link);
    json_unref(t->doc);
    arena_free(&t->mem);
    free(t);
}

struct history *history_new(struct agent *agent)
{
    struct history *h = calloc(1, sizeof(*h));
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

void history_free(struct history *h)
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

bool history_list(struct history *h, str cwd, uint64_t offset, history_list_cb *done, void *user)
{
    const struct standard_dirs *dirs = h->agent->host.dirs;
    struct listing_task *t = calloc(1, sizeof(*t));
    if (!t) {
        return false;
    }
    t->h = h;
    t->done = done;
    t->user = user;
    t->rq = (struct listing_request){
        .config = str_of(dirs->claude_config),
        .cwd = cwd.p ? path_resolve(&t->mem, dirs->cwd ? str_of(dirs->cwd) : STR("/"), cwd) : STR_ABSENT,
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

static void begin(struct task *t);

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
static void leave_lane(struct task *t)
{
    struct history *h = t->h;
    AUTO_BUF(id);
    buf_put_str(&id, t->id);
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

static void fail(struct task *t, const struct session_error *error)
{
    if (t->running) {
        replay_stop(t->running);
        t->running = NULL;
    }
    if (t->h->agent->host.closing) {
        leave_lane(t);
        return;
    }
    if (t->done) {
        t->done(t->user, error);
    } else {
        t->ready(t->user, NULL, error);
    }
    leave_lane(t);
}

static void fail_text(struct task *t, str details)
{
    fail(t, &(struct session_error){.code = -32603, .details = details});
}

static struct task *new_task(struct history *h, enum task_kind kind, str id, void *user)
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

/* ---- Opening ---- */

static void open_done(struct task *t)
{
    if (t->is_ready && !t->running) {
        if (!t->h->agent->host.closing) {
            struct session *s = t->session;
            static const struct session_error gone = {.code = -32603,
                                                      .details = STR_INIT("Session not found")};
            bool live = session_live(s);
            t->ready(t->user, live ? s : NULL, live ? NULL : &gone);
        }
        leave_lane(t);
    }
}

static void replayed(void *user)
{
    struct task *t = user;
    t->running = NULL;
    open_done(t);
}

static void keep_session(struct task *t, struct session *s)
{
    if (!t->session) {
        t->session = s;
        session_ref(s);
    }
}

static void start_replay(struct task *t, struct session *s, str path)
{
    if (t->replay && path.p) {
        keep_session(t, s);
        t->running = replay_start(s, path, replayed, t);
        if (!t->running) {
            log_write(t->h->agent->host.log, LOG_ERROR, "out of memory: a stored session is not replayed");
        }
    }
}

static void task_started(void *user, struct session *s, const struct session_error *error)
{
    struct task *t = user;
    if (error) {
        fail(t, error);
        return;
    }
    keep_session(t, s);
    t->is_ready = true;
    open_done(t);
}

static void start(struct task *t)
{
    str copy = str_of(t->other_id);
    struct session_past past = {.id = t->kind == TASK_FORK ? copy : t->id,
                                .conversation = t->kind == TASK_FORK ? copy : t->conversation,
                                .mode = t->mode};
    struct session *s = session_resume(&t->h->agent->host, &t->params, t->doc, &past, task_started, t);
    if (s) {
        start_replay(t, s, t->transcript);
    } else {
        fail(t, &NO_MEMORY);
    }
}

static bool same_launch(struct task *t, const struct session *s)
{
    str now = launch_fingerprint(&t->mem, &s->params), wanted = launch_fingerprint(&t->mem, &t->params);
    return now.p && wanted.p && str_eq(now, wanted);
}

static void find_again(uv_work_t *work)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    struct project_folders all =
        project_folders(&t->mem, str_of(t->h->agent->host.dirs->claude_config), STR_ABSENT);
    t->transcript = find_transcript(&t->mem, &all, str_of(t->other_id));
}

static void found_again(uv_work_t *work, int status)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    (void)status;
    start_replay(t, t->session, t->transcript);
    open_done(t);
}

/* A live session is used as it is. After a cleared context its conversation has another transcript. */
static void reuse(struct task *t, struct session *s)
{
    keep_session(t, s);
    t->is_ready = true;
    if (t->replay && !str_eq(str_of(s->conversation), t->conversation)) {
        memcpy(t->other_id, s->conversation, sizeof(t->other_id));
        if (uv_queue_work(t->h->agent->host.loop, &t->work, find_again, found_again) == 0) {
            return;
        }
    }
    start_replay(t, s, t->transcript);
    open_done(t);
}

static void closed(void *user)
{
    struct task *t = user;
    if (t->h->agent->host.closing) {
        leave_lane(t);
    } else {
        start(t);
    }
}

static void refuse_folder(struct task *t)
{
    AUTO_BUF(data);
    json_open_object(&data);
    json_member_str(&data, "cwd", t->cwd);
    json_close_object(&data);
    fail(t, &(struct session_error){
                .code = -32602,
                .message = t->no_folder ? STR("Invalid params: cwd does not exist")
                                        : STR("Invalid params: cwd is not a folder"),
                .data = buf_str(&data),
            });
}

static bool refuse_id(struct task *t)
{
    if (uuid_valid(t->id)) {
        return false;
    }
    AUTO_BUF(details);
    buf_put_c(&details, "Invalid sessionId: ");
    buf_put_str(&details, t->id);
    fail_text(t, buf_str(&details));
    return true;
}

static void opened(struct task *t)
{
    struct session *s = agent_session(t->h->agent, t->id);
    if (s && s->state == SESSION_OPEN && !s->restart && same_launch(t, s)) {
        reuse(t, s);
    } else if (s) {
        if (s->state == SESSION_OPEN && s->options) {
            t->mode = session_options_mode(s->options);
        }
        session_on_gone(s, closed, t);
        session_close(s, NULL, NULL);
    } else {
        start(t);
    }
}

static void settled(struct gate_waiter *w)
{
    struct task *t = CONTAINER_OF(w, struct task, waiter);
    if (t->h->agent->host.closing) {
        leave_lane(t);
    } else {
        opened(t);
    }
}

/* ---- Forking ---- */

static void no_message(struct task *t)
{
    AUTO_BUF(message);
    AUTO_BUF(data);
    buf_put_c(&message, "Invalid params: Fork point message ");
    buf_put_str(&message, t->point.message_id);
    buf_put_c(&message, " was not found in session ");
    buf_put_str(&message, t->id);
    json_open_object(&data);
    json_member_str(&data, "messageId", t->point.message_id);
    json_close_object(&data);
    fail(t, &(struct session_error){.code = -32602, .message = buf_str(&message), .data = buf_str(&data)});
}

static void forked(struct task *t)
{
    if (t->forked == FORK_DONE) {
        start(t);
    } else if (t->forked == FORK_NO_MESSAGE) {
        no_message(t);
    } else {
        fail_text(t, t->why);
    }
}

/* ---- Removing ---- */

static void remove_now(uv_work_t *work)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    str config = str_of(t->h->agent->host.dirs->claude_config);
    t->removed = t->archive ? session_archive(&t->mem, config, t->id, &t->why)
                            : session_remove(&t->mem, config, t->id, &t->why);
    if (t->removed == REMOVAL_DONE && !t->archive) {
        conversations_forget(str_of(t->h->agent->host.dirs->state), t->id);
    }
}

static void removed(uv_work_t *work, int status)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    AUTO_BUF(details);
    if (status != 0 || t->removed == REMOVAL_FAILED) {
        fail_text(t, t->why.p ? t->why : STR("out of memory"));
    } else if (t->removed == REMOVAL_UNKNOWN) {
        buf_printf(&details, "Session %.*s not found in any project directory", STR_ARG(t->id));
        fail_text(t, buf_str(&details));
    } else {
        fail(t, NULL); /* no error: it is done */
    }
}

static void remove_closed(void *user)
{
    struct task *t = user;
    t->archive = t->h->agent->host.client.air;
    if (t->h->agent->host.closing) {
        leave_lane(t);
    } else if (uv_queue_work(t->h->agent->host.loop, &t->work, remove_now, removed) != 0) {
        fail(t, &NO_MEMORY);
    }
}

static void begin_removal(struct task *t)
{
    if (refuse_id(t)) {
        return;
    }
    struct session *s = agent_session(t->h->agent, t->id);
    if (s) {
        session_on_gone(s, remove_closed, t);
        session_close(s, NULL, NULL);
    } else {
        remove_closed(t);
    }
}

/* ---- The first look at the disk ---- */

/* The one that was noted, unless nothing of it is stored. */
static void find_conversation(struct task *t, str config)
{
    str noted = conversations_find(&t->mem, str_of(t->h->agent->host.dirs->state), t->id);
    struct project_folders all = {0};
    if (noted.p || t->replay) {
        all = project_folders(&t->mem, config, STR_ABSENT);
    }
    t->conversation = noted;
    t->transcript = noted.p ? find_transcript(&t->mem, &all, noted) : STR_ABSENT;
    if (!t->transcript.p) {
        t->conversation = t->id;
        t->transcript = t->replay ? find_transcript(&t->mem, &all, t->id) : STR_ABSENT;
    }
}

static void probe(uv_work_t *work)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    str config = str_of(t->h->agent->host.dirs->claude_config);
    struct stat st;
    t->no_folder = stat(t->cwd.p, &st) != 0;
    t->not_a_folder = !t->no_folder && !S_ISDIR(st.st_mode);
    if (t->no_folder || t->not_a_folder || !uuid_valid(t->id)) {
        return;
    }
    find_conversation(t, config);
    if (t->kind == TASK_FORK) {
        struct fork_request rq = {.config = config,
                                  .session_id = t->conversation,
                                  .cwd = t->cwd,
                                  .point = t->point};
        t->forked = session_fork(&t->mem, &rq, t->other_id, &t->why);
    }
}

static void probed(uv_work_t *work, int status)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    if (t->h->agent->host.closing) {
        leave_lane(t);
    } else if (status != 0 || !arena_ok(&t->mem)) {
        fail(t, &NO_MEMORY);
    } else if (t->no_folder || t->not_a_folder) {
        refuse_folder(t);
    } else if (refuse_id(t)) {
        return;
    } else if (t->kind == TASK_FORK) {
        forked(t);
    } else {
        launch_gate_wait(&t->h->agent->host.gate, &t->waiter, settled);
    }
}

static void begin(struct task *t)
{
    t->begun = true;
    if (t->kind == TASK_DELETE) {
        begin_removal(t);
    } else if (uv_queue_work(t->h->agent->host.loop, &t->work, probe, probed) != 0) {
        fail(t, &NO_MEMORY);
    }
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

bool history_open(struct history *h, const struct session_params *params, struct json_doc *doc, str id,
                  bool replay, session_ready_cb *ready, void *user)
{
    struct task *t = new_task(h, TASK_OPEN, id, user);
    if (!t) {
        return false;
    }
    t->replay = replay;
    return begin_session(t, params, doc, ready);
}

bool history_fork(struct history *h, const struct session_params *params, struct json_doc *doc, str id,
                  const struct fork_point *point, session_ready_cb *ready, void *user)
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

bool history_delete(struct history *h, str id, session_done_cb *done, void *user)
{
    struct task *t = new_task(h, TASK_DELETE, id, user);
    if (!t) {
        return false;
    }
    t->done = done;
    return enter_lane(t);
}
