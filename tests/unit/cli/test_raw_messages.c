/* Which of the CLI's messages a client gets as they are. */
#include "cli/raw_messages.h"
#include "unit.h"

static const char result[] = "{\"type\":\"result\",\"subtype\":\"success\",\"origin\":{\"kind\":\"human\"}}";

static void check(const char *wanted, const char *message, bool expected)
{
    AUTO_JSON(filter) = parse_or_fail(wanted);
    AUTO_JSON(doc) = parse_or_fail(message);
    if (raw_message_wanted(json_root(filter), json_root(doc)) != expected) {
        fail_msg("%s: %s", wanted, message);
    }
}

static void test_all(void **state)
{
    (void)state;
    AUTO_JSON(doc) = parse_or_fail(result);
    assert_false(raw_message_wanted(JSON_NONE, json_root(doc)));
    check("true", result, true);
    check("true", "{\"type\":\"of tomorrow\"}", true);
    check("false", result, false);
    check("\"true\"", result, false);
    check("{\"type\":\"result\"}", result, false);
}

static void test_internal(void **state)
{
    (void)state;
    static const char *const types[] = {
        "control_request", "control_response", "control_cancel_request", "keep_alive", "transcript_mirror",
    };
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        AUTO_BUF(b);
        buf_printf(&b, "{\"type\":\"%s\"}", types[i]);
        check("true", buf_c(&b), false);
        AUTO_BUF(filter);
        buf_printf(&filter, "[%s]", buf_c(&b));
        check(buf_c(&filter), buf_c(&b), false);
    }
}

static void test_filters(void **state)
{
    (void)state;
    check("[{\"type\":\"result\"}]", result, true);
    check("[{\"type\":\"user\"},{\"type\":\"result\",\"subtype\":\"success\"}]", result, true);
    check("[{\"type\":\"result\",\"subtype\":\"error\"}]", result, false);
    check("[{\"type\":\"result\",\"origin\":\"human\"}]", result, true);
    check("[{\"type\":\"result\",\"origin\":\"task-notification\"}]", result, false);
    check("[{\"type\":\"result\",\"origin\":\"human\"}]", "{\"type\":\"result\"}", false);
}

static void test_odd_filters(void **state)
{
    (void)state;
    check("[]", result, false);
    check("[\"result\",null,7,{}]", result, false);
    check("[{\"subtype\":\"success\"}]", result, false);
    check("[{\"type\":\"result\",\"subtype\":null}]", result, false);
    check("[{\"type\":\"result\",\"origin\":{\"kind\":\"human\"}}]", result, false);
    check("[{\"type\":\"\"}]", "{}", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_internal),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_odd_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
