#include "permission/presentation.h"
#include "unit.h"

/* A question about `tool` with further members, and what it is to look like. */
static struct json_doc *ask(struct permission_question *q, const char *tool, const char *more)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"tool_name\":\"%s\",\"tool_use_id\":\"t1\"%s}", tool, more);
    struct json_doc *doc = parse_or_fail(buf_c(&b));
    assert_true(permission_question_read(q, json_root(doc)));
    return doc;
}

static void check_meta(const char *tool, const char *more, const char *standard, const char *record)
{
    struct permission_question q;
    AUTO_JSON(doc) = ask(&q, tool, more);
    AUTO_ARENA(a);
    AUTO_BUF(b);
    str heading = permission_heading(&a, &q, str_of(standard));
    if (!record) {
        assert_false(permission_put_request_meta(&b, &q, heading));
        assert_int_equal(b.n, 0);
        return;
    }
    assert_true(permission_put_request_meta(&b, &q, heading));
    AUTO_BUF(expected);
    buf_printf(&expected, "{\"jetbrains\":{\"air\":{\"version\":1,\"permission\":%s}}}", record);
    assert_str(buf_str(&b), buf_c(&expected));
}

static void test_record(void **state)
{
    (void)state;
    check_meta(
        "Bash", ",\"decision_reason\":\"This command requires approval\"", "npm test",
        "{\"version\":1,\"title\":\"npm test\",\"description\":\"Reason: This command requires approval\"}");
    check_meta("Bash", ",\"default_to_no\":true", " a  \n b\xC2\xA0 ",
               "{\"version\":1,\"title\":\" a  \\n b\xC2\xA0 \",\"defaultToNo\":true}");
    check_meta("PowerShell", "", "", NULL);
    check_meta("Bash", "", NULL, NULL);
    check_meta("Read", "", "Read  a\n(1 - 2) ", "{\"version\":1,\"title\":\"Read a (1 - 2)\"}");
    check_meta("Read", "", " \x01\n", "{\"version\":1,\"title\":\"Use tool?\"}");
    check_meta("ExitPlanMode", "", "Approve Plan", "{\"version\":1,\"title\":\"Ready to code?\"}");
    check_meta(
        "Read",
        ",\"decision_reason\":\"\\u001b[31mred\\u001b[0m  two\\n lines \\u0007\",\"description\":\"no\"", "x",
        "{\"version\":1,\"title\":\"x\",\"description\":\"Reason: [31mred[0m  two\\n lines\"}");
    check_meta("Read", ",\"decision_reason\":\" \\u0007\"", "x", "{\"version\":1,\"title\":\"x\"}");
    check_meta("Read", ",\"decision_reason\":[\"x\"]", "x", "{\"version\":1,\"title\":\"x\"}");
}

static void test_long_texts_are_left_out(void **state)
{
    (void)state;
    for (size_t n = 4000; n <= 4001; n++) {
        AUTO_BUF(text);
        AUTO_BUF(more);
        buf_put_fill(&text, 'x', n);
        buf_printf(&more, ",\"decision_reason\":\"%s\"", buf_c(&text));
        struct permission_question q;
        AUTO_JSON(doc) = ask(&q, "Read", buf_c(&more));
        AUTO_ARENA(a);
        assert_int_equal(permission_description(&a, &q).n, n == 4000 ? 4008 : 0);
        assert_int_equal(permission_title(&a, &q, buf_str(&text)).n, n == 4000 ? 4000 : strlen("Use tool?"));
        struct permission_question shell;
        AUTO_JSON(shell_doc) = ask(&shell, "Bash", "");
        assert_int_equal(permission_title(&a, &shell, buf_str(&text)).n, n);
    }
}

static void check_heading(const char *tool, const char *more, const char *expected)
{
    struct permission_question q;
    AUTO_JSON(doc) = ask(&q, tool, more);
    AUTO_ARENA(a);
    assert_str(permission_heading(&a, &q, STR("standard")), expected);
}

static void test_heading(void **state)
{
    (void)state;
    check_heading("Bash", ",\"display_name\":\"B\",\"input\":{\"host\":\"h\"}", "standard");
    check_heading("SandboxNetworkAccess", ",\"input\":{\"host\":\" h.test\\n:443 \\u0007\"}", "h.test :443");
    check_heading("SandboxNetworkAccess", ",\"input\":{\"host\":\" \"}", "standard");
    check_heading("SandboxNetworkAccess", ",\"input\":{\"host\":7},\"display_name\":\"x\"", "standard");
    check_heading("mcp__computer-use__click", ",\"display_name\":\"Click  it\"", "Click it");
    check_heading("mcp__computer-use__click", "", "standard");
    check_heading("mcp__computer__click", ",\"display_name\":\"x\"", "standard");
    for (size_t n = 160; n <= 161; n++) {
        AUTO_BUF(more);
        AUTO_BUF(name);
        buf_put_fill(&name, 'x', n);
        buf_printf(&more, ",\"display_name\":\"%s\"", buf_c(&name));
        check_heading("mcp__computer-use__click", buf_c(&more), n == 160 ? buf_c(&name) : "standard");
    }
}

