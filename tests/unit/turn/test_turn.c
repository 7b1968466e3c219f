/* The turn engine, case by case. What it does is written into a log; turn_log_fixture.h says how. */
#include "turn_log_fixture.h"

/* ---- Ordinary turns ---- */

static void test_turn(void **unused)
{
    (void)unused;
    active("A");
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
    state("idle"); /* belongs to that result */
    assert_false(turns_busy(&fx.turns));
    expect("");
}

static void test_started_inserts(void **unused)
{
    (void)unused;
    add("A");
    life("A", "queued");
    expect("");
    life("A", "started");
    expect("+A run");
    echo("A");
    expect("on:A");
    life("A", "started");
    echo("A");
    expect("");
}

static void test_queue(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    life("B", "started"); /* remembered; inserted at the echo */
    expect("");
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
    echo("B");
    expect("on:B +B run");
    ok_for("B");
    expect("close =B:end_turn end:end_turn");
}

static void test_result_without_echo(void **unused)
{
    (void)unused;
    add("A");
    add("B");
    result("{\"subtype\":\"success\"}");
    expect("by-result:A +A run close =A:end_turn end:end_turn");
    ok_for("B");
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_result_of_a_stranger(void **unused)
{
    (void)unused;
    add("A");
    ok_for("X"); /* nobody waits for it */
    expect("");
    life("A", "started");
    expect("+A run");
    ok_for("X"); /* the CLI runs A: it can only be that one */
    expect("by-result:A close =A:end_turn end:end_turn");
}

static void test_result_of_the_next(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    result("{\"is_error\":true,\"user_message_uuid\":\"B\"}");
    expect("close =A:end_turn end:end_turn by-result:B +B run close !B:-32603 end:failed");
}

static void test_folded(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    result("{\"user_message_uuids\":[\"A\",\"B\"]}");
    expect("close =A:end_turn end:end_turn on:B +B run close =B:end_turn end:end_turn");
}

static void test_failure(void **unused)
{
    (void)unused;
    active("A");
    result("{\"is_error\":true}");
    expect("close !A:-32603 end:failed");
}

static void test_lost_call(void **unused)
{
    (void)unused;
    fx.lost = true;
    active("A");
    ok_for("A");
    expect("close !A:2 end:failed");
}

static void test_idle_without_result(void **unused)
{
    (void)unused;
    add("A");
    state("idle"); /* the CLI has not read it yet */
    expect("");
    state("running");
    echo("A");
    expect("on:A +A run");
    state("idle");
    expect("close !A:1 end:failed");
}

static void test_owed_idle(void **unused)
{
    (void)unused;
    active("A");
    ok_for("A");
    add("B");
    echo("B");
    expect("close =A:end_turn end:end_turn on:B +B run");
    state("idle"); /* late, of A's result */
    expect("");
    state("running");
    state("idle");
    expect("close !B:1 end:failed");
}

static void test_dropped_prompt(void **unused)
{
    (void)unused;
    add("A");
    life("A", "refused");
    expect("");
    state("idle");
    expect("on:A +A run close !A:1 end:failed");
}

static void test_hand_off(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    echo("B");
    expect("close =A:end_turn end:end_turn on:B +B run");
}

/* ---- Cycles ---- */

static void test_cycle(void **unused)
{
    (void)unused;
    turns_on_output(&fx.turns);
    turns_on_output(&fx.turns);
    expect("run");
    result("{\"origin\":{\"kind\":\"task-notification\"},\"num_turns\":0}");
    expect("autonomous");
    add("A");
    result(FOLLOW_UP); /* never answers a prompt */
    expect("autonomous end:cycle");
    result("{\"origin\":{\"kind\":\"peer\"},\"user_message_uuids\":[\"A\"]}"); /* unless it names it */
    expect("by-result:A +A run close =A:end_turn end:end_turn");
}

static void test_turn_takes_cycle_over(void **unused)
{
    (void)unused;
    turns_on_output(&fx.turns);
    expect("run");
    add("A");
    echo("A");
    expect("on:A +A");
    result(FOLLOW_UP);
    expect("autonomous");
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
}

static void test_cycle_ends_idle(void **unused)
{
    (void)unused;
    turns_on_output(&fx.turns);
    state("idle");
    expect("run end:end_turn");
}

#define FAILED_BESIDE "{\"origin\":{\"kind\":\"task-notification\"},\"num_turns\":0,\"is_error\":true}"

static void test_cycle_fails(void **unused)
{
    (void)unused;
    turns_on_output(&fx.turns);
    result(FAILED_BESIDE); /* also without a turn of the model */
    expect("run autonomous end:cycle lost");
    result(FAILED_BESIDE); /* or without any output */
    expect("autonomous lost");
    active("A"); /* beside a turn, which goes on */
    result(FAILED_BESIDE);
    expect("autonomous lost");
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
    turns_on_output(&fx.turns);
    result("{\"is_error\":true}"); /* of nobody knows what */
    expect("run end:cycle lost");
    result("{\"is_error\":true}"); /* the rest of something that is over */
    expect("");
    turns_cancel(&fx.turns);
    result(FAILED_BESIDE);
    expect("int autonomous");
}

static void test_waiting(void **unused)
{
    (void)unused;
    turns_set_blocked(&fx.turns, true);
    expect("");
    add("A");
    echo("A");
    expect("on:A +A run wait");
    turns_set_blocked(&fx.turns, true);
    turns_set_blocked(&fx.turns, false);
    expect("run");
    turns_set_blocked(&fx.turns, true);
    ok_for("A");
    turns_set_blocked(&fx.turns, false);
    expect("wait close =A:end_turn end:end_turn");
}

/* ---- The hold ---- */

static void test_hold(void **unused)
{
    (void)unused;
    held("A");
    turns_on_output(&fx.turns);
    expect("run");
    result(FOLLOW_UP); /* the subagent still runs */
    expect("autonomous end:cycle");
    fx.live[0] = '\0';
    result("{\"origin\":{\"kind\":\"task-notification\"},\"num_turns\":0}");
    expect("autonomous");
    result(FOLLOW_UP);
    expect("autonomous close =A:end_turn(1)");
}

static void test_hold_until_idle(void **unused)
{
    (void)unused;
    held("A");
    state("idle");
    expect("");
    turns_spawned(&fx.turns, STR("b"));
    strcpy(fx.live, "b");
    state("idle");
    expect("");
    fx.live[0] = '\0';
    state("idle");
    expect("close =A:end_turn(1)");
}

static void test_hold_ends_with_the_next(void **unused)
{
    (void)unused;
    held("A");
    add("B");
    echo("B");
    expect("close =A:end_turn(1) on:B +B run");
    result("{\"tag\":\"(2)\"}"); /* B started none */
    expect("close =B:end_turn(2) end:end_turn");
}

static void test_hold_and_local_command(void **unused)
{
    (void)unused;
    held("A");
    add("B");
    ok_for("B");
    expect("close =A:end_turn(1) by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_failure_is_not_held(void **unused)
{
    (void)unused;
    active("A");
    turns_spawned(&fx.turns, STR("a"));
    strcpy(fx.live, "a");
    result("{\"is_error\":true}");
    expect("close !A:-32603 end:failed");
}

static void test_follow_up_fails(void **unused)
{
    (void)unused;
    held("A"); /* its subagent goes on; the answer does not wait for it */
    turns_on_output(&fx.turns);
    expect("run");
    result(FAILED_BESIDE);
    expect("autonomous end:cycle lost:A close !A:-32603");
    result("{\"origin\":{\"kind\":\"peer\"},\"is_error\":true,\"terminal_reason\":\"aborted_streaming\"}");
    expect("autonomous");
}

static void test_cancel_held(void **unused)
{
    (void)unused;
    held("A");
    turns_cancel(&fx.turns);
    expect("close! =A:cancelled(1) int");
}

static void test_cancel_follow_up(void **unused)
{
    (void)unused;
    held("A");
    request("[]");
    turns_cancel(&fx.turns);
    expect("int timer:30000");
    result("{\"origin\":{\"kind\":\"task-notification\"},\"terminal_reason\":\"aborted_streaming\"}");
    expect("autonomous close! untimer =A:cancelled(1)");
}

/* ---- Cancel ---- */

static void test_cancel_active(void **unused)
{
    (void)unused;
    active("A");
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_OPEN);
    turns_cancel(&fx.turns);
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_CLOSING);
    expect("int timer:30000");
    turns_cancel(&fx.turns);
    expect("int");
    result("{\"is_error\":true,\"user_message_uuids\":[\"A\"]}");
    expect("close! untimer =A:cancelled(tally) end:cancelled");
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_MUTE);
    assert_int_equal(turns_output(&fx.turns, true), TURN_OUTPUT_MUTE);
    active("B");
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_OPEN);
}

