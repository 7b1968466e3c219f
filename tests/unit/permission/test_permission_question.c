/* AskUserQuestion: the form, and what the answers become. */
#include "permission/question.h"
#include "unit.h"

static struct question_form *form_of(const char *input)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"tool_name\":\"AskUserQuestion\",\"tool_use_id\":\"toolu_q1\",\"input\":%s}", input);
    struct json_doc *doc = parse_or_fail(buf_c(&b));
    struct permission_question q;
    assert_true(permission_question_read(&q, json_root(doc)));
    struct question_form *f = question_form_new(&q);
    assert_non_null(f);
    json_unref(doc); /* the form must not need it */
    return f;
}

static void check_form(const char *input, bool air, const char *message, const char *properties)
{
    struct question_form *f = form_of(input);
    AUTO_BUF(b);
    AUTO_BUF(expected);
    question_form_put_request(&b, f, STR("s1"), STR("toolu_q1"), air);
    buf_printf(&expected,
               "{\"mode\":\"form\",\"sessionId\":\"s1\",\"toolCallId\":\"toolu_q1\",\"message\":\"%s\","
               "\"requestedSchema\":{\"type\":\"object\",\"properties\":{%s}}}",
               message, properties);
    assert_str(buf_str(&b), buf_c(&expected));
    question_form_free(f);
}

#define SINGLE "Type your own answer, or add a note to the option you chose above (optional)."
#define MULTI  "Type your own answer to add to your selection above (optional)."
#define CUSTOM_META(id)                                                                                      \
    ",\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"customAnswer\":{\"questionId\":\"" id               \
    "\",\"isCustomAnswer\":true}}}}"
#define CUSTOM(id, description, meta)                                                                        \
    "\"" id "_custom\":{\"type\":\"string\",\"title\":\"Other\",\"description\":\"" description "\"" meta "}"
#define DB_INPUT                                                                                             \
    "{\"questions\":[{\"question\":\"Which db?\",\"header\":\"DB\",\"multiSelect\":false,\"options\":["      \
    "{\"label\":\"Redis\",\"description\":\"fast\"},"                                                        \
    "{\"label\":\"Postgres\",\"description\":\"solid\",\"preview\":\"CREATE TABLE\"}]}]}"
#define DB_SELECT                                                                                            \
    "\"question_0\":{\"type\":\"string\",\"title\":\"DB\",\"oneOf\":["                                       \
    "{\"const\":\"Redis\",\"title\":\"Redis\",\"description\":\"fast\"},"                                    \
    "{\"const\":\"Postgres\",\"title\":\"Postgres\",\"description\":\"solid\","                              \
    "\"_meta\":{\"_claude/askUserQuestionOption\":{\"preview\":\"CREATE TABLE\"}}}]}"

static void test_one_question(void **state)
{
    (void)state;
    check_form(DB_INPUT, true, "Which db?",
               DB_SELECT "," CUSTOM("question_0", SINGLE, CUSTOM_META("question_0")));
    check_form(DB_INPUT, false, "Which db?", DB_SELECT "," CUSTOM("question_0", SINGLE, ""));
}

#define TWO_INPUT                                                                                            \
    "{\"questions\":[null,{\"question\":7,\"options\":[{\"label\":\"x\"}]},{\"question\":\"none\","          \
    "\"options\":[]},"                                                                                       \
    "{\"question\":\"Q1\",\"header\":\"\",\"options\":[{\"label\":\"A\",\"description\":\"\",\"preview\":"   \
    "\"\"}]},"                                                                                               \
    "{\"question\":\"Q2\",\"multiSelect\":1,\"options\":[{\"label\":\"B\"},{\"label\":7},\"C\"]}]}"

static void test_several_questions(void **state)
{
    (void)state;
    check_form(TWO_INPUT, true, "Please answer the following questions.",
               "\"question_0\":{\"type\":\"string\",\"description\":\"Q1\",\"oneOf\":[{\"const\":\"A\","
               "\"title\":\"A\"}]}," CUSTOM("question_0", SINGLE,
                                            CUSTOM_META(
                                                "question_0")) ","
                                                               "\"question_1\":{\"type\":\"array\","
                                                               "\"description\":\"Q2\",\"items\":{\"anyOf\":["
                                                               "{\"const\":\"B\",\"title\":\"B\"}]}}," CUSTOM(
                                                                   "question_1", MULTI,
                                                                   CUSTOM_META("question_1")));
}

