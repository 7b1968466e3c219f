/* What a stored subagent was told, and by which call of the conversation. */
#include "history_fixture.h"

#include "history/branch.h"
#include "replay/sent_messages.h"

#define SEND(id, parent, call, to, text)                                                                     \
    "{\"type\":\"assistant\",\"uuid\":\"" id "\",\"parentUuid\":" parent ",\"message\":{\"id\":\"m" id       \
    "\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" call                                                  \
    "\",\"name\":\"SendMessage\",\"input\":{\"to\":\"" to "\",\"message\":\"" text "\"}}]}}\n"
#define TOLD(id, parent, kind, text)                                                                         \
    "{\"type\":\"user\",\"uuid\":\"" id "\",\"parentUuid\":" parent                                          \
    ",\"isSidechain\":true,\"isMeta\":true,\"origin\":{\"kind\":\"" kind                                     \
    "\"},\"message\":{\"role\":\"user\",\"content\":\"" text "\"}}\n"

static void test_taken_by_text_and_agent(void **state)
{
    struct stored f;
    struct records r;
    struct sent_messages sm;
    (void)state;
    stored_make(&f);
    stored_write(&f, "w", SESSION_A,
                 USER("u1", "null", "go") SEND("s1", "\"u1\"", "c1", "helper", "do it")
                     SEND("s2", "\"s1\"", "c2", "a1", "do it") SEND("s3", "\"s2\"", "c3", "a2", "do it")
                         SEND("s4", "\"s3\"", "c4", "a1", " other ")
                             SEND("s5", "\"s4\"", "", "a1",
                                  "no call") "{\"type\":\"assistant\",\"uuid\":\"s6\",\"parentUuid\":\"s5\","
                                             "\"message\":{\"id\":\"m\","
                                             "\"content\":[{\"name\":\"SendMessage\",\"input\":7},7,{"
                                             "\"name\":\"SendMessage\",\"id\":\"c\","
                                             "\"input\":{\"to\":[],\"message\":{}}}]}}\n");
    assert_true(records_load(&r, f.path.p));
    sent_messages_init(&sm);
    assert_false(sent_messages_take(&sm, STR("a1"), STR_ABSENT, STR("do it")).p); /* not read */
    sent_messages_read(&sm, &r);
    sent_messages_read(&sm, &r); /* once */
    assert_str(sent_messages_take(&sm, STR("a1"), STR("helper"), STR("do it")), "c1");
    assert_str(sent_messages_take(&sm, STR("a1"), STR("helper"), STR("do it")), "c2");
    assert_false(sent_messages_take(&sm, STR("a1"), STR("helper"), STR("do it")).p);
    assert_false(sent_messages_take(&sm, STR("a1"), STR_ABSENT, STR_ABSENT).p);
    assert_false(sent_messages_take(&sm, STR("a1"), STR_ABSENT, STR("no call")).p);
    assert_str(sent_messages_take(&sm, STR("a1"), STR_ABSENT, STR("other")), "c4");
    assert_str(sent_messages_take(&sm, STR("a2"), STR_ABSENT, STR("do it")), "c3");
    sent_messages_free(&sm);
    records_free(&r);
    stored_end(&f);
}

static void test_told_text(void **state)
{
    (void)state;
    assert_str(told_text(STR("The coordinator sent a message while you were working:\nNow\n\nthis.\n\n"
                             "Address this before completing your current task.")),
               "Now\n\nthis.");
    assert_str(told_text(STR("in other words")), "in other words");
    assert_str(told_text(STR("The coordinator sent a message while you were working:\n")),
               "The coordinator sent a message while you were working:\n");
    assert_false(told_text(STR_ABSENT).n);
}

/* Only what the model's coordinator said is part of a subagent's conversation, not of the session's. */
static void test_part_of_the_branch(void **state)
{
    struct stored f;
    struct records r;
    struct branch b;
    (void)state;
    stored_make(&f);
    stored_write(&f, "w", SESSION_A,
                 USER("u1", "null", "go") TOLD("t1", "\"u1\"", "coordinator", "more")
                     TOLD("t2", "\"t1\"", "hook", "no") ASSISTANT("a1", "\"t2\"", "m1", "done"));
    assert_true(records_load(&r, f.path.p));
    assert_true(branch_select(&b, &r, true));
    assert_int_equal(b.n, 3);
    assert_str(r.rows[b.rows[1]].uuid, "t1");
    assert_true(r.rows[b.rows[1]].flags & RECORD_TOLD);
    branch_free(&b);
    assert_true(branch_select(&b, &r, false));
    assert_int_equal(b.n, 2);
    branch_free(&b);
    records_free(&r);
    stored_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken_by_text_and_agent),
        cmocka_unit_test(test_told_text),
        cmocka_unit_test(test_part_of_the_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
