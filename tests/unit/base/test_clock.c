#include <time.h>

#include "unit.h"

#include "base/clock.h"
#include "base/uuid.h"

static void test_iso8601(void **state)
{
    (void)state;
    const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {951782400123, "2000-02-29T00:00:00.123Z"},
        {1748779200000, "2025-06-01T12:00:00.000Z"},
        {INT64_C(-62167219200001), "-000001-12-31T23:59:59.999Z"},
        {INT64_C(253402300800000), "+010000-01-01T00:00:00.000Z"},
        {INT64_MAX, "+275760-09-13T00:00:00.000Z"},
        {INT64_MIN, "-271821-04-20T00:00:00.000Z"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[CLOCK_ISO_SIZE];
        clock_iso8601_ms(text, cases[i].ms);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_iso8601_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {
        {"1970-01-01", 0},
        {"1970-01-01T00:00Z", 0},
        {"1969-12-31T23:59:59.999Z", -1},
        {"2000-02-29T00:00:00.123Z", 951782400123},
        {"2025-06-01T12:00:00", 1748779200000},
        {"2025-06-01T12:00:00z", 1748779200000},
        {"2025-06-01T14:30:00.5+02:30", 1748779200500},
        {"2025-06-01T09:00:00-03:00", 1748779200000},
        {"2025-06-01T12:00:00.1239999999999999999+00:00", 1748779200123},
        {"0000-03-01T00:00:00Z", INT64_C(-62162035200000)},
        {"0000-01-01T00:00:00Z", INT64_C(-62167219200000)},
        {"9999-12-31T24:00:00Z", INT64_C(253402300800000)},
        {"2026-02-31T10:00:00Z", 1772532000000},
    };
    static const char *const bad[] = {
        "",
        "x",
        "0",
        "2025",
        "2025-6-1",
        "2025-00-01",
        "2025-13-01",
        "2025-01-00",
        "2025-01-32",
        "2025-01-01T",
        "2025-01-01T12",
        "2025-01-01 12:00:00Z",
        "2025-01-01T12:60:00Z",
        "2025-01-01T25:00:00Z",
        "2025-01-01T12:00:00Zx",
        "2025-01-01T12:00:00+2",
        "2025-01-01T12:00:00+24:00",
        "2025-01-01T12:00:00+0200",
        "-025-01-01",
        "12025-01-01T12:00:00Z",
        "2025-01-01T12:00:-1Z",
    };
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        int64_t ms = 1;
        assert_true(clock_parse_iso8601(str_of(good[i].text), &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        int64_t ms = 7;
        if (clock_parse_iso8601(str_of(bad[i]), &ms)) {
            fail_msg("%s was read", bad[i]);
        }
        assert_int_equal(ms, 7);
    }
    int64_t ms = 7;
    assert_false(clock_parse_iso8601(STR_ABSENT, &ms));
    /* What was written is read back. */
    for (int64_t at = INT64_C(-62167219200000); at < INT64_C(253402300800000); at += INT64_C(86399999999)) {
        char text[CLOCK_ISO_SIZE];
        clock_iso8601_ms(text, at);
        assert_true(clock_parse_iso8601(str_of(text), &ms));
        assert_int_equal(ms, at);
    }
}

static void assert_local(const char *zone, int64_t ms, const char *expected)
{
    AUTO_BUF(b);
    assert_int_equal(setenv("TZ", zone, 1), 0);
    tzset();
    clock_put_local(&b, ms);
    assert_str(buf_str(&b), expected);
}

static void test_local_time(void **state)
{
    (void)state;
    assert_local("UTC0", 1748779200000, "Jun 1, 12:00 PM UTC");
    assert_local("UTC0", 1748736000000, "Jun 1, 12:00 AM UTC");
    assert_local("UTC0", -1, "Dec 31, 11:59 PM UTC");
    assert_local("CET-1CEST,M3.5.0,M10.5.0", 1748779260000, "Jun 1, 2:01 PM CEST");
    assert_local("<-03>3", 1748779200000, "Jun 1, 9:00 AM GMT-03");
    assert_local("<+0530>-5:30", 1748779200000, "Jun 1, 5:30 PM GMT+0530");
}

static void test_clocks_run(void **state)
{
    (void)state;
    assert_true(clock_now_ms() > INT64_C(1500000000000));
    int64_t before = clock_monotonic_ms();
    assert_true(clock_monotonic_ms() >= before);
}

static void test_uuids(void **state)
{
    (void)state;
    char a[UUID_SIZE], b[UUID_SIZE];
    assert_true(uuid_v4(a));
    assert_true(uuid_v4(b));
    assert_string_not_equal(a, b);
    assert_true(uuid_valid(str_of(a)));
    assert_int_equal(a[14], '4');
    assert_non_null(strchr("89ab", a[19]));
    assert_true(uuid_valid(STR("01234567-89AB-cdef-0123-456789abcdef")));
    assert_false(uuid_valid(STR("01234567-89AB-cdef-0123-456789abcdeg")));
    assert_false(uuid_valid(STR("01234567x89AB-cdef-0123-456789abcdef")));
    assert_false(uuid_valid(STR("01234567-89AB-cdef-0123-456789abcdef0")));
    assert_false(uuid_valid(STR("")));
    assert_false(uuid_valid(STR_ABSENT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iso8601),    cmocka_unit_test(test_iso8601_is_read),
        cmocka_unit_test(test_local_time), cmocka_unit_test(test_clocks_run),
        cmocka_unit_test(test_uuids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
