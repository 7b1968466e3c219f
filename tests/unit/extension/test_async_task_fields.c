/* What the client is told of an async task: its kind, its names, where it is shown, what changed. */
#include "async_tasks_fixture.h"

static void start(struct fixture *f, const char *members)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"task_id\":\"b1\",\"is_backgrounded\":true,\"tool_use_id\":\"t1\"%s}", members);
    feed(f, async_tasks_started, buf_c(&b));
}

#define SPAWNED(name, type, description, shown)                                                              \
    "root spawned {\"asyncTaskId\":\"b1\",\"name\":\"" name "\",\"taskType\":\"" type                        \
    "\",\"description\":\"" description "\",\"showInTranscript\":" shown                                     \
    ",\"canStop\":true,\"toolCallId\":\"t1\"}\n"

static void test_kinds_and_names(void **state)
{
    (void)state;
    const struct {
        const char *members, *told;
    } cases[] = {
        {",\"task_type\":\"local_bash\",\"description\":\"d\"", SPAWNED("d", "shell", "d", "true")},
        {",\"task_type\":\"local_workflow\",\"description\":\"d\"", SPAWNED("d", "workflow", "d", "true")},
        {",\"task_type\":\"local_monitor\",\"description\":\"d\"", SPAWNED("d", "monitor", "d", "true")},
        {",\"task_type\":\"monitor_mcp\",\"description\":\"d\"", SPAWNED("d", "monitor", "d", "true")},
        {",\"task_type\":\"monitor_ws\",\"description\":\"d\"", SPAWNED("d", "monitor", "d", "true")},
        {",\"task_type\":\"mcp\",\"description\":\"d\"", SPAWNED("d", "monitor", "d", "true")},
        {",\"task_type\":\"dream\",\"description\":\"d\"", SPAWNED("d", "dream", "d", "true")},
        {",\"description\":\"d\"", SPAWNED("d", "task", "d", "true")},
        {",\"workflow_name\":\"w\",\"task_type\":\"local_workflow\",\"description\":\"d\"",
         SPAWNED("w", "workflow", "d", "true")},
        {"", SPAWNED("Background task", "task", "Background task", "true")},
        {",\"task_type\":\"local_bash\",\"description\":\"\"", SPAWNED("Shell", "shell", "Shell", "true")},
        {",\"task_type\":\"aa\"", SPAWNED("Aa", "aa", "Aa", "true")},
        {",\"task_type\":\"zz\"", SPAWNED("Zz", "zz", "Zz", "true")},
        {",\"task_type\":\"Zz\"", SPAWNED("Zz", "Zz", "Zz", "true")},
        {",\"task_type\":\"{z\"", SPAWNED("{z", "{z", "{z", "true")},
        {",\"description\":\"d\",\"skip_transcript\":true", SPAWNED("d", "task", "d", "false")},
        {",\"description\":\"d\",\"skip_transcript\":false", SPAWNED("d", "task", "d", "true")},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fixture f;
        begin(&f);
        start(&f, cases[i].members);
        expect(&f, cases[i].told);
        end(&f);
    }
}

static void test_a_task_of_the_list_is_shown(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_listed, "[{\"task_id\":\"b1\",\"description\":\"d\",\"tool_use_id\":\"t1\"}]");
    expect(&f, SPAWNED("d", "task", "d", "true"));
    end(&f);
}

static void test_a_watch_of_the_monitor_tool(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    feed(&f, async_tasks_started,
         "{\"task_id\":\"b1\",\"is_backgrounded\":true,\"tool_use_id\":\"watch-call\",\"task_type\":\"local_"
         "bash\","
         "\"description\":\"d\"}");
    expect(
        &f,
        "root spawned {\"asyncTaskId\":\"b1\",\"name\":\"d\",\"taskType\":\"monitor\",\"description\":\"d\","
        "\"showInTranscript\":true,\"canStop\":true,\"toolCallId\":\"watch-call\"}\n");
    end(&f);
}

