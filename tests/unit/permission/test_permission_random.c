/* Random questions, suggestions and answers. Whatever comes in: an allow only for an option that this very
 * offer listed, a response that is JSON with the input unchanged, and a lasting choice only when the CLI
 * permits one. The numbers come from a fixed seed, so a failure repeats itself. */
#include "permission/question.h"
#include "permission_fixture.h"

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static size_t below(uint64_t *seed, size_t n)
{
    return (size_t)(next(seed) % n);
}
#define PICK(seed, list) ((list)[below(seed, ARRAY_LEN(list))])

static const char *const words[] = {
    "Bash",
    "Read",
    "Edit",
    "WebFetch",
    "Skill",
    "ExitPlanMode",
    "EnterPlanMode",
    "mcp__s__t",
    "Write",
    "SandboxNetworkAccess",
    "Grep",
    "WebSearch",
    "mcp__computer-use__c",
    "addRules",
    "setMode",
    "addDirectories",
    "replaceRules",
    "session",
    "localSettings",
    "allow",
    "deny",
    "acceptEdits",
    "auto",
    "default",
    "/etc/**",
    "//etc/**",
    "/etc/hosts",
    "npm test *",
    "",
    " ",
    "a\\u202eb",
    "\\u0000",
    "\\ud800",
    "\\u2066",
    "http://h.test/x",
    "x y",
    "h.test",
    "allow-once",
    "allow-with-updates",
    "allow-skill-exact",
    "allow-skill-prefix",
    "reject",
    "exit-plan-default",
    "exit-plan-auto",
    "exit-plan-clear-auto",
    "exit-plan-bypass",
    "selected",
    "cancelled",
    ":*",
    "/**",
    "..",
    "\\n",
    "accept",
};
static const char *const keys[] = {
    "type",     "rules",       "behavior", "destination", "mode",        "directories",
    "toolName", "ruleContent", "command",  "file_path",   "path",        "url",
    "skill",    "plan",        "host",     "outcome",     "optionId",    "questions",
    "question", "options",     "label",    "action",      "content",     "question_0",
    "answers",  "x",           "type",     "outcome",     "multiSelect",
};

static void put_garbage(struct buf *b, uint64_t *seed, unsigned depth)
{
    switch (below(seed, depth ? 9 : 6)) {
    case 0:
        json_put_raw(b, STR("null"));
        break;
    case 1:
        json_put_raw(b, below(seed, 2) ? STR("true") : STR("false"));
        break;
    case 2:
        json_put_raw(b, below(seed, 2) ? STR("1e400") : STR("-0.5"));
        break;
    case 6:
        json_open_array(b);
        for (size_t n = below(seed, 5); n; n--) {
            put_garbage(b, seed, depth - 1);
        }
        json_close_array(b);
        break;
    case 7:
    case 8:
        json_open_object(b);
        for (size_t n = below(seed, 6); n; n--) {
            json_key(b, PICK(seed, keys));
            put_garbage(b, seed, depth - 1);
        }
        json_close_object(b);
        break;
    default: {
        AUTO_BUF(text);
        buf_printf(&text, "\"%s\"", PICK(seed, words));
        json_put_raw(b, buf_str(&text));
        break;
    }
    }
}

/* Half of the suggestions are built to be almost right. */
static void put_suggestions(struct buf *b, uint64_t *seed, const char *tool)
{
    static const char *const types[] = {"addRules", "addRules",       "addRules",
                                        "setMode",  "addDirectories", "replaceRules"};
    static const char *const places[] = {"session", "session", "localSettings", "nowhere"};
    static const char *const behaviors[] = {"allow", "allow", "allow", "deny", "x"};
    if (below(seed, 2)) {
        put_garbage(b, seed, 5);
        return;
    }
    json_open_array(b);
    for (size_t n = below(seed, 4); n; n--) {
        json_open_object(b);
        json_member_c(b, "type", PICK(seed, types));
        json_member_c(b, "destination", PICK(seed, places));
        json_member_c(b, "behavior", PICK(seed, behaviors));
        json_member_c(b, "mode", below(seed, 3) ? "acceptEdits" : "auto");
        json_member_raw(b, "directories", STR("[\"/etc\",\"/home/u/ws\"]"));
        json_key(b, "rules");
        json_open_array(b);
        for (size_t k = below(seed, 4); k; k--) {
            json_open_object(b);
            json_member_c(b, "toolName", below(seed, 4) ? tool : PICK(seed, words));
            if (below(seed, 2)) {
                json_key(b, "ruleContent");
                put_garbage(b, seed, below(seed, 10) ? 0 : 2);
            }
            json_close_object(b);
        }
        json_close_array(b);
        if (!below(seed, 4)) {
            json_key(b, PICK(seed, keys));
            put_garbage(b, seed, 2);
        }
        json_close_object(b);
    }
    json_close_array(b);
}

static bool is_listed(const struct permission_offer *o, str id)
{
    AUTO_BUF(b);
    permission_offer_put_options(&b, o);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&b));
    for (struct json_iter it = json_each(json_root(doc)); json_next(&it);) {
        if (str_eq(json_str(json_get(it.value, "optionId")), id)) {
            return true;
        }
    }
    return false;
}

