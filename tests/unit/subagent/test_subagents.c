/* Subagents as sessions, in AIR's form: who is announced where, and where each update goes. */
#include "subagents_fixture.h"

static int set_up(void **state)
{
    (void)state;
    begin(&subagents_air);
    return 0;
}

#define SPAWNED(id, name, task)                                                                              \
    "subagent_spawned \"subagentSessionId\":\"" id "\",\"name\":\"" name "\",\"task\":\"" task "\""
#define PROMPT(text) ",\"prompt\":\"" text "\""
#define NOTHING_MORE ",\"capabilities\":{}\n"
#define OVER(parent, id, state)                                                                              \
    id " ends\n" parent " subagent_state_update \"subagentSessionId\":\"" id "\",\"state\":\"" state "\"\n"

#define INPUT "{\"description\":\"Look\",\"prompt\":\" look there\",\"subagent_type\":\"Explore\"}"

/* A child that runs, without a word of it. */
static void running(const char *agent, const char *call, const char *parent)
{
    assert_false(launch(call, parent, INPUT));
    start(agent, call);
    buf_clear(&seen);
}

/* ---- The usual course ---- */

static void test_course(void **state)
{
    (void)state;
    assert_false(launch("L", NULL, "{}"));
    assert_false(launch("L", NULL, INPUT));
    assert_seen("");
    start("a1", "L");
    assert_seen("root " SPAWNED("a1", "Look", "look there") PROMPT(" look there") NOTHING_MORE);
    start("a1", "L"); /* it runs */
    say("L", "hello");
    use("t", "L");
    more("t", NULL); /* its owner is known */
    struct subagent_update block = {.kind = SUBAGENT_BLOCK, .text = STR("{}")};
    subagents_say(&sa, STR("L"), &block);
    assert_seen("a1 text hello\na1 tool " CALL("t") "a1 tool " UPDATE("t") "a1 block {}\n");
    assert_str(subagents_session_of_agent(&sa, STR("a1")), "a1");
    assert_str(subagents_session_of_call(&sa, STR("t")), "a1");
    finish("a1", "completed");
    assert_seen(OVER("root", "a1", "completed"));
    feed(subagents_notified, "{\"task_id\":\"a1\",\"tool_use_id\":\"L\",\"status\":\"failed\"}");
    assert_false(launch("L", NULL, INPUT));
    say("L", "late");
    more("t", "L");
    assert_seen("");
    assert_int_equal(take_dropped(), 2);
    assert_false(subagents_session_of_agent(&sa, STR("a1")).p);
    assert_str(subagents_session_of_call(&sa, STR("t")), "a1");
    more("elsewhere", NULL);
    assert_seen("root tool " UPDATE("elsewhere"));
}

/* What was held for a launch is gone when its task is told to be over; a run that begins nevertheless is
 * shown no update of a call that it never showed. */
static void test_no_update_of_a_call_that_was_not_shown(void **state)
{
    (void)state;
    use("t", "L");
    feed(subagents_notified, "{\"task_id\":\"a1\",\"tool_use_id\":\"L\",\"status\":\"completed\"}");
    running("a1", "L", NULL);
    more("t", "L");
    assert_seen("");
    assert_int_equal(take_dropped(), 1);
    use("t", "L");
    more("t", "L");
    assert_seen("a1 tool " CALL("t") "a1 tool " UPDATE("t"));
}

static void test_plans(void **state)
{
    (void)state;
    struct subagent_update plan = {.kind = SUBAGENT_PLAN, .text = STR("[1]")};
    running("a1", "L1", NULL);
    running("a2", "L2", NULL);
    subagents_say(&sa, STR("L1"), &plan);
    subagents_say(&sa, STR("L1"), &plan); /* the client has it */
    subagents_say(&sa, STR("L2"), &plan);
    plan.text = STR("[]");
    subagents_say(&sa, STR("L1"), &plan);
    assert_seen("a1 plan [1]\na2 plan [1]\na1 plan []\n");
}

