/* The turn engine: what the CLI's messages mean for the turns. */
#include "turn/turn_internal.h"

static bool is_stopped(struct turns *ts, str uuid)
{
    return set_has(&ts->cancelled_prompts, uuid);
}

/* ---- Lifecycle and echoes ---- */

static void orphan_lifecycle(struct turns *ts, str uuid, bool started, bool cancelled)
{
    enum turn_orphan state = turn_orphan_of(ts, uuid);
    if (!state) {
        return;
    }
    if (started && state == ORPHAN_PENDING) {
        turn_orphan_put(ts, uuid, ORPHAN_STARTED);
    } else if (cancelled && state == ORPHAN_STARTED) {
        turn_orphan_put(ts, uuid, ORPHAN_ZOMBIE);
    } else if (!started) {
        map_remove(&ts->orphans, uuid);
    }
}

/* The turn that waits for the answer to this steer. */
static struct turn *steered_by(struct turns *ts, str uuid, struct turn_steer **steer)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if ((*steer = turn_find_steer(t, uuid))) {
            return t;
        }
    }
    return NULL;
}

/* The CLI is through with a steer that it did not echo. One that it dropped will not be answered. */
static void steer_over(struct turns *ts, struct turn *t, struct turn_steer *steer, bool dropped)
{
    if (!dropped) {
        steer->echoed = true;
        return;
    }
    turn_drop_steer(steer);
    if (list_empty(&t->steers) && !t->recorded) {
        turn_leave_steers(ts, t);
    }
}

void turns_on_lifecycle(struct turns *ts, str uuid, str state)
{
    bool started = str_is(state, "started"), cancelled = str_is(state, "cancelled");
    bool dropped = cancelled || str_is(state, "discarded") || str_is(state, "refused");
    bool terminal = dropped || str_is(state, "completed");
    if (!started && !terminal) {
        return;
    }
    struct turn_steer *steer = NULL;
    struct turn *t = turns_find(ts, uuid);
    if (t && started) {
        t->started = true;
        if (!ts->active || ts->active == t) {
            turn_insert(ts, t);
        }
    } else if (t) {
        t->finished = true;
        t->finished_cancelled = cancelled;
    } else if (terminal && !is_stopped(ts, uuid) && (t = steered_by(ts, uuid, &steer)) && !steer->echoed) {
        steer_over(ts, t, steer, dropped);
    } else {
        orphan_lifecycle(ts, uuid, started, cancelled);
    }
}

/* The CLI has gone on to another prompt without a result for the active one. */
static void hand_off(struct turns *ts, struct turn *old)
{
    if (ts->cancelled) {
        ts->owed_idles++;
        turn_settle_cancelled(ts, old);
    } else if (old->state == TURN_HELD) {
        turn_settle_recorded(ts, old);
    } else if (old->state == TURN_STEERED && old->recorded) {
        ts->owed_idles++;
        turn_settle_recorded(ts, old);
    } else {
        turn_settle_finished(ts, old, JSON_NONE);
    }
}

bool turns_on_echo(struct turns *ts, str uuid)
{
    struct turn_steer *steer = NULL;
    struct turn *t = turns_find(ts, uuid);
    if (!t && (t = steered_by(ts, uuid, &steer))) {
        steer->echoed = true;
        t->result_since_steer = false;
        return true;
    }
    if (!t) {
        return set_has(&ts->cancelled_prompts, uuid) || turn_orphan_of(ts, uuid);
    }
    if (t->state == TURN_QUEUED) {
        if (ts->active) {
            hand_off(ts, ts->active);
        }
        turn_activate(ts, t, false);
    }
    return true;
}

/* ---- The prompts that a frame names ---- */

/* Calls `has` for each uuid of an array; whether one said true. */
static bool any_uuid(struct turns *ts, json uuids, bool (*has)(struct turns *, str))
{
    bool any = false;
    for (struct json_iter it = json_each(uuids); json_next(&it);) {
        any = has(ts, json_str(it.value)) || any;
    }
    return any;
}

static bool is_unsettled(struct turns *ts, str uuid)
{
    return turns_find(ts, uuid) != NULL;
}

/* It is (or steers) a turn that still works. */
static bool is_open(struct turns *ts, str uuid)
{
    struct turn_steer *steer = NULL;
    struct turn *t = turns_find(ts, uuid);
    if (!t) {
        t = steered_by(ts, uuid, &steer);
    }
    return t && t->state != TURN_HELD && t->state != TURN_SETTLING;
}

static bool is_withdrawn(struct turns *ts, str uuid)
{
    return set_has(&ts->withdrawn, uuid);
}

