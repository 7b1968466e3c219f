#include "prompt/usage_text.h"
#include "unit.h"

#define TOTALS                                                                                               \
    "\"session\":{\"total_cost_usd\":0.005,\"total_api_duration_ms\":12000,\"total_duration_ms\":184499,"    \
    "\"model_usage\":{}}"
#define TOTALS_TEXT                                                                                          \
    "\n\n---\n\n### This session\n\n| Cost | API time | Active |\n|:--|:--|:--|\n| $0.01 | 12s | 3m 4s |"    \
    "\n\n| Breakdown | Tokens |\n|:--|--:|\n| Input | 0 |\n| Output | 0 |\n| Cache read | 0 |\n"             \
    "| Cache write | 0 |"
#define NO_PLAN "\"subscription_type\":null,\"rate_limits_available\":false,\"rate_limits\":null"

/* What an answer is made into; "(refused)" when it is not known. */
static void assert_usage(const char *json_text, const char *expected)
{
    AUTO_JSON(doc) = parse_or_fail(json_text);
    AUTO_BUF(b);
    bool ok = usage_text_put(&b, json_root(doc));
    assert_true(buf_ok(&b));
    assert_str(ok ? buf_str(&b) : STR("(refused)"), expected);
}

static void assert_refused(const char *json_text)
{
    assert_usage(json_text, "(refused)");
}

static void test_an_api_key(void **state)
{
    (void)state;
    assert_usage("{" TOTALS "," NO_PLAN ",\"behaviors\":null}", "## Usage" TOTALS_TEXT);
}

/* The first table of a session with these totals. */
static void assert_totals(const char *cost, const char *api_ms, const char *ms, const char *expected)
{
    AUTO_BUF(text);
    AUTO_BUF(b);
    buf_printf(&text,
               "{\"session\":{\"total_cost_usd\":%s,\"total_api_duration_ms\":%s,\"total_duration_ms\":%s,"
               "\"model_usage\":{}}," NO_PLAN ",\"behaviors\":null}",
               cost, api_ms, ms);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&text));
    bool ok = usage_text_put(&b, json_root(doc));
    str row = str_from(buf_str(&b), str_find(buf_str(&b), STR("\n| $"), 0) + 1);
    assert_str(ok ? str_first(row, str_find_byte(row, '\n', 0)) : STR("(refused)"), expected);
}

static void test_costs_and_times(void **state)
{
    (void)state;
    assert_totals("0", "0", "499", "| $0.00 | 0s | 0s |");
    assert_totals("0.004", "500", "59499", "| $0.00 | 1s | 59s |");
    assert_totals("1234.5678", "59500", "60000", "| $1234.57 | 1m | 1m |");
    assert_totals("1e2", "61000", "86400000", "| $100.00 | 1m 1s | 1440m |");
    assert_totals("9007199254740992", "9007199254740992", "0",
                  "| $9007199254740992.00 | 150119987579m 1s | 0s |");
    assert_totals("-0.001", "0", "0", "(refused)");
    assert_totals("0", "-1", "0", "(refused)");
    assert_totals("0", "0", "1e300", "(refused)");
    assert_totals("1e999", "0", "0", "(refused)");
    assert_totals("\"0\"", "0", "0", "(refused)");
    assert_totals("null", "0", "0", "(refused)");
}

/* The tokens of models, as the four cells of the second table. */
static void assert_tokens(const char *models, const char *expected)
{
    AUTO_BUF(text);
    AUTO_BUF(b);
    buf_printf(&text,
               "{\"session\":{\"total_cost_usd\":0,\"total_api_duration_ms\":0,\"total_duration_ms\":0,"
               "\"model_usage\":%s}," NO_PLAN ",\"behaviors\":null}",
               models);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&text));
    bool ok = usage_text_put(&b, json_root(doc));
    str table = str_from(buf_str(&b), str_find(buf_str(&b), STR("| Input"), 0));
    assert_str(ok ? table : STR("(refused)"), expected);
}

#define MODEL(in, out, read, written)                                                                        \
    "{\"inputTokens\":" #in ",\"outputTokens\":" #out ",\"cacheReadInputTokens\":" #read                     \
    ",\"cacheCreationInputTokens\":" #written "}"
#define CELLS(in, out, read, written)                                                                        \
    "| Input | " in " |\n| Output | " out " |\n| Cache read | " read " |\n| Cache write | " written " |"

