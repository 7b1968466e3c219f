/* What the CLI is answered for each choice, and what the session has to do. */
#include "permission_fixture.h"

#define INPUT "{\"z\":9007199254740993,\"command\":\"a\\u0000b\",\"a\":[1.0, 2e3]}"
#define ONCE(in)                                                                                             \
    "{\"behavior\":\"allow\",\"updatedInput\":" in                                                           \
    ",\"toolUseID\":\"toolu_1\",\"decisionClassification\":\"user_temporary\"}"
#define LASTING(in, updates)                                                                                 \
    "{\"behavior\":\"allow\",\"updatedInput\":" in ",\"updatedPermissions\":" updates                        \
    ",\"toolUseID\":\"toolu_1\",\"decisionClassification\":\"user_permanent\"}"
#define REFUSED                                                                                              \
    "{\"behavior\":\"deny\",\"message\":\"User refused permission to run tool\",\"toolUseID\":\"toolu_1\","  \
    "\"decisionClassification\":\"user_reject\"}"
#define INTERRUPTED(message)                                                                                 \
    "{\"behavior\":\"deny\",\"message\":\"" message "\",\"interrupt\":true,\"toolUseID\":\"toolu_1\","       \
    "\"decisionClassification\":\"user_reject\"}"
#define LOCAL_RULE(rule)                                                                                     \
    "[{\"type\":\"addRules\",\"rules\":[" rule "],\"behavior\":\"allow\",\"destination\":\"localSettings\"}" \
    "]"
#define SET_MODE(mode) "[{\"type\":\"setMode\",\"mode\":\"" mode "\",\"destination\":\"session\"}]"

static void test_allow_once_passes_the_input_on(void **state)
{
    (void)state;
    check_answer("Bash", INPUT, NULL, "allow-once", PERMISSION_ALLOW, ONCE(INPUT));
    check_answer("EnterPlanMode", "{}", NULL, "allow-once", PERMISSION_ALLOW, ONCE("{}"));
}

static void test_reject(void **state)
{
    (void)state;
    check_answer("Bash", INPUT, NULL, "reject", PERMISSION_DENY, REFUSED);
    check_answer("EnterPlanMode", "{}", NULL, "reject", PERMISSION_DENY, REFUSED);
    check_answer("mcp__s__t", "{}", NULL, "reject", PERMISSION_DENY, REFUSED);
}

/* The very text of the suggestions goes back, unknown members, odd numbers and all. */
static void test_the_snapshot_goes_back(void **state)
{
    (void)state;
    static const char bash[] =
        "[{\"destination\":\"localSettings\",\"x\":1.00,\"type\":\"addRules\",\"behavior\":\"allow\","
        "\"rules\":[{\"ruleContent\":\"npm test *\",\"note\":null,\"toolName\":\"Bash\"}]}]";
    AUTO_BUF(expected);
    buf_printf(
        &expected,
        "{\"behavior\":\"allow\",\"updatedInput\":{},\"updatedPermissions\":%s,\"toolUseID\":\"toolu_1\","
        "\"decisionClassification\":\"user_permanent\"}",
        bash);
    check_answer("Bash", "{}", bash, "allow-with-updates", PERMISSION_ALLOW, buf_c(&expected));
    check_answer("Write", "{\"file_path\":\"a\"}", SET_MODE("acceptEdits"), "allow-with-updates",
                 PERMISSION_ALLOW, LASTING("{\"file_path\":\"a\"}", SET_MODE("acceptEdits")));
    check_answer("mcp__s__t", "{}", LOCAL_RULE("{\"toolName\":\"mcp__s__t\"}"), "allow-with-updates",
                 PERMISSION_ALLOW, LASTING("{}", LOCAL_RULE("{\"toolName\":\"mcp__s__t\"}")));
}

static void test_generated_rules(void **state)
{
    (void)state;
    check_answer("WebFetch", "{\"url\":\"https://Example.com/x\"}", "[{\"type\":\"x\"}]",
                 "allow-with-updates", PERMISSION_ALLOW,
                 LASTING("{\"url\":\"https://Example.com/x\"}",
                         LOCAL_RULE("{\"toolName\":\"WebFetch\",\"ruleContent\":\"domain:example.com\"}")));
    check_answer("WebSearch", "{}", NULL, "allow-with-updates", PERMISSION_ALLOW,
                 LASTING("{}", LOCAL_RULE("{\"toolName\":\"WebSearch\"}")));
    check_answer("Skill", "{\"skill\":\" a \\\"b\\\" c\"}", NULL, "allow-skill-exact", PERMISSION_ALLOW,
                 LASTING("{\"skill\":\" a \\\"b\\\" c\"}",
                         LOCAL_RULE("{\"toolName\":\"Skill\",\"ruleContent\":\"a \\\"b\\\" c\"}")));
    check_answer("Skill", "{\"skill\":\"a b\"}", NULL, "allow-skill-prefix", PERMISSION_ALLOW,
                 LASTING("{\"skill\":\"a b\"}",
                         LOCAL_RULE("{\"toolName\":\"Skill\",\"ruleContent\":\"a:*\"}")));
}

