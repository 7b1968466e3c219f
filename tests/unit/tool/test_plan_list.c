#include "unit.h"

#include "tool/plan_list.h"

enum { LIST_MAX = 2000 };

static struct fact_task_change change(int what, const char *id, const char *subject, int status)
{
    struct fact_task_change c = {.id = str_of(id), .subject = str_of(subject), .status = status};
    c.change = what == TASK_PUT      ? TASK_PUT
               : what == TASK_MERGE  ? TASK_MERGE
               : what == TASK_REMOVE ? TASK_REMOVE
               : what == TASK_CLEAR  ? TASK_CLEAR
                                     : TASK_RELIST;
    return c;
}

static void apply(struct plan_list *p, int what, const char *id, const char *subject, int status)
{
    struct fact_task_change c = change(what, id, subject, status);
    plan_list_change(p, &c);
}

#define ENTRY(content, status)                                                                               \
    "{\"content\":\"" content "\",\"status\":\"" status "\",\"priority\":\"medium\"}"

static void assert_list(const struct plan_list *p, const char *expected)
{
    AUTO_BUF(b);
    plan_list_put(&b, p);
    assert_true(buf_ok(&b));
    assert_str(buf_str(&b), expected);
}

static void test_put_keeps_the_place_and_forgets_the_rest(void **state)
{
    (void)state;
    struct plan_list p;
    plan_list_init(&p);
    assert_list(&p, "[]");
    struct fact_task_change c = change(TASK_PUT, "1", "One", PLAN_IN_PROGRESS);
    c.active_form = STR("Doing one");
    plan_list_change(&p, &c);
    apply(&p, TASK_PUT, "2", "Two", PLAN_PENDING);
    assert_list(&p, "[" ENTRY("Doing one", "in_progress") "," ENTRY("Two", "pending") "]");
    apply(&p, TASK_PUT, "1", "Uno", PLAN_IN_PROGRESS);
    assert_list(&p, "[" ENTRY("Uno", "in_progress") "," ENTRY("Two", "pending") "]");
    apply(&p, TASK_PUT, "1", "Eins", -1);
    assert_list(&p, "[" ENTRY("Eins", "pending") "," ENTRY("Two", "pending") "]");
    plan_list_free(&p);
}

static void test_merge_changes_what_it_names(void **state)
{
    (void)state;
    struct plan_list p;
    plan_list_init(&p);
    apply(&p, TASK_MERGE, "9", NULL, PLAN_COMPLETED); /* an unknown task without a subject */
    assert_list(&p, "[]");
    apply(&p, TASK_MERGE, "1", "One", -1);
    apply(&p, TASK_MERGE, "1", NULL, PLAN_COMPLETED);
    assert_list(&p, "[" ENTRY("One", "completed") "]");
    apply(&p, TASK_MERGE, "1", NULL, 77);
    assert_list(&p, "[" ENTRY("One", "completed") "]");
    apply(&p, TASK_REMOVE, "7", NULL, -1);
    apply(&p, TASK_REMOVE, "1", NULL, -1);
    assert_list(&p, "[]");
    plan_list_free(&p);
}

static void test_relist_takes_the_new_order(void **state)
{
    (void)state;
    struct plan_list p;
    plan_list_init(&p);
    struct fact_task_change c = change(TASK_PUT, "1", "One", PLAN_PENDING);
    c.active_form = STR("Doing one");
    plan_list_change(&p, &c);
    apply(&p, TASK_PUT, "2", "Two", PLAN_PENDING);
    apply(&p, TASK_PUT, "3", "Three", PLAN_PENDING);
    struct fact_task_change all[4] = {change(TASK_RELIST, NULL, NULL, -1), change(TASK_PUT, "3", "Three!", 2),
                                      change(TASK_PUT, "4", "Four", 0), change(TASK_PUT, "1", "One", 1)};
    for (size_t i = 0; i < 3; i++) {
        all[i].next = &all[i + 1];
    }
    plan_list_change(&p, all);
    /* What the list does not tell, such as the active form, is kept. */
    assert_list(&p,
                "[" ENTRY("Three!", "completed") "," ENTRY("Four", "pending") "," ENTRY("Doing one",
                                                                                        "in_progress") "]");
    apply(&p, TASK_RELIST, NULL, NULL, -1);
    assert_list(&p, "[]");
    plan_list_free(&p);
}

