#include "session/turn.h"

#include <stdlib.h>

enum { CANCEL_LIMIT_MS = 30000 };

static const struct turn_end END_CANCELLED = {.stop_reason = "cancelled"};
static const struct turn_end END_TURN = {.stop_reason = "end_turn"};

/* ---- Small sets of uuids: maps whose values only say that the key is there ---- */

static bool set_has(const struct map *set, str uuid)
{
    return map_get(set, uuid) != NULL;
}

static void set_add(struct map *set, const char *uuid)
{
    static char there;
    if (!map_put(set, str_of(uuid), &there, NULL)) {
        return; /* memory is out: the prompt counts as not remembered */
    }
}

static enum turn_orphan orphan_of(const struct turns *ts, str uuid)
{
    return (enum turn_orphan)(uintptr_t)map_get(&ts->orphans, uuid);
}

static void orphan_put(struct turns *ts, str uuid, enum turn_orphan state)
{
    if (!map_put(&ts->orphans, uuid, (void *)(uintptr_t)state, NULL)) {
        return;
    }
}

/* Drops the orphans in one of these states; how many there were. */
static unsigned drop_orphans(struct turns *ts, unsigned states)
{
    unsigned dropped = 0;
    size_t at = 0;
    str uuid;
    void *state;
    while (map_next(&ts->orphans, &at, &uuid, &state)) {
        if (states & 1U << (uintptr_t)state) {
            map_remove(&ts->orphans, uuid);
            dropped++;
        }
    }
    return dropped;
}

/* ---- Foreground work ---- */

static void work_begins(struct turns *ts, struct turn *owner)
{
    bool idle = !ts->work && !ts->cycle;
    ts->work = owner;
    ts->cycle = owner == NULL;
    if (idle) {
        ts->hooks->foreground(ts->user, NULL);
    }
}

static void work_ends(struct turns *ts, const struct turn_end *end)
{
    ts->work = NULL;
    ts->cycle = false;
    ts->hooks->foreground(ts->user, end);
}

/* ---- A turn's life ---- */

void turns_init(struct turns *ts, const struct turn_hooks *hooks, void *user)
{
    *ts = (struct turns){.hooks = hooks, .user = user};
    list_init(&ts->queue);
}

void turns_free(struct turns *ts)
{
    turns_on_end(ts, &END_CANCELLED, &END_CANCELLED);
    map_free(&ts->cancelled_prompts, NULL);
    map_free(&ts->withdrawn, NULL);
    map_free(&ts->orphans, NULL);
}

struct turn *turns_add(struct turns *ts, const char *uuid, const struct turn_observer *observer, void *user)
{
    struct turn *t = calloc(1, sizeof(*t));
    if (!t) {
        return NULL;
    }
    memcpy(t->uuid, uuid, sizeof(t->uuid) - 1);
    t->observer = observer;
    t->user = user;
    list_append(&ts->queue, &t->link);
    return t;
}

bool turns_busy(const struct turns *ts)
{
    return !list_empty(&ts->queue);
}

struct turn *turns_find(struct turns *ts, str uuid)
{
    LIST_EACH(t, &ts->queue, struct turn, link)
    {
        if (str_is(uuid, t->uuid)) {
            return t;
        }
    }
    return NULL;
}

static void insert(struct turns *ts, struct turn *t)
{
    if (t->inserted) {
        return;
    }
    t->inserted = true;
    t->observer->inserted(t->user);
    work_begins(ts, t);
}

static void activate(struct turns *ts, struct turn *t)
{
    ts->active = t;
    t->state = TURN_ACTIVE;
    ts->cancelled = false;
    map_free(&ts->cancelled_prompts, NULL);
    map_free(&ts->orphans, NULL);
    ts->hooks->activated(ts->user, t);
    insert(ts, t);
}

