/* Questions of MCP servers and dialogs of the CLI. */
#include "permission/elicitation.h"
#include "unit.h"

static void check_request(const char *request, bool form, bool url, const char *expected)
{
    const struct client_capabilities client = {.elicitation_form = form, .elicitation_url = url};
    AUTO_JSON(doc) = parse_or_fail(request);
    AUTO_BUF(b);
    assert_int_equal(elicitation_put_request(&b, json_root(doc), &client, STR("s1"), STR("own-id")),
                     expected != NULL);
    assert_str(buf_str(&b), expected ? expected : "");
}

static void test_form(void **state)
{
    (void)state;
    static const char form[] =
        "{\"subtype\":\"elicitation\",\"mcp_server_name\":\"srv\",\"message\":\"Who?\",\"mode\":\"form\","
        "\"requested_schema\":{\"type\":\"object\",\"properties\":{\"n\":{\"maximum\":1e2}},\"x\":[1]}}";
    check_request(form, true, false,
                  "{\"mode\":\"form\",\"sessionId\":\"s1\",\"message\":\"Who?\",\"requestedSchema\":"
                  "{\"type\":\"object\",\"properties\":{\"n\":{\"maximum\":1e2}},\"x\":[1]}}");
    check_request(form, false, true, NULL);
    check_request("{\"message\":\"m\",\"requested_schema\":{\"type\":7,\"a\":1,\"type\":\"string\"}}", true,
                  false,
                  "{\"mode\":\"form\",\"sessionId\":\"s1\",\"message\":\"m\",\"requestedSchema\":{\"type\":"
                  "\"object\",\"a\":1}}");
    check_request("{\"message\":\"m\",\"requested_schema\":{\"a\":1}}", true, false,
                  "{\"mode\":\"form\",\"sessionId\":\"s1\",\"message\":\"m\",\"requestedSchema\":{\"a\":1,"
                  "\"type\":\"object\"}}");
    static const char *const none[] = {"{}", "{\"message\":7,\"requested_schema\":[]}",
                                       "{\"mode\":\"other\",\"requested_schema\":\"x\"}"};
    for (size_t i = 0; i < ARRAY_LEN(none); i++) {
        check_request(none[i], true, true,
                      "{\"mode\":\"form\",\"sessionId\":\"s1\",\"message\":\"\",\"requestedSchema\":"
                      "{\"type\":\"object\",\"properties\":{}}}");
    }
}

static void test_url(void **state)
{
    (void)state;
    check_request("{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://x\",\"elicitation_id\":\"e1\"}",
                  false, true,
                  "{\"mode\":\"url\",\"sessionId\":\"s1\",\"message\":\"m\",\"url\":\"https://"
                  "x\",\"elicitationId\":\"e1\"}");
    check_request("{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://x\",\"elicitation_id\":7}", false,
                  true,
                  "{\"mode\":\"url\",\"sessionId\":\"s1\",\"message\":\"m\",\"url\":\"https://"
                  "x\",\"elicitationId\":\"own-id\"}");
    check_request("{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://x\"}", true, false, NULL);
    check_request("{\"mode\":\"url\",\"message\":\"m\",\"url\":\"\"}", true, true, NULL);
    check_request("{\"mode\":\"url\",\"message\":\"m\",\"url\":[\"https://x\"]}", true, true, NULL);
}

static void check_answer(const char *result, const char *expected)
{
    AUTO_JSON(doc) = parse_or_fail(result);
    AUTO_BUF(b);
    elicitation_put_answer(&b, json_root(doc));
    assert_str(buf_str(&b), expected);
}

static void test_answers(void **state)
{
    (void)state;
    check_answer("{\"action\":\"accept\",\"content\":{\"n\":1e2}}",
                 "{\"action\":\"accept\",\"content\":{\"n\":1e2}}");
    check_answer("{\"action\":\"accept\"}", "{\"action\":\"accept\",\"content\":{}}");
    check_answer("{\"action\":\"accept\",\"content\":[1]}", "{\"action\":\"accept\",\"content\":{}}");
    check_answer("{\"action\":\"decline\",\"content\":{\"a\":1}}", "{\"action\":\"decline\"}");
    static const char *const cancelled[] = {"{\"action\":\"cancel\"}",
                                            "{\"action\":\"Accept\"}",
                                            "{\"action\":true}",
                                            "{}",
                                            "null",
                                            "\"accept\"",
                                            "{\"action\":\"accept\",\"action\":\"\"}"};
    for (size_t i = 0; i < ARRAY_LEN(cancelled); i++) {
        check_answer(cancelled[i], "{\"action\":\"cancel\"}");
    }
}

