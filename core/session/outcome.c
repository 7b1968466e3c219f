/* How the work of the CLI answers a prompt: stop reasons, errors, failure records, usage. */
#include <stdlib.h>

#include "session/internal.h"

static const char DIED_TEXT[] =
    "Internal error: The Claude Agent process exited unexpectedly. Please start a new session.";
static const char ENDED_TEXT[] = "Internal error: The Claude Agent session has ended. Please start a new session.";

void session_scratch_free(struct session *s)
{
    struct turn_scratch *t = &s->scratch;
    buf_free(&t->error);
    buf_free(&t->error_text);
    buf_free(&t->refusal);
    buf_free(&t->notice);
    *t = (struct turn_scratch){0};
}

void session_scratch_clear(struct session *s)
{
    bool delivered = s->scratch.text_delivered; /* a local command's text comes before its echo */
    session_scratch_free(s);
    s->scratch.text_delivered = delivered;
}

/* ---- The members of an answer ---- */

/* One answer in the making: its texts live here until it is sent, so that a hook can fill in a turn_end. */
static void put_members(struct session *s, const struct failure_record *record, struct buf *out)
{
    usage_put_response(out, &s->tally);
    json_key(out, "_meta");
    json_open_object(out);
    usage_put_quota(out, &s->tally);
    if (record) {
        json_key(out, "jetbrains");
        json_open_object(out);
        json_key(out, "air");
        json_open_object(out);
        json_member_int(out, "version", 1);
        json_key(out, "sessionFailure");
        failure_put(out, record);
        json_close_object(out);
        json_close_object(out);
    }
    json_close_object(out);
}

static str keep_members(struct session *s, const struct failure_record *record)
{
    buf_clear(&s->answer);
    put_members(s, record, &s->answer);
    return buf_str(&s->answer);
}

void session_send_failure(struct session *s, const struct failure_record *record)
{
    AUTO_BUF(b);
    json_key(&b, "_meta");
    failure_put_meta(&b, record);
    s->agent->surface->info(s->agent->surface_self, str_of(s->id), buf_str(&b));
}

/* ---- Failures ---- */

static void fail(struct session *s, enum failure_kind kind, str title, str error_kind, const char *uuid,
                 struct turn_end *end)
{
    struct failure_record record;
    if (kind == FAILURE_AUTH_REQUIRED) {
        *end = (struct turn_end){.code = -32000, .message = STR("Authentication required")};
        return;
    }
    if (s->agent->client.air_session_failure &&
        failures_turn(&s->failures, str_of(uuid), kind, FAILURE_ERROR, title, &record)) {
        *end = (struct turn_end){.stop_reason = "end_turn", .members = keep_members(s, &record)};
        return;
    }
    buf_clear(&s->answer);
    buf_put_c(&s->answer, "Internal error: ");
    buf_put_str(&s->answer, title);
    size_t split = s->answer.n;
    if (error_kind.n) {
        failure_put_error_data(&s->answer, error_kind);
    }
    str all = buf_str(&s->answer);
    *end = (struct turn_end){.code = -32603, .message = str_first(all, split)};
    if (all.n > split) {
        end->data = str_from(all, split);
    }
}

/* A result that says is_error. */
static void fail_by_result(struct session *s, struct turn *t, json result, struct turn_end *end)
{
    struct turn_scratch *said = &s->scratch;
    str subtype = json_str(json_get(result, "subtype")), error = said->failed ? buf_str(&said->error) : STR_ABSENT;
    str text = said->failed ? buf_str(&said->error_text) : STR_ABSENT;
    enum failure_kind kind = said->usage_limit ? FAILURE_QUOTA_EXHAUSTED : failure_kind_of_error(error);
    bool limit = failure_kind_of_subtype(subtype, &kind);
    if (said->login || (str_is(subtype, "success") && failure_is_login(json_str(json_get(result, "result"))))) {
        kind = FAILURE_AUTH_REQUIRED;
    }
    AUTO_BUF(title);
    if (s->agent->client.air_session_failure) {
        failure_title(&title, kind, text, result);
    } else {
        failure_result_text(&title, result);
    }
    fail(s, kind, buf_str(&title), limit ? STR_ABSENT : error, t->uuid, end);
}