static void test_blocked_path(void **state)
{
    (void)state;
    static const struct {
        const char *more, *path;
    } rows[] = {
        {",\"blocked_path\":\" /x  y\\n/z \"", "/x y /z"},
        {",\"blocked_path\":\"\"", "(absent)"},
        {",\"blocked_path\":{}", "(absent)"},
        {"", "(absent)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct permission_question q;
        AUTO_JSON(doc) = ask(&q, "Read", rows[i].more);
        AUTO_ARENA(a);
        assert_str(permission_blocked_path(&a, &q), rows[i].path);
    }
}

static void check_call_meta(const char *more, bool air, const char *parent, const char *expected)
{
    struct permission_question q;
    AUTO_JSON(doc) = ask(&q, "mcp__s__t", more);
    AUTO_BUF(b);
    AUTO_ARENA(a);
    struct tool_report call = {0};
    permission_add_call_meta(&a, &q, air, str_of(parent), &call);
    assert_int_equal(tool_report_put_meta(&b, &call), expected != NULL);
    assert_str(buf_str(&b), expected ? expected : "");
}

static void test_call_meta(void **state)
{
    (void)state;
    static const char server[] = ",\"mcp_server\":{\"x\":1,\"source\":\"dynamic\",\"name\":\"s\"}";
    check_call_meta("", true, NULL, NULL);
    check_call_meta("", true, "p1", NULL);
    check_call_meta(server, true, "p1",
                    "{\"claudeCode\":{\"mcpServer\":{\"name\":\"s\",\"source\":\"dynamic\"}}}");
    check_call_meta("", false, NULL, "{\"claudeCode\":{\"toolName\":\"mcp__s__t\"}}");
    check_call_meta(",\"mcp_server\":\"s\"", false, NULL, "{\"claudeCode\":{\"toolName\":\"mcp__s__t\"}}");
    check_call_meta("", false, "p1",
                    "{\"claudeCode\":{\"toolName\":\"mcp__s__t\",\"parentToolUseId\":\"p1\"}}");
    check_call_meta(server, false, NULL,
                    "{\"claudeCode\":{\"toolName\":\"mcp__s__t\",\"mcpServer\":{\"name\":\"s\",\"source\":"
                    "\"dynamic\"}}}");
    check_call_meta(server, false, "p1",
                    "{\"claudeCode\":{\"toolName\":\"mcp__s__t\",\"parentToolUseId\":\"p1\","
                    "\"mcpServer\":{\"name\":\"s\",\"source\":\"dynamic\"}}}");
}

static void check_content(const char *tool, const char *more, const char *text)
{
    struct permission_question q;
    AUTO_JSON(doc) = ask(&q, tool, more);
    AUTO_BUF(b);
    assert_int_equal(permission_put_input_content(&b, &q), text != NULL);
    AUTO_BUF(expected);
    if (text) {
        buf_put_c(&expected, "[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":");
        json_put_raw(&expected, str_of(text));
        buf_put_c(&expected, "}}]");
    }
    assert_str(buf_str(&b), buf_c(&expected));
}

static void test_input_content(void **state)
{
    (void)state;
    check_content("Bash", ",\"input\":{\"host\":\"h\"}", NULL);
    check_content("SandboxNetworkAccess", ",\"input\":{\"port\":1}", NULL);
    check_content("SandboxNetworkAccess", ",\"input\":{\"host\":\"h\",\"port\":1}",
                  "\"```json\\n{\\n  \\\"host\\\": \\\"h\\\",\\n  \\\"port\\\": 1\\n}\\n```\"");
    check_content("mcp__computer-use__click", "", "\"```json\\n{}\\n```\"");
    /* a line separator in a string cannot end the block early */
    check_content("mcp__computer-use__click", ",\"input\":{\"a\":\"\xE2\x80\xA8```` ```````\"}",
                  "\"`````json\\n{\\n  \\\"a\\\": \\\"\xE2\x80\xA8```` ```````\\\"\\n}\\n`````\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record),    cmocka_unit_test(test_long_texts_are_left_out),
        cmocka_unit_test(test_heading),   cmocka_unit_test(test_blocked_path),
        cmocka_unit_test(test_call_meta), cmocka_unit_test(test_input_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
