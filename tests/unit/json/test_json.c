#include "unit.h"

#include <cJSON.h>
#include <math.h>

#include "base/utf8.h"
#include "json/fields.h"

static void test_reads_values(void **state)
{
    (void)state;
    AUTO_JSON(doc) =
        parse_or_fail(" {\"a\":[1,2.50,{\"b\":null}],\"t\":true,\"s\":\"x\\n\\u00e9\\ud83d\\ude00\"} ");
    json root = json_root(doc);
    assert_int_equal(json_count(root), 3);
    json a = json_get(root, "a");
    assert_int_equal(json_count(a), 3);
    assert_str(json_raw(json_nth(a, 1)), "2.50");
    assert_true(json_is(json_get(json_nth(a, 2), "b"), JSON_NULL));
    assert_true(json_is_true(json_get(root, "t")));
    assert_str(json_str(json_get(root, "s")), "x\n\xC3\xA9\xF0\x9F\x98\x80");
    assert_false(json_present(json_path(root, "a", "b", "c", NULL)));
    assert_str(json_raw(a), "[1,2.50,{\"b\":null}]");
}

static void test_keeps_number_text_and_key_order(void **state)
{
    (void)state;
    const char *text = "{\"z\":9007199254740993,\"a\":0.30000000000000004,\"m\":1e15,\"b\":-0}";
    AUTO_JSON(doc) = parse_or_fail(text);
    AUTO_BUF(b);
    json_put(&b, json_root(doc));
    assert_str(buf_str(&b), text);
}

static void test_nul_and_lone_surrogates_survive(void **state)
{
    (void)state;
    AUTO_JSON(doc) = parse_or_fail("{\"a\\u0000b\":\"x\\u0000y\\ud83d\"}");
    str s = json_str(json_get_str(json_root(doc), (str){"a\0b", 3}));
    assert_int_equal(s.n, 6);
    assert_memory_equal(s.p, "x\0y\xED\xA0\xBD", 6);
    AUTO_BUF(b);
    json_put_str(&b, s);
    assert_str(buf_str(&b), "\"x\\u0000y\\ud83d\"");
}

static void test_last_of_equal_keys_counts(void **state)
{
    (void)state;
    AUTO_JSON(doc) = parse_or_fail("{\"k\":1,\"K\":2,\"k\":{\"x\":3},\"\\u006b\":4}");
    assert_str(json_raw(json_get(json_root(doc), "k")), "4");
    struct json_iter it = json_each(json_root(doc));
    assert_true(json_next(&it));
    assert_true(json_iter_shadowed(&it));
    assert_true(json_next(&it));
    assert_str(json_iter_key(&it), "K");
    assert_false(json_iter_shadowed(&it));
}

