/* What a change of the route waits for, and for how long: with whole sessions and a script in place of the
 * CLI, parts of which never answer.
 *
 * The script counts its starts in the file `starts` and keeps each user message in `user-N`. A prompt "own"
 * is answered, and then the CLI works on by itself until the mode is set; a prompt "hold" leaves a subagent
 * behind. Both say something after that. Files say what is not answered: `logout-hangs`; `deaf`, a mode;
 * `second-hangs`, initialize of the second process; `second-mute`, all that comes after it. `models` are the
 * models. */
#include "agent/provider_switch.h"
#include "agent_fixture.h"

static const char script[] =
    "cd \"${0%/*}\"\n"
    "[ $1 = auth ] && [ $2 = logout ] && [ -e logout-hangs ] && exec sleep 600\n"
    "[ $1 = auth ] && { echo '{\"loggedIn\":true,\"apiKeySource\":\"env\"}'; exit; }\n"
    "n=$(($(cat starts 2>/dev/null || echo 0) + 1)); echo $n > starts\n"
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "ok() { printf "
    "'{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":{\"models\":%s,\"commands\":[],\"agents\":[]}}}\\n' \"$1\" \"$(cat models 2>/dev/null || "
    "echo '[]')\"; }\n"
    "state() { printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"%s\"}\\n' $1; "
    "}\n"
    "result() { printf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,"
    "\"result\":\"done\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2},"
    "%s}\\n' \"$1\"; state idle; }\n"
    "own=; while IFS= read -r line; do case $line in\n"
    "*'\"subtype\":\"initialize\"'*)\n"
    "  [ $n = 2 ] && [ -e second-hangs ] || ok \"$(id_of \"$line\" request_id)\";;\n"
    "*'\"type\":\"control_request\"'*)\n"
    "  [ $n = 2 ] && [ -e second-mute ] && continue\n"
    "  case $line in *set_permission_mode*) [ -e deaf ] && continue; esac\n"
    "  ok \"$(id_of \"$line\" request_id)\"\n"
    "  [ -z \"$own\" ] || result '\"origin\":{\"kind\":\"task-notification\"}'; own=;;\n"
    "*'\"type\":\"user\"'*)\n"
    "  printf '%s\\n' \"$line\" >> user-$n; uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "$uuid\n"
    "  case $line in *hold*) printf '{\"type\":\"system\",\"subtype\":\"task_started\",\"task_id\":\"t\","
    "\"subagent_type\":\"general\",\"is_backgrounded\":true}\\n';; esac\n"
    "  result '\"user_message_uuids\":[\"'$uuid'\"]'\n"
    "  case $line in *own*) own=1; state running;; esac\n"
    "  case $line in *own*|*hold*)\n"
    "    printf '{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"model\":\"m\",\"content\":[{\"type\":"
    "\"text\",\"text\":\"by itself\"}]}}\\n';; esac;; esac; done\n";

struct bench {
    struct agent_bench base;
    struct session *s;
    uv_timer_t soon;
    unsigned due; /* what is not answered yet */
    bool first_over, second_over;
    int second_code, out_code, mode_code;
    unsigned set, out, notices, texts;
    char out_message[128], second_data[128];
    void (*opened)(struct bench *b);
    void (*by_itself)(struct bench *b);
    void (*later)(struct bench *b);
};

static void over(struct bench *b)
{
    if (--b->due == 0) {
        agent_close(&b->base.a);
        uv_close((uv_handle_t *)&b->soon, NULL);
    }
}

static void copy(char *to, size_t size, str text)
{
    (void)snprintf(to, size, "%.*s", STR_ARG(text.p ? text : STR("")));
}

/* ---- The client ---- */

static void on_text(void *self, str session, enum message_role role, str id, str text, str meta)
{
    struct bench *b = self;
    (void)session, (void)role, (void)id, (void)meta;
    b->texts += str_has(text, STR("it could not go on with another provider"));
    if (b->by_itself && str_is(text, "by itself")) {
        b->by_itself(b);
    }
}

static void on_notice(void *self, str session, const char *severity, str title, str description)
{
    struct bench *b = self;
    (void)session;
    assert_string_equal(severity, "warning");
    b->notices += str_is(title, "Session closed") && str_starts(description, STR("It could not go on"));
}

static void on_soon(uv_timer_t *t)
{
    struct bench *b = t->data;
    b->later(b);
}

/* After what the loop is to do by now. */
static void soon(struct bench *b, void (*later)(struct bench *b))
{
    b->later = later;
    uv_timer_start(&b->soon, on_soon, 0, 0);
}

static void on_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static void first_ended(void *user, const struct turn_end *end)
{
    struct bench *b = user;
    b->first_over = end->stop_reason && strcmp(end->stop_reason, "end_turn") == 0;
    over(b);
}

static void second_ended(void *user, const struct turn_end *end)
{
    struct bench *b = user;
    b->second_over = end->stop_reason && strcmp(end->stop_reason, "end_turn") == 0;
    b->second_code = end->code;
    copy(b->second_data, sizeof(b->second_data), end->data);
    over(b);
}

static const struct turn_observer first = {on_inserted, first_ended};
static const struct turn_observer second = {on_inserted, second_ended};

static void prompt_first(struct bench *b, const char *text)
{
    b->due++;
    bench_prompt(b->s, text, &first, b);
}

static void prompt_second(struct bench *b)
{
    b->due++;
    bench_prompt(b->s, "two", &second, b);
}

static void on_set(void *user, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->set++;
    over(b);
}

static void set_route(struct bench *b)
{
    struct provider_error e = {0};
    struct provider_params p = {.provider_id = STR("main"),
                                .api_type = STR("anthropic"),
                                .base_url = STR("http://a.test")};
    struct provider_route *route = provider_route_check(&p, &e);
    assert_non_null(route);
    b->due++;
    provider_switch_set(b->base.a.provider_switch, route, on_set, b);
}

static void on_out(void *user, const struct session_error *error)
{
    struct bench *b = user;
    b->out++;
    b->out_code = error ? error->code : 0;
    copy(b->out_message, sizeof(b->out_message), error ? error->message : STR_ABSENT);
    over(b);
}

static void mode_was_set(void *user, const struct session_error *error)
{
    struct bench *b = user;
    b->mode_code = error ? error->code : 0;
    over(b);
}

static void set_mode(struct bench *b)
{
    b->due++;
    session_set_mode(b->s, STR("plan"), mode_was_set, b);
}

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->s = s;
    b->opened(b);
}

