/* What is told at the end of work, in which order, and which idles and results end it. */
#include "turn_log_fixture.h"

/* ---- Hooks that only tell ---- */

static void log_cancelling(void *user)
{
    (void)user;
    note("cancelling");
}

static void log_gone(void *user)
{
    (void)user;
    note("gone");
}

static void log_result_done(void *user, bool own, bool quiet)
{
    (void)user;
    note("done:%s%s", own ? "own" : "other", quiet ? ",quiet" : "");
}

static void on_finish_without_result(void *user, struct turn *t, json result, struct turn_end *end)
{
    (void)user;
    (void)t;
    *end = (struct turn_end){.stop_reason = json_present(result) ? "with" : "without"};
}

static void test_who_is_told(void **unused)
{
    (void)unused;
    struct turn_hooks all = hooks;
    all.cancelling = log_cancelling;
    all.gone = log_gone;
    all.result_done = log_result_done;
    turns_init(&fx.turns, &all, NULL);
    active("A");
    add("B");
    result(FOLLOW_UP);
    expect("autonomous done:other");
    ok_for("A");
    expect("close =A:end_turn end:end_turn gone done:own");
    turns_cancel(&fx.turns);
    expect("cancelling =B:cancelled gone drop:B int");
    ok_for("B");
    expect("done:own,quiet");
    fx.turns.hooks = &hooks;
}

static void test_a_turn_without_a_result_is_finished_too(void **unused)
{
    (void)unused;
    struct turn_hooks own = hooks;
    own.finish = on_finish_without_result;
    turns_init(&fx.turns, &own, NULL);
    active("A");
    add("B");
    echo("B"); /* the CLI went on without a result of A */
    expect("close =A:without end:without on:B +B run");
    ok_for("B");
    expect("close =B:with end:with");
    fx.turns.hooks = &hooks;
}

static void test_free_answers_what_is_open(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    turns_free(&fx.turns);
    expect("close! =A:cancelled end:cancelled =B:cancelled");
    turns_init(&fx.turns, &hooks, NULL);
}

/* ---- A settling turn ---- */

static void test_the_next_begins_while_one_settles(void **unused)
{
    (void)unused;
    fx.waits = true;
    active("A");
    result("{\"tag\":\"(1)\"}");
    add("B");
    expect("close ask:A");
    echo("B"); /* the foreground is B's: A's end is told first */
    expect("on:B +B end:end_turn run");
    turns_settled(&fx.turns, STR("A"));
    expect("=A:end_turn(1)");
}

static void test_what_was_folded_follows(void **unused)
{
    (void)unused;
    fx.waits = true;
    active("A");
    add("B");
    result("{\"user_message_uuids\":[\"A\",\"B\"]}");
    expect("close ask:A");
    fx.waits = false;
    turns_settled(&fx.turns, STR("A"));
    expect("=A:end_turn end:end_turn on:B +B run close =B:end_turn end:end_turn");
}

/* ---- Becoming active ---- */

static void test_the_message_is_kept_until_then(void **unused)
{
    (void)unused;
    add("A");
    struct turn *t = turns_find(&fx.turns, STR("A"));
    buf_put_c(&t->line, "{}");
    life("A", "started");
    assert_str(buf_str(&t->line), "{}");
    echo("A");
    assert_int_equal(t->line.n, 0);
}

static void test_the_next_work_ends_a_cancel(void **unused)
{
    (void)unused;
    add("A");
    turns_cancel(&fx.turns);
    request("[]"); /* it may be A's, which the CLI may not have dropped */
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_MUTE);
    assert_true(echo("A"));
    expect("=A:cancelled drop:A int");
    active("B");
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_OPEN);
    assert_false(echo("A"));
}

/* ---- Idles ---- */

/* B is read now; the next idle ends it, for nothing is owed. */
static void expect_nothing_owed(void)
{
    buf_clear(&fx.log);
    add("B");
    echo("B");
    buf_clear(&fx.log);
    state("idle");
    expect("close !B:1 end:failed");
}

