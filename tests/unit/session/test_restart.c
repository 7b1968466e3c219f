/* A plan approved or sent back, with a whole session and a script in place of the CLI: the process is
 * replaced by one with an empty conversation, the prompt stays open, and nothing is lost when something comes
 * in between.
 *
 * The script counts its starts in the file `starts`, keeps each start's arguments in `args-N` and each user
 * message in `user-N`, and does what the files `second-hangs` and `second-fails` say at its second start. */
#include "agent_fixture.h"

static const char script[] =
    "cd \"${0%/*}\"\n"
    "n=$(($(cat starts 2>/dev/null || echo 0) + 1)); echo $n > starts; echo \"$*\" > args-$n\n"
    "[ $n = 2 ] && [ -e second-fails ] && { echo 'no more licences' >&2; exit 3; }\n"
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "ok() { printf "
    "'{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":"
    "{\"models\":[],\"commands\":[],\"agents\":[]}}}\\n' \"$1\"; }\n"
    "result() { printf "
    "'{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,\"result\":\"done\","
    "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2},\"user_message_uuids\":["
    "\"%s\"]}\\n'"
    " \"$1\"; printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"}\\n'; }\n"
    "while IFS= read -r line; do case $line in\n"
    "*'\"subtype\":\"initialize\"'*)\n"
    "  [ $n = 2 ] && [ -e second-hangs ] && { echo > hanging; continue; }\n"
    "  ok \"$(id_of \"$line\" request_id)\";;\n"
    "*'\"type\":\"control_request\"'*) ok \"$(id_of \"$line\" request_id)\";;\n"
    "*'\"type\":\"user\"'*)\n"
    "  printf '%s\\n' \"$line\" >> user-$n; uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "\"$uuid\"\n"
    "  case $line in *'plan it'*)\n"
    "    printf "
    "'{\"type\":\"assistant\",\"message\":{\"id\":\"m1\",\"content\":[{\"type\":\"tool_use\",\"id\":\"p1\","
    "\"name\":"
    "\"ExitPlanMode\",\"input\":{\"plan\":\" # Do it \"}}]}}\\n'\n"
    "    printf "
    "'{\"type\":\"control_request\",\"request_id\":\"q1\",\"request\":{\"subtype\":\"can_use_tool\",\"tool_"
    "name\":"
    "\"ExitPlanMode\",\"tool_use_id\":\"p1\",\"input\":{\"plan\":\" # Do it \"}}}\\n';;\n"
    "  *) result \"$uuid\";; esac;;\n"
    "*'\"behavior\":\"deny\"'*)\n"
    "  printf "
    "'{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_"
    "id\":\"p1\","
    "\"is_error\":true,\"content\":\"no\"}]},\"tool_result_meta\":[{\"id\":\"p1\",\"non_execution_kind\":"
    "\"user-rejected\"}]}"
    "\\n'\n"
    "  printf "
    "'{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"num_turns\":1,"
    "\"errors\":["
    "\"[ede_diagnostic] result_type=user last_content_type=n/a "
    "stop_reason=tool_use\"],\"usage\":{\"input_tokens\":10,"
    "\"output_tokens\":20}}\\n'\n"
    "  printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"}\\n';;\n"
    "esac; done\n";

enum moment { NEVER, AT_RESTART, WHEN_STARTED };

struct ending {
    unsigned times;
    bool cancelled, normal;
    int code;
    char data[256];
};

struct bench {
    struct agent_bench base;
    uv_timer_t watch;
    struct session *s;
    const char *choice; /* what the person answers */
    enum moment moment; /* when `act` comes */
    void (*act)(struct bench *b);
    bool acted, restarted;
    unsigned due; /* prompts that are not answered yet */
    struct ending first, second;
    unsigned warnings;
    char modes[64]; /* what the client was told, in order */
};

/* ---- The client ---- */

static struct bench *bench_of(void *self)
{
    return self;
}

struct late_answer {
    uv_idle_t idle;
    struct bench *b;
    surface_answer_cb *cb;
    void *user;
};

static void freed(uv_handle_t *h)
{
    free(h->data);
}

