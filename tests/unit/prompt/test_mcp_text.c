#include "prompt/mcp_text.h"
#include "unit.h"

/* ---- The command ---- */

static void assert_command(str text, enum mcp_action action, bool all, const char *server)
{
    struct mcp_command c;
    assert_true(mcp_command_read(text, &c));
    assert_int_equal(c.action, action);
    assert_int_equal(c.all, all);
    assert_str(c.server, server);
}

static void test_commands(void **state)
{
    (void)state;
    assert_command(STR("/mcp"), MCP_LIST, false, "(absent)");
    assert_command(STR("/mcp reconnect"), MCP_RECONNECT, true, "(absent)");
    assert_command(STR("/mcp Reconnect all"), MCP_RECONNECT, true, "(absent)");
    assert_command(STR("/mcp ENABLE all"), MCP_ENABLE, true, "(absent)");
    assert_command(STR("/mcp disable"), MCP_DISABLE, false, "(absent)");
    assert_command(STR("/mcp disable lab"), MCP_DISABLE, false, "lab");
    assert_command(STR("/mcp\treconnect\n my server "), MCP_RECONNECT, false, "my server");
    assert_command(STR("/mcp reconnect ALL"), MCP_RECONNECT, false, "ALL");
}

static void test_other_texts(void **state)
{
    (void)state;
    const str texts[] = {
        STR_ABSENT,         STR(""),          STR("mcp"),
        STR("/MCP"),        STR("/mcpx"),     STR("/mcp:a:b"),
        STR("/mcp polish"), STR("/mcp all"),  STR("/mcp reconnectx"),
        STR("x /mcp"),      STR("/mcp /mcp"),
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct mcp_command c;
        assert_false(mcp_command_read(texts[i], &c));
    }
}

/* ---- The targets ---- */

#define SERVER(name, state) "{\"name\":\"" name "\",\"status\":\"" state "\"}"
#define MANY                                                                                                       \
    "{\"mcpServers\":[" SERVER("f", "failed") "," SERVER("n", "needs-auth") "," SERVER("p", "pending") "," SERVER( \
        "c",                                                                                                       \
        "connected") "," SERVER("d",                                                                               \
                                "disabled") "," SERVER("u",                                                        \
                                                       "odd") "," SERVER("f",                                      \
                                                                         "disabled") ",null,5,{\"name\":"          \
                                                                                     "\"x\"},{\"status\":"         \
                                                                                     "\"failed\"},{"               \
                                                                                     "\"name\":1,"                 \
                                                                                     "\"status\":"                 \
                                                                                     "\"failed\"},"                \
                                                                                     "{\"name\":\"y\","            \
                                                                                     "\"status\":2},{"             \
                                                                                     "\"name\":\"y\","             \
                                                                                     "\"status\":\"\"},[]]}"

static void assert_targets(const char *command, const char *status, const char *expected)
{
    AUTO_JSON(doc) = parse_or_fail(status);
    struct mcp_command c;
    struct map done = MAP_INIT;
    size_t at = 0;
    AUTO_BUF(b);
    assert_true(mcp_command_read(str_of(command), &c));
    for (str name; (name = mcp_next_target(json_root(doc), &c, &at, &done)).p;) {
        buf_put_str(&b, name);
        buf_put_c(&b, ",");
    }
    map_free(&done, NULL);
    assert_str(buf_str(&b), expected);
}

static void test_targets(void **state)
{
    (void)state;
    assert_targets("/mcp", MANY, "");
    assert_targets("/mcp reconnect", MANY, "f,n,p,");
    assert_targets("/mcp reconnect all", MANY, "f,n,p,");
    assert_targets("/mcp enable all", MANY, "d,f,");
    assert_targets("/mcp disable all", MANY, "f,n,p,c,u,");
    assert_targets("/mcp enable", MANY, "");
    assert_targets("/mcp disable", MANY, "");
    assert_targets("/mcp reconnect c", MANY, "c,");
    assert_targets("/mcp disable f", MANY, "f,");
    assert_targets("/mcp disable F", MANY, "");
    assert_targets("/mcp disable x", MANY, "");
    assert_targets("/mcp reconnect all", "{\"mcpServers\":[" SERVER("all", "failed") "]}", "all,");
    assert_targets("/mcp reconnect", "{}", "");
    assert_targets("/mcp reconnect", "[]", "");
}