static void begin(struct bench *b)
{
    struct surface face = silent_surface();
    face.text = on_text;
    face.notice = on_notice;
    bench_open(&b->base, script, &face, b);
    uv_timer_init(&b->base.loop, &b->soon);
    b->soon.data = b;
}

static void run(struct bench *b)
{
    bench_session(&b->base, on_ready, b);
    bench_run(&b->base);
}

/* ---- Signing out ---- */

static void test_logout_is_late(void **state)
{
    struct bench b = {.due = 1};
    (void)state;
    fake_file("logout-hangs", "", 0644);
    begin(&b);
    b.base.a.logout_limit = 1;
    provider_switch_logout(b.base.a.provider_switch, on_out, &b);
    bench_run(&b.base);
    assert_int_equal(b.out, 1);
    assert_int_equal(b.out_code, -32603);
    assert_non_null(strstr(b.out_message, "no answer in time"));
}

static void test_agent_closes_while_signing_out(void **state)
{
    struct bench b = {.due = 1};
    (void)state;
    fake_file("logout-hangs", "", 0644);
    begin(&b);
    provider_switch_logout(b.base.a.provider_switch, on_out, &b);
    while (!b.base.a.logout) {
        uv_run(&b.base.loop, UV_RUN_ONCE);
    }
    over(&b);
    assert_null(b.base.a.logout);
    bench_run(&b.base); /* it does not wait for the limit */
    assert_int_equal(b.out, 0);
}

/* ---- A CLI that does not answer ---- */

static void set_and_prompt(struct bench *b)
{
    set_route(b);
    prompt_second(b);
}

static void expect_lost(const struct bench *b)
{
    assert_int_equal(b->set, 1);
    assert_int_equal(b->second_code, -32603);
    assert_non_null(strstr(b->second_data, "did not answer in time"));
    assert_int_equal(bench_starts(), 2);
}

