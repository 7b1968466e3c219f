#include "unit.h"

#include "extension/failure_text.h"

static void test_sentences(void **state)
{
    (void)state;
    static const char *const fine[] = {
        "You've hit your individual spend limit \xC2\xB7 run /usage-credits to ask your admin for a higher "
        "limit",
        "API Error: Request rejected (429) \xC2\xB7 slow down",
        "API Error: 500 {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"no\"},"
        "\"request_id\":\"req_011\"}",
        "Reached maximum number of turns (1)",
        "There's an issue with the selected model (claude-x). Run /model to pick another.",
        "Please see https://claude.ai/settings/usage for more and/or try again at 5:30 pm.",
        "Prompt is too long",
        "The bearer of bad news: look at it again.",
        "Write 1/2 cup or a/b, either /login or /logout/.",
        "Error rates are high, at 3 of 4",
    };
    static const char *const unfit[] = {
        "",
        " \n",
        "error_during_execution",
        "ECONNRESET",
        "TypeError: Cannot read properties of undefined",
        "Error: spawn failed",
        "Error [ERR_HTTP2]: stream closed",
        "java.io.IOException: broken pipe",
        "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null",
        "It broke\n    at run (cli.js:1:20)",
        "It broke\n    at cli.js:1:20\nand more",
        "Traceback (most recent call last)\n  File \"a.py\", line 3, in f",
        "Invalid key sk-ant-api03-abc given",
        "It sent Authorization: Bearer abcdef0123456789abcdef",
        "a token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0 was refused",
        "could not open /home/somebody/.claude/settings.json",
        "no such file '/tmp/x'",
        "no such file ~/.claude/x",
        "cannot read C:\\Users\\x",
        "see file:///etc/passwd there",
        "request to http://127.0.0.1:4000/v1/messages failed",
        "request to https://gateway.example.com:8443/x failed",
        "request to https://user:secret@example.com/x failed",
        "POST https://api.anthropic.com/v1/messages failed",
        "connect unix:/run/x.sock failed",
    };
    for (size_t i = 0; i < ARRAY_LEN(fine); i++) {
        if (!failure_text_is_for_people(str_of(fine[i]))) {
            fail_msg("is not for people: %s", fine[i]);
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(unfit); i++) {
        if (failure_text_is_for_people(str_of(unfit[i]))) {
            fail_msg("is for people: %s", unfit[i]);
        }
    }
    assert_false(failure_text_is_for_people(STR_ABSENT));
    assert_false(failure_text_is_for_people((str){"a\0 /b/c", 7}));
}

static void test_long_texts(void **state)
{
    (void)state;
    AUTO_BUF(b);
    buf_put_fill(&b, '/', 1000);
    buf_put_fill(&b, '[', 1000);
    buf_put_c(&b, "Error [");
    assert_false(failure_text_is_for_people((str){b.p, 0}));
    assert_true(failure_text_is_for_people(buf_str(&b)));
    buf_put_fill(&b, ' ', 20000);
    buf_put_c(&b, "x");
    assert_false(failure_text_is_for_people(buf_str(&b)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