static void check_dialog(const char *request, const char *message)
{
    AUTO_JSON(doc) = parse_or_fail(request);
    AUTO_BUF(b);
    AUTO_BUF(expected);
    assert_int_equal(user_dialog_put_request(&b, json_root(doc), STR("s1")), message != NULL);
    if (message) {
        buf_printf(&expected,
                   "{\"mode\":\"form\",\"sessionId\":\"s1\",\"message\":\"%s\",\"requestedSchema\":{\"type\":"
                   "\"object\","
                   "\"properties\":{\"choice\":{\"type\":\"string\",\"oneOf\":["
                   "{\"const\":\"retry_fallback\",\"title\":\"Retry with F\",\"description\":\"The session "
                   "continues on F.\"},"
                   "{\"const\":\"cancelled\",\"title\":\"Keep the refusal\",\"description\":\"You can send a "
                   "new message.\"}"
                   "]}}}}",
                   message);
    }
    assert_str(buf_str(&b), buf_c(&expected));
}
#define DIALOG(payload) "{\"dialog_kind\":\"refusal_fallback_prompt\",\"payload\":" payload "}"

static void test_dialog(void **state)
{
    (void)state;
    check_dialog(DIALOG("{\"originalModel\":\"O\",\"fallbackModel\":\"F\"}"),
                 "O declined this request. Retry with F?");
    check_dialog(DIALOG("{\"originalModel\":\"O\",\"fallbackModel\":\"F\",\"apiRefusalCategory\":\"c\","
                        "\"guidanceText\":\"g\"}"),
                 "O declined this request (c). Retry with F?\\n\\ng");
    check_dialog(DIALOG("{\"originalModel\":\"O\",\"fallbackModel\":\"F\",\"apiRefusalCategory\":7,"
                        "\"guidanceText\":\"\"}"),
                 "O declined this request. Retry with F?");
    check_dialog(DIALOG("{\"originalModel\":\"O\",\"fallbackModel\":7}"), NULL);
    check_dialog(DIALOG("{\"fallbackModel\":\"F\"}"), NULL);
    check_dialog(DIALOG("[]"), NULL);
    check_dialog("{\"dialog_kind\":\"other\",\"payload\":{\"originalModel\":\"O\",\"fallbackModel\":\"F\"}}",
                 NULL);
    check_dialog("{}", NULL);
}

static void test_dialog_answers(void **state)
{
    (void)state;
    static const char retry[] = "{\"behavior\":\"completed\",\"result\":\"retry_fallback\"}";
    static const char keep[] = "{\"behavior\":\"completed\",\"result\":\"cancelled\"}";
    static const struct {
        const char *result, *expected;
    } rows[] = {
        {"{\"action\":\"accept\",\"content\":{\"choice\":\"retry_fallback\"}}", retry},
        {"{\"action\":\"accept\",\"content\":{\"choice\":\"cancelled\"}}", keep},
        {"{\"action\":\"accept\",\"content\":{\"choice\":[\"retry_fallback\"]}}", keep},
        {"{\"action\":\"accept\",\"content\":\"retry_fallback\"}", keep},
        {"{\"action\":\"accept\"}", keep},
        {"{\"action\":\"decline\",\"content\":{\"choice\":\"retry_fallback\"}}", keep},
        {"{\"content\":{\"choice\":\"retry_fallback\"}}", keep},
        {"null", keep},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_JSON(doc) = parse_or_fail(rows[i].result);
        AUTO_BUF(b);
        user_dialog_put_answer(&b, json_root(doc));
        assert_str(buf_str(&b), rows[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),           cmocka_unit_test(test_url),
        cmocka_unit_test(test_answers),        cmocka_unit_test(test_dialog),
        cmocka_unit_test(test_dialog_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