static void test_tokens(void **state)
{
    (void)state;
    assert_tokens("{\"m\":" MODEL(999, 1000, 1049, 1050) "}", CELLS("999", "1K", "1K", "1.1K"));
    assert_tokens("{\"m\":" MODEL(1249, 1250, 9949, 9950) "}", CELLS("1.2K", "1.3K", "9.9K", "10K"));
    assert_tokens("{\"m\":" MODEL(99949, 99950, 999949, 999950) "}", CELLS("99.9K", "100K", "999.9K", "1M"));
    assert_tokens("{\"m\":" MODEL(12345678, 1234567890, 12345678901, 1234567890123) "}",
                  CELLS("12.3M", "1.2B", "12.3B", "1.2T"));
    assert_tokens("{\"m\":" MODEL(1e15, 9007199254740992, 0.4, 999.6) "}",
                  CELLS("1000T", "9007.2T", "0", "1K"));
    assert_tokens("{\"a\":" MODEL(1, 2, 3, 4) ",\"b\":" MODEL(10, 20, 30, 40) "}",
                  CELLS("11", "22", "33", "44"));
    /* Of equal keys the last one counts. */
    assert_tokens("{\"a\":" MODEL(1, 2, 3, 4) ",\"a\":" MODEL(10, 20, 30, 40) "}",
                  CELLS("10", "20", "30", "40"));
    assert_tokens("{\"a\":" MODEL(9007199254740992, 0, 0, 0) ",\"b\":" MODEL(9007199254740992, 0, 0, 0) "}",
                  CELLS("9007.2T", "0", "0", "0"));
    assert_tokens("{\"m\":" MODEL(-1, 0, 0, 0) "}", "(refused)");
    assert_tokens("{\"m\":" MODEL(1e17, 0, 0, 0) "}", "(refused)");
    assert_tokens("{\"m\":{\"inputTokens\":1}}", "(refused)");
    assert_tokens("{\"m\":null}", "(refused)");
    assert_tokens("{\"m\":[]}", "(refused)");
    assert_tokens("[]", "(refused)");
    assert_tokens("null", "(refused)");
}

#define BAR_0  "`░░░░░░░░░░░░░░░░░░░░`"
#define BAR_1  "`█░░░░░░░░░░░░░░░░░░░`"
#define BAR_3  "`███░░░░░░░░░░░░░░░░░`"
#define BAR_20 "`████████████████████`"

/* The text up to the session's part, for a subscription of this type (JSON) with these limits. */
static void assert_limits(const char *plan, const char *available, const char *limits, const char *expected)
{
    AUTO_BUF(text);
    AUTO_BUF(b);
    assert_int_equal(setenv("TZ", "UTC0", 1), 0);
    buf_printf(&text,
               "{" TOTALS ",\"subscription_type\":%s,\"rate_limits_available\":%s,\"rate_limits\":%s,"
               "\"behaviors\":null}",
               plan, available, limits);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&text));
    bool ok = usage_text_put(&b, json_root(doc));
    str head = str_first(buf_str(&b), str_find(buf_str(&b), STR("\n\n---"), 0));
    assert_str(ok ? head : STR("(refused)"), expected);
}

static void test_limits(void **state)
{
    (void)state;
    assert_limits("\"max\"", "true",
                  "{\"five_hour\":{\"utilization\":0,\"resets_at\":\"2026-12-01T10:00:00Z\"},"
                  "\"seven_day\":{\"utilization\":0.4,\"resets_at\":null},"
                  "\"seven_day_opus\":{\"utilization\":12.5,\"resets_at\":\"*soon*\\n\"},"
                  "\"seven_day_sonnet\":{\"utilization\":97.5,\"resets_at\":\"\"}}",
                  "## Usage\n\n> Claude max subscription usage\n\n### Limits\n\n"
                  "**5-hour limit** — **0%** · Resets Dec 1, 10:00 AM UTC\n\n" BAR_0 "\n\n"
                  "**Weekly · all models** — **0.4%**\n\n" BAR_1 "\n\n"
                  "**Weekly · Opus** — **12.5%** · Resets \\*soon\\* \n\n" BAR_3 "\n\n"
                  "**Weekly · Sonnet** — **97.5%**\n\n" BAR_20);
    assert_limits("\"Max_5x\\n<b>\"", "true",
                  "{\"five_hour\":null,\"seven_day_opus\":{\"utilization\":50,\"resets_at\":null},"
                  "\"model_scoped\":[{\"display_name\":\"Fable*|\",\"utilization\":100,\"resets_at\":null},"
                  "{\"display_name\":\"Nil\",\"utilization\":null,\"resets_at\":null}]}",
                  "## Usage\n\n> Claude Max\\_5x \\<b\\> subscription usage\n\n### Limits\n\n"
                  "**Weekly · Fable\\*\\|** — **100%**\n\n" BAR_20);
}

static void test_no_limits(void **state)
{
    (void)state;
    assert_limits("\"\"", "true", "{}", "## Usage");
    assert_limits("null", "true", "null", "## Usage");
    assert_limits("null", "true",
                  "{\"five_hour\":{\"utilization\":null,\"resets_at\":null},\"model_scoped\":[]}",
                  "## Usage");
    assert_limits("null", "false", "{\"five_hour\":{\"utilization\":5,\"resets_at\":null}}", "## Usage");
}

