/* Changes of the route with whole sessions and a script in place of the CLI: when open sessions get another
 * process, what waits meanwhile, and that nothing is lost when something comes in between.
 *
 * The script counts its starts in the file `starts`, notes how each was started in `start-N` and each user
 * message in `user-N`. A prompt "slow" is answered when the mode is set, or its process ends then, if the
 * file `dies` is there. The first process begins when something is written to `gate`, if it is there.
 * `second-fails` lets the second start fail, `unknown` each one that is to resume. */
#include <fcntl.h>

#include "agent/provider_switch.h"
#include "agent_fixture.h"

static const char script[] =
    "cd \"${0%/*}\"\n"
    "[ $1 = auth ] && { echo $2 >> auth; echo '{\"loggedIn\":true,\"apiKeySource\":\"env\"}'; exit; }\n"
    "n=$(($(cat starts 2>/dev/null || echo 0) + 1)); echo $n > starts\n"
    "for a in \"$@\"; do case $a in --resume=*|--session-id=*|--permission-mode=*)\n"
    "  printf '%s ' \"$a\" >> start-$n;; esac; done; echo \"url=$ANTHROPIC_BASE_URL.\" >> start-$n\n"
    "[ $n = 1 ] && [ -p gate ] && read -r x < gate\n"
    "[ $n = 2 ] && [ -e second-fails ] && { echo 'no more licences' >&2; exit 3; }\n"
    "case \"$*\" in *--resume=*) [ -e unknown ] && {\n"
    "  echo 'No conversation found with session ID: x' >&2; exit 1; };; esac\n"
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "ok() { printf "
    "'{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":{\"models\":[],\"commands\":[],\"agents\":[]}}}\\n' \"$1\"; }\n"
    "result() { printf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,"
    "\"result\":\"done\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2},"
    "\"user_message_uuids\":[\"%s\"]}\\n' \"$1\"\n"
    "  printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"}\\n'; }\n"
    "slow=; while IFS= read -r line; do case $line in\n"
    "*'\"type\":\"control_request\"'*)\n"
    "  ok \"$(id_of \"$line\" request_id)\"\n"
    "  case $line in *interrupt*|*set_permission_mode*) [ -e dies ] && exit 4\n"
    "    [ -z \"$slow\" ] || result $slow; slow=;; esac;;\n"
    "*'\"type\":\"user\"'*)\n"
    "  printf '%s\\n' \"$line\" >> user-$n; uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "$uuid\n"
    "  case $line in *slow*) slow=$uuid;; *) result $uuid;; esac;; esac; done\n";

struct asked { /* a prompt */
    struct bench *b;
    unsigned times;
    bool normal, cancelled;
    int code;
};

struct bench {
    struct agent_bench base;
    struct session *s, *other;
    struct asked first, second;
    unsigned set, out; /* how often a change, and a logout, was answered */
    int out_code;
    bool other_due, other_failed;
    unsigned due; /* what is not answered yet */
    void (*opened)(struct bench *b);
    void (*first_over)(struct bench *b);
    void (*when_set)(struct bench *b);
};

static void over(struct bench *b)
{
    if (--b->due == 0) {
        agent_close(&b->base.a);
    }
}

static void on_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static void on_ended(void *user, const struct turn_end *end)
{
    struct asked *p = user;
    struct bench *b = p->b;
    p->times++;
    p->cancelled = end->stop_reason && strcmp(end->stop_reason, "cancelled") == 0;
    p->normal = end->stop_reason && !p->cancelled && !end->failed;
    p->code = end->code;
    if (p == &b->first && b->first_over) {
        b->first_over(b);
    }
    over(b);
}

static const struct turn_observer observer = {on_inserted, on_ended};

static void prompt(struct bench *b, struct session *s, const char *text, struct asked *p)
{
    p->b = b;
    b->due++;
    bench_prompt(s, text, &observer, p);
}

static void on_set(void *user, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->set++;
    if (b->when_set) {
        b->when_set(b);
    }
    over(b);
}

