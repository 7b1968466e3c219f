/* How the work of the CLI answers a prompt: stop reasons, errors, failure records, usage. */
#include <stdlib.h>

#include "local/local_command.h"
#include "session/internal.h"

static const char DIED_TEXT[] =
    "Internal error: The Claude Agent process exited unexpectedly. Please start a new session.";
static const char ENDED_TEXT[] =
    "Internal error: The Claude Agent session has ended. Please start a new session.";

/* What was said of a failure or a refusal. */
static void clear_failure(struct turn_scratch *t)
{
    t->failed = t->usage_limit = t->login = t->real_answer = false;
    buf_clear(&t->error);
    buf_clear(&t->error_text);
    buf_clear(&t->refusal);
}

/* What was shown. */
static void clear_shown(struct turn_scratch *t)
{
    t->text_delivered = false;
    buf_clear(&t->notice);
    buf_clear(&t->local_text);
}

void session_scratch_free(struct session *s)
{
    struct turn_scratch *t = &s->answer.scratch;
    buf_free(&t->error);
    buf_free(&t->error_text);
    buf_free(&t->refusal);
    buf_free(&t->notice);
    buf_free(&t->local_text);
    *t = (struct turn_scratch){0};
}

/* ---- The members of an answer ---- */

/* One answer in the making: its texts live here until it is sent, so that a hook can fill in a turn_end. */
static void put_members(const struct usage_turn *tally, const struct failure_record *record, struct buf *out)
{
    usage_put_response(out, tally);
    json_key(out, "_meta");
    json_open_object(out);
    usage_put_quota(out, tally);
    if (record) {
        failure_put_air(out, record);
    }
    json_close_object(out);
}

static str keep_members(struct session *s, const struct failure_record *record)
{
    buf_clear(&s->answer.text);
    put_members(&s->answer.tally, record, &s->answer.text);
    return buf_str(&s->answer.text);
}

void session_send_failure(struct session *s, const struct failure_record *record)
{
    AUTO_BUF(b);
    json_key(&b, "_meta");
    failure_put_meta(&b, record);
    s->host->surface->info(s->host->surface_self, str_of(s->id), buf_str(&b));
}

/* ---- Failures ---- */

/* A JSON-RPC error whose text and data live in the answer's buffer. */
static void fail_plainly(struct session *s, str text, str error_kind, struct turn_end *end)
{
    buf_clear(&s->answer.text);
    if (error_kind.n) {
        failure_put_error_data(&s->answer.text, error_kind);
    }
    size_t split = s->answer.text.n;
    buf_put_c(&s->answer.text, "Internal error: ");
    buf_put_str(&s->answer.text, text);
    str all = buf_str(&s->answer.text);
    *end = (struct turn_end){.failed = true, .code = RPC_INTERNAL_ERROR, .message = str_from(all, split)};
    if (split) {
        end->data = str_first(all, split);
    }
}

static void fail(struct session *s, enum failure_kind kind, str title, str error_kind, const char *uuid,
                 struct turn_end *end)
{
    struct failure_record record;
    if (kind == FAILURE_AUTH_REQUIRED) {
        s->account.renew = true;
        *end = (struct turn_end){.failed = true,
                                 .code = RPC_AUTH_REQUIRED,
                                 .message = STR("Authentication required")};
    } else if (s->host->client.air_session_failure &&
               failures_turn(&s->failures, str_of(uuid), kind, FAILURE_ERROR, title, &record)) {
        *end =
            (struct turn_end){.stop_reason = "end_turn", .failed = true, .members = keep_members(s, &record)};
    } else {
        fail_plainly(s, title, error_kind, end);
    }
}

/* What a result that says is_error is about. */
struct result_failure {
    enum failure_kind kind;
    str error; /* the CLI's word for it, or absent */
};

static struct result_failure failure_of(struct session *s, json result)
{
    struct turn_scratch *said = &s->answer.scratch;
    str subtype = json_str(json_get(result, "subtype"));
    struct result_failure f = {.error = said->failed ? buf_str(&said->error) : STR_ABSENT};
    f.kind = said->usage_limit ? FAILURE_QUOTA_EXHAUSTED : failure_kind_of_error(f.error);
    if (failure_kind_of_subtype(subtype, &f.kind)) {
        f.error = STR_ABSENT;
    }
    if (said->login ||
        (str_is(subtype, "success") && failure_is_login(json_str(json_get(result, "result"))))) {
        f.kind = FAILURE_AUTH_REQUIRED;
    }
    return f;
}