static void test_start_is_late(void **state)
{
    struct bench b = {.opened = set_and_prompt};
    (void)state;
    fake_file("second-hangs", "", 0644);
    begin(&b);
    b.base.a.host.limits.restart = 1;
    run(&b);
    expect_lost(&b);
    assert_int_equal(b.texts, 1);
    assert_int_equal(b.notices, 0);
}

static void test_notice_of_a_loss(void **state)
{
    struct bench b = {.opened = set_and_prompt};
    (void)state;
    fake_file("second-hangs", "", 0644);
    begin(&b);
    b.base.a.host.limits.restart = 1;
    b.base.a.host.client.session_notices = true;
    run(&b);
    expect_lost(&b);
    assert_int_equal(b.texts, 0);
    assert_int_equal(b.notices, 1);
}

/* Of the options only some may be refused. None may stay without an answer. */
static void test_tuning_is_late(void **state)
{
    struct bench b = {.opened = set_and_prompt};
    (void)state;
    fake_file("second-mute", "", 0644);
    fake_file("models",
              "[{\"value\":\"default\",\"displayName\":\"D\",\"supportsEffort\":true,"
              "\"supportedEffortLevels\":[\"low\",\"high\"]}]",
              0644);
    begin(&b);
    b.base.a.host.limits.restart = 500; /* it must come to the options within it */
    b.base.a.host.client.air_recommended_value = true;
    run(&b);
    expect_lost(&b);
}

static void change_and_set(struct bench *b)
{
    set_mode(b);
    set_and_prompt(b);
}

static void test_change_is_stuck(void **state)
{
    struct bench b = {.opened = change_and_set};
    (void)state;
    fake_file("deaf", "", 0644);
    begin(&b);
    b.base.a.host.limits.change = 1;
    run(&b);
    assert_int_equal(b.mode_code, -32603);
    assert_int_equal(b.set, 1);
    assert_true(b.second_over);
    assert_int_equal(bench_starts(), 2);
}

/* ---- What is waited for ---- */

static void expect_waiting(struct bench *b)
{
    assert_null(b->s->restart);
    assert_int_equal(b->set, 0);
    set_mode(b);
}

static void set_in_cycle(struct bench *b)
{
    set_and_prompt(b);
    soon(b, expect_waiting);
}

static void prompt_own(struct bench *b)
{
    b->due++; /* until the mode is set */
    prompt_first(b, "own");
}

static void end_own(struct bench *b)
{
    set_in_cycle(b);
    b->due--;
}

static void test_cycle_is_waited_for(void **state)
{
    struct bench b = {.opened = prompt_own, .by_itself = end_own};
    (void)state;
    begin(&b);
    run(&b);
    assert_true(b.first_over && b.second_over);
    assert_int_equal(b.set, 1);
    assert_int_equal(b.mode_code, 0);
    assert_int_equal(bench_starts(), 2);
    expect_in("user-2", "two");
}

static void prompt_hold(struct bench *b)
{
    prompt_first(b, "hold");
}

static void expect_held(struct bench *b)
{
    assert_null(b->s->restart);
    assert_false(b->first_over);
    prompt_second(b);
}

static void set_while_held(struct bench *b)
{
    set_route(b);
    soon(b, expect_held);
}

static void test_held_turn_is_let_go(void **state)
{
    struct bench b = {.opened = prompt_hold, .by_itself = set_while_held};
    (void)state;
    begin(&b);
    run(&b);
    assert_true(b.first_over && b.second_over);
    assert_int_equal(b.set, 1);
    expect_in("user-2", "two");
}

#define WAIT_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WAIT_TEST(test_logout_is_late),      WAIT_TEST(test_agent_closes_while_signing_out),
        WAIT_TEST(test_start_is_late),       WAIT_TEST(test_notice_of_a_loss),
        WAIT_TEST(test_tuning_is_late),      WAIT_TEST(test_change_is_stuck),
        WAIT_TEST(test_cycle_is_waited_for), WAIT_TEST(test_held_turn_is_let_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
