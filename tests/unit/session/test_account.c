/* Who is signed in, with whole sessions and a script in place of the CLI: what a probe makes of the client's
 * status, and of the sessions under --hide-claude-auth.
 *
 * The script answers `auth status` with the file `status`, tells the account in the file `account` at its
 * start, and counts its starts in `starts`. Prompts are in `user-N`. */
#include "agent_fixture.h"

static const char script[] =
    "cd \"${0%/*}\"\n"
    "[ $1 = auth ] && { pwd > where; echo \"$KEY\" > key; cat status; exit; }\n"
    "n=$(($(cat starts 2>/dev/null || echo 0) + 1)); echo $n > starts\n"
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "while IFS= read -r line; do case $line in\n"
    "*'\"type\":\"control_request\"'*)\n"
    "  printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":{\"models\":[],\"commands\":[],\"agents\":[],\"account\":%s}}}\\n'"
    " \"$(id_of \"$line\" request_id)\" \"$(cat account)\";;\n"
    "*'\"type\":\"user\"'*)\n"
    "  printf '%s\\n' \"$line\" >> user-$n; uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "$uuid\n"
    "  printf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,"
    "\"result\":\"done\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2},"
    "\"user_message_uuids\":[\"%s\"]}\\n' $uuid\n"
    "  printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"}\\n';; esac; "
    "done\n";

static const char key[] = "{\"apiKeySource\":\"ANTHROPIC_API_KEY\"}";
static const char plan[] = "{\"subscriptionType\":\"max\"}";
static const char helper[] = "{\"apiKeySource\":\"apiKeyHelper\"}";

struct bench {
    struct agent_bench base;
    struct session *s;
    unsigned step;
    int codes[3]; /* of the prompts */
    unsigned prompts;
    char statuses[256]; /* the kinds that were told */
    void (*go_on)(struct bench *b);
};

static void sign_in(const char *account, const char *members)
{
    AUTO_BUF(status);
    buf_printf(&status, "{\"loggedIn\":true,%.*s}", (int)strlen(members) - 2, members + 1);
    fake_file("account", account, 0644);
    fake_file("status", buf_c(&status), 0644);
}

static void on_auth(void *self, str status)
{
    struct bench *b = self;
    AUTO_JSON(doc) = json_parse(status, NULL);
    str label = json_str(json_path(json_root(doc), "authStatus", "label", NULL));
    size_t n = strlen(b->statuses);
    (void)snprintf(b->statuses + n, sizeof(b->statuses) - n, "%.*s;", STR_ARG(label));
    if (b->s) {
        b->go_on(b);
    }
}

static void on_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static void on_ended(void *user, const struct turn_end *end)
{
    struct bench *b = user;
    b->codes[b->prompts++] = end->stop_reason ? 0 : end->code;
    b->go_on(b);
}

static const struct turn_observer observer = {on_inserted, on_ended};

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->s = s;
    b->go_on(b);
}

static void run(struct bench *b)
{
    struct surface face = silent_surface();
    face.auth_status = on_auth;
    bench_open(&b->base, script, &face, b);
    b->base.a.host.hide_claude_auth = true;
    b->base.a.host.client.auth_status = true;
    bench_session(&b->base, on_ready, b);
    bench_run(&b->base);
}

static void probe(struct bench *b)
{
    agent_probe_auth(&b->base.a, b->s);
}

/* ---- --hide-claude-auth ---- */

static void two_accounts(struct bench *b)
{
    struct session_error error;
    AUTO_JSON(blocks) = parse_or_fail("[{\"type\":\"text\",\"text\":\"refused\"}]");
    switch (b->step++) {
    case 0:
        bench_prompt(b->s, "one", &observer, b);
        break;
    case 1:
        sign_in(plan, plan);
        probe(b);
        break;
    case 2: /* the client knows of the subscription */
        bench_prompt(b->s, "two", &observer, b);
        break;
    case 3:
        assert_false(session_prompt(b->s, json_root(blocks), JSON_NONE, &observer, b, &error));
        assert_int_equal(error.code, -32000);
        sign_in(key, key);
        probe(b);
        break;
    case 4:
        bench_prompt(b->s, "three", &observer, b);
        break;
    default:
        agent_close(&b->base.a);
    }
}

