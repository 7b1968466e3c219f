/* The commands that are answered in our own words, with a CLI, a frame queue and turns that the test plays.
 */
#include "extension/session_failure.h"
#include "local/local_command.h"
#include "local/mcp_sign_in.h"
#include "question_fixture.h"

#define PROMPT "11111111-1111-4111-8111-111111111111"
#define OTHER  "22222222-2222-4222-8222-222222222222"

static struct world {
    struct local_work work;
    struct turns turns;
    struct cli_control *cli;
    bool told; /* a text of the turn was shown */
    struct turn turn;
    int holds;

    struct json_doc *queue[8]; /* frames that were put back, the next one last */
    size_t queued;

    char signed_in[200];
} w;

static struct cli_control *process(uintptr_t n)
{
    return (struct cli_control *)(n * 64); /* never looked into */
}

bool cli_control_put_back(struct cli_control *c, struct json_doc *doc)
{
    assert_ptr_equal(c, process(1));
    assert_true(w.queued < ARRAY_LEN(w.queue));
    w.queue[w.queued++] = json_ref(doc);
    return true;
}

static struct cli_control *cli(const void *user)
{
    assert_ptr_equal(user, &w);
    return w.cli;
}

static void hold(void *user)
{
    assert_ptr_equal(user, &w);
    w.holds++;
}

static void release(void *user)
{
    assert_ptr_equal(user, &w);
    assert_true(w.holds-- > 0);
}

static const struct local_host_calls host_calls = {.cli = cli, .hold = hold, .release = release};

void mcp_sign_in_begin(struct local_work *work, const struct map *only)
{
    size_t at = 0, n = 0;
    str name;
    assert_ptr_equal(work, &w.work);
    while (map_next(only, &at, &name, NULL)) {
        n += (size_t)snprintf(w.signed_in + n, sizeof(w.signed_in) - n, "%.*s,", STR_ARG(name));
    }
}

/* ---- What happens ---- */

static int setup(void **state)
{
    (void)state;
    w = (struct world){0};
    list_init(&w.work.commands);
    list_init(&w.turns.queue);
    list_init(&w.turn.steers);
    w.work.host = (struct local_host){.turns = &w.turns, .calls = &host_calls, .user = &w};
    w.cli = process(1);
    fake_begin(process(1));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_true(list_empty(&w.work.commands));
    assert_int_equal(w.holds, 0);
    assert_null(fake.cb);
    assert_int_equal(w.queued, 0);
    return 0;
}

/* A prompt that the CLI has begun, and not echoed yet. */
static void begin(const char *prompt)
{
    AUTO_BUF(blocks);
    json_open_array(&blocks);
    json_open_object(&blocks);
    json_member_c(&blocks, "type", "text");
    json_member_c(&blocks, "text", prompt);
    json_close_object(&blocks);
    json_close_array(&blocks);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&blocks));
    strcpy(w.turn.uuid, PROMPT);
    w.turn.state = TURN_QUEUED;
    w.turn.started = true;
    list_append(&w.turns.queue, &w.turn.link);
    local_command_sent(&w.work, json_root(doc), PROMPT);
}

static void activate(void)
{
    w.turn.state = TURN_ACTIVE;
    w.turns.active = &w.turn;
    local_command_activated(&w.work, &w.turn);
}

static void end(const char *stop_reason)
{
    struct turn_end e = {.stop_reason = stop_reason};
    local_command_over(&w.work, &w.turn, &e);
    list_remove(&w.turn.link);
    w.turns.active = NULL;
}

static bool keeps(const char *frame)
{
    AUTO_JSON(doc) = parse_or_fail(frame);
    return local_command_keeps(&w.work, doc, w.told);
}

/* The next frame that was put back comes again, and nothing holds it. */
static void comes_again(const char *frame)
{
    assert_int_equal(w.holds, 0);
    assert_true(w.queued > 0);
    struct json_doc *doc = w.queue[--w.queued];
    assert_str(json_raw(json_root(doc)), frame);
    assert_false(local_command_keeps(&w.work, doc, w.told));
    json_unref(doc);
}