static void test_names(void **state)
{
    static const struct {
        const char *input, *frame, *seen;
    } rows[] = {
        {"{\"name\":\" N \",\"description\":\"D\"}", ",\"prompt\":\" P \"",
         "\"name\":\"N\",\"task\":\"P\",\"prompt\":\" P \""},
        {"{\"name\":\" \",\"prompt\":\"IP\"}", ",\"description\":\"TD\",\"prompt\":\"P\"",
         "\"name\":\"TD\",\"task\":\"IP\",\"prompt\":\"P\""},
        {"{\"subagent_type\":\"T\"}", "", "\"name\":\"T\",\"task\":\"Delegated task\""},
        {"{\"description\":\"D\"}", ",\"prompt\":\"  \"", "\"name\":\"D\",\"task\":\"D\""},
        {"{\"name\":5,\"prompt\":null}", ",\"description\":\"TD\"", "\"name\":\"TD\",\"task\":\"TD\""},
        {"[]", "", "\"name\":\"general\",\"task\":\"Delegated task\""},
        {"{\"name\":\"a\\u0000b\"}", "", "\"name\":\"a\",\"task\":\"Delegated task\""},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF(b);
        AUTO_BUF(expected);
        subagents_clear(&sa);
        launch("L", NULL, rows[i].input);
        buf_printf(&b, "{\"task_id\":\"a1\",\"tool_use_id\":\"L\",\"subagent_type\":\"general\"%s}",
                   rows[i].frame);
        feed(subagents_started, buf_c(&b));
        buf_printf(&expected, "root subagent_spawned \"subagentSessionId\":\"a1\",%s,\"capabilities\":{}\n",
                   rows[i].seen);
        assert_seen(buf_c(&expected));
    }
    subagents_clear(&sa);
    feed(subagents_started, "{\"task_id\":\"a0123456789\",\"subagent_type\":\" \"}");
    assert_seen("root " SPAWNED("a0123456789", "Agent 23456789", "Delegated task") NOTHING_MORE);
}

/* The input of a later report counts, field by field. */
static void test_identity_grows(void **state)
{
    (void)state;
    launch("L", NULL, "{\"description\":\"first\",\"prompt\":\"p\"}");
    launch("L", NULL, "{\"description\":\"second\",\"prompt\":\" \"}");
    launch("L", NULL, "no JSON");
    start("a1", "L");
    assert_seen("root " SPAWNED("a1", "second", "p") PROMPT("p") NOTHING_MORE);
}

