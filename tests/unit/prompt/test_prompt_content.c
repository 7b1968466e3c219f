#include "unit.h"

#include "prompt/prompt_content.h"

static void check_content(const char *blocks, const char *expected)
{
    AUTO_JSON(doc) = parse_or_fail(blocks);
    AUTO_BUF(b);
    prompt_put_content(&b, json_root(doc));
    assert_true(buf_ok(&b));
    assert_str(buf_str(&b), expected);
}

#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"

static void test_text_and_mcp_prompts(void **state)
{
    (void)state;
    check_content("[" TEXT("hi") "," TEXT("") "]", "[" TEXT("hi") "," TEXT("") "]");
    check_content("[" TEXT("/mcp:lab:polish") "]", "[" TEXT("/lab:polish (MCP)") "]");
    check_content("[" TEXT("/mcp:lab:polish a b") "]", "[" TEXT("/lab:polish (MCP) a b") "]");
    check_content("[" TEXT("/mcp:lab:a:b x") "]", "[" TEXT("/lab:a:b (MCP) x") "]");
    const char *same[] = {
        "/mcp:lab",    "/mcp:lab:", "/mcp::x",          "/mcp: lab:x", "/mcp:la b:x",
        " /mcp:lab:x", "/mcp",      "/mcp:lab:x a\\nb", "/mcp:",       "see /mcp:lab:x",
    };
    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        AUTO_BUF(blocks);
        buf_printf(&blocks, "[" TEXT("%s") "]", same[i]);
        check_content(buf_c(&blocks), buf_c(&blocks));
    }
}

static void test_links(void **state)
{
    (void)state;
    check_content("[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"file:///a/b%20c.txt\"}]",
                  "[" TEXT("[@b%20c.txt](file:///a/b%20c.txt)") "]");
    check_content("[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"file:///a/\"}]",
                  "[" TEXT("[@/a/](file:///a/)") "]");
    check_content("[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"zed:///agent/x?y\"}]",
                  "[" TEXT("[@x?y](zed:///agent/x?y)") "]");
    check_content("[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"https://x/y\"}]",
                  "[" TEXT("https://x/y") "]");
    check_content("[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"file://\"}]",
                  "[" TEXT("[@](file://)") "]");
}

static void test_resources_follow_at_the_end(void **state)
{
    (void)state;
    check_content(
        "[{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a.txt\",\"text\":\"A\"}}," TEXT(
            "look") ","
                    "{\"type\":\"resource\",\"resource\":{\"uri\":\"x:c\",\"text\":\"\"}}]",
        "[" TEXT("[@a.txt](file:///a.txt)") "," TEXT("look") "," TEXT("x:c") "," TEXT(
            "\\n<context ref=\\\"file:///a.txt\\\">\\nA\\n</context>") "," TEXT("\\n<context "
                                                                                "ref=\\\"x:c\\\">\\n\\n</"
                                                                                "context>") "]");
}

static void test_images(void **state)
{
    (void)state;
    check_content("[{\"type\":\"image\",\"data\":\"QUJD\",\"mimeType\":\"image/png\",\"uri\":\"http://x\"}]",
                  "[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"QUJD\","
                  "\"media_type\":\"image/png\"}}]");
    check_content("[{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"image/png\",\"uri\":\"https://x/y\"}]",
                  "[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://x/y\"}}]");
    check_content("[{\"type\":\"image\",\"data\":\"Q U\\nI\",\"mimeType\":\"IMAGE/Jpg; q=1\"}]",
                  "[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"QUI=\","
                  "\"media_type\":\"image/jpeg\"}}]");
    check_content("[{\"type\":\"image\",\"data\":\"PHN2Zy8+\",\"mimeType\":\"image/svg+xml\"}]",
                  "[" TEXT("\\n<context ref=\\\"image.svg\\\">\\n<svg/>\\n</context>") "]");
}

#define FILE_BLOCK(uri, type, data)                                                                          \
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri "\",\"mimeType\":\"" type "\",\"blob\":\"" data    \
    "\"}}"

