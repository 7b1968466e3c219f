/* Settings files that the CLI ignores, with whole sessions and a script in place of the CLI.
 *
 * The script answers get_settings with the file `faults`, or refuses it when there is none. All control
 * requests are in `requests`. */
#include "agent_fixture.h"

static const char script[] =
    "cd \"${0%/*}\"\n"
    "[ $1 = auth ] && exit\n"
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "say() { printf "
    "'{\"type\":\"control_response\",\"response\":{\"subtype\":\"%s\",\"request_id\":\"%s\",%s}}\\n'"
    " \"$1\" \"$(id_of \"$line\" request_id)\" \"$2\"; }\n"
    "while IFS= read -r line; do case $line in\n"
    "*'\"subtype\":\"get_settings\"'*)\n"
    "  printf '%s\\n' \"$line\" >> requests\n"
    "  if [ -e faults ]; then say success \"\\\"response\\\":$(cat faults)\"; else say error "
    "'\"error\":\"what?\"'; "
    "fi;;\n"
    "*'\"type\":\"control_request\"'*)\n"
    "  printf '%s\\n' \"$line\" | cut -c1-200 | tr -d '\\n' >> requests\n"
    "  say success '\"response\":{\"models\":[],\"commands\":[],\"agents\":[]}';;\n"
    "*'\"type\":\"user\"'*)\n"
    "  uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "$uuid\n"
    "  printf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,"
    "\"result\":\"done\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2},"
    "\"user_message_uuids\":[\"%s\"]}\\n' $uuid\n"
    "  printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"}\\n';; esac; "
    "done\n";

struct bench {
    struct agent_bench base;
    struct session *s;
    unsigned prompts;
    char mode[32];   /* that the client is shown first */
    struct buf told; /* each warning and a `;` */
    void (*client)(struct client_capabilities *c);
};

static void on_text(void *self, str session, enum message_role role, str message_id, str text, str meta)
{
    struct bench *b = self;
    (void)session, (void)role, (void)message_id, (void)meta;
    if (str_starts(text, STR("**"))) {
        buf_put_str(&b->told, text);
        buf_put_byte(&b->told, ';');
    }
}

static void on_notice(void *self, str session, const char *severity, str title, str description)
{
    struct bench *b = self;
    (void)session;
    buf_printf(&b->told, "%s|%.*s|%.*s;", severity, STR_ARG(title), STR_ARG(description));
}

static void on_info(void *self, str session, str members)
{
    struct bench *b = self;
    (void)session;
    if (str_has(members, STR("sessionFailure"))) {
        buf_put_str(&b->told, members);
        buf_put_byte(&b->told, ';');
    }
}

static void on_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static void on_ended(void *user, const struct turn_end *end);
static const struct turn_observer observer = {on_inserted, on_ended};

static void on_ended(void *user, const struct turn_end *end)
{
    struct bench *b = user;
    (void)end;
    if (++b->prompts == 1) {
        bench_prompt(b->s, "again", &observer, b);
    } else {
        agent_close(&b->base.a);
    }
}

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    AUTO_BUF(modes);
    assert_null(error);
    b->s = s;
    assert_int_equal(b->told.n, 0); /* nothing before a prompt */
    session_put_modes(s, &modes);
    AUTO_JSON(doc) = json_parse(buf_str(&modes), NULL);
    str mode = json_str(json_get(json_root(doc), "currentModeId"));
    (void)snprintf(b->mode, sizeof b->mode, "%.*s", STR_ARG(mode));
    bench_prompt(s, "one", &observer, b);
}

/* Two prompts in one session, with these settings of the user. */
static void run(struct bench *b, const char *settings, const char *faults)
{
    struct surface face = silent_surface();
    face.text = on_text;
    face.notice = on_notice;
    face.info = on_info;
    fake_file("settings.json", settings, 0644);
    if (faults) {
        AUTO_BUF(text);
        for (const char *c = faults; *c; c++) {
            if (*c == '@') {
                buf_printf(&text, "%s/settings.json", fake_folder);
            } else {
                buf_put_byte(&text, *c);
            }
        }
        fake_file("faults", buf_c(&text), 0644);
    }
    bench_open(&b->base, script, &face, b);
    b->base.dirs.claude_config = fake_folder;
    if (b->client) {
        b->client(&b->base.a.host.client);
    }
    bench_session(&b->base, on_ready, b);
    bench_run(&b->base);
}