static void check_decision(const struct permission_offer *o, json request, const char *result)
{
    AUTO_JSON(doc) = parse_or_fail(result);
    AUTO_DECISION(d);
    json outcome = json_get(json_root(doc), "outcome");
    str id = json_str(json_get(outcome, "optionId"));
    bool selected = str_is(json_str(json_get(outcome, "outcome")), "selected") && is_listed(o, id);
    permission_offer_decide(o, json_root(doc), false, &d);
    if (d.verdict == PERMISSION_ERROR) {
        assert_true(!d.mode && !d.clear_context && !d.keep_planning);
        return;
    }
    assert_true(selected);
    AUTO_JSON(response) = parse_or_fail(buf_c(&d.text));
    json root = json_root(response);
    assert_str(json_str(json_get(root, "toolUseID")), "toolu_1");
    bool allow = d.verdict == PERMISSION_ALLOW;
    assert_true(str_is(json_str(json_get(root, "behavior")), allow ? "allow" : "deny"));
    if (allow) {
        assert_false(str_is(id, "reject") || str_starts(id, STR("exit-plan-clear")));
        assert_true(str_eq(json_raw(json_get(root, "updatedInput")), json_raw(json_get(request, "input"))));
        assert_true(json_present(json_get(root, "updatedPermissions")) != str_is(id, "allow-once"));
    } else {
        assert_true(str_is(id, "reject") || str_starts(id, STR("exit-plan-clear")));
        assert_false(json_present(json_get(root, "updatedPermissions")));
    }
}

static void one_round(uint64_t *seed)
{
    const char *tool = words[below(seed, 13)];
    AUTO_BUF(input);
    AUTO_BUF(suggestions);
    AUTO_BUF(more);
    if (below(seed, 2)) {
        json_open_object(&input);
        for (size_t n = 1 + below(seed, 3); n; n--) {
            json_key(&input, PICK(seed, keys));
            put_garbage(&input, seed, 1);
        }
        json_close_object(&input);
    } else {
        put_garbage(&input, seed, 3);
    }
    put_suggestions(&suggestions, seed, tool);
    bool forbidden = !below(seed, 4);
    buf_put_c(&more, forbidden ? ",\"suppress_always_allow_rule\":true" : "");
    AUTO_JSON(request) = test_request(tool, buf_c(&input), buf_c(&suggestions), buf_c(&more));
    struct permission_offer *o = test_offer_at(request, &test_setting);
    if (forbidden) {
        assert_false(is_listed(o, STR("allow-with-updates")) || is_listed(o, STR("allow-skill-exact")) ||
                     is_listed(o, STR("allow-skill-prefix")));
    }
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        AUTO_BUF(result);
        buf_printf(&result, "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"%s\"}}", words[i]);
        check_decision(o, json_root(request), buf_c(&result));
        buf_clear(&result);
        buf_printf(&result, "{\"outcome\":{\"outcome\":\"%s\",\"optionId\":\"%s\"}}", PICK(seed, words),
                   words[i]);
        check_decision(o, json_root(request), buf_c(&result));
    }
    for (size_t i = 0; i < 10; i++) {
        AUTO_BUF(result);
        put_garbage(&result, seed, 4);
        check_decision(o, json_root(request), buf_c(&result));
    }
    permission_offer_free(o);
}

static void test_random_questions(void **state)
{
    (void)state;
    uint64_t seed = 0x9E3779B97F4A7C15;
    for (int i = 0; i < 1500; i++) {
        one_round(&seed);
    }
}

/* A form allows only after accept or decline, and always with JSON. */
static void test_random_forms(void **state)
{
    (void)state;
    uint64_t seed = 0xD1B54A32D192ED03;
    for (int i = 0; i < 5000; i++) {
        AUTO_BUF(input);
        AUTO_BUF(result);
        put_garbage(&input, &seed, 6);
        put_garbage(&result, &seed, 4);
        AUTO_JSON(request) = test_request("AskUserQuestion", buf_c(&input), NULL, NULL);
        AUTO_JSON(doc) = parse_or_fail(buf_c(&result));
        struct permission_question q;
        assert_true(permission_question_read(&q, json_root(request)));
        struct question_form *f = question_form_new(&q);
        assert_non_null(f);
        AUTO_BUF(b);
        question_form_put_request(&b, f, STR("s"), STR("toolu_q1"), true);
        AUTO_JSON(sent) = parse_or_fail(buf_c(&b));
        AUTO_DECISION(d);
        question_form_decide(f, json_root(doc), &d);
        str action = json_str(json_get(json_root(doc), "action"));
        if (d.verdict == PERMISSION_ALLOW) {
            assert_true(str_is(action, "accept") || str_is(action, "decline"));
        }
        if (d.verdict != PERMISSION_ERROR) {
            AUTO_JSON(response) = parse_or_fail(buf_c(&d.text));
            assert_true(json_is(json_root(response), JSON_OBJECT));
        }
        question_form_free(f);
    }
}

/* Nothing but the length of a nested value limits it. */
static void test_deep_and_large_garbage(void **state)
{
    (void)state;
    AUTO_BUF(deep);
    buf_put_c(&deep, "[{\"type\":\"setMode\",\"mode\":\"acceptEdits\",\"destination\":\"session\",\"x\":");
    buf_put_fill(&deep, '[', 9000);
    buf_put_fill(&deep, ']', 9000);
    buf_put_c(&deep, "}]");
    struct permission_offer *o = test_offer("Write", "{\"file_path\":\"a\"}", buf_c(&deep), NULL);
    AUTO_DECISION(d);
    test_decide(o, "allow-with-updates", &d);
    assert_true(str_has(permission_decision_text(&d), buf_str(&deep)));
    permission_offer_free(o);

    AUTO_BUF(many);
    buf_put_c(&many,
              "[{\"type\":\"addRules\",\"behavior\":\"allow\",\"destination\":\"session\",\"rules\":[");
    for (int i = 0; i < 10000; i++) {
        buf_printf(&many, "%s{\"toolName\":\"Bash\",\"ruleContent\":\"c%d\"}", i ? "," : "", i);
    }
    buf_put_c(&many, "]}]");
    check_lasting("Bash", "{}", buf_c(&many), "(none)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_questions),
        cmocka_unit_test(test_random_forms),
        cmocka_unit_test(test_deep_and_large_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