static void asks(const char *request, unsigned limit_ms)
{
    assert_non_null(fake.cb);
    assert_string_equal(fake.request, request);
    assert_int_equal(fake.limit_ms, limit_ms);
    assert_int_equal(w.holds, 1);
}

static void shows(const char *text, const char *expected)
{
    assert_str(local_command_text(&w.work, str_of(text)), expected);
}

#define SYNTHETIC(text)                                                                                      \
    "{\"type\":\"assistant\",\"message\":{\"model\":\"<synthetic>\",\"content\":[{\"type\":\"text\","        \
    "\"text\":\"" text "\"}]}}"
#define OUTPUT(text) "{\"type\":\"system\",\"subtype\":\"local_command_output\",\"content\":\"" text "\"}"
#define RESULT(text)                                                                                         \
    "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"" text                     \
    "\",\"usage\":{\"output_tokens\":0}}"
#define USAGE                                                                                                \
    "{\"session\":{\"total_cost_usd\":0,\"total_api_duration_ms\":0,\"total_duration_ms\":0,\"model_"        \
    "usage\":"                                                                                               \
    "{}},\"subscription_type\":null,\"rate_limits_available\":false,\"rate_limits\":null,\"behaviors\":"     \
    "null}"
#define USAGE_TEXT                                                                                           \
    "## Usage\n\n---\n\n### This session\n\n| Cost | API time | Active |\n|:--|:--|:--|\n| $0.00 | 0s | 0s " \
    "|"                                                                                                      \
    "\n\n| Breakdown | Tokens |\n|:--|--:|\n| Input | 0 |\n| Output | 0 |\n| Cache read | 0 |\n"             \
    "| Cache write | 0 |"

/* ---- /usage ---- */

static void test_text_before_the_echo(void **state)
{
    (void)state;
    begin("/usage");
    assert_true(keeps(SYNTHETIC("Cost: 0")));
    assert_int_equal(fake.asked, 0); /* not before the prompt is active */
    assert_false(keeps("{\"type\":\"user\"}"));
    activate();
    asks("get_usage ", 5000);
    fake_answer(NULL, USAGE);
    comes_again(SYNTHETIC("Cost: 0"));
    shows("Cost: 0", USAGE_TEXT);
    assert_false(keeps(OUTPUT("Cost: 0")));
    shows(" Cost: 0\n\n", "(absent)"); /* the mirror */
    shows("Something else", "Something else");
    assert_false(keeps(RESULT("Cost: 0")));
    end("end_turn");
    shows("Cost: 0", "Cost: 0"); /* of somebody else */
    assert_int_equal(fake.asked, 1);
}

static void test_text_after_the_echo(void **state)
{
    (void)state;
    begin(" /usage\n");
    activate();
    assert_int_equal(fake.asked, 0);
    assert_true(keeps(OUTPUT("Cost: 0")));
    asks("get_usage ", 5000);
    fake_answer(NULL, USAGE);
    comes_again(OUTPUT("Cost: 0"));
    shows("Cost: 0", USAGE_TEXT);
    end("end_turn");
}

static void test_text_only_in_the_result(void **state)
{
    (void)state;
    begin("/usage");
    assert_true(keeps(RESULT("Cost: 0")));
    asks("get_usage ", 5000);
    fake_answer(NULL, USAGE);
    comes_again(RESULT("Cost: 0"));
    activate();
    shows("Cost: 0", USAGE_TEXT);
    end("end_turn");
}

static void test_no_echo(void **state)
{
    (void)state;
    begin("/usage");
    assert_true(keeps(SYNTHETIC("Cost: 0")));
    shows("Cost: 0", "(absent)"); /* a mirror that comes before the kept one */
    assert_true(keeps(RESULT("Cost: 0")));
    asks("get_usage ", 5000);
    fake_answer(NULL, USAGE);
    comes_again(SYNTHETIC("Cost: 0"));
    shows("Cost: 0", USAGE_TEXT);
    comes_again(RESULT("Cost: 0"));
    shows("Cost: 0", "(absent)");
    end("end_turn");
}

