#include "unit.h"

#include "report/tracker.h"

/* ---- Reports ----------------------------------------------------------------------------------------- */

static struct tool_report report_of(const char *id, bool first)
{
    return (struct tool_report){.first = first, .id = str_of(id), .name = first ? STR("Bash") : STR_ABSENT};
}

static void assert_v1(const struct tool_report *r, const char *expected)
{
    AUTO_BUF(b);
    json_open_object(&b);
    tool_report_put_v1(&b, r);
    json_close_object(&b);
    assert_str(buf_str(&b), expected);
    const char *why = NULL;
    AUTO_JSON(doc) = json_parse(buf_str(&b), &why);
    assert_non_null(doc);
}

static void test_a_report_writes_its_members_in_order(void **state)
{
    (void)state;
    struct tool_report r = report_of("t1", true);
    assert_true(tool_report_empty(&r));
    r.field[REPORT_RAW_INPUT] = STR("{\"a\":1}");
    r.field[REPORT_STATUS] = STR("\"pending\"");
    r.field[REPORT_CONTENT] = STR("[]");
    tool_report_add_meta(&r, META_AIR, STR("subagent"), STR("true"));
    tool_report_add_meta(&r, META_TOP, STR("terminal_info"), STR("{}"));
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("toolName"), STR("\"Bash\""));
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("odd\"key"), STR("null"));
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("absent"), STR_ABSENT);
    assert_v1(
        &r, "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t1\",\"name\":\"Bash\",\"status\":\"pending\","
            "\"content\":[],\"rawInput\":{\"a\":1},\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\","
            "\"odd\\\"key\":null},\"terminal_info\":{},\"jetbrains\":{\"air\":{\"version\":1,\"subagent\":"
            "true}}}}");
    struct tool_report bare = report_of("t1", false);
    assert_v1(&bare, "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t1\"}");
    AUTO_BUF(b);
    assert_false(tool_report_put_meta(&b, &bare));
    assert_int_equal(b.n, 0);
}

static void test_meta_is_bounded(void **state)
{
    (void)state;
    struct tool_report r = report_of("t", false);
    for (int i = 0; i < 3 * REPORT_META_MAX; i++) {
        tool_report_add_meta(&r, META_TOP, STR("k"), STR("1"));
    }
    assert_int_equal(r.meta_count, REPORT_META_MAX);
    assert_false(r.air_version);
}

/* ---- The field tracker ------------------------------------------------------------------------------- */

static struct tool_report titled(const char *id, bool first, const char *title, const char *content)
{
    struct tool_report r = report_of(id, first);
    r.field[REPORT_TITLE] = str_of(title);
    r.field[REPORT_CONTENT] = str_of(content);
    return r;
}

static void test_unchanged_fields_are_dropped(void **state)
{
    (void)state;
    struct field_tracker *t = field_tracker_new();
    struct tool_report r = titled("a", true, "\"x\"", "[]");
    assert_true(field_tracker_pass(t, &r));
    assert_str(r.field[REPORT_TITLE], "\"x\"");

    r = titled("a", false, "\"x\"", "[1]");
    assert_true(field_tracker_pass(t, &r));
    assert_null(r.field[REPORT_TITLE].p);
    assert_str(r.field[REPORT_CONTENT], "[1]");

    r = titled("a", false, "\"x\"", "[1]");
    assert_false(field_tracker_pass(t, &r));

    /* the same value in other text is another value */
    r = titled("a", false, NULL, "[ 1]");
    assert_true(field_tracker_pass(t, &r));

    /* a new tool_call of that id starts over */
    r = titled("a", true, "\"y\"", NULL);
    assert_true(field_tracker_pass(t, &r));
    r = titled("a", false, "\"y\"", "[ 1]");
    assert_true(field_tracker_pass(t, &r));
    assert_null(r.field[REPORT_TITLE].p);
    assert_str(r.field[REPORT_CONTENT], "[ 1]");

    r = titled("b", false, "\"y\"", NULL);
    assert_true(field_tracker_pass(t, &r));
    assert_str(r.field[REPORT_TITLE], "\"y\"");

    field_tracker_end(t, STR("a"));
    field_tracker_end(t, STR("a"));
    r = titled("a", false, "\"y\"", NULL);
    assert_true(field_tracker_pass(t, &r));
    assert_str(r.field[REPORT_TITLE], "\"y\"");
    field_tracker_free(t);
    field_tracker_free(NULL);
}

