/* What was answered already by a cancel may still be run by the CLI:
 * its frames answer no other prompt. */
#include "turn_log_fixture.h"

static void still_queued(const char *uuids)
{
    AUTO_JSON(doc) = parse_or_fail(uuids);
    turns_still_queued(&fx.turns, json_root(doc));
}

static const char OK[] = "{\"subtype\":\"success\"}";

/* A is cancelled while it waits in the CLI's queue. */
static void cancelled(void)
{
    add("A");
    turns_cancel(&fx.turns);
    expect("=A:cancelled drop:A int");
}

static void test_a_queued_one_may_still_run(void **unused)
{
    (void)unused;
    cancelled();
    add("B");
    result(OK); /* A's: nothing says that it was dropped */
    expect("");
    result(OK);
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_what_is_still_queued_may_still_run(void **unused)
{
    (void)unused;
    cancelled();
    still_queued("[\"X\",\"A\",\"Y\"]");
    add("B");
    result(OK);
    expect("");
    result(OK);
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_what_runs_is_in_no_queue(void **unused)
{
    (void)unused;
    cancelled();
    life("A", "started");
    still_queued("[]"); /* it is not in the queue because it runs */
    add("B");
    result(OK);
    expect("");
    result(OK);
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_what_the_cli_dropped_brings_no_result(void **unused)
{
    (void)unused;
    const char *ends[] = {"cancelled", "discarded", "refused", "completed"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        cancelled();
        life("A", ends[i]);
        add("B");
        result(OK);
        expect("by-result:B +B run close =B:end_turn end:end_turn");
    }
}

static void test_what_was_broken_off_while_it_ran_brings_one(void **unused)
{
    (void)unused;
    cancelled();
    life("A", "started");
    life("A", "cancelled"); /* its result says that it was interrupted */
    add("B");
    result("{\"is_error\":true}");
    expect("");
    ok_for("B");
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_what_completed_brings_none_any_more(void **unused)
{
    (void)unused;
    cancelled();
    life("A", "started");
    life("A", "completed");
    add("B");
    result(OK);
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_a_started_one_is_gone_with_its_result(void **unused)
{
    (void)unused;
    cancelled();
    life("A", "started");
    active("B"); /* the CLI goes on to B */
    ok_for("B");
    expect("close =B:end_turn end:end_turn");
    add("C");
    result(OK); /* nothing of A can come any more */
    expect("by-result:C +C run close =C:end_turn end:end_turn");
}

static void test_a_named_one_is_gone_with_its_result(void **unused)
{
    (void)unused;
    cancelled();
    add("B");
    ok_for("A");
    expect("");
    result(OK);
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

/* A turn is given up because nothing would report its end, or because that took too long. */
static void test_a_turn_that_was_given_up_may_still_run(void **unused)
{
    (void)unused;
    active("A");
    turns_cancel(&fx.turns);
    turns_cancel_timeout(&fx.turns, fx.timer);
    expect("int timer:30000 close! =A:cancelled(tally) end:cancelled");
    add("B");
    result(OK); /* A's */
    expect("");
    result(OK);
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_a_turn_that_had_its_result_does_not(void **unused)
{
    (void)unused;
    add("A");
    life("A", "started");
    life("A", "completed");
    turns_cancel(&fx.turns);
    expect("+A run =A:cancelled end:cancelled drop:A int");
    add("B");
    result(OK);
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_a_cancelled_start_brings_a_result(void **unused)
{
    (void)unused;
    add("A");
    life("A", "started");
    life("A", "cancelled");
    turns_cancel(&fx.turns);
    expect("+A run =A:cancelled end:cancelled drop:A int");
    add("B");
    result("{\"is_error\":true}"); /* A's */
    expect("");
    result(OK);
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_a_late_timer_is_nothing(void **unused)
{
    (void)unused;
    active("A");
    turns_cancel(&fx.turns);
    struct turn *t = fx.timer;
    expect("int timer:30000");
    fx.turns.cancelled = false; /* the CLI went on with other work meanwhile */
    turns_cancel_timeout(&fx.turns, t);
    expect("");
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
}

static void test_a_cancelled_steer_is_known(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    turns_cancel(&fx.turns);
    ok_for("A");
    expect("drop:S int timer:30000 close! untimer =A:cancelled(tally) end:cancelled");
    assert_true(echo("S"));
    add("B");
    ok_for("S"); /* it ran anyway */
    expect("");
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_MUTE);
    request("[\"S\"]");
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_MUTE);
}

static void test_work_of_the_cancelled_stays_hidden(void **unused)
{
    (void)unused;
    active("A");
    turns_cancel(&fx.turns);
    request("[\"X\"]"); /* A is not over yet */
    assert_int_equal(turns_output(&fx.turns, true), TURN_OUTPUT_CLOSING);
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_CLOSING);
    ok_for("A");
    assert_int_equal(turns_output(&fx.turns, true), TURN_OUTPUT_MUTE);
    request("[]");
    assert_int_equal(turns_output(&fx.turns, true), TURN_OUTPUT_OPEN);
}

static void test_the_foreground_may_end_before_its_turn(void **unused)
{
    (void)unused;
    held("A");
    request("[]"); /* a follow-up is on its way */
    turns_cancel(&fx.turns);
    assert_int_equal(turns_output(&fx.turns, true), TURN_OUTPUT_MUTE);
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_CLOSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_a_queued_one_may_still_run),
        CASE(test_what_is_still_queued_may_still_run),
        CASE(test_what_runs_is_in_no_queue),
        CASE(test_what_the_cli_dropped_brings_no_result),
        CASE(test_what_was_broken_off_while_it_ran_brings_one),
        CASE(test_what_completed_brings_none_any_more),
        CASE(test_a_started_one_is_gone_with_its_result),
        CASE(test_a_named_one_is_gone_with_its_result),
        CASE(test_a_turn_that_was_given_up_may_still_run),
        CASE(test_a_turn_that_had_its_result_does_not),
        CASE(test_a_cancelled_start_brings_a_result),
        CASE(test_a_late_timer_is_nothing),
        CASE(test_a_cancelled_steer_is_known),
        CASE(test_work_of_the_cancelled_stays_hidden),
        CASE(test_the_foreground_may_end_before_its_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
