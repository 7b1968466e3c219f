#include "async_tasks_fixture.h"

#define SPAWN(fields) "root spawned {\"asyncTaskId\":\"b1\"," fields "}\n"
#define WAIT_SPAWN(shown, rest)                                                                              \
    SPAWN("\"name\":\"Wait\",\"taskType\":\"shell\",\"description\":\"Wait\",\"showInTranscript\":" shown    \
          ",\"canStop\":true" rest)

static const char started[] =
    "{\"task_id\":\"b1\",\"tool_use_id\":\"t1\",\"description\":\"Wait\",\"is_backgrounded\":true,"
    "\"task_type\":\"local_bash\"}";
static const char listed[] = "[{\"task_id\":\"b1\",\"task_type\":\"local_bash\",\"description\":\"Wait\"}]";

static void test_listed_then_started(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_listed, listed);
    expect(&f, "");
    feed(&f, async_tasks_started, started);
    expect(&f, WAIT_SPAWN("true", ",\"toolCallId\":\"t1\""));
    async_tasks_result(
        &f.at, STR("t1"), STR("b1"), STR("sleep 9"),
        STR("Running. Output is being written to: /tmp/x y/tasks/b1.output. You will be told."));
    expect(&f, "root progress {\"asyncTaskId\":\"b1\",\"outputFilePath\":\"/tmp/x y/tasks/b1.output\"}\n");
    assert_true(async_tasks_has_call(&f.at, STR("t1")));
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"status\":\"completed\"}}");
    expect(&f, "root state_update {\"asyncTaskId\":\"b1\",\"state\":\"completed\"}\n");
    feed(&f, async_tasks_notified,
         "{\"task_id\":\"b1\",\"status\":\"completed\",\"summary\":\"done\","
         "\"output_file\":\"/tmp/x y/tasks/b1.output\"}");
    feed(&f, async_tasks_listed, "[]");
    expect(&f, "");
    end(&f);
}

static void test_held_task(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_listed, listed);
    feed(&f, async_tasks_progress, "{\"task_id\":\"b1\",\"summary\":\"half\",\"last_tool_name\":\"Read\"}");
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"status\":\"paused\"}}");
    expect(&f, "");
    async_tasks_release(&f.at);
    expect(&f,
           WAIT_SPAWN(
               "true",
               "") "root progress {\"asyncTaskId\":\"b1\",\"summary\":\"half\",\"lastToolName\":\"Read\"}\n"
                   "root state_update {\"asyncTaskId\":\"b1\",\"state\":\"paused\"}\n");
    feed(&f, async_tasks_progress, "{\"task_id\":\"b1\",\"tool_use_id\":\"t1\",\"summary\":\"half\"}");
    expect(&f, "root progress {\"asyncTaskId\":\"b1\",\"toolCallId\":\"t1\"}\n");
    end(&f);
    begin(&f); /* the end releases it, too */
    feed(&f, async_tasks_listed, listed);
    feed(&f, async_tasks_notified, "{\"task_id\":\"b1\",\"status\":\"failed\",\"summary\":\"no\"}");
    expect(&f,
           WAIT_SPAWN(
               "true",
               "") "root state_update {\"asyncTaskId\":\"b1\",\"state\":\"failed\",\"summary\":\"no\"}\n");
    end(&f);
}

static void test_foreground_is_silent(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_started,
         "{\"task_id\":\"b1\",\"tool_use_id\":\"t1\",\"description\":\"Wait\","
         "\"is_backgrounded\":false,\"task_type\":\"local_bash\"}");
    feed(&f, async_tasks_progress, "{\"task_id\":\"b1\",\"summary\":\"x\"}");
    feed(&f, async_tasks_listed, "[]"); /* it was in no list, so it left none */
    expect(&f, "");
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"is_backgrounded\":true}}");
    expect(&f,
           WAIT_SPAWN("true",
                      ",\"toolCallId\":\"t1\"") "root progress {\"asyncTaskId\":\"b1\",\"summary\":\"x\"}\n");
    end(&f);
}