static void test_refuses_what_is_not_json(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",         "{",          "{\"a\"}",
        "{\"a\":}", "[1,]",       "[,1]",
        "{,}",      "{\"a\":1,}", "01",
        "1.",       ".5",         "+1",
        "1e",       "truex",      "nul",
        "\"a",      "\"\\x\"",    "\"\\u12g4\"",
        "[1 2]",    "1 2",        "{\"a\":1 \"b\":2}",
        "\"\n\"",   "[1}",        "{\"a\":1]",
        "\"\\",     "\"\\u12",    "-",
        "}",        "]",          ":",
        "'a'",      "NaN",        "\xEF\xBB\xBF{}",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        const char *why = NULL;
        struct json_doc *doc = json_parse(str_of(bad[i]), &why);
        if (doc) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_non_null(why);
    }
    assert_null(json_parse((str){"1\0", 2}, NULL));
}

static void test_repairs_invalid_utf8(void **state)
{
    (void)state;
    AUTO_JSON(doc) = parse_or_fail("\"a\xC3(\xED\xA0\x80\xF0\x9F\x98\"");
    assert_str(json_str(json_root(doc)), "a\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    AUTO_BUF(b);
    buf_put_fill(&b, '[', JSON_DEPTH_MAX);
    buf_put_fill(&b, ']', JSON_DEPTH_MAX);
    struct json_doc *doc = json_parse(buf_str(&b), NULL);
    assert_non_null(doc);
    json_unref(doc);
    buf_clear(&b);
    buf_put_fill(&b, '[', JSON_DEPTH_MAX + 1);
    const char *why = NULL;
    assert_null(json_parse(buf_str(&b), &why));
    assert_string_equal(why, "nested too deep");
}

static void test_number_of_values_is_bounded(void **state)
{
    (void)state;
    AUTO_BUF(b);
    buf_put_byte(&b, '[');
    for (size_t i = 0; i < JSON_VALUES_MAX; i++) {
        buf_put(&b, "1,", 2);
    }
    buf_put_c(&b, "1]");
    const char *why = NULL;
    assert_null(json_parse(buf_str(&b), &why));
    assert_string_equal(why, "too many values");
}

static void test_numbers(void **state)
{
    (void)state;
    AUTO_JSON(doc) = parse_or_fail("[9223372036854775807,9223372036854775808,2.0,1e3,1.5,-7,1e999]");
    json root = json_root(doc);
    int64_t n = 0;
    assert_true(json_int(json_nth(root, 0), &n));
    assert_true(n == INT64_MAX);
    assert_false(json_int(json_nth(root, 1), &n));
    assert_true(json_int(json_nth(root, 2), &n));
    assert_int_equal(n, 2);
    assert_true(json_int(json_nth(root, 3), &n));
    assert_int_equal(n, 1000);
    assert_false(json_int(json_nth(root, 4), &n));
    assert_int_equal(json_int_or(json_nth(root, 5), 0), -7);
    assert_false(json_int(json_nth(root, 6), &n));
    AUTO_BUF(b);
    json_open_array(&b);
    json_put_double(&b, 0.1);
    json_put_double(&b, 0.30000000000000004);
    json_put_double(&b, 12);
    json_put_double(&b, INFINITY);
    json_close_array(&b);
    assert_str(buf_str(&b), "[0.1,0.30000000000000004,12,null]");
}

static void test_writes_members_with_commas(void **state)
{
    (void)state;
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_c(&b, "a", "x{");
    json_member_str(&b, "gone", STR_ABSENT);
    json_key(&b, "o");
    json_open_object(&b);
    json_close_object(&b);
    json_key(&b, "l");
    json_open_array(&b);
    json_put_int(&b, 1);
    json_open_array(&b);
    json_close_array(&b);
    json_put_c(&b, "[");
    json_put_null(&b);
    json_close_array(&b);
    json_member_bool(&b, "t", true);
    json_close_object(&b);
    assert_str(buf_str(&b), "{\"a\":\"x{\",\"o\":{},\"l\":[1,[],\"[\",null],\"t\":true}");
}

static void test_indents(void **state)
{
    (void)state;
    AUTO_JSON(doc) = parse_or_fail("{\"a\":[1,{\"b\":\"x,\\\"{\"}],\"e\":{ },\"f\":[]}");
    AUTO_BUF(b);
    json_put_indented(&b, json_root(doc), 2);
    assert_str(
        buf_str(&b),
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x,\\\"{\"\n    }\n  ],\n  \"e\": {},\n  \"f\": []\n}");
}

static void test_fields_report_every_problem(void **state)
{
    (void)state;
    struct {
        str cwd;
        json servers;
        int64_t n;
        bool flag;
    } out = {STR_ABSENT, JSON_NONE, 7, false};
    static const struct json_field rows[] = {
        {"cwd", FIELD_STRING, 0, FIELD_REQUIRED, NULL},
        {"servers", FIELD_ARRAY, sizeof(str), FIELD_REQUIRED, NULL},
        {"n", FIELD_INT, sizeof(str) + sizeof(json), 0, NULL},
        {"flag", FIELD_BOOL, sizeof(str) + sizeof(json) + 8, FIELD_LENIENT, NULL},
    };
    AUTO_JSON(bad) = parse_or_fail("{\"cwd\":7,\"n\":1.5,\"flag\":\"x\"}");
    struct json_problems p = JSON_PROBLEMS_INIT;
    assert_false(json_fields(json_root(bad), rows, ARRAY_LEN(rows), &out, &p));
    AUTO_BUF(b);
    json_put_problems(&b, &p);
    assert_str(buf_str(&b),
               "{\"_errors\":[],\"cwd\":{\"_errors\":[\"expected a string\"]},\"servers\":{\"_errors\":[\"is "
               "required\"]},\"n\":{\"_errors\":[\"expected an integer\"]}}");
    assert_str(buf_str(&p.first), "cwd: expected a string");
    json_problems_free(&p);
    AUTO_JSON(good) = parse_or_fail("{\"cwd\":\"/x\",\"servers\":[],\"flag\":true}");
    p = JSON_PROBLEMS_INIT;
    assert_true(json_fields(json_root(good), rows, ARRAY_LEN(rows), &out, &p));
    assert_str(out.cwd, "/x");
    assert_int_equal(out.n, 7);
    assert_true(out.flag);
    json_problems_free(&p);
}

static void test_reuse_keeps_referenced_documents(void **state)
{
    (void)state;
    struct json_doc *spare = NULL;
    struct json_doc *one = json_parse_reuse(&spare, STR("{\"a\":\"\\n\"}"), NULL);
    assert_str(json_str(json_get(json_root(one), "a")), "\n");
    struct json_doc *two = json_parse_reuse(&spare, STR("[2]"), NULL);
    assert_ptr_not_equal(one, two);
    assert_str(json_str(json_get(json_root(one), "a")), "\n");
    json_unref(one);
    json_unref(two);
    struct json_doc *three = json_parse_reuse(&spare, STR("[\"\\t\"]"), NULL);
    assert_ptr_equal(two, three);
    assert_str(json_str(json_nth(json_root(three), 0)), "\t");
    json_unref(three);
    assert_null(json_parse_reuse(&spare, STR("["), NULL));
    json_unref(spare);
}

/* Random texts: whatever cJSON accepts of plain ASCII without escapes, we accept, and the other way round. */
static void test_agrees_with_cjson(void **state)
{
    (void)state;
    static const char *const pieces[] = {"{",     "}", "[",    "]",    ",",    ":", "\"a\"",
                                         "\"b\"", "1", "-2.5", "true", "null", " "};
    srand(7);
    unsigned accepted = 0;
    for (int round = 0; round < 200000; round++) {
        AUTO_BUF(b);
        for (int n = rand() % 9 + 1; n; n--) {
            buf_put_c(&b, pieces[(size_t)rand() % ARRAY_LEN(pieces)]);
        }
        const char *end = NULL;
        cJSON *other = cJSON_ParseWithLengthOpts(b.p, b.n, &end, false);
        while (other && *end == ' ') {
            end++;
        }
        bool theirs = other && end == b.p + b.n;
        struct json_doc *doc = json_parse(buf_str(&b), NULL);
        if (theirs != (doc != NULL)) {
            fail_msg("disagree on %s", b.p);
        }
        accepted += theirs;
        cJSON_Delete(other);
        json_unref(doc);
    }
    assert_true(accepted > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_values),
        cmocka_unit_test(test_keeps_number_text_and_key_order),
        cmocka_unit_test(test_nul_and_lone_surrogates_survive),
        cmocka_unit_test(test_last_of_equal_keys_counts),
        cmocka_unit_test(test_refuses_what_is_not_json),
        cmocka_unit_test(test_repairs_invalid_utf8),
        cmocka_unit_test(test_depth_is_bounded),
        cmocka_unit_test(test_number_of_values_is_bounded),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_writes_members_with_commas),
        cmocka_unit_test(test_indents),
        cmocka_unit_test(test_fields_report_every_problem),
        cmocka_unit_test(test_reuse_keeps_referenced_documents),
        cmocka_unit_test(test_agrees_with_cjson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
