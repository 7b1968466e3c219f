#include "unit.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/path.h"
#include "base/utf8.h"

static void test_slices(void **state)
{
    (void)state;
    str s = STR("one two two");
    assert_true(str_starts(s, STR("one")));
    assert_true(str_ends(s, STR(" two")));
    assert_int_equal(str_find(s, STR("two"), 0), 4);
    assert_int_equal(str_find(s, STR("two"), 5), 8);
    assert_true(str_find(s, STR("three"), 0) == SIZE_MAX);
    assert_int_equal(str_rfind(s, STR("two")), 8);
    assert_str(str_trim(STR(" \t a b\r\n")), "a b");
    assert_str(str_from(STR("ab"), 9), "");
    assert_false(str_present(str_from(STR_ABSENT, 1)));
    assert_true(str_eq_nocase(STR("DeFault"), STR("default")));
    assert_false(str_is(STR_ABSENT, ""));
    assert_true(str_cmp(STR("a"), STR("ab")) < 0);
    assert_null(str_dup(STR_ABSENT));
}

static void test_buffers(void **state)
{
    (void)state;
    AUTO_BUF(b);
    for (int i = 0; i < 1000; i++) {
        buf_printf(&b, "%d,", i % 10);
    }
    assert_int_equal(b.n, 2000);
    buf_drop_front(&b, 1990);
    assert_str(buf_str(&b), "5,6,7,8,9,");
    buf_truncate(&b, 1);
    buf_put(&b, "\0x", 2);
    assert_int_equal(b.n, 3);
    assert_memory_equal(b.p, "5\0x", 4);
    assert_false(buf_reserve(&b, SIZE_MAX - 8));
    buf_put_c(&b, "lost");
    assert_int_equal(b.n, 3);
    assert_false(buf_ok(&b));
    buf_clear(&b);
    assert_true(buf_ok(&b));
    buf_put_fill(&b, '-', 3);
    char *taken = buf_take(&b);
    assert_string_equal(taken, "---");
    free(taken);
}

static void test_arena(void **state)
{
    (void)state;
    AUTO_ARENA(a);
    str first = arena_str(&a, STR("kept"));
    for (int i = 0; i < 5000; i++) {
        char *p = arena_alloc(&a, 17);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        assert_int_equal(p[16], 0);
        memset(p, 'x', 17);
    }
    assert_str(first, "kept");
    assert_non_null(arena_alloc(&a, 1 << 20));
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_false(arena_ok(&a));
    arena_reset(&a);
    assert_true(arena_ok(&a));
    assert_str(arena_printf(&a, "%s-%d", "n", 7), "n-7");
    assert_false(str_present(arena_str(&a, STR_ABSENT)));
}

static void test_map(void **state)
{
    (void)state;
    struct map m = MAP_INIT;
    int values[500];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 500; i++) {
            char key[16];
            snprintf(key, sizeof(key), "key %d", i);
            assert_true(map_put(&m, str_of(key), &values[i], NULL));
        }
        assert_int_equal(m.used, 500);
        for (int i = 0; i < 500; i += 2) {
            char key[16];
            snprintf(key, sizeof(key), "key %d", i);
            assert_ptr_equal(map_remove(&m, str_of(key)), &values[i]);
            assert_null(map_get(&m, str_of(key)));
        }
        assert_ptr_equal(map_get(&m, STR("key 7")), &values[7]);
    }
    size_t at = 0, seen = 0;
    str key;
    while (map_next(&m, &at, &key, NULL)) {
        map_remove(&m, key);
        seen++;
    }
    assert_int_equal(seen, 250);
    assert_int_equal(m.used, 0);
    void *old = &values;
    assert_true(map_put(&m, STR("a\0b"), &values[0], &old));
    assert_null(old);
    assert_true(map_put(&m, STR("a\0b"), &values[1], &old));
    assert_ptr_equal(old, &values[0]);
    assert_null(map_get(&m, STR("a")));
    map_free(&m, NULL);
    assert_false(set_has(&m, STR("a")));
    assert_true(set_add(&m, STR("a")));
    assert_true(set_add(&m, STR("a")));
    assert_true(set_has(&m, STR("a")));
    assert_false(set_has(&m, STR("b")));
    assert_int_equal(m.used, 1);
    map_free(&m, NULL);
}

struct item {
    struct list link;
    int n;
};