static void test_subagents_are_ignored(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_started,
         "{\"task_id\":\"a1\",\"subagent_type\":\"Explore\",\"is_backgrounded\":true}");
    feed(&f, async_tasks_listed, "[{\"task_id\":\"a1\"},{\"task_id\":\"a2\",\"task_type\":\"local_agent\"}]");
    feed(&f, async_tasks_updated,
         "{\"task_id\":\"a1\",\"patch\":{\"is_backgrounded\":true,\"status\":\"completed\"}}");
    async_tasks_result(&f.at, STR("t1"), STR("a1"), STR(""), STR(""));
    async_tasks_release(&f.at);
    expect(&f, "");
    assert_false(async_tasks_stop(&f.at, STR("a1")));
    end(&f);
}

static void test_inferred_stop_is_corrected_once(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_started, started);
    buf_clear(&f.told);
    feed(&f, async_tasks_listed, "[]");
    expect(&f, "root state_update {\"asyncTaskId\":\"b1\",\"state\":\"stopped\"}\n");
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"status\":\"failed\"}}");
    expect(&f, "root state_update {\"asyncTaskId\":\"b1\",\"state\":\"failed\"}\n");
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"status\":\"completed\"}}");
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"status\":\"running\"}}");
    expect(&f, "");
    end(&f);
}

static void test_stop(void **state)
{
    (void)state;
    struct fixture f;
    AUTO_BUF(name);
    AUTO_BUF(session);
    begin(&f);
    assert_false(async_tasks_stop(&f.at, STR("b1")));
    feed(&f, async_tasks_started, started);
    async_tasks_result(&f.at, STR("t1"), STR("b1"), STR("sleep 9"), STR(""));
    buf_clear(&f.told);
    assert_true(async_tasks_stop(&f.at, STR("b1")));
    assert_false(async_tasks_stop(&f.at, STR("b1")));
    async_tasks_stopped(&f.at, STR("b1"), false, &name, &session); /* refused: it can be tried again */
    assert_true(async_tasks_stop(&f.at, STR("b1")));
    async_tasks_stopped(&f.at, STR("b1"), true, &name, &session);
    assert_str(buf_str(&name), "Wait");
    assert_str(buf_str(&session), "root");
    expect(&f, "root state_update {\"asyncTaskId\":\"b1\",\"state\":\"stopped\"}\n");
    assert_false(async_tasks_stop(&f.at, STR("b1")));
    async_tasks_finish(&f.at, false);
    expect(&f, "");
    end(&f);
}

/* Each update of a held task says what the one before did not, in the order in which it came. */
static void test_a_held_task_repeats_nothing(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_started,
         "{\"task_id\":\"b1\",\"description\":\"Wait\",\"is_backgrounded\":true,"
         "\"task_type\":\"local_bash\"}");
    feed(&f, async_tasks_progress, "{\"task_id\":\"b1\",\"description\":\"Half\"}");
    feed(&f, async_tasks_started, "{\"task_id\":\"b1\",\"description\":\"More\",\"is_backgrounded\":true}");
    expect(&f, "");
    feed(&f, async_tasks_progress, "{\"task_id\":\"b1\",\"tool_use_id\":\"t1\",\"description\":\"More\"}");
    expect(&f, SPAWN("\"name\":\"More\",\"taskType\":\"shell\",\"description\":\"Wait\",\"showInTranscript\":"
                     "true,\"canStop\":true,\"toolCallId\":\"t1\"") //
           "root progress {\"asyncTaskId\":\"b1\",\"description\":\"Half\"}\n"
           "root progress {\"asyncTaskId\":\"b1\",\"description\":\"More\"}\n");
    end(&f);
}

/* A change of state says nothing but the state and its summary: what else came with it goes before it. */
static void test_a_late_call_and_output_are_progress(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_listed, listed);
    async_tasks_release(&f.at);
    buf_clear(&f.told);
    feed(&f, async_tasks_notified,
         "{\"task_id\":\"b1\",\"tool_use_id\":\"t1\",\"status\":\"completed\",\"summary\":\"done\","
         "\"output_file\":\"/o\"}");
    expect(&f, "root progress {\"asyncTaskId\":\"b1\",\"outputFilePath\":\"/o\",\"toolCallId\":\"t1\"}\n"
               "root state_update {\"asyncTaskId\":\"b1\",\"state\":\"completed\",\"summary\":\"done\"}\n");
    end(&f);
}

