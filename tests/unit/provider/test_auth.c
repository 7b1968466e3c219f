#include "unit.h"

#include "provider/auth.h"

static void check_methods(const struct client_capabilities *client, bool remote, bool hide, const char *ids)
{
    const str args[] = {STR_INIT("--log"), STR_INIT("debug")};
    struct auth_options o = {client, remote, hide, STR("/opt/herald"), args, 2};
    AUTO_BUF(b);
    AUTO_BUF(got);
    auth_put_methods(&b, &o);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&b));
    for (struct json_iter it = json_each(json_root(doc)); json_next(&it);) {
        buf_put_str(&got, json_str(json_get(it.value, "id")));
        buf_put_c(&got, " ");
        assert_true(json_text(json_get(it.value, "description")).p != NULL);
    }
    assert_str(buf_str(&got), ids);
}

static void test_which_methods(void **state)
{
    (void)state;
    struct client_capabilities none = {0}, terminal = {.auth_terminal = true},
                               meta = {.terminal_auth_meta = true},
                               all = {.auth_terminal = true, .auth_gateway = true};
    check_methods(&none, false, false, "");
    check_methods(&terminal, false, false, "claude-ai-login console-login ");
    check_methods(&meta, false, true, "console-login ");
    check_methods(&meta, true, false, "claude-login ");
    check_methods(&all, true, true, "gateway gateway-bedrock ");
    check_methods(&all, false, false, "claude-ai-login console-login gateway gateway-bedrock ");
}

static void test_method_shapes(void **state)
{
    (void)state;
    struct client_capabilities client = {.terminal_auth_meta = true, .auth_gateway = true};
    const str args[] = {STR_INIT("--log"), STR_INIT("debug")};
    struct auth_options o = {&client, false, true, STR("/opt/herald"), args, 2};
    AUTO_BUF(b);
    auth_put_methods(&b, &o);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&b));
    json console = json_nth(json_root(doc), 0);
    assert_str(json_str(json_get(console, "name")), "Anthropic Console");
    assert_str(json_str(json_get(console, "type")), "terminal");
    assert_str(json_raw(json_get(console, "args")), "[\"--cli\",\"auth\",\"login\",\"--console\"]");
    assert_str(
        json_raw(json_get(console, "_meta")),
        "{\"terminal-auth\":{\"command\":\"/opt/herald\",\"args\":[\"--log\",\"debug\",\"--cli\",\"auth\","
        "\"login\",\"--console\"],\"label\":\"Anthropic Console Login\"}}");
    json bedrock = json_nth(json_root(doc), 2);
    assert_str(json_str(json_get(bedrock, "name")), "Custom model gateway");
    assert_str(json_raw(json_get(bedrock, "_meta")), "{\"gateway\":{\"protocol\":\"bedrock\"}}");
    assert_false(json_present(json_get(bedrock, "type")));

    client = (struct client_capabilities){.auth_terminal = true};
    buf_clear(&b);
    auth_put_methods(&b, &o);
    assert_false(str_has(buf_str(&b), STR("_meta")));
}

static void test_remote_environment(void **state)
{
    (void)state;
    char path[] = "PATH=/bin", empty[] = "SSH_TTY=", browser[] = "NO_BROWSER=1", near[] = "SSH_TTYX=1";
    char *local[] = {path, empty, near, NULL}, *remote[] = {path, browser, NULL};
    assert_false(auth_environment_is_remote(local));
    assert_true(auth_environment_is_remote(remote));
    assert_false(auth_environment_is_remote(NULL));
}

static void check_status(const struct auth_status *s, const char *expected)
{
    AUTO_BUF(b);
    auth_put_status(&b, s);
    AUTO_BUF(whole);
    buf_printf(&whole, "{\"authStatus\":%s}", expected);
    assert_str(buf_str(&b), buf_c(&whole));
}

static const char *const helper = "/x/Central-cli PROXY START --y";

static void check_probe(const char *probe, const char *expected)
{
    AUTO_JSON(doc) = parse_or_fail(probe);
    AUTO_AUTH_STATUS(s);
    assert_int_equal(auth_status_from_probe(&s, json_root(doc), str_of(helper)), expected != NULL);
    if (expected) {
        check_status(&s, expected);
    }
}

static void check_account(const char *account, const char *key_helper, const char *expected)
{
    AUTO_JSON(doc) = parse_or_fail(account);
    AUTO_AUTH_STATUS(s);
    assert_int_equal(auth_status_from_account(&s, json_root(doc), str_of(key_helper)), expected != NULL);
    if (expected) {
        check_status(&s, expected);
    }
}