static void test_a_skill_name_too_long(void **state)
{
    (void)state;
    for (size_t n = 998; n <= 999; n++) {
        AUTO_BUF(input);
        buf_put_c(&input, "{\"skill\":\"b ");
        buf_put_fill(&input, 'x', n);
        buf_put_c(&input, "\"}");
        struct permission_offer *o = test_offer("Skill", buf_c(&input), NULL, NULL);
        static const char *const ids[] = {"allow-skill-exact", "allow-skill-prefix"};
        for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
            AUTO_DECISION(d);
            test_decide(o, ids[i], &d);
            assert_int_equal(d.verdict, n == 998 ? PERMISSION_ALLOW : PERMISSION_ERROR);
            if (n == 999) {
                assert_str(permission_decision_text(&d), "Invalid Skill permission input");
            }
        }
        AUTO_DECISION(once);
        test_decide(o, "allow-once", &once);
        assert_int_equal(once.verdict, PERMISSION_ALLOW);
        permission_offer_free(o);
    }
}

static void test_leaving_plan_mode(void **state)
{
    (void)state;
    struct permission_offer *o = test_offer("ExitPlanMode", "{\"plan\":\"  do it\\n\"}", NULL, NULL);
    {
        AUTO_DECISION(d);
        test_decide(o, "exit-plan-auto", &d);
        assert_str(permission_decision_text(&d), LASTING("{\"plan\":\"  do it\\n\"}", SET_MODE("auto")));
        assert_string_equal(d.mode, "auto");
        assert_false(d.auto_fell_back || d.keep_planning || d.clear_context);
    }
    {
        AUTO_DECISION(d);
        test_decide(o, "exit-plan-default", &d);
        assert_str(
            permission_decision_text(&d),
            "{\"behavior\":\"allow\",\"updatedInput\":{\"plan\":\"  do "
            "it\\n\"},\"updatedPermissions\":" SET_MODE(
                "default") ",\"toolUseID\":\"toolu_1\",\"decisionClassification\":\"user_temporary\"}");
        assert_string_equal(d.mode, "default");
    }
    {
        AUTO_DECISION(d);
        test_decide(o, "reject", &d);
        assert_str(permission_decision_text(&d), INTERRUPTED("User chose to keep planning"));
        assert_true(d.keep_planning && !d.clear_context && !d.mode);
    }
    {
        AUTO_DECISION(d);
        test_decide(o, "exit-plan-clear-auto", &d);
        assert_str(permission_decision_text(&d),
                   INTERRUPTED("User accepted the plan and requested a fresh context"));
        assert_int_equal(d.verdict, PERMISSION_DENY);
        assert_true(d.clear_context && !d.keep_planning);
        assert_string_equal(d.mode, "auto");
        assert_str(buf_str(&d.plan), "do it");
    }
    permission_offer_free(o);
}

