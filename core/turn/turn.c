#include "turn/turn.h"

#include <assert.h>
#include <stdlib.h>

#include "turn/turn_internal.h"

const struct turn_end turn_end_cancelled = {.stop_reason = "cancelled"};
const struct turn_end turn_end_normal = {.stop_reason = "end_turn"};

/* ---- Answered prompts that the CLI may still run ---- */

enum turn_orphan turn_orphan_of(const struct turns *ts, str uuid)
{
    return (enum turn_orphan)(uintptr_t)map_get(&ts->orphans, uuid);
}

void turn_orphan_put(struct turns *ts, str uuid, enum turn_orphan state)
{
    if (!map_put(&ts->orphans, uuid, (void *)(uintptr_t)state, NULL)) {
        return;
    }
}

/* ---- Foreground work ---- */

void turn_work_begins(struct turns *ts, struct turn *owner)
{
    if (ts->work && ts->work != owner && ts->work->state == TURN_SETTLING) {
        struct turn *old = ts->work;
        turn_work_ends(ts, &(struct turn_end){.stop_reason = old->recorded_reason,
                                              .members = buf_str(&old->recorded_members)});
    }
    bool idle = !ts->work && !ts->cycle;
    ts->work = owner;
    ts->cycle = owner == NULL;
    if (!idle) {
        return;
    }
    ts->hooks->foreground(ts->user, FOREGROUND_RUNNING, NULL);
    if (ts->blocked) {
        ts->hooks->foreground(ts->user, FOREGROUND_AWAITING_USER, NULL);
    }
}

void turn_work_ends(struct turns *ts, const struct turn_end *end)
{
    ts->work = NULL;
    ts->cycle = false;
    ts->hooks->foreground(ts->user, FOREGROUND_ENDED, end);
}

void turns_set_blocked(struct turns *ts, bool blocked)
{
    if (ts->blocked == blocked) {
        return;
    }
    ts->blocked = blocked;
    if (ts->work || ts->cycle) {
        ts->hooks->foreground(ts->user, blocked ? FOREGROUND_AWAITING_USER : FOREGROUND_RUNNING, NULL);
    }
}

/* ---- A turn's life ---- */

const char *turn_state_name(enum turn_state state)
{
    static const char *const names[] = {
        [TURN_QUEUED] = "queued",   [TURN_ACTIVE] = "active",     [TURN_HELD] = "held",
        [TURN_STEERED] = "steered", [TURN_SETTLING] = "settling", [TURN_SETTLED] = "settled",
    };
    return names[state];
}

void turn_enter(struct turns *ts, struct turn *t, enum turn_state next, const char *why)
{
    static const unsigned allowed[] = {
        [TURN_QUEUED] = 1U << TURN_ACTIVE | 1U << TURN_STEERED | 1U << TURN_SETTLED,
        [TURN_ACTIVE] = 1U << TURN_HELD | 1U << TURN_STEERED | 1U << TURN_SETTLING | 1U << TURN_SETTLED,
        [TURN_HELD] = 1U << TURN_ACTIVE | 1U << TURN_STEERED | 1U << TURN_SETTLING | 1U << TURN_SETTLED,
        [TURN_STEERED] = 1U << TURN_ACTIVE | 1U << TURN_HELD | 1U << TURN_SETTLING | 1U << TURN_SETTLED,
        [TURN_SETTLING] = 1U << TURN_SETTLED,
        [TURN_SETTLED] = 0,
    };
    assert(allowed[t->state] & 1U << next);
    (void)allowed;
    t->state = next;
    if (ts->hooks->stepped) {
        ts->hooks->stepped(ts->user, t, why);
    }
}

void turns_init(struct turns *ts, const struct turn_hooks *hooks, void *user)
{
    *ts = (struct turns){.hooks = hooks, .user = user};
    list_init(&ts->queue);
}