static void test_states(void **state)
{
    (void)state;
    AUTO_JSON(doc) = parse_or_fail(MANY);
    assert_true(mcp_status_readable(json_root(doc)));
    assert_str(mcp_status_of(json_root(doc), STR("f")), "failed");
    assert_str(mcp_status_of(json_root(doc), STR("u")), "odd");
    assert_str(mcp_status_of(json_root(doc), STR("x")), "(absent)");
    assert_str(mcp_status_of(JSON_NONE, STR("f")), "(absent)");
    static const char *const bad[] = {"null", "[]", "{}", "{\"mcpServers\":null}", "{\"mcpServers\":{}}"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO_JSON(other) = parse_or_fail(bad[i]);
        assert_false(mcp_status_readable(json_root(other)));
    }
}

/* ---- The list ---- */

#define HELP                                                                                                 \
    "\n\n`/mcp reconnect <server>` connects one server again, `/mcp reconnect` all that have no connection."

static void assert_answer(const char *command, const char *cli_text, const char *outcomes, const char *status,
                          const char *expected)
{
    AUTO_JSON(doc) = parse_or_fail(status ? status : "null");
    struct mcp_command c;
    AUTO_BUF(b);
    assert_true(mcp_command_read(str_of(command), &c));
    mcp_put_answer(&b, &c, str_of(cli_text), str_of(outcomes), status ? json_root(doc) : JSON_NONE);
    assert_true(buf_ok(&b));
    assert_str(buf_str(&b), expected);
}

static void assert_list(const char *servers, const char *expected)
{
    AUTO_BUF(status);
    buf_printf(&status, "{\"mcpServers\":[%s]}", servers);
    assert_answer("/mcp", "2 MCP servers: odd.", "", buf_c(&status), expected);
}

static void test_groups(void **state)
{
    (void)state;
    assert_list("", "No MCP servers are configured.");
    assert_list("null,5,{}", "No MCP servers are configured.");
    assert_list(SERVER("a", "connected"), "**MCP servers:** 1 (1 connected)\n\n**Connected**\n- `a`");
    assert_list(SERVER("a", "disabled") "," SERVER("b", "disabled"),
                "**MCP servers:** 2 (2 disabled)\n\n**Disabled:** `a`, `b`");
    assert_list(SERVER("n", "needs-auth"),
                "**MCP servers:** 1 (1 needs authentication)\n\n**Needs authentication**\n- `n`" HELP);
    assert_list(
        SERVER("d", "disabled") "," SERVER("o*", "o*dd") "," SERVER("n", "needs-auth") "," SERVER(
            "c",
            "conne"
            "cted") "," SERVER("p",
                               "pending") "," SERVER("n2",
                                                     "needs-auth") "," SERVER("o",
                                                                              "o*dd") "," SERVER("f",
                                                                                                 "failed") "," SERVER("é",
                                                                                                                      "élan"),
        "**MCP servers:** 9 (1 failed, 2 need authentication, 1 connecting, 1 connected, 2 o\\*dd, 1 élan, "
        "1 disabled)\n\n**Failed**\n- `f`\n\n**Needs authentication**\n- `n`\n- `n2`\n\n**Connecting**\n- `p`"
        "\n\n**Connected**\n- `c`\n\n**O\\*dd**\n- `o*`\n- `o`\n\n**élan**\n- `é`\n\n**Disabled:** `d`" HELP);
}

static void test_server_lines(void **state)
{
    (void)state;
    assert_list("{\"name\":\"a\",\"status\":\"connected\",\"tools\":[]},"
                "{\"name\":\"b\",\"status\":\"connected\",\"tools\":[{}]},"
                "{\"name\":\"c\",\"status\":\"connected\",\"tools\":[1,2,3],\"error\":\"slow_\"},"
                "{\"name\":\"d\",\"status\":\"connected\",\"tools\":{},\"error\":5},"
                "{\"name\":\"e\",\"status\":\"connected\",\"error\":\"  \"},"
                "{\"name\":\"f\\n`\",\"status\":\"connected\",\"error\":null}",
                "**MCP servers:** 6 (6 connected)\n\n**Connected**\n- `a`: 0 tools\n- `b`: 1 tool\n"
                "- `c`: slow\\_; 3 tools\n- `d`\n- `e`\n- `` f ` ``");
}

