/* The CLI's messages, with a whole session and a script in place of the CLI: what has another form than
 * expected does nothing, and a message counts only while the session is open.
 *
 * The script says the file `early` before it is initialized. To a prompt it says the file `frames`, once,
 * and then ends the turn. */
#include "agent_fixture.h"

static const char script[] =
    "cd \"${0%/*}\"\n"
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "cat early 2>/dev/null\n"
    "while IFS= read -r line; do case $line in\n"
    "*'\"type\":\"control_request\"'*)\n"
    "  printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":{\"models\":[],\"commands\":[{\"name\":\"review\",\"description\":\"d\"},"
    "{\"name\":\"paint\",\"description\":\"d\"}],\"agents\":[]}}}\\n' \"$(id_of \"$line\" request_id)\";;\n"
    "*'\"type\":\"user\"'*)\n"
    "  uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "\"$uuid\"\n"
    "  [ -e frames ] && { cat frames; rm frames; }\n"
    "  printf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,"
    "\"result\":\"done\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2},"
    "\"user_message_uuids\":[\"%s\"]}\\n' \"$uuid\"\n"
    "  printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"}\\n';; esac; "
    "done\n";

struct bench {
    struct agent_bench base;
    struct session *s;
    const char *close_at; /* the text at which the session is closed */
    unsigned answered, good;
    struct buf told; /* what the client was told, a line each */
    struct buf commands;
    unsigned command_updates, raws;
};

static void on_text(void *self, str session, enum message_role role, str id, str text, str meta)
{
    struct bench *b = self;
    (void)session, (void)role, (void)id, (void)meta;
    buf_printf(&b->told, "text %.*s\n", STR_ARG(text));
    if (b->close_at && str_is(text, b->close_at)) {
        session_close(b->s, NULL, NULL);
    }
}

static void on_block(void *self, str session, enum message_role role, str id, str block, str meta)
{
    (void)session, (void)role, (void)id, (void)meta;
    buf_printf(&((struct bench *)self)->told, "block %.*s\n", STR_ARG(block));
}

static void on_tool(void *self, str session, struct tool_report *r)
{
    (void)session, (void)r;
    buf_put_c(&((struct bench *)self)->told, "tool\n");
}

static void on_plan(void *self, str session, str entries, str meta)
{
    (void)session, (void)meta;
    buf_printf(&((struct bench *)self)->told, "plan %.*s\n", STR_ARG(entries));
}

static void on_state(void *self, str session, str what)
{
    (void)session;
    buf_printf(&((struct bench *)self)->told, "state %.*s\n", STR_ARG(what));
}

static void on_notice(void *self, str session, const char *severity, str title, str description)
{
    (void)session, (void)description;
    buf_printf(&((struct bench *)self)->told, "%s %.*s\n", severity, STR_ARG(title));
}

static void on_commands(void *self, str session, str what)
{
    struct bench *b = self;
    (void)session;
    b->command_updates++;
    buf_clear(&b->commands);
    buf_put_str(&b->commands, what);
}

static void on_raw(void *self, str session, json message)
{
    (void)session, (void)message;
    ((struct bench *)self)->raws++;
}

static void on_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static void on_ended(void *user, const struct turn_end *end);
static const struct turn_observer observer = {on_inserted, on_ended};

/* Two prompts: the second one shows that the session goes on. */
static void on_ended(void *user, const struct turn_end *end)
{
    struct bench *b = user;
    b->good += end->stop_reason && strcmp(end->stop_reason, "end_turn") == 0 && !end->failed;
    if (++b->answered == 1 && !b->close_at) {
        bench_prompt(b->s, "two", &observer, b);
    } else {
        agent_close(&b->base.a);
    }
}

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->s = s;
    bench_prompt(s, "one", &observer, b);
}

static void run_with(struct bench *b, const char *frames, json meta)
{
    struct surface face = silent_surface();
    face.text = on_text;
    face.block = on_block;
    face.tool = on_tool;
    face.plan = on_plan;
    face.mode = on_state;
    face.options = on_state;
    face.notice = on_notice;
    face.commands = on_commands;
    face.raw = on_raw;
    fake_file("frames", frames, 0644);
    bench_open(&b->base, script, &face, b);
    struct session_params p = {.cwd = str_of(fake_folder), .meta = meta};
    assert_non_null(session_new(&b->base.a.host, &p, b->base.params, on_ready, b));
    bench_run(&b->base);
}

static void free_bench(struct bench *b)
{
    buf_free(&b->told);
    buf_free(&b->commands);
}