static bool drop_named_orphan(struct turns *ts, str uuid)
{
    return map_remove(&ts->orphans, uuid) != NULL;
}

/* The steer of this uuid has its answer. True when it was the active turn's. */
static bool answer_steer(struct turns *ts, str uuid)
{
    struct turn_steer *steer = NULL;
    struct turn *t = steered_by(ts, uuid, &steer);
    if (t) {
        turn_drop_steer(steer);
    }
    return t && t == ts->active;
}

/* A queued prompt that a result of another names was answered by it. */
static bool fold(struct turns *ts, str uuid)
{
    struct turn *t = turns_find(ts, uuid);
    if (t && t->state == TURN_QUEUED) {
        t->folded = true;
    }
    return false;
}

/* The prompts that a result names: user_message_uuids, else user_message_uuid. */
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

static bool is_named(json result, const char *uuid)
{
    json list = json_get(result, "user_message_uuids");
    if (!json_is(list, JSON_ARRAY)) {
        return str_is(json_str(json_get(result, "user_message_uuid")), uuid);
    }
    for (struct json_iter it = json_each(list); json_next(&it);) {
        if (str_is(json_str(it.value), uuid)) {
            return true;
        }
    }
    return false;
}

void turns_on_request(struct turns *ts, json uuids)
{
    ts->requested = true;
    if (!ts->cancelled || ts->orphans.used || any_uuid(ts, uuids, is_stopped) ||
        any_uuid(ts, uuids, is_unsettled)) {
        return;
    }
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (is_stopped(ts, str_of(t->uuid))) {
            return;
        }
    }
    ts->cancelled = false;
}

/* ---- Results ---- */

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

static struct turn *first_queued(struct turns *ts)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->state == TURN_QUEUED && !t->unsent) {
            return t;
        }
    }
    return NULL;
}

/* The first queued turn that the result names. */
static struct turn *named_queued(struct turns *ts, json result)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->state == TURN_QUEUED && is_named(result, t->uuid)) {
            return t;
        }
    }
    return NULL;
}

/* The result names the turn, or a steer whose answer it waits for. */
static bool names_turn(const struct turn *t, json result)
{
    LIST_EACH(steer, &t->steers, struct turn_steer, link) {
        if (is_named(result, steer->uuid)) {
            return true;
        }
    }
    return is_named(result, t->uuid);
}

/* No turn is active: is the result one of a prompt that was answered before, or does it begin and end the
 * next turn? */
static void attribute(struct turns *ts, json result)
{
    bool orphan = stamp_any(ts, result, drop_named_orphan);
    unsigned dropped = drop_orphans(ts, 1U << ORPHAN_STARTED | 1U << ORPHAN_ZOMBIE);
    if (orphan || stamp_any(ts, result, is_stopped)) {
        return;
    }
    if (!stamped(result) && (dropped || drop_orphans(ts, 1U << ORPHAN_PENDING))) {
        return;
    }
    struct turn *t = named_queued(ts, result);
    if (!t && (t = first_queued(ts)) && stamped(result) && !t->started) {
        return; /* it is of a prompt that nobody waits for */
    }
    if (t) {
        turn_activate(ts, t, true);
    }
}

/* A result of the user's: finds the turn that it belongs to, which is the active one afterwards, if any. */
static void attribute_own(struct turns *ts, json result)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        t->result_seen = t->result_seen || (t->started && !t->finished);
    }
    if (!ts->active) {
        attribute(ts, result);
    } else {
        drop_orphans(ts, 1U << ORPHAN_STARTED | 1U << ORPHAN_ZOMBIE);
        stamp_any(ts, result, drop_named_orphan);
    }
}

/* The diagnostic with which the CLI ends a prompt that was withdrawn before it ran. */
static bool is_stale_diagnostic(struct turns *ts, json result)
{
    if (!json_is_true(json_get(result, "is_error")) ||
        (stamped(result) && !stamp_any(ts, result, is_withdrawn))) {
        return false;
    }
    json errors = json_get(result, "errors");
    struct json_iter it = json_each(errors);
    for (str text = json_str(json_get(result, "result"));; text = json_str(it.value)) {
        if (str_starts(text, STR("[ede_diagnostic]")) && str_has(text, STR("result_type=user")) &&
            str_has(text, STR("last_content_type=n/a")) && str_has(text, STR("stop_reason=null"))) {
            return true;
        }
        if (!json_is(errors, JSON_ARRAY) || !json_next(&it)) {
            return false;
        }
    }
}