/* Answers the prompt and forgets the turn. */
static void answer(struct turns *ts, struct turn *t, const struct turn_end *end)
{
    t->state = TURN_SETTLED;
    if (t->cancel_timer) {
        ts->hooks->stop_timer(ts->user, t->cancel_timer);
    }
    list_remove(&t->link);
    if (ts->active == t) {
        ts->active = NULL;
    }
    t->observer->ended(t->user, end);
    if (ts->work == t) {
        work_ends(ts, end);
    }
    free(t);
}

static void settle(struct turns *ts, struct turn *t, const struct turn_end *end)
{
    static const struct turn_end lost_call = {
        .code = -32603,
        .message = STR_INIT(
            "Internal error: Claude ended the turn without a result for one of its tool calls. Try again."),
        .data = STR_INIT("{\"errorKind\":\"incomplete_tool_call\"}"),
    };
    bool lost = false, cancelled = end->stop_reason && strcmp(end->stop_reason, "cancelled") == 0;
    ts->hooks->close_calls(ts->user, t, cancelled, &lost);
    bool normal = end->stop_reason && strcmp(end->stop_reason, "end_turn") == 0;
    answer(ts, t, lost && normal ? &lost_call : end);
}

static void settle_cancelled(struct turns *ts, struct turn *t)
{
    struct turn_end end = END_CANCELLED;
    ts->hooks->finish_cancelled(ts->user, t, &end);
    settle(ts, t, &end);
}

static void settle_finished(struct turns *ts, struct turn *t, json result)
{
    struct turn_end end = END_TURN;
    ts->hooks->finish(ts->user, t, result, &end);
    settle(ts, t, &end);
}

/* ---- Cancel ---- */

/* What the CLI may still do with a prompt that is answered already. */
static void leave_orphan(struct turns *ts, const struct turn *t)
{
    enum turn_orphan state = t->started ? ORPHAN_STARTED : ORPHAN_PENDING;
    if (t->finished) {
        if (!t->finished_cancelled || !t->started || t->result_seen) {
            return;
        }
        state = ORPHAN_ZOMBIE;
    } else if (t->started && t->result_seen) {
        return;
    }
    orphan_put(ts, str_of(t->uuid), state);
}

void turns_cancel(struct turns *ts)
{
    if (ts->ended) {
        return;
    }
    ts->cancelled = true;
    AUTO_BUF(waiting); /* uuids of the queued turns, each with its NUL */
    LIST_EACH(t, &ts->queue, struct turn, link)
    {
        set_add(&ts->cancelled_prompts, t->uuid);
    }
    LIST_EACH(t, &ts->queue, struct turn, link)
    {
        if (t == ts->active) {
            continue;
        }
        set_add(&ts->withdrawn, t->uuid);
        buf_put(&waiting, t->uuid, sizeof(t->uuid));
        leave_orphan(ts, t);
        answer(ts, t, &END_CANCELLED);
    }
    if (ts->active && !ts->active->cancel_timer) {
        ts->active->cancel_timer = ts->hooks->start_timer(ts->user, CANCEL_LIMIT_MS, ts->active);
    }
    for (size_t at = 0; at < waiting.n; at += sizeof(ts->active->uuid)) {
        ts->hooks->cancel_queued(ts->user, waiting.p + at);
    }
    ts->hooks->interrupt(ts->user);
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
    if (t != ts->active) {
        return;
    }
    leave_orphan(ts, t);
    settle_cancelled(ts, t);
}

/* ---- Frames ---- */

static void orphan_lifecycle(struct turns *ts, str uuid, bool started, bool cancelled)
{
    enum turn_orphan state = orphan_of(ts, uuid);
    if (!state) {
        return;
    }
    if (started && state == ORPHAN_PENDING) {
        orphan_put(ts, uuid, ORPHAN_STARTED);
    } else if (cancelled && state == ORPHAN_STARTED) {
        orphan_put(ts, uuid, ORPHAN_ZOMBIE);
    } else if (!started) {
        map_remove(&ts->orphans, uuid);
    }
}