static void test_a_monitor_and_what_is_not_shown(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_listed, listed);
    feed(&f, async_tasks_started,
         "{\"task_id\":\"b1\",\"tool_use_id\":\"watch-call\",\"description\":\"Wait\",\"is_backgrounded\":"
         "true,"
         "\"task_type\":\"local_bash\",\"skip_transcript\":true}");
    expect(&f,
           SPAWN("\"name\":\"Wait\",\"taskType\":\"monitor\",\"description\":\"Wait\",\"showInTranscript\":"
                 "false,\"canStop\":true,\"toolCallId\":\"watch-call\""));
    static const char *const types[] = {"monitor_mcp", "monitor_ws", "mcp", "local_monitor"};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        char frame[128];
        snprintf(frame, sizeof(frame), "{\"task_id\":\"m%zu\",\"tool_use_id\":\"t\",\"task_type\":\"%s\"}", i,
                 types[i]);
        feed(&f, async_tasks_started, frame);
        assert_true(str_has(buf_str(&f.told), STR("\"taskType\":\"monitor\"")));
        buf_clear(&f.told);
    }
    end(&f);
}

/* Only what was on the list can leave it. */
static void test_a_list_of_others_ends_nobody(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_started, started);
    buf_clear(&f.told);
    feed(&f, async_tasks_listed,
         "[{\"task_id\":\"o1\",\"task_type\":\"local_bash\",\"tool_use_id\":\"t2\"}]");
    assert_false(str_has(buf_str(&f.told), STR("b1")));
    buf_clear(&f.told);
    feed(&f, async_tasks_listed, "[]");
    expect(&f, "root state_update {\"asyncTaskId\":\"o1\",\"state\":\"stopped\"}\n");
    feed(&f, async_tasks_listed, listed);
    expect(&f, "");
    feed(&f, async_tasks_listed, "[{\"task_id\":\"o1\"}]");
    expect(&f, "root state_update {\"asyncTaskId\":\"b1\",\"state\":\"stopped\"}\n");
    end(&f);
}

/* The line about a stop names what the client knows, where the client knows it. */
static void test_a_childs_task_is_stopped_in_the_child(void **state)
{
    (void)state;
    struct fixture f;
    AUTO_BUF(name);
    AUTO_BUF(session);
    begin(&f);
    assert_false(async_tasks_session(&f.at, STR("b1")).p);
    feed(&f, async_tasks_started,
         "{\"task_id\":\"b1\",\"tool_use_id\":\"child-call\",\"is_backgrounded\":true}");
    assert_str(async_tasks_session(&f.at, STR("b1")), "child");
    feed(&f, async_tasks_progress, "{\"task_id\":\"b1\",\"description\":\"Other words\"}");
    assert_true(async_tasks_stop(&f.at, STR("b1")));
    async_tasks_stopped(&f.at, STR("b1"), true, &name, &session);
    assert_str(buf_str(&name), "Background task");
    assert_str(buf_str(&session), "child");
    end(&f);
}

static void test_session_is_fixed_and_usage_whole(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_started,
         "{\"task_id\":\"w1\",\"tool_use_id\":\"child-call\",\"workflow_name\":\"Deploy\","
         "\"task_type\":\"local_workflow\"}");
    expect(
        &f,
        "child spawned "
        "{\"asyncTaskId\":\"w1\",\"name\":\"Deploy\",\"taskType\":\"workflow\",\"description\":\"Workflow\","
        "\"showInTranscript\":true,\"canStop\":true,\"toolCallId\":\"child-call\"}\n");
    feed(&f, async_tasks_progress, "{\"task_id\":\"w1\",\"usage\":{\"total_tokens\":5,\"tool_uses\":1}}");
    expect(&f, "");
    const char *usage =
        "{\"task_id\":\"w1\",\"usage\":{\"total_tokens\":5,\"tool_uses\":1,\"duration_ms\":9}}";
    feed(&f, async_tasks_progress, usage);
    expect(&f, "child progress "
               "{\"asyncTaskId\":\"w1\",\"usage\":{\"totalTokens\":5,\"toolUses\":1,\"durationMs\":9}}\n");
    feed(&f, async_tasks_progress, usage);
    expect(&f, "");
    async_tasks_finish(&f.at, false);
    expect(&f, "child state_update {\"asyncTaskId\":\"w1\",\"state\":\"failed\"}\n");
    end(&f);
}

