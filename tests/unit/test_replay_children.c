/* Subagents in a replay: what is told of a launch, and how it is said to have ended. */
#include "unit.h"

#include "history/replay_children.h"
#include "session/internal.h"

static struct session s;
static struct agent agent;
static struct replay_children rc;
static struct buf seen;

static void on_update(void *self, str session, const char *name, str members)
{
    assert_ptr_equal(self, &seen);
    buf_put_str(&seen, session);
    buf_put_byte(&seen, ' ');
    buf_put_c(&seen, name);
    buf_put_byte(&seen, ' ');
    buf_put_str(&seen, members);
    buf_put_byte(&seen, '\n');
}

static const struct surface surface = {.update = on_update};

static int set_up(void **state)
{
    (void)state;
    agent = (struct agent){.surface = &surface, .surface_self = &seen};
    s = (struct session){.agent = &agent, .id = "root"};
    replay_children_init(&rc, &s, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    replay_children_free(&rc);
    buf_free(&seen);
    return 0;
}

static void assert_seen(const char *expected)
{
    assert_str(buf_str(&seen), expected);
    buf_clear(&seen);
}

static struct replay_child *launch(const struct replay_child *around, const char *call, const char *input)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"id\":\"%s\",\"name\":\"Agent\",\"input\":%s}", call, input);
    struct json_doc *doc = parse_or_fail(buf_c(&b));
    replay_children_launch(&rc, around, json_root(doc));
    json_unref(doc);
    return replay_children_find(&rc, str_of(call));
}

#define SPAWNED(on, id, name, task)                                                                          \
    on " subagent_spawned \"subagentSessionId\":\"root:replay-subagent:" id "\",\"name\":\"" name            \
       "\",\"task\":\"" task "\",\"capabilities\":{}\n"
#define OVER(on, id, state)                                                                                  \
    on " subagent_state_update \"subagentSessionId\":\"root:replay-subagent:" id "\",\"state\":\"" state     \
       "\"\n"

static void test_launches(void **state)
{
    (void)state;
    struct replay_child *a = launch(NULL, "A", "{\"description\":\" D \",\"prompt\":\"P\\n\"}");
    assert_non_null(a);
    assert_seen(SPAWNED("root", "A", "D", "P"));
    launch(NULL, "A", "{}"); /* once */
    assert_seen("");
    launch(a, "B", "{\"subagent_type\":\"T\",\"description\":\"\"}");
    assert_seen(SPAWNED("root:replay-subagent:A", "B", "T", "Delegated task restored from session history"));
    launch(NULL, "C", "7");
    assert_seen(SPAWNED("root", "C", "Restored agent", "Delegated task restored from session history"));
    launch(NULL, "", "{}");
    launch(NULL, "x\\u0000", "{}");
    assert_seen("");
    replay_children_end(&rc);
    assert_seen(OVER("root", "C", "disconnected") OVER("root:replay-subagent:A", "B", "disconnected")
                    OVER("root", "A", "disconnected"));
}

static void test_states(void **state)
{
    static const struct {
        const char *result, *notice, *state;
    } rows[] = {
        {"{\"content\":\"it was stopped\"}", NULL, "completed"},
        {"{\"is_error\":true,\"content\":\"broken\"}", NULL, "failed"},
        {"{\"is_error\":true,\"content\":\"unstopped, killedness, interrupted_\"}", NULL, "failed"},
        {"{\"is_error\":true,\"content\":\"Agent was STOPPED\"}", NULL, "cancelled"},
        {"{\"is_error\":true,\"content\":[{\"type\":\"text\",\"text\":\"(canceled)\"}]}", NULL, "cancelled"},
        {"{\"content\":\"\"}", "failed", "failed"},
        {"{\"content\":\"\"}", "killed", "cancelled"},
        {"{\"content\":\"\"}", "running", "completed"},
        {NULL, "completed", "completed"},
        {NULL, "", "disconnected"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows) * 2; i++) {
        bool notice_first = i % 2; /* in either order */
        const char *result = rows[i / 2].result, *notice = rows[i / 2].notice;
        struct json_doc *doc = parse_or_fail(result ? result : "{}");
        replay_children_free(&rc);
        struct replay_child *c = launch(NULL, "A", "{}");
        if (notice && notice_first) {
            replay_child_notice(c, str_of(notice));
        }
        if (result) {
            replay_child_result(c, json_root(doc));
        }
        if (notice && !notice_first) {
            replay_child_notice(c, str_of(notice));
        }
        buf_clear(&seen);
        replay_children_end(&rc);
        AUTO_BUF(expected);
        buf_printf(&expected,
                   "root subagent_state_update \"subagentSessionId\":\"root:replay-subagent:A\",\"state\":"
                   "\"%s\"\n",
                   rows[i / 2].state);
        assert_seen(buf_c(&expected));
        json_unref(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_launches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_states, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
