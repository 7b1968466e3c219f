#include "unit.h"

#include "turn/usage.h"

#define START(model, in, out)                                                                                \
    "{\"model\":\"" model "\",\"usage\":{\"input_tokens\":" #in ",\"output_tokens\":" #out                   \
    ",\"cache_read_input_tokens\":null}}"
#define SPENT(in, out)  "\"usage\":{\"input_tokens\":" #in ",\"output_tokens\":" #out "}"
#define COUNTS(in, out) "{\"inputTokens\":" #in ",\"outputTokens\":" #out "}"
#define QUOTA(in, out, sum)                                                                                  \
    "{\"totalTokens\":" #sum ",\"inputTokens\":" #in ",\"cachedInputTokens\":0,\"cachedWriteTokens\":0,"     \
    "\"outputTokens\":" #out ",\"reasoningOutputTokens\":0}"

struct fixture {
    struct usage u;
    struct usage_turn turn;
    struct usage_windows windows;
};

static void begin(struct fixture *f)
{
    f->u = USAGE_INIT;
    f->turn = USAGE_TURN_INIT;
    f->windows = USAGE_WINDOWS_INIT;
}

static void end(struct fixture *f)
{
    usage_free(&f->u);
    usage_turn_free(&f->turn);
    usage_windows_clear(&f->windows);
}

static bool start(struct fixture *f, const char *message)
{
    AUTO_JSON(doc) = parse_or_fail(message);
    return usage_message_start(&f->u, json_root(doc));
}

static bool delta(struct fixture *f, const char *usage)
{
    AUTO_JSON(doc) = parse_or_fail(usage);
    return usage_message_delta(&f->u, json_root(doc));
}

static bool result(struct fixture *f, bool user, const char *text)
{
    AUTO_JSON(doc) = parse_or_fail(text);
    return usage_result(&f->u, user ? &f->turn : NULL, &f->windows, json_root(doc));
}

static void check_update(struct fixture *f, const char *result_text, const char *rate, const char *expected)
{
    AUTO_JSON(doc) = result_text ? parse_or_fail(result_text) : NULL;
    AUTO_JSON(limit) = rate ? parse_or_fail(rate) : NULL;
    AUTO_BUF(b);
    json_open_object(&b);
    usage_put_update(&b, &f->u, doc ? json_root(doc) : JSON_NONE, limit ? json_root(limit) : JSON_NONE);
    json_close_object(&b);
    assert_str(buf_str(&b), expected);
}

static void check_quota(struct fixture *f, const char *expected)
{
    AUTO_BUF(b);
    json_open_object(&b);
    usage_put_quota(&b, &f->turn);
    json_close_object(&b);
    assert_str(buf_str(&b), expected);
    usage_turn_free(&f->turn);
}

static void test_recorded_turn(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    assert_true(start(&f, START("claude-opus-5-5", 10, 1)));
    check_update(&f, NULL, NULL,
                 "{\"used\":11,\"size\":200000,\"_meta\":{\"_claude/model\":\"claude-opus-5-5\"}}");
    assert_true(delta(&f, "{\"output_tokens\":20}"));
    assert_false(delta(&f, "{\"output_tokens\":20,\"input_tokens\":null}"));
    const char *text =
        "{" SPENT(10, 20) ",\"total_cost_usd\":0.25,\"origin\":{\"kind\":\"task-notification\"},"
                          "\"modelUsage\":{\"claude-opus-5-5\":" COUNTS(10, 20) "}}";
    assert_true(result(&f, true, text));
    check_update(&f, text, NULL,
                 "{\"used\":30,\"size\":200000,\"cost\":{\"amount\":0.25,\"currency\":\"USD\"},"
                 "\"_meta\":{\"_claude/model\":\"claude-opus-5-5\",\"_claude/"
                 "origin\":{\"kind\":\"task-notification\"}}}");
    check_update(&f, NULL, "{\"status\":\"allowed\"}",
                 "{\"used\":30,\"size\":200000,\"_meta\":{\"_claude/model\":\"claude-opus-5-5\","
                 "\"_claude/rateLimit\":{\"status\":\"allowed\"}}}");
    AUTO_BUF(b);
    json_open_object(&b);
    usage_put_response(&b, &f.turn);
    json_close_object(&b);
    assert_str(buf_str(&b), "{\"usage\":{\"inputTokens\":10,\"outputTokens\":20,\"cachedReadTokens\":0,"
                            "\"cachedWriteTokens\":0,\"totalTokens\":30}}");
    check_quota(&f,
                "{\"quota\":{\"token_count\":" QUOTA(10, 20,
                                                     30) ",\"model_usage\":[{\"model\":\"claude-opus-5-5\","
                                                         "\"token_count\":" QUOTA(10, 20, 30) "}]}}");
    end(&f);
}

