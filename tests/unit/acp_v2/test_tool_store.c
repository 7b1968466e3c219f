/* What a v2 client has stored of a tool call, and what must be sent to change it. */
#include "unit.h"

#include "acp_v2/tool_store.h"

static struct tool_store *store;

static int setup(void **state)
{
    (void)state;
    store = tool_store_new();
    return store ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    tool_store_free(store);
    return 0;
}

/* A report with the entries, each "key=json" of claudeCode, ".key=json" of _meta, "@key=json" of AIR. */
static void report(struct tool_report *r, bool starts, const char *name, const char *const *entries)
{
    *r = (struct tool_report){.first = starts, .id = STR("t"), .name = str_of(name)};
    for (size_t i = 0; entries[i]; i++) {
        str entry = str_of(entries[i]);
        enum meta_space space = entry.p[0] == '.'   ? META_TOP
                                : entry.p[0] == '@' ? META_AIR
                                                    : META_CLAUDE_CODE;
        entry = str_from(entry, space == META_CLAUDE_CODE ? 0 : 1);
        size_t at = str_find_byte(entry, '=', 0);
        tool_report_add_meta(r, space, str_first(entry, at), str_from(entry, at + 1));
    }
}

/* What goes out: the name, and the _meta when it changes. */
static void check(bool starts, const char *name, const char *const *entries, const char *expected)
{
    struct tool_report r;
    AUTO_BUF(b);
    report(&r, starts, name, entries);
    struct stored_call *call = tool_store_open(store, STR("s"), STR("t"), starts);
    assert_non_null(call);
    json_open_object(&b);
    stored_call_put_name(&b, call, &r);
    if (stored_call_take_meta(call, &r)) {
        stored_call_put_meta(&b, call);
    }
    json_close_object(&b);
    assert_str(buf_str(&b), expected);
}
#define ENTRIES(...)                                                                                         \
    (const char *const[])                                                                                    \
    {                                                                                                        \
        __VA_ARGS__ NULL                                                                                     \
    }

static void test_what_changes_goes_out_whole(void **state)
{
    (void)state;
    check(true, "Bash", ENTRIES("toolName=\"Bash\"", ), "{\"name\":\"Bash\"}");
    check(false, NULL, ENTRIES("toolName=\"Bash\"", "parentToolUseId=\"a\"", ),
          "{\"_meta\":{\"claudeCode\":{\"parentToolUseId\":\"a\"}}}");
    check(false, NULL, ENTRIES("toolName=\"Bash\"", "parentToolUseId=\"a\"", ), "{}");
    check(false, NULL, ENTRIES("nonExecutionKind=\"x\"", ),
          "{\"_meta\":{\"claudeCode\":{\"parentToolUseId\":\"a\",\"nonExecutionKind\":\"x\"}}}");
    check(false, NULL, ENTRIES("toolName=\"Bash\"", ), "{}");
    check(false, NULL, ENTRIES(".other=1", "nonExecutionKind=\"y\"", ),
          "{\"_meta\":{\"claudeCode\":{\"parentToolUseId\":\"a\",\"nonExecutionKind\":\"y\"},\"other\":1}}");
    check(false, NULL, ENTRIES(".other=1", ), "{}");
    check(true, "Bash", ENTRIES("toolName=\"Bash\"", ),
          "{\"name\":\"Bash\"}"); /* begins anew, from nothing */
    check(false, NULL, ENTRIES(".other=1", ), "{\"_meta\":{\"other\":1}}");
}

static void test_a_call_without_a_name_gets_that_of_its_tool_once(void **state)
{
    (void)state;
    check(true, NULL, ENTRIES("toolName=\"memory_recall\"", "toolResponse={\"mode\":\"list\"}", ),
          "{\"name\":\"memory_recall\",\"_meta\":{\"claudeCode\":{\"toolResponse\":{\"mode\":\"list\"}}}}");
    check(false, NULL, ENTRIES("toolName=\"memory_recall\"", ), "{}");
    check(true, NULL, ENTRIES("toolName=7", ), "{}"); /* no name */
}

static void test_the_members_of_air_go_together(void **state)
{
    (void)state;
    check(true, "Bash", ENTRIES("@a=1", "@b=2", ),
          "{\"name\":\"Bash\",\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"a\":1,\"b\":2}}}}");
    check(false, NULL, ENTRIES("@b=2", "@a=1", ), "{}");
    check(false, NULL, ENTRIES("@b=2", ), "{\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"b\":2}}}}");
}

static void test_the_calls_used_last_are_kept(void **state)
{
    (void)state;
    check(true, "Bash", ENTRIES("k=1", ), "{\"name\":\"Bash\",\"_meta\":{\"claudeCode\":{\"k\":1}}}");
    for (int i = 1; i < TOOL_STORE_MAX; i++) {
        char id[16];
        (void)snprintf(id, sizeof(id), "%d", i);
        assert_non_null(tool_store_open(store, STR("s"), str_of(id), true));
    }
    check(false, NULL, ENTRIES("k=1", ), "{}"); /* which makes it the newest */
    assert_non_null(tool_store_open(store, STR("s"), STR("one more"), true));
    check(false, NULL, ENTRIES("k=1", ), "{}");
    assert_non_null(tool_store_open(store, STR("other"), STR("t"), true));
    tool_store_forget(store, STR("s"));
    check(false, NULL, ENTRIES("k=1", ), "{\"_meta\":{\"claudeCode\":{\"k\":1}}}");
}

static void test_a_terminal_that_runs_is_kept(void **state)
{
    (void)state;
    struct stored_call *call = tool_store_open(store, STR("s"), STR("t"), true);
    assert_non_null(call);
    call->terminal = true;
    for (int i = 0; i < 2 * TOOL_STORE_MAX; i++) {
        char id[16];
        (void)snprintf(id, sizeof(id), "%d", i);
        struct stored_call *other = tool_store_open(store, STR("s"), str_of(id), true);
        assert_non_null(other);
        other->terminal = i >= TOOL_STORE_MAX; /* in the end all run */
    }
    assert_true(tool_store_open(store, STR("s"), STR("t"), false)->terminal ==
                false); /* it had to go at last */
    struct stored_call *last = tool_store_open(store, STR("s"), STR("last"), true);
    assert_non_null(last);
    assert_string_equal(last->id, "last");
}

#define STORE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_what_changes_goes_out_whole),
        STORE_TEST(test_a_call_without_a_name_gets_that_of_its_tool_once),
        STORE_TEST(test_the_members_of_air_go_together),
        STORE_TEST(test_the_calls_used_last_are_kept),
        STORE_TEST(test_a_terminal_that_runs_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