static void on_out(void *user, const struct session_error *error)
{
    struct bench *b = user;
    b->out++;
    b->out_code = error ? error->code : 0;
    over(b);
}

static void set_route(struct bench *b, const char *url)
{
    struct provider_error e = {0};
    struct provider_params p = {.provider_id = STR("main"),
                                .api_type = STR("anthropic"),
                                .base_url = str_of(url)};
    struct provider_route *route = provider_route_check(&p, &e);
    assert_non_null(route);
    b->due++;
    provider_switch_set(b->base.a.provider_switch, route, on_set, b);
}

static void disable(struct bench *b)
{
    b->due++;
    provider_switch_set(b->base.a.provider_switch, NULL, on_set, b);
}

static void mode_was_set(void *user, const struct session_error *error)
{
    (void)user;
    (void)error;
}

/* Lets the slow prompt go on. */
static void nudge(struct session *s)
{
    session_set_mode(s, STR("plan"), mode_was_set, NULL);
}

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->s = s;
    b->opened(b);
}

static void other_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    b->other = s;
    b->other_failed = error != NULL;
    over(b);
}

static void run(struct bench *b)
{
    struct surface face = silent_surface();
    bench_open(&b->base, script, &face, b);
    bench_session(&b->base, on_ready, b);
    bench_run(&b->base);
}

static void expect_id(const char *file, const char *flag)
{
    AUTO_BUF(first);
    AUTO_BUF(wanted);
    buf_put_c(&first, fake_line(fake_path("start-1")));
    str id = str_from(buf_str(&first), str_find(buf_str(&first), STR("--session-id="), 0) + 13);
    buf_put_c(&wanted, flag);
    buf_put_str(&wanted, str_first(id, UUID_LENGTH));
    expect_in(file, buf_c(&wanted));
}

static int lines_in(const char *file)
{
    int n = 0;
    FILE *f = fopen(fake_path(file), "r");
    for (int c; f && (c = fgetc(f)) != EOF;) {
        n += c == '\n';
    }
    if (f) {
        fclose(f);
    }
    return n;
}

/* ---- An idle session ---- */

static void prompt_first(struct bench *b)
{
    prompt(b, b->s, "one", &b->first);
}

static void set_and_prompt(struct bench *b)
{
    set_route(b, "http://a.test");
    prompt(b, b->s, "two", &b->second);
}

/* Context windows that are learned now are of the new backend. */
static void another_backend(struct bench *b)
{
    assert_true(str_has(buf_str(&b->s->process.backend), STR("http://a.test")));
}

static void test_idle(void **state)
{
    struct bench b = {.opened = prompt_first, .first_over = set_and_prompt, .when_set = another_backend};
    (void)state;
    run(&b);
    assert_true(b.first.normal && b.second.normal);
    assert_int_equal(b.set, 1);
    assert_int_equal(bench_starts(), 2);
    expect_id("start-2", "--resume=");
    expect_in("start-1", "url=.");
    expect_in("start-2", "url=http://a.test.");
    expect_in("user-2", "two");
}

static void test_unused(void **state)
{
    struct bench b = {.opened = set_and_prompt};
    (void)state;
    run(&b);
    assert_true(b.second.normal);
    assert_int_equal(bench_starts(), 2);
    expect_id("start-2", "--session-id="); /* there is nothing to resume */
    expect_in("user-2", "two");
}

/* The conversation was never stored: it begins anew under its id. */
static void test_unknown(void **state)
{
    struct bench b = {.opened = prompt_first, .first_over = set_and_prompt};
    (void)state;
    fake_file("unknown", "", 0644);
    run(&b);
    assert_true(b.second.normal);
    assert_int_equal(bench_starts(), 3);
    expect_id("start-3", "--session-id=");
    expect_in("start-3", "url=http://a.test.");
}

static void test_lost(void **state)
{
    struct bench b = {.opened = prompt_first, .first_over = set_and_prompt};
    (void)state;
    fake_file("second-fails", "", 0644);
    run(&b);
    assert_true(b.first.normal);
    assert_int_equal(b.second.times, 1);
    assert_int_equal(b.second.code, -32603);
    assert_int_equal(b.set, 1);
}