static void test_states(void **state)
{
    static const char *const rows[][2] = {
        {"completed", "completed"}, {"failed", "failed"},     {"killed", "cancelled"},
        {"cancelled", "cancelled"}, {"stopped", "cancelled"}, {"disconnected", "disconnected"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF(expected);
        subagents_clear(&sa);
        running("a1", "L", NULL);
        finish("a1", "something");
        finish("a1", "running");
        finish("other", "failed");
        feed(subagents_notified, "{\"task_id\":\"a1\",\"status\":7}");
        feed(subagents_updated, "{\"task_id\":\"a1\"}");
        assert_seen("");
        finish("a1", rows[i][0]);
        buf_printf(&expected,
                   "a1 ends\nroot "
                   "subagent_state_update \"subagentSessionId\":\"a1\",\"state\":\"%s\"\n",
                   rows[i][1]);
        assert_seen(buf_c(&expected));
    }
}

static void test_nested(void **state)
{
    (void)state;
    running("a1", "L1", NULL);
    assert_false(launch("L2", "L1", INPUT));
    start("a2", "L2");
    assert_seen("a1 " SPAWNED("a2", "Look", "look there") PROMPT(" look there") NOTHING_MORE);
    use("t", "L2");
    assert_seen("a2 tool " CALL("t"));
    subagents_finish(&sa, SUBAGENT_CANCELLED);
    assert_seen(OVER("a1", "a2", "cancelled") OVER("root", "a1", "cancelled"));
    subagents_finish(&sa, SUBAGENT_FAILED);
    assert_seen("");
}

/* ---- The task before its call ---- */

static void test_waits_for_call(void **state)
{
    (void)state;
    start("a1", "L");
    say("L", "one");
    use("t", "L");
    assert_false(subagents_session_of_agent(&sa, STR("a1")).p);
    assert_seen("");
    assert_false(launch("L", NULL, INPUT));
    assert_seen("root " SPAWNED("a1", "Look", "look there") PROMPT(" look there") NOTHING_MORE
                "a1 text one\na1 tool " CALL("t"));
    assert_int_equal(sa.held, 0);
    assert_str(subagents_session_of_call(&sa, STR("t")), "a1");
}

/* An end announces what was not, and delivers what waits. */
static void test_end_announces(void **state)
{
    (void)state;
    say("L", "early");
    start("a1", "L");
    say("L", "one");
    assert_seen("");
    finish("a1", "failed");
    assert_seen("root " SPAWNED("a1", "general", "Delegated task") NOTHING_MORE
                "a1 text early\na1 text one\n" OVER("root", "a1", "failed"));
}

static void test_no_call(void **state)
{
    (void)state;
    feed(subagents_started, "{\"task_id\":\"a1\",\"subagent_type\":\"Plan\"}");
    assert_seen("root " SPAWNED("a1", "Plan", "Delegated task") NOTHING_MORE);
}

/* What waits for a task that is no subagent, or that is over, waits for nothing. */
static void test_discards(void **state)
{
    (void)state;
    say("L1", "one");
    say("L2", "two");
    assert_int_equal(sa.holding, 2);
    feed(subagents_started, "{\"task_id\":\"s1\",\"tool_use_id\":\"L1\"}");
    assert_int_equal(sa.held, 1);
    feed(subagents_notified, "{\"task_id\":\"s2\",\"tool_use_id\":\"L2\",\"status\":\"completed\"}");
    assert_int_equal(sa.held, 0);
    assert_int_equal(sa.holding, 0);
    assert_seen("");
}

static void test_limits_of_held(void **state)
{
    char id[16];
    (void)state;
    for (int i = 0; i < SUBAGENTS_HELD_OF_LAUNCH_MAX + 3; i++) {
        say("L", "x");
    }
    assert_int_equal(sa.held, SUBAGENTS_HELD_OF_LAUNCH_MAX);
    assert_int_equal(take_dropped(), 3);
    for (int i = 0; i < SUBAGENTS_HOLDING_LAUNCHES_MAX; i++) {
        snprintf(id, sizeof(id), "P%d", i);
        say(id, "x");
    }
    assert_int_equal(sa.holding, SUBAGENTS_HOLDING_LAUNCHES_MAX);
    assert_int_equal(take_dropped(), 1);
    for (int i = 0; i < 32 * SUBAGENTS_HOLDING_LAUNCHES_MAX; i++) {
        snprintf(id, sizeof(id), "P%d", i % (SUBAGENTS_HOLDING_LAUNCHES_MAX - 1));
        say(id, "x");
    }
    assert_int_equal(sa.held, SUBAGENTS_HELD_MAX);
    assert_true(take_dropped() > 0);
    start("a1", "P1");
    launch("P1", NULL, INPUT); /* makes room */
    assert_true(sa.held < SUBAGENTS_HELD_MAX);
    say("P2", "x");
    assert_int_equal(take_dropped(), 0);
}

/* What is held outlives its message. */
static void test_held_is_a_copy(void **state)
{
    (void)state;
    char id[] = "tool-1", raw[] = "{\"x\":1}", parent[] = "\"L\"";
    struct tool_report r = {.first = true, .id = str_of(id), .name = STR("Bash")};
    r.field[REPORT_RAW_INPUT] = str_of(raw);
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("parentToolUseId"), str_of(parent));
    struct subagent_call call = {.id = r.id, .name = r.name, .parent = STR("L")};
    start("a1", "L");
    assert_true(subagents_tool(&sa, &call, &r));
    memset(id, '?', sizeof(id));
    memset(raw, '?', sizeof(raw));
    memset(parent, '?', sizeof(parent));
    memset(&r, 0, sizeof(r));
    launch("L", NULL, "{}");
    assert_seen("root " SPAWNED("a1", "general", "Delegated task") NOTHING_MORE
                "a1 tool {\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"tool-1\",\"name\":\"Bash\","
                "\"rawInput\":{\"x\":1},\"_meta\":{\"claudeCode\":{\"parentToolUseId\":\"L\"}}}\n");
}

