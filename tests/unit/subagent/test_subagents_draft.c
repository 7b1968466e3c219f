/* Subagents as sessions, in the draft's form: what is told of them and when, and what an idle one takes. */
#include "subagents_fixture.h"

static int set_up(void **state)
{
    (void)state;
    begin(&subagents_draft);
    return 0;
}

#define TOLD(id, rest) "subagent_update \"sessionId\":\"" id "\"," rest "\n"
#define RUNNING        "\"state\":{\"state\":\"running\"}"
#define AWAITING       "\"state\":{\"state\":\"requires_action\"}"
#define IDLE(reason)   "\"state\":{\"state\":\"idle\",\"stopReason\":\"" reason "\"}"
#define IDLE_FOR_NOW   "\"state\":{\"state\":\"idle\"}"
#define BROKEN(message)                                                                                      \
    "\"state\":{\"state\":\"idle\",\"stopReason\":\"error\",\"error\":{\"code\":-32603,\"message\":"         \
    "\"" message "\"}}"
#define NEW(id, who)                TOLD(id, who "," RUNNING)
#define ASKED(id, from, call, text) id " asked by " from " " call ": " text "\n"
#define OVER(parent, id, rest)      id " ends\n" parent " " TOLD(id, rest)
#define LAUNCH(id, input)                                                                                    \
    "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"" id "\",\"status\":\"pending\",\"rawInput\":" input  \
    "}\n"

#define INPUT "{\"description\":\"Look\",\"prompt\":\" look there\",\"subagent_type\":\"Explore\"}"

static void started(const char *agent, const char *call, const char *more_members)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"task_id\":\"%s\",\"tool_use_id\":\"%s\",\"subagent_type\":\"Explore\"%s}", agent, call,
               more_members);
    feed(subagents_started, buf_c(&b));
}

/* A child that runs, without a word of it. */
static void running(const char *agent, const char *call, const char *parent)
{
    assert_true(launch(call, parent, INPUT));
    start(agent, call);
    buf_clear(&seen);
}

static void notified(const char *agent, const char *call, const char *rest)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"task_id\":\"%s\",\"tool_use_id\":\"%s\",%s}", agent, call, rest);
    feed(subagents_notified, buf_c(&b));
}

static void end_of_launch(const char *id, const char *parent, const char *status)
{
    struct subagent_call call = {.id = str_of(id), .name = STR("Agent"), .parent = str_of(parent)};
    assert_true(report(call, false, status, NULL));
}

/* ---- The usual course ---- */

static void test_course(void **state)
{
    (void)state;
    assert_true(launch("L", NULL, INPUT));
    assert_seen("root tool " LAUNCH("L", INPUT));
    started("a1", "L", ",\"description\":\"Look\",\"prompt\":\"look!\"");
    assert_seen("root " NEW("a1", "\"title\":\"Explore\",\"description\":\"Look\"")
                    ASKED("a1", "root", "L", "look!"));
    started("a1", "L", ""); /* it runs */
    say("L", "hello");
    use("t", "L");
    more("t", NULL);
    struct subagent_update plan = {.kind = SUBAGENT_PLAN, .text = STR("[1]")};
    subagents_say(&sa, STR("L"), &plan);
    subagents_say(&sa, STR("L"), &plan);
    assert_seen("a1 text hello\na1 tool " CALL("t") "a1 tool " UPDATE("t") "a1 plan [1]\n");
    finish("a1", "completed");
    assert_seen(OVER("root", "a1", IDLE("end_turn")));
    notified("a1", "L", "\"status\":\"completed\",\"summary\":\"done\"");
    finish("a1", "failed");
    assert_seen("");
    end_of_launch("L", NULL, "\"completed\"");
    say("L", "late");
    use("u", "L");
    more("t", "L");
    assert_seen("root tool " UPDATE("L") "a1 text late\na1 tool " CALL("u") "a1 tool " UPDATE("t"));
    assert_str(subagents_session_of_agent(&sa, STR("a1")), "a1");
    assert_int_equal(take_dropped(), 0);
}

