/* session/delete: what goes on under the id is removed, or archived for AIR. A talk before a cleared context
 * is another one, and stays. */
#include "agent/stored_task.h"
#include "options/picks_file.h"

static void remove_now(uv_work_t *work)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    str conversation = str_of(t->found.id);
    bool empty =
        t->was[0] && !str_is(t->id, t->was) && !t->found.transcript.p; /* nothing of it is stored yet */
    t->removed = empty        ? REMOVAL_DONE
                 : t->archive ? session_archive(&t->mem, t->place.config, conversation, &t->why)
                              : session_remove(&t->mem, t->place.config, conversation, &t->why);
    if (t->removed == REMOVAL_DONE && !t->archive) {
        conversation_removed(&t->place, t->id, conversation);
        picks_file_forget(t->place.state, t->id);
    }
}

static void refuse_unknown(struct task *t)
{
    AUTO_BUF(details);
    buf_printf(&details, "Session %.*s not found in any project directory", STR_ARG(t->id));
    stored_fail_text(t, buf_str(&details));
}

static void removed(uv_work_t *work, int status)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    if (status != 0 || t->removed == REMOVAL_FAILED) {
        stored_fail_text(t, t->why.p ? t->why : STR("out of memory"));
    } else if (t->removed == REMOVAL_UNKNOWN) {
        refuse_unknown(t);
    } else {
        stored_fail(t, NULL); /* no error: it is done */
    }
}

static void claimed(struct task *t)
{
    t->archive = t->h->agent->host.client.air;
    if (uv_queue_work(t->h->agent->host.loop, &t->work, remove_now, removed) != 0) {
        stored_fail(t, &session_error_memory);
    }
}

static void find(uv_work_t *work)
{
    stored_find(CONTAINER_OF(work, struct task, work));
}

static void found(uv_work_t *work, int status)
{
    struct task *t = CONTAINER_OF(work, struct task, work);
    if (t->h->agent->host.closing) {
        stored_end(t);
    } else if (status != 0 || !arena_ok(&t->mem)) {
        stored_fail(t, &session_error_memory);
    } else if (!t->found.id[0]) {
        refuse_unknown(t);
    } else {
        stored_claim(t, claimed);
    }
}

static void closed(void *user)
{
    struct task *t = user;
    stored_put_place(t);
    if (t->h->agent->host.closing) {
        stored_end(t);
    } else if (uv_queue_work(t->h->agent->host.loop, &t->work, find, found) != 0) {
        stored_fail(t, &session_error_memory);
    }
}

void stored_begin_removal(struct task *t)
{
    if (stored_refuse_id(t)) {
        return;
    }
    struct session *s = agent_session(t->h->agent, t->id);
    if (s) {
        memcpy(t->was, session_conversation(s).p, sizeof(t->was));
        session_on_gone(s, &t->gone, closed, t);
        session_close(s, NULL, NULL);
    } else {
        closed(t);
    }
}
