/* Which chunks of a replay begin a message. */
#include "unit.h"

#include "acp_v2/replay_marks.h"

static bool first(struct replay_marks *m, const char *session, enum message_role role, const char *id)
{
    return replay_marks_first(m, str_of(session), role, str_of(id));
}

static void test_a_message_begins_once(void **state)
{
    (void)state;
    struct replay_marks *m = replay_marks_new();
    assert_false(first(m, "s", MESSAGE_AGENT, "m1")); /* live */
    replay_marks_begin(m, STR("s"));
    assert_true(first(m, "s", MESSAGE_AGENT, "m1"));
    assert_false(first(m, "s", MESSAGE_AGENT, "m1"));
    assert_true(first(m, "s", MESSAGE_THOUGHT, "m1")); /* ids of its own */
    assert_true(first(m, "s", MESSAGE_USER, "m1"));
    assert_false(first(m, "other", MESSAGE_AGENT, "m1"));
    replay_marks_end(m, STR("s"));
    assert_false(first(m, "s", MESSAGE_AGENT, "m2"));
    replay_marks_end(m, STR("s")); /* of nothing */
    replay_marks_free(m);
}

static void test_each_request_has_its_own(void **state)
{
    (void)state;
    struct replay_marks *m = replay_marks_new();
    replay_marks_begin(m, STR("s"));
    replay_marks_begin(m, STR("s")); /* waits for the first */
    assert_true(first(m, "s", MESSAGE_AGENT, "m1"));
    replay_marks_end(m, STR("s"));
    assert_true(first(m, "s", MESSAGE_AGENT, "m1"));
    replay_marks_end(m, STR("s"));
    assert_false(first(m, "s", MESSAGE_AGENT, "m1"));
    replay_marks_free(m);
}

static void test_children_are_part_of_it(void **state)
{
    (void)state;
    struct replay_marks *m = replay_marks_new();
    replay_marks_child(m, STR("s"), STR("live")); /* s is not replayed */
    assert_false(first(m, "live", MESSAGE_AGENT, "m1"));
    replay_marks_begin(m, STR("s"));
    replay_marks_child(m, STR("s"), STR("child"));
    replay_marks_child(m, STR("child"), STR("grandchild"));
    replay_marks_child(m, STR("s"), STR("child")); /* told again */
    assert_true(first(m, "child", MESSAGE_AGENT, "m1"));
    assert_true(first(m, "grandchild", MESSAGE_AGENT, "m1"));
    replay_marks_end(m, STR("child")); /* it has no request of its own */
    assert_false(first(m, "child", MESSAGE_AGENT, "m1"));
    replay_marks_end(m, STR("s"));
    assert_false(first(m, "child", MESSAGE_AGENT, "m2"));
    assert_false(first(m, "grandchild", MESSAGE_AGENT, "m2"));
    replay_marks_begin(m, STR("s"));
    replay_marks_child(m, STR("s"), STR("child")); /* freed with the rest */
    replay_marks_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_message_begins_once),
        cmocka_unit_test(test_each_request_has_its_own),
        cmocka_unit_test(test_children_are_part_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
