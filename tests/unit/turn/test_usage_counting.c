/* How token figures are read, added up, and told apart by model. */
#include "unit.h"

#include "turn/usage.h"

static void result(struct usage *u, struct usage_turn *t, const char *text)
{
    AUTO_JSON(doc) = parse_or_fail(text);
    (void)usage_result(u, t, NULL, json_root(doc));
}

static bool start(struct usage *u, const char *text)
{
    AUTO_JSON(doc) = parse_or_fail(text);
    return usage_message_start(u, json_root(doc));
}

static void check(struct usage_turn *t, void (*put)(struct buf *, const struct usage_turn *),
                  const char *expected)
{
    AUTO_BUF(b);
    json_open_object(&b);
    put(&b, t);
    json_close_object(&b);
    assert_str(buf_str(&b), expected);
}

#define MODEL(in, out, read, written)                                                                        \
    "{\"inputTokens\":" #in ",\"outputTokens\":" #out ",\"cacheReadInputTokens\":" #read                     \
    ",\"cacheCreationInputTokens\":" #written "}"
#define SPENT(in, out, read, written)                                                                        \
    "{\"input_tokens\":" #in ",\"output_tokens\":" #out ",\"cache_read_input_tokens\":" #read                \
    ",\"cache_creation_input_tokens\":" #written "}"
#define COUNT(sum, in, read, written, out)                                                                   \
    "{\"totalTokens\":" #sum ",\"inputTokens\":" #in ",\"cachedInputTokens\":" #read                         \
    ",\"cachedWriteTokens\":" #written ",\"outputTokens\":" #out ",\"reasoningOutputTokens\":0}"
#define ROW(model, count) "{\"model\":\"" model "\",\"token_count\":" count "}"
#define ZEROS             COUNT(0, 0, 0, 0, 0)

static void test_all_four_counters(void **state)
{
    (void)state;
    struct usage u = USAGE_INIT;
    struct usage_turn t = USAGE_TURN_INIT;
    result(&u, NULL, "{\"modelUsage\":{\"m\":" MODEL(1000, 1000, 1000, 1000) "}}");
    result(&u, &t,
           "{\"usage\":" SPENT(1, 2, 3, 4) ",\"modelUsage\":{\"m\":" MODEL(1001, 1002, 1003, 1004) "}}");
    result(&u, &t,
           "{\"usage\":" SPENT(10, 20, 30, 40) ",\"modelUsage\":{\"m\":" MODEL(1011, 1022, 1033, 1044) "}}");
    check(
        &t, usage_put_response,
        "{\"usage\":{\"inputTokens\":11,\"outputTokens\":22,\"cachedReadTokens\":33,\"cachedWriteTokens\":44,"
        "\"totalTokens\":110}}");
    check(&t, usage_put_quota,
          "{\"quota\":{\"token_count\":" COUNT(110, 11, 33, 44,
                                               22) ",\"model_usage\":[" ROW("m", COUNT(110, 11, 33, 44,
                                                                                       22)) "]}}");
    usage_turn_free(&t);
    usage_free(&u);
}

/* A counter of the totals that is below the last reading: they began anew. */
static void test_any_counter_that_fell(void **state)
{
    (void)state;
    const char *later[] = {MODEL(1, 9, 9, 9), MODEL(9, 1, 9, 9), MODEL(9, 9, 1, 9), MODEL(9, 9, 9, 1)};
    const char *rows[] = {ROW("m", COUNT(28, 1, 9, 9, 9)), ROW("m", COUNT(28, 9, 9, 9, 1)),
                          ROW("m", COUNT(28, 9, 1, 9, 9)), ROW("m", COUNT(28, 9, 9, 1, 9))};
    for (size_t i = 0; i < ARRAY_LEN(later); i++) {
        struct usage u = USAGE_INIT;
        struct usage_turn t = USAGE_TURN_INIT;
        result(&u, NULL, "{\"modelUsage\":{\"m\":" MODEL(5, 5, 5, 5) "}}");
        AUTO_BUF(text);
        buf_printf(&text, "{\"modelUsage\":{\"m\":%s}}", later[i]);
        result(&u, &t, buf_c(&text));
        AUTO_BUF(expected);
        buf_printf(&expected, "{\"quota\":{\"token_count\":" ZEROS ",\"model_usage\":[%s]}}", rows[i]);
        check(&t, usage_put_quota, buf_c(&expected));
        usage_turn_free(&t);
        usage_free(&u);
    }
}