static void test_malformed_limits(void **state)
{
    (void)state;
    static const char *const limits[] = {
        "5",
        "[]",
        "\"x\"",
        "{\"five_hour\":5}",
        "{\"five_hour\":[]}",
        "{\"five_hour\":{}}",
        "{\"five_hour\":{\"utilization\":5}}",
        "{\"five_hour\":{\"resets_at\":null}}",
        "{\"five_hour\":{\"utilization\":\"5\",\"resets_at\":null}}",
        "{\"five_hour\":{\"utilization\":100.1,\"resets_at\":null}}",
        "{\"five_hour\":{\"utilization\":-5,\"resets_at\":null}}",
        "{\"five_hour\":{\"utilization\":1e999,\"resets_at\":null}}",
        "{\"five_hour\":{\"utilization\":5,\"resets_at\":7}}",
        "{\"seven_day\":{\"utilization\":true,\"resets_at\":null}}",
        "{\"seven_day_opus\":1}",
        "{\"seven_day_sonnet\":1}",
        "{\"model_scoped\":null}",
        "{\"model_scoped\":{}}",
        "{\"model_scoped\":[1]}",
        "{\"model_scoped\":[{\"utilization\":1,\"resets_at\":null}]}",
        "{\"model_scoped\":[{\"display_name\":\"x\",\"utilization\":101,\"resets_at\":null}]}",
    };
    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        assert_limits("null", "true", limits[i], "(refused)");
    }
    assert_limits("5", "true", "null", "(refused)");
    assert_limits("null", "null", "null", "(refused)");
    assert_limits("null", "\"yes\"", "null", "(refused)");
}

static void test_shares(void **state)
{
    (void)state;
    assert_usage(
        "{" TOTALS "," NO_PLAN
        ",\"behaviors\":{\"day\":{\"request_count\":1,\"session_count\":2,\"mcp_servers\":["
        "{\"name\":\"a|b`\\n\",\"pct\":12.5},{\"name\":\"z\",\"pct\":0},{\"name\":\"x\",\"pct\":100},"
        "{\"name\":\"y\",\"pct\":12.5},{\"name\":\"low\",\"pct\":3}]},"
        "\"week\":{\"request_count\":1234,\"session_count\":1,\"mcp_servers\":[]}}}",
        "## Usage" TOTALS_TEXT "\n\n---\n\n### What’s using your limits?\n\n"
        "> Rough figures that overlap, from the sessions on this machine alone\n\n"
        "**Last 24h** · 1 request · 2 sessions\n\n| MCP server | Usage |\n|:--|--:|\n"
        "| x | " BAR_20 " 100% |\n| a\\|b\\`  | " BAR_3 " 12.5% |\n| y | " BAR_3 " 12.5% |\n\n"
        "**Last 7d** · 1234 requests · 1 session");
}

static void test_malformed_shares(void **state)
{
    (void)state;
#define PERIOD "{\"request_count\":1,\"session_count\":1,\"mcp_servers\":[]}"
#define DAY(servers)                                                                                         \
    "{\"day\":{\"request_count\":1,\"session_count\":1,\"mcp_servers\":" servers "},\"week\":" PERIOD "}"
    static const char *const behaviors[] = {
        "5",
        "[]",
        "{}",
        "{\"day\":" PERIOD "}",
        "{\"day\":" PERIOD ",\"week\":null}",
        "{\"day\":{\"request_count\":-1,\"session_count\":1,\"mcp_servers\":[]},\"week\":" PERIOD "}",
        "{\"day\":{\"request_count\":1,\"session_count\":\"1\",\"mcp_servers\":[]},\"week\":" PERIOD "}",
        DAY("null"),
        DAY("{}"),
        DAY("[null]"),
        DAY("[{\"name\":5,\"pct\":1}]"),
        DAY("[{\"name\":\"x\"}]"),
        DAY("[{\"name\":\"x\",\"pct\":101}]"),
        DAY("[{\"name\":\"x\",\"pct\":-1}]"),
    };
    for (size_t i = 0; i < ARRAY_LEN(behaviors); i++) {
        AUTO_BUF(text);
        buf_printf(&text, "{" TOTALS "," NO_PLAN ",\"behaviors\":%s}", behaviors[i]);
        assert_refused(buf_c(&text));
    }
}

static void test_other_shapes(void **state)
{
    (void)state;
    assert_refused("null");
    assert_refused("[]");
    assert_refused("\"usage\"");
    assert_refused("{}");
    assert_refused("{" NO_PLAN ",\"behaviors\":null}");
    assert_refused("{\"session\":null," NO_PLAN ",\"behaviors\":null}");
    assert_refused("{" TOTALS "," NO_PLAN "}");
    assert_refused("{" TOTALS ",\"rate_limits_available\":false,\"rate_limits\":null,\"behaviors\":null}");
    assert_refused("{" TOTALS ",\"subscription_type\":null,\"rate_limits\":null,\"behaviors\":null}");
    AUTO_BUF(b);
    assert_false(usage_text_put(&b, JSON_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_api_key),   cmocka_unit_test(test_costs_and_times),
        cmocka_unit_test(test_tokens),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_limits),    cmocka_unit_test(test_malformed_limits),
        cmocka_unit_test(test_shares),       cmocka_unit_test(test_malformed_shares),
        cmocka_unit_test(test_other_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
