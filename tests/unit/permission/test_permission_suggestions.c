#include "permission/suggestions.h"
#include "unit.h"

static bool accepted(const char *text)
{
    struct json_doc *doc = parse_or_fail(text);
    struct change_set c = change_set_read(json_root(doc));
    json_unref(doc);
    bool present = change_set_present(&c);
    if (present) { /* the copy is the text as it came, and outlives its source */
        assert_str(json_raw(change_set_updates(&c)), text);
    }
    change_set_free(&c);
    return present;
}

#define RULE    "{\"toolName\":\"Bash\",\"ruleContent\":\"npm test *\"}"
#define RULES   "[" RULE "]"
#define SESSION ",\"destination\":\"session\"}"
#define ALLOW   ",\"behavior\":\"allow\""

static void test_known_updates(void **state)
{
    (void)state;
    static const char *const good[] = {
        "[{\"type\":\"addRules\",\"rules\":" RULES ALLOW SESSION "]",
        "[{\"type\":\"removeRules\",\"rules\":[{\"toolName\":\"Bash\"}],\"behavior\":\"deny\"" SESSION "]",
        "[{\"type\":\"replaceRules\",\"rules\":[],\"behavior\":\"ask\",\"destination\":\"cliArg\"}]",
        "[{\"type\":\"setMode\",\"mode\":\"dontAsk\",\"destination\":\"userSettings\"}]",
        "[{\"type\":\"addDirectories\",\"directories\":[\"/a\"],\"destination\":\"projectSettings\"}]",
        "[{\"type\":\"removeDirectories\",\"directories\":[\"/a\"],\"destination\":\"localSettings\"}]",
        /* what is not known stays in the copy, numbers and order and all */
        "[{\"z\":9007199254740993,\"type\":\"setMode\",\"mode\":\"auto\",\"x\":{\"y\":[1.0]}" SESSION "]",
    };
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        if (!accepted(good[i])) {
            fail_msg("refused: %s", good[i]);
        }
    }
}

