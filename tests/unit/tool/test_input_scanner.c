#include "unit.h"

#include "tool/input_scanner.h"

/* Feeds the text in pieces of `size` bytes and joins what is reported with '|'. */
static void check(const char *text, size_t size, const char *expected)
{
    struct input_scanner s = INPUT_SCANNER_INIT;
    AUTO_BUF(got);
    AUTO_BUF(so_far);
    str all = str_of(text);
    for (size_t at = 0; at < all.n; at += size) {
        enum input_scan scan = input_scanner_feed(&s, str_first(str_from(all, at), size), &so_far);
        if (scan != SCAN_NONE) {
            buf_put_c(&got, got.n ? "|" : "");
            buf_put_str(&got, scan == SCAN_COMPLETE ? STR("done") : buf_str(&so_far));
        }
    }
    assert_str(buf_str(&got), expected);
    input_scanner_free(&s);
}

static void test_members_before_the_last_comma(void **state)
{
    (void)state;
    const char *text = "{\"limit\":2,\"offset\":2,\"file_path\":\"a.txt\"}";
    const char *expected = "{\"limit\":2}|{\"limit\":2,\"offset\":2}|done";
    check(text, 1, expected);
    check(text, 2, expected);
    check(text, 24, "{\"limit\":2,\"offset\":2}|done"); /* two commas in one piece */
    check(text, 1000, "done");
}

static void test_commas_inside_do_not_count(void **state)
{
    (void)state;
    check("{\"a\":\"x,\\\",{}\\\\\",\"b\":[1,{\"c\":2,\"d\":3}],\"e\":{\"f\":1,\"g\":2}}", 1,
          "{\"a\":\"x,\\\",{}\\\\\"}|{\"a\":\"x,\\\",{}\\\\\",\"b\":[1,{\"c\":2,\"d\":3}]}|done");
}

static void test_nothing_after_the_end(void **state)
{
    (void)state;
    check("{},{\"a\":1,\"b\":2}", 1, "done");
    check("{}", 2, "done");
    check("", 1, "");
}

static void test_text_that_is_no_object(void **state)
{
    (void)state;
    check("[1,2,{\"a\":1,\"b\":2},3]", 1, "done"); /* brackets keep the comma from counting */
    check("}}]],,{\"a\":1,", 1, "");
    check("\"{\\\"a\\\":1,", 1, "");
    /* Not valid, but shaped like members: the reader of the text refuses it. */
    check("{nonsense,more", 1, "{nonsense}");
}

static void test_split_escapes_and_multibyte_text(void **state)
{
    (void)state;
    check("{\"a\":\"\\ud83d\\ude00\xC3\xA9\",\"b\":1}", 1, "{\"a\":\"\\ud83d\\ude00\xC3\xA9\"}|done");
}

static void test_nul_bytes(void **state)
{
    (void)state;
    struct input_scanner s = INPUT_SCANNER_INIT;
    AUTO_BUF(so_far);
    assert_int_equal(input_scanner_feed(&s, (str){"{\"a\":\"\0\",", 9}, &so_far), SCAN_PARTIAL);
    assert_int_equal(so_far.n, 9);
    input_scanner_free(&s);
}

static void test_gives_up_on_endless_input(void **state)
{
    (void)state;
    struct input_scanner s = INPUT_SCANNER_INIT;
    AUTO_BUF(so_far);
    AUTO_BUF(piece);
    buf_put_fill(&piece, 'x', 1 << 20);
    assert_int_equal(input_scanner_feed(&s, STR("{\"a\":\""), &so_far), SCAN_NONE);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(input_scanner_feed(&s, buf_str(&piece), &so_far), SCAN_NONE);
    }
    assert_true(s.done);
    assert_null(s.text.p);
    assert_int_equal(input_scanner_feed(&s, STR("\",}"), &so_far), SCAN_NONE);
    input_scanner_free(&s);
}

static void test_work_is_bounded(void **state)
{
    (void)state;
    struct input_scanner s = INPUT_SCANNER_INIT;
    AUTO_BUF(so_far);
    AUTO_BUF(piece);
    buf_put_c(&piece, "{\"a\":\"");
    buf_put_fill(&piece, 'x', 1 << 20);
    buf_put_c(&piece, "\",");
    assert_int_equal(input_scanner_feed(&s, buf_str(&piece), &so_far), SCAN_PARTIAL);
    int reports = 1;
    while (input_scanner_feed(&s, STR("1,"), &so_far) == SCAN_PARTIAL) {
        reports++;
    }
    assert_true(s.done);
    assert_in_range(reports, 200, 256);
    input_scanner_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_before_the_last_comma),
        cmocka_unit_test(test_commas_inside_do_not_count),
        cmocka_unit_test(test_nothing_after_the_end),
        cmocka_unit_test(test_text_that_is_no_object),
        cmocka_unit_test(test_split_escapes_and_multibyte_text),
        cmocka_unit_test(test_nul_bytes),
        cmocka_unit_test(test_gives_up_on_endless_input),
        cmocka_unit_test(test_work_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
