#include "cli_fake.h"

#include "cli/auth_probe.h"

struct asked {
    uv_loop_t loop;
    uv_timer_t timer;
    struct auth_probe *probe;
    unsigned answers;
    bool logged_in, known, again, free_it;
    uint64_t started;
};

static void on_status(void *user, struct json_doc *status)
{
    struct asked *a = user;
    a->answers++;
    a->known = status != NULL;
    a->logged_in = json_is_true(json_get(json_root(status), "loggedIn"));
    assert_false(auth_probe_running(a->probe));
    if (a->again) {
        a->again = false;
        struct cli_spawn spawn = fake_spawn(fake_path("cli"), NULL);
        assert_true(auth_probe_run(a->probe, &spawn, on_status, a));
    } else if (a->free_it) {
        auth_probe_free(a->probe);
        a->probe = NULL;
    }
}

static void begin(struct asked *a, const char *body)
{
    *a = (struct asked){.started = uv_hrtime()};
    assert_int_equal(uv_loop_init(&a->loop), 0);
    a->probe = auth_probe_new(&a->loop, NULL);
    struct cli_spawn spawn = fake_spawn(fake_script("cli", body), NULL);
    assert_true(auth_probe_run(a->probe, &spawn, on_status, a));
    assert_true(auth_probe_running(a->probe));
    assert_false(auth_probe_run(a->probe, &spawn, on_status, a));
}

/* To the end of the loop; milliseconds since the beginning. */
static uint64_t end(struct asked *a)
{
    assert_int_equal(uv_run(&a->loop, UV_RUN_DEFAULT), 0);
    auth_probe_free(a->probe);
    assert_int_equal(uv_loop_close(&a->loop), 0);
    return (uv_hrtime() - a->started) / 1000000;
}

static void test_answers_on_many_lines(void **state)
{
    (void)state;
    struct asked a;
    begin(&a, "[ \"$*\" = 'auth status --json' ] && printf '{\\n  \"loggedIn\": true,\\n  \"email\": "
              "\"x\"\\n}\\n'");
    end(&a);
    assert_int_equal(a.answers, 1);
    assert_true(a.known && a.logged_in);
}

static void test_signed_out_with_exit_code_1(void **state)
{
    (void)state;
    struct asked a;
    begin(&a, "cat; printf '{\"loggedIn\": false}'; exit 1");
    a.again = true;
    end(&a);
    assert_int_equal(a.answers, 2);
    assert_true(a.known && !a.logged_in);
}

static void test_useless_answers(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "exit 1",
        "echo error >&2; echo; exit 1",
        "echo no json",
        "echo '[true]'",
        "printf '{\"loggedIn\": true'",
        "printf '{\"loggedIn\": true, \"x\":\"'; head -c 2000000 /dev/zero | tr '\\0' x; printf '\"}'",
        "printf '{\"loggedIn\": true, \"x\":[\\n'; yes 1,",
    };
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        struct asked a;
        begin(&a, bodies[i]);
        a.free_it = true;
        assert_true(end(&a) < AUTH_PROBE_TIMEOUT_MS);
        assert_int_equal(a.answers, 1);
        assert_false(a.known);
    }
}

static void test_no_cli(void **state)
{
    (void)state;
    struct asked a;
    begin(&a, "exit 0");
    auth_probe_cancel(a.probe);
    struct cli_spawn spawn = fake_spawn("none", NULL);
    assert_true(auth_probe_run(a.probe, &spawn, on_status, &a));
    end(&a);
    assert_int_equal(a.answers, 2); /* one is the cancelled run's */
    assert_false(a.known);
}

static void test_a_run_takes_five_seconds_at_most(void **state)
{
    (void)state;
    struct asked a;
    unlink(fake_path("child"));
    begin(&a,
          "trap '' TERM; sleep 300 & echo $! > child; printf '{\"loggedIn\":true}'; sleep 300; sleep 300");
    uint64_t took = end(&a);
    assert_in_range(took, 4900, 7500);
    assert_int_equal(a.answers, 1);
    assert_false(a.known);
    assert_true(fake_gone(fake_number("child")));
}

static void cancel(uv_timer_t *timer)
{
    struct asked *a = timer->data;
    uv_close((uv_handle_t *)timer, NULL);
    auth_probe_cancel(a->probe);
    auth_probe_cancel(a->probe);
    assert_false(auth_probe_running(a->probe));
}

static void test_cancel_does_not_wait(void **state)
{
    (void)state;
    struct asked a;
    begin(&a, "trap '' TERM; while :; do sleep 300; done");
    a.timer.data = &a;
    uv_timer_init(&a.loop, &a.timer);
    uv_timer_start(&a.timer, cancel, 100, 0);
    assert_true(end(&a) < 2000);
    assert_int_equal(a.answers, 1);
    assert_false(a.known);
}

#define T(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_answers_on_many_lines), T(test_signed_out_with_exit_code_1),
        T(test_useless_answers),       T(test_no_cli),
        T(test_cancel_does_not_wait),  T(test_a_run_takes_five_seconds_at_most),
    };
    return cmocka_run_group_tests_name("cli_auth_probe", tests, fake_setup, fake_teardown);
}