/* ---- Launches that are seen after all ---- */

static void test_failed_launch(void **state)
{
    (void)state;
    struct subagent_call call = {.id = STR("L"), .name = STR("Agent")};
    struct tool_report first = {.first = true, .id = call.id, .name = call.name};
    first.field[REPORT_STATUS] = STR("\"pending\"");
    first.field[REPORT_TITLE] = STR("\"Odd job\"");
    first.field[REPORT_KIND] = STR("\"think\"");
    tool_report_add_meta(&first, META_CLAUDE_CODE, STR("toolName"), STR("\"Agent\""));
    tool_report_add_meta(&first, META_AIR, STR("subagent"), STR("true"));
    assert_false(subagents_tool(&sa, &call, &first));
    say("L", "lost");
    struct tool_report end = {.id = call.id};
    end.field[REPORT_STATUS] = STR("\"failed\"");
    end.field[REPORT_TITLE] = STR("\"\"");
    end.field[REPORT_CONTENT] = STR("[1]");
    tool_report_add_meta(&end, META_CLAUDE_CODE, STR("toolName"), STR("\"Agent\""));
    tool_report_add_meta(&end, META_CLAUDE_CODE, STR("kind"), STR("2"));
    assert_true(subagents_tool(&sa, &call, &end));
    assert_seen("root tool {\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"L\",\"name\":\"Agent\","
                "\"status\":\"failed\",\"title\":\"Odd job\",\"kind\":\"think\",\"content\":[1],"
                "\"_meta\":{\"claudeCode\":{\"toolName\":\"Agent\",\"kind\":2},"
                "\"jetbrains\":{\"air\":{\"version\":1}}}}\n");
    assert_int_equal(sa.launches.used, 0);
    assert_int_equal(sa.held, 0);
}

static void test_failed_without_first(void **state)
{
    (void)state;
    running("a1", "L1", NULL);
    struct subagent_call call = {.id = STR("L2"), .name = STR("Task"), .parent = STR("L1")};
    assert_true(report(call, false, "\"failed\"", NULL));
    assert_seen("a1 tool {\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"L2\",\"name\":\"Task\","
                "\"status\":\"failed\",\"title\":\"Task\"}\n");
    /* One whose child is there stays hidden. */
    call = (struct subagent_call){.id = STR("L1"), .name = STR("Agent")};
    assert_false(report(call, false, "\"failed\"", NULL));
    assert_seen("");
}

/* A question about the launch shows it: it stays so, beside the child. */
static void test_asked_launch(void **state)
{
    (void)state;
    struct subagent_call call = {.id = STR("L"), .name = STR("Agent"), .shown = STR("the root's")};
    assert_true(report(call, true, NULL, NULL));
    assert_seen("root tool " CALL("L"));
    start("a1", "L");
    assert_seen("root " SPAWNED("a1", "general", "Delegated task") NOTHING_MORE);
    assert_true(report(call, false, "\"completed\"", NULL));
    assert_seen("root tool " UPDATE("L"));
    call.id = STR("L2");
    assert_true(report(call, false, "\"failed\"", NULL)); /* denied: as it is */
    assert_seen("root tool {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"L2\","
                "\"status\":\"failed\"}\n");
}

/* A call stays in the session where a question showed it. */
static void test_asked_call(void **state)
{
    (void)state;
    running("a1", "L", NULL);
    struct subagent_call call = {.id = STR("t"), .name = STR("Bash"), .shown = STR("a1")};
    assert_true(report(call, true, NULL, NULL));
    call.shown = STR_ABSENT;
    assert_true(report(call, false, "\"completed\"", NULL));
    assert_seen("a1 tool " CALL("t") "a1 tool " UPDATE("t"));
    call = (struct subagent_call){.id = STR("u"), .name = STR("Bash"), .parent = STR("L"), .shown = STR("r")};
    assert_true(report(call, true, NULL, NULL));
    assert_seen("root tool " CALL("u"));
    finish("a1", "killed");
    buf_clear(&seen);
    call.shown = STR("a1");
    assert_true(report(call, false, "\"completed\"", NULL));
    assert_seen("");
    assert_int_equal(take_dropped(), 1);
}

