#include "unit.h"

#include "prompt/stream_text.h"

#define HIGH  "\xED\xA0\xBD" /* U+D83D */
#define LOW   "\xED\xB8\x80" /* U+DE00 */
#define SMILE "\xF0\x9F\x98\x80"

static void test_streamed_text_is_not_sent_again(void **state)
{
    (void)state;
    struct stream_text s = STREAM_TEXT_INIT;
    stream_text_delta(&s, 0, STREAM_TEXT, STR("Hel"));
    stream_text_delta(&s, 0, STREAM_TEXT, STR(""));
    stream_text_delta(&s, 0, STREAM_TEXT, STR("lo"));
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("Hello")), "");
    /* It is consumed. */
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("Hello")), "Hello");
    stream_text_free(&s);
}

static void test_the_rest_is_sent(void **state)
{
    (void)state;
    struct stream_text s = STREAM_TEXT_INIT;
    stream_text_delta(&s, 0, STREAM_TEXT, STR("Hel"));
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("Hello")), "lo");
    stream_text_free(&s);
}

static void test_other_text_does_not_consume(void **state)
{
    (void)state;
    struct stream_text s = STREAM_TEXT_INIT;
    stream_text_delta(&s, 0, STREAM_TEXT, STR("one"));
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("on")), "on");
    assert_str(stream_text_complete(&s, STREAM_THINKING, STR("one")), "one");
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("")), "");
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("one!")), "!");
    stream_text_free(&s);
}

static void test_blocks_in_order(void **state)
{
    (void)state;
    struct stream_text s = STREAM_TEXT_INIT;
    stream_text_delta(&s, 0, STREAM_THINKING, STR("hm"));
    stream_text_delta(&s, 1, STREAM_TEXT, STR("a"));
    stream_text_delta(&s, 1, STREAM_TEXT, STR("b"));
    stream_text_delta(&s, 2, STREAM_TEXT, STR("c"));
    stream_text_delta(&s, 2, STREAM_THINKING, STR("d")); /* another type at the same index */
    assert_str(stream_text_complete(&s, STREAM_THINKING, STR("hm")), "");
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("ab")), "");
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("cx")), "x");
    assert_str(stream_text_complete(&s, STREAM_THINKING, STR("d")), "");
    stream_text_clear(&s);
    stream_text_delta(&s, -1, STREAM_TEXT, STR("new"));
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("new")), "");
    stream_text_free(&s);
}

static void test_split_characters_compare_equal(void **state)
{
    (void)state;
    struct stream_text s = STREAM_TEXT_INIT;
    stream_text_delta(&s, 0, STREAM_TEXT, STR("x" HIGH));
    stream_text_delta(&s, 0, STREAM_TEXT, STR(LOW "y"));
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("x" SMILE "yz")), "z");
    stream_text_clear(&s);
    /* Halves of two blocks do not join. */
    stream_text_delta(&s, 0, STREAM_TEXT, STR(HIGH));
    stream_text_delta(&s, 1, STREAM_TEXT, STR(LOW));
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR(HIGH)), "");
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR(LOW)), "");
    stream_text_clear(&s);
    /* Only the first half went out. */
    stream_text_delta(&s, 0, STREAM_TEXT, STR("x" HIGH));
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("x" SMILE "y")), LOW "y");
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("x" SMILE "y")), "x" SMILE "y");
    stream_text_clear(&s);
    stream_text_delta(&s, 0, STREAM_TEXT, STR("x" HIGH));
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("y" SMILE)), "y" SMILE);
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("x")), "x");
    assert_str(stream_text_complete(&s, STREAM_TEXT, STR("x\xF0\x90\x80\x80")), "x\xF0\x90\x80\x80");
    stream_text_free(&s);
}

static void test_nul_bytes_and_many_blocks(void **state)
{
    (void)state;
    struct stream_text s = STREAM_TEXT_INIT;
    for (int i = 0; i < 10000; i++) {
        stream_text_delta(&s, i, i % 2 ? STREAM_TEXT : STREAM_THINKING, (str){"a\0b", 3});
    }
    for (int i = 0; i < 10000; i++) {
        str rest = stream_text_complete(&s, i % 2 ? STREAM_TEXT : STREAM_THINKING, (str){"a\0bc", 4});
        assert_str(rest, "c");
    }
    stream_text_free(&s);
}

static void test_a_long_message_leaves_no_memory_behind(void **state)
{
    (void)state;
    struct stream_text s = STREAM_TEXT_INIT;
    AUTO_BUF(text);
    buf_put_fill(&text, 'x', 10000000);
    stream_text_delta(&s, 0, STREAM_TEXT, buf_str(&text));
    stream_text_delta(&s, 0, STREAM_TEXT, STR(HIGH));
    buf_put_c(&text, SMILE);
    buf_put_fill(&text, 'y', 10000000);
    assert_int_equal(stream_text_complete(&s, STREAM_TEXT, buf_str(&text)).n, 10000003);
    stream_text_clear(&s);
    assert_true(s.text.cap + s.rest.cap < 1000000);
    stream_text_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streamed_text_is_not_sent_again),
        cmocka_unit_test(test_the_rest_is_sent),
        cmocka_unit_test(test_other_text_does_not_consume),
        cmocka_unit_test(test_blocks_in_order),
        cmocka_unit_test(test_split_characters_compare_equal),
        cmocka_unit_test(test_nul_bytes_and_many_blocks),
        cmocka_unit_test(test_a_long_message_leaves_no_memory_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