static void test_cancel_queued(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    add("C");
    turns_cancel(&fx.turns);
    expect("=B:cancelled =C:cancelled drop:B drop:C int timer:30000");
    ok_for("A");
    expect("close! untimer =A:cancelled(tally) end:cancelled");
    life("B", "started"); /* it runs anyway */
    add("D");
    ok_for("B");
    expect("");
    echo("D");
    expect("on:D +D run");
}

static void test_cancel_idle(void **unused)
{
    (void)unused;
    turns_cancel(&fx.turns);
    expect("int");
    active("A");
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
}

static void test_cancelled_orphan_without_stamp(void **unused)
{
    (void)unused;
    add("A");
    life("A", "started");
    turns_cancel(&fx.turns);
    expect("+A run =A:cancelled end:cancelled drop:A int");
    add("B");
    result("{\"is_error\":true}"); /* A's */
    expect("");
    result("{\"subtype\":\"success\"}");
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_still_queued(void **unused)
{
    (void)unused;
    add("A");
    turns_cancel(&fx.turns);
    struct json_doc *none = parse_or_fail("[]");
    turns_still_queued(&fx.turns, json_root(none));
    json_unref(none);
    expect("=A:cancelled drop:A int");
    add("B");
    result("{\"subtype\":\"success\"}"); /* A was dropped: this is B's */
    expect("by-result:B +B run close =B:end_turn end:end_turn");
}

static void test_stale_diagnostic(void **unused)
{
    (void)unused;
    add("A");
    turns_cancel(&fx.turns);
    expect("=A:cancelled drop:A int");
    active("B");
    result("{\"is_error\":true,\"errors\":[\"[ede_diagnostic] result_type=user last_content_type=n/a "
           "stop_reason=null\"]}");
    expect("");
    result("{\"is_error\":true,\"errors\":[\"[ede_diagnostic] result_type=user last_content_type=text "
           "stop_reason=null\"]}");
    expect("close !B:-32603 end:failed");
}

static void test_request_ends_the_cancel(void **unused)
{
    (void)unused;
    active("A");
    turns_cancel(&fx.turns);
    ok_for("A");
    request("[\"A\"]");
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_MUTE);
    turns_on_output(&fx.turns);
    request("[\"X\"]");
    assert_int_equal(turns_output(&fx.turns, false), TURN_OUTPUT_OPEN);
    expect("int timer:30000 close! untimer =A:cancelled(tally) end:cancelled");
}