/* ---- Later runs ---- */

static void test_resumed_by_task(void **state)
{
    (void)state;
    running("a1", "L", NULL);
    use("t", "L");
    finish("a1", "completed");
    buf_clear(&seen);
    feed(subagents_started, "{\"task_id\":\"a1\",\"tool_use_id\":\"send\",\"subagent_type\":\"general\","
                            "\"description\":\"Look\",\"prompt\":\"and now?\"}");
    assert_seen("root " SPAWNED("a1:generation:2", "Look", "and now?") PROMPT("and now?") NOTHING_MORE);
    say("L", "again"); /* its messages name the first launch */
    use("t2", "L");
    more("t", "L"); /* of the first run */
    assert_seen("a1:generation:2 text again\na1:generation:2 tool " CALL("t2"));
    assert_int_equal(take_dropped(), 1);
    assert_str(subagents_session_of_agent(&sa, STR("a1")), "a1:generation:2");
    /* The end of the first run, once more, is not that of the second. */
    feed(subagents_notified, "{\"task_id\":\"a1\",\"tool_use_id\":\"L\",\"status\":\"completed\"}");
    assert_seen("");
    feed(subagents_notified, "{\"task_id\":\"a1\",\"tool_use_id\":\"send\",\"status\":\"stopped\"}");
    assert_seen(OVER("root", "a1:generation:2", "cancelled"));
    start("a1", "send2");
    assert_seen("root " SPAWNED("a1:generation:3", "general", "Delegated task") NOTHING_MORE);
}

static void test_resumed_without_task(void **state)
{
    (void)state;
    running("a1", "L", NULL);
    subagents_resumed(&sa, STR("a1"), STR_ABSENT, STR("now")); /* it runs */
    subagents_resumed(&sa, STR("other"), STR_ABSENT, STR("now"));
    subagents_resumed(&sa, STR_ABSENT, STR_ABSENT, STR_ABSENT);
    finish("a1", "pending");
    assert_seen("");
    finish("a1", "completed");
    buf_clear(&seen);
    subagents_resumed(&sa, STR("a1"), STR_ABSENT, STR("now"));
    assert_seen("root " SPAWNED("a1:generation:2", "Look", "look there") PROMPT("now") NOTHING_MORE);
    finish("a1", "failed");
    buf_clear(&seen);
    subagents_addressed(&sa, STR("other"), STR("send"), STR("x"));
    subagents_addressed(&sa, STR_ABSENT, STR("send"), STR("x"));
    subagents_addressed(&sa, STR("a1"), STR("send"), STR("then"));
    finish("a1", "running");
    assert_seen("root " SPAWNED("a1:generation:3", "Look", "look there") PROMPT("then") NOTHING_MORE);
    finish("a1", "failed");
    buf_clear(&seen);
    finish("a1", "running"); /* nobody knows what was said */
    assert_seen("root " SPAWNED("a1:generation:4", "Look", "look there") NOTHING_MORE);
}

/* A later run is announced where the agent was, while that session lives. */
static void test_resumed_below_child(void **state)
{
    (void)state;
    running("a1", "L1", NULL);
    running("a2", "L2", "L1");
    finish("a2", "completed");
    buf_clear(&seen);
    start("a2", "send");
    assert_seen("a1 " SPAWNED("a2:generation:2", "general", "Delegated task") NOTHING_MORE);
    finish("a2", "completed");
    finish("a1", "completed");
    buf_clear(&seen);
    start("a2", "send2");
    assert_seen("root " SPAWNED("a2:generation:3", "general", "Delegated task") NOTHING_MORE);
}

/* ---- Hostile frames ---- */