void turns_on_lifecycle(struct turns *ts, str uuid, str state)
{
    bool started = str_is(state, "started"), cancelled = str_is(state, "cancelled");
    bool terminal =
        cancelled || str_is(state, "completed") || str_is(state, "discarded") || str_is(state, "refused");
    if (!started && !terminal) {
        return;
    }
    struct turn *t = turns_find(ts, uuid);
    if (!t) {
        orphan_lifecycle(ts, uuid, started, cancelled);
        return;
    }
    if (started) {
        t->started = true;
        if (!ts->active || ts->active == t) {
            insert(ts, t);
        }
    } else {
        t->finished = true;
        t->finished_cancelled = cancelled;
    }
}

bool turns_on_echo(struct turns *ts, str uuid)
{
    struct turn *t = turns_find(ts, uuid), *old = ts->active;
    if (!t) {
        return set_has(&ts->cancelled_prompts, uuid) || orphan_of(ts, uuid);
    }
    if (t == old) {
        return true;
    }
    if (old) { /* the CLI has gone on without a result for it */
        if (ts->cancelled) {
            ts->owed_idles++;
            settle_cancelled(ts, old);
        } else {
            settle_finished(ts, old, JSON_NONE);
        }
    }
    activate(ts, t);
    return true;
}

/* Calls `has` for each uuid of an array until it says true. */
static bool any_uuid(struct turns *ts, json uuids, bool (*has)(struct turns *, str))
{
    for (struct json_iter it = json_each(uuids); json_next(&it);) {
        if (has(ts, json_str(it.value))) {
            return true;
        }
    }
    return false;
}

static bool is_stopped(struct turns *ts, str uuid)
{
    return set_has(&ts->cancelled_prompts, uuid);
}

static bool is_open(struct turns *ts, str uuid)
{
    return turns_find(ts, uuid) != NULL;
}

static bool is_withdrawn(struct turns *ts, str uuid)
{
    return set_has(&ts->withdrawn, uuid);
}

static bool drop_named_orphan(struct turns *ts, str uuid)
{
    return map_remove(&ts->orphans, uuid) != NULL;
}

void turns_on_request(struct turns *ts, json uuids)
{
    if (!ts->cancelled || ts->orphans.used || any_uuid(ts, uuids, is_stopped) ||
        any_uuid(ts, uuids, is_open)) {
        return;
    }
    LIST_EACH(t, &ts->queue, struct turn, link)
    {
        if (is_stopped(ts, str_of(t->uuid))) {
            return;
        }
    }
    ts->cancelled = false;
}

/* The prompts that a result names: user_message_uuids, else user_message_uuid (then `*one` is it). */
static bool stamp_any(struct turns *ts, json result, bool (*has)(struct turns *, str))
{
    json list = json_get(result, "user_message_uuids"), one = json_get(result, "user_message_uuid");
    return json_is(list, JSON_ARRAY) ? any_uuid(ts, list, has)
                                     : json_is(one, JSON_STRING) && has(ts, json_str(one));
}

static bool stamped(json result)
{
    return json_count(json_get(result, "user_message_uuids")) > 0 ||
           json_is(json_get(result, "user_message_uuid"), JSON_STRING);
}

bool turns_result_is_autonomous(struct turns *ts, json result)
{
    static const char *const kinds[] = {"task-notification", "peer", "coordinator", "observer",
                                        "observer-activity"};
    str kind = json_str(json_path(result, "origin", "kind", NULL));
    bool own_work = false;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        own_work = own_work || str_is(kind, kinds[i]);
    }
    return own_work && !stamp_any(ts, result, is_open);
}

/* No turn is active: is the result one of a prompt that was answered before, or does it begin and end the
 * next turn? */
static void attribute(struct turns *ts, json result)
{
    unsigned dropped = drop_orphans(ts, 1U << ORPHAN_STARTED | 1U << ORPHAN_ZOMBIE);
    if (stamp_any(ts, result, drop_named_orphan) || stamp_any(ts, result, is_stopped)) {
        return;
    }
    if (!stamped(result) && (dropped || drop_orphans(ts, 1U << ORPHAN_PENDING))) {
        return;
    }
    if (!list_empty(&ts->queue)) {
        activate(ts, LIST_FIRST(&ts->queue, struct turn, link));
    }
}