static void answer_late(uv_idle_t *idle)
{
    struct late_answer *la = idle->data;
    AUTO_BUF(b);
    buf_printf(&b, "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"%s\"}}", la->b->choice);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&b));
    uv_close((uv_handle_t *)idle, freed);
    la->cb(la->user, json_root(doc), JSON_NONE);
}

static uint64_t on_permission(void *self, const struct permission_request *rq, surface_answer_cb *cb,
                              void *user)
{
    struct late_answer *la = calloc(1, sizeof(*la));
    assert_non_null(la);
    assert_true(str_has(rq->options, STR("exit-plan-default")));
    *la = (struct late_answer){.b = bench_of(self), .cb = cb, .user = user};
    assert_int_equal(uv_idle_init(&la->b->base.loop, &la->idle), 0);
    la->idle.data = la;
    uv_idle_start(&la->idle, answer_late);
    return 1;
}

static void on_mode(void *self, str session, str mode)
{
    struct bench *b = bench_of(self);
    (void)session;
    size_t n = strlen(b->modes);
    (void)snprintf(b->modes + n, sizeof(b->modes) - n, "%.*s;", STR_ARG(mode));
}

static void on_text(void *self, str session, enum message_role role, str id, str text, str meta)
{
    (void)session, (void)role, (void)id, (void)meta;
    bench_of(self)->warnings += str_starts(text, STR("**"));
}

/* ---- The prompts ---- */

static void on_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static void end_bench(struct bench *b)
{
    agent_close(&b->base.a);
    uv_close((uv_handle_t *)&b->watch, NULL);
}

static void note_end(struct bench *b, struct ending *e, const struct turn_end *end)
{
    e->times++;
    e->cancelled = end->stop_reason && strcmp(end->stop_reason, "cancelled") == 0;
    e->normal = end->stop_reason && strcmp(end->stop_reason, "end_turn") == 0 && !end->failed;
    e->code = end->code;
    (void)snprintf(e->data, sizeof(e->data), "%.*s", STR_ARG(end->data.p ? end->data : STR("")));
    if (--b->due == 0) {
        end_bench(b);
    }
}

static void first_ended(void *user, const struct turn_end *end)
{
    note_end(bench_of(user), &bench_of(user)->first, end);
}

static void second_ended(void *user, const struct turn_end *end)
{
    note_end(bench_of(user), &bench_of(user)->second, end);
}

static const struct turn_observer first_prompt = {on_inserted, first_ended};
static const struct turn_observer second_prompt = {on_inserted, second_ended};

static void prompt(struct bench *b, const char *text, const struct turn_observer *observer)
{
    b->due++;
    bench_prompt(b->s, text, observer, b);
}

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->s = s;
    prompt(b, "plan it", &first_prompt);
}

/* Waits for the moment at which something comes in between: there is no event for it but the process's own
 * files. */
static void on_watch(uv_timer_t *t)
{
    struct bench *b = t->data;
    bool restarting = b->s && b->due && b->s->restart;
    b->restarted = b->restarted || restarting;
    if (b->acted || !restarting || b->moment == NEVER ||
        (b->moment == WHEN_STARTED && !fake_exists("hanging"))) {
        return;
    }
    b->acted = true;
    b->act(b);
}

static void run(struct bench *b)
{
    struct surface face = silent_surface();
    face.mode = on_mode;
    face.text = on_text;
    face.ask_permission = on_permission;
    bench_open(&b->base, script, &face, b);
    assert_int_equal(uv_timer_init(&b->base.loop, &b->watch), 0);
    b->watch.data = b;
    uv_timer_start(&b->watch, on_watch, 1, 1);
    bench_session(&b->base, on_ready, b);
    bench_run(&b->base);
    assert_int_equal(b->first.times, 1);
}

/* ---- Tests ---- */

