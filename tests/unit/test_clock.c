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
        cmocka_unit_test(test_iso8601),
        cmocka_unit_test(test_clocks_run),
        cmocka_unit_test(test_uuids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