static void test_equal_names(void **state)
{
    (void)state;
    assert_list(
        "{\"name\":\"s\",\"status\":\"connected\",\"scope\":\"user\",\"source\":\"plugin\"},"
        "{\"name\":\"s\",\"status\":\"connected\",\"source\":\"pl*gin\"},"
        "{\"name\":\"s\",\"status\":\"connected\",\"scope\":5},"
        "{\"name\":\"t\",\"status\":\"connected\",\"scope\":\"user\"},"
        "{\"name\":\"s\",\"status\":\"disabled\",\"scope\":\"local\"}",
        "**MCP servers:** 5 (4 connected, 1 disabled)\n\n**Connected**\n- `s` (user)\n- `s` (pl\\*gin)\n"
        "- `s`\n- `t`\n\n**Disabled:** `s` (local)");
}

static void test_many_servers(void **state)
{
    (void)state;
    AUTO_BUF(status);
    AUTO_BUF(b);
    struct mcp_command c;
    buf_put_c(&status, "{\"mcpServers\":[");
    for (int i = 0; i < 20000; i++) { /* each with a state of its own */
        buf_printf(&status, "%s{\"name\":\"s%d\",\"status\":\"u%d\"}", i ? "," : "", i, i);
    }
    buf_put_c(&status, "]}");
    AUTO_JSON(doc) = parse_or_fail(buf_c(&status));
    assert_true(mcp_command_read(STR("/mcp"), &c));
    mcp_put_answer(&b, &c, STR_ABSENT, STR_ABSENT, json_root(doc));
    assert_true(buf_ok(&b));
    assert_true(str_starts(buf_str(&b), STR("**MCP servers:** 1000 (1 u0, 1 u1, ")));
    assert_true(str_ends(buf_str(&b), STR("\n\n**U999**\n- `s999`")));
}

/* ---- Errors ---- */

static void assert_error(const char *error, const char *expected)
{
    AUTO_BUF(b);
    AUTO_BUF(line);
    mcp_put_outcome(&b, MCP_RECONNECT, STR("x"), error);
    buf_printf(&line, "- Couldn't reconnect `x`%s%s", *expected ? ": " : "", expected);
    assert_str(buf_str(&b), buf_c(&line));
}

static void test_wrappers_of_errors(void **state)
{
    (void)state;
    assert_error("McpError: MCP error -32001: Request timed out", "Request timed out");
    assert_error("Server failed: McpError: MCP error -32000: Connection closed", "Connection closed");
    assert_error("TypeError: fetch failed", "fetch failed");
    assert_error("SSE error: Non-200 status code (404)", "Non-200 status code (404)");
    assert_error("HTTP Error 500: down", "down");
    assert_error("std::io::Error: x", "x");
    assert_error("rmcp::transport::Worker: y", "y");
    assert_error("Exception: x", "x");
    assert_error("X FAILED: failed: z", "z");
    /* What says something itself stays. */
    assert_error("HTTP 401: Unauthorized", "HTTP 401: Unauthorized");
    assert_error("java.net.ConnectException: x", "java.net.ConnectException: x");
    assert_error("Failed to connect: http://h:80/", "Failed to connect: http://h:80/");
    assert_error("Error POSTing to endpoint (HTTP 401): x", "Error POSTing to endpoint (HTTP 401): x");
    assert_error("It was slow. Then it failed: y", "It was slow. Then it failed: y");
    assert_error("ENOENT: no such file", "ENOENT: no such file");
    assert_error("5: x", "5: x");
    assert_error("-5: x", "-5: x");
    /* A wrapper of nothing is all there is. */
    assert_error("UnknownError: ", "UnknownError:");
    assert_error("Error:x", "Error:x");
    assert_error("McpError", "McpError");
}

