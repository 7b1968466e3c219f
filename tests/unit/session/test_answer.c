/* How a prompt is answered, by what the CLI's result says or by its death. */
#include "script_fixture.h"

#define BROKEN RESULT("\"subtype\":\"success\",\"is_error\":true,\"result\":\"it broke\"")

static void test_success(void **state)
{
    struct script_bench b = {0};
    (void)state;
    script_run(&b, DONE);
    assert_string_equal(b.stop, "end_turn");
    assert_false(b.failed);
    assert_non_null(strstr(b.members, "\"inputTokens\":7"));
    assert_non_null(strstr(b.members, "\"outputTokens\":9"));
}

static void test_max_tokens(void **state)
{
    struct script_bench b = {0};
    (void)state;
    script_run(&b, RESULT("\"subtype\":\"success\",\"is_error\":false,\"stop_reason\":\"max_tokens\""));
    assert_string_equal(b.stop, "max_tokens");
}

static void test_refusal(void **state)
{
    struct script_bench b = {0};
    (void)state;
    script_run(&b, "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[],\"stop_details\":{"
                   "\"explanation\":\"not that\"}}}\n" RESULT(
                       "\"subtype\":\"success\",\"is_error\":false,\"stop_reason\":\"refusal\""));
    assert_string_equal(b.stop, "refusal");
    assert_string_equal(b.told, "agent:not that;");
}

static void test_error_for_a_plain_client(void **state)
{
    struct script_bench b = {0};
    (void)state;
    script_run(&b, BROKEN);
    assert_int_equal(b.code, -32603);
    assert_string_equal(b.message, "Internal error: it broke");
}

static void test_error_for_air(void **state)
{
    struct script_bench b = {.air = true};
    (void)state;
    script_run(&b, BROKEN);
    assert_string_equal(b.stop, "end_turn");
    assert_true(b.failed);
    assert_non_null(strstr(b.members, "sessionFailure"));
    assert_non_null(strstr(b.members, "it broke"));
}

static void test_authentication(void **state)
{
    (void)state;
    for (int air = 0; air < 2; air++) {
        struct script_bench b = {.air = air};
        script_run(&b,
                   "{\"type\":\"assistant\",\"error\":\"authentication_failed\",\"message\":{\"id\":\"m\","
                   "\"content\":[]}}\n" BROKEN);
        assert_int_equal(b.code, -32000);
    }
}

static void test_death(void **state)
{
    struct script_bench b = {0};
    (void)state;
    fake_file("dies", "", 0644);
    script_run(&b, "");
    assert_int_equal(b.code, -32603);
    assert_non_null(strstr(b.message, "exited unexpectedly"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPT_TEST(test_success),       SCRIPT_TEST(test_max_tokens),
        SCRIPT_TEST(test_refusal),       SCRIPT_TEST(test_error_for_a_plain_client),
        SCRIPT_TEST(test_error_for_air), SCRIPT_TEST(test_authentication),
        SCRIPT_TEST(test_death),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
