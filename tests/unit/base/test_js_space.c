#include "unit.h"

#include "base/js_space.h"

static void test_trim(void **state)
{
    (void)state;
    assert_str(space_trim(STR(" \t\r\n\v\f a b\xC2\xA0\xE2\x80\xA8\xEF\xBB\xBF")), "a b");
    assert_str(space_trim(STR("\xE3\x80\x80")), "");
    assert_str(space_trim(STR("")), "");
    assert_str(space_trim(STR("\xC3\xA9")), "\xC3\xA9");
    assert_false(str_present(space_trim(STR_ABSENT)));
    /* No white space for JavaScript: U+200B, U+0085, NUL. */
    assert_str(space_trim(STR("\xE2\x80\x8B")), "\xE2\x80\x8B");
    assert_str(space_trim(STR("\xC2\x85")), "\xC2\x85");
    assert_int_equal(space_trim((str){"\0 ", 2}).n, 1);
}

static void test_squeeze(void **state)
{
    (void)state;
    AUTO_BUF(b);
    space_squeeze(&b, STR("  a \n\n b\xE2\x80\xAF\xE2\x80\xAF"
                          "c\xF0\x9F\x98\x80 "));
    assert_str(buf_str(&b), "a b c\xF0\x9F\x98\x80");
    buf_clear(&b);
    space_squeeze(&b, STR(" \n "));
    assert_int_equal(b.n, 0);
}

static void test_line_breaks(void **state)
{
    (void)state;
    assert_true(space_is_line_break(STR("\n"), 0));
    assert_true(space_is_line_break(STR("a\xE2\x80\xA9"), 1));
    assert_false(space_is_line_break(STR("\v"), 0));
    assert_false(space_is_line_break(STR("\n"), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_squeeze),
        cmocka_unit_test(test_line_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