/* The frames change nothing: both prompts are answered, and the client is told what it is without them. */
static void expect_nothing_of(const char *frames)
{
    struct bench plain = {.answered = 0}, b = {.answered = 0};
    run_with(&plain, "", JSON_NONE);
    assert_int_equal(plain.good, 2);
    run_with(&b, frames, JSON_NONE);
    assert_int_equal(b.answered, 2);
    assert_int_equal(b.good, 2);
    assert_string_equal(buf_c(&b.told), buf_c(&plain.told));
    assert_int_equal(b.command_updates, plain.command_updates);
    assert_false(fake_exists("frames"));
    free_bench(&plain);
    free_bench(&b);
}

/* ---- Another form ---- */

static void test_unknown_messages(void **state)
{
    (void)state;
    expect_nothing_of("{\"type\":\"of_tomorrow\",\"content\":\"a\"}\n"
                      "{\"type\":\"system\",\"subtype\":\"of_tomorrow\",\"content\":\"b\"}\n"
                      "{\"type\":\"system\"}\n"
                      "{\"type\":\"local_command_output\",\"content\":\"c\"}\n"
                      "{\"type\":\"SYSTEM\",\"subtype\":\"local_command_output\",\"content\":\"d\"}\n"
                      "{\"subtype\":\"local_command_output\",\"content\":\"e\"}\n"
                      "{}\n");
}

static void test_types_of_another_kind(void **state)
{
    (void)state;
    expect_nothing_of("{\"type\":7}\n{\"type\":null}\n{\"type\":[\"system\"]}\n{\"type\":{}}\n"
                      "{\"type\":\"system\",\"subtype\":7}\n{\"type\":\"system\",\"subtype\":null}\n"
                      "{\"type\":\"system\",\"subtype\":[\"local_command_output\"],\"content\":\"a\"}\n"
                      "[]\n[{\"type\":\"system\"}]\nnull\n7\n\"system\"\n");
}

/* What needs its members to say anything. */
static const char *const types[] = {"stream_event",  "assistant",         "user",       "rate_limit_event",
                                    "tool_progress", "command_lifecycle", "active_goal"};
static const char *const subtypes[] = {"init",
                                       "status",
                                       "session_state_changed",
                                       "local_command_output",
                                       "task_started",
                                       "task_progress",
                                       "task_updated",
                                       "task_notification",
                                       "memory_recall",
                                       "model_refusal_fallback",
                                       "commands_changed",
                                       "elicitation_complete",
                                       "background_tasks_changed",
                                       "mirror_error",
                                       "permission_denied",
                                       "informational",
                                       "api_retry",
                                       "model_refusal_no_fallback"};

/* Each of these messages with these members beside its type, with a comma before them. */
static void put_all(struct buf *b, const char *members)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        buf_printf(b, "{\"type\":\"%s\"%s}\n", types[i], members);
    }
    for (size_t i = 0; i < ARRAY_LEN(subtypes); i++) {
        buf_printf(b, "{\"type\":\"system\",\"subtype\":\"%s\"%s}\n", subtypes[i], members);
    }
}

static void test_missing_members(void **state)
{
    AUTO_BUF(frames);
    (void)state;
    put_all(&frames, "");
    expect_nothing_of(buf_c(&frames));
}

static void test_members_of_another_kind(void **state)
{
    static const char *const names[] = {"session_id",
                                        "fast_mode_state",
                                        "terminal_slash_commands",
                                        "status",
                                        "state",
                                        "content",
                                        "message",
                                        "event",
                                        "uuid",
                                        "commands",
                                        "task_id",
                                        "tool_use_id",
                                        "tasks",
                                        "patch",
                                        "memories",
                                        "elicitation_id",
                                        "error",
                                        "rate_limit_info",
                                        "command_uuid",
                                        "user_message_uuids",
                                        "parent_tool_use_id"};
    static const char *const values[] = {"7", "null", "true", "{\"a\":[null]}"};
    AUTO_BUF(frames);
    (void)state;
    for (size_t v = 0; v < ARRAY_LEN(values); v++) {
        AUTO_BUF(members);
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            buf_printf(&members, ",\"%s\":%s", names[i], values[v]);
        }
        put_all(&frames, buf_c(&members));
    }
    expect_nothing_of(buf_c(&frames));
}

/* ---- What is told ---- */

static void test_local_output(void **state)
{
    struct bench b = {.answered = 0};
    (void)state;
    run_with(&b, "{\"type\":\"system\",\"subtype\":\"local_command_output\",\"content\":\"two cats\"}\n",
             JSON_NONE);
    assert_int_equal(b.good, 2);
    assert_non_null(strstr(buf_c(&b.told), "text two cats\n"));
    free_bench(&b);
}

