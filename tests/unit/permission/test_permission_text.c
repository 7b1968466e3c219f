#include "permission/text.h"
#include "unit.h"

static void check_clean(const char *text, enum text_lines lines, size_t limit, const char *expected)
{
    AUTO_ARENA(a);
    str got = permission_clean(&a, str_of(text), lines, limit);
    assert_str(got, expected);
}

static void test_clean_removes_controls(void **state)
{
    (void)state;
    check_clean("\x1b[31mred\x1b[0m  two\n lines \a", TEXT_MULTI_LINE, TEXT_REASON_MAX,
                "[31mred[0m  two\n lines");
    check_clean(" /x  y\n/z ", TEXT_SINGLE_LINE, TEXT_PATH_MAX, "/x y /z");
    check_clean("a\tb\r\nc\xC2\xA0\xE2\x80\xA8 d", TEXT_SINGLE_LINE, 100, "a b c d");
    check_clean("a\x0B\x0C\x7F"
                "b",
                TEXT_SINGLE_LINE, 100, "ab");
    check_clean("\xEF\xBB\xBF a \xEF\xBB\xBF", TEXT_MULTI_LINE, 100, "a");
    check_clean(" \x01\n ", TEXT_MULTI_LINE, 100, "(absent)");
    check_clean("", TEXT_SINGLE_LINE, 100, "(absent)");
    check_clean(NULL, TEXT_SINGLE_LINE, 100, "(absent)");
}

static void test_clean_never_cuts(void **state)
{
    (void)state;
    check_clean("abcd", TEXT_SINGLE_LINE, 4, "abcd");
    check_clean("  abcd  ", TEXT_SINGLE_LINE, 4, "abcd");
    check_clean("abcde", TEXT_SINGLE_LINE, 4, "(absent)");
    check_clean("\xF0\x9F\x98\x80\xF0\x9F\x98\x80", TEXT_SINGLE_LINE, 4, "\xF0\x9F\x98\x80\xF0\x9F\x98\x80");
    check_clean("\xF0\x9F\x98\x80\xF0\x9F\x98\x80", TEXT_SINGLE_LINE, 3, "(absent)");
}

static void test_valid_text(void **state)
{
    (void)state;
    assert_true(permission_valid_text(STR(" a\tb\nc\rd "), 9));
    assert_false(permission_valid_text(STR(" a\tb\nc\rd "), 8));
    assert_false(permission_valid_text(STR(" \n "), 10));
    assert_false(permission_valid_text(STR(""), 10));
    assert_false(permission_valid_text(STR_ABSENT, 10));
    assert_false(permission_valid_text(STR("a\0b"), 10));
    assert_false(permission_valid_text(STR("a\x1b[2Jb"), 10));
    assert_false(permission_valid_text(STR("a\x7F"
                                           "b"),
                                       10));
    assert_true(permission_valid_text(STR("\x0B"
                                          "a"),
                                      10)); /* white space at the end is not looked at */
}

static void test_plain_text(void **state)
{
    (void)state;
    /* NOLINTBEGIN(misc-misleading-bidirectional): such texts are what is tested */
    static const char *const hidden[] = {
        "a\tb",         "a\nb",         "a\x1b",        "\xC2\x85",     "\xC2\xAD",     "\xE2\x80\x8B",
        "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xA8", "\xE2\x80\xAA", "\xE2\x80\xAE", "\xE2\x81\xA0",
        "\xE2\x81\xA6", "\xE2\x81\xA9", "\xD8\x9C",     "\xEF\xBB\xBF", "\xED\xA0\xBD", "\xF3\xA0\x81\x81",
    };
    /* NOLINTEND(misc-misleading-bidirectional) */
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
        if (permission_plain_text(str_of(hidden[i]))) {
            fail_msg("row %zu passes as plain", i);
        }
    }
    assert_true(permission_plain_text(STR("npm test * \xC3\xA9\xE6\x96\x87 \xF0\x9F\x98\x80")));
    assert_true(permission_plain_text(STR("")));
    assert_true(permission_plain_text(STR_ABSENT));
    assert_false(permission_plain_text(STR("a\0b")));
}

