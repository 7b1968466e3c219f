/* The queue of option changes, with a CLI that answers when the test says so. */
#include "options/option_queue.h"
#include "session_fixture.h"

static struct world {
    struct option_queue q;
    struct session_options *o;
    bool no_cli, replacing, gone;
    int refs, idle, started, tuned;
    int code_of_tuning;
    unsigned effects, asked, limit_ms;
    char request[400]; /* the last one */
    control_answer_cb *cb;
    void *cb_user;
    char answers[200]; /* of the client's requests, by their numbers */
} w;

/* ---- Stand-ins ---- */

uint64_t cli_control_request(struct cli_control *c, const char *subtype, str members, unsigned timeout_ms,
                             control_answer_cb *cb, void *user)
{
    assert_ptr_equal(c, &w);
    assert_null(w.cb); /* one at a time */
    (void)snprintf(w.request, sizeof(w.request), "%s %.*s", subtype, STR_ARG(members));
    w.limit_ms = timeout_ms;
    w.cb = cb;
    w.cb_user = user;
    return ++w.asked;
}

static uint64_t now_ms;

uint64_t uv_now(const uv_loop_t *loop)
{
    (void)loop;
    return now_ms;
}

static struct session_options *options(const void *user)
{
    assert_ptr_equal(user, &w);
    return w.gone ? NULL : w.o;
}

static struct cli_control *cli(const void *user)
{
    assert_ptr_equal(user, &w);
    return w.no_cli ? NULL : (struct cli_control *)(void *)&w;
}

static bool replacing(const void *user)
{
    (void)user;
    return w.replacing;
}

static unsigned time_left(const void *user)
{
    (void)user;
    return 7;
}

static void keep(void *user)
{
    (void)user;
    w.refs++;
}

static void drop(void *user)
{
    (void)user;
    assert_true(w.refs-- > 0);
}

static void started(void *user, const struct options_change *c)
{
    (void)user;
    assert_int_equal(c->code, 0);
    w.started++;
}

static void tuned(void *user, const struct options_change *c)
{
    (void)user;
    w.tuned++;
    w.code_of_tuning = c->code;
    if (c->code) {
        assert_str(c->error, "it is late");
    }
}

static void changed(void *user, unsigned effects)
{
    (void)user;
    w.effects |= effects;
}

static void idle(void *user)
{
    (void)user;
    w.idle++;
}

static const struct option_queue_host host = {
    .options = options,
    .cli = cli,
    .replacing = replacing,
    .time_left = time_left,
    .keep = keep,
    .drop = drop,
    .started = started,
    .tuned = tuned,
    .changed = changed,
    .idle = idle,
};

/* ---- What happens ---- */

static struct settings *settings;
static struct json_doc *initialize;
static struct session_params params;
static struct client_capabilities client = {.protocol_version = 1};
static struct launch launch = {.mode = MODE_DEFAULT, .bypass = true};

static void answer(const struct control_error *error)
{
    control_answer_cb *cb = w.cb;
    assert_non_null(cb);
    w.cb = NULL;
    cb(w.cb_user, error, JSON_NONE);
}

/* The CLI takes everything that it is asked. */
static void take_all(void)
{
    while (w.cb) {
        answer(NULL);
    }
}

static void done(void *user, const struct session_error *error)
{
    size_t n = strlen(w.answers);
    (void)snprintf(w.answers + n, sizeof(w.answers) - n, "%s%d ", (const char *)user,
                   error ? error->code : 0);
}

static void set_mode(const char *mode, char *name)
{
    option_queue_set_mode(&w.q, str_of(mode), done, name);
}

static int setup(void **state)
{
    static const char *const env[] = {NULL};
    AUTO_BUF(b);
    (void)state;
    w = (struct world){.q = {.host = &host, .user = &w, .late = STR("it is late")}};
    list_init(&w.q.changes);
    now_ms = 1000;
    settings = settings_of("{}");
    buf_printf(&b, "{\"models\":%s}", cli_models);
    initialize = parse_or_fail(buf_c(&b));
    struct options_change *first = option_queue_start(&w.q);
    assert_non_null(first);
    w.o = session_options_new(&(struct session_options_setup){.client = &client,
                                                              .settings = settings,
                                                              .launch = &launch,
                                                              .params = &params,
                                                              .initialize = json_root(initialize),
                                                              .env = env},
                              first);
    assert_non_null(w.o);
    option_queue_run(&w.q);
    take_all();
    assert_int_equal(w.started, 1);
    assert_int_equal(w.idle, 1);
    w.idle = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_null(w.cb);
    assert_true(list_empty(&w.q.changes));
    assert_int_equal(w.refs, 0);
    session_options_free(w.o);
    json_unref(initialize);
    settings_free(settings);
    return 0;
}

