/* How a session starts, with a whole session and a script in place of the CLI: what opens it, and what the
 * client is told when it cannot be opened. */
#include "agent_fixture.h"

#define CONVERSATION "0b5e3c1a-7d42-4f7e-9a61-2f0d8c4b9e11"

/* Serves whatever is asked, and keeps its arguments. */
static const char serving[] =
    "cd \"${0%/*}\"\n"
    "n=$(($(cat starts 2>/dev/null || echo 0) + 1)); echo $n > starts; echo \"$*\" > args\n"
    "while IFS= read -r line; do\n"
    "  id=$(printf '%s' \"$line\" | sed -n 's/.*\"request_id\":\"\\([^\"]*\\)\".*/\\1/p')\n"
    "  printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":{\"models\":[],\"commands\":[],\"agents\":[]}}}\\n' \"$id\"\n"
    "done\n";

/* Refuses to be initialized, but stays. */
static const char refusing[] =
    "while IFS= read -r line; do\n"
    "  id=$(printf '%s' \"$line\" | sed -n 's/.*\"request_id\":\"\\([^\"]*\\)\".*/\\1/p')\n"
    "  printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_id\":\"%s\","
    "\"error\":\"not today\"}}\\n' \"$id\"\n"
    "done\n";

static const char unknown[] = "echo 'No conversation found with session ID: " CONVERSATION "' >&2; exit 1\n";

struct bench {
    struct agent_bench base;
    struct session_params params;
    const char *cli; /* in place of the script */
    bool resumes, closes_early;
    unsigned times;
    bool opened, serves, ended;
    enum mode mode;
    char id[UUID_LENGTH + 1];
    int code;
    char message[256], details[512], data[256];
};

static void keep(char *to, size_t size, str text)
{
    (void)snprintf(to, size, "%.*s", STR_ARG(text.p ? text : STR("")));
}

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    b->times++;
    assert_true(!s != !error);
    if (error) {
        b->code = error->code;
        keep(b->message, sizeof(b->message), error->message);
        keep(b->details, sizeof(b->details), error->details);
        keep(b->data, sizeof(b->data), error->data);
    } else {
        b->opened = true;
        b->serves = session_serves(s);
        b->ended = session_ended(s);
        b->mode = session_mode(s);
        keep(b->id, sizeof(b->id), session_id(s));
    }
    agent_close(&b->base.a);
}

static void run(struct bench *b, const char *script)
{
    static const struct session_past past = {.id = {CONVERSATION, UUID_LENGTH},
                                             .conversation = {CONVERSATION, UUID_LENGTH},
                                             .mode = MODE_NONE,
                                             .picks = {CONVERSATION, UUID_LENGTH}};
    struct surface face = silent_surface();
    bench_open(&b->base, script, &face, b);
    if (b->cli) {
        assert_int_equal(setenv("CLAUDE_CODE_EXECUTABLE", b->cli, 1), 0);
    }
    if (!b->params.cwd.p) {
        b->params.cwd = str_of(fake_folder);
    }
    struct session *s = b->resumes
                            ? session_resume(&b->base.a.host, &b->params, b->base.params, &past, on_ready, b)
                            : session_new(&b->base.a.host, &b->params, b->base.params, on_ready, b);
    assert_non_null(s);
    assert_int_equal(b->times, 0); /* never before the caller has the session */
    assert_int_equal(session_mode(s), MODE_NONE);
    assert_false(session_serves(s));
    if (b->closes_early) {
        session_close(s, NULL, NULL);
    }
    bench_run(&b->base);
    assert_int_equal(b->times, 1);
}

static void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("no \"%s\" in \"%s\"", part, text);
    }
}

/* ---- What opens ---- */

static void test_it_opens_once(void **state)
{
    struct bench b = {.times = 0};
    (void)state;
    run(&b, serving);
    assert_true(b.opened && b.serves);
    assert_false(b.ended);
    assert_int_not_equal(b.mode, MODE_NONE);
    assert_int_equal(bench_starts(), 1);
    expect_in("args", "--session-id");
    expect_in("args", b.id);
}

static void test_it_resumes(void **state)
{
    struct bench b = {.resumes = true};
    (void)state;
    run(&b, serving);
    assert_true(b.opened && b.serves);
    assert_string_equal(b.id, CONVERSATION);
    expect_in("args", "--resume");
    expect_in("args", CONVERSATION);
}

