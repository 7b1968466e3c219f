/* The title of a session at the end of its turns, with whole sessions and a script in place of the CLI.
 *
 * The script answers the n-th question for a title with the payload in the file `title-n`, or with an error
 * when there is none, keeps the questions in `asked-n`, and says `answered` behind each, so that it is known
 * when the answer was taken. */
#include "agent_fixture.h"

static const char script[] =
    "cd \"${0%/*}\"; n=0\n"
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "ok() { printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\","
    "\"request_id\":\"%s\",\"response\":%s}}\\n' \"$1\" \"$2\"; }\n"
    "while IFS= read -r line; do case $line in\n"
    "*'\"subtype\":\"generate_session_title\"'*)\n"
    "  n=$((n + 1)); printf '%s\\n' \"$line\" > asked-$n; id=$(id_of \"$line\" request_id)\n"
    "  if [ -e title-$n ]; then ok $id \"$(cat title-$n)\"; else\n"
    "    printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_id\":\"%s\","
    "\"error\":\"no\"}}\\n' $id; fi\n"
    "  printf '{\"type\":\"system\",\"subtype\":\"informational\",\"content\":\"answered\"}\\n';;\n"
    "*'\"type\":\"control_request\"'*)\n"
    "  ok \"$(id_of \"$line\" request_id)\" '{\"models\":[],\"commands\":[],\"agents\":[]}';;\n"
    "*'\"type\":\"user\"'*)\n"
    "  uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "$uuid\n"
    "  printf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,"
    "\"result\":\"\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2},"
    "\"user_message_uuids\":[\"%s\"]}\\n' $uuid\n"
    "  printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"}\\n';; esac; "
    "done\n";

#define SPOKEN       "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"the first words\"}}\n"
#define NAMED(title) SPOKEN "{\"type\":\"custom-title\",\"customTitle\":\"" title "\"}\n"

struct bench {
    struct agent_bench base;
    struct session *s;
    unsigned told, answered, prompts;
    char titles[512]; /* what the client was told, in order */
    void (*ready)(struct bench *b);
    void (*on_title)(struct bench *b);
    void (*on_answer)(struct bench *b);
};

/* ---- The stored session ---- */

static void store(const struct bench *b, const char *text)
{
    AUTO_BUF(name);
    buf_printf(&name, "projects/-p/%s.jsonl", b->s->conversation);
    fake_file(buf_c(&name), text, 0644);
}

static int setup(void **state)
{
    enum { PATIENCE = 60 }; /* a title that never comes must not keep the tests */
    int failed = fake_setup(state);
    alarm(PATIENCE);
    return failed || mkdir(fake_path("projects"), 0755) || mkdir(fake_path("projects/-p"), 0755);
}

static int teardown(void **state)
{
    DIR *dir = opendir(fake_path("projects/-p"));
    alarm(0);
    for (struct dirent *d; dir && (d = readdir(dir));) {
        unlinkat(dirfd(dir), d->d_name, 0);
    }
    if (dir) {
        closedir(dir);
    }
    (void)rmdir(fake_path("projects/-p"));
    (void)rmdir(fake_path("projects"));
    return fake_teardown(state);
}

/* ---- The client ---- */

static void on_info(void *self, str session, str members)
{
    struct bench *b = self;
    AUTO_BUF(all);
    (void)session;
    buf_printf(&all, "{%.*s}", STR_ARG(members));
    AUTO_JSON(doc) = parse_or_fail(buf_c(&all));
    str title = json_text(json_get(json_root(doc), "title"));
    if (title.p) {
        size_t n = strlen(b->titles);
        (void)snprintf(b->titles + n, sizeof(b->titles) - n, "%.*s;", STR_ARG(title));
        assert_true(json_str(json_get(json_root(doc), "updatedAt")).n > 0);
        b->told++;
        if (b->on_title) {
            b->on_title(b);
        }
    }
}

static void on_text(void *self, str session, enum message_role role, str id, str text, str meta)
{
    struct bench *b = self;
    (void)session, (void)role, (void)id, (void)meta;
    if (str_is(text, "answered")) {
        b->answered++;
        b->on_answer(b);
    }
}

static void on_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static void on_ended(void *user, const struct turn_end *end)
{
    (void)user;
    assert_non_null(end->stop_reason);
}

static const struct turn_observer observer = {on_inserted, on_ended};

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->s = s;
    b->ready(b);
}