static void test_results_that_show_nothing(void **state)
{
    (void)state;
    begin("/usage");
    activate();
    assert_false(keeps("{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"x\"}"));
    assert_false(keeps("{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"result\":\"x\"}"));
    assert_false(keeps("{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"\"}"));
    assert_false(keeps("{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"x\",\"usage\":"
                       "{\"output_tokens\":1}}"));
    assert_false(keeps("{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"x\",\"origin\":"
                       "{\"kind\":\"task-notification\"}}"));
    w.told = true;
    assert_false(keeps(RESULT("x")));
    w.told = false;
    w.turns.cancelled = true;
    assert_false(keeps(RESULT("x")));
    end("cancelled");
    assert_int_equal(fake.asked, 0);
}

static void test_the_text_of_the_cli_stays(void **state)
{
    (void)state;
    static const struct control_error unsupported = {CONTROL_REFUSED, "Unsupported"};
    static const struct {
        const struct control_error *error;
        const char *payload;
    } answers[] = {
        {&control_timed_out, "null"}, {&unsupported, "null"}, {&control_closed, "null"}, {NULL, "null"},
        {NULL, "{\"session\":5}"},    {NULL, "[]"},
    };
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        begin("/usage");
        assert_true(keeps(SYNTHETIC("Cost: 0")));
        activate();
        fake_answer(answers[i].error, answers[i].payload);
        comes_again(SYNTHETIC("Cost: 0"));
        shows("Cost: 0", "Cost: 0");
        assert_false(keeps(RESULT("Cost: 0")));
        end("end_turn");
    }
    fake.no_memory = true;
    begin("/usage");
    assert_true(keeps(SYNTHETIC("Cost: 0")));
    activate();
    comes_again(SYNTHETIC("Cost: 0"));
    shows("Cost: 0", "Cost: 0");
    end("end_turn");
}

static void test_other_frames_pass(void **state)
{
    (void)state;
    static const char *const frames[] = {
        "{}",
        "null",
        "[1]",
        "{\"type\":\"assistant\"}",
        "{\"type\":\"assistant\",\"message\":{\"model\":\"claude\",\"content\":[{\"type\":\"text\",\"text\":"
        "\"x\"}]}}",
        "{\"type\":\"assistant\",\"error\":\"rate_limit\",\"message\":{\"model\":\"<synthetic>\",\"content\":"
        "[{\"type\":\"text\",\"text\":\"x\"}]}}",
        "{\"type\":\"assistant\",\"parent_tool_use_id\":\"t\",\"message\":{\"model\":\"<synthetic>\","
        "\"content\":"
        "[{\"type\":\"text\",\"text\":\"x\"}]}}",
        "{\"type\":\"assistant\",\"message\":{\"model\":\"<synthetic>\",\"content\":"
        "[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"text\",\"text\":\"y\"}]}}",
        "{\"type\":\"assistant\",\"message\":{\"model\":\"<synthetic>\",\"content\":\"x\"}}",
        "{\"type\":\"assistant\",\"message\":{\"model\":\"<synthetic>\",\"content\":[5]}}",
        "{\"type\":\"assistant\",\"message\":{\"model\":\"<synthetic>\",\"content\":{\"a\":{\"text\":\"x\"}}}"
        "}",
        SYNTHETIC(""),
        SYNTHETIC("Please run /login"),
        SYNTHETIC("You've hit your limit"),
        OUTPUT(""),
        "{\"type\":\"system\",\"subtype\":\"local_command_output\",\"content\":5}",
        "{\"type\":\"stream_event\",\"event\":{}}",
    };
    begin("/usage");
    activate();
    for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
        if (keeps(frames[i])) {
            fail_msg("kept: %s", frames[i]);
        }
    }
    shows("x", "x");
    end("end_turn");
}