static void test_meta_decides_but_is_never_dropped(void **state)
{
    (void)state;
    struct field_tracker *t = field_tracker_new();
    struct tool_report r = titled("a", true, "\"x\"", NULL);
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("toolName"), STR("\"Bash\""));
    field_tracker_pass(t, &r);

    r = titled("a", false, "\"x\"", NULL);
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("toolName"), STR("\"Bash\""));
    assert_false(field_tracker_pass(t, &r));
    assert_int_equal(r.meta_count, 1);

    r = report_of("a", false);
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("toolName"), STR("\"Bash\""));
    tool_report_add_meta(&r, META_AIR, STR("commandTitle"), STR("\"T\""));
    assert_true(field_tracker_pass(t, &r));
    assert_int_equal(r.meta_count, 2);

    r = report_of("a", false);
    tool_report_add_meta(&r, META_AIR, STR("commandTitle"), STR("\"T\""));
    assert_false(field_tracker_pass(t, &r));

    /* the same key in another space is another key */
    r = report_of("a", false);
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("commandTitle"), STR("\"T\""));
    assert_true(field_tracker_pass(t, &r));

    /* data that a client appends always passes */
    for (int i = 0; i < 2; i++) {
        r = report_of("a", false);
        tool_report_add_meta(&r, META_TOP, STR("terminal_output"), STR("{}"));
        assert_true(field_tracker_pass(t, &r));
    }
    field_tracker_free(t);
}

static void test_pinned_content_stays(void **state)
{
    (void)state;
    struct field_tracker *t = field_tracker_new();
    field_tracker_pin(t, STR("a"), STR("[9]"));

    struct tool_report r = titled("a", true, "\"x\"", "[]");
    field_tracker_pass(t, &r);
    field_tracker_pin(t, STR("a"), STR("[9]"));
    r = titled("a", false, "\"y\"", "[1]");
    assert_true(field_tracker_pass(t, &r));
    assert_null(r.field[REPORT_CONTENT].p);
    r = titled("a", false, NULL, "[]");
    assert_false(field_tracker_pass(t, &r));

    /* what may replace it and equals it tells nothing new, and unpins */
    r = titled("a", false, NULL, "[9]");
    r.replaces_pinned = true;
    assert_false(field_tracker_pass(t, &r));
    r = titled("a", false, NULL, "[1]");
    assert_true(field_tracker_pass(t, &r));
    assert_str(r.field[REPORT_CONTENT], "[1]");

    field_tracker_pin(t, STR("a"), STR("[9]"));
    r = titled("a", false, NULL, "[2]");
    r.replaces_pinned = true;
    assert_true(field_tracker_pass(t, &r));
    assert_str(r.field[REPORT_CONTENT], "[2]");
    field_tracker_free(t);
}

static void test_untracked_reports_pass_and_leave_no_trace(void **state)
{
    (void)state;
    struct field_tracker *t = field_tracker_new();
    struct tool_report r = titled("a", true, "\"x\"", NULL);
    field_tracker_pass(t, &r);
    r = titled("a", false, "\"y\"", NULL);
    r.untracked = true;
    assert_true(field_tracker_pass(t, &r));
    r = titled("a", false, "\"x\"", NULL);
    assert_false(field_tracker_pass(t, &r));
    field_tracker_free(t);
}

static void test_endless_new_keys_are_sent_but_not_kept(void **state)
{
    (void)state;
    struct field_tracker *t = field_tracker_new();
    struct tool_report r = report_of("a", true);
    field_tracker_pass(t, &r);
    char key[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        r = report_of("a", false);
        tool_report_add_meta(&r, META_CLAUDE_CODE, str_of(key), STR("1"));
        assert_true(field_tracker_pass(t, &r));
    }
    assert_true(field_tracker_pass(t, &r)); /* beyond the limit: news each time */
    r = report_of("a", false);
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("k0"), STR("1"));
    assert_false(field_tracker_pass(t, &r));
    field_tracker_free(t);
}

/* ---- The meta filter --------------------------------------------------------------------------------- */

static struct tool_report with_meta(const char *id, bool first, const char *tool, const char *title)
{
    struct tool_report r = report_of(id, first);
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("toolName"), str_of(tool));
    tool_report_add_meta(&r, META_AIR, STR("commandTitle"), str_of(title));
    return r;
}

