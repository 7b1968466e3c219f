#include "base/markdown.h"
#include "unit.h"

static void assert_text(str text, const char *expected)
{
    AUTO_BUF(b);
    markdown_put_text(&b, text);
    assert_true(buf_ok(&b));
    assert_str(buf_str(&b), expected);
}

static void assert_code(str text, const char *expected)
{
    AUTO_BUF(b);
    markdown_put_code(&b, text);
    assert_true(buf_ok(&b));
    assert_str(buf_str(&b), expected);
}

static void test_text_stays_what_it_is(void **state)
{
    (void)state;
    assert_text(STR(""), "");
    assert_text(STR_ABSENT, "");
    assert_text(STR("plain (text) #1!"), "plain (text) #1!");
    assert_text(STR("\\`*_[]<>|"), "\\\\\\`\\*\\_\\[\\]\\<\\>\\|");
    assert_text(STR("é█𝄞"), "é█𝄞");
    assert_text(STR("a\nb\r\tc\xE2\x80\xA8"
                    "d"),
                "a b  c d");
    assert_text(STR("a\0b\x1B\x7F\xC2\x85"
                    "c"),
                "abc");
}

static void test_code_is_one_span(void **state)
{
    (void)state;
    assert_code(STR("lab"), "`lab`");
    assert_code(STR("*b* <i>|"), "`*b* <i>|`");
    assert_code(STR("a`b"), "``a`b``");
    assert_code(STR("a``b`c"), "```a``b`c```");
    assert_code(STR("`"), "`` ` ``");
    assert_code(STR("x`"), "`` x` ``");
    assert_code(STR(" lead "), "`  lead  `");
    assert_code(STR(" lead"), "` lead`");
    assert_code(STR("  "), "`  `");
    assert_code(STR(""), "` `");
    assert_code(STR("\x07"), "` `");
    assert_code(STR("new\nline\x1B"), "`new line`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_stays_what_it_is),
        cmocka_unit_test(test_code_is_one_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