static void put_title(struct session *s, struct buf *title, enum failure_kind kind, json result)
{
    struct turn_scratch *said = &s->answer.scratch;
    failure_title(title, kind, said->failed ? buf_str(&said->error_text) : STR_ABSENT, result);
}

/* A result that says is_error. */
static void fail_by_result(struct session *s, struct turn *t, json result, struct turn_end *end)
{
    struct result_failure f = failure_of(s, result);
    AUTO_BUF(title);
    if (s->host->client.air_session_failure) {
        put_title(s, &title, f.kind, result);
    } else {
        failure_result_text(&title, result);
    }
    fail(s, f.kind, buf_str(&title), f.error, t->uuid, end);
}

/* A failure that no prompt is answered by: a record of the session, or a text, unless the text was shown. */
static void tell_failure(struct session *s, json result)
{
    struct result_failure f = failure_of(s, result);
    struct failure_record record;
    bool records = s->host->client.air_session_failure, sign_in = f.kind == FAILURE_AUTH_REQUIRED;
    bool shown = s->answer.scratch.failed && !records && !s->answer.scratch.login;
    AUTO_BUF(title);
    put_title(s, &title, f.kind, result);
    s->account.renew |= sign_in;
    if (records && failures_session(&s->failures, f.kind, FAILURE_ERROR, buf_str(&title), &record)) {
        session_send_failure(s, &record);
    } else if (!shown) {
        session_say(s, json_str(json_get(result, "uuid")), buf_str(&title), STR_ABSENT);
    }
}

/* ---- Hooks of the turn engine ---- */

static void hook_cancel_queued(void *user, const char *uuid)
{
    AUTO_BUF(b);
    json_member_c(&b, "message_uuid", uuid);
    session_control(user, "cancel_async_message", buf_str(&b));
}

static bool hook_interrupt(void *user)
{
    return session_interrupt(user);
}

static void hook_cancelling(void *user)
{
    struct session *s = user;
    extensions_cancelling(s);
    children_cancel(&s->children);
    tool_calls_cancelling(&s->tooling.calls);
    local_command_cancel(&s->local);
}

static void hook_activated(void *user, struct turn *t, bool by_result)
{
    struct session *s = user;
    if (!by_result) { /* else what came before is its own */
        clear_failure(&s->answer.scratch);
    }
    usage_turn_free(&s->answer.tally);
    usage_turn_began(&s->answer.usage);
    if (!t->local_only) {
        live_tasks_activation(&s->live);
    }
    extensions_activated(s, t);
    local_command_activated(&s->local, t);
    session_sync_waiting(s);
}

static bool hook_task_holds(void *user, str task_id)
{
    struct session *s = user;
    return live_tasks_holds(&s->live, task_id);
}

static void hook_close_calls(void *user, struct turn *t, bool cancelled, bool *lost)
{
    struct session *s = user;
    (void)t;
    tool_calls_close(&s->tooling.calls, cancelled, s->turns.ended, lost);
}

static bool hook_before_answer(void *user, struct turn *t, const struct turn_end *end, bool may_wait)
{
    struct session *s = user;
    local_command_over(&s->local, t, end);
    return extensions_before_answer(s, t, end, may_wait);
}

/* The text of a result that nothing else has shown: a local command's, or a hook's that stopped the turn. Of
 * some commands it is always shown, unless the very text was. */
static void say_result(struct session *s, struct turn *t, json result)
{
    struct turn_scratch *shown = &s->answer.scratch;
    str text = json_text(json_get(result, "result"));
    int64_t output = json_int_or(json_path(result, "usage", "output_tokens", NULL), 0);
    bool due = t->local_only ? !str_eq(str_trim(text), str_trim(buf_str(&shown->local_text)))
                             : !shown->text_delivered && output == 0;
    if (text.p && due && !session_was_notice(s, text) && !extensions_hide_local(s, text)) {
        session_say(s, json_str(json_get(result, "uuid")), local_command_text(&s->local, text), STR_ABSENT);
    }
}