static void test_synthetic_and_local_turns_send_nothing(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    assert_false(start(&f, START("<synthetic>", 0, 0)));
    assert_false(delta(&f, "{\"output_tokens\":5}"));
    assert_false(result(&f, true, "{" SPENT(0, 0) ",\"modelUsage\":{}}"));
    check_update(&f, NULL, NULL, "{\"used\":0,\"size\":200000}");
    assert_true(start(&f, START("m", 1, 1)));
    assert_true(result(&f, true, "{}"));
    assert_false(result(&f, true, "{}"));
    assert_false(delta(&f, "{\"output_tokens\":5}"));
    end(&f);
}

static void test_answer_without_stream_events(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    AUTO_JSON(synthetic) = parse_or_fail(START("<synthetic>", 5, 5));
    usage_assistant(&f.u, json_root(synthetic));
    assert_false(result(&f, true, "{}"));
    AUTO_JSON(real) = parse_or_fail(START("m", 7, 2));
    usage_assistant(&f.u, json_root(real));
    assert_int_equal(f.u.used, 9);
    assert_true(result(&f, true, "{}"));
    assert_true(start(&f, START("m", 1, 1)));
    usage_assistant(&f.u, json_root(real));
    assert_int_equal(f.u.used, 2);
    end(&f);
}

static void test_rows_are_growth(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    result(&f, true, "{\"modelUsage\":{\"a\":" COUNTS(10, 5) ",\"b\":" COUNTS(1, 1) "}}");
    usage_turn_free(&f.turn);
    result(&f, true, "{\"modelUsage\":{\"a\":" COUNTS(15, 5) ",\"b\":" COUNTS(1, 1) ",\"c\":7}}");
    check_quota(&f, "{\"quota\":{\"token_count\":" QUOTA(
                        0, 0, 0) ",\"model_usage\":[{\"model\":\"a\",\"token_count\":" QUOTA(5, 0, 5) "}]}}");
    /* An autonomous cycle advances the reading and adds nothing. */
    result(&f, false, "{" SPENT(100, 100) ",\"modelUsage\":{\"a\":" COUNTS(30, 9) "}}");
    result(&f, true, "{\"modelUsage\":{\"a\":" COUNTS(31, 9) "}}");
    check_quota(&f, "{\"quota\":{\"token_count\":" QUOTA(
                        0, 0, 0) ",\"model_usage\":[{\"model\":\"a\",\"token_count\":" QUOTA(1, 0, 1) "}]}}");
    /* A counter that fell: the totals began anew. */
    result(&f, true, "{\"modelUsage\":{\"a\":" COUNTS(3, 20) "}}");
    check_quota(&f,
                "{\"quota\":{\"token_count\":" QUOTA(
                    0, 0, 0) ",\"model_usage\":[{\"model\":\"a\",\"token_count\":" QUOTA(3, 20, 23) "}]}}");
    /* Two results of one turn add up. */
    result(&f, true, "{" SPENT(1, 2) ",\"modelUsage\":{\"a\":" COUNTS(4, 20) "}}");
    result(&f, true, "{" SPENT(1, 2) ",\"modelUsage\":{\"a\":" COUNTS(5, 21) "}}");
    check_quota(&f, "{\"quota\":{\"token_count\":" QUOTA(
                        2, 4, 6) ",\"model_usage\":[{\"model\":\"a\",\"token_count\":" QUOTA(2, 1, 3) "}]}}");
    end(&f);
}

static void test_first_result_after_resume(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    usage_resumed(&f.u);
    start(&f, START("m-1", 3, 1));
    result(&f, true,
           "{" SPENT(3, 4) ",\"modelUsage\":{\"m-1\":" COUNTS(1000, 400) ",\"h\":" COUNTS(9, 9) "}}");
    check_quota(&f,
                "{\"quota\":{\"token_count\":" QUOTA(
                    3, 4, 7) ",\"model_usage\":[{\"model\":\"m-1\",\"token_count\":" QUOTA(3, 4, 7) "}]}}");
    result(&f, true,
           "{" SPENT(1, 1) ",\"modelUsage\":{\"m-1\":" COUNTS(1001, 401) ",\"h\":" COUNTS(9, 9) "}}");
    check_quota(&f,
                "{\"quota\":{\"token_count\":" QUOTA(
                    1, 1, 2) ",\"model_usage\":[{\"model\":\"m-1\",\"token_count\":" QUOTA(1, 1, 2) "}]}}");
    end(&f);

    begin(&f); /* the model is not known */
    usage_resumed(&f.u);
    result(&f, true, "{" SPENT(3, 4) ",\"modelUsage\":{\"m\":" COUNTS(1000, 400) "}}");
    check_quota(&f, "{\"quota\":{\"token_count\":" QUOTA(3, 4, 7) ",\"model_usage\":[]}}");
    end(&f);
}

static void select_model(struct fixture *f, const char *backend, const char *id, const char *resolved,
                         const char *name)
{
    struct usage_model m = {str_of(id), str_of(resolved), str_of(name), STR_ABSENT};
    usage_select_model(&f->u, &f->windows, str_of(backend), &m);
}