#define NOBODY "{\"kind\":\"none\",\"label\":\"Not logged in\"}"

static void test_probe(void **state)
{
    (void)state;
    check_probe("{\"loggedIn\":true,\"authMethod\":\"api_key\",\"apiProvider\":\"firstParty\","
                "\"apiKeySource\":\"ANTHROPIC_API_KEY\"}",
                "{\"kind\":\"api_key\",\"label\":\"Anthropic API key\",\"detail\":\"ANTHROPIC_API_KEY\"}");
    check_probe("{\"loggedIn\":false}", NOBODY);
    check_probe("{\"loggedIn\":true,\"apiProvider\":\"firstParty\"}", NOBODY);
    check_probe("{\"loggedIn\":false,\"subscriptionType\":\"max\"}", NOBODY);
    check_probe("{\"loggedIn\":true,\"subscriptionType\":\"\",\"apiKeySource\":\"\"}", NOBODY);
    check_probe("{\"loggedIn\":false,\"apiKeySource\":\"foo\"}",
                "{\"kind\":\"api_key\",\"label\":\"Anthropic API key\"}");
    check_probe("{\"loggedIn\":true,\"apiKeySource\":\"apiKeyHelper\"}",
                "{\"kind\":\"gateway\",\"label\":\"JetBrains Air Gateway\"}");
    check_probe("{\"loggedIn\":false,\"apiProvider\":\"bedrock\"}",
                "{\"kind\":\"external\",\"label\":\"AWS Bedrock\"}");
    check_probe("{\"loggedIn\":true,\"apiProvider\":\"weird\"}",
                "{\"kind\":\"external\",\"label\":\"weird\"}");
    check_probe("{\"loggedIn\":true,\"apiProvider\":\"gateway\"}",
                "{\"kind\":\"gateway\",\"label\":\"Custom model gateway\"}");
    check_probe(
        "{\"loggedIn\":true,\"subscriptionType\":\"max\",\"email\":\"a@b\",\"orgName\":\"O\"}",
        "{\"kind\":\"account\",\"label\":\"Claude Max\",\"account\":{\"plan\":\"max\",\"email\":\"a@b\","
        "\"organization\":\"O\"}}");
    check_probe("{\"loggedIn\":true,\"subscriptionType\":\"Claude max\",\"email\":7}",
                "{\"kind\":\"account\",\"label\":\"Claude Max\",\"account\":{\"plan\":\"Claude max\"}}");
    check_probe("{\"loggedIn\":true,\"subscriptionType\":\"claudette\"}",
                "{\"kind\":\"account\",\"label\":\"Claude Claudette\",\"account\":{\"plan\":\"claudette\"}}");
    check_probe("{\"loggedIn\":true,\"subscriptionType\":\"team-plan foo_bar\"}",
                "{\"kind\":\"account\",\"label\":\"Claude Team-plan Foo_bar\",\"account\":{\"plan\":"
                "\"team-plan foo_bar\"}}");
    const char *odd[] = {"null", "[]", "{}", "\"x\"", "{\"loggedIn\":\"true\"}", "{\"loggedIn\":1}"};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        check_probe(odd[i], NULL);
    }
}

static void test_account(void **state)
{
    (void)state;
    check_account("{\"apiKeySource\":\"apiKeyHelper\"}", "my-helper",
                  "{\"kind\":\"api_key\",\"label\":\"Anthropic API key\",\"detail\":\"API key helper\"}");
    check_account("{\"apiKeySource\":\"apiKeyHelper\"}", NULL,
                  "{\"kind\":\"api_key\",\"label\":\"Anthropic API key\",\"detail\":\"API key helper\"}");
    check_account("{\"subscriptionType\":\"pro\",\"organization\":\"O\"}", NULL,
                  "{\"kind\":\"account\",\"label\":\"Claude Pro\",\"account\":{\"plan\":\"pro\","
                  "\"organization\":\"O\"}}");
    check_account("{\"apiProvider\":\"mantle\",\"subscriptionType\":\"pro\"}", NULL,
                  "{\"kind\":\"external\",\"label\":\"Mantle\"}");
    check_account("{\"tokenSource\":\"none\",\"apiProvider\":\"firstParty\"}", NULL, NULL);
    check_account("{}", NULL, NULL);
    check_account("[]", NULL, NULL);
    check_account("null", NULL, NULL);
}