static void disable_nothing(struct bench *b)
{
    disable(b);
}

static void test_nothing_changes(void **state)
{
    struct bench b = {.opened = disable_nothing};
    (void)state;
    run(&b);
    assert_int_equal(b.set, 1);
    assert_int_equal(bench_starts(), 1);
}

/* ---- While a turn runs ---- */

static void begin_slow(struct bench *b)
{
    prompt(b, b->s, "slow", &b->first);
}

static void still_waiting(struct bench *b)
{
    assert_int_equal(b->set, 0);
    assert_int_equal(bench_starts(), 1);
}

static void set_two_while_slow(struct bench *b)
{
    begin_slow(b);
    set_route(b, "http://a.test");
    prompt(b, b->s, "two", &b->second);
    disable(b);
    assert_true(b->base.a.host.gate.closed);
    assert_int_equal(b->second.times, 0);
    nudge(b->s);
}

static void test_waits_for_the_turn(void **state)
{
    struct bench b = {.opened = set_two_while_slow, .first_over = still_waiting};
    (void)state;
    run(&b);
    assert_true(b.first.normal && b.second.normal);
    assert_int_equal(b.set, 2);
    assert_int_equal(bench_starts(), 3);
    assert_int_equal(lines_in("user-1"), 1);
    assert_false(fake_exists("user-2")); /* the next change had come by then */
    expect_in("user-3", "two");
    expect_in("start-2", "--permission-mode=plan url=http://a.test.");
    expect_in("start-3", "url=.");
}

static void cancel_while_pending(struct bench *b)
{
    begin_slow(b);
    set_route(b, "http://a.test");
    prompt(b, b->s, "two", &b->second);
    session_cancel(b->s);
    assert_true(b->second.cancelled);
}

static void test_cancel(void **state)
{
    struct bench b = {.opened = cancel_while_pending, .first_over = still_waiting};
    (void)state;
    run(&b);
    assert_true(b.first.cancelled);
    assert_int_equal(b.set, 1);
    assert_int_equal(lines_in("user-1"), 1);
    assert_false(fake_exists("user-2"));
}

static void close_while_pending(struct bench *b)
{
    begin_slow(b);
    set_route(b, "http://a.test");
    prompt(b, b->s, "two", &b->second);
    session_close(b->s, NULL, NULL);
    assert_true(b->first.cancelled && b->second.cancelled);
}

static void test_close(void **state)
{
    struct bench b = {.opened = close_while_pending};
    (void)state;
    run(&b);
    assert_int_equal(b.first.times + b.second.times, 2);
    assert_int_equal(b.set, 1);
    assert_int_equal(bench_starts(), 1);
}

static void test_crash(void **state)
{
    struct bench b = {.opened = set_two_while_slow};
    (void)state;
    fake_file("dies", "", 0644);
    run(&b);
    assert_int_equal(b.first.times, 1);
    assert_int_equal(b.second.times, 1);
    assert_int_equal(b.second.code, -32603);
    assert_int_equal(b.set, 2);
    assert_int_equal(bench_starts(), 1);
}

static void close_agent(struct bench *b)
{
    agent_close(&b->base.a);
}

static void end_while_pending(struct bench *b)
{
    b->due = 10; /* the agent is closed once */
    begin_slow(b);
    set_route(b, "http://a.test");
    bench_session(&b->base, other_ready, b);
    close_agent(b);
}

static void test_agent_closes(void **state)
{
    struct bench b = {.opened = end_while_pending};
    (void)state;
    run(&b);
    assert_true(b.first.cancelled);
    assert_int_equal(b.set, 0);
    assert_true(b.other_failed);
}

/* ---- Sessions that start ---- */

static void start_while_pending(struct bench *b)
{
    begin_slow(b);
    set_route(b, "http://a.test");
    b->due++;
    bench_session(&b->base, other_ready, b);
    nudge(b->s);
}