static void test_one_bad_entry_drops_all(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "[]",
        "{}",
        "null",
        "\"addRules\"",
        "[null]",
        "[[]]",
        "[{}]",
        "[{\"type\":\"setMode\",\"mode\":\"auto\"" SESSION ",7]",
        "[{\"type\":\"setMode\",\"mode\":\"auto\"" SESSION ",{\"type\":\"grantAll\"" SESSION "]",
        "[{\"type\":\"setMode\",\"mode\":\"auto\"}]",
        "[{\"type\":\"setMode\",\"mode\":\"auto\",\"destination\":\"everywhere\"}]",
        "[{\"type\":\"setMode\",\"mode\":\"auto\",\"destination\":[\"session\"]}]",
        "[{\"type\":\"setMode\",\"mode\":\"manual\"" SESSION "]",
        "[{\"type\":\"setMode\",\"mode\":\"\"" SESSION "]",
        "[{\"type\":\"setMode\"" SESSION "]",
        "[{\"type\":\"SetMode\",\"mode\":\"auto\"" SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[]" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":{}" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":{\"a\":" RULE "}" ALLOW SESSION "]",
        "[{\"type\":\"addRules\"" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":" RULES SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":" RULES ",\"behavior\":\"permit\"" SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[\"Bash\"]" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[{}]" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\" \"}]" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[{\"toolName\":7}]" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Bash\",\"ruleContent\":\"\"}]" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Bash\",\"ruleContent\":null}]" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Bash\",\"ruleContent\":{}}]" ALLOW SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Bash\",\"ruleContent\":\"a\\u0000b\"}]" ALLOW
            SESSION "]",
        "[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Bash\",\"ruleContent\":\"a\\u001bb\"}]" ALLOW
            SESSION "]",
        "[{\"type\":\"addDirectories\",\"directories\":[]" SESSION "]",
        "[{\"type\":\"addDirectories\",\"directories\":\"/a\"" SESSION "]",
        "[{\"type\":\"addDirectories\",\"directories\":[7]" SESSION "]",
        "[{\"type\":\"addDirectories\",\"directories\":[\"\"]" SESSION "]",
        /* the last of equal keys counts, as it does for the CLI */
        "[{\"type\":\"setMode\",\"mode\":\"auto\",\"mode\":\"root\"" SESSION "]",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        if (accepted(bad[i])) {
            fail_msg("accepted: %s", bad[i]);
        }
    }
}

/* `n` times `item`, as an array in `before` and `after`. */
static bool accepted_times(const char *before, const char *item, size_t n, const char *after)
{
    AUTO_BUF(b);
    buf_put_c(&b, before);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&b, "%s%s", i ? "," : "", item);
    }
    buf_put_c(&b, after);
    return accepted(buf_c(&b));
}

static bool accepted_length(const char *before, size_t n, const char *after)
{
    AUTO_BUF(b);
    buf_put_c(&b, before);
    buf_put_fill(&b, 'x', n);
    buf_put_c(&b, after);
    return accepted(buf_c(&b));
}

static void test_bounds(void **state)
{
    (void)state;
    static const char mode[] = "{\"type\":\"setMode\",\"mode\":\"plan\"" SESSION;
    static const char rules[] = "[{\"type\":\"addRules\"" ALLOW ",\"rules\":[";
    static const char dirs[] = "[{\"type\":\"addDirectories\",\"directories\":[";
    assert_true(accepted_times("[", mode, 100, "]"));
    assert_false(accepted_times("[", mode, 101, "]"));
    assert_true(accepted_times(rules, RULE, 100, "]" SESSION "]"));
    assert_false(accepted_times(rules, RULE, 101, "]" SESSION "]"));
    assert_false(accepted_times(rules, RULE, 10000, "]" SESSION "]"));
    assert_true(accepted_times(dirs, "\"/a\"", 100, "]" SESSION "]"));
    assert_false(accepted_times(dirs, "\"/a\"", 101, "]" SESSION "]"));

    static const char tool[] = "[{\"type\":\"addRules\"" ALLOW ",\"rules\":[{\"toolName\":\"";
    static const char rule[] =
        "[{\"type\":\"addRules\"" ALLOW ",\"rules\":[{\"toolName\":\"B\",\"ruleContent\":\"";
    static const char dir[] = "[{\"type\":\"addDirectories\",\"directories\":[\"";
    assert_true(accepted_length(tool, 512, "\"}]" SESSION "]"));
    assert_false(accepted_length(tool, 513, "\"}]" SESSION "]"));
    assert_true(accepted_length(rule, 10000, "\"}]" SESSION "]"));
    assert_false(accepted_length(rule, 10001, "\"}]" SESSION "]"));
    assert_true(accepted_length(dir, 4096, "\"]" SESSION "]"));
    assert_false(accepted_length(dir, 4097, "\"]" SESSION "]"));
    assert_false(accepted_length(rule, 5000000, "\"}]" SESSION "]"));
}

static void test_hidden_text_is_noticed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool plain;
    } rows[] = {
        {"[{\"type\":\"addRules\",\"rules\":" RULES ALLOW SESSION "]", true},
        {"[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Bash\",\"ruleContent\":\"a\\u202eb\"}]" ALLOW
             SESSION "]",
         false},
        {"[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Ba\\u2066sh\"}]" ALLOW SESSION "]", false},
        {"[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Bash\",\"ruleContent\":\"a\\nb\"}]" ALLOW SESSION
         "]",
         false},
        {"[{\"type\":\"addDirectories\",\"directories\":[\"/a\",\"/b\\u200f\"]" SESSION "]", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct json_doc *doc = parse_or_fail(rows[i].text);
        struct change_set c = change_set_read(json_root(doc));
        assert_true(change_set_present(&c));
        assert_int_equal(c.plain, rows[i].plain);
        change_set_free(&c);
        json_unref(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_updates),
        cmocka_unit_test(test_one_bad_entry_drops_all),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_hidden_text_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
