#include "history/backwards.h"
#include "history/stored_goal.h"
#include "history_fixture.h"

#define NOTE(members) "{\"type\":\"attachment\",\"attachment\":{\"type\":\"goal_status\"," members "}}\n"
#define SIDE_NOTE(members)                                                                                   \
    "{\"type\":\"attachment\",\"isSidechain\":true,\"attachment\":{\"type\":\"goal_status\"," members "}}\n"
#define SET NOTE("\"met\":false,\"sentinel\":true,\"condition\":\"Ship it\"")
#define MET NOTE("\"met\":true,\"condition\":\"Ship it\"")

static void check_goal(const char *text, enum stored_goal expected, const char *condition)
{
    struct stored f;
    AUTO_BUF(found);
    stored_make(&f);
    stored_write(&f, "p", SESSION_A, text);
    assert_int_equal(stored_goal_read(f.path.p, &found), expected);
    assert_str(buf_str(&found), condition);
    stored_end(&f);
}

static void test_the_last_note_counts(void **state)
{
    (void)state;
    check_goal("", STORED_GOAL_NONE, "");
    check_goal(USER("a", "null", "x"), STORED_GOAL_NONE, "");
    check_goal(SET USER("a", "null", "about \\\"goal_status\\\""), STORED_GOAL_ACTIVE, "Ship it");
    check_goal(SET MET, STORED_GOAL_NONE, "");
    check_goal(SET MET SET, STORED_GOAL_ACTIVE, "Ship it");
    check_goal(SET NOTE("\"met\":false,\"failed\":true,\"condition\":\"Ship it\""), STORED_GOAL_NONE, "");
    check_goal(SET SIDE_NOTE("\"met\":true,\"condition\":\"x\""), STORED_GOAL_ACTIVE, "Ship it");
    check_goal(SET NOTE("\"condition\":7"), STORED_GOAL_NONE, "");
    check_goal(SET "{\"type\":\"user\",\"x\":\"goal_status\"}\n{\"goal_status\"", STORED_GOAL_ACTIVE,
               "Ship it");
}

static void test_unreadable(void **state)
{
    (void)state;
    AUTO_BUF(found);
    assert_int_equal(stored_goal_read("/nonexistent", &found), STORED_GOAL_UNKNOWN);
}

/* Collects the lines, and stops after so many. */
struct seen {
    struct buf text;
    unsigned left;
};

static bool see(void *user, str line)
{
    struct seen *s = user;
    buf_put_str(&s->text, str_first(line, 3));
    buf_put_c(&s->text, ";");
    return --s->left == 0;
}

static void test_lines_from_the_end(void **state)
{
    (void)state;
    struct stored f;
    AUTO_BUF(text);
    stored_make(&f);
    buf_put_c(&text, "one\n\ntwo");
    buf_put_fill(&text, '2', 200000); /* over several windows */
    buf_put_c(&text, "\nend");
    stored_write(&f, "p", SESSION_A, buf_c(&text));
    struct seen all = {.left = 100};
    assert_true(lines_backwards(f.path.p, see, &all));
    assert_str(buf_str(&all.text), "end;two;;one;");
    struct seen some = {.left = 2};
    assert_true(lines_backwards(f.path.p, see, &some));
    assert_str(buf_str(&some.text), "end;two;");
    buf_free(&all.text);
    buf_free(&some.text);
    stored_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_last_note_counts),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_lines_from_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