static void test_length_of_errors(void **state)
{
    (void)state;
    AUTO_BUF(text);
    AUTO_BUF(cut);
    assert_error("", "");
    assert_error(" \n ", "");
    assert_error("One. Two! Three?", "One. Two!");
    assert_error("v1.2.3 is old. Get v2.0", "v1.2.3 is old. Get v2.0");
    assert_error("a\n\tb  c\x1B[31m|*_`\\<>[]", "a b c\\[31m\\|\\*\\_\\`\\\\\\<\\>\\[\\]");
    for (int i = 0; i < 159; i++) {
        buf_put_c(&text, "é");
    }
    buf_printf(&cut, "%s…", buf_c(&text));
    assert_error(buf_c(&text), buf_c(&text));
    buf_put_c(&text, "é");
    assert_error(buf_c(&text), buf_c(&text));
    buf_put_c(&text, "é");
    assert_error(buf_c(&text), buf_c(&cut));
}

/* ---- Actions ---- */

#define LIST_TEXT   "**MCP servers:** 1 (1 connected)\n\n**Connected**\n- `a`"
#define LIST        "{\"mcpServers\":[" SERVER("a", "connected") "]}"
#define NOT_HERE    "Reconnect, enable, and disable aren't available in this session."
#define NONE_NAMED  "There's no MCP server named \"x\". Run `/mcp` in the terminal to see configured servers."
#define NONE_AT_ALL "No MCP servers are configured. Add one with `claude mcp add`."

static void test_outcomes(void **state)
{
    (void)state;
    AUTO_BUF(b);
    mcp_put_outcome(&b, MCP_RECONNECT, STR("a`"), NULL);
    mcp_put_outcome(&b, MCP_ENABLE, STR("b"), NULL);
    mcp_put_outcome(&b, MCP_DISABLE, STR("c"), NULL);
    mcp_put_outcome(&b, MCP_ENABLE, STR("d"), "Server not found: d");
    mcp_put_outcome(&b, MCP_DISABLE, STR("e"), "");
    assert_str(buf_str(&b), "- Reconnected `` a` ``\n- Enabled `b`\n- Disabled `c`\n"
                            "- Couldn't enable `d`: Server not found: d\n- Couldn't disable `e`");
    assert_answer("/mcp reconnect a", NOT_HERE, "- Reconnected `a`", LIST, "- Reconnected `a`\n\n" LIST_TEXT);
    assert_answer("/mcp reconnect a", NOT_HERE, "- Reconnected `a`", NULL, "- Reconnected `a`");
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    assert_answer("/mcp reconnect x", NONE_NAMED, "", LIST,
                  "There's no MCP server named \"x\".\n\n" LIST_TEXT);
    assert_answer("/mcp reconnect x`", NOT_HERE, "", LIST, "There is no MCP server `` x` ``.\n\n" LIST_TEXT);
    assert_answer("/mcp enable", NOT_HERE, "", LIST,
                  "Say which server, or `all`: `/mcp enable <server>`.\n\n" LIST_TEXT);
    assert_answer("/mcp disable", "", "", LIST,
                  "Say which server, or `all`: `/mcp disable <server>`.\n\n" LIST_TEXT);
    assert_answer("/mcp reconnect", NOT_HERE, "", LIST,
                  "No MCP server is in need of a new connection.\n\n" LIST_TEXT);
    assert_answer("/mcp enable all", NOT_HERE, "", LIST, "No MCP server is disabled.\n\n" LIST_TEXT);
    assert_answer("/mcp disable all", NONE_AT_ALL, "", "{\"mcpServers\":[]}",
                  NONE_AT_ALL "\n\nNo MCP server is enabled.\n\nNo MCP servers are configured.");
}

static void test_sentences_of_the_cli(void **state)
{
    (void)state;
    assert_answer("/mcp reconnect x",
                  "  One. Two is AVAILABLE IN THIS SESSION!\nThree \nFour? in the Terminal", "- y", NULL,
                  "One. Three Four?\n\n- y");
    assert_answer("/mcp reconnect x", "No end", "- y", NULL, "No end\n\n- y");
    assert_answer("/mcp reconnect x", "\n\n . ! ", "- y", NULL, ". !\n\n- y");
    assert_answer("/mcp", "Never shown.", "", NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_other_texts),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_server_lines),
        cmocka_unit_test(test_equal_names),
        cmocka_unit_test(test_many_servers),
        cmocka_unit_test(test_wrappers_of_errors),
        cmocka_unit_test(test_length_of_errors),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_sentences_of_the_cli),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