static void test_figures_are_brought_within(void **state)
{
    (void)state;
    struct usage u = USAGE_INIT;
    assert_true(start(&u, "{\"model\":\"m\",\"usage\":" SPENT(9007199254740991, 0, -1, 0) "}"));
    assert_int_equal(u.used, INT64_C(9007199254740991));
    assert_true(start(&u, "{\"model\":\"m\",\"usage\":" SPENT(9007199254740990, 1, 1, 0) "}"));
    assert_int_equal(u.used, INT64_C(9007199254740992));
    assert_false(start(&u, "{\"model\":\"m\",\"usage\":" SPENT(9007199254740990, 1, 1, 1) "}"));
    assert_int_equal(u.used, INT64_C(9007199254740992)); /* and no more */
    assert_true(start(&u, "{\"model\":\"m\",\"usage\":" SPENT(1e999, 0.5, 1.5, null) "}"));
    assert_int_equal(u.used, 1);
    usage_free(&u);
}

static void test_many_models(void **state)
{
    (void)state;
    struct usage u = USAGE_INIT;
    struct usage_turn t = USAGE_TURN_INIT;
    AUTO_BUF(text);
    buf_put_c(&text, "{\"modelUsage\":{");
    for (int i = 0; i < 300; i++) {
        buf_printf(&text, "%s\"m%d\":{\"inputTokens\":1}", i ? "," : "", i);
    }
    buf_put_c(&text, "}}");
    result(&u, &t, buf_c(&text));
    assert_int_equal(t.models.n, 256);
    assert_true(str_eq((str){t.models.rows[255].model, t.models.rows[255].model_len}, STR("m255")));
    result(&u, &t,
           "{\"modelUsage\":{\"more\":{\"inputTokens\":1}}}"); /* a further one has no room in the turn */
    assert_int_equal(t.models.n, 256);
    usage_turn_free(&t);
    usage_free(&u);
}

static void answer(struct usage *u, struct usage_windows *w, const char *model, const char *model_usage)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"model\":\"%s\",\"usage\":{}}", model);
    (void)start(u, buf_c(&b));
    buf_clear(&b);
    buf_printf(&b, "{\"modelUsage\":%s}", model_usage);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&b));
    (void)usage_result(u, NULL, w, json_root(doc));
}

/* The row of the longest common beginning tells the window of the model that answered. */
static void test_the_row_of_a_model(void **state)
{
    (void)state;
    const struct {
        const char *model, *rows;
        int64_t size;
    } cases[] = {
        {"opus-5-x",
         "{\"opus-4\":{\"contextWindow\":4},\"opus-5\":{\"contextWindow\":5},\"o\":{\"contextWindow\":1}}",
         5},
        {"opus-5-x",
         "{\"o\":{\"contextWindow\":1},\"opus-5\":{\"contextWindow\":5},\"opus-4\":{\"contextWindow\":4}}",
         5},
        {"opus", "{\"opus-5\":{\"contextWindow\":5},\"opus-4\":{\"contextWindow\":4}}",
         5}, /* of equals the first */
        {"opus", "{\"opus\":{\"contextWindow\":5},\"opus\":{\"contextWindow\":4}}",
         4}, /* of one key the last */
        {"opus", "{\"sonnet\":{\"contextWindow\":5}}", 200000},
        {"opus", "{\"Xpus\":{\"contextWindow\":5},\"\":{\"contextWindow\":6}}", 200000},
        {"opus", "{\"sonnet\":{\"contextWindow\":5},\"sonnet\":{\"contextWindow\":4}}", 200000},
        {"opus", "{\"o\":{\"contextWindow\":5},\"haiku\":{\"contextWindow\":6},\"o\":{\"contextWindow\":7}}",
         7},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct usage u = USAGE_INIT;
        answer(&u, NULL, cases[i].model, cases[i].rows);
        assert_int_equal(u.size, cases[i].size);
        usage_free(&u);
    }
}

