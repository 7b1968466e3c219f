#include "unit.h"

#include "extension/goal.h"

#define COMMAND "11111111-1111-4111-8111-111111111111"
#define OTHER   "22222222-2222-4222-8222-222222222222"
#define SET(objective)                                                                                       \
    "{\"objective\":\"" objective "\",\"status\":\"active\",\"controlMethod\":\"_session/goal\"}"

static void submit(struct goal *g, const char *argument, const char *expected)
{
    AUTO_BUF(out);
    goal_submitted(g, STR(COMMAND), str_of(argument), &out);
    assert_str(buf_str(&out), expected);
}

/* What is published for this value; absent when nothing is. */
static void report(struct goal *g, const char *value, const char *expected)
{
    AUTO_BUF(out);
    AUTO_JSON(doc) = parse_or_fail(value);
    bool told = goal_reported(g, json_root(doc), &out);
    assert_int_equal(told, expected != NULL);
    if (told) {
        assert_str(buf_str(&out), expected);
    }
}

static void test_command_is_published_at_once(void **state)
{
    (void)state;
    struct goal g = {0};
    submit(&g, "  Ship \"it\" ", SET("Ship \\\"it\\\""));
    submit(&g, "clear", "null");
    submit(&g, "clear the table", SET("clear the table"));
    const char *words[] = {"clear", "Stop", "OFF", " reset ", "nOne", "CANCEL"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        assert_true(i == 0 || !goal_is_active(&g));
        submit(&g, "x", SET("x"));
        assert_true(goal_is_active(&g));
        submit(&g, words[i], "null");
    }
    submit(&g, "cancelled", SET("cancelled"));
    goal_free(&g);
}

/* What is published for what is stored; absent when nothing is. */
static void note_stored(struct goal *g, const char *condition, const char *expected)
{
    AUTO_BUF(out);
    bool told = goal_noted(g, str_of(condition), &out);
    assert_int_equal(told, expected != NULL);
    if (told) {
        assert_str(buf_str(&out), expected);
    }
}

static void test_stored_goal(void **state)
{
    (void)state;
    struct goal g = {0};
    note_stored(&g, NULL, NULL);
    note_stored(&g, " Ship it ", SET("Ship it")); /* of a session that was opened */
    note_stored(&g, "Ship it", NULL);
    note_stored(&g, NULL, "null"); /* it was met */
    note_stored(&g, NULL, NULL);
    submit(&g, "Next", SET("Next"));
    note_stored(&g, NULL, NULL); /* the command has not run */
    goal_settled(&g);
    note_stored(&g, "Next", NULL);
    report(&g, "{\"condition\":\"Next\",\"iterations\":1}",
           "{\"objective\":\"Next\",\"status\":\"active\",\"iterations\":1,\"lastReason\":null,"
           "\"controlMethod\":\"_session/goal\"}");
    note_stored(&g, "Next", NULL); /* says less */
    note_stored(&g, "Other", SET("Other"));
    goal_free(&g);
}

static void test_late_reports_wait_for_the_match(void **state)
{
    (void)state;
    struct goal g = {0};
    submit(&g, "Ship it", SET("Ship it"));
    report(&g, "{\"condition\":\"Old\",\"iterations\":9}", NULL);
    report(&g, "null", NULL);
    report(&g,
           "{\"condition\":\" Ship it \",\"iterations\":1,\"set_at\":1710000000123,\"tokens_at_start\":7}",
           "{\"objective\":\"Ship it\",\"status\":\"active\",\"iterations\":1,\"lastReason\":null,"
           "\"createdAt\":1710000000123,\"controlMethod\":\"_session/goal\"}");
    report(&g, "null", "null");
    goal_free(&g);
}

static void test_failure_brings_the_goal_before_back(void **state)
{
    (void)state;
    struct goal g = {0};
    AUTO_BUF(out);
    submit(&g, "First", SET("First"));
    goal_echoed(&g, STR(COMMAND));
    assert_false(goal_on_result(&g, false, &out));
    submit(&g, "Second", SET("Second"));
    assert_false(goal_on_result(&g, true, &out)); /* of the work before: the command has not begun */
    goal_echoed(&g, STR(OTHER));
    assert_false(goal_on_result(&g, true, &out));
    goal_echoed(&g, STR(COMMAND));
    assert_true(goal_on_result(&g, true, &out));
    assert_str(buf_str(&out), SET("First"));
    assert_false(goal_on_result(&g, true, &out));
    goal_free(&g);
    submit(&g, "Only", SET("Only"));
    goal_echoed(&g, STR(COMMAND));
    buf_clear(&out);
    assert_true(goal_on_result(&g, true, &out));
    assert_str(buf_str(&out), "null");
    goal_free(&g);
}

static void test_hostile_values(void **state)
{
    (void)state;
    struct goal g = {0};
    report(&g, "7", NULL);
    report(&g, "{}", NULL);
    report(&g, "{\"condition\":\"  \"}", NULL);
    report(&g, "{\"condition\":\"x\",\"iterations\":\"1\",\"set_at\":[],\"last_reason\":{}}",
           "{\"objective\":\"x\",\"status\":\"active\",\"lastReason\":null,\"controlMethod\":\"_session/"
           "goal\"}");
    assert_false(goal_reported(&g, JSON_NONE, &(struct buf){0}));
    goal_free(&g);
}

static void test_update(void **state)
{
    (void)state;
    AUTO_BUF(b);
    goal_put_update(&b, STR("null"));
    assert_str(buf_str(&b), "\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"goal\":null}}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_is_published_at_once),
        cmocka_unit_test(test_stored_goal),
        cmocka_unit_test(test_late_reports_wait_for_the_match),
        cmocka_unit_test(test_failure_brings_the_goal_before_back),
        cmocka_unit_test(test_hostile_values),
        cmocka_unit_test(test_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