static void test_another_account(void **state)
{
    struct bench b = {.go_on = two_accounts};
    (void)state;
    sign_in(key, key);
    run(&b);
    assert_int_equal(b.prompts, 3);
    assert_int_equal(b.codes[0], 0);
    assert_int_equal(b.codes[1], -32000);
    assert_int_equal(b.codes[2], 0);
    assert_int_equal(bench_starts(), 3);
    assert_string_equal(b.statuses, "Anthropic API key;Claude Max;Anthropic API key;");
    assert_false(fake_exists("user-2")); /* nothing was billed to the subscription */
    expect_in("user-3", "three");
}

static void same_account(struct bench *b)
{
    switch (b->step++) {
    case 0:
        bench_prompt(b->s, "one", &observer, b);
        break;
    case 1:
        sign_in(key, "{\"apiKeySource\":\"env\"}"); /* another source of the same kind */
        probe(b);
        break;
    case 2:
        bench_prompt(b->s, "two", &observer, b);
        break;
    default:
        agent_close(&b->base.a);
    }
}

static void test_the_same_kind(void **state)
{
    struct bench b = {.go_on = same_account};
    (void)state;
    sign_in(key, key);
    run(&b);
    assert_int_equal(b.codes[1], 0);
    assert_int_equal(bench_starts(), 1);
}

/* ---- The probe ---- */

static void through_helper(struct bench *b)
{
    if (b->step++ == 0) {
        settings_free(b->s->configured.settings);
        struct settings_place place = {.cwd = str_of(fake_folder), .config_dir = str_of(fake_folder)};
        b->s->configured.settings = settings_load(&place);
        assert_non_null(b->s->configured.settings);
        probe(b);
    } else {
        agent_close(&b->base.a);
    }
}

/* The helper of the session's settings says whose key it is. */
static void test_helper(void **state)
{
    struct bench b = {.go_on = through_helper};
    (void)state;
    fake_file("settings.json", "{\"apiKeyHelper\":\"/opt/central proxy start\"}", 0644);
    sign_in(key, helper);
    run(&b);
    assert_string_equal(b.statuses, "Anthropic API key;JetBrains Air Gateway;");
}

static void with_key(struct bench *b)
{
    if (b->step++ == 0) {
        sign_in(key, "{\"apiKeySource\":\"env\"}");
        agent_probe_auth(&b->base.a, NULL);
        probe(b); /* takes the other's place: it depends on something else */
        probe(b); /* joins it */
    } else {
        agent_close(&b->base.a);
    }
}

/* It runs where the session is, with what its options put into the environment. */
static void test_environment(void **state)
{
    struct bench b = {.go_on = with_key};
    struct surface face = silent_surface();
    AUTO_BUF(params);
    (void)state;
    sign_in(key, key);
    face.auth_status = on_auth;
    bench_open(&b.base, script, &face, &b);
    b.base.a.host.client.auth_status = true;
    json_unref(b.base.params);
    buf_printf(&params, "{\"cwd\":\"%s\",\"_meta\":{\"claudeCode\":{\"options\":{\"env\":{\"KEY\":\"k\"}}}}}",
               fake_folder);
    b.base.params = parse_or_fail(buf_c(&params));
    struct session_params p = {.cwd = str_of(fake_folder),
                               .meta = json_get(json_root(b.base.params), "_meta")};
    assert_non_null(session_new(&b.base.a.host, &p, b.base.params, on_ready, &b));
    bench_run(&b.base);
    expect_in("key", "k");
    expect_in("where", fake_folder);
}

/* ---- A client that cannot use a status ---- */

static void not_told(struct bench *b)
{
    struct agent *a = &b->base.a;
    switch (b->step++) {
    case 0: /* the account of the session was not told */
        assert_string_equal(b->statuses, "");
        probe(b);
        assert_false(auth_probe_running(a->probe));
        a->host.client.air = true; /* it initializes again, as another */
        probe(b);
        assert_true(auth_probe_running(a->probe));
        break;
    default:
        agent_close(a);
    }
}

static void test_who_is_told(void **state)
{
    struct bench b = {.go_on = not_told};
    struct surface face = silent_surface();
    (void)state;
    sign_in(key, key);
    face.auth_status = on_auth;
    bench_open(&b.base, script, &face, &b);
    bench_session(&b.base, on_ready, &b);
    bench_run(&b.base);
    assert_string_equal(b.statuses, "Anthropic API key;");
}

#define ACCOUNT_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ACCOUNT_TEST(test_another_account), ACCOUNT_TEST(test_the_same_kind), ACCOUNT_TEST(test_helper),
        ACCOUNT_TEST(test_environment),     ACCOUNT_TEST(test_who_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
