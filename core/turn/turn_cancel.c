/* What a cancel does to the turns, and what the CLI may still do with them. */
#include "turn/turn_internal.h"

enum { CANCEL_LIMIT_MS = 30000 };

void turn_leave_orphan(struct turns *ts, const struct turn *t, bool running)
{
    enum turn_orphan state = t->started || running ? ORPHAN_STARTED : ORPHAN_PENDING;
    if (t->finished) {
        if (!t->finished_cancelled || !t->started || t->result_seen) {
            return;
        }
        state = ORPHAN_ZOMBIE;
    } else if (t->started && t->result_seen) {
        return;
    }
    turn_orphan_put(ts, str_of(t->uuid), state);
}

/* Remembers what is cancelled, and lists (each uuid with its NUL) what the CLI is to drop from its queue. */
static void note_cancelled(struct turns *ts, struct buf *abandoned)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->unsent) {
            continue;
        }
        set_add(&ts->cancelled_prompts, str_of(t->uuid));
        if (t->state == TURN_QUEUED) {
            set_add(&ts->withdrawn, str_of(t->uuid));
            buf_put(abandoned, t->uuid, sizeof(t->uuid));
            turn_leave_orphan(ts, t, false);
        }
        LIST_EACH(steer, &t->steers, struct turn_steer, link) {
            set_add(&ts->cancelled_prompts, str_of(steer->uuid));
            buf_put(abandoned, steer->uuid, sizeof(steer->uuid));
            turn_orphan_put(ts, str_of(steer->uuid), ORPHAN_PENDING);
        }
    }
}

/* A turn whose result came already is answered at once. */
static void cancel_finished(struct turns *ts)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->state == TURN_SETTLING) {
            struct turn_end end = turn_recorded(t);
            end.stop_reason = turn_end_cancelled.stop_reason;
            turn_answer(ts, t, &end);
            ts->owed_idles += ts->busy;
        }
    }
    struct turn *active = ts->active;
    /* The CLI is idle: it has not even read what the turn was steered with. */
    bool unread = active && active->state == TURN_STEERED && active->recorded && !ts->busy;
    if (unread || (active && active->state == TURN_HELD && !ts->requested)) {
        turn_settle_cancelled(ts, active);
        ts->owed_idles += ts->busy;
    }
}

static void cancel_at_once(struct turns *ts)
{
    struct turn *t = ts->active;
    if (t) {
        turn_leave_orphan(ts, t, true);
        turn_settle_cancelled(ts, t);
    }
}

void turns_cancel(struct turns *ts)
{
    if (ts->ended) {
        return;
    }
    AUTO_BUF(abandoned);
    ts->cancelled = true;
    note_cancelled(ts, &abandoned);
    ts->hooks->cancelling(ts->user);
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->state == TURN_QUEUED) {
            turn_answer(ts, t, &turn_end_cancelled);
        }
    }
    cancel_finished(ts);
    struct turn *t = ts->active;
    if (t && t->state == TURN_STEERED && t->recorded) {
        ts->owed_idles++;
    }
    for (size_t at = 0; at < abandoned.n; at += sizeof(t->uuid)) {
        ts->hooks->cancel_queued(ts->user, abandoned.p + at);
    }
    if (!ts->hooks->interrupt(ts->user)) {
        cancel_at_once(ts);
    } else if (t && !t->cancel_timer) {
        t->cancel_timer = ts->hooks->start_timer(ts->user, CANCEL_LIMIT_MS, t);
    }
    turn_handle_waiting(ts);
}

void turns_still_queued(struct turns *ts, json uuids)
{
    if (!json_is(uuids, JSON_ARRAY)) {
        return;
    }
    size_t at = 0;
    str uuid;
    void *state;
    while (map_next(&ts->orphans, &at, &uuid, &state)) {
        bool listed = false;
        for (struct json_iter it = json_each(uuids); json_next(&it);) {
            listed = listed || str_eq(json_str(it.value), uuid);
        }
        if (!listed && (uintptr_t)state == ORPHAN_PENDING) {
            map_remove(&ts->orphans, uuid);
        }
    }
}

void turns_cancel_timeout(struct turns *ts, struct turn *t)
{
    t->cancel_timer = 0;
    if (t == ts->active && ts->cancelled) {
        cancel_at_once(ts);
    }
}