/* ---- Hooks of the turn engine ---- */

static void hook_cancel_queued(void *user, const char *uuid)
{
    AUTO_BUF(b);
    json_member_c(&b, "message_uuid", uuid);
    session_control(user, "cancel_async_message", buf_str(&b));
}

static void hook_interrupt(void *user)
{
    session_interrupt(user);
}

static void hook_activated(void *user, struct turn *t)
{
    struct session *s = user;
    (void)t;
    session_scratch_clear(s);
    usage_turn_free(&s->tally);
}

static void hook_close_calls(void *user, struct turn *t, bool cancelled, bool *lost)
{
    struct session *s = user;
    if (t == s->turns.active) {
        tool_calls_close(&s->calls, cancelled, s->turns.ended, lost);
    }
}

/* The text of a result that nothing else has shown: a local command's, or a hook's that stopped the turn. */
static void say_result(struct session *s, struct turn *t, json result)
{
    str text = json_text(json_get(result, "result"));
    int64_t output = json_int_or(json_path(result, "usage", "output_tokens", NULL), 0);
    bool unshown = !s->scratch.text_delivered && output == 0;
    if (text.p && unshown && !str_eq(buf_str(&s->scratch.notice), text)) {
        (void)t;
        session_say(s, json_str(json_get(result, "uuid")), text, STR_ABSENT);
    }
}

static void hook_finish(void *user, struct turn *t, json result, struct turn_end *end)
{
    struct session *s = user;
    str subtype = json_str(json_get(result, "subtype")), stop = json_str(json_get(result, "stop_reason"));
    bool is_error = json_is_true(json_get(result, "is_error"));
    bool success = str_is(subtype, "success"), execution = str_is(subtype, "error_during_execution");
    failures_recover(&s->failures, FAILURE_ON_TURN_RESULT, str_of(t->uuid));
    *end = (struct turn_end){.stop_reason = "end_turn"};
    if (!json_present(result)) {
        end->members = keep_members(s, NULL);
        return;
    }
    if (str_is(stop, "refusal")) {
        session_say(s, json_str(json_get(result, "uuid")), buf_str(&s->scratch.refusal), STR_ABSENT);
        end->stop_reason = "refusal";
    } else if (str_is(stop, "max_tokens") && (success || execution)) {
        end->stop_reason = "max_tokens";
    } else if (is_error) {
        fail_by_result(s, t, result, end);
        s->scratch.text_delivered = false;
        return;
    } else if (!success && !execution) {
        end->stop_reason = "max_turn_requests";
    } else if (success) {
        say_result(s, t, result);
    }
    if (!is_error) {
        failures_recover(&s->failures, FAILURE_ON_TURN_SUCCESS, str_of(t->uuid));
        if (s->scratch.real_answer) {
            failures_recover(&s->failures, FAILURE_ON_MODEL_SUCCESS, STR_ABSENT);
        }
    }
    s->scratch.text_delivered = false;
    end->members = keep_members(s, NULL);
}

static void hook_finish_cancelled(void *user, struct turn *t, struct turn_end *end)
{
    struct session *s = user;
    (void)t;
    end->members = keep_members(s, NULL);
    s->scratch.text_delivered = false;
}

static void hook_result(void *user, json result, bool own)
{
    struct session *s = user;
    struct usage_turn *tally = own && s->turns.active ? &s->tally : NULL;
    s->error_result_last = json_is_true(json_get(result, "is_error"));
    if (own) {
        const char *warning = NULL;
        unsigned effects = session_options_note_fast(s->options, json_str(json_get(result, "fast_mode_state")),
                                                     json_str(json_get(result, "fast_mode_disabled_reason")), &warning);
        if (warning) {
            session_warn(s, "Fast mode turned off", warning);
        }
        session_apply_effects(s, effects);
    }
    if (usage_result(&s->usage, tally, &s->agent->windows, result)) {
        AUTO_BUF(b);
        usage_put_update(&b, &s->usage, result, JSON_NONE);
        s->agent->surface->usage(s->agent->surface_self, str_of(s->id), buf_str(&b));
    }
}