static void test_cancel_backstop(void **unused)
{
    (void)unused;
    active("A");
    turns_cancel(&fx.turns);
    turns_cancel_timeout(&fx.turns, fx.timer);
    expect("int timer:30000 close! =A:cancelled(tally) end:cancelled");
    add("B");
    ok_for("A"); /* late */
    expect("");
}

/* ---- An answer that waits ---- */

static void test_a_cancel_without_a_process(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    fx.no_process = true;
    turns_cancel(&fx.turns);
    expect("=B:cancelled drop:B int close! =A:cancelled(tally) end:cancelled");
    assert_null(fx.timer);
}

static void test_settling(void **unused)
{
    (void)unused;
    fx.waits = true;
    active("A");
    ok_for("A");
    expect("close ask:A");
    assert_false(turns_steerable(&fx.turns));
    turns_settled(&fx.turns, STR("B"));
    turns_settled(&fx.turns, STR("A"));
    turns_settled(&fx.turns, STR("A"));
    expect("=A:end_turn end:end_turn");
}

static void test_cancel_settling(void **unused)
{
    (void)unused;
    fx.waits = true;
    active("A");
    result("{\"tag\":\"(1)\"}");
    add("B");
    turns_cancel(&fx.turns);
    expect("close ask:A =B:cancelled =A:cancelled(1) end:cancelled drop:B int");
    turns_settled(&fx.turns, STR("A"));
    expect("");
}

static void test_failure_does_not_wait(void **unused)
{
    (void)unused;
    fx.waits = true;
    active("A");
    result("{\"is_error\":true}");
    expect("close !A:-32603 end:failed");
}