static void test_titles(void **state)
{
    static const struct {
        const char *input, *frame, *told;
    } rows[] = {
        {"{\"name\":\" N \",\"description\":\"D\"}", "", "\"title\":\"N (Explore)\",\"description\":\"D\""},
        {"{\"name\":\"Explore\"}", "", "\"title\":\"Explore\""},
        {"{\"subagent_type\":\"other\",\"name\":5}", ",\"description\":\"TD\"",
         "\"title\":\"Explore\",\"description\":\"TD\""},
        {"{\"description\":\"D\"}", ",\"description\":\"TD\"",
         "\"title\":\"Explore\",\"description\":\"TD\""},
        {"[]", ",\"description\":\" \"", "\"title\":\"Explore\""},
        {"{\"name\":\"a\\u0000b\"}", "", "\"title\":\"a (Explore)\""},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF(expected);
        subagents_clear(&sa);
        launch("L", NULL, rows[i].input);
        buf_clear(&seen);
        started("a1", "L", rows[i].frame);
        buf_printf(&expected, "root subagent_update \"sessionId\":\"a1\",%s," RUNNING "\n", rows[i].told);
        assert_seen(buf_c(&expected));
    }
}

/* The prompt of the task, else that of the launch; none is no message. */
static void test_prompts(void **state)
{
    (void)state;
    launch("L", NULL, INPUT);
    start("a1", "L");
    launch("M", NULL, "{\"prompt\":\" \\n\"}");
    start("a2", "M");
    assert_seen(
        "root tool " LAUNCH("L", INPUT) "root " NEW("a1", "\"title\":\"general\",\"description\":\"Look\"")
            ASKED("a1", "root", "L", " look there") "root tool " LAUNCH(
                "M", "{\"prompt\":\" \\n\"}") "root " NEW("a2", "\"title\":\"general\""));
}

static void test_nested(void **state)
{
    (void)state;
    running("a1", "L1", NULL);
    assert_true(launch("L2", "L1", INPUT));
    start("a2", "L2");
    assert_seen(
        "a1 tool " LAUNCH("L2", INPUT) "a1 " NEW("a2", "\"title\":\"general\",\"description\":\"Look\"")
            ASKED("a2", "a1", "L2", " look there"));
    finish("a2", "failed");
    assert_seen(OVER("a1", "a2", IDLE("error")));
    end_of_launch("L2", NULL, "\"completed\""); /* its owner is known */
    assert_seen("a1 tool " UPDATE("L2"));
}

/* ---- Ends ---- */