static void test_gateway(void **state)
{
    (void)state;
    const struct {
        const char *url, *detail;
    } cases[] = {
        {"https://gw.example:8443/v1?x#y", "gw.example:8443"},
        {" http://gw ", "gw"},
        {"https://user:secret@gw/", "gw"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO_AUTH_STATUS(s);
        assert_true(auth_status_from_gateway(&s, str_of(cases[i].url)));
        assert_str(s.detail, cases[i].detail);
    }
    const char *without[] = {NULL, "", "gw", "https://", "https:///x"};
    for (size_t i = 0; i < ARRAY_LEN(without); i++) {
        AUTO_AUTH_STATUS(s);
        assert_true(auth_status_from_gateway(&s, str_of(without[i])));
        check_status(&s, "{\"kind\":\"gateway\",\"label\":\"Custom model gateway\"}");
    }
}

static bool probe_update(struct auth_status *last, const char *probe)
{
    AUTO_JSON(doc) = parse_or_fail(probe);
    AUTO_AUTH_STATUS(next);
    auth_status_from_probe(&next, json_root(doc), STR_ABSENT);
    return auth_status_update(last, &next, true);
}

static void test_only_changes_are_sent(void **state)
{
    (void)state;
    AUTO_AUTH_STATUS(last);
    AUTO_AUTH_STATUS(nothing);
    assert_false(auth_status_update(&last, &nothing, true));
    assert_true(probe_update(&last, "{\"loggedIn\":true,\"subscriptionType\":\"max\",\"email\":\"a@b\","
                                    "\"orgName\":\"O\"}"));
    /* The same person, told with less: nothing is lost, nothing is sent. */
    assert_false(probe_update(&last, "{\"loggedIn\":true,\"subscriptionType\":\"max\",\"email\":\"a@b\"}"));
    assert_str(last.organization, "O");
    assert_true(probe_update(&last, "{\"loggedIn\":true,\"subscriptionType\":\"pro\",\"email\":\"a@b\"}"));
    check_status(&last, "{\"kind\":\"account\",\"label\":\"Claude Pro\",\"account\":{\"plan\":\"pro\","
                        "\"email\":\"a@b\",\"organization\":\"O\"}}");
    assert_true(probe_update(&last, "{\"loggedIn\":true,\"subscriptionType\":\"pro\",\"email\":\"c@d\"}"));
    assert_false(str_present(last.organization));
    assert_true(probe_update(&last, "{\"loggedIn\":false}"));
    assert_false(probe_update(&last, "{\"loggedIn\":false}"));

    AUTO_AUTH_STATUS(gateway);
    assert_true(auth_status_from_gateway(&gateway, STR("https://gw")));
    assert_true(auth_status_update(&last, &gateway, false));
    assert_int_equal(gateway.kind, AUTH_UNKNOWN);
    /* Not merged: the detail goes. */
    assert_true(auth_status_from_gateway(&gateway, STR_ABSENT));
    assert_true(auth_status_update(&last, &gateway, false));
    assert_false(str_present(last.detail));
}

static void test_guard(void **state)
{
    (void)state;
    const struct {
        const char *account;
        enum auth_guard expected;
    } cases[] = {
        {"null", AUTH_GUARD_NO_ACCOUNT},
        {"[]", AUTH_GUARD_NO_ACCOUNT},
        {"{\"subscriptionType\":\"max\"}", AUTH_GUARD_SUBSCRIPTION},
        {"{\"subscriptionType\":\"max\",\"apiProvider\":\"firstParty\",\"apiKeySource\":\"x\"}",
         AUTH_GUARD_SUBSCRIPTION},
        {"{\"subscriptionType\":\"max\",\"apiKeySource\":\"apiKeyHelper\"}", AUTH_GUARD_ALLOW},
        {"{\"subscriptionType\":\"max\",\"tokenSource\":\"none\"}", AUTH_GUARD_ALLOW},
        {"{\"subscriptionType\":\"max\",\"apiProvider\":\"bedrock\"}", AUTH_GUARD_ALLOW},
        {"{}", AUTH_GUARD_NO_CREDENTIAL},
        {"{\"tokenSource\":\"\",\"apiKeySource\":7}", AUTH_GUARD_NO_CREDENTIAL},
        {"{\"apiKeySource\":\"/login managed key\"}", AUTH_GUARD_ALLOW},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO_JSON(doc) = parse_or_fail(cases[i].account);
        assert_int_equal(auth_guard(json_root(doc)), cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_methods),
        cmocka_unit_test(test_method_shapes),
        cmocka_unit_test(test_remote_environment),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_account),
        cmocka_unit_test(test_gateway),
        cmocka_unit_test(test_only_changes_are_sent),
        cmocka_unit_test(test_guard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