static void test_only_the_running_prompt(void **state)
{
    (void)state;
    begin("/usage");
    w.turn.started = false;
    assert_false(keeps(SYNTHETIC("x"))); /* of a prompt before */
    shows("x", "x");
    w.turn.started = w.turn.finished = true;
    assert_false(keeps(SYNTHETIC("x")));
    w.turn.state = TURN_HELD;
    assert_false(keeps(SYNTHETIC("x")));
    end("end_turn");
}

static void test_other_prompts(void **state)
{
    (void)state;
    static const char *const prompts[] = {"/usage x", "usage", "/Usage", "/context", "/mcp polish", "hello"};
    for (size_t i = 0; i < ARRAY_LEN(prompts); i++) {
        begin(prompts[i]);
        assert_true(list_empty(&w.work.commands));
        end("end_turn");
    }
    AUTO_JSON(two) =
        parse_or_fail("[{\"type\":\"text\",\"text\":\"/usage\"},{\"type\":\"text\",\"text\":\"\"}]");
    local_command_sent(&w.work, json_root(two), OTHER);
    assert_true(list_empty(&w.work.commands));
}

/* ---- /mcp ---- */

#define SERVER(name, state) "{\"name\":\"" name "\",\"status\":\"" state "\"}"
#define SERVERS(list)       "{\"mcpServers\":[" list "]}"
#define NOT_HERE            "It isn't available in this session."

static void begin_mcp(const char *prompt)
{
    begin(prompt);
    assert_true(keeps(SYNTHETIC(NOT_HERE)));
    activate();
    asks("mcp_status ", 5000);
}

static void test_list(void **state)
{
    (void)state;
    begin_mcp("/mcp");
    fake_answer(NULL, SERVERS(SERVER("a", "connected")));
    comes_again(SYNTHETIC(NOT_HERE));
    shows(NOT_HERE, "**MCP servers:** 1 (1 connected)\n\n**Connected**\n- `a`");
    end("end_turn");
    assert_string_equal(w.signed_in, "");
}

static void test_reconnect(void **state)
{
    (void)state;
    begin_mcp("/mcp reconnect");
    fake_answer(NULL, SERVERS(SERVER("a", "failed") "," SERVER("b", "connected") "," SERVER(
                          "c", "needs-auth") "," SERVER("d", "pending") "," SERVER("e", "failed")));
    asks("mcp_reconnect \"serverName\":\"a\"", 30000);
    fake_answer(NULL, "null");
    asks("mcp_reconnect \"serverName\":\"c\"", 30000);
    fake_answer(REFUSED("Error: no"), "null");
    asks("mcp_reconnect \"serverName\":\"d\"", 30000);
    fake_answer(&control_timed_out, "null");
    asks("mcp_reconnect \"serverName\":\"e\"", 30000);
    fake_answer(REFUSED("timeout"), "null"); /* the server's own word, of which nothing is concluded */
    asks("mcp_status ", 5000);
    fake_answer(NULL, SERVERS(""));
    comes_again(SYNTHETIC(NOT_HERE));
    shows(NOT_HERE, "- Reconnected `a`\n- Couldn't reconnect `c`: no\n"
                    "- Couldn't reconnect `d`: no answer within 30 seconds\n- Couldn't reconnect `e`: "
                    "timeout\n\nNo MCP servers are configured.");
    end("end_turn");
    assert_non_null(strstr(w.signed_in, "a,"));
    assert_non_null(strstr(w.signed_in, "c,"));
    assert_non_null(strstr(w.signed_in, "d,"));
    assert_null(strstr(w.signed_in, "b,"));
}

static void test_enable_and_disable(void **state)
{
    (void)state;
    begin_mcp("/mcp disable a\"b");
    fake_answer(NULL, SERVERS(SERVER("a\\\"b", "connected")));
    asks("mcp_toggle \"serverName\":\"a\\\"b\",\"enabled\":false", 30000);
    fake_answer(NULL, "null");
    asks("mcp_status ", 5000);
    fake_answer(&control_timed_out, "null"); /* the list is left out */
    comes_again(SYNTHETIC(NOT_HERE));
    shows(NOT_HERE, "- Disabled `a\"b`");
    end("end_turn");
    begin_mcp("/mcp enable all");
    fake_answer(NULL, SERVERS(SERVER("x", "disabled") "," SERVER("y", "failed")));
    asks("mcp_toggle \"serverName\":\"x\",\"enabled\":true", 30000);
    fake_answer(NULL, "null");
    fake_answer(NULL, "5");
    comes_again(SYNTHETIC(NOT_HERE));
    shows(NOT_HERE, "- Enabled `x`");
    end("end_turn");
    assert_string_equal(w.signed_in, "");
}