static void test_progress_tells_what_changed(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    start(&f, ",\"description\":\"d\"");
    buf_clear(&f.told);
#define USAGE(n) "\"usage\":{\"total_tokens\":" #n ",\"tool_uses\":0,\"duration_ms\":0}"
#define TOLD(n)  "\"usage\":{\"totalTokens\":" #n ",\"toolUses\":0,\"durationMs\":0}"
    feed(&f, async_tasks_progress, "{\"task_id\":\"b1\"," USAGE(0) "}");
    expect(&f, "root progress {\"asyncTaskId\":\"b1\"," TOLD(0) "}\n");
    feed(&f, async_tasks_progress,
         "{\"task_id\":\"b1\",\"description\":\"e\",\"summary\":\"s\",\"last_tool_name\":\"Read\"," USAGE(
             0) "}");
    expect(&f,
           "root progress "
           "{\"asyncTaskId\":\"b1\",\"description\":\"e\",\"summary\":\"s\",\"lastToolName\":\"Read\"}\n");
    feed(&f, async_tasks_progress,
         "{\"task_id\":\"b1\",\"description\":\"e\",\"summary\":\"s\",\"last_tool_name\":\"Read\"," USAGE(
             0) "}");
    expect(&f, "");
    feed(&f, async_tasks_progress, "{\"task_id\":\"b1\",\"last_tool_name\":\"Edit\"," USAGE(1) "}");
    expect(&f, "root progress {\"asyncTaskId\":\"b1\",\"lastToolName\":\"Edit\"," TOLD(1) "}\n");
    feed(&f, async_tasks_progress, "{\"task_id\":\"b1\",\"output_file\":\"/o\"}");
    expect(&f, "root progress {\"asyncTaskId\":\"b1\",\"outputFilePath\":\"/o\"}\n");
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"description\":\"f\"}}");
    expect(&f, "root progress {\"asyncTaskId\":\"b1\",\"description\":\"f\"}\n");
    end(&f);
}

static void test_the_end_tells_what_changed(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    start(&f, ",\"description\":\"d\"");
    buf_clear(&f.told);
    feed(&f, async_tasks_notified,
         "{\"task_id\":\"b1\",\"status\":\"completed\",\"summary\":\"s\",\"output_file\":\"/o\"}");
    assert_true(str_has(buf_str(&f.told), STR("\"state\":\"completed\"")));
    assert_true(str_has(buf_str(&f.told), STR("\"summary\":\"s\"")));
    assert_true(str_has(buf_str(&f.told), STR("\"outputFilePath\":\"/o\"")));
    buf_clear(&f.told);
    feed(&f, async_tasks_notified,
         "{\"task_id\":\"b1\",\"status\":\"failed\",\"summary\":\"t\",\"output_file\":\"/o\"}");
    expect(&f, ""); /* it is over, and the path is known */
    end(&f);
}

static void test_every_state(void **state)
{
    (void)state;
    const char *const states[][2] = {{"paused", "paused"},     {"completed", "completed"},
                                     {"failed", "failed"},     {"killed", "stopped"},
                                     {"cancelled", "stopped"}, {"stopped", "stopped"}};
    for (size_t i = 0; i < ARRAY_LEN(states); i++) {
        struct fixture f;
        AUTO_BUF(frame);
        AUTO_BUF(told);
        begin(&f);
        start(&f, ",\"description\":\"d\"");
        buf_clear(&f.told);
        buf_printf(&frame, "{\"task_id\":\"b1\",\"patch\":{\"status\":\"%s\"}}", states[i][0]);
        feed(&f, async_tasks_updated, buf_c(&frame));
        buf_printf(&told, "root state_update {\"asyncTaskId\":\"b1\",\"state\":\"%s\"}\n", states[i][1]);
        expect(&f, buf_c(&told));
        end(&f);
    }
    struct fixture f;
    begin(&f);
    start(&f, ",\"description\":\"d\"");
    buf_clear(&f.told);
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"status\":\"running\"}}");
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"status\":\"pending\"}}");
    feed(&f, async_tasks_updated, "{\"task_id\":\"b1\",\"patch\":{\"status\":\"odd\"}}");
    expect(&f, "");
    end(&f);
}

/* A held task goes out when its call is known, whichever frame tells it, and at the latest with a result. */
static void test_the_call_ends_the_wait(void **state)
{
    (void)state;
    const struct {
        step *step;
        const char *frame;
    } frames[] = {
        {async_tasks_started, "{\"task_id\":\"b1\",\"tool_use_id\":\"t1\",\"description\":\"d\"}"},
        {async_tasks_progress, "{\"task_id\":\"b1\",\"tool_use_id\":\"t1\"}"},
        {async_tasks_updated, "{\"task_id\":\"b1\",\"tool_use_id\":\"t1\",\"patch\":{}}"},
        {async_tasks_notified, "{\"task_id\":\"b1\",\"tool_use_id\":\"t1\"}"},
        {async_tasks_listed, "[{\"task_id\":\"b1\",\"tool_use_id\":\"t1\"}]"},
    };
    for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
        struct fixture f;
        begin(&f);
        feed(&f, async_tasks_listed, "[{\"task_id\":\"b1\",\"description\":\"d\"}]");
        expect(&f, "");
        feed(&f, frames[i].step, frames[i].frame);
        expect(&f, SPAWNED("d", "task", "d", "true"));
        async_tasks_release(&f.at);
        expect(&f, "");
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_and_names),
        cmocka_unit_test(test_a_task_of_the_list_is_shown),
        cmocka_unit_test(test_a_watch_of_the_monitor_tool),
        cmocka_unit_test(test_progress_tells_what_changed),
        cmocka_unit_test(test_the_end_tells_what_changed),
        cmocka_unit_test(test_every_state),
        cmocka_unit_test(test_the_call_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
