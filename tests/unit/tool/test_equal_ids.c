/* Calls that are open at once and have one id: each is known by its conversation too. */
#include "tool_fixture.h"

/* Notes who is told of: id, key, status, title. */
static void note_call(void *user, struct tool_report *r)
{
    struct tool_bench *b = user;
    const enum report_field fields[] = {REPORT_STATUS, REPORT_TITLE};
    buf_put_str(&b->told, r->id);
    buf_put_c(&b->told, r->first ? " new" : "");
    if (!str_eq(tool_report_key(r), r->id)) {
        buf_printf(&b->told, " (%.*s)", STR_ARG(r->key));
    }
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        if (r->field[fields[i]].p) {
            buf_printf(&b->told, " %.*s", STR_ARG(r->field[fields[i]]));
        }
    }
    bench_note(b, "");
}

static void expect(struct tool_bench *b, const char *told)
{
    assert_string_equal(b->told.n ? buf_c(&b->told) : "", told);
    buf_clear(&b->told);
}

static const struct client_capabilities plain = {.protocol_version = 1};

static void open_bench(struct tool_bench *b, struct tool_host_calls *calls, void **state)
{
    tool_bench_open(b, state);
    *calls = bench_calls;
    calls->send = note_call;
    b->host.calls = calls;
}

static void start_agent(struct tool_bench *b, const char *agent, const char *launch)
{
    AUTO_BUF(text);
    buf_printf(&text, "{'task_id':'%s','tool_use_id':'%s','subagent_type':'x'}", agent, launch);
    AUTO_JSON(frame) = parse_quoted(buf_c(&text));
    assert_int_equal(live_tasks_started(&b->live, json_root(frame)).change, LIVE_STARTED);
}

static void use(struct tool_bench *b, const char *parent, const char *id, const char *tool, const char *input)
{
    AUTO_BUF(text);
    buf_printf(&text, "{'type':'tool_use','id':'%s','name':'%s','input':%s}", id, tool, input);
    AUTO_JSON(block) = parse_quoted(buf_c(&text));
    tool_calls_use(&b->calls, str_of(parent), json_root(block));
    tool_bench_settle(b);
}

static void result(struct tool_bench *b, const char *parent, const char *id)
{
    AUTO_BUF(text);
    buf_printf(&text, "{'type':'tool_result','tool_use_id':'%s','content':'ok'}", id);
    AUTO_JSON(block) = parse_quoted(buf_c(&text));
    AUTO_JSON(message) = parse_or_fail("{}");
    tool_calls_result(&b->calls, str_of(parent), json_root(block), json_root(message));
    tool_bench_settle(b);
}

static void hook(struct tool_bench *b, const char *agent, const char *id)
{
    AUTO_BUF(text);
    buf_printf(&text,
               "{'tool_use_id':'%s','input':{'tool_name':'Bash','agent_id':'%s','tool_input':{},"
               "'tool_response':{'stdout':'ok'}}}",
               id, agent);
    AUTO_JSON(request) = parse_quoted(buf_c(&text));
    tool_calls_hook(&b->calls, json_root(request), tool_bench_answered, b);
    tool_bench_settle(b);
}

#define LOOK      "{'description':'Look','prompt':'p'}"
#define RUN(word) "{'command':'" word "'}"

/* A child's call with its launch's id has an id of its own, and neither ends the other. */
static void test_a_call_with_its_launchs_id(void **state)
{
    struct tool_bench b = {.client = plain};
    struct tool_host_calls calls;
    open_bench(&b, &calls, state);
    use(&b, NULL, "c", "Agent", LOOK);
    start_agent(&b, "a", "c");
    expect(&b, "c new \"pending\" \"Look\"\n");
    use(&b, "c", "c", "Bash", RUN("one"));
    expect(&b, "c:c new \"pending\" \"one\"\n");
    result(&b, "c", "c");
    expect(&b, "c:c \"completed\"\n");
    assert_non_null(tool_calls_find(&b.calls, call_place_of_parent(STR_ABSENT), STR("c")));
    result(&b, NULL, "c");
    expect(&b, "c \"completed\"\n");
    tool_bench_close(&b);
}

/* The conversation of a hook and of a question is that of the agent. */
static void test_two_children(void **state)
{
    struct tool_bench b = {.client = plain};
    struct tool_host_calls calls;
    open_bench(&b, &calls, state);
    start_agent(&b, "a", "la");
    start_agent(&b, "b", "lb");
    use(&b, "la", "c", "Bash", RUN("one"));
    use(&b, "lb", "c", "Bash", RUN("two"));
    expect(&b, "c new \"pending\" \"one\"\nlb:c new \"pending\" \"two\"\n");
    hook(&b, "b", "c");
    expect(&b, "lb:c\nanswered\n");
    hook(&b, "a", "c");
    expect(&b, "c\nanswered\n");
    result(&b, "lb", "c");
    result(&b, "lc", "c"); /* nobody's */
    expect(&b, "lb:c \"completed\"\n");
    use(&b, "lb", "c", "Bash", RUN("three")); /* again, and the other is still open */
    expect(&b, "lb:c new \"pending\" \"three\"\n");
    result(&b, "la", "c");
    expect(&b, "c \"completed\"\n");
    use(&b, "lc", "c", "Bash", RUN("four")); /* the id is free */
    result(&b, "lb", "c");
    expect(&b, "c new \"pending\" \"four\"\nlb:c \"completed\"\n");
    tool_bench_close(&b);
}