void turns_free(struct turns *ts)
{
    turns_on_end(ts, &turn_end_cancelled, &turn_end_cancelled);
    map_free(&ts->cancelled_prompts, NULL);
    map_free(&ts->withdrawn, NULL);
    map_free(&ts->orphans, NULL);
}

static void nobody_inserted(void *user, const char *uuid)
{
    (void)user;
    (void)uuid;
}

static void nobody_ended(void *user, const struct turn_end *end)
{
    (void)user;
    (void)end;
}

const struct turn_observer turn_observer_nobody = {.inserted = nobody_inserted, .ended = nobody_ended};

struct turn *turns_add(struct turns *ts, const char *uuid, const struct turn_observer *observer, void *user)
{
    struct turn *t = calloc(1, sizeof(*t));
    if (!t) {
        return NULL;
    }
    memcpy(t->uuid, uuid, sizeof(t->uuid) - 1);
    t->observer = observer;
    t->user = user;
    list_init(&t->steers);
    list_append(&ts->queue, &t->link);
    return t;
}

bool turns_busy(const struct turns *ts)
{
    return !list_empty(&ts->queue);
}

bool turns_working(const struct turns *ts)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (!t->unsent) {
            return true;
        }
    }
    return ts->busy && (ts->cycle || ts->requested);
}

void turns_release(struct turns *ts)
{
    struct turn *held = ts->active;
    if (!held || held->state != TURN_HELD) {
        return;
    }
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->unsent) {
            turn_settle_recorded(ts, held);
            return;
        }
    }
}

void turns_refuse(struct turns *ts, struct turn *t, const struct turn_end *end)
{
    assert(t->state == TURN_QUEUED && t->unsent);
    turn_answer(ts, t, end);
}

struct turn *turns_find(struct turns *ts, str uuid)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (str_is(uuid, t->uuid)) {
            return t;
        }
    }
    return NULL;
}

void turn_insert(struct turns *ts, struct turn *t)
{
    if (!t->inserted) {
        t->inserted = true;
        t->observer->inserted(t->user, t->uuid);
        turn_work_begins(ts, t);
    }
}

void turn_activate(struct turns *ts, struct turn *t, bool by_result)
{
    ts->active = t;
    t->folded = false;
    buf_free(&t->line);
    turn_enter(ts, t, list_empty(&t->steers) ? TURN_ACTIVE : TURN_STEERED,
               by_result ? "its result" : "its echo");
    ts->cancelled = false;
    map_free(&ts->cancelled_prompts, NULL);
    map_free(&ts->orphans, NULL);
    ts->hooks->activated(ts->user, t, by_result);
    turn_insert(ts, t);
}

void turn_record(struct turn *t, const struct turn_end *end)
{
    AUTO_BUF(copy);
    if (end->members.p) {
        buf_put_str(&copy, end->members);
    }
    buf_free(&t->recorded_members); /* which `end` may point into */
    t->recorded_members = copy;
    copy = BUF_INIT;
    t->recorded = true;
    t->recorded_reason = end->stop_reason;
}

struct turn_end turn_recorded(const struct turn *t)
{
    return (struct turn_end){
        .stop_reason = t->recorded_reason,
        .members = t->recorded_members.n ? buf_str(&t->recorded_members) : STR_ABSENT,
    };
}

static void free_turn(struct turn *t)
{
    LIST_EACH(steer, &t->steers, struct turn_steer, link) {
        turn_drop_steer(steer);
    }
    map_free(&t->spawned, NULL);
    buf_free(&t->recorded_members);
    buf_free(&t->line);
    free(t);
}

/* The answer itself, after all that belongs before it. */
static void tell_end(struct turns *ts, struct turn *t, const struct turn_end *end)
{
    turn_enter(ts, t, TURN_SETTLED, end->stop_reason ? end->stop_reason : "an error");
    if (t->cancel_timer) {
        ts->hooks->stop_timer(ts->user, t->cancel_timer);
        t->cancel_timer = 0;
    }
    list_remove(&t->link);
    if (ts->active == t) {
        ts->active = NULL;
    }
    LIST_EACH(steer, &t->steers, struct turn_steer, link) {
        if (!steer->echoed) { /* the CLI may still run it, now as a prompt of its own */
            turn_orphan_put(ts, str_of(steer->uuid), ORPHAN_PENDING);
        }
    }
    t->observer->ended(t->user, end);
    if (ts->work == t) {
        turn_work_ends(ts, end);
    }
    free_turn(t);
    ts->hooks->gone(ts->user);
}