/* The diagnostic with which the CLI ends a prompt that was withdrawn before it ran. */
static bool is_stale_diagnostic(struct turns *ts, json result)
{
    if (!json_is_true(json_get(result, "is_error")) ||
        (stamped(result) && !stamp_any(ts, result, is_withdrawn))) {
        return false;
    }
    str texts[2] = {json_str(json_get(result, "result")), json_str(json_nth(json_get(result, "errors"), 0))};
    for (size_t i = 0; i < 2; i++) {
        if (str_starts(texts[i], STR("[ede_diagnostic]")) && str_has(texts[i], STR("result_type=user")) &&
            str_has(texts[i], STR("last_content_type=n/a")) && str_has(texts[i], STR("stop_reason=null"))) {
            return true;
        }
    }
    return false;
}

static void end_cycle(struct turns *ts, const struct turn_end *end)
{
    if (ts->cycle) {
        work_ends(ts, end);
    }
}

void turns_on_result(struct turns *ts, json result)
{
    bool own = !turns_result_is_autonomous(ts, result);
    if (own) {
        LIST_EACH(t, &ts->queue, struct turn, link)
        {
            t->result_seen = t->result_seen || (t->started && !t->finished);
        }
        if (ts->active) {
            drop_orphans(ts, 1U << ORPHAN_STARTED | 1U << ORPHAN_ZOMBIE);
        } else {
            attribute(ts, result);
        }
    }
    ts->owed_idles++;
    ts->hooks->result(ts->user, result, own);
    if (own || json_int_or(json_get(result, "num_turns"), 1) > 0) {
        end_cycle(ts, ts->cancelled ? &END_CANCELLED : &END_TURN);
    }
    if (!own || !ts->active) {
        return;
    }
    if (ts->cancelled) {
        settle_cancelled(ts, ts->active);
        return;
    }
    if (is_stale_diagnostic(ts, result)) {
        return;
    }
    map_free(&ts->withdrawn, NULL);
    settle_finished(ts, ts->active, result);
}

void turns_on_state(struct turns *ts, str state)
{
    if (!str_is(state, "idle")) {
        bool running = str_is(state, "running");
        if (running && !ts->running) {
            ts->owed_idles = 0; /* those idles can never come any more */
        }
        ts->running = running;
        return;
    }
    static const struct turn_end no_result = {
        .code = -32603,
        .message = STR_INIT("Internal error: Claude ended the turn without a result. Try again."),
        .data = STR_INIT("{\"errorKind\":\"no_result\"}"),
    };
    ts->running = false;
    if (!ts->owed_idles) {
        end_cycle(ts, ts->cancelled ? &END_CANCELLED : &END_TURN);
    }
    if (ts->cancelled && ts->active) {
        settle_cancelled(ts, ts->active);
    } else if (ts->owed_idles) {
        ts->owed_idles--;
    } else if (ts->active) {
        settle(ts, ts->active, &no_result);
    }
}

void turns_on_output(struct turns *ts)
{
    if (!ts->work && !ts->cycle && !ts->cancelled) {
        work_begins(ts, NULL);
    }
}

void turns_on_end(struct turns *ts, const struct turn_end *active, const struct turn_end *queued)
{
    ts->ended = true;
    end_cycle(ts, ts->cancelled ? &END_CANCELLED : active);
    if (ts->active && ts->cancelled) {
        settle_cancelled(ts, ts->active);
    } else if (ts->active) {
        settle(ts, ts->active, active);
    }
    LIST_EACH(t, &ts->queue, struct turn, link)
    {
        settle(ts, t, queued);
    }
}

bool turns_mute(const struct turns *ts)
{
    return ts->cancelled && !ts->active;
}