static void test_ends(void **state)
{
    static const char *const rows[][2] = {
        {"completed", IDLE("end_turn")}, {"failed", IDLE("error")},
        {"killed", IDLE("cancelled")},   {"cancelled", IDLE("cancelled")},
        {"stopped", IDLE("cancelled")},  {"disconnected", "\"state\":{\"state\":\"unknown\"}"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF(expected);
        subagents_clear(&sa);
        running("a1", "L", NULL);
        finish("a1", "something");
        finish("a1", "running");
        finish("other", "failed");
        assert_seen("");
        finish("a1", rows[i][0]);
        buf_printf(&expected, "a1 ends\nroot subagent_update \"sessionId\":\"a1\",%s\n", rows[i][1]);
        assert_seen(buf_c(&expected));
    }
}

/* What went wrong may be told later, once. */
static void test_errors(void **state)
{
    (void)state;
    running("a1", "L", NULL);
    feed(subagents_updated,
         "{\"task_id\":\"a1\",\"patch\":{\"status\":\"failed\",\"error\":\"no \\\"net\\\"\"}}");
    notified("a1", "L", "\"status\":\"failed\",\"summary\":\"other words\"");
    assert_seen(OVER("root", "a1", BROKEN("no \\\"net\\\"")));
    running("a2", "M", NULL);
    finish("a2", "failed");
    notified("a2", "M", "\"status\":\"failed\",\"summary\":7");
    notified("a2", "M", "\"status\":\"completed\",\"summary\":\"well\"");
    assert_seen(OVER("root", "a2", IDLE("error")));
    notified("a2", "M", "\"status\":\"failed\",\"summary\":\"broken\"");
    notified("a2", "M", "\"status\":\"failed\",\"summary\":\"more\"");
    assert_seen("root " TOLD("a2", BROKEN("broken")));
    running("a3", "N", NULL); /* words of an end that is no failure are not an error */
    notified("a3", "N", "\"status\":\"stopped\",\"summary\":\"by hand\"");
    assert_seen(OVER("root", "a3", IDLE("cancelled")));
}

/* Nobody knows how these ended. */
static void test_lost(void **state)
{
    (void)state;
    running("a1", "L1", NULL);
    running("a2", "L2", "L1");
    notified("a2", "L2", "\"status\":\"stopped\",\"reason\":\"worker_restart\"");
    assert_seen(OVER("a1", "a2", IDLE_FOR_NOW));
    subagents_cancel(&sa); /* ends none */
    assert_seen("");
    subagents_finish(&sa, SUBAGENT_CANCELLED);
    assert_seen(OVER("root", "a1", IDLE_FOR_NOW));
    subagents_finish(&sa, SUBAGENT_FAILED);
    assert_seen("");
}

/* ---- Later runs ---- */

static void test_resumed_by_task(void **state)
{
    (void)state;
    running("a1", "L", NULL);
    use("t", "L");
    finish("a1", "completed");
    buf_clear(&seen);
    struct subagent_call send = {.id = STR("send"), .name = STR("SendMessage")};
    assert_true(report(send, true, NULL, NULL));
    started("a1", "send", ",\"description\":\"Look\",\"prompt\":\"and now?\"");
    assert_seen("root tool " CALL("send") "root " TOLD("a1", RUNNING)
                    ASKED("a1", "root", "send", "and now?"));
    say("L", "again"); /* its messages name the first launch */
    more("t", "L");
    assert_seen("a1 text again\na1 tool " UPDATE("t"));
    /* The end of the first run, once more, is not that of the second. */
    notified("a1", "L", "\"status\":\"completed\"");
    assert_seen("");
    notified("a1", "send", "\"status\":\"stopped\"");
    assert_seen(OVER("root", "a1", IDLE("cancelled")));
    started("a1", "send2", "");
    notified("a1", "send", "\"status\":\"stopped\"");
    assert_seen("root " TOLD("a1", RUNNING)); /* without a word of what it is to do */
    assert_int_equal(sa.by_session.used, 1);
}

/* A message that one child sent to another: the run is told where the agent was first. */
static void test_resumed_by_child(void **state)
{
    (void)state;
    running("a1", "L1", NULL);
    running("a2", "L2", "L1");
    running("a3", "L3", NULL);
    finish("a2", "completed");
    buf_clear(&seen);
    struct subagent_call send = {.id = STR("send"), .name = STR("SendMessage"), .parent = STR("L3")};
    assert_true(report(send, true, NULL, NULL));
    started("a2", "send", ",\"prompt\":\"help\"");
    assert_seen("a3 tool " CALL("send") "a1 " TOLD("a2", RUNNING) ASKED("a2", "a3", "send", "help"));
}

static void test_resumed_without_task(void **state)
{
    (void)state;
    running("a1", "L", NULL);
    subagents_resumed(&sa, STR("a1"), STR("send"), STR("now")); /* it runs */
    subagents_resumed(&sa, STR("other"), STR("send"), STR("now"));
    subagents_resumed(&sa, STR_ABSENT, STR_ABSENT, STR_ABSENT);
    assert_seen("");
    finish("a1", "completed");
    buf_clear(&seen);
    subagents_resumed(&sa, STR("a1"), STR("send"), STR("now"));
    assert_seen("root " TOLD("a1", RUNNING) ASKED("a1", "root", "send", "now"));
    notified("a1", "L", "\"status\":\"completed\""); /* of the first run */
    assert_seen("");
    notified("a1", "send", "\"status\":\"completed\"");
    buf_clear(&seen);
    subagents_addressed(&sa, STR("other"), STR("x"), STR("x"));
    subagents_addressed(&sa, STR("a1"), STR("send2"), STR("then"));
    finish("a1", "pending");
    assert_seen("root " TOLD("a1", RUNNING) ASKED("a1", "root", "send2", "then"));
    finish("a1", "failed");
    buf_clear(&seen);
    finish("a1", "running"); /* nobody knows by which call */
    assert_seen("root " TOLD("a1", RUNNING));
    notified("a1", "whatever", "\"status\":\"completed\"");
    assert_seen(OVER("root", "a1", IDLE("end_turn")));
}

/* ---- Questions ---- */

static void test_awaits(void **state)
{
    (void)state;
    subagents_await(&sa, STR("a1"), true); /* nobody */
    running("a1", "L", NULL);
    subagents_await(&sa, STR_ABSENT, true);
    subagents_await(&sa, STR("a1"), false);
    assert_seen("");
    subagents_await(&sa, STR("a1"), true);
    subagents_await(&sa, STR("a1"), true); /* another one */
    assert_seen("root " TOLD("a1", AWAITING));
    subagents_await(&sa, STR("a1"), false);
    assert_seen("root " TOLD("a1", RUNNING));
    subagents_await(&sa, STR("a1"), true);
    finish("a1", "completed");
    buf_clear(&seen);
    subagents_await(&sa, STR("a1"), false);
    subagents_await(&sa, STR("a1"), true); /* it is idle */
    assert_seen("");
    started("a1", "send", "");
    subagents_await(&sa, STR("a1"), true);
    assert_seen("root " TOLD("a1", RUNNING) "root " TOLD("a1", AWAITING));
}

/* ---- The task before its call ---- */

static void test_waits_for_call(void **state)
{
    (void)state;
    start("a1", "L");
    say("L", "one");
    use("t", "L");
    subagents_await(&sa, STR("a1"), true);
    assert_false(subagents_session_of_agent(&sa, STR("a1")).p);
    assert_seen("");
    assert_true(launch("L", NULL, INPUT));
    assert_seen(
        "root tool " LAUNCH("L", INPUT) "root " NEW("a1", "\"title\":\"general\",\"description\":\"Look\"")
            ASKED("a1", "root", "L", " look there") "a1 text one\na1 tool " CALL("t"));
}

/* The launch of the inner one waits for the outer one, and the inner one for that. */
static void test_waits_for_chain(void **state)
{
    (void)state;
    start("a2", "L2");
    say("L2", "inner");
    launch("L2", "L1", "{}");
    say("L1", "outer");
    start("a1", "L1");
    assert_seen("");
    launch("L1", NULL, "{}");
    assert_seen("root tool " LAUNCH("L1", "{}") "root " NEW("a1", "\"title\":\"general\"") "a1 tool " LAUNCH(
        "L2", "{}") "a1 " NEW("a2", "\"title\":\"general\"") "a2 text inner\na1 text outer\n");
}

/* One whose launch comes after its end. */
static void test_late_launch(void **state)
{
    (void)state;
    start("a1", "L");
    say("L", "one");
    finish("a1", "failed");
    assert_seen("");
    launch("L", NULL, "{}");
    assert_seen("root tool " LAUNCH("L", "{}") "root " NEW(
        "a1", "\"title\":\"general\"") "a1 text one\nroot " TOLD("a1", IDLE("error")));
}

static void test_never_shown(void **state)
{
    (void)state;
    feed(subagents_started, "{\"task_id\":\"a1\",\"subagent_type\":\"x\"}"); /* without a call */
    start("a2", "L");
    say("L", "one");
    launch("L2", "nobody", INPUT); /* below a call that is not known */
    start("a3", "L2");
    launch("L3", "L3", INPUT); /* below itself */
    start("a4", "L3");
    launch("L4", "L5", INPUT); /* in a ring */
    launch("L5", "L4", INPUT);
    start("a5", "L4");
    start("a6", "L5");
    finish("a1", "completed");
    notified("a2", "L", "\"status\":\"failed\"");
    started("a2", "send", ""); /* nor later */
    subagents_finish(&sa, SUBAGENT_FAILED);
    assert_seen("");
    assert_int_equal(sa.held, 4);
}

/* A launch that failed before there was a child, and what came for it. */
static void test_failed_launch(void **state)
{
    (void)state;
    launch("L", NULL, "{}");
    say("L", "x");
    buf_clear(&seen);
    end_of_launch("L", NULL, "\"failed\"");
    assert_seen(
        "root tool {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"L\",\"status\":\"failed\"}\n");
    assert_int_equal(sa.launches.used, 0);
    assert_int_equal(sa.held, 0);
}

/* A question about the launch showed it. */
static void test_asked_launch(void **state)
{
    (void)state;
    running("a1", "L1", NULL);
    struct subagent_call call = {.id = STR("L2"),
                                 .name = STR("Agent"),
                                 .parent = STR("L1"),
                                 .shown = STR("a1")};
    assert_true(report(call, true, NULL, NULL));
    start("a2", "L2");
    assert_seen("a1 tool " CALL("L2") "a1 " NEW("a2", "\"title\":\"general\""));
}

/* ---- Hostile frames, limits ---- */

static void test_odd_frames(void **state)
{
    static const char *const frames[] = {
        "{}",
        "[]",
        "null",
        "{\"task_id\":7,\"subagent_type\":\"x\",\"status\":\"failed\",\"summary\":{}}",
        "{\"task_id\":\"\",\"subagent_type\":\"x\"}",
        "{\"task_id\":\"a\\u0000b\",\"subagent_type\":\"x\"}",
        "{\"task_id\":\"a\",\"subagent_type\":[]}",
        "{\"task_id\":{},\"tool_use_id\":[],\"patch\":3}",
        "{\"task_id\":\"r\",\"patch\":{\"status\":\"failed\",\"error\":[]},\"reason\":7,\"status\":{}}",
    };
    (void)state;
    running("r", "R", NULL);
    for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
        feed(subagents_started, frames[i]);
        feed(subagents_notified, frames[i]);
        feed(subagents_updated, frames[i]);
    }
    assert_seen(OVER("root", "r", IDLE("error")));
    AUTO_BUF(huge);
    buf_put_fill(&huge, 'a', 5000);
    subagents_resumed(&sa, STR("r"), buf_str(&huge), STR("x")); /* a call that cannot be one */
    assert_seen("root " TOLD("r", RUNNING));
    assert_int_equal(sa.by_session.used, 1);
}

