/* The terminal of a command in the background ends with its task, however that ends: with whole sessions and
 * a script in place of the CLI.
 *
 * Each prompt of the script begins a task and says "begun"; then it is answered, or ends the process, or
 * resets the conversation, says "reset" and ends the task. */
#include "agent_fixture.h"

static const char script[] =
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "say() { printf "
    "'{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"model\":\"m\",\"content\":[{\"type\":"
    "\"text\",\"text\":\"%s\"}]}}\\n' $1; }\n"
    "while IFS= read -r line; do case $line in\n"
    "*'\"type\":\"control_request\"'*)\n"
    "  printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":{\"models\":[],\"commands\":[],\"agents\":[]}}}\\n' \"$(id_of \"$line\" request_id)\";;\n"
    "*'\"type\":\"user\"'*)\n"
    "  uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "$uuid\n"
    "  echo '{\"type\":\"system\",\"subtype\":\"task_started\",\"task_id\":\"t\",\"tool_use_id\":\"call\","
    "\"task_type\":\"local_bash\",\"is_backgrounded\":true}'; say begun\n"
    "  case $line in *'the end'*) exit 3;; *reset*)\n"
    "    echo '{\"type\":\"conversation_reset\",\"trigger\":\"clear\"}'\n"
    "    echo "
    "'{\"type\":\"system\",\"subtype\":\"background_tasks_changed\",\"tasks\":[{\"task_id\":\"t\"}]}'\n"
    "    say reset\n"
    "    echo '{\"type\":\"system\",\"subtype\":\"task_updated\",\"task_id\":\"t\",\"patch\":{\"status\":"
    "\"completed\"}}';; esac\n"
    "  printf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,"
    "\"result\":\"done\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2},"
    "\"user_message_uuids\":[\"%s\"]}\\n' $uuid;; esac; done\n";

struct bench {
    struct agent_bench base;
    struct session *s;
    const char *prompt;
    bool restarts;
    char seen[64];
};

static void note(struct bench *b, const char *what)
{
    size_t n = strlen(b->seen);
    (void)snprintf(b->seen + n, sizeof(b->seen) - n, "%s;", what);
}

static void on_text(void *self, str session, enum message_role role, str id, str text, str meta)
{
    struct bench *b = self;
    (void)session, (void)role, (void)id, (void)meta;
    if (str_is(text, "begun")) {
        struct live_task *task = live_tasks_find(&b->s->live, STR("t"));
        assert_non_null(task);
        task->owes_exit = true;
    } else if (str_is(text, "reset")) {
        note(b, "reset");
    }
}

static void on_tool(void *self, str session, struct tool_report *r)
{
    AUTO_BUF(meta);
    (void)session;
    assert_true(str_is(r->id, "call"));
    assert_true(tool_report_put_meta(&meta, r));
    assert_true(str_has(buf_str(&meta), STR("\"terminal_exit\"")));
    note(self, "exit");
}

static void on_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static void on_restarted(struct session *s, str why)
{
    assert_null(why.p);
    agent_close(CONTAINER_OF(s->host, struct agent, host));
}

static void on_ended(void *user, const struct turn_end *end)
{
    struct bench *b = user;
    (void)end;
    note(b, "answer");
    if (!b->restarts) {
        agent_close(&b->base.a);
        return;
    }
    assert_true(session_restart(b->s, &(struct restart_request){.mode = MODE_NONE}, on_restarted));
}

static const struct turn_observer observer = {on_inserted, on_ended};

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->s = s;
    bench_prompt(s, b->prompt, &observer, b);
}

static void run(struct bench *b)
{
    struct surface face = silent_surface();
    face.text = on_text;
    face.tool = on_tool;
    bench_open(&b->base, script, &face, b);
    bench_session(&b->base, on_ready, b);
    bench_run(&b->base);
}

static void test_process_ends(void **state)
{
    struct bench b = {.prompt = "the end"};
    (void)state;
    run(&b);
    assert_string_equal(b.seen, "exit;answer;");
}

static void test_process_is_replaced(void **state)
{
    struct bench b = {.prompt = "stay", .restarts = true};
    (void)state;
    run(&b);
    assert_string_equal(b.seen, "answer;exit;");
}

/* The command goes on. */
static void test_conversation_is_reset(void **state)
{
    struct bench b = {.prompt = "reset"};
    (void)state;
    run(&b);
    assert_string_equal(b.seen, "reset;exit;answer;");
}

#define END_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        END_TEST(test_process_ends),
        END_TEST(test_process_is_replaced),
        END_TEST(test_conversation_is_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