static bool is_aborted(json result)
{
    str why = json_str(json_get(result, "terminal_reason"));
    return str_is(why, "aborted_streaming") || str_is(why, "aborted_tools");
}

/* A failure that no turn ends by is told all the same. True when it answers the held turn. */
static bool fails_beside(struct turns *ts, struct turn *held, json result, struct turn_end *end)
{
    return json_is_true(json_get(result, "is_error")) && !is_aborted(result) &&
           ts->hooks->failed_beside(ts->user, held, result, end);
}

/* The user's result for the active turn. */
static void finish(struct turns *ts, struct turn *t, json result)
{
    struct turn_end end = turn_end_normal;
    bool steered = t->state == TURN_STEERED;
    /* An error of the generation that a steer broke off is not the turn's. */
    bool broken = steered && json_is_true(json_get(result, "is_error"));
    stamp_any(ts, result, fold);
    if (broken) {
        (void)fails_beside(ts, NULL, result, &end);
    }
    ts->hooks->finish(ts->user, t, broken ? JSON_NONE : result, &end);
    if (steered) {
        turn_record(t, &end);
        t->result_since_steer = true;
    } else {
        turn_conclude(ts, t, &end);
    }
}

/* What a person's answer makes of the result. A result of the CLI's own beside a working turn is no matter of
 * anybody's. */
static enum turn_verdict verdict_on(struct turns *ts, struct turn *t, json result, bool own)
{
    bool follow_up = !own && t && t->state == TURN_HELD;
    if (!ts->hooks->verdict || ts->cancelled || (!own && t && !follow_up)) {
        return TURN_ENDS;
    }
    return ts->hooks->verdict(ts->user, t, result);
}

/* The end of work that the CLI began by itself, which may be what a held turn waits for. */
static void settle_by_cycle(struct turns *ts, struct turn *t, json result, bool placeholder)
{
    struct turn_end end = turn_end_normal;
    struct turn *held = t && t->state == TURN_HELD ? t : NULL;
    if (fails_beside(ts, held, result, &end)) {
        turn_settle(ts, held, &end);
    } else if (held && !placeholder && turn_is_drained(ts, held)) {
        turn_settle_recorded(ts, held);
    }
}

/* `cycle`: the CLI had begun work of its own before the result. */
static void settle_by_result(struct turns *ts, json result, bool own, bool placeholder, bool cycle)
{
    struct turn *t = ts->active;
    enum turn_verdict verdict = verdict_on(ts, t, result, own);
    if (verdict == TURN_GOES_ON) {
        return;
    }
    if (verdict == TURN_CANCELLED && own && t) {
        turn_settle_cancelled(ts, t);
    } else if (ts->cancelled) {
        if (t && (own || (t->state == TURN_HELD && is_aborted(result)))) {
            turn_settle_cancelled(ts, t);
        }
    } else if (!own) {
        settle_by_cycle(ts, t, result, placeholder);
    } else if (!is_stale_diagnostic(ts, result)) {
        map_free(&ts->withdrawn, NULL);
        if (t) {
            finish(ts, t, result);
        } else if (cycle) {
            settle_by_cycle(ts, NULL, result, false);
        }
    }
}

static void end_cycle(struct turns *ts, json result)
{
    struct turn_end end = turn_end_normal;
    if (json_present(result)) {
        ts->hooks->finish_cycle(ts->user, result, &end);
    }
    if (ts->cancelled) {
        end = (struct turn_end){.stop_reason = "cancelled", .members = end.members};
    }
    turn_work_ends(ts, &end);
}

static void handle_result(struct turns *ts, json result)
{
    bool own = !turns_result_is_autonomous(ts, result);
    bool placeholder = !own && json_int_or(json_get(result, "num_turns"), 1) == 0 &&
                       !json_is_true(json_get(result, "is_error"));
    bool cycle = ts->cycle;
    ts->requested = false;
    if (own) {
        attribute_own(ts, result);
    }
    struct turn *t = own && !ts->cancelled ? ts->active : NULL;
    if (own && stamp_any(ts, result, answer_steer) && t && list_empty(&t->steers)) {
        turn_leave_steers(ts, t);
    }
    if (!t || t->state != TURN_STEERED) {
        ts->owed_idles++;
    }
    ts->hooks->result(ts->user, result, own);
    if (ts->cycle && !placeholder) {
        end_cycle(ts, result);
    }
    settle_by_result(ts, result, own, placeholder, cycle);
    turn_settle_folded(ts);
    ts->hooks->result_done(ts->user, own, list_empty(&ts->queue));
}

