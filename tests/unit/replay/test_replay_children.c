/* Subagents in a replay: what is told of a launch, and how it is said to have ended. */
#include "unit.h"

#include "history/child_files.h"
#include "replay/replay_children.h"
#include "replay/replay_target.h"

static struct replay_target target;
static struct child_sessions children;
static struct client_capabilities client;
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

static void on_notice(void *self, str session, const char *severity, str title, str description)
{
    assert_ptr_equal(self, &seen);
    assert_true(title.n && description.n);
    buf_put_str(&seen, session);
    buf_printf(&seen, " notice %s %.*s\n", severity, STR_ARG(description));
}

static const struct surface surface = {.update = on_update, .notice = on_notice};

static void begin(const struct subagents_form *form)
{
    client = (struct client_capabilities){0};
    children = (struct child_sessions){.subagents.form = form};
    target = (struct replay_target){
        .client = &client,
        .surface = &surface,
        .surface_self = &seen,
        .session = STR("root"),
        .children = &children,
    };
}

static int set_up(void **state)
{
    (void)state;
    begin(NULL);
    replay_children_init(&rc, &target, NULL);
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

#define SPAWNED_ASKED(on, id, name, task, prompt)                                                            \
    on " subagent_spawned \"subagentSessionId\":\"root:replay-subagent:" id "\",\"name\":\"" name            \
       "\",\"task\":\"" task "\"," prompt "\"capabilities\":{}\n"
#define SPAWNED(on, id, name, task) SPAWNED_ASKED(on, id, name, task, "")
#define OVER(on, id, state)                                                                                  \
    on " subagent_state_update \"subagentSessionId\":\"root:replay-subagent:" id "\",\"state\":\"" state     \
       "\"\n"

static void test_launches(void **state)
{
    (void)state;
    struct replay_child *a = launch(NULL, "A", "{\"description\":\" D \",\"prompt\":\"P\\n\"}");
    assert_non_null(a);
    assert_seen(SPAWNED_ASKED("root", "A", "D", "P", "\"prompt\":\"P\\n\","));
    launch(NULL, "A", "{}"); /* once */
    assert_seen("");
    launch(a, "B", "{\"subagent_type\":\"T\",\"description\":\"\",\"prompt\":\" \"}");
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

/* ---- The draft's form ---- */

static struct child_files files;

static void stored(const char *call, const char *id, const char *name, const char *type)
{
    struct child_file *file = arena_alloc(&files.mem, sizeof(*file));
    assert_non_null(file);
    file->path = "somewhere";
    file->agent = arena_str(&files.mem, str_of(id));
    file->name = arena_str(&files.mem, str_of(name));
    file->type = arena_str(&files.mem, str_of(type));
    assert_true(map_put(&files.by_call, str_of(call), file, NULL));
}

static int set_up_draft(void **state)
{
    (void)state;
    files = (struct child_files){0};
    begin(&subagents_draft);
    replay_children_init(&rc, &target, &files);
    return 0;
}

static int tear_down_draft(void **state)
{
    child_files_free(&files);
    return tear_down(state);
}

#define RUNNING(on, id, who)                                                                                 \
    on " subagent_update \"sessionId\":\"" id "\"," who ",\"state\":{\"state\":\"running\"}\n"
#define IDLE(on, id, rest) on " subagent_update \"sessionId\":\"" id "\",\"state\":{" rest "}\n"
#define ASKED(id, call, from, text)                                                                          \
    id " session_message \"messageId\":\"" call "\",\"senderSessionId\":\"" from                             \
       "\",\"recipientSessionId\":\"" id "\",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]\n"

static void test_draft(void **state)
{
    (void)state;
    stored("A", "a1", "helper", "Explore");
    stored("B", "a2", NULL, NULL);
    struct replay_child *a = launch(NULL, "A", "{\"description\":\" D \",\"subagent_type\":\"T\"}");
    assert_non_null(a);
    launch(NULL, "A", "{}"); /* once */
    assert_seen(RUNNING("root", "a1", "\"title\":\"helper (Explore)\",\"description\":\"D\""));
    struct replay_child *b = launch(a, "B", "{\"subagent_type\":\"T\"}");
    assert_seen(RUNNING("a1", "a2", "\"title\":\"T\""));
    replay_child_asked(&rc, a, STR_ABSENT, STR("uuid-1"), STR("do"));
    replay_child_asked(&rc, a, STR("send"), STR("uuid-2"), STR("more"));
    replay_child_asked(&rc, b, STR_ABSENT, STR("uuid-3"), STR("do"));
    replay_child_asked(&rc, b, STR_ABSENT, STR("uuid-4"), STR("and"));
    assert_seen(ASKED("a1", "A", "root", "do") ASKED("a1", "send", "root", "more")
                    ASKED("a2", "B", "a1", "do") ASKED("a2", "uuid-4", "a1", "and"));
    /* A later run is known by the agent alone. */
    assert_ptr_equal(replay_children_told_of(&rc, STR("send"), STR("a1")), a);
    assert_null(replay_children_told_of(&rc, STR("A"), STR("other")));
    assert_null(replay_children_told_of(&rc, STR("A"), STR_ABSENT));
    replay_child_notice(a, STR("failed"));
    replay_child_notice(a, STR("completed"));
    replay_children_end(&rc);
    assert_seen(IDLE("a1", "a2", "\"state\":\"unknown\"")
                    IDLE("root", "a1", "\"state\":\"idle\",\"stopReason\":\"end_turn\""));
}

/* A launch without a stored transcript, or with one that names no proper agent, has no child. */
static void test_draft_missing(void **state)
{
    (void)state;
    stored("A", "a1", NULL, NULL);
    stored("B", "", NULL, NULL);
    stored("C", "a\xff", NULL, NULL);
    stored("D", "a1", NULL, NULL);
    assert_non_null(launch(NULL, "A", "{}"));
    assert_null(launch(NULL, "B", "{}"));
    assert_null(launch(NULL, "C", "{}"));
    assert_null(launch(NULL, "D", "{}")); /* the agent has its child */
    assert_null(launch(NULL, "E", "{}"));
    replay_child_notice(replay_children_find(&rc, STR("A")), STR("killed"));
    buf_clear(&seen);
    client.session_notices = true;
    replay_children_end(&rc);
    assert_seen(
        IDLE("root", "a1",
             "\"state\":\"idle\",\"stopReason\":\"cancelled\"") "root notice info The history of 4 subagents "
                                                                "of this session could not be restored.\n");
    client.session_notices = false;
    replay_children_end(&rc);
    assert_seen(IDLE("root", "a1", "\"state\":\"idle\",\"stopReason\":\"cancelled\""));
}

/* One that runs at present is told to end when it does, and waits if it does. */
static struct buf live; /* what was told last of a child that is no replay's */

static void on_live(void *user, str session, const char *name, str members)
{
    (void)user;
    (void)session;
    (void)name;
    buf_clear(&live);
    buf_put_str(&live, members);
}

static void on_live_message(void *user, str from, str to, str call, str text)
{
    (void)user;
    (void)from;
    (void)to;
    (void)call;
    (void)text;
}

static void on_live_report(void *user, str session, const struct subagent_update *u)
{
    (void)user;
    (void)session;
    (void)u;
}

static void test_draft_of_a_live_child(void **state)
{
    static const struct subagents_sink sink = {.deliver = on_live_report,
                                               .state = on_live,
                                               .message = on_live_message};
    struct tool_report report = {.first = true, .id = STR("A")};
    struct subagent_call call = {.id = STR("A"), .name = STR("Agent")};
    (void)state;
    subagents_init(&children.subagents, &subagents_draft, &sink, &target);
    subagents_tool(&children.subagents, &call, &report);
    AUTO_JSON(doc) = parse_or_fail("{\"task_id\":\"a1\",\"tool_use_id\":\"A\",\"subagent_type\":\"T\"}");
    subagents_started(&children.subagents, json_root(doc));
    stored("A", "a1", NULL, "T");
    replay_child_notice(launch(NULL, "A", "{}"), STR("completed"));
    buf_clear(&live);
    replay_children_end(&rc);
    assert_seen(RUNNING("root", "a1", "\"title\":\"T\""));
    assert_int_equal(live.n, 0);
    subagents_await(&children.subagents, STR("a1"), true);
    buf_clear(&live);
    replay_children_end(&rc);
    assert_seen("");
    assert_str(buf_str(&live), "\"sessionId\":\"a1\",\"state\":{\"state\":\"requires_action\"}");
    buf_free(&live);
    subagents_free(&children.subagents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_launches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_states, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_draft, set_up_draft, tear_down_draft),
        cmocka_unit_test_setup_teardown(test_draft_missing, set_up_draft, tear_down_draft),
        cmocka_unit_test_setup_teardown(test_draft_of_a_live_child, set_up_draft, tear_down_draft),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
