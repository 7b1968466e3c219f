#include "unit.h"

#include "extension/compaction.h"
#include "extension/compaction_summary.h"

struct fixture {
    struct client_capabilities client;
    struct compaction c;
    struct buf told;
};

static void tell_tool(void *user, struct tool_report *r)
{
    struct fixture *f = user;
    json_open_object(&f->told);
    tool_report_put_v1(&f->told, r);
    json_close_object(&f->told);
}

static void tell_update(void *user, const char *name, str members)
{
    struct fixture *f = user;
    buf_printf(&f->told, "%s {", name + strlen("compaction_"));
    buf_put_str(&f->told, members);
    buf_put_c(&f->told, "}");
}

static const struct compaction_sink sink = {.tool = tell_tool, .update = tell_update};

static void begin(struct fixture *f, bool entity, bool air)
{
    *f = (struct fixture){.client = {.protocol_version = 1, .session_compaction = entity, .air = air}};
    compaction_init(&f->c, &f->client, &sink, f);
}

static void end(struct fixture *f)
{
    compaction_free(&f->c);
    buf_free(&f->told);
}

typedef void step(struct compaction *c, json frame);

static void feed(struct fixture *f, step *s, const char *frame)
{
    AUTO_JSON(doc) = parse_or_fail(frame);
    s(&f->c, json_root(doc));
}

static void expect(struct fixture *f, const char *told)
{
    assert_str(buf_str(&f->told), told);
    buf_clear(&f->told);
}

static const char opens[] = "{\"status\":\"compacting\",\"uuid\":\"U\"}";
static const char succeeds[] = "{\"status\":null,\"compact_result\":\"success\",\"uuid\":\"V\"}";
static const char fails[] =
    "{\"status\":null,\"compact_result\":\"failed\",\"compact_error\":\"Went wrong\",\"uuid\":\"V\"}";
static const char bounds[] =
    "{\"uuid\":\"W\",\"compact_metadata\":{\"trigger\":\"auto\",\"pre_tokens\":9,\"post_tokens\":2,"
    "\"duration_ms\":5}}";
static const char summary[] =
    "{\"compact_summary\":\"<analysis>x</analysis>\\n<summary>\\nShort.\\n</summary>\"}";

#define TOOL_OPENS                                                                                           \
    "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"U\",\"status\":\"in_progress\",\"title\":\"Compact "  \
    "conversation\","                                                                                        \
    "\"kind\":\"think\",\"_meta\":{\"claudeCode\":{\"toolName\":\"compact\"}}}"
#define TOOL_SAYS(fields)                                                                                    \
    "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"U\"," fields                                   \
    ",\"_meta\":{\"claudeCode\":{\"toolName\":\"compact\"}}}"

static void test_tool_call(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, false, false);
    feed(&f, compaction_on_status, opens);
    feed(&f, compaction_on_status, opens);
    expect(&f, TOOL_OPENS);
    feed(&f, compaction_on_hook, summary);
    feed(&f, compaction_on_status, succeeds);
    feed(&f, compaction_on_status, succeeds);
    expect(&f, TOOL_SAYS("\"status\":\"completed\""));
    assert_true(compaction_has_output(&f.c));
    feed(&f, compaction_on_boundary, bounds);
    expect(
        &f,
        TOOL_SAYS(
            "\"rawOutput\":{\"trigger\":\"automatic\",\"preTokens\":9,\"postTokens\":2,\"durationMs\":5}"));
    compaction_on_result(&f.c);
    assert_false(compaction_has_output(&f.c));
    expect(&f, "");
    end(&f);
}

static void test_failure(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, false, false);
    feed(&f, compaction_on_status, opens);
    buf_clear(&f.told);
    feed(&f, compaction_on_status, fails);
    expect(&f, TOOL_SAYS(
                   "\"status\":\"failed\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\","
                   "\"text\":\"Compaction failed: Went wrong\"}}],\"rawOutput\":{\"error\":\"Went wrong\"}"));
    assert_false(compaction_has_output(&f.c));
    assert_false(compaction_take_error(&f.c, STR("Something else")));
    assert_true(compaction_take_error(&f.c, STR(" Error: Went wrong\n")));
    assert_false(compaction_take_error(&f.c, STR("Went wrong")));
    end(&f);
}

static void test_air_facts(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, false, true);
    feed(&f, compaction_on_boundary, bounds); /* all in one */
    expect(&f,
           "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"W\",\"status\":\"completed\","
           "\"title\":\"Compact "
           "conversation\",\"kind\":\"think\",\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,"
           "\"contextCompaction\":{\"version\":1,\"trigger\":\"automatic\",\"preTokens\":9,\"postTokens\":2,"
           "\"durationMs\":5}}}}}");
    end(&f);
    begin(&f, true, true);
    feed(&f, compaction_on_status, fails);
    expect(&f, "update {\"compactionId\":\"V\",\"status\":\"failed\",\"error\":\"Went "
               "wrong\",\"_meta\":{\"jetbrains\":"
               "{\"air\":{\"version\":1,\"contextCompaction\":{\"version\":1}}}}}");
    end(&f);
}