static void hook_foreground(void *user, const struct turn_end *end)
{
    (void)user;
    (void)end;
}

/* ---- The timer of a cancel ---- */

struct cancel_timer {
    uv_timer_t timer;
    struct session *s;
    struct turn *turn;
};

static void timer_closed(uv_handle_t *h)
{
    struct cancel_timer *ct = h->data;
    session_unref(ct->s);
    free(ct);
}

static void timer_fired(uv_timer_t *t)
{
    struct cancel_timer *ct = t->data;
    if (session_live(ct->s)) {
        turns_cancel_timeout(&ct->s->turns, ct->turn);
    }
    uv_close((uv_handle_t *)t, timer_closed);
}

static uint64_t hook_start_timer(void *user, unsigned ms, struct turn *t)
{
    struct session *s = user;
    struct cancel_timer *ct = calloc(1, sizeof(*ct));
    if (!ct) {
        return 0;
    }
    uv_timer_init(s->agent->loop, &ct->timer);
    ct->timer.data = ct;
    ct->s = s;
    ct->turn = t;
    session_ref(s);
    uv_timer_start(&ct->timer, timer_fired, ms, 0);
    return (uint64_t)(uintptr_t)ct;
}

static void hook_stop_timer(void *user, uint64_t timer)
{
    struct cancel_timer *ct = (struct cancel_timer *)(uintptr_t)timer;
    (void)user;
    if (!uv_is_closing((uv_handle_t *)&ct->timer)) {
        uv_close((uv_handle_t *)&ct->timer, timer_closed);
    }
}

const struct turn_hooks session_turn_hooks = {
    .cancel_queued = hook_cancel_queued,
    .interrupt = hook_interrupt,
    .activated = hook_activated,
    .close_calls = hook_close_calls,
    .finish = hook_finish,
    .finish_cancelled = hook_finish_cancelled,
    .result = hook_result,
    .foreground = hook_foreground,
    .start_timer = hook_start_timer,
    .stop_timer = hook_stop_timer,
};

/* ---- The end of the CLI ---- */

void session_end_turns(struct session *s, bool died)
{
    struct turn_end ended = {.code = -32603, .message = str_of(ENDED_TEXT)}, active = {.stop_reason = "end_turn"};
    struct failure_record record;
    if (!died) {
        active.members = keep_members(s, NULL);
    } else if (s->agent->client.air_session_failure && s->turns.active) {
        fail(s, FAILURE_TRANSPORT_LOST, failure_fallback_title(FAILURE_TRANSPORT_LOST), STR_ABSENT,
             s->turns.active->uuid, &active);
    } else {
        active = (struct turn_end){.code = -32603, .message = str_of(DIED_TEXT)};
        ended.message = str_of(DIED_TEXT);
        if (s->agent->client.air_session_failure &&
            failures_session(&s->failures, FAILURE_TRANSPORT_LOST, FAILURE_ERROR,
                             failure_fallback_title(FAILURE_TRANSPORT_LOST), &record)) {
            session_send_failure(s, &record);
        }
    }
    turns_on_end(&s->turns, &active, &ended);
}

void session_on_retry(struct session *s, json frame)
{
    enum failure_kind kind;
    struct failure_record record;
    AUTO_BUF(title);
    if (!s->agent->client.air_session_failure || !failure_retry(frame, &kind, &title)) {
        return;
    }
    /* The prompt that the request is for: the active one, or the one that the CLI has begun. */
    struct turn *turn = s->turns.active;
    LIST_EACH (t, &s->turns.queue, struct turn, link) {
        turn = turn ? turn : t->started ? t : NULL;
    }
    bool made = turn ? failures_turn(&s->failures, str_of(turn->uuid), kind, FAILURE_WARNING, buf_str(&title), &record)
                     : failures_session(&s->failures, kind, FAILURE_WARNING, buf_str(&title), &record);
    if (made) {
        session_send_failure(s, &record);
    }
}
