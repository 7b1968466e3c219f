#include "unit.h"

#include "prompt/commands.h"

#define MCP_INPUT "\"input\":{\"hint\":\"[reconnect|enable|disable [<server>|all]]\"}"

/* The array without Herald's own last entry. */
static char *built(const char *commands, const char *terminal)
{
    AUTO_JSON(list) = parse_or_fail(commands);
    AUTO_JSON(names) = terminal ? parse_or_fail(terminal) : NULL;
    AUTO_BUF(b);
    commands_put(&b, json_root(list), names ? json_root(names) : JSON_NONE, false);
    assert_true(buf_ok(&b));
    AUTO_JSON(made) = parse_or_fail(buf_c(&b));
    json last = json_nth(json_root(made), json_count(json_root(made)) - 1);
    assert_str(json_str(json_get(last, "name")), "mcp");
    assert_true(json_str(json_get(last, "description")).n > 0);
    str raw = json_raw(last);
    assert_true(str_has(raw, STR(MCP_INPUT)));
    buf_truncate(&b, b.n - raw.n - 1);
    if (b.n && b.p[b.n - 1] == ',') {
        buf_truncate(&b, b.n - 1);
    }
    buf_put_c(&b, "]");
    return buf_take(&b);
}

static void check(const char *commands, const char *terminal, const char *expected)
{
    char *got = built(commands, terminal);
    assert_string_equal(got, expected);
    free(got);
}

static void test_names_descriptions_and_hints(void **state)
{
    (void)state;
    check("[{\"name\":\"review\",\"description\":\"Look\",\"argumentHint\":\"<pr>\"},"
          "{\"name\":\"x\",\"description\":\"d\",\"argumentHint\":[\"a\",\"b\",3]},"
          "{\"name\":\"y\",\"argumentHint\":\"\"}]",
          NULL,
          "[{\"name\":\"review\",\"description\":\"Look\",\"input\":{\"hint\":\"<pr>\"}},"
          "{\"name\":\"x\",\"description\":\"d\",\"input\":{\"hint\":\"a b\"}},"
          "{\"name\":\"y\",\"description\":\"\",\"input\":null}]");
}

static void test_mcp_prompts_are_renamed(void **state)
{
    (void)state;
    check("[{\"name\":\"lab:polish (MCP)\",\"description\":\"\"},{\"name\":\"clear (MCP)\"}]", NULL,
          "[{\"name\":\"mcp:lab:polish\",\"description\":\"\",\"input\":null},"
          "{\"name\":\"mcp:clear\",\"description\":\"\",\"input\":null}]");
}

static void test_hidden_and_terminal_commands_are_dropped(void **state)
{
    (void)state;
    check("[{\"name\":\"clear\"},{\"name\":\"cost\"},{\"name\":\"keybindings-help\"},{\"name\":\"login\"},"
          "{\"name\":\"logout\"},{\"name\":\"output-style:new\"},{\"name\":\"release-notes\"},"
          "{\"name\":\"todos\"},{\"name\":\"mcp\"},{\"name\":\"doctor\"},{\"name\":\"compact\"}]",
          "[\"doctor\",7]", "[{\"name\":\"compact\",\"description\":\"\",\"input\":null}]");
    /* Terminal names are compared before a command is renamed. */
    check("[{\"name\":\"s:c (MCP)\"}]", "[\"s:c (MCP)\"]", "[]");
    check("[{\"name\":\"s:c (MCP)\"}]", "[\"mcp:s:c\"]",
          "[{\"name\":\"mcp:s:c\",\"description\":\"\",\"input\":null}]");
}

static void test_other_shapes_are_left_out(void **state)
{
    (void)state;
    const char *odd[] = {"null", "{}", "3", "\"x\"", "[]", "[null,3,[],{}, {\"name\":7},{\"name\":\"\"}]"};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        check(odd[i], NULL, "[]");
        check("[{\"name\":\"a\",\"description\":{},\"argumentHint\":7}]", odd[i],
              "[{\"name\":\"a\",\"description\":\"\",\"input\":null}]");
    }
}

static void test_the_form_of_v2(void **state)
{
    (void)state;
    AUTO_JSON(list) =
        parse_or_fail("[{\"name\":\"a\",\"description\":\"A\"},{\"name\":\"b\",\"argumentHint\":\"x\"}]");
    AUTO_BUF(b);
    commands_put(&b, json_root(list), JSON_NONE, true);
    assert_true(
        str_starts(buf_str(&b),
                   STR("[{\"type\":\"command\",\"name\":\"a\",\"description\":\"A\"},{\"type\":\"command\","
                       "\"name\":\"b\",\"description\":\"\",\"input\":{\"type\":\"text\",\"hint\":\"x\"}},"
                       "{\"type\":\"command\",\"name\":\"mcp\"")));
}

static void test_same_terminal_list(void **state)
{
    (void)state;
    AUTO_JSON(a) = parse_or_fail("[[\"a\",\"b\"],[\"b\",\"a\",\"a\",null],[\"a\"],[],null]");
    json all = json_root(a);
    assert_true(commands_same_terminal_list(json_nth(all, 0), json_nth(all, 1)));
    assert_false(commands_same_terminal_list(json_nth(all, 0), json_nth(all, 2)));
    assert_false(commands_same_terminal_list(json_nth(all, 2), json_nth(all, 0)));
    assert_false(commands_same_terminal_list(JSON_NONE, json_nth(all, 2)));
    assert_true(commands_same_terminal_list(JSON_NONE, json_nth(all, 3)));
    assert_true(commands_same_terminal_list(json_nth(all, 4), JSON_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_descriptions_and_hints),
        cmocka_unit_test(test_mcp_prompts_are_renamed),
        cmocka_unit_test(test_hidden_and_terminal_commands_are_dropped),
        cmocka_unit_test(test_other_shapes_are_left_out),
        cmocka_unit_test(test_the_form_of_v2),
        cmocka_unit_test(test_same_terminal_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