static const char plan[] = "{\"permissions\":{\"defaultMode\":\"plan\"},\"cleanupPeriodDays\":\"x\"}";

static void test_what_the_cli_ignores_is_taken_back(void **state)
{
    struct bench b = {.prompts = 0};
    (void)state;
    run(&b, plan,
        "{\"errors\":[{\"file\":\"@\",\"path\":\"cleanupPeriodDays\",\"message\":\"not\\na number\"},"
        "{\"file\":\"@\",\"path\":\"x\",\"message\":\"y\"},{\"path\":\"no file\"},7]}");
    assert_string_equal(b.mode, "default");
    expect_in("requests", "\"subtype\":\"get_settings\"");
    str told = buf_str(&b.told);
    assert_true(str_starts(told, STR("**Settings ignored:** ")));
    assert_true(str_has(told, STR("/settings.json does not count")));
    assert_true(str_has(told, STR("(cleanupPeriodDays: not a number; x: y)")));
    assert_int_equal(str_find(told, STR("Settings ignored"), 30), SIZE_MAX); /* once */
    buf_free(&b.told);
}

static void test_valid_settings_stay(void **state)
{
    struct bench b = {.prompts = 0};
    (void)state;
    run(&b, plan, "{\"effective\":{}}");
    assert_string_equal(b.mode, "plan");
    assert_int_equal(b.told.n, 0);
}

static void test_a_cli_that_does_not_know_the_question(void **state)
{
    struct bench b = {.prompts = 0};
    (void)state;
    run(&b, "{\"permissions\":{\"defaultMode\":\"Plan\"}}", NULL);
    assert_string_equal(b.mode, "default");
    assert_true(str_has(buf_str(&b.told), STR("(permissions.defaultMode: one of default, ")));
    buf_free(&b.told);
}

static void test_nothing_is_asked_without_settings(void **state)
{
    struct bench b = {.prompts = 0};
    (void)state;
    run(&b, "{}", "{\"errors\":[{\"file\":\"@\",\"path\":\"x\",\"message\":\"y\"}]}");
    assert_int_equal(b.told.n, 0);
    assert_false(str_has(str_of(fake_line(fake_path("requests"))), STR("get_settings")));
}

static void with_notices(struct client_capabilities *c)
{
    c->session_notices = true;
}

static void with_records(struct client_capabilities *c)
{
    c->air = c->air_session_failure = true;
}

static void test_the_form_of_the_client(void **state)
{
    static const char faults[] = "{\"errors\":[{\"file\":\"@\",\"path\":\"a.b\",\"message\":\"no\"}]}";
    struct bench notices = {.client = with_notices}, records = {.client = with_records};
    (void)state;
    run(&notices, plan, faults);
    assert_true(str_starts(buf_str(&notices.told), STR("warning|Settings ignored|/")));
    assert_true(str_has(buf_str(&notices.told), STR("(a.b: no)")));
    buf_free(&notices.told);
    run(&records, plan, faults);
    str record = buf_str(&records.told);
    assert_true(str_has(record, STR("\"severity\":\"warning\"")));
    assert_true(str_has(record, STR("Settings ignored: settings.json does not count")));
    assert_true(str_has(record, STR("(a.b: no)")));
    assert_false(str_has(record, str_of(fake_folder))); /* a record holds no private path */
    buf_free(&records.told);
}

static void test_faults_are_bounded(void **state)
{
    struct bench b = {.prompts = 0};
    AUTO_BUF(faults);
    (void)state;
    buf_put_c(&faults, "{\"errors\":[");
    for (int i = 0; i < 200; i++) {
        buf_printf(&faults, "%s{\"file\":\"@\",\"path\":\"k%d\",\"message\":\"", i ? "," : "", i);
        buf_put_fill(&faults, 'm', 400);
        buf_put_c(&faults, "\"}");
    }
    buf_put_c(&faults, "]}");
    run(&b, plan, buf_c(&faults));
    assert_true(str_has(buf_str(&b.told), STR("; and 59 more)")));
    assert_in_range(b.told.n, 1000, 2500);
    buf_free(&b.told);
}

#define FAULTS_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULTS_TEST(test_what_the_cli_ignores_is_taken_back),
        FAULTS_TEST(test_valid_settings_stay),
        FAULTS_TEST(test_a_cli_that_does_not_know_the_question),
        FAULTS_TEST(test_nothing_is_asked_without_settings),
        FAULTS_TEST(test_the_form_of_the_client),
        FAULTS_TEST(test_faults_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
