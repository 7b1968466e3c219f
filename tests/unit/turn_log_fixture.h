/* The turn engine with hooks that write what it does into a log, in short words:
 *
 *     +A inserted   =A:reason answered (with its members, if any)   !A:code failed
 *     run, wait, end:reason   the foreground      int   an interrupt      drop:A   a prompt is withdrawn from
 * the CLI's queue close, close!   calls are closed (after a cancel)   ask:A   the answer may wait   timer,
 * untimer */
#ifndef HERALD_TESTS_TURN_LOG_FIXTURE_H
#define HERALD_TESTS_TURN_LOG_FIXTURE_H

#include "turn_fixture.h"

struct fixture {
    struct turns turns;
    struct buf log;
    struct turn *timer;
    bool lost, waits; /* what close_calls() and before_answer() say */
    bool no_process;  /* that an interrupt would reach */
    char live[8];     /* ids of the subagents that hold, a letter each */
};

static struct fixture fx;

static inline void note(const char *fmt, ...)
{
    va_list ap;
    if (fx.log.n) {
        buf_put_c(&fx.log, " ");
    }
    va_start(ap, fmt);
    buf_vprintf(&fx.log, fmt, ap);
    va_end(ap);
}

static void on_inserted(void *user, const char *uuid)
{
    (void)uuid;
    note("+%s", (const char *)user);
}

static void on_ended(void *user, const struct turn_end *end)
{
    if (end->stop_reason) {
        note("=%s:%s", (const char *)user, end->stop_reason);
        buf_put_str(&fx.log, end->members);
    } else {
        note("!%s:%d", (const char *)user, end->code);
    }
}

static const struct turn_observer observer = {.inserted = on_inserted, .ended = on_ended};

static void on_cancel_queued(void *user, const char *uuid)
{
    (void)user;
    note("drop:%s", uuid);
}

static bool on_interrupt(void *user)
{
    (void)user;
    note("int");
    return !fx.no_process;
}

static void on_activated(void *user, struct turn *t, bool by_result)
{
    (void)user;
    note("%s%s", by_result ? "by-result:" : "on:", t->uuid);
}

static bool on_task_holds(void *user, str id)
{
    (void)user;
    return strchr(fx.live, id.p[0]) != NULL;
}

static void on_close_calls(void *user, struct turn *t, bool cancelled, bool *lost)
{
    (void)user;
    (void)t;
    note(cancelled ? "close!" : "close");
    *lost = fx.lost;
}

static bool on_before_answer(void *user, struct turn *t, const struct turn_end *end, bool may_wait)
{
    (void)user;
    (void)end;
    if (may_wait && fx.waits) {
        note("ask:%s", t->uuid);
    }
    return fx.waits;
}

static void on_finish(void *user, struct turn *t, json result, struct turn_end *end)
{
    (void)user;
    (void)t;
    if (json_is_true(json_get(result, "is_error"))) {
        *end = (struct turn_end){.failed = true, .code = -32603, .message = STR("it failed")};
    } else {
        str tag = json_str(json_get(result, "tag")); /* stands for the usage */
        *end = (struct turn_end){.stop_reason = "end_turn", .members = tag};
    }
}

static void on_finish_cancelled(void *user, struct turn *t, struct turn_end *end)
{
    (void)user;
    (void)t;
    end->members = STR("(tally)");
}

static void on_finish_faulty(void *user, struct turn *t, enum turn_fault fault, struct turn_end *end)
{
    (void)user;
    (void)t;
    *end =
        (struct turn_end){.failed = true, .code = fault == TURN_NO_RESULT ? 1 : 2, .message = STR("faulty")};
}

static void on_finish_cycle(void *user, json result, struct turn_end *end)
{
    (void)user;
    (void)result;
    *end = (struct turn_end){.stop_reason = "cycle"};
}

static bool on_failed_beside(void *user, struct turn *held, json result, struct turn_end *end)
{
    (void)user;
    (void)result;
    note("lost%s%s", held ? ":" : "", held ? held->uuid : "");
    *end = (struct turn_end){.failed = true, .code = -32603, .message = STR("it failed")};
    return held != NULL;
}

static void on_result(void *user, json result, bool own)
{
    (void)user;
    (void)result;
    if (!own) {
        note("autonomous");
    }
}

static void on_foreground(void *user, enum foreground what, const struct turn_end *end)
{
    (void)user;
    if (what == FOREGROUND_ENDED) {
        note("end:%s", end->stop_reason ? end->stop_reason : "failed");
    } else {
        note(what == FOREGROUND_RUNNING ? "run" : "wait");
    }
}

static uint64_t on_start_timer(void *user, unsigned ms, struct turn *t)
{
    (void)user;
    note("timer:%u", ms);
    fx.timer = t;
    return 7;
}

static void on_stop_timer(void *user, uint64_t timer)
{
    (void)user;
    assert_int_equal(timer, 7);
    note("untimer");
    fx.timer = NULL;
}

/* ---- Steps ---- */

static inline int set_up(void **state)
{
    (void)state;
    fx = (struct fixture){0};
    turns_init(&fx.turns, &hooks, NULL);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    turns_free(&fx.turns);
    buf_free(&fx.log);
    return 0;
}

/* What was logged since the last call. */
static inline void expect(const char *log)
{
    assert_str(buf_str(&fx.log), log);
    buf_clear(&fx.log);
}

static inline void add(const char *uuid)
{
    char padded[37] = {0};
    strcpy(padded, uuid);
    assert_non_null(turns_add(&fx.turns, padded, &observer, (void *)(uintptr_t)uuid));
}

static inline void steer(const char *uuid)
{
    char padded[37] = {0};
    strcpy(padded, uuid);
    assert_true(turns_steer(&fx.turns, padded, str_of(padded)));
}

static inline void life(const char *uuid, const char *state)
{
    turns_on_lifecycle(&fx.turns, str_of(uuid), str_of(state));
}

static inline bool echo(const char *uuid)
{
    return turns_on_echo(&fx.turns, str_of(uuid));
}

static inline void request(const char *uuids)
{
    struct json_doc *doc = parse_or_fail(uuids);
    turns_on_request(&fx.turns, json_root(doc));
    json_unref(doc);
}

static inline void result(const char *text)
{
    struct json_doc *doc = parse_or_fail(text);
    turns_on_result(&fx.turns, json_root(doc));
    json_unref(doc);
}

static inline void ok_for(const char *uuid)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"subtype\":\"success\",\"user_message_uuids\":[\"%s\"]}", uuid);
    result(buf_c(&b));
}

static inline void state(const char *name)
{
    turns_on_state(&fx.turns, str_of(name));
}

/* A prompt that the CLI works on. */
static inline void active(const char *uuid)
{
    AUTO_BUF(want);
    add(uuid);
    state("running");
    life(uuid, "started");
    echo(uuid);
    buf_printf(&want, "+%s run on:%s", uuid, uuid);
    expect(buf_c(&want));
}

/* ... and that waits for the subagent `a`. */
static inline void held(const char *uuid)
{
    AUTO_BUF(b);
    active(uuid);
    turns_spawned(&fx.turns, STR("a"));
    strcpy(fx.live, "a");
    buf_printf(&b, "{\"tag\":\"(1)\",\"user_message_uuids\":[\"%s\"]}", uuid);
    result(buf_c(&b));
    expect("end:end_turn");
}

static const char FOLLOW_UP[] = "{\"origin\":{\"kind\":\"task-notification\"},\"num_turns\":1}";

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