static void test_result_waits_for_settling(void **unused)
{
    (void)unused;
    held("A");
    fx.waits = true;
    add("B");
    ok_for("B"); /* ends the hold, and B */
    expect("close ask:A");
    fx.waits = false;
    turns_settled(&fx.turns, STR("A"));
    expect("=A:end_turn(1) by-result:B +B run close =B:end_turn end:end_turn");
}

/* ---- Steers ---- */

static void test_steer(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    result("{\"tag\":\"(1)\",\"user_message_uuids\":[\"A\"]}"); /* what the steer broke off */
    expect("");
    assert_true(echo("S"));
    result("{\"tag\":\"(2)\",\"user_message_uuids\":[\"S\"]}");
    expect("close =A:end_turn(2) end:end_turn");
}

static void test_steer_without_stamps(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    result("{\"tag\":\"(1)\"}");
    state("idle"); /* the steer was not read yet */
    expect("");
    state("running");
    echo("S");
    state("idle"); /* and not answered */
    expect("");
    result("{\"tag\":\"(2)\"}");
    state("idle");
    expect("close =A:end_turn(2) end:end_turn");
}

static void test_steer_error_is_recorded(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    result("{\"is_error\":true}");
    echo("S");
    result("{\"tag\":\"(2)\",\"user_message_uuids\":[\"S\"]}");
    expect("lost close =A:end_turn(2) end:end_turn");
}

static void test_steer_held(void **unused)
{
    (void)unused;
    held("A");
    steer("S");
    expect("run");
    fx.live[0] = '\0';
    ok_for("S");
    expect("close =A:end_turn end:end_turn");
}

static void test_steer_queued(void **unused)
{
    (void)unused;
    add("A");
    steer("S");
    echo("A");
    expect("on:A +A run");
    ok_for("A");
    expect("");
    ok_for("S");
    expect("close =A:end_turn end:end_turn");
}

static void test_steer_dropped(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    life("S", "discarded");
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
}

static void test_steer_and_the_next(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    result("{\"tag\":\"(1)\",\"user_message_uuids\":[\"A\"]}");
    add("B");
    echo("B");
    expect("close =A:end_turn(1) end:end_turn on:B +B run");
}

static void test_cancel_steered(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    turns_cancel(&fx.turns);
    expect("drop:S int timer:30000");
    ok_for("A");
    expect("close! untimer =A:cancelled(tally) end:cancelled");
}

static void test_cancel_unread_steer(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    ok_for("A");
    state("idle");
    turns_cancel(&fx.turns); /* an idle CLI has nothing to say to that */
    expect("close! =A:cancelled(tally) end:cancelled drop:S int");
}

static void test_a_steer_outlives_the_process(void **unused)
{
    (void)unused;
    active("A");
    steer("S");
    steer("T");
    echo("S"); /* this one was taken in */
    buf_clear(&fx.log);
    turns_renewed(&fx.turns);
    assert_null(turns_find(&fx.turns, STR("S")));
    const struct turn *t = turns_find(&fx.turns, STR("T"));
    assert_non_null(t);
    assert_int_equal(t->state, TURN_QUEUED);
    assert_str(buf_str(&t->line), "T");
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
    life("T", "started");
    echo("T");
    ok_for("T");
    assert_false(turns_busy(&fx.turns));
}

static void test_nothing_to_steer(void **unused)
{
    (void)unused;
    assert_false(turns_steerable(&fx.turns));
    assert_false(turns_steer(&fx.turns, "S", STR("{}")));
    assert_false(echo("S"));
}

/* ---- Prompts that were not given to the CLI ---- */

static void add_unsent(const char *uuid)
{
    add(uuid);
    turns_find(&fx.turns, str_of(uuid))->unsent = true;
}

static void test_unsent(void **unused)
{
    (void)unused;
    active("A");
    add_unsent("B");
    assert_true(turns_working(&fx.turns));
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
    assert_true(turns_busy(&fx.turns));
    assert_false(turns_working(&fx.turns));
    assert_false(turns_steerable(&fx.turns));
    result("{}"); /* of nobody's */
    state("idle");
    expect("");
    turns_refuse(&fx.turns, turns_find(&fx.turns, STR("B")), &(struct turn_end){.code = 9});
    expect("!B:9");
}

static void test_cancel_unsent(void **unused)
{
    (void)unused;
    active("A");
    add_unsent("B");
    turns_cancel(&fx.turns); /* B is not in the CLI's queue */
    expect("=B:cancelled int timer:30000");
    ok_for("A");
    expect("close! untimer =A:cancelled(tally) end:cancelled");
}