/* ---- The folder ---- */

static void expect_refused_folder(const struct bench *b, const char *why)
{
    assert_int_equal(b->code, -32602);
    expect_text(b->message, "cwd");
    expect_text(b->message, why);
    AUTO_JSON(data) = parse_or_fail(b->data);
    assert_true(str_eq(json_str(json_get(json_root(data), "cwd")), b->params.cwd));
    assert_int_equal(bench_starts(), 0);
}

static void test_no_folder(void **state)
{
    struct bench b = {.params.cwd = str_of(fake_path("nowhere"))};
    (void)state;
    run(&b, serving);
    expect_refused_folder(&b, "does not exist");
}

static void test_a_file_for_a_folder(void **state)
{
    struct bench b = {.params.cwd = str_of(fake_file("note", "", 0644))};
    (void)state;
    run(&b, serving);
    expect_refused_folder(&b, "is not a folder");
}

/* ---- The CLI ---- */

static void test_no_cli(void **state)
{
    struct bench b = {.cli = fake_path("gone")};
    (void)state;
    run(&b, serving);
    assert_int_equal(b.code, -32603);
    expect_text(b.details, b.cli);
}

/* The name was looked for before anything was started; it says where more is to be learned. */
static void test_no_cli_of_that_name(void **state)
{
    struct bench b = {.cli = "claude-of-no-such-name"};
    (void)state;
    run(&b, serving);
    assert_int_equal(b.code, -32603);
    expect_text(b.details, "claude-of-no-such-name");
    expect_text(b.details, "herald doctor");
}

static void test_it_exits_at_once(void **state)
{
    struct bench b = {.times = 0};
    (void)state;
    run(&b, "echo 'the licence has run out' >&2; exit 7\n");
    assert_int_equal(b.code, -32603);
    expect_text(b.details, "code 7");
    expect_text(b.details, "the licence has run out");
}

static void test_it_refuses(void **state)
{
    struct bench b = {.times = 0};
    (void)state;
    run(&b, refusing);
    assert_int_equal(b.code, -32603);
    expect_text(b.details, "not today");
}

/* ---- A stored conversation ---- */

static void expect_not_found(const struct bench *b)
{
    assert_int_equal(b->code, -32002);
    expect_text(b->message, CONVERSATION);
    AUTO_JSON(data) = parse_or_fail(b->data);
    assert_true(str_is(json_str(json_get(json_root(data), "uri")), CONVERSATION));
}

static void test_unknown_conversation(void **state)
{
    struct bench b = {.resumes = true};
    (void)state;
    run(&b, unknown);
    expect_not_found(&b);
}

static void test_it_goes_without_a_word(void **state)
{
    struct bench b = {.resumes = true};
    (void)state;
    run(&b, "exit 0\n");
    expect_not_found(&b);
}

/* Only a resumed conversation can be unknown, and not everything that ends the CLI makes it so. */
static void test_other_ends_are_failures(void **state)
{
    struct bench fresh = {.times = 0}, resumed = {.resumes = true};
    (void)state;
    run(&fresh, unknown);
    assert_int_equal(fresh.code, -32603);
    run(&resumed, "echo 'no more memory' >&2; exit 1\n");
    assert_int_equal(resumed.code, -32603);
    expect_text(resumed.details, "no more memory");
}

/* ---- A close in between ---- */

static void test_close_before_it_starts(void **state)
{
    struct bench b = {.closes_early = true};
    (void)state;
    run(&b, serving);
    assert_false(b.opened);
    assert_int_not_equal(b.code, 0);
    assert_int_equal(bench_starts(), 0);
}

#define START_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        START_TEST(test_it_opens_once),
        START_TEST(test_it_resumes),
        START_TEST(test_no_folder),
        START_TEST(test_a_file_for_a_folder),
        START_TEST(test_no_cli),
        START_TEST(test_no_cli_of_that_name),
        START_TEST(test_it_exits_at_once),
        START_TEST(test_it_refuses),
        START_TEST(test_unknown_conversation),
        START_TEST(test_it_goes_without_a_word),
        START_TEST(test_other_ends_are_failures),
        START_TEST(test_close_before_it_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