static void test_list(void **state)
{
    (void)state;
    struct list head;
    struct item items[4];
    list_init(&head);
    assert_null(LIST_FIRST(&head, struct item, link));
    for (int i = 0; i < 4; i++) {
        items[i].n = i;
        list_append(&head, &items[i].link);
    }
    int sum = 0;
    LIST_EACH(it, &head, struct item, link) {
        if (it->n == 1) {
            list_remove(&it->link);
            continue;
        }
        if (it->n == 3) {
            break;
        }
        sum += it->n + 1;
    }
    assert_int_equal(sum, 4);
    assert_int_equal(LIST_FIRST(&head, struct item, link)->n, 0);
    list_remove(&items[1].link); /* again */
    assert_ptr_equal(items[0].link.next, &items[2].link);
}

static void test_utf8(void **state)
{
    (void)state;
    assert_int_equal(utf8_valid_until(STR("plain ASCII, long enough for words")), 34);
    assert_int_equal(utf8_valid_until(STR("ab\xC3\xA9\xF0\x9F\x98\x80")), 8);
    assert_int_equal(utf8_valid_until(STR("ab\xC0\x80")), 2);
    assert_int_equal(utf8_valid_until(STR("\xED\xA0\x80")), 0);
    assert_int_equal(utf8_valid_until(STR("\xF4\x90\x80\x80")), 0);
    assert_true(wtf8_valid(STR("\xED\xA0\x80")));
    assert_false(wtf8_valid(STR("\xFF")));
    assert_int_equal(utf16_length(STR("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")), 5);
    AUTO_BUF(b);
    utf8_put(&b, 0xD83D);
    wtf8_append(&b, STR("\xED\xB8\x80!"));
    assert_str(buf_str(&b), "\xF0\x9F\x98\x80!");
    wtf8_append(&b, STR("\xED\xB8\x80"));
    assert_int_equal(b.n, 8);
    size_t at = 0;
    assert_int_equal(utf8_next(buf_str(&b), &at), 0x1F600);
    assert_int_equal(at, 4);
}

static void test_paths(void **state)
{
    (void)state;
    AUTO_ARENA(a);
    assert_str(path_resolve(&a, STR("/a/b"), STR("../c//./d/")), "/a/c/d");
    assert_str(path_resolve(&a, STR("/a"), STR("/x/../../y")), "/y");
    assert_str(path_resolve(&a, STR("/"), STR("..")), "/");
    assert_str(path_basename(STR("/a/b.c")), "b.c");
    assert_str(path_dirname(STR("/a")), "/");
    assert_str(path_dirname(STR("a")), ".");
    assert_true(path_within(STR("/a/b"), STR("/a")));
    assert_false(path_within(STR("/ab"), STR("/a")));
    assert_str(path_display(&a, STR("/w/src/x.c"), STR("/w"), STR("/")), "src/x.c");
    assert_str(path_display(&a, STR("/w/./src/../y"), STR("/w/"), STR("/")), "y");
    assert_str(path_display(&a, STR("/w"), STR("/w"), STR("/")), "");
    assert_str(path_display(&a, STR("/else/x"), STR("/w"), STR("/")), "/else/x");
    assert_str(path_display(&a, STR("/x"), STR("/"), STR("/")), "/x");
    assert_str(path_display(&a, STR("x"), STR("/w"), STR("/w/d")), "d/x");
    assert_str(path_display(&a, STR("x"), STR_ABSENT, STR("/w/d")), "x");
}

static void test_log_levels(void **state)
{
    (void)state;
    enum log_level level = LOG_ERROR;
    assert_true(log_level_parse(STR("Debug"), &level));
    assert_int_equal(level, LOG_DEBUG);
    assert_true(log_level_parse(STR("warn"), &level));
    assert_int_equal(level, LOG_WARN);
    assert_false(log_level_parse(STR("loud"), &level));
    struct log log = {.level = LOG_WARN};
    assert_true(log_enabled(&log, LOG_ERROR));
    assert_false(log_enabled(&log, LOG_INFO));
    assert_false(log_enabled(NULL, LOG_ERROR));
}

static void test_base64(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"", ""},
                                          {"f", "Zg=="},
                                          {"fo", "Zm8="},
                                          {"foo", "Zm9v"},
                                          {"foob", "Zm9vYg=="},
                                          {"fooba", "Zm9vYmE="},
                                          {"foobar", "Zm9vYmFy"},
                                          {"\xff\xfe\xfd", "//79"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF(b);
        base64_put(&b, str_of(rows[i][0]));
        assert_str(buf_str(&b), rows[i][1]);
    }
    AUTO_BUF(nul);
    base64_put(&nul, (str){"\0\0", 2});
    assert_str(buf_str(&nul), "AAA=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices), cmocka_unit_test(test_buffers), cmocka_unit_test(test_arena),
        cmocka_unit_test(test_map),    cmocka_unit_test(test_list),    cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_base64), cmocka_unit_test(test_paths),   cmocka_unit_test(test_log_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