static void test_odd_frames(void **state)
{
    static const char *const frames[] = {
        "{}",
        "[]",
        "null",
        "{\"task_id\":7,\"subagent_type\":\"x\",\"status\":\"failed\"}",
        "{\"task_id\":\"\",\"subagent_type\":\"x\"}",
        "{\"task_id\":\"a\\u0000b\",\"subagent_type\":\"x\"}",
        "{\"task_id\":\"a\",\"subagent_type\":[]}",
        "{\"task_id\":{},\"tool_use_id\":[],\"patch\":3}",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
        feed(subagents_started, frames[i]);
        feed(subagents_updated, frames[i]);
        feed(subagents_notified, frames[i]);
    }
    AUTO_BUF(b);
    buf_put_c(&b, "{\"subagent_type\":\"x\",\"task_id\":\"");
    buf_put_fill(&b, 'a', 5000);
    buf_put_c(&b, "\"}");
    feed(subagents_started, buf_c(&b));
    assert_seen("");
    say("", "x");
    use("t", "");
    assert_seen("root tool " CALL("t"));
    assert_int_equal(sa.children.next == &sa.children, 1);
}

/* Another agent cannot take a launch whose child runs. */
static void test_two_agents_one_launch(void **state)
{
    (void)state;
    running("a1", "L", NULL);
    start("a2", "L");
    buf_clear(&seen);
    say("L", "x");
    assert_seen("a1 text x\n");
    feed(subagents_notified, "{\"task_id\":\"a3\",\"tool_use_id\":\"L\",\"status\":\"failed\"}");
    assert_seen("");
}

/* An agent with the name of another's later run. */
static void test_same_session(void **state)
{
    (void)state;
    running("a1", "L", NULL);
    running("a1:generation:2", "M", NULL);
    finish("a1", "completed");
    buf_clear(&seen);
    start("a1", "send");
    assert_seen("");
    assert_int_equal(take_dropped(), 1);
}

static void test_many_children(void **state)
{
    char agent[16], call[16];
    (void)state;
    for (int i = 0; i < SUBAGENTS_MAX; i++) {
        snprintf(agent, sizeof(agent), "a%d", i);
        snprintf(call, sizeof(call), "L%d", i);
        running(agent, call, NULL);
    }
    start("one-more", "M");
    assert_seen("");
    assert_int_equal(take_dropped(), 1);
    use("t", "L7");
    finish("a7", "completed");
    buf_clear(&seen);
    running("one-more", "M", NULL); /* the one that has ended went */
    say("M", "x");
    assert_seen("one-more text x\n");
    assert_false(subagents_session_of_call(&sa, STR("t")).p);
    assert_int_equal(sa.by_session.used, SUBAGENTS_MAX);
}

static void test_many_launches_and_calls(void **state)
{
    char id[16];
    (void)state;
    running("a1", "L", NULL);
    for (int i = 0; i < SUBAGENTS_LAUNCHES_MAX + 10; i++) {
        snprintf(id, sizeof(id), "L%d", i);
        launch(id, NULL, NULL);
    }
    assert_int_equal(sa.launches.used, SUBAGENTS_LAUNCHES_MAX);
    for (int i = 0; i < SUBAGENTS_OWNED_MAX + 1; i++) {
        snprintf(id, sizeof(id), "t%d", i);
        use(id, "L"); /* the running child's launch is still known */
    }
    buf_clear(&seen);
    assert_int_equal(sa.owners.used, SUBAGENTS_OWNED_MAX);
    assert_false(subagents_session_of_call(&sa, STR("t0")).p);
    assert_str(subagents_session_of_call(&sa, STR("t1")), "a1");
    assert_int_equal(take_dropped(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_course, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_update_of_a_call_that_was_not_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plans, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_identity_grows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_states, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nested, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_waits_for_call, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_end_announces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_call, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_discards, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limits_of_held, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_held_is_a_copy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_launch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_without_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_asked_launch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_asked_call, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resumed_by_task, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resumed_without_task, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resumed_below_child, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_agents_one_launch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_same_session, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_children, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_launches_and_calls, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
