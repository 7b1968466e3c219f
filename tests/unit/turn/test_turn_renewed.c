/* Another process takes the CLI's place: what the old one owed is void, and what waited is to be given to the
 * new one. */
#include "turn_log_fixture.h"

static void renew(void)
{
    turns_renewed(&fx.turns);
}

static void test_an_idle_of_the_old_process_is_not_waited_for(void **unused)
{
    (void)unused;
    active("A");
    ok_for("A"); /* its idle never comes */
    renew();
    add("B");
    echo("B");
    expect("close =A:end_turn end:end_turn on:B +B run");
    state("idle");
    expect("close !B:1 end:failed");
}

static void test_the_new_process_does_not_work_yet(void **unused)
{
    (void)unused;
    active("A");
    ok_for("A");
    request("[]");
    assert_true(turns_working(&fx.turns));
    renew();
    assert_false(turns_working(&fx.turns));
}

static void test_its_own_work_is_over(void **unused)
{
    (void)unused;
    turns_on_output(&fx.turns);
    renew();
    expect("run end:cancelled");
    turns_on_output(&fx.turns);
    expect("run");
}

static void test_cancelled_prompts_are_strangers(void **unused)
{
    (void)unused;
    active("A");
    add("B");
    turns_cancel(&fx.turns);
    ok_for("A");
    assert_true(echo("A"));
    assert_true(echo("B"));
    renew();
    assert_false(echo("A"));
    assert_false(echo("B"));
}

static void test_a_withdrawn_prompt_has_no_diagnostic(void **unused)
{
    (void)unused;
    add("A");
    turns_cancel(&fx.turns);
    renew();
    expect("=A:cancelled drop:A int");
    active("B");
    result(
        "{\"is_error\":true,\"user_message_uuids\":[\"A\"],\"errors\":[\"[ede_diagnostic] result_type=user "
        "last_content_type=n/a stop_reason=null\"]}");
    expect("close !B:-32603 end:failed");
}

static void test_a_refused_prompt_goes_out_again(void **unused)
{
    (void)unused;
    add("A");
    life("A", "refused");
    renew();
    state("idle");
    expect("");
    assert_true(turns_find(&fx.turns, STR("A"))->unsent);
}

static void test_a_held_turn_works_again(void **unused)
{
    (void)unused;
    held("A");
    renew();
    expect("run");
    ok_for("A"); /* its subagent went with the old process */
    expect("close =A:end_turn end:end_turn");
}

static void test_an_active_turn_just_goes_on(void **unused)
{
    (void)unused;
    active("A");
    renew();
    expect("");
    ok_for("A");
    expect("close =A:end_turn end:end_turn");
}

static void test_what_a_held_turn_said_is_void(void **unused)
{
    (void)unused;
    held("A");
    fx.live[0] = '\0';
    renew();
    steer("S");
    life("S", "discarded"); /* so nothing is outstanding but A's own answer */
    ok_for("A");
    expect("run close =A:end_turn end:end_turn");
}

static void test_a_folded_prompt_is_answered_anew(void **unused)
{
    (void)unused;
    active("A");
    turns_spawned(&fx.turns, STR("a"));
    strcpy(fx.live, "a");
    add("B");
    result("{\"user_message_uuids\":[\"A\",\"B\"]}"); /* answers both, but A waits */
    expect("end:end_turn");
    renew();
    ok_for("A");
    expect("run close =A:end_turn end:end_turn"); /* B is to be run by the new process */
    assert_non_null(turns_find(&fx.turns, STR("B")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_an_idle_of_the_old_process_is_not_waited_for),
        CASE(test_the_new_process_does_not_work_yet),
        CASE(test_its_own_work_is_over),
        CASE(test_cancelled_prompts_are_strangers),
        CASE(test_a_withdrawn_prompt_has_no_diagnostic),
        CASE(test_a_refused_prompt_goes_out_again),
        CASE(test_a_held_turn_works_again),
        CASE(test_an_active_turn_just_goes_on),
        CASE(test_what_a_held_turn_said_is_void),
        CASE(test_a_folded_prompt_is_answered_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