static void test_embedded_files(void **state)
{
    (void)state;
    check_content("[" FILE_BLOCK("file:///a.pdf", "Application/PDF; x=y", "JVBERi0xLjQ=") "," TEXT("see") "]",
                  "[" TEXT("[@a.pdf](file:///a.pdf)") ",{\"type\":\"document\",\"source\":{\"type\":"
                                                      "\"base64\",\"data\":\"JVBERi0xLjQ=\","
                                                      "\"media_type\":\"application/pdf\"}}," TEXT(
                                                          "see") "]");
    check_content("[" FILE_BLOCK("x:p", "image/png", "R0lGODlhAQ==") "]",
                  "[" TEXT("x:p") ",{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":"
                                  "\"R0lGODlhAQ==\",\"media_type\":\"image/gif\"}}]");
    check_content("[" FILE_BLOCK("x:t", "text/x-c", "aW50IGE7Cg==") "," TEXT("see") "]",
                  "[" TEXT("x:t") "," TEXT("see") "," TEXT(
                      "\\n<context ref=\\\"x:t\\\">\\nint a;\\n\\n</context>") "]");
}

static void check_refused(const char *blocks, const char *words)
{
    AUTO_JSON(doc) = parse_or_fail(blocks);
    AUTO_BUF(why);
    bool refused = prompt_refused(json_root(doc), &why);
    assert_int_equal(refused, words != NULL);
    if (words && !str_has(buf_str(&why), str_of(words))) {
        fail_msg("%s does not say %s", buf_c(&why), words);
    }
}

static void test_refuses_what_the_model_cannot_take(void **state)
{
    (void)state;
    check_refused("[" TEXT("a") ",{\"type\":\"audio\",\"data\":\"QQ==\",\"mimeType\":\"audio/wav\"}]",
                  "block 2: audio/wav is audio");
    check_refused("[" FILE_BLOCK("file:///d/x.zip", "Application/ZIP", "UEsDBA==") "]",
                  "block 1: x.zip (Application/ZIP) cannot");
    check_refused("[" FILE_BLOCK("file:///d/x", "", "AAAA") "]", "x cannot");
    check_refused("[" FILE_BLOCK("", "", "AAAA") "]", "the attachment cannot");
    check_refused("[" FILE_BLOCK("file:///d/x.pdf", "application/pdf", "") "]", "has no data");
    check_refused("[" FILE_BLOCK("file:///d/x.pdf", "application/pdf", "no!") "]", "not base64");
    check_refused("[" FILE_BLOCK("x", "text/plain", "/w==") "]", "not UTF-8");
    check_refused("[{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"\"}]", "the image has no data");
    check_refused("[{\"type\":\"image\",\"data\":\"Qk0=\",\"mimeType\":\"image/bmp\"}]", "image/bmp cannot");
    check_refused("[" FILE_BLOCK("x", "text/plain", "") "]", NULL);
    check_refused("[" TEXT("") ",{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"\",\"uri\":\"http://x\"}]",
                  NULL);
    check_refused("[{\"type\":\"resource\",\"resource\":{\"uri\":\"x.zip\",\"mimeType\":\"application/zip\","
                  "\"text\":\"a list\"}}]",
                  NULL);
    check_refused("[]", NULL);
}

static void test_odd_blocks_do_no_harm(void **state)
{
    (void)state;
    check_content("[null,1,\"x\",[],{},{\"type\":7},{\"type\":\"text\"},{\"type\":\"text\",\"text\":1},"
                  "{\"type\":\"resource\"},{\"type\":\"resource\",\"resource\":{\"text\":\"a\"}},"
                  "{\"type\":\"resource_link\"},{\"type\":\"image\"}]",
                  "[]");
    check_content("{\"type\":\"text\",\"text\":\"a\"}", "[]");
    check_content("[" TEXT("a\\u0000b\\ud83d") "]", "[" TEXT("a\\u0000b\\ud83d") "]");
}

