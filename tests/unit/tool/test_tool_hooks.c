/* What the hooks around a tool tell the client, and when they are answered. */
#include "tool_fixture.h"

#define PATCH(path, text)                                                                                    \
    "{'content':[{'type':'diff','path':'$WS/" path "','oldText':null,'newText':'','_meta':{'jetbrains':{"    \
    "'air':{'version':1,'diffPatch':{'version':1,'format':'git_patch','text':'diff --git a$WS/" path         \
    " b$WS/" path "\\n" text "'}}}}}]"

static const struct client_capabilities patches = {.protocol_version = 1,
                                                   .air = true,
                                                   .air_diff_patch = true};

#define EDIT "{'file_path':'$WS/f','old_string':'b','new_string':'B'}"
#define EDITED                                                                                               \
    "{'filePath':'$WS/f','oldString':'b','newString':'B','originalFile':'a\\nb\\n','structuredPatch':[]}"
#define EDIT_PATCH                                                                                           \
    PATCH("f", "--- a$WS/f\\n+++ b$WS/f\\n@@ -1,2 +1,2 @@\\n a\\n-b\\n+B\\n")                                \
    ",'locations':[{'path':'$WS/f','line':1}]}\n"

/* The CLI goes on with its answer and may change the file again, so the file is read before. */
static void test_the_answer_comes_after_the_patch(void **state)
{
    struct tool_bench b = {.client = patches};
    tool_bench_open(&b, state);
    tool_bench_write(&b, "f", "a\nB\n");
    tool_bench_use(&b, "Edit", EDIT);
    buf_clear(&b.told);
    tool_bench_hook(&b, "PostToolUse", EDIT, EDITED);
    assert_told(&b, ""); /* a worker reads */
    assert_int_equal(b.held, 1);
    tool_bench_settle(&b);
    assert_told(&b, EDIT_PATCH "answered\n");
    tool_bench_hook(&b, "PostToolUse", EDIT, EDITED); /* there is one of each call */
    assert_told(&b, "answered\n");
    tool_bench_remove(&b, "f");
    tool_bench_close(&b);
}

/* The CLI may have been replaced; who asked decides whether there is still somebody to answer. */
static void test_a_session_that_ends_meanwhile_answers(void **state)
{
    struct tool_bench b = {.client = patches};
    tool_bench_open(&b, state);
    tool_bench_use(&b, "Edit", EDIT);
    buf_clear(&b.told);
    tool_bench_hook(&b, "PostToolUse", EDIT, EDITED);
    b.gone = true;
    tool_bench_settle(&b);
    assert_told(&b, "answered\n");
    tool_bench_close(&b);
}

static void test_a_cancel_meanwhile_answers(void **state)
{
    struct tool_bench b = {.client = patches};
    tool_bench_open(&b, state);
    tool_bench_use(&b, "Edit", EDIT);
    buf_clear(&b.told);
    tool_bench_hook(&b, "PostToolUse", EDIT, EDITED);
    tool_calls_cancelling(&b.calls);
    tool_bench_settle(&b);
    assert_told(&b, "answered\n"); /* the file is not there: nothing can be shown */
    tool_bench_hook(&b, "PostToolUse", EDIT, EDITED);
    assert_told(&b, "answered\n");
    tool_bench_close(&b);
}

static void test_hooks_of_nothing_known_are_answered(void **state)
{
    struct tool_bench b = {.client = patches};
    tool_bench_open(&b, state);
    static const char *const odd[] = {"{}", "{'tool_use_id':7}", "{'tool_use_id':'x','input':[]}", "[]"};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        AUTO_JSON(request) = parse_quoted(odd[i]);
        tool_calls_hook(&b.calls, json_root(request), tool_bench_answered, &b);
        assert_told(&b, "answered\n");
        tool_calls_preview(&b.calls, json_root(request), tool_bench_answered, &b);
        assert_told(&b, "answered\n");
    }
    tool_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_answer_comes_after_the_patch),
        cmocka_unit_test(test_a_session_that_ends_meanwhile_answers),
        cmocka_unit_test(test_a_cancel_meanwhile_answers),
        cmocka_unit_test(test_hooks_of_nothing_known_are_answered),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
