#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "extension/file_change_report.h"

#define META(request) "{\"jetbrains\":{\"air\":{\"agentFileChangeReportRequest\":" request "}}}"
#define UUID          "11111111-1111-4111-8111-111111111111"

/* Whether the request is accepted, by its id; the id is seen afterwards. */
static bool accepts(struct file_reports *fr, const char *meta)
{
    AUTO_JSON(doc) = parse_or_fail(meta);
    file_reports_accept(fr, json_root(doc), STR(UUID));
    char *id = file_reports_take(fr, STR(UUID));
    free(id);
    return id != NULL;
}

static void test_requests(void **state)
{
    (void)state;
    static const char *const refused[] = {
        META("{\"version\":2,\"requestId\":\"a\"}"),
        META("{\"version\":1,\"requestId\":\"\"}"),
        META("{\"version\":\"1\",\"requestId\":\"a\"}"),
        META("{\"version\":1,\"requestId\":\"a b\"}"),
        META("{\"version\":1,\"requestId\":\"\\u00e9\"}"),
        META("{\"version\":1,\"requestId\":\"a\\u0000\"}"),
        META("{\"requestId\":\"a\"}"),
        META("{\"version\":1}"),
        META("[1,\"a\"]"),
        META("null"),
        "7",
        META("{\"version\":1,\"requestId\":\"a\",\"extra\":true}"),
        META("{\"version\":1,\"requestId\":7}"),
    };
    struct file_reports fr = {0};
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        assert_false(accepts(&fr, refused[i]));
    }
    assert_true(accepts(&fr, META("{\"version\":1,\"requestId\":\"r:2._A-\"}")));
    assert_false(accepts(&fr, META("{\"requestId\":\"r:2._A-\",\"version\":1}")));
    AUTO_BUF(long_one);
    for (size_t n = 128; n <= 129; n++) {
        buf_clear(&long_one);
        buf_put_c(
            &long_one,
            "{\"jetbrains\":{\"air\":{\"agentFileChangeReportRequest\":{\"version\":1,\"requestId\":\"");
        buf_put_fill(&long_one, 'x', n);
        buf_put_c(&long_one, "\"}}}}");
        assert_int_equal(accepts(&fr, buf_c(&long_one)), n == 128);
    }
    AUTO_JSON(open) = parse_or_fail(META("{\"version\":1,\"requestId\":\"left-open\"}"));
    file_reports_accept(&fr, json_root(open), STR(UUID));
    file_reports_free(&fr);
}

/* ASCII letters and digits and four signs; what stands beside them in ASCII is none of these. */
static void test_the_letters_of_a_request(void **state)
{
    (void)state;
    for (int c = 0x20; c < 0x7f; c++) {
        struct file_reports fr = {0};
        AUTO_BUF(meta);
        buf_printf(&meta, META("{\"version\":1,\"requestId\":\"%s%c\"}"), c == '"' || c == '\\' ? "\\" : "",
                   c);
        bool right = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-", c) != NULL;
        assert_int_equal(accepts(&fr, buf_c(&meta)), right);
        file_reports_free(&fr);
    }
}

static void test_readable_answers(void **state)
{
    (void)state;
    AUTO_JSON(doc) =
        parse_or_fail("[{\"canRewind\":true,\"filesChanged\":[]},{\"canRewind\":false,\"filesChanged\":[]},"
                      "{\"canRewind\":true},{\"canRewind\":1,\"filesChanged\":[]},7]");
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(file_report_readable(json_nth(json_root(doc), i)), i == 0);
    }
}

/* A folder with sub/, other/ (outside the root) and a link to it; the root is sub/. */
struct place {
    char top[64];
    struct buf root, files;
};

static void make(struct place *p)
{
    char path[128];
    *p = (struct place){.top = "/tmp/report-XXXXXX"};
    assert_non_null(mkdtemp(p->top));
    snprintf(path, sizeof(path), "%s/sub", p->top);
    assert_int_equal(mkdir(path, 0700), 0);
    buf_put_c(&p->root, path);
    snprintf(path, sizeof(path), "%s/other", p->top);
    assert_int_equal(mkdir(path, 0700), 0);
    char link[160];
    snprintf(link, sizeof(link), "%s/sub/link", p->top);
    assert_int_equal(symlink(path, link), 0);
}

static void drop(struct place *p)
{
    char path[160];
    static const char *const names[] = {"sub/link", "sub", "other", ""};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", p->top, names[i]);
        assert_int_equal(remove(path), 0);
    }
    buf_free(&p->root);
    buf_free(&p->files);
}