/* The stop reason of a result that is no failure; NULL: it is one. */
static const char *stop_reason_of(json result)
{
    str subtype = json_str(json_get(result, "subtype")), stop = json_str(json_get(result, "stop_reason"));
    bool ordinary = str_is(subtype, "success") || str_is(subtype, "error_during_execution");
    if (str_is(stop, "refusal")) {
        return "refusal";
    }
    if (str_is(stop, "max_tokens") && ordinary) {
        return "max_tokens";
    }
    if (json_is_true(json_get(result, "is_error"))) {
        return NULL;
    }
    return ordinary ? "end_turn" : "max_turn_requests";
}

static void recover(struct session *s, struct turn *t)
{
    failures_recover(&s->failures, FAILURE_ON_TURN_SUCCESS, str_of(t->uuid));
    if (s->answer.scratch.real_answer) {
        failures_recover(&s->failures, FAILURE_ON_MODEL_SUCCESS, STR_ABSENT);
    }
}

static void hook_finish(void *user, struct turn *t, json result, struct turn_end *end)
{
    struct session *s = user;
    *end = (struct turn_end){.stop_reason = "end_turn"};
    failures_recover(&s->failures, FAILURE_ON_TURN_RESULT, str_of(t->uuid));
    if (json_present(result)) {
        end->stop_reason = stop_reason_of(result);
        if (!end->stop_reason) {
            fail_by_result(s, t, result, end);
            return;
        }
        if (strcmp(end->stop_reason, "refusal") == 0) {
            session_say(s, json_str(json_get(result, "uuid")), buf_str(&s->answer.scratch.refusal),
                        STR_ABSENT);
        } else if (str_is(json_str(json_get(result, "subtype")), "success") &&
                   strcmp(end->stop_reason, "end_turn") == 0) {
            say_result(s, t, result);
        }
        if (!json_is_true(json_get(result, "is_error"))) {
            recover(s, t);
        }
    }
    end->members = keep_members(s, NULL);
}

static enum turn_verdict hook_verdict(void *user, struct turn *t, json result)
{
    return session_plan_exit_verdict(user, t, result);
}

static void hook_finish_cancelled(void *user, struct turn *t, struct turn_end *end)
{
    struct session *s = user;
    failures_recover(&s->failures, FAILURE_ON_TURN_RESULT, str_of(t->uuid));
    end->members = keep_members(s, NULL);
}

static void hook_finish_faulty(void *user, struct turn *t, enum turn_fault fault, struct turn_end *end)
{
    static const struct {
        const char *kind, *text;
    } faults[] = {
        [TURN_NO_RESULT] = {"no_result", "Claude ended the turn without a result. Try again."},
        [TURN_INCOMPLETE_CALL] =
            {"incomplete_tool_call",
             "Claude ended the turn without a result for one of its tool calls. Try again."},
    };
    fail(user, FAILURE_INTERNAL_ERROR, str_of(faults[fault].text), str_of(faults[fault].kind), t->uuid, end);
}

/* ACP v2 has answered the prompt of a held turn long ago. */
static bool hook_failed_beside(void *user, struct turn *held, json result, struct turn_end *end)
{
    struct session *s = user;
    if (stop_reason_of(result)) {
        return false;
    }
    if (held && s->host->client.protocol_version < 2) {
        fail_by_result(s, held, result, end);
        return true;
    }
    tell_failure(s, result);
    return false;
}

static void hook_finish_cycle(void *user, json result, struct turn_end *end)
{
    struct session *s = user;
    str why = json_str(json_get(result, "terminal_reason"));
    bool aborted = str_is(why, "aborted_streaming") || str_is(why, "aborted_tools");
    *end = (struct turn_end){.stop_reason = aborted ? "cancelled" : stop_reason_of(result)};
    if (!end->stop_reason) {
        AUTO_BUF(text);
        failure_result_text(&text, result);
        fail_plainly(s, buf_str(&text), STR_ABSENT, end);
        return;
    }
    buf_clear(&s->answer.text);
    put_members(&s->answer.cycle_tally, NULL, &s->answer.text);
    end->members = buf_str(&s->answer.text);
}