/* The end of a child closes a launch of its own, which is the one that the end names. */
static void close_launch(void *user, str session, enum subagent_state state)
{
    (void)user;
    (void)session;
    (void)state;
    end_of_launch("L2", "L", "\"failed\"");
}

static void test_end_closes_the_launch_that_it_names(void **state)
{
    struct subagents_sink closing = sink;
    (void)state;
    closing.ending = close_launch;
    sa.sink = &closing;
    running("a1", "L", NULL);
    finish("a1", "completed");
    finish("a1", "running"); /* by a call that is not known */
    launch("L2", "L", "{}");
    buf_clear(&seen);
    notified("a1", "L2", "\"status\":\"completed\"");
    assert_seen(
        "a1 tool {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"L2\",\"status\":\"failed\"}\n"
        "root " TOLD("a1", IDLE("end_turn")));
    sa.sink = &sink;
}

static void test_two_agents_one_launch(void **state)
{
    (void)state;
    running("a1", "L", NULL);
    start("a2", "L");
    buf_clear(&seen);
    say("L", "x");
    notified("a3", "L", "\"status\":\"failed\"");
    assert_seen("a1 text x\n");
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
    finish("a7", "completed");
    start("a7", "send"); /* one that runs again needs no room */
    finish("a7", "completed");
    buf_clear(&seen);
    running("one-more", "M", NULL); /* the one that was idle went */
    say("L7", "x");
    say("M", "x");
    assert_seen("one-more text x\n");
    assert_int_equal(sa.by_session.used, SUBAGENTS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_course, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_titles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_prompts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nested, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resumed_by_task, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resumed_by_child, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resumed_without_task, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_awaits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_waits_for_call, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_waits_for_chain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_late_launch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_never_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_launch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_asked_launch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_end_closes_the_launch_that_it_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_agents_one_launch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_children, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
