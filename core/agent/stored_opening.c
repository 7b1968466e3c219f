/* session/load, resume and fork: what goes on under the id is opened as a live session, or a copy of it is.
 */
#include <sys/stat.h>

#include "agent/stored_task.h"
#include "replay/replay.h"
#include "session/goal.h"

static void open_done(struct task *t)
{
    if (t->is_ready && !t->running) {
        if (!t->h->agent->host.closing) {
            struct session *s = t->session;
            bool live = session_live(s);
            t->ready(t->user, live ? s : NULL, live ? NULL : &session_error_gone);
            if (live) {
                session_goal_opened(s);
            }
        }
        stored_end(t);
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
        struct replay_target target;
        session_replay_target(s, &target);
        t->running = replay_start(&target, path, replayed, t);
        if (!t->running) {
            log_write(t->h->agent->host.log, LOG_ERROR, "out of memory: a stored session is not replayed");
        }
    }
}

static void task_started(void *user, struct session *s, const struct session_error *error)
{
    struct task *t = user;
    if (error) {
        stored_fail(t, error);
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
                                .conversation = t->kind == TASK_FORK ? copy : str_of(t->found.id),
                                .mode = t->mode,
                                .picks = t->id};
    struct session *s = session_resume(&t->h->agent->host, &t->params, t->doc, &past, task_started, t);
    if (s) {
        start_replay(t, s, t->found.transcript);
    } else {
        stored_fail(t, &session_error_memory);
    }
}

static bool same_launch(struct task *t, const struct session *s)
{
    str now = launch_fingerprint(&t->mem, session_params(s)),
        wanted = launch_fingerprint(&t->mem, &t->params);
    return now.p && wanted.p && str_eq(now, wanted);
}

static void find_again(uv_work_t *work)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    struct project_folders all =
        project_folders(&t->mem, str_of(t->h->agent->host.dirs->claude_config), STR_ABSENT);
    t->found.transcript = find_transcript(&t->mem, &all, str_of(t->other_id));
}

static void found_again(uv_work_t *work, int status)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    (void)status;
    start_replay(t, t->session, t->found.transcript);
    open_done(t);
}

/* A live session is used as it is. After a cleared context its conversation has another transcript. */
static void reuse(struct task *t, struct session *s)
{
    keep_session(t, s);
    t->is_ready = true;
    if (t->replay && !str_is(session_conversation(s), t->found.id)) {
        memcpy(t->other_id, session_conversation(s).p, sizeof(t->other_id));
        if (uv_queue_work(t->h->agent->host.loop, &t->work, find_again, found_again) == 0) {
            return;
        }
    }
    start_replay(t, s, t->found.transcript);
    open_done(t);
}

static void look_at_disk(struct task *t);

/* What the id means is asked again: the session may have cleared its context meanwhile. */
static void closed(void *user)
{
    struct task *t = user;
    if (t->h->agent->host.closing) {
        stored_end(t);
    } else {
        look_at_disk(t);
    }
}

static void refuse_folder(struct task *t)
{
    AUTO_BUF(data);
    json_open_object(&data);
    json_member_str(&data, "cwd", t->cwd);
    json_close_object(&data);
    stored_fail(t, &(struct session_error){
                       .code = RPC_INVALID_PARAMS,
                       .message = t->no_folder ? STR("Invalid params: cwd does not exist")
                                               : STR("Invalid params: cwd is not a folder"),
                       .data = buf_str(&data),
                   });
}

/* Nothing goes on under the id. */
static void refuse_unknown(struct task *t)
{
    AUTO_BUF(message);
    AUTO_BUF(data);
    buf_printf(&message, "Resource not found: %.*s", STR_ARG(t->id));
    json_open_object(&data);
    json_member_str(&data, "uri", t->id);
    json_close_object(&data);
    stored_fail(t, &(struct session_error){.code = RPC_RESOURCE_NOT_FOUND,
                                           .message = buf_str(&message),
                                           .data = buf_str(&data)});
}

static void opened(struct task *t)
{
    struct session *s = agent_session(t->h->agent, t->id);
    if (s && session_serves(s) && same_launch(t, s)) {
        reuse(t, s);
    } else if (s) {
        t->mode = session_mode(s);
        memcpy(t->was, session_conversation(s).p, sizeof(t->was));
        session_on_gone(s, &t->gone, closed, t);
        session_close(s, NULL, NULL);
    } else {
        stored_claim(t, start);
    }
}

static void settled(struct gate_waiter *w)
{
    struct task *t = CONTAINER_OF(w, struct task, waiter);
    if (t->h->agent->host.closing) {
        stored_end(t);
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
    stored_fail(t, &(struct session_error){.code = RPC_INVALID_PARAMS,
                                           .message = buf_str(&message),
                                           .data = buf_str(&data)});
}

static void forked(struct task *t)
{
    if (t->forked == FORK_DONE) {
        start(t);
    } else if (t->forked == FORK_NO_MESSAGE) {
        no_message(t);
    } else {
        stored_fail_text(t, t->why);
    }
}

/* ---- The look at the disk ---- */

static void probe(uv_work_t *work)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    struct stat st;
    t->no_folder = stat(t->cwd.p, &st) != 0;
    t->not_a_folder = !t->no_folder && !S_ISDIR(st.st_mode);
    if (t->no_folder || t->not_a_folder || !uuid_valid(t->id)) {
        return;
    }
    stored_find(t);
    if (t->kind == TASK_FORK && t->found.id[0]) {
        struct fork_request rq = {.config = t->place.config,
                                  .session_id = str_of(t->found.id),
                                  .cwd = t->cwd,
                                  .point = t->point};
        t->forked = session_fork(&t->mem, &rq, t->other_id, &t->why);
    }
}

static void probed(uv_work_t *work, int status)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    if (t->h->agent->host.closing) {
        stored_end(t);
    } else if (status != 0 || !arena_ok(&t->mem)) {
        stored_fail(t, &session_error_memory);
    } else if (t->no_folder || t->not_a_folder) {
        refuse_folder(t);
    } else if (stored_refuse_id(t)) {
        return;
    } else if (!t->found.id[0]) {
        refuse_unknown(t);
    } else if (t->kind == TASK_FORK) {
        forked(t);
    } else {
        launch_gate_wait(&t->h->agent->host.gate, &t->waiter, settled);
    }
}

static void look_at_disk(struct task *t)
{
    stored_put_place(t);
    if (uv_queue_work(t->h->agent->host.loop, &t->work, probe, probed) != 0) {
        stored_fail(t, &session_error_memory);
    }
}

void stored_begin_opening(struct task *t)
{
    look_at_disk(t);
}