static void check_list(const char *const *v, size_t n, const char *expected)
{
    AUTO_BUF(b);
    str texts[8];
    for (size_t i = 0; i < n; i++) {
        texts[i] = str_of(v[i]);
    }
    permission_put_list(&b, texts, n);
    assert_str(buf_str(&b), expected);
}
#define CHECK_LIST(expected, ...)                                                                            \
    check_list((const char *const[]){__VA_ARGS__}, ARRAY_LEN(((const char *const[]){__VA_ARGS__})), expected)

static void test_list(void **state)
{
    (void)state;
    CHECK_LIST("a", "a");
    CHECK_LIST("a and b", "a", "b");
    CHECK_LIST("a, b, and c", "a", "b", "c");
    CHECK_LIST("12345678901234567890123456789012345678901234567890",
               "12345678901234567890123456789012345678901234567890");
    CHECK_LIST("similar", "123456789012345678901234567890123456789012345678901");
    CHECK_LIST("1234567890123456789012345 and 12345678901234567890123", "1234567890123456789012345",
               "12345678901234567890123");
    CHECK_LIST("similar", "1234567890123456789012345", "123456789012345678901234");
}

static void check_paths(const char *const *v, size_t n, const char *expected)
{
    AUTO_ARENA(a);
    AUTO_BUF(b);
    str texts[8];
    for (size_t i = 0; i < n; i++) {
        texts[i] = str_of(v[i]);
    }
    assert_true(permission_put_paths(&a, &b, texts, n));
    assert_str(buf_str(&b), expected);
}
#define CHECK_PATHS(expected, ...)                                                                           \
    check_paths((const char *const[]){__VA_ARGS__}, ARRAY_LEN(((const char *const[]){__VA_ARGS__})), expected)

static void test_paths(void **state)
{
    (void)state;
    CHECK_PATHS("etc/", "//etc");
    CHECK_PATHS("etc/", "/etc", "//etc");
    CHECK_PATHS("etc/", "/etc/");
    CHECK_PATHS("etc/ and doc/", "//etc", "//usr/share/doc");
    CHECK_PATHS("a/src/ and b/src/", "/a/src", "/b/src");
    CHECK_PATHS("a/src/, b/src/ and 1 more", "/a/src", "/b/src", "/c/lib");
    CHECK_PATHS("x/a/src/ and y/a/src/", "/1/x/a/src", "/1/y/a/src");
    CHECK_PATHS("/src/ and a/src/", "/src", "/a/src");
    CHECK_PATHS("/", "/");
    CHECK_PATHS("/ and x/", "/..", "/x");
    CHECK_PATHS("c/", "/a/./b/../c");
    CHECK_PATHS("../x/ and x/", "../x", "x", "x/../x");
    CHECK_PATHS("xsrc/ and src/", "/a/xsrc", "/a/src");
    CHECK_PATHS("similar", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
}

/* Many long paths that differ only at their start must not take time by the square of everything. */
static void test_paths_many(void **state)
{
    (void)state;
    enum { N = 10000 };
    AUTO_ARENA(a);
    AUTO_BUF(b);
    str *paths = arena_alloc(&a, N * sizeof(*paths));
    AUTO_BUF(tail);
    for (size_t i = 0; i < 400; i++) {
        buf_put_c(&tail, "/a");
    }
    for (size_t i = 0; i < N; i++) {
        paths[i] = arena_printf(&a, "/%zu%s", i, buf_c(&tail));
    }
    assert_true(permission_put_paths(&a, &b, paths, N));
    assert_true(str_ends(buf_str(&b), STR(" and 9998 more")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean_removes_controls),
        cmocka_unit_test(test_clean_never_cuts),
        cmocka_unit_test(test_valid_text),
        cmocka_unit_test(test_plain_text),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_paths_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