static void test_checks_blocks(void **state)
{
    (void)state;
    const char *fine[] = {
        "[]",
        "[{\"type\":\"text\",\"text\":\"\"}]",
        "[{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"\",\"uri\":null}]",
        "[{\"type\":\"audio\",\"data\":\"\",\"mimeType\":\"\"}]",
        "[{\"type\":\"resource_link\",\"name\":\"\",\"uri\":\"\"}]",
        "[{\"type\":\"resource\",\"resource\":{\"uri\":\"\",\"text\":\"\"}}]",
        "[{\"type\":\"resource\",\"resource\":{\"uri\":\"\",\"blob\":\"\"}}]",
    };
    const char *wrong[] = {
        "null",
        "{}",
        "\"x\"",
        "[null]",
        "[[]]",
        "[{}]",
        "[{\"type\":\"video\"}]",
        "[{\"type\":[\"text\"],\"text\":\"\"}]",
        "[{\"type\":\"text\"}]",
        "[{\"type\":\"text\",\"text\":null}]",
        "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":1}]",
        "[{\"type\":\"image\",\"data\":\"\"}]",
        "[{\"type\":\"image\",\"mimeType\":\"\"}]",
        "[{\"type\":\"audio\",\"data\":\"\"}]",
        "[{\"type\":\"resource_link\",\"uri\":\"x\"}]",
        "[{\"type\":\"resource\",\"uri\":\"x\",\"text\":\"\"}]",
        "[{\"type\":\"resource\",\"resource\":{\"uri\":\"x\"}}]",
        "[{\"type\":\"resource\",\"resource\":{\"text\":\"x\"}}]",
    };
    for (size_t i = 0; i < ARRAY_LEN(fine); i++) {
        AUTO_JSON(doc) = parse_or_fail(fine[i]);
        assert_null(prompt_check(json_root(doc)));
    }
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        AUTO_JSON(doc) = parse_or_fail(wrong[i]);
        assert_non_null(prompt_check(json_root(doc)));
    }
    assert_non_null(prompt_check(JSON_NONE));
}

static void test_user_message(void **state)
{
    (void)state;
    AUTO_JSON(doc) = parse_or_fail("[" TEXT("make a file") "]");
    AUTO_BUF(b);
    prompt_put_user_message(&b, json_root(doc), STR("S"), STR("U"), STR_ABSENT);
    assert_str(buf_str(&b), "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[" TEXT(
                                "make a file") "]},"
                                               "\"session_id\":\"S\",\"parent_tool_use_id\":null,\"origin\":{"
                                               "\"kind\":\"human\"},\"uuid\":\"U\"}");
    buf_clear(&b);
    prompt_put_user_text(&b, STR("/goal clear"), STR("S"), STR("U"), STR("now"));
    assert_str(buf_str(&b), "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[" TEXT(
                                "/goal clear") "]},"
                                               "\"session_id\":\"S\",\"parent_tool_use_id\":null,\"origin\":{"
                                               "\"kind\":\"human\"},\"uuid\":\"U\","
                                               "\"priority\":\"now\"}");
}

static void test_texts_of_a_prompt(void **state)
{
    (void)state;
    AUTO_JSON(two) =
        parse_or_fail("[{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"\"}," TEXT("a") "," TEXT(" b ") "]");
    AUTO_BUF(b);
    prompt_text(&b, json_root(two));
    assert_str(buf_str(&b), "a\n b ");
    assert_str(prompt_first_text(json_root(two)), "a");
    assert_false(str_present(prompt_sole_text(json_root(two))));

    AUTO_JSON(one) = parse_or_fail("[" TEXT("\\n /usage\\u00a0\\t") "]");
    assert_str(prompt_sole_text(json_root(one)), "/usage");
    AUTO_JSON(none) = parse_or_fail("[]");
    assert_false(str_present(prompt_first_text(json_root(none))));
}

static void test_goal(void **state)
{
    (void)state;
    str argument;
    assert_true(prompt_goal_argument(STR("/goal  Ship it\n now "), &argument));
    assert_str(argument, "Ship it\n now");
    assert_true(prompt_goal_argument(STR("/goal clear"), &argument));
    assert_str(argument, "clear");
    assert_false(prompt_goal_argument(STR("/goal"), &argument));
    assert_false(prompt_goal_argument(STR("/goal  \n"), &argument));
    assert_false(prompt_goal_argument(STR("/goals x"), &argument));
    assert_false(prompt_goal_argument(STR("my /goal x"), &argument));
    assert_false(prompt_goal_argument(STR_ABSENT, &argument));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_and_mcp_prompts),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_resources_follow_at_the_end),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_embedded_files),
        cmocka_unit_test(test_refuses_what_the_model_cannot_take),
        cmocka_unit_test(test_odd_blocks_do_no_harm),
        cmocka_unit_test(test_checks_blocks),
        cmocka_unit_test(test_user_message),
        cmocka_unit_test(test_texts_of_a_prompt),
        cmocka_unit_test(test_goal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
