#include "unit.h"

#include "base/base64.h"
#include "prompt/attachment.h"

/* PDF, text, and so on, as they are sent. */
#define PDF       "JVBERi0xLjQ="
#define PNG       "iVBORw0KGgoAAAAN"
#define JPEG      "/9j/4AAQSkZJRg=="
#define GIF       "R0lGODlhAQABAAAA"
#define WEBP      "UklGRhoAAABXRUJQVlA4"
#define SOME_TEXT "aGkK"
#define BINARY    "AAEC/w=="
#define ZIP       "UEsDBA=="

static struct attachment of(bool image, const char *type, const char *uri, const char *data)
{
    struct attachment_source s = {.data = str_of(data),
                                  .mime_type = str_of(type),
                                  .uri = str_of(uri),
                                  .image = image};
    return attachment_of(&s);
}

static void test_files(void **state)
{
    (void)state;
    static const struct {
        const char *type, *uri, *data;
        enum attachment_kind kind;
        const char *media_type;
    } rows[] = {
        /* by what it is said to be, in any case and with parameters */
        {"application/pdf", "", SOME_TEXT, ATTACHMENT_DOCUMENT, "application/pdf"},
        {" APPLICATION/PDF ; charset=binary", "", PDF, ATTACHMENT_DOCUMENT, "application/pdf"},
        {"image/JPG", "", SOME_TEXT, ATTACHMENT_IMAGE, "image/jpeg"},
        {"text/plain; charset=utf-8", "", SOME_TEXT, ATTACHMENT_TEXT, NULL},
        {"application/json", "", SOME_TEXT, ATTACHMENT_TEXT, NULL},
        {"application/ld+json", "", SOME_TEXT, ATTACHMENT_TEXT, NULL},
        {"image/svg+xml", "", SOME_TEXT, ATTACHMENT_TEXT, NULL},
        {"application/x-sh", "", SOME_TEXT, ATTACHMENT_TEXT, NULL},
        {"video/mp4", "", SOME_TEXT, ATTACHMENT_REFUSED, NULL},
        {"application/zip", "", SOME_TEXT, ATTACHMENT_REFUSED, NULL},
        {"application/epub+zip", "", SOME_TEXT, ATTACHMENT_REFUSED, NULL},
        {"image/bmp", "", SOME_TEXT, ATTACHMENT_REFUSED, NULL},
        {"text/plain", "", "/w==", ATTACHMENT_REFUSED, NULL},
        /* by its data, which wins over what is said */
        {NULL, NULL, PDF, ATTACHMENT_DOCUMENT, "application/pdf"},
        {"", "", PNG, ATTACHMENT_IMAGE, "image/png"},
        {"application/octet-stream", "", JPEG, ATTACHMENT_IMAGE, "image/jpeg"},
        {"image/png", "", WEBP, ATTACHMENT_IMAGE, "image/webp"},
        {"application/x-unknown", "", GIF, ATTACHMENT_IMAGE, "image/gif"},
        {"text/plain", "", PNG, ATTACHMENT_IMAGE, "image/png"},
        {"", "", SOME_TEXT, ATTACHMENT_TEXT, NULL},
        {"", "", BINARY, ATTACHMENT_REFUSED, NULL},
        {"", "", ZIP, ATTACHMENT_REFUSED, NULL},
        /* by its name, when nothing else tells */
        {"", "file:///a/X.PDF?v=1#p", SOME_TEXT, ATTACHMENT_DOCUMENT, "application/pdf"},
        {"", "file:///a/x.Jpeg", SOME_TEXT, ATTACHMENT_IMAGE, "image/jpeg"},
        {"", "file:///a/x.tar", SOME_TEXT, ATTACHMENT_REFUSED, NULL},
        {"", "file:///a/x.unheard", SOME_TEXT, ATTACHMENT_TEXT, NULL},
        /* nothing in it, or no base64 */
        {"text/plain", "", "", ATTACHMENT_TEXT, NULL},
        {"", "file:///a/x.txt", NULL, ATTACHMENT_TEXT, NULL},
        {"", "file:///a/x.pdf", " ", ATTACHMENT_REFUSED, NULL},
        {"application/pdf", "", "", ATTACHMENT_REFUSED, NULL},
        {"text/plain", "", "a", ATTACHMENT_REFUSED, NULL},
        {"application/pdf", "", "data:application/pdf;base64," PDF, ATTACHMENT_REFUSED, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct attachment a = of(false, rows[i].type, rows[i].uri, rows[i].data);
        if (a.kind != rows[i].kind) {
            fail_msg("row %zu: %d", i, (int)a.kind);
        }
        assert_int_equal(a.why != NULL, a.kind == ATTACHMENT_REFUSED);
        if (rows[i].media_type) {
            assert_string_equal(a.media_type, rows[i].media_type);
        } else {
            assert_null(a.media_type);
        }
    }
}

static void test_images_are_no_texts(void **state)
{
    (void)state;
    assert_int_equal(of(true, "", "", SOME_TEXT).kind, ATTACHMENT_REFUSED);
    assert_int_equal(of(true, "", "", "").kind, ATTACHMENT_REFUSED);
    assert_int_equal(of(true, "image/*", "", PNG).kind, ATTACHMENT_IMAGE);
    assert_int_equal(of(true, "image/svg+xml", "", SOME_TEXT).kind, ATTACHMENT_TEXT);
}

static void test_too_large(void **state)
{
    (void)state;
    AUTO_BUF(data);
    buf_put_fill(&data, 'A', ATTACHMENT_MAX);
    assert_int_equal(of(false, "application/pdf", "", buf_c(&data)).kind, ATTACHMENT_DOCUMENT);
    buf_put_c(&data, "AAAA");
    assert_int_equal(of(false, "application/pdf", "", buf_c(&data)).kind, ATTACHMENT_REFUSED);
}

static void test_base64(void **state)
{
    (void)state;
    static const struct {
        const char *text, *bytes;
        bool canonical;
    } rows[] = {
        {"", "", true},
        {"YQ==", "a", true},
        {"YQ", "a", false},
        {"YWI=", "ab", true},
        {"YWJj", "abc", true},
        {"Y W\nJ\tj", "abc", false},
        {"A", NULL, false},
        {"Y===", NULL, false},
        {"YQ=a", NULL, false},
        {"YQ=", NULL, false},
        {"Y*==", NULL, false},
        {"YWJj==", NULL, false},
        {"YWJjYQ==", "abca", true},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF(b);
        bool canonical = false;
        bool valid = base64_valid(str_of(rows[i].text), &canonical);
        assert_int_equal(valid, rows[i].bytes != NULL);
        assert_int_equal(base64_decode(&b, str_of(rows[i].text)), valid);
        if (valid) {
            assert_str(buf_str(&b), rows[i].bytes);
            assert_int_equal(canonical, rows[i].canonical);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_images_are_no_texts),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_base64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