/* The mode that the CLI sets, the one that the session tells and the one it restarts with are the same. */
static void test_auto_without_support(void **state)
{
    (void)state;
    struct permission_offer *o = test_offer("ExitPlanMode", "{\"plan\":\"p\"}", NULL, NULL);
    static const struct {
        const char *id, *mode;
        bool fell_back;
    } rows[] = {
        {"exit-plan-auto", "acceptEdits", true},
        {"exit-plan-clear-auto", "acceptEdits", true},
        {"exit-plan-default", "default", false},
        {"reject", NULL, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF(result);
        AUTO_DECISION(d);
        buf_printf(&result, "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"%s\"}}", rows[i].id);
        test_decide_raw(o, buf_c(&result), true, &d);
        assert_int_equal(d.auto_fell_back, rows[i].fell_back);
        assert_true(rows[i].mode ? strcmp(d.mode, rows[i].mode) == 0 : !d.mode);
        assert_false(str_has(permission_decision_text(&d), STR("\"auto\"")));
    }
    AUTO_DECISION(d);
    test_decide_raw(o, "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"exit-plan-auto\"}}", true, &d);
    assert_str(permission_decision_text(&d), LASTING("{\"plan\":\"p\"}", SET_MODE("acceptEdits")));
    permission_offer_free(o);
}

static void check_result(const char *tool, const char *result, const char *error)
{
    struct permission_offer *o = test_offer(tool, "{\"plan\":\"p\"}", NULL, NULL);
    AUTO_DECISION(d);
    test_decide_raw(o, result, false, &d);
    assert_int_equal(d.verdict, PERMISSION_ERROR);
    assert_str(permission_decision_text(&d), error);
    assert_true(!d.mode && !d.keep_planning && !d.clear_context && !d.auto_fell_back);
    permission_offer_free(o);
}
#define SELECTED(id) "{\"outcome\":{\"outcome\":\"selected\"" id "}}"

static void test_anything_else_is_an_error(void **state)
{
    (void)state;
    static const char *const aborted[] = {
        "{\"outcome\":{\"outcome\":\"cancelled\"}}",
        "{\"outcome\":{\"outcome\":\"cancelled\",\"optionId\":\"allow-once\"}}",
        "{\"outcome\":{\"outcome\":\"Selected\",\"optionId\":\"allow-once\"}}",
        "{\"outcome\":{\"outcome\":[\"selected\"],\"optionId\":\"allow-once\"}}",
        "{\"outcome\":{\"outcome\":true,\"optionId\":\"allow-once\"}}",
        "{\"outcome\":{\"optionId\":\"allow-once\"}}",
        "{\"outcome\":\"selected\",\"optionId\":\"allow-once\"}",
        "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow-once\",\"outcome\":\"cancelled\"}}",
        "{\"optionId\":\"allow-once\"}",
        "{}",
        "[]",
        "null",
        "\"selected\"",
        "true",
    };
    for (size_t i = 0; i < ARRAY_LEN(aborted); i++) {
        check_result("Bash", aborted[i], "Tool use aborted");
    }
    check_result("Bash", SELECTED(",\"optionId\":\"allow-always\""),
                 "Permission option was not offered: allow-always");
    check_result("Bash", SELECTED(",\"optionId\":\"allow-with-updates\""),
                 "Permission option was not offered: allow-with-updates");
    check_result("Bash", SELECTED(",\"optionId\":\"exit-plan-bypass\""),
                 "Permission option was not offered: exit-plan-bypass");
    check_result("ExitPlanMode", SELECTED(",\"optionId\":\"allow-once\""),
                 "Permission option was not offered: allow-once");
    check_result("Bash", SELECTED(",\"optionId\":\"Allow-once\""),
                 "Permission option was not offered: Allow-once");
    check_result("Bash", SELECTED(",\"optionId\":\"allow-once \""),
                 "Permission option was not offered: allow-once ");
    check_result("Bash", SELECTED(",\"optionId\":\"\""), "Permission option was not offered: ");
    check_result("Bash", SELECTED(""), "Permission option was not offered: undefined");
    check_result("Bash", SELECTED(",\"optionId\":null"), "Permission option was not offered: null");
    check_result("Bash", SELECTED(",\"optionId\":0"), "Permission option was not offered: 0");
    check_result("Bash", SELECTED(",\"optionId\":[\"allow-once\"]"),
                 "Permission option was not offered: [\"allow-once\"]");
    check_result("Bash", SELECTED(",\"optionId\":\"allow-once\",\"optionId\":\"x\""),
                 "Permission option was not offered: x");
    AUTO_DECISION(d);
    struct permission_offer *o = test_offer("Bash", "{}", NULL, NULL);
    test_decide_raw(o, SELECTED(",\"optionId\":\"allow-once\\u0000\""), false, &d);
    assert_int_equal(d.verdict, PERMISSION_ERROR);
    AUTO_DECISION(none);
    permission_offer_decide(o, JSON_NONE, false, &none);
    assert_str(permission_decision_text(&none), "Tool use aborted");
    permission_offer_free(o);
}

/* Without an input nothing can be allowed: an empty one could run something else than was shown. */
static void test_a_question_without_input(void **state)
{
    (void)state;
    check_answer("Bash", "[1]", NULL, "allow-once", PERMISSION_ERROR,
                 "The permission question has no tool input");
    check_answer("WebSearch", "null", NULL, "allow-with-updates", PERMISSION_ERROR,
                 "The permission question has no tool input");
    check_answer("Bash", "7", NULL, "reject", PERMISSION_DENY, REFUSED);
    struct permission_offer *o = test_offer("ExitPlanMode", "\"x\"", NULL, NULL);
    AUTO_DECISION(d);
    test_decide(o, "exit-plan-default", &d);
    assert_int_equal(d.verdict, PERMISSION_ERROR);
    assert_null(d.mode);
    permission_offer_free(o);
}

static void test_deny_without_a_person(void **state)
{
    (void)state;
    AUTO_BUF(b);
    permission_put_deny(&b, STR("t\"1"), "Session not found");
    assert_str(buf_str(&b),
               "{\"behavior\":\"deny\",\"message\":\"Session not found\",\"toolUseID\":\"t\\\"1\"}");
}

/* An input of any size goes back whole. */
static void test_a_large_input(void **state)
{
    (void)state;
    enum { SIZE = 5000000 };
    AUTO_BUF(input);
    buf_put_c(&input, "{\"content\":\"");
    buf_put_fill(&input, 'x', SIZE);
    buf_put_c(&input, "\"}");
    struct permission_offer *o = test_offer("Write", buf_c(&input), NULL, NULL);
    AUTO_DECISION(d);
    test_decide(o, "allow-once", &d);
    assert_true(str_has(permission_decision_text(&d), buf_str(&input)));
    permission_offer_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allow_once_passes_the_input_on),
        cmocka_unit_test(test_reject),
        cmocka_unit_test(test_the_snapshot_goes_back),
        cmocka_unit_test(test_generated_rules),
        cmocka_unit_test(test_a_skill_name_too_long),
        cmocka_unit_test(test_leaving_plan_mode),
        cmocka_unit_test(test_auto_without_support),
        cmocka_unit_test(test_anything_else_is_an_error),
        cmocka_unit_test(test_a_question_without_input),
        cmocka_unit_test(test_deny_without_a_person),
        cmocka_unit_test(test_a_large_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