static void test_no_valid_questions(void **state)
{
    (void)state;
    static const char *const inputs[] = {
        "{}",
        "[]",
        "7",
        "{\"questions\":{}}",
        "{\"questions\":[]}",
        "{\"questions\":{\"a\":{\"question\":\"q\",\"options\":[{\"label\":\"x\"}]}}}",
        "{\"questions\":[[],\"x\",{\"question\":\"q\"},{\"question\":\"q\",\"options\":{\"label\":\"x\"}}]}",
        "{\"questions\":[{\"question\":\"q\",\"options\":[{}]}]}",
    };
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        struct question_form *f = form_of(inputs[i]);
        assert_int_equal(question_form_count(f), 0);
        AUTO_DECISION(d);
        AUTO_JSON(result) = parse_or_fail("{\"action\":\"accept\",\"content\":{}}");
        question_form_decide(f, json_root(result), &d);
        assert_int_equal(d.verdict, PERMISSION_DENY);
        assert_str(permission_decision_text(&d),
                   "{\"behavior\":\"deny\",\"message\":\"AskUserQuestion called with no valid questions.\","
                   "\"toolUseID\":\"toolu_q1\"}");
        question_form_free(f);
    }
}

static void check_decision(const char *input, const char *result, enum permission_verdict verdict,
                           const char *expected)
{
    struct question_form *f = form_of(input);
    AUTO_JSON(doc) = parse_or_fail(result);
    AUTO_DECISION(d);
    question_form_decide(f, json_root(doc), &d);
    assert_str(permission_decision_text(&d), expected);
    assert_int_equal(d.verdict, verdict);
    question_form_free(f);
}

/* The members behind the input's own `before` when the client accepts with `content`. */
static void check_answers(const char *before, const char *content, const char *added)
{
    AUTO_BUF(input);
    AUTO_BUF(result);
    AUTO_BUF(expected);
    buf_printf(&input, "{%s}", before);
    buf_printf(&result, "{\"action\":\"accept\",\"content\":%s}", content);
    buf_printf(&expected, "{\"behavior\":\"allow\",\"updatedInput\":{%s,%s},\"toolUseID\":\"toolu_q1\"}",
               before, added);
    check_decision(buf_c(&input), buf_c(&result), PERMISSION_ALLOW, buf_c(&expected));
}

#define OPTIONS "\"options\":[{\"label\":\"A\"}]"
#define ONE     "\"questions\":[{\"question\":\"Which db?\"," OPTIONS "}]"
#define MANY    "\"questions\":[{\"question\":\"M\",\"multiSelect\":true," OPTIONS "}]"
#define NONE    "\"answers\":{}"

static void test_single_select(void **state)
{
    (void)state;
    check_answers(ONE, "{\"question_0\":\"Redis\"}", "\"answers\":{\"Which db?\":\"Redis\"}");
    check_answers(
        ONE, "{\"question_0\":\"Redis\",\"question_0_custom\":\" a note \"}",
        "\"answers\":{\"Which db?\":\"Redis\"},\"annotations\":{\"Which db?\":{\"notes\":\"a note\"}}");
    check_answers(ONE, "{\"question_0_custom\":\" mine \"}", "\"answers\":{\"Which db?\":\"mine\"}");
    check_answers(ONE, "{\"question_0\":\"\",\"question_0_custom\":\"mine\"}",
                  "\"answers\":{\"Which db?\":\"mine\"}");
    check_answers(ONE, "{\"question_0\":null,\"question_0_custom\":\"mine\"}",
                  "\"answers\":{\"Which db?\":\"mine\"}");
    check_answers(ONE, "{\"question_0_custom\":\"  \"}", NONE);
    check_answers(ONE, "{\"question_0_custom\":7}", NONE);
    check_answers(ONE, "{}", NONE);
    check_answers(ONE, "{\"question_0\":[\"a\",\"\",\"b, c\"]}", "\"answers\":{\"Which db?\":\"a, b, c\"}");
    check_answers(ONE, "{\"question_0\":1.50}", "\"answers\":{\"Which db?\":\"1.5\"}");
    check_answers(ONE, "{\"question_0\":true}", "\"answers\":{\"Which db?\":\"true\"}");
    check_answers(ONE, "{\"question_1\":\"x\",\"question_00\":\"x\"}", NONE);
}

static void test_multi_select(void **state)
{
    (void)state;
    check_answers(MANY, "{\"question_0\":[\"A, B\",\"C\"],\"question_0_custom\":\" D \\\"q\\\" \"}",
                  "\"answers\":{\"M\":\"\\\"A, B\\\", C, \\\"D \\\\\\\"q\\\\\\\"\\\"\"}");
    check_answers(MANY, "{\"question_0\":[],\"question_0_custom\":\"x\"}", "\"answers\":{\"M\":\"x\"}");
    check_answers(MANY, "{\"question_0\":\"A\"}", "\"answers\":{\"M\":\"A\"}");
    check_answers(MANY, "{\"question_0\":[\"\"]}", NONE);
}

static void test_content_of_another_shape_is_no_answer(void **state)
{
    (void)state;
    static const char *const contents[] = {
        "null",
        "[]",
        "\"Redis\"",
        "{\"question_0\":{\"a\":1}}",
        "{\"question_0\":[1]}",
        "{\"question_0\":[[\"a\"]]}",
        "{\"question_0\":\"Redis\",\"other\":{}}",
    };
    for (size_t i = 0; i < ARRAY_LEN(contents); i++) {
        check_answers(ONE, contents[i], NONE);
    }
}

