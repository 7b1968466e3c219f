/* One writer for each conversation: before a session is started on a transcript, or the transcript is
 * removed, whoever writes it must be through. A session that was closed is waited for until its CLI has
 * ended, another process for a while: an editor that starts Herald again may not have ended the one before.
 */
#include "agent/stored_task.h"

enum { LOOK_MS = 100 };

static void refuse_open(struct task *t, const struct session *other)
{
    AUTO_BUF(details);
    buf_printf(&details, "The conversation of session %.*s is open as session %.*s", STR_ARG(t->id),
               STR_ARG(session_id(other)));
    stored_fail_text(t, buf_str(&details));
}

static void refuse_elsewhere(struct task *t, pid_t holder)
{
    AUTO_BUF(details);
    buf_printf(&details, "Session %.*s is open in another process of Herald", STR_ARG(t->id));
    if (holder > 0) {
        buf_printf(&details, " (%ld)", (long)holder);
    }
    buf_put_c(&details, "; close it there first");
    stored_fail_text(t, buf_str(&details));
}

/* Another request is at this conversation, under another id. */
static bool claimed_by_another(const struct task *t)
{
    LIST_EACH(other, &t->h->tasks, struct task, link) {
        if (other != t && other->locked && str_is(str_of(t->found.id), other->found.id)) {
            return true;
        }
    }
    return false;
}

static void look(struct task *t);

static void look_again(uv_timer_t *timer)
{
    struct stored_sessions *h = CONTAINER_OF(timer, struct stored_sessions, timer);
    bool again = true;
    h->round++;
    while (again) { /* a look can end other tasks, too */
        again = false;
        LIST_EACH(t, &h->tasks, struct task, link) {
            if (t->waiting && t->round != h->round) {
                t->round = h->round;
                look(t);
                again = true;
                break;
            }
        }
    }
    LIST_EACH(t, &h->tasks, struct task, link) {
        if (t->waiting) {
            return;
        }
    }
    (void)uv_timer_stop(timer);
}

/* False: it has waited long enough. */
static bool wait_longer(struct task *t)
{
    struct stored_sessions *h = t->h;
    uv_loop_t *loop = h->agent->host.loop;
    uint64_t now = uv_now(loop);
    if (!h->has_timer) {
        h->has_timer = uv_timer_init(loop, &h->timer) == 0;
    }
    if (!t->deadline) {
        t->deadline = now + h->agent->host.limits.elsewhere;
    }
    t->waiting = h->has_timer && now < t->deadline &&
                 (uv_is_active((uv_handle_t *)&h->timer) ||
                  uv_timer_start(&h->timer, look_again, LOOK_MS, LOOK_MS) == 0);
    return t->waiting;
}

static void gone(void *user)
{
    struct task *t = user;
    if (t->h->agent->host.closing) {
        stored_end(t);
    } else {
        look(t);
    }
}

static void look(struct task *t)
{
    struct writers *w = &t->h->agent->host.writers;
    str id = str_of(t->found.id);
    struct session *writer = writers_of(w, id);
    pid_t holder = 0;
    if (writer && session_live(writer)) {
        refuse_open(t, writer);
    } else if (writer) {
        t->waiting = false;
        session_on_gone(writer, &t->gone, gone, t);
    } else if (!claimed_by_another(t) && writers_lock(w, id, &holder)) {
        t->waiting = false;
        t->locked = true;
        t->claimed(t);
    } else if (!wait_longer(t)) {
        refuse_elsewhere(t, holder);
    }
}

void stored_claim(struct task *t, void (*claimed)(struct task *t))
{
    t->claimed = claimed;
    t->round = t->h->round;
    look(t);
}

void stored_unclaim(struct task *t)
{
    if (t->locked) {
        t->locked = false;
        writers_unlock(&t->h->agent->host.writers, str_of(t->found.id));
    }
}