static void test_plan_goes_on(void **state)
{
    struct bench b = {.choice = "exit-plan-clear-auto"};
    (void)state;
    run(&b);
    assert_true(b.first.normal);
    assert_true(b.restarted);
    assert_int_equal(bench_starts(), 2);
    expect_in("args-2", "--session-id");
    expect_in("args-2", "acceptEdits"); /* the model is known to lack auto mode */
    assert_int_equal(b.warnings, 1);
    expect_in("user-2", "Implement the following plan:\\n\\n# Do it\"");
    assert_string_equal(b.modes, "acceptEdits;");
    /* The plan takes the prompt's place under its uuid, in a conversation of another name. */
    AUTO_JSON(one) = parse_or_fail(fake_line(fake_path("user-1")));
    AUTO_JSON(two) = parse_or_fail(fake_line(fake_path("user-2")));
    assert_true(
        str_eq(json_str(json_get(json_root(one), "uuid")), json_str(json_get(json_root(two), "uuid"))));
    AUTO_BUF(args);
    buf_put_c(&args, fake_line(fake_path("args-1")));
    assert_string_not_equal(buf_c(&args), fake_line(fake_path("args-2")));
}

static void test_plan_is_sent_back(void **state)
{
    struct bench b = {.choice = "reject"};
    (void)state;
    run(&b);
    assert_true(b.first.cancelled);
    assert_false(b.restarted);
    assert_int_equal(bench_starts(), 1);
    assert_string_equal(b.modes, "");
}

static void prompt_again(struct bench *b)
{
    prompt(b, "and after", &second_prompt);
}

static void test_prompt_in_between(void **state)
{
    struct bench b = {.choice = "exit-plan-clear-auto", .moment = AT_RESTART, .act = prompt_again};
    (void)state;
    run(&b);
    assert_true(b.acted && b.first.normal && b.second.normal);
    expect_in("user-2", "Implement the following plan:"); /* before the prompt that came later */
}

static void cancel(struct bench *b)
{
    session_cancel(b->s);
}

static void cancel_and_go_on(struct bench *b)
{
    unlink(fake_path("second-hangs"));
    session_cancel(b->s);
}

static void test_cancel_while_it_closes(void **state)
{
    struct bench b = {.choice = "exit-plan-clear-auto", .moment = AT_RESTART, .act = cancel};
    (void)state;
    run(&b);
    assert_true(b.acted && b.first.cancelled);
    assert_false(fake_exists("user-2"));
}

static void test_cancel_while_it_starts(void **state)
{
    struct bench b = {.choice = "exit-plan-clear-auto", .moment = WHEN_STARTED, .act = cancel_and_go_on};
    (void)state;
    fake_file("second-hangs", "", 0644);
    run(&b);
    assert_true(b.acted && b.first.cancelled);
    assert_false(fake_exists("user-2"));
}

static void close_it(struct bench *b)
{
    session_close(b->s, NULL, NULL);
}

static void test_close_while_it_starts(void **state)
{
    struct bench b = {.choice = "exit-plan-clear-auto", .moment = WHEN_STARTED, .act = close_it};
    (void)state;
    fake_file("second-hangs", "", 0644);
    run(&b);
    assert_true(b.acted && b.first.cancelled);
}

static void test_close_while_it_closes(void **state)
{
    struct bench b = {.choice = "exit-plan-clear-auto", .moment = AT_RESTART, .act = close_it};
    (void)state;
    run(&b);
    assert_true(b.acted && b.first.cancelled);
    assert_int_equal(bench_starts(), 1);
}

/* The prompt fails with the reason, which is no lost transport; so does the one that waits behind it. */
static void test_start_fails(void **state)
{
    struct bench b = {.choice = "exit-plan-clear-auto", .moment = AT_RESTART, .act = prompt_again};
    (void)state;
    fake_file("second-fails", "", 0644);
    run(&b);
    assert_int_equal(b.first.code, -32603);
    assert_non_null(strstr(b.first.data, "no more licences"));
    assert_int_equal(b.second.times, 1);
    assert_int_equal(b.second.code, -32603);
}

#define RESTART_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESTART_TEST(test_plan_goes_on),           RESTART_TEST(test_plan_is_sent_back),
        RESTART_TEST(test_prompt_in_between),      RESTART_TEST(test_cancel_while_it_closes),
        RESTART_TEST(test_cancel_while_it_starts), RESTART_TEST(test_close_while_it_starts),
        RESTART_TEST(test_close_while_it_closes),  RESTART_TEST(test_start_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