static void list_files(struct place *p, const char *files, struct file_report_list *list)
{
    AUTO_JSON(doc) = parse_or_fail(files);
    str roots[1] = {buf_str(&p->root)};
    *list = (struct file_report_list){0};
    file_report_list(list, json_root(doc),
                     &(struct file_report_places){.cwd = roots[0], .roots = roots, .n = ARRAY_LEN(roots)});
}

static void test_paths(void **state)
{
    (void)state;
    struct place p;
    struct file_report_list list;
    make(&p);
    list_files(&p, "[\"a.txt\",\"./a.txt\",\"no/such/b.txt\",\"link\"]", &list);
    assert_int_equal(list.n, 3);
    assert_false(list.truncated);
    assert_true(str_ends(list.paths[1], STR("/sub/no/such/b.txt")));
    assert_true(str_ends(list.paths[2], STR("/sub/link"))); /* the link itself, not what it leads to */
    arena_free(&list.mem);
    static const char *const dropped[] = {
        "[7]",     "[\"  \"]",     "[\"a\\tb\"]",      "[\"a\\u0085b\"]", "[\"a\\u0000\"]", "[\".\"]",
        "[\"/\"]", "[\"/etc/x\"]", "[\"../other/x\"]", "[\"link/x\"]",    "[\"../subx\"]",
    };
    for (size_t i = 0; i < ARRAY_LEN(dropped); i++) {
        list_files(&p, dropped[i], &list);
        assert_int_equal(list.n, 0);
        assert_true(list.truncated);
        arena_free(&list.mem);
    }
    drop(&p);
}

/* Control characters are 0 to 0x1f and 0x7f to 0x9f; a path has at most 4096 UTF-16 units. */
static void test_the_letters_of_a_path(void **state)
{
    (void)state;
    struct place p;
    struct file_report_list list;
    make(&p);
    static const char *const kept[] = {"[\"a b\"]", "[\"a~b\"]", "[\"a\\u00a0b\"]"};
    for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
        list_files(&p, kept[i], &list);
        assert_int_equal(list.n, 1);
        assert_false(list.truncated);
        arena_free(&list.mem);
    }
    static const char *const dropped[] = {"[\"a\\u001fb\"]", "[\"a\\u007fb\"]", "[\"a\\u0080b\"]",
                                          "[\"a\\u009fb\"]"};
    for (size_t i = 0; i < ARRAY_LEN(dropped); i++) {
        list_files(&p, dropped[i], &list);
        assert_int_equal(list.n, 0);
        assert_true(list.truncated);
        arena_free(&list.mem);
    }
    drop(&p);
}

static void test_limits(void **state)
{
    (void)state;
    struct place p;
    struct file_report_list list;
    make(&p);
    AUTO_BUF(files);
    buf_put_byte(&files, '[');
    for (unsigned i = 0; i < 1025; i++) {
        buf_printf(&files, "%s\"%u\"", i ? "," : "", i);
    }
    buf_put_byte(&files, ']');
    list_files(&p, buf_c(&files), &list);
    assert_int_equal(list.n, 1024);
    assert_true(list.truncated);
    arena_free(&list.mem);
    buf_clear(&files);
    buf_put_byte(&files, '[');
    for (unsigned i = 0; i < 1000; i++) { /* quotes become two bytes in the report */
        buf_printf(&files, "%s\"%u", i ? "," : "", i);
        for (unsigned k = 0; k < 200; k++) {
            buf_put_c(&files, "\\\"");
        }
        buf_put_byte(&files, '"');
    }
    buf_put_byte(&files, ']');
    list_files(&p, buf_c(&files), &list);
    AUTO_BUF(report);
    json_open_object(&report);
    file_report_put(&report, STR("r"), &list);
    json_close_object(&report);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&report));
    json told = json_path(json_root(doc), "_meta", "jetbrains", "air", "agentFileChangeReport", NULL);
    assert_true(json_raw(told).n <= FILE_REPORT_BYTES_MAX);
    assert_true(json_raw(told).n > FILE_REPORT_BYTES_MAX - 2000);
    assert_true(json_is_true(json_get(told, "truncated")));
    assert_true(json_is(json_get(told, "declaredComplete"), JSON_FALSE));
    arena_free(&list.mem);
    drop(&p);
}

static void test_unavailable(void **state)
{
    (void)state;
    AUTO_BUF(b);
    file_report_put_unavailable(&b, STR("r"), FILE_REPORT_INVALID);
    assert_str(buf_str(&b),
               "\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"agentFileChangeReport\":{\"version\":1,"
               "\"requestId\":\"r\",\"status\":\"unavailable\",\"reason\":\"invalidOutput\"}}}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_readable_answers),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_the_letters_of_a_request),
        cmocka_unit_test(test_the_letters_of_a_path),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_unavailable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