static void test_start_waits(void **state)
{
    struct bench b = {.opened = start_while_pending, .first_over = still_waiting};
    (void)state;
    run(&b);
    assert_non_null(b.other);
    assert_int_equal(bench_starts(), 3);
    for (int i = 2; i <= 3; i++) {
        char file[16];
        (void)snprintf(file, sizeof(file), "start-%d", i);
        expect_in(file, "url=http://a.test.");
    }
}

static void open_gate(struct bench *b)
{
    int gate = open(fake_path("gate"), O_WRONLY | O_CLOEXEC);
    assert_null(b->other);
    assert_int_equal(write(gate, "\n", 1), 1);
    close(gate);
}

static bool launched(const struct agent *a)
{
    size_t at = 0;
    void *s = NULL;
    return map_next(&a->sessions, &at, NULL, &s) && ((struct session *)s)->process.cli;
}

/* Its CLI was launched before the change. */
static void test_start_is_overtaken(void **state)
{
    struct bench b = {.due = 1, .when_set = open_gate};
    struct surface face = silent_surface();
    (void)state;
    bench_open(&b.base, script, &face, &b);
    assert_int_equal(mkfifo(fake_path("gate"), 0600), 0);
    bench_session(&b.base, other_ready, &b);
    while (!launched(&b.base.a)) {
        uv_run(&b.base.loop, UV_RUN_ONCE);
    }
    set_route(&b, "http://a.test");
    bench_run(&b.base);
    assert_non_null(b.other);
    assert_int_equal(bench_starts(), 2);
    expect_id("start-2", "--session-id=");
    expect_in("start-2", "url=http://a.test.");
}

/* ---- Signing out ---- */

static void logout_while_slow(struct bench *b)
{
    assert_int_equal(b->set, 1);
    begin_slow(b);
    provider_switch_logout(b->base.a.provider_switch, on_out, b);
    prompt(b, b->s, "two", &b->second);
    nudge(b->s);
}

static void test_logout(void **state)
{
    struct bench b = {.opened = logout_while_slow};
    struct surface face = silent_surface();
    (void)state;
    bench_open(&b.base, script, &face, &b);
    b.due++; /* until the session is there */
    set_route(&b, "http://a.test");
    bench_session(&b.base, on_ready, &b);
    bench_run(&b.base);
    assert_true(b.first.normal && b.second.normal);
    assert_int_equal(b.out, 1);
    assert_int_equal(b.out_code, 0);
    expect_in("auth", "logout");
    assert_int_equal(lines_in("auth"), 2); /* and a look at who is signed in */
    expect_in("start-1", "url=http://a.test.");
    expect_in("start-2", "url=.");
    expect_in("user-2", "two");
}

static void logout_natively(struct bench *b)
{
    begin_slow(b);
    b->due++;
    provider_switch_logout(b->base.a.provider_switch, on_out, b);
    assert_false(b->base.a.host.gate.closed); /* nobody waits for it */
    prompt(b, b->s, "two", &b->second);
    nudge(b->s);
}

static void test_logout_without_a_route(void **state)
{
    struct bench b = {.opened = logout_natively};
    (void)state;
    run(&b);
    assert_true(b.first.normal && b.second.normal);
    assert_int_equal(b.out, 1);
    assert_int_equal(bench_starts(), 1);
}

#define ROUTE_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUTE_TEST(test_idle),
        ROUTE_TEST(test_unused),
        ROUTE_TEST(test_unknown),
        ROUTE_TEST(test_lost),
        ROUTE_TEST(test_nothing_changes),
        ROUTE_TEST(test_waits_for_the_turn),
        ROUTE_TEST(test_cancel),
        ROUTE_TEST(test_close),
        ROUTE_TEST(test_crash),
        ROUTE_TEST(test_agent_closes),
        ROUTE_TEST(test_start_waits),
        ROUTE_TEST(test_start_is_overtaken),
        ROUTE_TEST(test_logout),
        ROUTE_TEST(test_logout_without_a_route),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
