/* What runs beside the conversation. */
#include "unit.h"

#include "subagent/live_tasks.h"

static struct live_tasks lt;

static int set_up(void **state)
{
    (void)state;
    live_tasks_init(&lt);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    live_tasks_free(&lt);
    return 0;
}

typedef struct live_event step(struct live_tasks *, json);

static enum live_change feed(step *take, const char *text)
{
    struct json_doc *doc = parse_or_fail(text);
    struct live_event e = take(&lt, json_root(doc));
    json_unref(doc);
    assert_int_equal(e.change == LIVE_NOTHING, e.task == NULL);
    return e.change;
}

static unsigned ended;

static void on_ended(void *user, const struct live_task *task)
{
    assert_ptr_equal(user, &lt);
    assert_non_null(task->id);
    ended++;
}

static unsigned level(const char *list)
{
    struct json_doc *doc = parse_or_fail(list);
    ended = 0;
    live_tasks_level(&lt, json_root(doc), on_ended, &lt);
    json_unref(doc);
    return ended;
}

static void start(const char *id, const char *more)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"task_id\":\"%s\"%s}", id, more);
    assert_int_equal(feed(live_tasks_started, buf_c(&b)), LIVE_STARTED);
}

#define CHILD ",\"subagent_type\":\"general\",\"tool_use_id\":\"call1\""

static void test_subagent_holds(void **state)
{
    (void)state;
    start("a", CHILD);
    start("s", ",\"tool_use_id\":\"call2\",\"is_backgrounded\":true");
    assert_true(live_tasks_holds(&lt, STR("a")));
    assert_false(live_tasks_holds(&lt, STR("s"))); /* a command never does */
    assert_false(live_tasks_holds(&lt, STR("x")));
    assert_false(live_tasks_holds(&lt, STR_ABSENT));
    assert_string_equal(live_tasks_of_call(&lt, STR("call2"), false)->id, "s");
    assert_null(live_tasks_of_call(&lt, STR("call2"), true)); /* one is asked for a kind */
    assert_null(live_tasks_of_call(&lt, STR("call3"), true));
    assert_int_equal(feed(live_tasks_updated, "{\"task_id\":\"a\",\"patch\":{\"status\":\"running\"}}"),
                     LIVE_NOTHING);
    assert_int_equal(feed(live_tasks_updated, "{\"task_id\":\"a\",\"patch\":{\"status\":\"killed\"}}"),
                     LIVE_ENDED);
    assert_int_equal(feed(live_tasks_notified, "{\"task_id\":\"a\"}"), LIVE_NOTHING);
    assert_false(live_tasks_holds(&lt, STR("a")));
    assert_int_equal(feed(live_tasks_notified, "{\"task_id\":\"s\"}"), LIVE_ENDED);
    assert_null(live_tasks_find(&lt, STR("s")));
}

static void test_resume(void **state)
{
    (void)state;
    start("a", CHILD);
    assert_int_equal(live_tasks_resumed(&lt, STR("a")).change, LIVE_NOTHING); /* it runs */
    feed(live_tasks_notified, "{\"task_id\":\"a\"}");
    assert_int_equal(live_tasks_resumed(&lt, STR("a")).change, LIVE_RESUMED);
    const struct live_task *t = live_tasks_find(&lt, STR("a"));
    assert_true(t->backgrounded && t->subagent);
    assert_string_equal(t->call, "call1");
    feed(live_tasks_notified, "{\"task_id\":\"a\"}");
    assert_int_equal(feed(live_tasks_updated, "{\"task_id\":\"a\",\"patch\":{\"status\":\"pending\"}}"),
                     LIVE_RESUMED);
    feed(live_tasks_notified, "{\"task_id\":\"a\"}");
    start("a",
          ",\"subagent_type\":\"general\",\"tool_use_id\":\"message\""); /* keeps the call that began it */
    assert_string_equal(live_tasks_find(&lt, STR("a"))->call, "call1");
    start("s", "");
    feed(live_tasks_notified, "{\"task_id\":\"s\"}");
    assert_int_equal(live_tasks_resumed(&lt, STR("s")).change, LIVE_NOTHING); /* no subagent */
    assert_int_equal(live_tasks_resumed(&lt, STR_ABSENT).change, LIVE_NOTHING);
}

static void test_level(void **state)
{
    (void)state;
    start("a", CHILD);
    start("s", "");
    start("k", "");
    assert_int_equal(level("[{\"task_id\":\"k\"},{\"task_id\":\"new\"},5]"), 1); /* s */
    assert_null(live_tasks_find(&lt, STR("s")));
    assert_null(live_tasks_find(&lt, STR("new")));
    assert_non_null(live_tasks_find(&lt, STR("k")));
    assert_non_null(live_tasks_find(&lt, STR("a")));
    assert_false(live_tasks_holds(&lt, STR("a")));
    level("[{\"task_id\":\"a\"},{\"task_id\":\"k\"}]");
    assert_true(live_tasks_holds(&lt, STR("a")));
    assert_int_equal(level("{}"), 0); /* not a list */
    assert_int_equal(level("[]"), 1);
    live_tasks_activation(&lt);
    assert_non_null(live_tasks_find(&lt, STR("a")));
    live_tasks_activation(&lt);
    assert_null(live_tasks_find(&lt, STR("a")));
}