static int64_t size_of(const struct usage_windows *w, const char *backend, const char *id, const char *name)
{
    struct usage u = USAGE_INIT;
    struct usage_model m = {str_of(id), STR_ABSENT, str_of(name), STR_ABSENT};
    usage_select_model(&u, w, str_of(backend), &m);
    int64_t size = u.size;
    usage_free(&u);
    return size;
}

static void test_the_word_1m(void **state)
{
    (void)state;
    const struct {
        const char *name;
        bool large;
    } cases[] = {
        {"1m", true},   {"1M", true},   {"x 1m", true}, {"1m x", true}, {"[1m]", true},  {"1", false},
        {"m", false},   {"1n", false},  {"2m", false},  {"a1m", false}, {"z1m", false},  {"A1m", false},
        {"Z1m", false}, {"01m", false}, {"91m", false}, {"_1m", false}, {"1ma", false},  {"1mz", false},
        {"1mA", false}, {"1mZ", false}, {"1m0", false}, {"1m9", false}, {"1m_", false},  {"11m", false},
        {"@1m", true},  {"[1m{", true}, {"/1m:", true}, {"`1m`", true}, {"1m1m", false}, {"11 1m", true},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(size_of(NULL, "b", "id", cases[i].name), cases[i].large ? 1000000 : 200000);
    }
}

static void test_windows_are_learned_by_backend_and_model(void **state)
{
    (void)state;
    struct usage_windows w = USAGE_WINDOWS_INIT;
    struct usage u = USAGE_INIT;
    struct usage_model m = {STR("x"), STR_ABSENT, STR_ABSENT, STR_ABSENT};
    usage_select_model(&u, &w, STR("ab"), &m);
    answer(&u, &w, "cd", "{\"cd\":{\"contextWindow\":7}}");
    assert_int_equal(size_of(&w, "ab", "cd", NULL), 7);
    assert_int_equal(size_of(&w, "abc", "d", NULL), 200000);
    assert_int_equal(size_of(&w, "a", "bcd", NULL), 200000);
    assert_int_equal(size_of(&w, "ab", "", NULL), 200000);
    usage_free(&u);
    usage_windows_clear(&w);
    assert_int_equal(size_of(&w, "ab", "cd", NULL), 200000);
}

/* The total is told when it changed, and once in each turn. */
static void test_when_a_total_is_told(void **state)
{
    (void)state;
    struct usage u = USAGE_INIT;
    static const char SAME[] = "{\"model\":\"m\",\"usage\":" SPENT(1, 1, 0, 0) "}";
    assert_true(start(&u, SAME));
    assert_false(start(&u, SAME));
    usage_turn_began(&u);
    assert_true(start(&u, SAME));
    assert_false(start(&u, SAME));
    usage_turn_began(&u);
    AUTO_JSON(message) = parse_or_fail("{\"model\":\"n\",\"usage\":" SPENT(1, 1, 0, 0) "}");
    usage_assistant(&u, json_root(message)); /* tells nobody */
    assert_str(buf_str(&u.model), "n");
    assert_true(start(&u, SAME));
    usage_free(&u);
}

static void test_a_turn_tells_nothing_of_the_one_before(void **state)
{
    (void)state;
    struct usage u = USAGE_INIT;
    assert_true(start(&u, "{\"model\":\"m\",\"usage\":" SPENT(1, 1, 0, 0) "}"));
    usage_turn_began(&u);
    AUTO_JSON(empty) = parse_or_fail("{}");
    AUTO_JSON(delta) = parse_or_fail("{\"output_tokens\":5}");
    assert_false(usage_message_delta(&u, json_root(delta)));
    assert_false(usage_result(&u, NULL, NULL, json_root(empty)));
    AUTO_JSON(message) = parse_or_fail("{\"model\":\"m\",\"usage\":" SPENT(7, 1, 0, 0) "}");
    usage_assistant(&u, json_root(message)); /* nothing of this turn was streamed */
    assert_int_equal(u.used, 8);
    usage_free(&u);
}