static void test_hooks(void **state)
{
    (void)state;
    struct plan_list p;
    plan_list_init(&p);
    assert_false(plan_list_created(&p, STR("1"), STR("")));
    assert_false(plan_list_created(&p, STR_ABSENT, STR("x")));
    assert_false(plan_list_created(&p, STR("1"), STR_ABSENT));
    assert_true(plan_list_created(&p, STR("1"), STR("One")));
    assert_false(plan_list_created(&p, STR("1"), STR("again")));
    assert_true(plan_list_unfinished(&p));
    assert_false(plan_list_completed(&p, STR("2")));
    assert_true(plan_list_completed(&p, STR("1")));
    assert_false(plan_list_completed(&p, STR("1")));
    assert_false(plan_list_completed(&p, STR_ABSENT));
    assert_false(plan_list_unfinished(&p));
    apply(&p, TASK_CLEAR, NULL, NULL, -1);
    assert_list(&p, "[]");
    plan_list_free(&p);
}

static void test_a_repeated_plan_is_known(void **state)
{
    (void)state;
    struct plan_list p;
    plan_list_init(&p);
    assert_true(plan_list_sent(&p, STR("[]"))); /* nothing was sent yet */
    assert_false(plan_list_sent(&p, STR("[]")));
    assert_true(plan_list_sent(&p, STR("[1]")));
    assert_false(plan_list_sent(&p, STR("[1]")));
    assert_true(plan_list_sent(&p, STR("[]")));
    plan_list_free(&p);
}

static void test_texts_may_hold_anything(void **state)
{
    (void)state;
    struct plan_list p;
    plan_list_init(&p);
    struct fact_task_change a = {.id = {"a\0b", 3}, .subject = {"x\0\"y", 4}, .status = -1};
    struct fact_task_change b = {.id = {"a\0c", 3}, .subject = STR("z"), .status = -1};
    a.change = b.change = TASK_PUT;
    plan_list_change(&p, &a);
    plan_list_change(&p, &b);
    plan_list_change(&p, &a); /* it is the same task, not one more */
    assert_list(&p, "[" ENTRY("x\\u0000\\\"y", "pending") "," ENTRY("z", "pending") "]");
    apply(&p, TASK_PUT, NULL, "no id", 0);
    assert_int_equal(p.count, 2);
    plan_list_free(&p);
}

static void test_a_list_has_an_end(void **state)
{
    (void)state;
    struct plan_list p;
    plan_list_init(&p);
    for (int i = 0; i < LIST_MAX + 10; i++) {
        char id[16];
        snprintf(id, sizeof(id), "%d", i);
        apply(&p, TASK_PUT, id, "s", 0);
    }
    assert_int_equal(p.count, LIST_MAX);
    apply(&p, TASK_REMOVE, "0", NULL, -1);
    apply(&p, TASK_PUT, "new", "s", 0);
    assert_int_equal(p.count, LIST_MAX);
    apply(&p, TASK_CLEAR, NULL, NULL, -1);
    assert_int_equal(p.count, 0);
    plan_list_free(&p);
}

static void test_whole_plans(void **state)
{
    (void)state;
    AUTO_BUF(b);
    struct fact_plan_entry two = {.content = STR_ABSENT, .status = PLAN_COMPLETED};
    struct fact_plan_entry one = {.next = &two, .content = STR("A"), .status = PLAN_IN_PROGRESS};
    plan_entries_put(&b, &one);
    assert_str(buf_str(&b), "[" ENTRY("A", "in_progress") "," ENTRY("", "completed") "]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_keeps_the_place_and_forgets_the_rest),
        cmocka_unit_test(test_merge_changes_what_it_names),
        cmocka_unit_test(test_relist_takes_the_new_order),
        cmocka_unit_test(test_hooks),
        cmocka_unit_test(test_a_repeated_plan_is_known),
        cmocka_unit_test(test_texts_may_hold_anything),
        cmocka_unit_test(test_a_list_has_an_end),
        cmocka_unit_test(test_whole_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