static void test_filter_takes_out_known_keys(void **state)
{
    (void)state;
    struct meta_filter *f = meta_filter_new();
    struct tool_report r = with_meta("a", true, "\"B\"", NULL);
    tool_report_add_meta(&r, META_TOP, STR("terminal_info"), STR("{}"));
    assert_true(meta_filter_pass(f, STR("s"), &r));
    assert_int_equal(r.meta_count, 2);

    r = with_meta("a", false, "\"B\"", "\"T\"");
    assert_true(meta_filter_pass(f, STR("s"), &r));
    assert_v1(&r, "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"a\","
                  "\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"commandTitle\":\"T\"}}}}");

    /* the version was sent with the title and is not sent again */
    r = with_meta("a", false, "\"B\"", "\"U\"");
    assert_true(meta_filter_pass(f, STR("s"), &r));
    assert_v1(&r, "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"a\","
                  "\"_meta\":{\"jetbrains\":{\"air\":{\"commandTitle\":\"U\"}}}}");

    r = with_meta("a", false, "\"B\"", "\"U\"");
    assert_false(meta_filter_pass(f, STR("s"), &r));
    r = with_meta("a", false, "\"B\"", "\"U\"");
    r.field[REPORT_TITLE] = STR("\"t\"");
    assert_true(meta_filter_pass(f, STR("s"), &r));
    assert_v1(&r, "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"a\",\"title\":\"t\"}");

    r = report_of("a", false);
    tool_report_add_meta(&r, META_TOP, STR("terminal_info"), STR("{}"));
    assert_false(meta_filter_pass(f, STR("s"), &r));
    for (int i = 0; i < 2; i++) {
        r = with_meta("a", false, "\"B\"", NULL);
        tool_report_add_meta(&r, META_TOP, STR("terminal_output_delta"), STR("{}"));
        assert_true(meta_filter_pass(f, STR("s"), &r));
        assert_int_equal(r.meta_count, 1);
    }

    /* another session, also that of a subagent, knows nothing of it */
    r = with_meta("a", false, "\"B\"", "\"U\"");
    assert_true(meta_filter_pass(f, STR("s2"), &r));
    assert_int_equal(r.meta_count, 2);
    r = with_meta("a", false, "\"B\"", "\"U\"");
    assert_false(meta_filter_pass(f, STR("s"), &r));

    /* a tool_call always passes whole and starts over */
    r = with_meta("a", true, "\"B\"", NULL);
    assert_true(meta_filter_pass(f, STR("s"), &r));
    assert_int_equal(r.meta_count, 1);
    r = with_meta("a", false, "\"B\"", "\"U\"");
    assert_true(meta_filter_pass(f, STR("s"), &r));
    assert_true(r.air_version);
    meta_filter_free(f);
    meta_filter_free(NULL);
}

/* True when the filter still knows the call, asked by an update that it then knows. */
static bool filter_knows(struct meta_filter *f, int i)
{
    char id[16];
    snprintf(id, sizeof(id), "call%d", i);
    struct tool_report r = with_meta(id, false, "\"B\"", NULL);
    return !meta_filter_pass(f, STR("s"), &r);
}

static void test_filter_holds_2048_calls(void **state)
{
    (void)state;
    struct meta_filter *f = meta_filter_new();
    for (int i = 0; i < 2048; i++) {
        assert_false(filter_knows(f, i));
    }
    assert_true(filter_knows(f, 0)); /* and becomes the newest */
    assert_false(filter_knows(f, 2048));
    assert_true(filter_knows(f, 0));
    assert_true(filter_knows(f, 2));
    assert_false(filter_knows(f, 1)); /* it was the oldest */
    assert_false(filter_knows(f, 3)); /* and that put out the next */
    for (int i = 3000; i < 9000; i++) {
        assert_false(filter_knows(f, i));
    }
    assert_true(filter_knows(f, 8999 - 2047));
    assert_false(filter_knows(f, 8999 - 2048));
    meta_filter_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_report_writes_its_members_in_order),
        cmocka_unit_test(test_meta_is_bounded),
        cmocka_unit_test(test_unchanged_fields_are_dropped),
        cmocka_unit_test(test_meta_decides_but_is_never_dropped),
        cmocka_unit_test(test_pinned_content_stays),
        cmocka_unit_test(test_untracked_reports_pass_and_leave_no_trace),
        cmocka_unit_test(test_endless_new_keys_are_sent_but_not_kept),
        cmocka_unit_test(test_filter_takes_out_known_keys),
        cmocka_unit_test(test_filter_holds_2048_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