/* A result of the user's that is not the active turn's: settles that one first. */
static void let_go(struct turns *ts, json result)
{
    struct turn *t = ts->active;
    if (t && t->state == TURN_HELD && !ts->cancelled) {
        turn_settle_recorded(ts, t);
    } else if (t && !names_turn(t, result) && named_queued(ts, result)) {
        hand_off(ts, t); /* the other one ended before its echo, which would have done that */
    }
}

void turns_on_result(struct turns *ts, json result)
{
    if (!turns_result_is_autonomous(ts, result)) {
        let_go(ts, result);
        if (turn_is_any_settling(ts) && (ts->waiting_result = json_detach(result))) {
            return; /* it may end a turn, which must not be answered before the settling one */
        }
    }
    handle_result(ts, result);
}

void turn_handle_waiting(struct turns *ts)
{
    struct json_doc *doc = ts->waiting_result;
    if (doc && !turn_is_any_settling(ts)) {
        ts->waiting_result = NULL;
        handle_result(ts, json_root(doc));
        json_unref(doc);
    }
}

/* ---- States ---- */

/* All that it was steered with was taken in, and a result came since. */
static bool steers_are_over(const struct turn *t)
{
    LIST_EACH(steer, &t->steers, struct turn_steer, link) {
        if (!steer->echoed) {
            return false;
        }
    }
    return t->recorded && (t->result_since_steer || list_empty(&t->steers));
}

/* Prompts that the CLI dropped without a word: no result can come for them any more. */
static void fail_dropped(struct turns *ts)
{
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->state == TURN_QUEUED && t->finished && !t->folded && !ts->active &&
            !turn_is_any_settling(ts)) {
            struct turn_end end = {0};
            turn_activate(ts, t, false);
            ts->hooks->finish_faulty(ts->user, t, TURN_NO_RESULT, &end);
            turn_settle(ts, t, &end);
        }
    }
}

static void on_idle(struct turns *ts)
{
    struct turn *t = ts->active;
    struct turn_end end = {0};
    bool steered = t && t->state == TURN_STEERED;
    if (ts->cycle && !ts->owed_idles) {
        end_cycle(ts, JSON_NONE);
    }
    if (t && ts->cancelled) {
        if (t->state == TURN_HELD && ts->owed_idles) {
            ts->owed_idles--;
        }
        turn_settle_cancelled(ts, t);
    } else if (t && t->state == TURN_HELD) {
        ts->owed_idles -= ts->owed_idles > 0;
        if (turn_is_drained(ts, t)) {
            turn_settle_recorded(ts, t);
        }
    } else if (steered && steers_are_over(t)) {
        end.stop_reason = t->recorded_reason;
        end.members = buf_str(&t->recorded_members);
        turn_conclude(ts, t, &end);
    } else if (ts->owed_idles) {
        ts->owed_idles--;
    } else if (t && !steered) {
        ts->hooks->finish_faulty(ts->user, t, TURN_NO_RESULT, &end);
        turn_settle(ts, t, &end);
    }
    fail_dropped(ts);
    turn_settle_folded(ts);
}

void turns_on_state(struct turns *ts, str state)
{
    bool running = str_is(state, "running");
    if (running && !ts->running) {
        ts->owed_idles = 0; /* those idles can never come any more */
    }
    ts->running = running;
    ts->busy = !str_is(state, "idle");
    if (!ts->busy) {
        on_idle(ts);
    }
}

void turns_on_output(struct turns *ts)
{
    if (!ts->work && !ts->cycle && !ts->cancelled) {
        turn_work_begins(ts, NULL);
    }
}

/* ---- The end of the CLI ---- */

void turns_on_end(struct turns *ts, const struct turn_end *active, const struct turn_end *queued)
{
    ts->ended = true;
    json_unref(ts->waiting_result);
    ts->waiting_result = NULL;
    if (ts->cycle) {
        turn_work_ends(ts, ts->cancelled ? &turn_end_cancelled : queued);
    }
    LIST_EACH(t, &ts->queue, struct turn, link) {
        if (t->state == TURN_SETTLING) {
            struct turn_end end = {.stop_reason = t->recorded_reason,
                                   .members = buf_str(&t->recorded_members)};
            turn_answer(ts, t, &end);
        } else if (t->state == TURN_QUEUED) {
            turn_answer(ts, t, queued);
        } else if (ts->cancelled) {
            turn_settle_cancelled(ts, t);
        } else if (t->state == TURN_HELD) {
            turn_settle_recorded(ts, t);
        } else {
            turn_settle(ts, t, active);
        }
    }
}