static void test_window_size(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    select_model(&f, "anthropic", "opus[1m]", NULL, NULL);
    assert_int_equal(f.u.size, 1000000);
    select_model(&f, "anthropic", "x", "y", "Opus (1M context)");
    assert_int_equal(f.u.size, 1000000);
    select_model(&f, "anthropic", "x1m", "y-1mb", "11m");
    assert_int_equal(f.u.size, 200000);

    select_model(&f, "anthropic", "default", "claude-opus-5-5", NULL);
    AUTO_JSON(answer) = parse_or_fail("{\"rawMaxTokens\":123}");
    assert_false(usage_context_answer(&f.u, json_root(answer), STR("other")));
    assert_true(usage_context_answer(&f.u, json_root(answer), STR("default")));
    assert_int_equal(f.u.size, 123);
    AUTO_JSON(zero) = parse_or_fail("{\"rawMaxTokens\":0}");
    assert_false(usage_context_answer(&f.u, json_root(zero), STR("default")));

    start(&f, START("claude-opus-5-5", 1, 1));
    result(&f, true,
           "{\"modelUsage\":{\"claude-haiku\":{\"contextWindow\":5},"
           "\"claude-opus-5-5\":{\"contextWindow\":500000}}}");
    assert_int_equal(f.u.size, 500000);
    result(&f, true, "{\"modelUsage\":{\"claude-opus-5-5\":{\"contextWindow\":0}}}");
    assert_int_equal(f.u.size, 500000);

    select_model(&f, "anthropic", "haiku", NULL, NULL);
    assert_int_equal(f.u.size, 200000);
    select_model(&f, "anthropic", "opus", "claude-opus-5-5", "1m");
    assert_int_equal(f.u.size, 500000);
    select_model(&f, "bedrock", "opus", "claude-opus-5-5", NULL);
    assert_int_equal(f.u.size, 200000);
    usage_windows_clear(&f.windows);
    select_model(&f, "anthropic", "opus", "claude-opus-5-5", NULL);
    assert_int_equal(f.u.size, 200000);
    end(&f);
}

static void test_compaction(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    start(&f, START("m", 10, 1));
    AUTO_JSON(doc) =
        parse_or_fail("[{\"compact_metadata\":{\"post_tokens\":2548}},{\"compact_metadata\":null}]");
    usage_compacted(&f.u, json_nth(json_root(doc), 0));
    assert_int_equal(f.u.used, 2548);
    usage_compacted(&f.u, json_nth(json_root(doc), 1));
    assert_int_equal(f.u.used, 0);
    end(&f);
}

static void test_hostile_figures(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    assert_true(start(&f, "{\"model\":\"m\",\"usage\":{\"input_tokens\":1e999,\"output_tokens\":1e300,"
                          "\"cache_read_input_tokens\":-5,\"cache_creation_input_tokens\":\"7\"}}"));
    assert_int_equal(f.u.used, INT64_C(9007199254740992));
    assert_false(start(&f, "{\"model\":\"m\",\"usage\":[]}"));
    assert_false(start(&f, "[]"));
    assert_false(delta(&f, "null"));
    const char *odd = "{\"usage\":{\"input_tokens\":9e15,\"output_tokens\":9e15},\"total_cost_usd\":1e999,"
                      "\"origin\":null,\"modelUsage\":{\"a\":[],\"b\":null,\"\":{\"inputTokens\":9e300},"
                      "\"m\":{\"contextWindow\":\"9\"}}}";
    result(&f, true, odd);
    result(&f, true, odd);
    check_update(&f, odd, NULL,
                 "{\"used\":9007199254740992,\"size\":200000,\"_meta\":{\"_claude/model\":\"m\"}}");
    AUTO_BUF(b);
    usage_put_response(&b, &f.turn);
    assert_true(str_has(buf_str(&b), STR("\"totalTokens\":9007199254740992")));
    const char *others[] = {"null", "[]", "{\"usage\":7,\"modelUsage\":[1]}", "{\"modelUsage\":\"x\"}"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        result(&f, true, others[i]);
    }
    buf_clear(&b);
    buf_put_c(&b, "{\"modelUsage\":{");
    for (int i = 0; i < 1000; i++) {
        buf_printf(&b, "%s\"m%d\":{\"inputTokens\":1,\"contextWindow\":10}", i ? "," : "", i);
    }
    buf_put_c(&b, "}}");
    usage_turn_free(&f.turn);
    result(&f, true, buf_c(&b));
    assert_true(f.turn.models.n <= 256);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_turn),
        cmocka_unit_test(test_synthetic_and_local_turns_send_nothing),
        cmocka_unit_test(test_answer_without_stream_events),
        cmocka_unit_test(test_rows_are_growth),
        cmocka_unit_test(test_first_result_after_resume),
        cmocka_unit_test(test_window_size),
        cmocka_unit_test(test_compaction),
        cmocka_unit_test(test_hostile_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