static void test_changes_run_one_after_the_other(void **state)
{
    (void)state;
    static char a[] = "a", b[] = "b";
    set_mode("plan", a);
    set_mode("acceptEdits", b);
    assert_non_null(strstr(w.request, "plan"));
    assert_string_equal(w.answers, "");
    answer(NULL);
    assert_string_equal(w.answers, "a0 ");
    assert_non_null(strstr(w.request, "acceptEdits"));
    answer(NULL);
    assert_string_equal(w.answers, "a0 b0 ");
    assert_int_equal(session_options_mode(w.o), MODE_ACCEPT_EDITS);
    assert_true(w.effects & OPTIONS_LIST);
    assert_int_equal(w.idle, 2);
}

static void test_a_refusal_changes_nothing_and_the_next_goes_on(void **state)
{
    (void)state;
    static char a[] = "a", b[] = "b";
    set_mode("plan", a);
    set_mode("acceptEdits", b);
    answer(&(struct control_error){CONTROL_REFUSED, "no"});
    take_all();
    assert_non_null(strstr(w.answers, "a-"));
    assert_non_null(strstr(w.answers, "b0 "));
    assert_int_equal(session_options_mode(w.o), MODE_ACCEPT_EDITS);
}

static void test_without_a_cli_a_change_fails(void **state)
{
    (void)state;
    static char a[] = "a";
    w.no_cli = true;
    set_mode("plan", a);
    assert_non_null(strstr(w.answers, "a-"));
    assert_int_equal(session_options_mode(w.o), MODE_DEFAULT);
    assert_int_equal(w.asked, 0);
}

static void test_what_has_not_begun_waits_for_the_new_process(void **state)
{
    (void)state;
    static char a[] = "a";
    w.replacing = true;
    set_mode("plan", a);
    assert_int_equal(w.asked, 0);
    struct options_change *c = option_queue_tune(&w.q);
    assert_non_null(c);
    option_queue_run(&w.q); /* the tuning is first, and asks for nothing here */
    assert_int_equal(w.tuned, 1);
    assert_int_equal(w.asked, 0);
    w.replacing = false;
    option_queue_run(&w.q);
    assert_non_null(strstr(w.request, "plan"));
    take_all();
    assert_string_equal(w.answers, "a0 ");
}

static void test_a_new_process_that_is_late_is_told_so(void **state)
{
    (void)state;
    struct options_change *c = option_queue_tune(&w.q);
    assert_non_null(c);
    session_options_set_mode(w.o, c, STR("plan"));
    option_queue_run(&w.q);
    assert_int_equal(w.limit_ms, 7);
    answer(&control_timed_out);
    assert_int_equal(w.tuned, 1);
    assert_int_equal(w.code_of_tuning, -32603);
    c = option_queue_tune(&w.q);
    assert_non_null(c);
    option_queue_drop_tuning(&w.q);
}

static void test_a_change_that_is_owed_an_answer_is_stuck(void **state)
{
    (void)state;
    static char a[] = "a";
    assert_false(option_queue_is_stuck(&w.q, 0));
    set_mode("plan", a);
    now_ms += 49;
    assert_false(option_queue_is_stuck(&w.q, 50));
    now_ms += 1;
    assert_true(option_queue_is_stuck(&w.q, 50));
    take_all();
    assert_false(option_queue_is_stuck(&w.q, 0));
}

static void test_all_are_answered_when_the_session_goes(void **state)
{
    (void)state;
    static char a[] = "a", b[] = "b";
    static const struct session_error gone = {.code = -5};
    set_mode("plan", a);
    set_mode("acceptEdits", b);
    w.gone = true;
    option_queue_drop(&w.q, &gone);
    assert_string_equal(w.answers, "a-5 b-5 ");
    answer(NULL); /* frees the one that was under way, and tells nobody */
    assert_string_equal(w.answers, "a-5 b-5 ");
}

static void test_a_switch_by_the_cli_is_followed(void **state)
{
    (void)state;
    option_queue_model_switched(&w.q, STR("sonnet"));
    take_all();
    assert_str(session_options_model(w.o), "sonnet");
    assert_true(w.effects & OPTIONS_MODEL);
    assert_string_equal(w.answers, "");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_changes_run_one_after_the_other),
        TEST(test_a_refusal_changes_nothing_and_the_next_goes_on),
        TEST(test_without_a_cli_a_change_fails),
        TEST(test_what_has_not_begun_waits_for_the_new_process),
        TEST(test_a_new_process_that_is_late_is_told_so),
        TEST(test_a_change_that_is_owed_an_answer_is_stuck),
        TEST(test_all_are_answered_when_the_session_goes),
        TEST(test_a_switch_by_the_cli_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