static void test_no_target(void **state)
{
    (void)state;
    begin_mcp("/mcp reconnect x");
    fake_answer(NULL, SERVERS(SERVER("a", "failed")));
    asks("mcp_status ", 5000);
    fake_answer(NULL, SERVERS(""));
    comes_again(SYNTHETIC(NOT_HERE));
    shows(NOT_HERE, "There is no MCP server `x`.\n\nNo MCP servers are configured.");
    end("end_turn");
    assert_string_equal(w.signed_in, "");
}

static void test_mcp_falls_back(void **state)
{
    (void)state;
    static const char *const payloads[] = {"null", "{}", "[]", "{\"mcpServers\":5}"};
    for (size_t i = 0; i < ARRAY_LEN(payloads); i++) {
        begin_mcp("/mcp reconnect");
        fake_answer(NULL, payloads[i]);
        comes_again(SYNTHETIC(NOT_HERE));
        shows(NOT_HERE, NOT_HERE);
        end("end_turn");
    }
    begin_mcp("/mcp reconnect");
    fake_answer(NULL, SERVERS(SERVER("a", "failed")));
    fake_answer(&control_closed, "null"); /* the process is gone */
    comes_again(SYNTHETIC(NOT_HERE));
    shows(NOT_HERE, NOT_HERE);
    end(NULL);
    assert_string_equal(w.signed_in, "");
}

/* ---- What overtakes it ---- */

static void test_cancel(void **state)
{
    (void)state;
    begin_mcp("/mcp reconnect");
    fake_answer(NULL, SERVERS(SERVER("a", "failed") "," SERVER("b", "failed")));
    asks("mcp_reconnect \"serverName\":\"a\"", 30000);
    w.turns.cancelled = true;
    local_command_cancel(&w.work);
    assert_int_equal(fake.forgotten, 1);
    assert_int_equal(w.holds, 0);
    assert_false(keeps(RESULT(NOT_HERE)));
    shows(NOT_HERE, "(absent)");
    local_command_cancel(&w.work); /* a second one */
    end("cancelled");
    assert_string_equal(w.signed_in, "");
    assert_int_equal(fake.asked, 2);
}

static void test_cancel_before_it_is_active(void **state)
{
    (void)state;
    begin("/usage");
    assert_true(keeps(SYNTHETIC("Cost: 0")));
    local_command_cancel(&w.work);
    end("cancelled");
    assert_int_equal(fake.asked, 0);
}

static void test_the_end_of_the_turn(void **state)
{
    (void)state;
    begin_mcp("/mcp reconnect");
    end(NULL);
    assert_int_equal(fake.forgotten, 1);
}

/* The frames of another process are not this one's to release. */
static void test_another_process(void **state)
{
    (void)state;
    begin_mcp("/mcp reconnect");
    w.cli = process(2);
    end("end_turn");
    assert_int_equal(w.holds, 1);
    w.holds = 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_text_before_the_echo),
        TEST(test_text_after_the_echo),
        TEST(test_text_only_in_the_result),
        TEST(test_no_echo),
        TEST(test_results_that_show_nothing),
        TEST(test_the_text_of_the_cli_stays),
        TEST(test_other_frames_pass),
        TEST(test_only_the_running_prompt),
        TEST(test_other_prompts),
        TEST(test_list),
        TEST(test_reconnect),
        TEST(test_enable_and_disable),
        TEST(test_no_target),
        TEST(test_mcp_falls_back),
        TEST(test_cancel),
        TEST(test_cancel_before_it_is_active),
        TEST(test_the_end_of_the_turn),
        TEST(test_another_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
