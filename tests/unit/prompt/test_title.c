#include "unit.h"

#include "base/utf8.h"
#include "prompt/title.h"

#define NOW "2025-06-01T12:00:00.000Z"

static void test_short_talk_publishes_the_summary_once(void **state)
{
    (void)state;
    struct title t = TITLE_INIT;
    AUTO_BUF(text);
    title_add_prompt(&t, STR("  hello  "));
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR_ABSENT, true, &text), TITLE_NOTHING);
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR("hello"), true, &text), TITLE_PUBLISH);
    assert_str(buf_str(&text), "hello");
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR("hello"), true, &text), TITLE_NOTHING);
    title_free(&t);
}

static void test_asks_once_and_settles(void **state)
{
    (void)state;
    struct title t = TITLE_INIT;
    AUTO_BUF(text);
    title_add_prompt(&t, STR("make"));
    title_add_answer(&t, STR("a fi"));
    title_add_answer(&t, STR("le"));
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR("make"), true, &text), TITLE_GENERATE);
    assert_str(buf_str(&text), "make\na file");
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR("make"), true, &text), TITLE_NOTHING);
    assert_int_equal(title_generated(&t, t.epoch, STR(" A  new\n file "), STR("make"), &text), TITLE_PUBLISH);
    assert_str(buf_str(&text), "A new file");
    /* The CLI stored it: it is not published again, a rename is. */
    assert_int_equal(title_turn_end(&t, STR("A new file"), STR("make"), true, &text), TITLE_NOTHING);
    assert_int_equal(title_turn_end(&t, STR("Renamed"), STR("make"), true, &text), TITLE_PUBLISH);
    assert_str(buf_str(&text), "Renamed");
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR("make"), true, &text), TITLE_NOTHING);
    title_free(&t);
}

static void test_failed_question_is_asked_again(void **state)
{
    (void)state;
    struct title t = TITLE_INIT;
    AUTO_BUF(text);
    title_add_prompt(&t, STR("a longer prompt"));
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR_ABSENT, true, &text), TITLE_GENERATE);
    assert_int_equal(title_generated(&t, t.epoch, STR_ABSENT, STR("a longer prompt"), &text), TITLE_PUBLISH);
    assert_str(buf_str(&text), "a longer prompt");
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR_ABSENT, true, &text), TITLE_GENERATE);
    assert_int_equal(title_generated(&t, t.epoch, STR(" "), STR_ABSENT, &text), TITLE_NOTHING);
    assert_false(t.settled);
    title_free(&t);
}

static void test_cancelled_turn_does_not_ask(void **state)
{
    (void)state;
    struct title t = TITLE_INIT;
    AUTO_BUF(text);
    title_add_prompt(&t, STR("a longer prompt"));
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR("sum"), false, &text), TITLE_PUBLISH);
    assert_str(buf_str(&text), "sum");
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR("sum"), true, &text), TITLE_GENERATE);
    title_free(&t);
}

static void test_reset_drops_the_open_question(void **state)
{
    (void)state;
    struct title t = TITLE_INIT;
    AUTO_BUF(text);
    title_add_prompt(&t, STR("a longer prompt"));
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR_ABSENT, true, &text), TITLE_GENERATE);
    unsigned epoch = t.epoch;
    title_reset(&t);
    assert_int_equal(title_generated(&t, epoch, STR("Old"), STR_ABSENT, &text), TITLE_NOTHING);
    assert_int_equal(t.collected.n, 0);
    title_add_prompt(&t, STR("another long prompt"));
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR_ABSENT, true, &text), TITLE_GENERATE);
    assert_str(buf_str(&text), "another long prompt");
    title_free(&t);
}

static void test_only_the_end_is_collected(void **state)
{
    (void)state;
    struct title t = TITLE_INIT;
    AUTO_BUF(text);
    for (int i = 0; i < 20000; i++) {
        title_add_answer(&t, STR("x"));
    }
    assert_true(t.collected.cap < 64000);
    /* 999 units and one emoji of two: the emoji does not fit whole. */
    title_add_answer(&t, STR("\xF0\x9F\x98\x80"));
    AUTO_BUF(fill);
    buf_put_fill(&fill, 'y', 999);
    title_add_answer(&t, buf_str(&fill));
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR_ABSENT, true, &text), TITLE_GENERATE);
    assert_int_equal(text.n, 999);
    assert_int_equal(text.p[0], 'y');
    title_free(&t);

    AUTO_BUF(huge);
    for (int i = 0; i < 100000; i++) {
        buf_put_c(&huge, "\xF0\x9F\x98\x80");
    }
    title_add_prompt(&t, buf_str(&huge));
    assert_int_equal(title_turn_end(&t, STR_ABSENT, STR_ABSENT, true, &text), TITLE_GENERATE);
    assert_int_equal(utf16_length(buf_str(&text)), 998);
    title_free(&t);
}

static void test_long_titles_are_cut(void **state)
{
    (void)state;
    struct title t = TITLE_INIT;
    AUTO_BUF(long_title);
    AUTO_BUF(text);
    buf_put_fill(&long_title, 'a', 256);
    assert_int_equal(title_given(&t, buf_str(&long_title), &text), TITLE_PUBLISH);
    assert_int_equal(text.n, 256);
    buf_put_c(&long_title, "a");
    assert_int_equal(title_given(&t, buf_str(&long_title), &text), TITLE_PUBLISH);
    assert_int_equal(utf16_length(buf_str(&text)), 256);
    assert_true(str_ends(buf_str(&text), STR("a\xE2\x80\xA6")));
    buf_truncate(&long_title, 254);
    buf_put_c(&long_title, "\xF0\x9F\x98\x80 more");
    assert_int_equal(title_given(&t, buf_str(&long_title), &text), TITLE_PUBLISH);
    assert_int_equal(utf16_length(buf_str(&text)), 255);
    assert_true(str_ends(buf_str(&text), STR("a\xE2\x80\xA6")));
    assert_int_equal(title_given(&t, STR(" \xE2\x80\xA8 "), &text), TITLE_NOTHING);
    title_free(&t);
}

static void test_update_members(void **state)
{
    (void)state;
    AUTO_BUF(b);
    json_open_object(&b);
    title_put_update(&b, STR("A \"b\""), STR(NOW));
    json_close_object(&b);
    assert_str(buf_str(&b), "{\"title\":\"A \\\"b\\\"\",\"updatedAt\":\"" NOW "\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_talk_publishes_the_summary_once),
        cmocka_unit_test(test_asks_once_and_settles),
        cmocka_unit_test(test_failed_question_is_asked_again),
        cmocka_unit_test(test_cancelled_turn_does_not_ask),
        cmocka_unit_test(test_reset_drops_the_open_question),
        cmocka_unit_test(test_only_the_end_is_collected),
        cmocka_unit_test(test_long_titles_are_cut),
        cmocka_unit_test(test_update_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