static void test_raw_messages(void **state)
{
    struct bench b = {.answered = 0};
    AUTO_JSON(meta) = parse_or_fail("{\"claudeCode\":{\"emitRawSDKMessages\":[{\"type\":\"of_tomorrow\"}]}}");
    (void)state;
    run_with(&b, "{\"type\":\"of_tomorrow\"}\n{\"type\":\"of_yesterday\"}\n", json_root(meta));
    assert_int_equal(b.good, 2);
    assert_int_equal(b.raws, 1);
    free_bench(&b);
}

/* ---- Commands ---- */

static void test_commands_changed(void **state)
{
    struct bench b = {.answered = 0}, plain = {.answered = 0};
    (void)state;
    run_with(&plain, "", JSON_NONE);
    run_with(&b,
             "{\"type\":\"system\",\"subtype\":\"commands_changed\",\"commands\":[{\"name\":\"brew\","
             "\"description\":\"tea\"}]}\n",
             JSON_NONE);
    assert_int_equal(b.good, 2);
    assert_int_equal(b.command_updates, plain.command_updates + 1);
    assert_non_null(strstr(buf_c(&b.commands), "\"brew\""));
    assert_null(strstr(buf_c(&b.commands), "\"review\""));
    free_bench(&b);
    free_bench(&plain);
}

/* What only the terminal has is taken away; the same list again, in whatever order, is no news, and none
 * does not bring it back. */
static void test_terminal_commands(void **state)
{
    struct bench b = {.answered = 0}, plain = {.answered = 0};
    (void)state;
    run_with(&plain, "", JSON_NONE);
    run_with(&b,
             "{\"type\":\"system\",\"subtype\":\"init\",\"terminal_slash_commands\":[\"paint\",\"x\"]}\n"
             "{\"type\":\"system\",\"subtype\":\"init\",\"terminal_slash_commands\":[\"x\",\"paint\"]}\n"
             "{\"type\":\"system\",\"subtype\":\"init\",\"terminal_slash_commands\":7}\n"
             "{\"type\":\"system\",\"subtype\":\"init\"}\n",
             JSON_NONE);
    assert_int_equal(b.good, 2);
    assert_int_equal(b.command_updates, plain.command_updates + 1);
    assert_non_null(strstr(buf_c(&b.commands), "\"review\""));
    assert_null(strstr(buf_c(&b.commands), "\"paint\""));
    free_bench(&b);
    free_bench(&plain);
}

/* ---- Outside of its life ---- */

static void test_before_it_is_ready(void **state)
{
    (void)state;
    fake_file("early",
              "{\"type\":\"system\",\"subtype\":\"local_command_output\",\"content\":\"early\"}\n"
              "{\"type\":\"system\",\"subtype\":\"commands_changed\",\"commands\":[]}\n",
              0644);
    struct bench b = {.answered = 0};
    run_with(&b, "", JSON_NONE);
    assert_int_equal(b.good, 2);
    assert_null(strstr(buf_c(&b.told), "early"));
    assert_int_equal(b.command_updates, 0);
    free_bench(&b);
}

static void test_after_the_close(void **state)
{
    struct bench b = {.close_at = "first"};
    (void)state;
    run_with(&b,
             "{\"type\":\"system\",\"subtype\":\"local_command_output\",\"content\":\"first\"}\n"
             "{\"type\":\"system\",\"subtype\":\"local_command_output\",\"content\":\"second\"}\n"
             "{\"type\":\"system\",\"subtype\":\"commands_changed\",\"commands\":[]}\n",
             JSON_NONE);
    assert_int_equal(b.answered, 1);
    assert_int_equal(b.good, 0);
    assert_non_null(strstr(buf_c(&b.told), "first"));
    assert_null(strstr(buf_c(&b.told), "second"));
    assert_int_equal(b.command_updates, 0);
    free_bench(&b);
}

#define FRAMES_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRAMES_TEST(test_unknown_messages),   FRAMES_TEST(test_types_of_another_kind),
        FRAMES_TEST(test_missing_members),    FRAMES_TEST(test_members_of_another_kind),
        FRAMES_TEST(test_local_output),       FRAMES_TEST(test_raw_messages),
        FRAMES_TEST(test_commands_changed),   FRAMES_TEST(test_terminal_commands),
        FRAMES_TEST(test_before_it_is_ready), FRAMES_TEST(test_after_the_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