static void test_output_paths(void **state)
{
    (void)state;
    assert_str(async_output_path(STR("a: b: /t/tasks/x.output."), STR("x")), "/t/tasks/x.output");
    assert_false(async_output_path(STR("a: /t/tasks/y.output"), STR("x")).p);
    assert_false(async_output_path(STR("a: t/tasks/x.output"), STR("x")).p);
    assert_false(async_output_path(STR("a: /t/tasks/x.outputs"), STR("x")).p);
    assert_false(async_output_path(STR("a: /t/\ntasks/x.output"), STR("x")).p);
    assert_false(async_output_path(STR(": /tasks/.output"), STR("")).p);
}

static bool is_shell(void *user, str call_id)
{
    (void)user;
    return str_starts(call_id, STR("sh"));
}

#define RESULT(id, text) "{\"tool_use_id\":\"" id "\",\"content\":\"" text "\"}"

static void owner_is(const char *results, const char *structured, const char *expected)
{
    AUTO_BUF(b);
    str task;
    buf_printf(&b, "{\"message\":{\"content\":[%s]},\"tool_use_result\":%s}", results, structured);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&b));
    str call = async_background_call(json_root(doc), is_shell, NULL, &task);
    assert_str(call, expected);
}

static void test_owner_of_a_background_result(void **state)
{
    (void)state;
    const char *one = "{\"backgroundTaskId\":\"b1\"}";
    owner_is(RESULT("sh1", ""), one, "sh1");
    owner_is(RESULT("sh1", "") "," RESULT("sh2", "to: /t/tasks/b1.output"), one, "sh2");
    owner_is(RESULT("sh1", "") "," RESULT("sh2", ""),
             "[{\"backgroundTaskId\":\"b1\",\"tool_use_id\":\"sh2\"}]", "sh2");
    AUTO_JSON(doc) = parse_or_fail("{\"message\":{\"content\":[" RESULT("sh1", "") "," RESULT(
        "sh2",
        "") ",7]},"
            "\"tool_use_result\":[{\"backgroundTaskId\":\"b1\"},{\"backgroundTaskId\":\"b2\"},\"x\"]}");
    str task;
    assert_false(async_background_call(json_root(doc), is_shell, NULL, &task).p);
    AUTO_JSON(text) = parse_or_fail(
        "{\"message\":{\"content\":[" RESULT("sh1", "") "]},\"tool_use_result\":\"Error: no\"}");
    assert_false(async_background_call(json_root(text), is_shell, NULL, &task).p);
}

static void test_hostile_frames(void **state)
{
    (void)state;
    static step *const steps[] = {async_tasks_started, async_tasks_progress, async_tasks_updated,
                                  async_tasks_notified, async_tasks_listed};
    static const char *const frames[] = {
        "7",
        "[]",
        "{}",
        "{\"task_id\":7}",
        "{\"task_id\":\"\"}",
        "[{\"task_id\":{}},null]",
        "{\"task_id\":\"z\",\"patch\":[],\"status\":4,\"usage\":\"x\",\"description\":[]}",
    };
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        for (size_t k = 0; k < ARRAY_LEN(frames); k++) {
            feed(&f, steps[i], frames[k]);
        }
    }
    buf_clear(&f.told);
    char frame[96];
    for (unsigned i = 0; i < 5000; i++) { /* more than are kept */
        snprintf(frame, sizeof(frame), "{\"task_id\":\"n%u\",\"tool_use_id\":\"t\",\"task_type\":\"mcp\"}",
                 i);
        feed(&f, async_tasks_started, frame);
    }
    assert_true(f.at.by_id.used < 5000);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed_then_started),
        cmocka_unit_test(test_held_task),
        cmocka_unit_test(test_foreground_is_silent),
        cmocka_unit_test(test_subagents_are_ignored),
        cmocka_unit_test(test_inferred_stop_is_corrected_once),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_a_held_task_repeats_nothing),
        cmocka_unit_test(test_a_late_call_and_output_are_progress),
        cmocka_unit_test(test_a_monitor_and_what_is_not_shown),
        cmocka_unit_test(test_a_list_of_others_ends_nobody),
        cmocka_unit_test(test_a_childs_task_is_stopped_in_the_child),
        cmocka_unit_test(test_session_is_fixed_and_usage_whole),
        cmocka_unit_test(test_output_paths),
        cmocka_unit_test(test_owner_of_a_background_result),
        cmocka_unit_test(test_hostile_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