static void test_a_compaction_is_a_known_total(void **state)
{
    (void)state;
    struct usage u = USAGE_INIT;
    AUTO_JSON(message) = parse_or_fail("{\"model\":\"m\"}"); /* an answer without figures */
    AUTO_JSON(empty) = parse_or_fail("{}");
    usage_assistant(&u, json_root(message));
    assert_false(usage_result(&u, NULL, NULL, json_root(empty)));
    AUTO_JSON(boundary) = parse_or_fail("{\"compact_metadata\":{\"post_tokens\":9}}");
    usage_compacted(&u, json_root(boundary));
    usage_assistant(&u, json_root(message));
    assert_true(usage_result(&u, NULL, NULL, json_root(empty)));
    usage_free(&u);
}

/* An empty conversation: nothing is spent, and the totals of its process begin at nothing. */
static void test_another_conversation(void **state)
{
    (void)state;
    struct usage u = USAGE_INIT;
    struct usage_turn t = USAGE_TURN_INIT;
    assert_true(start(&u, "{\"model\":\"m\",\"usage\":" SPENT(1, 1, 1, 1) "}"));
    result(&u, NULL, "{\"modelUsage\":{\"m\":" MODEL(5, 5, 5, 5) "}}");
    usage_resumed(&u);
    usage_begin_anew(&u);
    assert_int_equal(u.used, 0);
    AUTO_JSON(delta) = parse_or_fail("{\"output_tokens\":5}");
    assert_false(usage_message_delta(&u, json_root(delta)));
    (void)start(&u, "{\"model\":\"m\",\"usage\":{}}");
    assert_true(usage_message_delta(&u, json_root(delta)));
    assert_int_equal(u.used, 5); /* with nothing of the message before */
    result(&u, &t, "{\"modelUsage\":{\"m\":" MODEL(6, 6, 6, 6) "}}");
    check(&t, usage_put_quota,
          "{\"quota\":{\"token_count\":" ZEROS ",\"model_usage\":[" ROW("m", COUNT(24, 6, 6, 6, 6)) "]}}");
    usage_turn_free(&t);
    usage_free(&u);
}

/* The first readable totals of a resumed process are a base line; until they come there is none. */
static void test_the_base_line_of_a_resumed_process(void **state)
{
    (void)state;
    struct usage u = USAGE_INIT;
    struct usage_turn t = USAGE_TURN_INIT;
    result(&u, NULL, "{\"modelUsage\":{\"m\":" MODEL(50, 0, 0, 0) "}}");
    usage_resumed(&u);
    result(&u, &t, "{\"modelUsage\":7}");
    result(&u, &t, "{\"modelUsage\":{\"m\":" MODEL(100, 0, 0, 0) "}}");
    check(&t, usage_put_quota, "{\"quota\":{\"token_count\":" ZEROS ",\"model_usage\":[]}}");
    result(&u, &t, "{\"modelUsage\":{\"m\":" MODEL(101, 0, 0, 0) "}}");
    check(&t, usage_put_quota,
          "{\"quota\":{\"token_count\":" ZEROS ",\"model_usage\":[" ROW("m", COUNT(1, 1, 0, 0, 0)) "]}}");
    usage_turn_free(&t);
    usage_free(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_four_counters),
        cmocka_unit_test(test_any_counter_that_fell),
        cmocka_unit_test(test_figures_are_brought_within),
        cmocka_unit_test(test_many_models),
        cmocka_unit_test(test_the_row_of_a_model),
        cmocka_unit_test(test_the_word_1m),
        cmocka_unit_test(test_windows_are_learned_by_backend_and_model),
        cmocka_unit_test(test_when_a_total_is_told),
        cmocka_unit_test(test_a_turn_tells_nothing_of_the_one_before),
        cmocka_unit_test(test_a_compaction_is_a_known_total),
        cmocka_unit_test(test_another_conversation),
        cmocka_unit_test(test_the_base_line_of_a_resumed_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