void turn_answer(struct turns *ts, struct turn *t, const struct turn_end *end)
{
    if (t->state != TURN_SETTLING) {
        ts->hooks->before_answer(ts->user, t, end, false);
    }
    tell_end(ts, t, end);
}

static bool is_cancelled(const struct turn_end *end)
{
    return end->stop_reason && strcmp(end->stop_reason, "cancelled") == 0;
}

static bool is_normal(const struct turn_end *end)
{
    return end->stop_reason && !end->failed && strcmp(end->stop_reason, "end_turn") == 0;
}

void turn_settle(struct turns *ts, struct turn *t, const struct turn_end *end)
{
    struct turn_end faulty;
    bool lost = false;
    ts->hooks->close_calls(ts->user, t, is_cancelled(end), &lost);
    if (lost && is_normal(end)) {
        ts->hooks->finish_faulty(ts->user, t, TURN_INCOMPLETE_CALL, &faulty);
        end = &faulty;
    }
    bool may_wait = !ts->ended && end->stop_reason && !end->failed && !is_cancelled(end);
    if (!ts->hooks->before_answer(ts->user, t, end, may_wait) || !may_wait) {
        tell_end(ts, t, end);
        return;
    }
    turn_record(t, end);
    turn_enter(ts, t, TURN_SETTLING, "something belongs before its answer");
    if (ts->active == t) {
        ts->active = NULL;
    }
}

void turns_settled(struct turns *ts, str uuid)
{
    struct turn *t = turns_find(ts, uuid);
    if (t && t->state == TURN_SETTLING) {
        struct turn_end end = turn_recorded(t);
        tell_end(ts, t, &end);
        turn_settle_folded(ts);
        turn_handle_waiting(ts);
    }
}

bool turn_is_any_settling(const struct turns *ts)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->state == TURN_SETTLING) {
            return true;
        }
    }
    return false;
}

void turn_settle_recorded(struct turns *ts, struct turn *t)
{
    struct turn_end end = turn_recorded(t);
    turn_settle(ts, t, &end);
}

void turn_settle_cancelled(struct turns *ts, struct turn *t)
{
    struct turn_end end = turn_end_cancelled;
    if (t->state == TURN_HELD) {
        end.members = turn_recorded(t).members;
    } else {
        ts->hooks->finish_cancelled(ts->user, t, &end);
    }
    turn_settle(ts, t, &end);
}

void turn_settle_finished(struct turns *ts, struct turn *t, json result)
{
    struct turn_end end = turn_end_normal;
    ts->hooks->finish(ts->user, t, result, &end);
    turn_settle(ts, t, &end);
}

void turn_settle_folded(struct turns *ts)
{
    struct turn *t;
    while (!ts->active && (t = LIST_FIRST(&ts->queue, struct turn, link)) && t->state == TURN_QUEUED &&
           t->folded) {
        turn_activate(ts, t, false);
        turn_settle_finished(ts, t, JSON_NONE);
    }
}

/* ---- The hold ---- */

void turns_spawned(struct turns *ts, str task_id)
{
    if (ts->active) {
        set_add(&ts->active->spawned, task_id);
    }
}

bool turn_is_drained(const struct turns *ts, const struct turn *t)
{
    size_t at = 0;
    str id;
    while (map_next(&t->spawned, &at, &id, NULL)) {
        if (ts->hooks->task_holds(ts->user, id)) {
            return false;
        }
    }
    return true;
}