static void test_renewed_are_unsent(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    turns_renewed(&fx.turns);
    assert_false(turns_find(&fx.turns, STR("A"))->unsent);
    assert_true(turns_find(&fx.turns, STR("B"))->unsent);
}

/* ---- The end of the CLI ---- */

static const struct turn_end lost = {.failed = true, .code = 5}, over = {.failed = true, .code = 6};

static void test_end(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    turns_on_end(&fx.turns, &lost, &over);
    expect("close !A:5 end:failed !B:6");
    turns_cancel(&fx.turns);
    expect("");
}

static void test_end_cancelled(void **unused)
{
    (void)unused;
    active("A");
    turns_cancel(&fx.turns);
    turns_on_end(&fx.turns, &lost, &over);
    expect("int timer:30000 close! untimer =A:cancelled(tally) end:cancelled");
}

static void test_end_held(void **unused)
{
    (void)unused;
    held("A");
    turns_on_output(&fx.turns);
    turns_on_end(&fx.turns, &lost, &over);
    expect("run end:failed close =A:end_turn(1)");
}

static void test_end_settling(void **unused)
{
    (void)unused;
    fx.waits = true;
    active("A");
    ok_for("A");
    turns_on_end(&fx.turns, &lost, &over);
    expect("close ask:A =A:end_turn end:end_turn");
}

static void test_odd_frames(void **unused)
{
    (void)unused;
    add("A");
    life("", "started");
    turns_on_lifecycle(&fx.turns, STR_ABSENT, STR_ABSENT);
    turns_on_echo(&fx.turns, STR_ABSENT);
    turns_on_state(&fx.turns, STR_ABSENT);
    turns_on_request(&fx.turns, JSON_NONE);
    turns_still_queued(&fx.turns, JSON_NONE);
    request("{\"a\":1}");
    result("{\"origin\":{\"kind\":\"peer\"},\"user_message_uuids\":{\"a\":\"B\"},\"num_turns\":\"x\"}");
    expect("autonomous");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_turn),
        CASE(test_started_inserts),
        CASE(test_queue),
        CASE(test_result_without_echo),
        CASE(test_result_of_a_stranger),
        CASE(test_result_of_the_next),
        CASE(test_folded),
        CASE(test_failure),
        CASE(test_lost_call),
        CASE(test_idle_without_result),
        CASE(test_owed_idle),
        CASE(test_dropped_prompt),
        CASE(test_hand_off),
        CASE(test_cycle),
        CASE(test_turn_takes_cycle_over),
        CASE(test_cycle_ends_idle),
        CASE(test_cycle_fails),
        CASE(test_waiting),
        CASE(test_hold),
        CASE(test_hold_until_idle),
        CASE(test_hold_ends_with_the_next),
        CASE(test_hold_and_local_command),
        CASE(test_failure_is_not_held),
        CASE(test_follow_up_fails),
        CASE(test_cancel_held),
        CASE(test_cancel_follow_up),
        CASE(test_cancel_active),
        CASE(test_cancel_queued),
        CASE(test_cancel_idle),
        CASE(test_cancelled_orphan_without_stamp),
        CASE(test_still_queued),
        CASE(test_stale_diagnostic),
        CASE(test_request_ends_the_cancel),
        CASE(test_cancel_backstop),
        CASE(test_a_cancel_without_a_process),
        CASE(test_settling),
        CASE(test_cancel_settling),
        CASE(test_failure_does_not_wait),
        CASE(test_result_waits_for_settling),
        CASE(test_steer),
        CASE(test_steer_without_stamps),
        CASE(test_steer_error_is_recorded),
        CASE(test_steer_held),
        CASE(test_steer_queued),
        CASE(test_steer_dropped),
        CASE(test_steer_and_the_next),
        CASE(test_cancel_steered),
        CASE(test_cancel_unread_steer),
        CASE(test_a_steer_outlives_the_process),
        CASE(test_nothing_to_steer),
        CASE(test_unsent),
        CASE(test_cancel_unsent),
        CASE(test_renewed_are_unsent),
        CASE(test_end),
        CASE(test_end_cancelled),
        CASE(test_end_held),
        CASE(test_end_settling),
        CASE(test_odd_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
