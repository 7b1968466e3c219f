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
    tool_bench_use(&b, EDIT);
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
    tool_bench_use(&b, EDIT);
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
    tool_bench_use(&b, EDIT);
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

/* The CLI's text before has lost the CRs, so no patch of it would fit the file that was there. */
static void test_a_file_with_a_cr_gets_no_patch(void **state)
{
    static const char *const files[] = {"a\r\nb\n", "a\nb\n", "a\nb\n\r"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct tool_bench b = {.client = patches};
        tool_bench_open(&b, state);
        tool_bench_write(&b, "f", files[i]);
        tool_bench_use(&b, EDIT);
        tool_bench_hook(&b, "PreToolUse", EDIT, "{}");
        tool_bench_settle(&b);
        tool_bench_write(&b, "f", "a\nB\n");
        buf_clear(&b.told);
        tool_bench_hook(&b, "PostToolUse", EDIT, EDITED);
        tool_bench_settle(&b);
        assert_told(&b, i == 1 ? EDIT_PATCH "answered\n" : "answered\n");
        tool_bench_remove(&b, "f");
        tool_bench_close(&b);
    }
}

/* Only a v2 client is shown an edit before it is made. */
static void test_the_look_at_the_file_is_not_told(void **state)
{
    struct tool_bench b = {.client = patches};
    tool_bench_open(&b, state);
    tool_bench_write(&b, "f", "a\nb\n");
    tool_bench_hook(&b, "PreToolUse", EDIT, "{}");
    tool_bench_settle(&b);
    assert_told(&b, "answered\n");
    b.client = (struct client_capabilities){.protocol_version = 2};
    tool_bench_use(&b, EDIT);
    buf_clear(&b.told);
    tool_bench_hook(&b, "PreToolUse", EDIT, "{}");
    tool_bench_settle(&b);
    assert_told(&b, "{'content':[{'type':'diff','changes':[{'operation':'modify','path':'$WS/f',"
                    "'fileType':'text'}],'patch':{'format':'git_patch','text':'diff --git $WS/f $WS/f\\n"
                    "--- $WS/f\\n+++ $WS/f\\n@@ -1,2 +1,2 @@\\n a\\n-b\\n+B\\n'}}]}\nanswered\n");
    tool_bench_remove(&b, "f");
    tool_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_answer_comes_after_the_patch),
        cmocka_unit_test(test_a_session_that_ends_meanwhile_answers),
        cmocka_unit_test(test_a_cancel_meanwhile_answers),
        cmocka_unit_test(test_hooks_of_nothing_known_are_answered),
        cmocka_unit_test(test_a_file_with_a_cr_gets_no_patch),
        cmocka_unit_test(test_the_look_at_the_file_is_not_told),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