void turn_conclude(struct turns *ts, struct turn *t, const struct turn_end *end)
{
    if (!end->stop_reason || end->failed || turn_is_drained(ts, t)) {
        turn_settle(ts, t, end);
        return;
    }
    turn_record(t, end);
    turn_enter(ts, t, TURN_HELD, "its subagents still run");
    if (ts->work == t) {
        struct turn_end told = turn_recorded(t);
        turn_work_ends(ts, &told);
    }
}

/* ---- Steers ---- */

/* The turn that a steer belongs to. */
static struct turn *steerable(const struct turns *ts)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->state != TURN_SETTLING && !t->unsent) {
            return t;
        }
    }
    return NULL;
}

bool turns_steerable(const struct turns *ts)
{
    return steerable(ts) != NULL;
}

bool turns_steer(struct turns *ts, const char *uuid, str line)
{
    struct turn *t = steerable(ts);
    struct turn_steer *steer = t ? calloc(1, sizeof(*steer)) : NULL;
    if (!steer) {
        return false;
    }
    buf_put_str(&steer->line, line);
    if (!buf_ok(&steer->line)) {
        free(steer);
        return false;
    }
    memcpy(steer->uuid, uuid, sizeof(steer->uuid) - 1);
    list_append(&t->steers, &steer->link);
    bool held = t->state == TURN_HELD;
    if (held || t->state == TURN_ACTIVE) {
        turn_enter(ts, t, TURN_STEERED, "a steer");
    }
    if (held) {
        turn_work_begins(ts, t);
    }
    return true;
}

struct turn_steer *turn_find_steer(const struct turn *t, str uuid)
{
    LIST_EACH(steer, &t->steers, struct turn_steer, link) {
        if (str_is(uuid, steer->uuid)) {
            return steer;
        }
    }
    return NULL;
}

void turn_drop_steer(struct turn_steer *steer)
{
    list_remove(&steer->link);
    buf_free(&steer->line);
    free(steer);
}

void turn_leave_steers(struct turns *ts, struct turn *t)
{
    if (t->state == TURN_STEERED) {
        turn_enter(ts, t, TURN_ACTIVE, "its steers are answered");
        t->recorded = false;
    }
}

/* ---- What may be told, and another process ---- */

enum turn_output turns_output(const struct turns *ts, bool by_foreground)
{
    if (!ts->cancelled) {
        return TURN_OUTPUT_OPEN;
    }
    bool told = by_foreground ? !ts->work && !ts->cycle : !ts->active;
    return told ? TURN_OUTPUT_MUTE : TURN_OUTPUT_CLOSING;
}

/* No process has them any more. */
static void release_steers(struct turns *ts, struct turn *t)
{
    LIST_EACH(steer, &t->steers, struct turn_steer, link) {
        struct turn *own = steer->echoed ? NULL : turns_add(ts, steer->uuid, &turn_observer_nobody, NULL);
        if (own) {
            own->line = steer->line;
            own->unsent = true;
            steer->line = BUF_INIT;
        }
        turn_drop_steer(steer);
    }
}

void turns_renewed(struct turns *ts)
{
    map_free(&ts->cancelled_prompts, NULL);
    map_free(&ts->withdrawn, NULL);
    map_free(&ts->orphans, NULL);
    ts->owed_idles = 0;
    ts->running = ts->busy = ts->requested = false;
    if (ts->cycle) {
        turn_work_ends(ts, &turn_end_cancelled);
    }
    LIST_EACH(t, &ts->queue, struct turn, link) {
        t->started = t->finished = t->finished_cancelled = t->result_seen = t->folded = false;
        t->unsent = t->state == TURN_QUEUED;
        release_steers(ts, t);
    }
    struct turn *t = ts->active;
    if (!t) {
        return;
    }
    map_free(&t->spawned, NULL);
    t->recorded = false;
    if (t->state != TURN_ACTIVE) {
        turn_enter(ts, t, TURN_ACTIVE, "another process");
    }
    if (ts->work != t) {
        turn_work_begins(ts, t);
    }
}