static void hook_result(void *user, json result, bool own)
{
    struct session *s = user;
    struct usage_turn *tally = own && s->turns.active ? &s->answer.tally : &s->answer.cycle_tally;
    s->process.error_result_last = json_is_true(json_get(result, "is_error"));
    if (!own && !s->process.error_result_last && s->answer.scratch.real_answer) {
        failures_recover(&s->failures, FAILURE_ON_MODEL_SUCCESS, STR_ABSENT);
    }
    usage_turn_free(&s->answer.cycle_tally);
    extensions_result(s, result, own);
    if (own) {
        const char *warning = NULL;
        unsigned effects =
            session_options_note_fast(s->options, json_str(json_get(result, "fast_mode_state")),
                                      json_str(json_get(result, "fast_mode_disabled_reason")), &warning);
        if (warning) {
            session_warn(s, "Fast mode turned off", warning);
        }
        session_apply_effects(s, effects);
    }
    if (usage_result(&s->answer.usage, tally, &s->host->windows, result)) {
        AUTO_BUF(b);
        usage_put_update(&b, &s->answer.usage, result, JSON_NONE);
        s->host->surface->usage(s->host->surface_self, str_of(s->id), buf_str(&b));
    }
}

static void hook_result_done(void *user, bool own, bool quiet)
{
    struct session *s = user;
    clear_failure(&s->answer.scratch);
    extensions_result_done(s, own || quiet);
    if (own || quiet) {
        clear_shown(&s->answer.scratch);
    }
}

static void hook_foreground(void *user, enum foreground what, const struct turn_end *end)
{
    struct session *s = user;
    if (s->host->surface->foreground) {
        s->host->surface->foreground(s->host->surface_self, str_of(s->id), what, end);
    }
}

static void hook_stepped(void *user, const struct turn *t, const char *why)
{
    session_step(user, "prompt %s is %s: %s", t->uuid, turn_state_name(t->state), why);
}

static void hook_gone(void *user)
{
    struct session *s = user;
    session_say_idle(s);
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
    uv_timer_init(s->host->loop, &ct->timer);
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
    .cancelling = hook_cancelling,
    .activated = hook_activated,
    .task_holds = hook_task_holds,
    .close_calls = hook_close_calls,
    .before_answer = hook_before_answer,
    .verdict = hook_verdict,
    .finish = hook_finish,
    .finish_cancelled = hook_finish_cancelled,
    .finish_faulty = hook_finish_faulty,
    .finish_cycle = hook_finish_cycle,
    .failed_beside = hook_failed_beside,
    .result = hook_result,
    .result_done = hook_result_done,
    .foreground = hook_foreground,
    .gone = hook_gone,
    .stepped = hook_stepped,
    .start_timer = hook_start_timer,
    .stop_timer = hook_stop_timer,
};

/* ---- The end of the CLI ---- */

void session_end_turns(struct session *s, bool died)
{
    struct turn *t = s->turns.active;
    bool failed = died || s->process.shutting_down, air = s->host->client.air_session_failure;
    bool working = t && t->state != TURN_HELD && !s->turns.cancelled;
    enum failure_kind kind = died ? FAILURE_TRANSPORT_LOST : FAILURE_WORKER_SHUTDOWN;
    struct turn_end queued = {.failed = true,
                              .code = RPC_INTERNAL_ERROR,
                              .message = str_of(died ? DIED_TEXT : ENDED_TEXT)};
    struct turn_end active = {.stop_reason = "end_turn"};
    struct failure_record record;
    session_end_tasks(s, false);
    if (!failed) {
        active.members = keep_members(s, NULL);
    } else if (working && air) {
        fail(s, kind, failure_fallback_title(kind), STR_ABSENT, t->uuid, &active);
    } else if (died) {
        active = queued;
    } else {
        fail_plainly(s, failure_fallback_title(kind), STR("worker_shutdown"), &active);
    }
    if (failed && air && !working &&
        failures_session(&s->failures, kind, FAILURE_ERROR, failure_fallback_title(kind), &record)) {
        session_send_failure(s, &record);
    } else if (failed && !air && !working && !s->turns.cancelled && (t || s->turns.cycle)) {
        session_say(s, STR_ABSENT, failure_fallback_title(kind), STR_ABSENT);
    }
    children_finish(&s->children, s->turns.cancelled ? SUBAGENT_CANCELLED : SUBAGENT_FAILED);
    extensions_ended(s);
    turns_on_end(&s->turns, &active, &queued);
    subagents_clear(&s->children.subagents);
}