static void test_an_owed_idle_is_spent_once(void **unused)
{
    (void)unused;
    active("A");
    ok_for("A");
    state("idle");
    expect_nothing_owed();
}

static void test_idles_of_a_held_turn(void **unused)
{
    (void)unused;
    held("A");
    state("idle"); /* of its result */
    state("idle"); /* of nothing */
    fx.live[0] = '\0';
    state("idle");
    expect("close =A:end_turn(1)");
    expect_nothing_owed();
}

static void test_a_cancelled_follow_up_ends_idle(void **unused)
{
    (void)unused;
    held("A");
    request("[]");
    turns_cancel(&fx.turns);
    result(FOLLOW_UP); /* one that had ended before */
    expect("int timer:30000 autonomous");
    turns_on_state(&fx.turns, STR("idle"));
    expect("close! untimer =A:cancelled(1)");
}

static void test_the_idle_of_a_held_cancelled_turn_is_spent(void **unused)
{
    (void)unused;
    held("A");
    request("[]");
    turns_cancel(&fx.turns);
    state("idle");
    expect("int timer:30000 close! untimer =A:cancelled(1)");
    expect_nothing_owed();
}

static void test_no_idle_is_owed_twice(void **unused)
{
    (void)unused;
    held("A");
    state("idle"); /* of its result */
    request("[]");
    turns_cancel(&fx.turns);
    state("idle"); /* of the follow-up */
    expect("int timer:30000 close! untimer =A:cancelled(1)");
    expect_nothing_owed();
}

/* ---- The CLI's own work ---- */

static void test_a_cancelled_cycle(void **unused)
{
    (void)unused;
    turns_on_output(&fx.turns);
    turns_cancel(&fx.turns);
    result(FOLLOW_UP);
    expect("run int autonomous end:cancelled");
    turns_on_output(&fx.turns); /* still of the cancelled work */
    expect("");
}

static void test_output_of_a_turn_is_no_cycle(void **unused)
{
    (void)unused;
    active("A");
    turns_on_output(&fx.turns);
    assert_false(fx.turns.cycle);
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
}

/* ---- Steers ---- */

static void test_a_steer_that_completed_was_taken_in(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    ok_for("A");
    state("idle");
    expect(""); /* S is to come */
    life("S", "completed");
    state("idle");
    expect("close =A:end_turn end:end_turn");
}

static void test_one_of_two_steers_is_dropped(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    steer("T");
    life("S", "refused");
    ok_for("A");
    expect(""); /* T is to come */
    ok_for("T");
    expect("close =A:end_turn end:end_turn");
}

static void test_a_result_that_names_a_steer_is_the_users(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    result("{\"origin\":{\"kind\":\"peer\"},\"user_message_uuids\":[\"S\"]}");
    expect("close =A:end_turn end:end_turn");
}

static void test_a_steer_and_the_next_in_one_result(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    add("B");
    result("{\"tag\":\"(1)\",\"user_message_uuids\":[\"S\",\"B\"]}");
    expect("close =A:end_turn(1) end:end_turn on:B +B run close =B:end_turn end:end_turn");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_who_is_told),
        CASE(test_a_turn_without_a_result_is_finished_too),
        CASE(test_free_answers_what_is_open),
        CASE(test_the_next_begins_while_one_settles),
        CASE(test_what_was_folded_follows),
        CASE(test_the_message_is_kept_until_then),
        CASE(test_the_next_work_ends_a_cancel),
        CASE(test_an_owed_idle_is_spent_once),
        CASE(test_idles_of_a_held_turn),
        CASE(test_a_cancelled_follow_up_ends_idle),
        CASE(test_the_idle_of_a_held_cancelled_turn_is_spent),
        CASE(test_no_idle_is_owed_twice),
        CASE(test_a_cancelled_cycle),
        CASE(test_output_of_a_turn_is_no_cycle),
        CASE(test_a_steer_that_completed_was_taken_in),
        CASE(test_one_of_two_steers_is_dropped),
        CASE(test_a_result_that_names_a_steer_is_the_users),
        CASE(test_a_steer_and_the_next_in_one_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