/* Streamed input goes to the call of its conversation. */
static void test_streamed_input(void **state)
{
    struct tool_bench b = {.client = plain};
    struct tool_host_calls calls;
    open_bench(&b, &calls, state);
    AUTO_JSON(block) = parse_quoted("{'type':'tool_use','id':'c','name':'Bash','input':{}}");
    tool_calls_block_start(&b.calls, STR("la"), 0, json_root(block));
    tool_calls_block_start(&b.calls, STR("lb"), 0, json_root(block));
    tool_bench_settle(&b);
    buf_clear(&b.told);
    tool_calls_input_delta(&b.calls, STR("lb"), 0, STR("{\"command\":\"two\",\"x\":"));
    tool_calls_input_delta(&b.calls, STR("la"), 0, STR("{\"command\":\"one\",\"x\":"));
    tool_bench_settle(&b);
    expect(&b, "lb:c \"two\"\nc \"one\"\n");
    bool lost = false;
    tool_calls_close(&b.calls, true, false, &lost); /* in no order */
    assert_true(str_has(buf_str(&b.told), STR("lb:c \"failed\"\n")));
    assert_true(str_starts(buf_str(&b.told), STR("c \"failed\"\n")) ||
                str_has(buf_str(&b.told), STR("\nc \"failed\"\n")));
    tool_bench_close(&b);
}

static void note_asked(void *user, const struct permission_request *rq)
{
    struct tool_bench *b = user;
    assert_non_null(rq);
    buf_printf(&b->told, "asked %.*s\n", STR_ARG(rq->call->id));
}

static void ask(struct tool_bench *b, const char *agent, const char *command)
{
    AUTO_BUF(text);
    buf_printf(&text, "{'tool_name':'Bash','tool_use_id':'c','agent_id':'%s','input':{'command':'%s'}}",
               agent, command);
    AUTO_JSON(request) = parse_quoted(buf_c(&text));
    tool_calls_ask(&b->calls, json_root(request), STR("[]"), note_asked, b);
    tool_bench_settle(b);
}

/* A question announces its own call, also when nothing is known of the agent. */
static void test_questions(void **state)
{
    struct tool_bench b = {.client = plain};
    struct tool_host_calls calls;
    open_bench(&b, &calls, state);
    use(&b, NULL, "c", "Agent", LOOK);
    buf_clear(&b.told);
    start_agent(&b, "a", "c");
    ask(&b, "a", "one");
    expect(&b, "c:c new \"pending\" \"one\"\nasked c:c\n");
    use(&b, "c", "c", "Bash", RUN("one"));
    result(&b, "c", "c");
    expect(&b, "c:c \"completed\"\n");
    ask(&b, "unknown", "two");
    expect(&b, "agent:c new \"pending\" \"two\"\nasked agent:c\n");
    use(&b, "lx", "c", "Bash", RUN("two")); /* whose it was */
    expect(&b, "agent:c\n");
    result(&b, "lx", "c");
    expect(&b, "agent:c \"completed\"\n");
    tool_bench_close(&b);
}

/* Where each conversation is a session, every call keeps its id there. */
static void test_sessions_keep_ids(void **state)
{
    struct tool_bench b = {.client = {.protocol_version = 1, .air = true, .air_native_subagents = true}};
    struct tool_host_calls calls;
    open_bench(&b, &calls, state);
    assert_true(client_has_subagent_sessions(&b.client));
    use(&b, "la", "c", "Bash", RUN("one"));
    use(&b, "lb", "c", "Bash", RUN("two"));
    use(&b, NULL, "c", "Bash", RUN("three"));
    expect(&b, "c new \"pending\" \"one\"\nc new (lb:c) \"pending\" \"two\"\nc new (main:c) \"pending\" "
               "\"three\"\n");
    result(&b, "lb", "c");
    expect(&b, "c (lb:c) \"completed\"\n");
    tool_bench_close(&b);
}

/* Ids that look like keys are ids all the same. */
static void test_ids_like_keys(void **state)
{
    struct tool_bench b = {.client = plain};
    struct tool_host_calls calls;
    open_bench(&b, &calls, state);
    use(&b, "la", "c", "Bash", RUN("one"));
    use(&b, "lb", "c", "Bash", RUN("two"));
    buf_clear(&b.told);
    use(&b, NULL, "lb:c", "Bash", RUN("three"));
    expect(&b, "main:lb:c new \"pending\" \"three\"\n");
    result(&b, NULL, "lb:c");
    expect(&b, "main:lb:c \"completed\"\n");
    result(&b, "lb", "c");
    expect(&b, "lb:c \"completed\"\n");
    tool_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_call_with_its_launchs_id),
        cmocka_unit_test(test_two_children),
        cmocka_unit_test(test_streamed_input),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_sessions_keep_ids),
        cmocka_unit_test(test_ids_like_keys),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