static void test_entity(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, true, false);
    compaction_on_text(&f.c, STR("X"), STR("early"));
    expect(&f, "");
    feed(&f, compaction_on_status, opens);
    feed(&f, compaction_on_hook, "{\"agent_id\":\"a\",\"compact_summary\":\"a child's\"}");
    feed(&f, compaction_on_hook, summary);
    feed(&f, compaction_on_status, succeeds);
    feed(&f, compaction_on_boundary, bounds);
    expect(&f, "update {\"compactionId\":\"U\",\"status\":\"in_progress\"}"
               "update "
               "{\"compactionId\":\"U\",\"status\":\"completed\",\"summary\":[{\"type\":\"text\",\"text\":"
               "\"Short.\"}]}"
               "update {\"compactionId\":\"U\",\"status\":\"completed\"}");
    feed(&f, compaction_on_status, opens);
    compaction_on_text(&f.c, STR("X"), STR("Sho"));
    compaction_on_text(&f.c, STR("X"), STR("rt."));
    buf_clear(&f.told);
    feed(&f, compaction_on_hook, summary);
    feed(&f, compaction_on_status, succeeds);
    expect(&f, "update {\"compactionId\":\"U\",\"status\":\"completed\"}"); /* the chunks said it */
    end(&f);
}

static void test_cancel(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, true, true);
    feed(&f, compaction_on_status, opens);
    buf_clear(&f.told);
    compaction_interrupt(&f.c);
    expect(&f, "update {\"compactionId\":\"U\",\"status\":\"cancelled\"}");
    feed(&f, compaction_on_status, fails);
    feed(&f, compaction_on_status, opens);
    feed(&f, compaction_on_boundary, bounds);
    feed(&f, compaction_on_hook, summary);
    compaction_on_text(&f.c, STR("X"), STR("text"));
    compaction_close(&f.c);
    expect(&f, "");
    compaction_accept(&f.c);
    feed(&f, compaction_on_status, opens);
    assert_true(f.told.n > 0);
    end(&f);
}

static void test_tool_call_never_stays_open(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, false, false);
    compaction_on_text(&f.c, STR("U"), STR("text"));
    compaction_on_text(&f.c, STR("U"), STR("more"));
    expect(&f, TOOL_OPENS "," TOOL_SAYS("\"status\":\"in_progress\""));
    compaction_close(&f.c);
    compaction_close(&f.c);
    expect(&f, TOOL_SAYS("\"status\":\"failed\""));
    end(&f);
}

static void test_hostile_frames(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, true, true);
    static const char *const frames[] = {"7",
                                         "{}",
                                         "{\"compact_result\":7}",
                                         "{\"compact_metadata\":[],\"uuid\":4}",
                                         "{\"compact_result\":\"failed\",\"compact_error\":{}}",
                                         "{\"compact_summary\":[]}"};
    for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
        feed(&f, compaction_on_status, frames[i]);
        feed(&f, compaction_on_boundary, frames[i]);
        feed(&f, compaction_on_hook, frames[i]);
    }
    end(&f);
}

static void summary_is(const char *text, const char *expected)
{
    AUTO_BUF(out);
    assert_int_equal(compaction_summary_put(&out, str_of(text)), expected != NULL);
    assert_str(buf_str(&out), expected ? expected : "");
}

static void test_summaries(void **state)
{
    (void)state;
    summary_is("  plain  ", "plain");
    summary_is("", NULL);
    summary_is("<analysis>a</analysis> rest", "rest");
    summary_is("mid <analysis>kept</analysis>", "mid <analysis>kept</analysis>");
    summary_is("a\n <analysis> \nx\n</analysis>\nb", "a\nb");
    summary_is("<summary>\none\n</summary>\n<summary>\ntwo <summary> x\n</summary>", "two <summary> x");
    summary_is("see <summary>a </summary> b</summary> end", "a </summary> b");
    summary_is("<summary>open", "<summary>open");
    summary_is("<summary>\n</summary>", NULL);
    summary_is("This session is being continued from a previous conversation that ran out.\n\nSummary:\n1. "
               "Did it.\n\n"
               "If you need specific details from before compaction, read the file.\nMore.",
               "1. Did it.");
    summary_is("This session is being continued from a previous conversation.\nSummary:\nx\n"
               "Please continue the conversation from where it left off.",
               "x");
    summary_is("This session is being continued from a previous conversation.\nOdd words.", NULL);
    summary_is("This session is being continued from a previous conversation.", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tool_call),      cmocka_unit_test(test_failure),
        cmocka_unit_test(test_air_facts),      cmocka_unit_test(test_entity),
        cmocka_unit_test(test_cancel),         cmocka_unit_test(test_tool_call_never_stays_open),
        cmocka_unit_test(test_hostile_frames), cmocka_unit_test(test_summaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