static void test_late(void **state)
{
    (void)state;
    start("a", CHILD ",\"run_id\":\"r2\"");
    assert_int_equal(feed(live_tasks_notified, "{\"task_id\":\"a\",\"run_id\":\"r1\"}"), LIVE_NOTHING);
    assert_int_equal(feed(live_tasks_updated,
                          "{\"task_id\":\"a\",\"run_id\":\"r1\",\"patch\":{\"status\":\"failed\"}}"),
                     LIVE_NOTHING);
    assert_int_equal(feed(live_tasks_started, "{\"task_id\":\"a\",\"run_id\":\"r1\"}"), LIVE_NOTHING);
    assert_true(live_tasks_holds(&lt, STR("a")));
    assert_int_equal(feed(live_tasks_notified, "{\"task_id\":\"a\"}"),
                     LIVE_ENDED); /* without a run: never late */
    assert_int_equal(feed(live_tasks_started, "{\"task_id\":\"a\",\"run_id\":\"r3\"}"), LIVE_STARTED);
    assert_int_equal(feed(live_tasks_notified, "{\"task_id\":\"a\",\"run_id\":\"r3\"}"), LIVE_ENDED);
}

static void test_runs_are_bounded(void **state)
{
    (void)state;
    for (int i = 0; i < LIVE_TASKS_RUNS_MAX + 10; i++) {
        AUTO_BUF(b);
        buf_printf(&b, ",\"subagent_type\":\"g\",\"run_id\":\"r5\"");
        char id[16];
        snprintf(id, sizeof(id), "t%d", i);
        start(id, buf_c(&b));
        buf_clear(&b);
        buf_printf(&b, "{\"task_id\":\"%s\"}", id);
        feed(live_tasks_notified, buf_c(&b));
    }
    assert_int_equal(lt.runs.used, LIVE_TASKS_RUNS_MAX);
    assert_int_equal(lt.settled_count, LIVE_TASKS_SETTLED_MAX);
    assert_int_equal(live_tasks_resumed(&lt, STR("t0")).change, LIVE_NOTHING);
    assert_int_equal(live_tasks_resumed(&lt, STR("t1033")).change, LIVE_RESUMED);
    assert_int_equal(feed(live_tasks_notified, "{\"task_id\":\"t1033\",\"run_id\":\"r1\"}"), LIVE_NOTHING);
    assert_int_equal(feed(live_tasks_started, "{\"task_id\":\"t0\",\"run_id\":\"r1\"}"),
                     LIVE_STARTED); /* forgotten */
}

static void test_foreground(void **state)
{
    (void)state;
    start("a", CHILD);
    start("b", ",\"subagent_type\":\"g\",\"parent_task_id\":\"a\"");
    start("c", ",\"subagent_type\":\"g\",\"parent_task_id\":\"gone\"");
    start("d", ",\"subagent_type\":\"g\",\"parent_task_id\":\"d\""); /* its own parent */
    assert_true(live_tasks_foreground(&lt, STR("a")));
    assert_true(live_tasks_foreground(&lt, STR("b")));
    assert_false(live_tasks_foreground(&lt, STR("c")));
    assert_false(live_tasks_foreground(&lt, STR("d")));
    assert_false(live_tasks_foreground(&lt, STR("nobody")));
    assert_int_equal(feed(live_tasks_updated, "{\"task_id\":\"a\",\"patch\":{\"is_backgrounded\":true}}"),
                     LIVE_CHANGED);
    assert_false(live_tasks_foreground(&lt, STR("b")));
}

static void test_odd_frames(void **state)
{
    (void)state;
    static const char *const odd[] =
        {"{}", "[]", "5", "{\"task_id\":5}", "{\"task_id\":\"\"}", "{\"task_id\":\"x\",\"patch\":[]}"};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        assert_int_equal(feed(live_tasks_updated, odd[i]), LIVE_NOTHING);
        assert_int_equal(feed(live_tasks_notified, odd[i]), LIVE_NOTHING);
    }
    assert_int_equal(feed(live_tasks_started, "{\"task_id\":5}"), LIVE_NOTHING);
    assert_int_equal(feed(live_tasks_started, "{\"task_id\":\"x\",\"tool_use_id\":5,\"subagent_type\":true}"),
                     LIVE_STARTED);
    assert_false(live_tasks_holds(&lt, STR("x")));
    live_tasks_clear(&lt, false, NULL, NULL);
    assert_null(live_tasks_find(&lt, STR("x")));
}

static unsigned clear(bool reset)
{
    ended = 0;
    live_tasks_clear(&lt, reset, on_ended, &lt);
    return ended;
}

static void test_clear(void **state)
{
    (void)state;
    start("child", CHILD ",\"is_backgrounded\":true");
    start("front", ",\"tool_use_id\":\"call2\"");
    start("back", ",\"tool_use_id\":\"call3\",\"is_backgrounded\":true");
    assert_int_equal(clear(true), 2); /* the command in the background goes on */
    assert_null(live_tasks_find(&lt, STR("child")));
    assert_null(live_tasks_of_call(&lt, STR("call2"), false));
    assert_string_equal(live_tasks_of_call(&lt, STR("call3"), false)->id, "back");
    assert_int_equal(clear(false), 1);
    assert_null(live_tasks_find(&lt, STR("back")));
    assert_int_equal(clear(false), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_subagent_holds),   CASE(test_resume),     CASE(test_level),      CASE(test_late),
        CASE(test_runs_are_bounded), CASE(test_foreground), CASE(test_odd_frames), CASE(test_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