static void test_question_order_and_repeats(void **state)
{
    (void)state;
#define THREE                                                                                                \
    "\"questions\":[{\"question\":\"b\"," OPTIONS "},{\"question\":\"a\"," OPTIONS                           \
    "},{\"question\":\"b\"," OPTIONS "}]"
    check_answers(THREE, "{\"question_1\":\"2\",\"question_0\":\"1\"}",
                  "\"answers\":{\"b\":\"1\",\"a\":\"2\"}");
    check_answers(THREE, "{\"question_0\":\"1\",\"question_1\":\"2\",\"question_2\":\"3\"}",
                  "\"answers\":{\"b\":\"3\",\"a\":\"2\"}");
    check_answers(THREE, "{\"question_2\":\"3\",\"question_2_custom\":\"n\"}",
                  "\"answers\":{\"b\":\"3\"},\"annotations\":{\"b\":{\"notes\":\"n\"}}");
}

/* What the model put there is replaced where it stands, and the rest stays as it was written. */
static void test_the_input_is_kept(void **state)
{
    (void)state;
    check_decision("{\"answers\":{\"Which db?\":\"forged\"},\"n\":9007199254740993," ONE
                   ",\"annotations\":{\"x\":1},"
                   "\"answers\":\"again\"}",
                   "{\"action\":\"accept\",\"content\":{\"question_0\":\"A\"}}", PERMISSION_ALLOW,
                   "{\"behavior\":\"allow\",\"updatedInput\":{\"answers\":{\"Which "
                   "db?\":\"A\"},\"n\":9007199254740993," ONE
                   ",\"annotations\":{\"x\":1}},\"toolUseID\":\"toolu_q1\"}");
    check_decision(
        "{\"annotations\":1," ONE "}",
        "{\"action\":\"accept\",\"content\":{\"question_0\":\"A\",\"question_0_custom\":\"n\"}}",
        PERMISSION_ALLOW,
        "{\"behavior\":\"allow\",\"updatedInput\":{\"annotations\":{\"Which db?\":{\"notes\":\"n\"}}," ONE
        ",\"answers\":{\"Which db?\":\"A\"}},\"toolUseID\":\"toolu_q1\"}");
}

static void test_other_actions(void **state)
{
    (void)state;
    check_decision("{" ONE "}", "{\"action\":\"decline\",\"content\":{\"question_0\":\"A\"}}",
                   PERMISSION_ALLOW,
                   "{\"behavior\":\"allow\",\"updatedInput\":{" ONE
                   ",\"answers\":{}},\"toolUseID\":\"toolu_q1\"}");
    static const char *const aborted[] = {
        "{\"action\":\"cancel\"}",
        "{\"action\":\"ACCEPT\"}",
        "{\"action\":[\"accept\"]}",
        "{\"content\":{}}",
        "{}",
        "null",
        "\"accept\"",
        "[\"accept\"]",
    };
    for (size_t i = 0; i < ARRAY_LEN(aborted); i++) {
        check_decision("{" ONE "}", aborted[i], PERMISSION_ERROR, "Tool use aborted");
    }
    struct question_form *f = form_of("{" ONE "}");
    AUTO_DECISION(d);
    question_form_refuse(f, QUESTION_NOT_PRESENTED, &d);
    assert_str(permission_decision_text(&d),
               "{\"behavior\":\"deny\",\"message\":\"Could not present the question to the user.\","
               "\"toolUseID\":\"toolu_q1\"}");
    question_form_free(f);
}

static void test_ten_thousand_questions(void **state)
{
    (void)state;
    AUTO_BUF(input);
    buf_put_c(&input, "{\"questions\":[");
    for (int i = 0; i < 10000; i++) {
        buf_printf(&input, "%s{\"question\":\"q\",\"options\":[{\"label\":\"A\"}]}", i ? "," : "");
    }
    buf_put_c(&input, "]}");
    struct question_form *f = form_of(buf_c(&input));
    assert_int_equal(question_form_count(f), 100);
    AUTO_BUF(b);
    question_form_put_request(&b, f, STR("s"), STR("toolu_q1"), true);
    AUTO_JSON(request) = parse_or_fail(buf_c(&b));
    assert_int_equal(json_count(json_get(json_get(json_root(request), "requestedSchema"), "properties")),
                     200);
    question_form_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_question),
        cmocka_unit_test(test_several_questions),
        cmocka_unit_test(test_no_valid_questions),
        cmocka_unit_test(test_single_select),
        cmocka_unit_test(test_multi_select),
        cmocka_unit_test(test_content_of_another_shape_is_no_answer),
        cmocka_unit_test(test_question_order_and_repeats),
        cmocka_unit_test(test_the_input_is_kept),
        cmocka_unit_test(test_other_actions),
        cmocka_unit_test(test_ten_thousand_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