static void finish(struct bench *b)
{
    agent_close(&b->base.a);
}

static void run(struct bench *b)
{
    struct surface face = silent_surface();
    face.info = on_info;
    face.text = on_text;
    b->on_answer = b->on_answer ? b->on_answer : finish;
    bench_open(&b->base, script, &face, b);
    b->base.dirs.claude_config = fake_folder;
    bench_session(&b->base, on_ready, b);
    bench_run(&b->base);
}

static void prompt(struct bench *b)
{
    b->prompts++;
    bench_prompt(b->s, "tell me of the sea", &observer, b);
}

/* ---- What is stored ---- */

static void named(struct bench *b)
{
    store(b, NAMED("Of  the sea"));
    prompt(b);
}

static void test_stored_title(void **state)
{
    struct bench b = {.ready = named, .on_title = finish};
    (void)state;
    run(&b);
    assert_string_equal(b.titles, "Of the sea;");
    assert_false(fake_exists("asked-1")); /* there is one */
}

static void named_by_model(struct bench *b)
{
    store(b, SPOKEN "{\"type\":\"ai-title\",\"aiTitle\":\"Waves\"}\n");
    prompt(b);
}

static void test_model_title(void **state)
{
    struct bench b = {.ready = named_by_model, .on_title = finish};
    (void)state;
    run(&b);
    assert_string_equal(b.titles, "Waves;");
    assert_false(fake_exists("asked-1"));
}

/* ---- What the CLI is asked for ---- */

static void test_generated(void **state)
{
    struct bench b = {.ready = prompt};
    (void)state;
    fake_file("title-1", "{\"title\":\"The sea\"}", 0644);
    run(&b);
    assert_string_equal(b.titles, "The sea;");
    expect_in("asked-1", "\"description\":\"tell me of the sea\"");
    expect_in("asked-1", "\"persist\":true");
}

static void prompt_twice(struct bench *b)
{
    if (b->prompts < 2) {
        prompt(b);
    } else {
        finish(b);
    }
}

/* After an answer that is none the first prompt stands in, which is told once, and the next turn asks again.
 */
static void test_no_answer(void **state)
{
    static const char *const payloads[] = {NULL, "{\"title\":\" \"}", "{\"title\":null}", "{\"title\":[1]}",
                                           "{}"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(payloads); i++) {
        struct bench b = {.ready = prompt, .on_answer = prompt_twice};
        if (payloads[i]) {
            fake_file("title-1", payloads[i], 0644);
        }
        fake_file("title-2", "{\"title\":\"The sea\"}", 0644);
        run(&b);
        assert_string_equal(b.titles, "tell me of the sea;The sea;");
        assert_int_equal(b.answered, 2);
    }
}

static void spoken(struct bench *b)
{
    store(b, SPOKEN);
    prompt(b);
}

/* What a list of sessions shows stands in for it. */
static void test_summary_stands_in(void **state)
{
    struct bench b = {.ready = spoken};
    (void)state;
    run(&b);
    assert_string_equal(b.titles, "the first words;");
    assert_int_equal(b.answered, 1);
}

/* ---- Two ends at once ---- */

static void end_two_turns(struct bench *b)
{
    store(b, NAMED("One"));
    session_update_title(b->s);
    session_update_title(b->s); /* while the disk is read for the first */
}

static void rename_or_finish(struct bench *b)
{
    if (b->told == 1) {
        store(b, NAMED("Two"));
    } else {
        finish(b);
    }
}

static void test_looked_at_again(void **state)
{
    struct bench b = {.ready = end_two_turns, .on_title = rename_or_finish};
    (void)state;
    run(&b);
    assert_string_equal(b.titles, "One;Two;");
}

static void close_while_reading(struct bench *b)
{
    store(b, NAMED("One"));
    session_update_title(b->s);
    session_update_title(b->s);
    agent_close(&b->base.a);
}

/* A session that is over has no title any more. */
static void test_closed_meanwhile(void **state)
{
    struct bench b = {.ready = close_while_reading};
    (void)state;
    run(&b);
    assert_string_equal(b.titles, "");
}

#define TITLING_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TITLING_TEST(test_stored_title),      TITLING_TEST(test_model_title),
        TITLING_TEST(test_generated),         TITLING_TEST(test_no_answer),
        TITLING_TEST(test_summary_stands_in), TITLING_TEST(test_looked_at_again),
        TITLING_TEST(test_closed_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
