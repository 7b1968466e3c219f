#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/patch.h"

/* ---- Patch text -------------------------------------------------------------------------------------- */

static void assert_patch(const char *path, bool prefixes, const char *old_text, const char *new_text,
                         const char *expected)
{
    AUTO_ARENA(a);
    struct patch p;
    bool made = patch_make(&a, str_of(path), prefixes, str_of(old_text), str_of(new_text), &p);
    if (!expected) {
        assert_false(made);
        return;
    }
    assert_true(made);
    assert_str(p.text, expected);
}

static void test_a_change_and_its_context(void **state)
{
    (void)state;
    assert_patch(
        "/w/App.ts", true, "old\n", "new\n",
        "diff --git a/w/App.ts b/w/App.ts\n--- a/w/App.ts\n+++ b/w/App.ts\n@@ -1 +1 @@\n-old\n+new\n");
    assert_patch(
        "/w/a", false, "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nV\n6\n7\n8\n9\n",
        "diff --git /w/a /w/a\n--- /w/a\n+++ /w/a\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+V\n 6\n 7\n 8\n");
}

static void test_near_changes_share_a_hunk(void **state)
{
    (void)state;
    /* six equal lines between */
    assert_patch(
        "f", true, "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
    /* seven */
    AUTO_ARENA(a);
    struct patch p;
    assert_true(patch_make(&a, STR("f"), true, STR("a\n1\n2\n3\n4\n5\n6\n7\nb\n"),
                           STR("A\n1\n2\n3\n4\n5\n6\n7\nB\n"), &p));
    assert_str(p.text, "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
                       "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
    assert_int_equal(p.lines->line, 1);
    assert_int_equal(p.lines->next->line, 6);
    assert_null(p.lines->next->next);
}

static void test_deletions_stand_before_insertions(void **state)
{
    (void)state;
    assert_patch("f", true, "a\nb\nc\n", "x\ny\nc\n",
                 "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\n-b\n+x\n+y\n c\n");
    /* among equally short edits the one that deletes first */
    assert_patch("f", true, "a\nb\n", "b\na\n",
                 "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n b\n+a\n");
    assert_patch(
        "f", true, "a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n",
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,7 +1,6 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n");
}

static void test_a_change_that_slides_keeps_context(void **state)
{
    (void)state;
    /* three of the equal lines behind the change are searched; the insertion slides behind them */
    assert_patch(
        "f", true, "a\na\na\na\na\na\nax\na\na\na\na\n", "a\na\nz\na\na\na\na\na\nax\na\na\na\na\n",
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,8 +1,10 @@\n a\n a\n+z\n a\n a\n a\n+a\n a\n ax\n a\n");
    assert_patch("f", true, "a\na\na\na\na\n", "a\na\nz\na\na\na\na\n",
                 "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,5 +1,7 @@\n a\n a\n+z\n a\n a\n a\n+a\n");
}

static void test_missing_final_newlines_are_marked(void **state)
{
    (void)state;
    assert_patch(
        "f", true, "a\nb", "a\nc",
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n"
        "+c\n\\ No newline at end of file\n");
    assert_patch(
        "f", true, "a\nb", "a\nb\n",
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
    assert_patch(
        "f", true, "x\nb", "y\nb",
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-x\n+y\n b\n\\ No newline at end of file\n");
}

static void test_empty_sides(void **state)
{
    (void)state;
    assert_patch("f", true, "", "a\nb\n", "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    assert_patch("f", true, "a\nb\n", "", "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +0,0 @@\n-a\n-b\n");
    assert_patch(
        "f", true, NULL, "a\nb\n",
        "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    assert_patch("f", true, NULL, "a",
                 "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"
                 "\\ No newline at end of file\n");
    assert_patch("f", true, NULL, "", NULL);
    assert_patch("f", true, "a\n", "a\n", NULL);
    assert_patch("f", true, "", "", NULL);
}

static void test_no_patch_holds_a_carriage_return(void **state)
{
    (void)state;
    assert_patch("f", true, "a\r\n", "b\n", NULL);
    assert_patch("f", true, "a\n", "b\r\n", NULL);
    assert_patch("f", true, NULL, "b\r", NULL);
}

static void test_names_are_written_as_git_does(void **state)
{
    (void)state;
    assert_patch(
        "/w/my file", true, "a\n", "b\n",
        "diff --git a/w/my file b/w/my file\n--- a/w/my file\t\n+++ b/w/my file\t\n@@ -1 +1 @@\n-a\n+b\n");
    assert_patch(
        "/w/my file", true, NULL, "b\n",
        "diff --git a/w/my file b/w/my file\nnew file mode 100644\n--- /dev/null\n+++ b/w/my file\t\n"
        "@@ -0,0 +1 @@\n+b\n");
    assert_patch(
        "/w/\xC3\xA9 \"q\"\n\x01\x7F", true, "a\n", "b\n",
        "diff --git \"a/w/\\303\\251 \\\"q\\\"\\n\\001\\177\" \"b/w/\\303\\251 \\\"q\\\"\\n\\001\\177\"\n"
        "--- \"a/w/\\303\\251 \\\"q\\\"\\n\\001\\177\"\t\n+++ \"b/w/\\303\\251 \\\"q\\\"\\n\\001\\177\"\t\n"
        "@@ -1 +1 @@\n-a\n+b\n");
    assert_patch("/w\\f", true, "a\n", "b\n",
                 "diff --git \"a/w\\\\f\" \"b/w\\\\f\"\n--- \"a/w\\\\f\"\n+++ \"b/w\\\\f\"\n"
                 "@@ -1 +1 @@\n-a\n+b\n");
    assert_patch("\\f", false, NULL, "b\n",
                 "diff --git \"\\\\f\" \"\\\\f\"\nnew file mode 100644\n--- /dev/null\n+++ \"\\\\f\"\n"
                 "@@ -0,0 +1 @@\n+b\n");
    assert_patch("///w/f", true, "a\n", "b\n",
                 "diff --git a/w/f b/w/f\n--- a/w/f\n+++ b/w/f\n@@ -1 +1 @@\n-a\n+b\n");
}

static void test_the_budget_bounds_a_hopeless_diff(void **state)
{
    (void)state;
    AUTO_ARENA(a);
    AUTO_BUF(x);
    AUTO_BUF(y);
    for (unsigned i = 0; x.n < PATCH_TEXT_MAX - 16; i++) {
        buf_printf(&x, "%u\n", i * 2654435761U % 100003);
        buf_printf(&y, "%u\n", i * 2246822519U % 100019);
    }
    struct timespec from, to;
    struct patch p;
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert_false(patch_make(&a, STR("f"), true, buf_str(&x), buf_str(&y), &p));
    clock_gettime(CLOCK_MONOTONIC, &to);
    long ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
    assert_in_range(ms, PATCH_TIME_MS / 2, PATCH_TIME_MS * 30);
    /* a small change in a large file is no matter */
    buf_clear(&y);
    buf_put_str(&y, buf_str(&x));
    y.p[y.n / 2] = 'x';
    assert_true(patch_make(&a, STR("f"), true, buf_str(&x), buf_str(&y), &p));
    assert_in_range(p.text.n, 40, 200);
    /* and neither are many lines at the end */
    assert_true(patch_make(&a, STR("f"), true, str_first(buf_str(&x), 4), str_first(buf_str(&x), 20000), &p));
}

/* ---- Sources ----------------------------------------------------------------------------------------- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/herald-patch-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command); // NOLINT: a fixed command on a folder of our own
}

static void file_path(char out[128], const char *name)
{
    snprintf(out, 128, "%s/%s", folder, name);
}

static enum source_state state_of(str text)
{
    char path[128];
    file_path(path, "source");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
    struct file_source source;
    read_file_source(path, &source);
    enum source_state s = source.state;
    if (s == SOURCE_TEXT) {
        assert_true(str_eq(buf_str(&source.text), text));
    } else {
        assert_null(source.text.p);
    }
    file_source_free(&source);
    return s;
}

static void test_what_a_source_can_be(void **state)
{
    (void)state;
    assert_int_equal(state_of(STR("text\n")), SOURCE_TEXT);
    assert_int_equal(state_of(STR("")), SOURCE_TEXT);
    assert_int_equal(state_of(STR("\xEF\xBB\xBFtext")), SOURCE_TEXT);
    assert_int_equal(state_of(STR("a\r\nb")), SOURCE_UNUSABLE);
    assert_int_equal(state_of(STR("a\0b")), SOURCE_UNUSABLE);
    assert_int_equal(state_of(STR("a\xFF")), SOURCE_UNUSABLE);
    assert_int_equal(state_of(STR("a\xED\xA0\x80")), SOURCE_UNUSABLE);
    AUTO_BUF(b);
    buf_put_fill(&b, 'x', 7999);
    buf_put_byte(&b, '\0');
    assert_int_equal(state_of(buf_str(&b)), SOURCE_UNUSABLE);
    b.p[7999] = 'x';
    buf_put_byte(&b, '\0');
    assert_int_equal(state_of(buf_str(&b)), SOURCE_TEXT);
    buf_clear(&b);
    buf_put_fill(&b, 'x', PATCH_TEXT_MAX);
    assert_int_equal(state_of(buf_str(&b)), SOURCE_TEXT);
    buf_put_byte(&b, 'x');
    assert_int_equal(state_of(buf_str(&b)), SOURCE_UNUSABLE);
}

static void test_odd_files_are_no_sources(void **state)
{
    (void)state;
    struct file_source source;
    char path[128];
    file_path(path, "none");
    read_file_source(path, &source);
    assert_int_equal(source.state, SOURCE_MISSING);
    read_file_source(folder, &source);
    assert_int_equal(source.state, SOURCE_UNUSABLE);
    read_file_source("/dev/zero", &source);
    assert_int_equal(source.state, SOURCE_UNUSABLE);
    read_file_source("/proc/self/status", &source); /* grows beyond its size of 0 */
    assert_int_equal(source.state, SOURCE_UNUSABLE);
    file_path(path, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    read_file_source(path, &source);
    assert_int_equal(source.state, SOURCE_UNUSABLE);
    file_path(path, "socket/none");
    read_file_source(path, &source);
    assert_int_equal(source.state, SOURCE_MISSING);
}

/* ---- Previews ---------------------------------------------------------------------------------------- */

static const struct client_capabilities air = {.protocol_version = 1,
                                               .air = true,
                                               .air_diff_patch = true,
                                               .air_raw_input_rendering = true};
static const struct client_capabilities plain = {.protocol_version = 1};
static const struct client_capabilities v2 = {.protocol_version = 2};

static struct file_source source_of(const char *text)
{
    struct file_source s = {.state = text ? SOURCE_TEXT : SOURCE_MISSING};
    if (text) {
        buf_put_c(&s.text, text);
    }
    return s;
}

static struct fact_edit replace(const char *old_text, const char *new_text, bool all)
{
    return (struct fact_edit){.replace_all = all,
                              .path = STR("f"),
                              .old_text = str_of(old_text),
                              .new_text = str_of(new_text)};
}

static struct fact_edit write_of(const char *new_text)
{
    return (struct fact_edit){.write = true, .path = STR("f"), .new_text = str_of(new_text)};
}

/* `expected` NULL: no preview. `file` NULL: it is missing. `textless`: the input must show the text. */
static void check_preview(const struct client_capabilities *c, struct fact_edit edit, const char *file,
                          const char *expected, bool textless)
{
    AUTO_ARENA(a);
    struct file_source source = source_of(file);
    bool seen = !textless;
    str content = preview_content(&a, c, &edit, STR("/w/f"), &source, &seen);
    assert_int_equal(seen, textless);
    if (expected) {
        assert_str(content, expected);
        const char *why = NULL;
        AUTO_JSON(doc) = json_parse(content, &why);
        assert_non_null(doc);
    } else {
        assert_null(content.p);
    }
    file_source_free(&source);
}

static void assert_preview(const struct client_capabilities *c, struct fact_edit edit, const char *file,
                           const char *expected)
{
    check_preview(c, edit, file, expected, false);
}

static void assert_textless_preview(const struct client_capabilities *c, struct fact_edit edit,
                                    const char *file, const char *expected)
{
    check_preview(c, edit, file, expected, true);
}

#define AIR_PATCH(text)                                                                                      \
    "[{\"type\":\"diff\",\"path\":\"/w/"                                                                     \
    "f\",\"oldText\":null,\"newText\":\"\",\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,"                \
    "\"diffPatch\":{\"version\":1,\"format\":\"git_patch\",\"text\":\"" text "\"}}}}}]"
#define HEADER     "diff --git a/w/f b/w/f\\n--- a/w/f\\n+++ b/w/f\\n"
#define NEW_HEADER "diff --git a/w/f b/w/f\\nnew file mode 100644\\n--- /dev/null\\n+++ b/w/f\\n"

static void test_preview_of_a_replacement(void **state)
{
    (void)state;
    assert_preview(&air, replace("b", "B", false), "a\nb\nc\n",
                   AIR_PATCH(HEADER "@@ -1,3 +1,3 @@\\n a\\n-b\\n+B\\n c\\n"));
    assert_preview(&plain, replace("b", "B", false), "a\nb\nc\n", NULL);
    assert_preview(
        &v2, replace("b", "B", false), "a\nb\nc\n",
        "[{\"type\":\"diff\",\"changes\":[{\"operation\":\"modify\",\"path\":\"/w/"
        "f\",\"fileType\":\"text\"}],"
        "\"patch\":{\"format\":\"git_patch\",\"text\":\"diff --git /w/f /w/f\\n--- /w/f\\n+++ /w/f\\n"
        "@@ -1,3 +1,3 @@\\n a\\n-b\\n+B\\n c\\n\"}}]");
    /* every occurrence, and none of them overlaps */
    assert_preview(&air, replace("aa", "x", true), "aaa\naa\n",
                   AIR_PATCH(HEADER "@@ -1,2 +1,2 @@\\n-aaa\\n-aa\\n+xa\\n+x\\n"));
    assert_preview(&air, replace("aa", "x", false), "aaa\n", AIR_PATCH(HEADER "@@ -1 +1 @@\\n-aaa\\n+xa\\n"));
    /* one that cannot be foreseen */
    assert_preview(&air, replace("b", "B", false), "b\nb\n", NULL);
    assert_preview(&air, replace("x", "B", false), "b\n", NULL);
    assert_preview(&air, replace("b", "b", false), "b\n", NULL);
    assert_preview(&air, replace("b", "B", false), NULL, NULL);
    assert_preview(&air, replace("b", NULL, false), "b\n", NULL);
    assert_preview(&air, replace("b", "B\r", false), "b\n", NULL);
}

static void test_preview_of_a_removed_line(void **state)
{
    (void)state;
    assert_preview(&air, replace("b", "", false), "a\nb\nc\n",
                   AIR_PATCH(HEADER "@@ -1,3 +1,2 @@\\n a\\n-b\\n c\\n"));
    assert_preview(&air, replace("b\n", "", false), "a\nb\nc\n",
                   AIR_PATCH(HEADER "@@ -1,3 +1,2 @@\\n a\\n-b\\n c\\n"));
    assert_preview(&air, replace("b", "", false), "a\nb",
                   AIR_PATCH(HEADER "@@ -1,2 +1 @@\\n a\\n-b\\n\\\\ No newline at end of file\\n"));
    /* with replace_all those without a line break stay */
    assert_preview(&air, replace("b", "", true), "b\nxb-\n",
                   AIR_PATCH(HEADER "@@ -1,2 +1 @@\\n-b\\n xb-\\n"));
}

static void test_preview_of_a_new_text(void **state)
{
    (void)state;
    assert_preview(&air, replace("", "x\n", false), NULL, AIR_PATCH(NEW_HEADER "@@ -0,0 +1 @@\\n+x\\n"));
    assert_preview(&air, replace("", "x\n", false), "", AIR_PATCH(HEADER "@@ -0,0 +1 @@\\n+x\\n"));
    assert_preview(&air, replace("", "x\n", false), " \n", AIR_PATCH(HEADER "@@ -1 +1 @@\\n- \\n+x\\n"));
    assert_preview(&air, replace("", "x\n", false), "a\n", NULL);
    assert_preview(&air, replace("", "x\n", false), "\xEF\xBB\xBF", NULL);
    assert_preview(&air, replace("", "", false), NULL, NULL);
}

static void test_preview_of_a_write(void **state)
{
    (void)state;
    assert_preview(&air, write_of("x\n"), NULL, AIR_PATCH(NEW_HEADER "@@ -0,0 +1 @@\\n+x\\n"));
    assert_preview(&air, write_of("x\n"), "y\n", AIR_PATCH(HEADER "@@ -1 +1 @@\\n-y\\n+x\\n"));
    assert_preview(&air, write_of(NULL), NULL, NULL);
    /* the request leaves the text out of the input, so it shows it also when nothing changes */
    assert_preview(&air, write_of("x\n"), "x\n",
                   "[{\"type\":\"diff\",\"path\":\"f\",\"oldText\":\"x\\n\",\"newText\":\"x\\n\"}]");
    assert_preview(&plain, write_of("x\n"), NULL, NULL);
    /* without an exact patch the standard diff, with the path as the input spells it */
    assert_preview(&air, write_of("x\r\n"), "y\n",
                   "[{\"type\":\"diff\",\"path\":\"f\",\"oldText\":\"y\\n\",\"newText\":\"x\\r\\n\"}]");
    assert_preview(&air, write_of(""), NULL,
                   "[{\"type\":\"diff\",\"path\":\"f\",\"oldText\":null,\"newText\":\"\"}]");
    assert_textless_preview(&v2, write_of("x\n"), "x\n", NULL);
    assert_textless_preview(&v2, replace("x", "y", false), "z\n", NULL);
    assert_textless_preview(&v2, write_of(""), NULL,
                            "[{\"type\":\"diff\",\"changes\":[{\"operation\":\"add\",\"path\":\"/w/"
                            "f\",\"fileType\":\"text\"}]}]");
    assert_preview(
        &v2, write_of("x\n"), NULL,
        "[{\"type\":\"diff\",\"changes\":[{\"operation\":\"add\",\"path\":\"/w/f\",\"fileType\":\"text\"}],"
        "\"patch\":{\"format\":\"git_patch\",\"text\":\"diff --git /w/f /w/f\\nnew file mode 100644\\n"
        "--- /dev/null\\n+++ /w/f\\n@@ -0,0 +1 @@\\n+x\\n\"}}]");
}

static void test_preview_over_what_cannot_be_shown(void **state)
{
    (void)state;
    AUTO_ARENA(a);
    struct file_source source = {.state = SOURCE_UNUSABLE};
    struct fact_edit edit = write_of("x\n");
    bool textless = false;
    assert_str(
        preview_content(&a, &air, &edit, STR("/w/f"), &source, &textless),
        "[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"Overwrites the existing file `f`. "
        "The adapter cannot show its current content.\"}}]");
    assert_true(textless);
    edit = replace("a", "b", false);
    assert_null(preview_content(&a, &air, &edit, STR("/w/f"), &source, &textless).p);
    assert_false(textless);
}

static void test_preview_of_a_bomb_is_refused(void **state)
{
    (void)state;
    AUTO_ARENA(a);
    struct file_source source = {.state = SOURCE_TEXT};
    buf_put_fill(&source.text, 'a', 100000);
    AUTO_BUF(big);
    buf_put_fill(&big, 'b', 100000);
    struct fact_edit edit = {.replace_all = true,
                             .path = STR("f"),
                             .old_text = STR("a"),
                             .new_text = buf_str(&big)};
    bool textless;
    assert_null(preview_content(&a, &air, &edit, STR("/w/f"), &source, &textless).p);
    file_source_free(&source);
}

static void test_diffs_of_edits(void **state)
{
    (void)state;
    AUTO_BUF(b);
    struct fact_edit edit = replace("a", "b", false);
    put_edit_diff(&b, &edit);
    edit = replace("", NULL, false);
    put_edit_diff(&b, &edit);
    edit = write_of("x");
    put_edit_diff(&b, &edit);
    edit = write_of(NULL);
    put_edit_diff(&b, &edit);
    assert_str(buf_str(&b), "{\"type\":\"diff\",\"path\":\"f\",\"oldText\":\"a\",\"newText\":\"b\"},"
                            "{\"type\":\"diff\",\"path\":\"f\",\"oldText\":null,\"newText\":\"\"},"
                            "{\"type\":\"diff\",\"path\":\"f\",\"oldText\":null,\"newText\":\"x\"},"
                            "{\"type\":\"diff\",\"path\":\"f\",\"oldText\":null}");
}

/* ---- Final changes ----------------------------------------------------------------------------------- */

enum { CREATED = CHANGE_CREATED, UPDATED = CHANGE_UPDATED, EDITED = CHANGE_EDITED };

struct final_case {
    const struct client_capabilities *client;
    int kind;
    const char *old_text, *new_text, *hunks;
    const char *disk; /* NULL: missing */
    const char *content, *locations;
};

static void assert_final(struct final_case t)
{
    AUTO_ARENA(a);
    AUTO_JSON(doc) = t.hunks ? parse_or_fail(t.hunks) : NULL;
    struct fact_file_change change = {.stated = true,
                                      .path = STR("/w/f"),
                                      .old_text = str_of(t.old_text),
                                      .new_text = str_of(t.new_text),
                                      .hunks = doc ? json_root(doc) : JSON_NONE};
    change.kind = t.kind == CREATED ? CHANGE_CREATED : t.kind == UPDATED ? CHANGE_UPDATED : CHANGE_EDITED;
    struct file_source source = source_of(t.disk);
    bool wanted = final_change_needs_source(t.client, &change);
    assert_false(wanted && t.client == &plain);
    str content, locations;
    final_change(&a, t.client, &change, STR("/w/f"), wanted ? &source : NULL, &content, &locations);
    if (t.content) {
        assert_str(content, t.content);
    } else {
        assert_null(content.p);
    }
    if (t.locations) {
        assert_str(locations, t.locations);
    } else {
        assert_null(locations.p);
    }
    file_source_free(&source);
}

#define HUNKS                                                                                                \
    "[{\"oldStart\":1,\"oldLines\":2,\"newStart\":1,\"newLines\":2,\"lines\":[\" a\",\"-b\",\"+B\","         \
    "\"\\\\ No newline at end of file\"]},{\"oldStart\":8,\"oldLines\":0,\"newStart\":9,\"newLines\":1,"     \
    "\"lines\":[\"+z\"]},{\"newStart\":20,\"lines\":[]}]"
#define HUNK_DIFFS                                                                                           \
    "[{\"type\":\"diff\",\"path\":\"/w/f\",\"oldText\":\"a\\nb\",\"newText\":\"a\\nB\"},"                    \
    "{\"type\":\"diff\",\"path\":\"/w/f\",\"oldText\":null,\"newText\":\"z\"}]"
#define HUNK_LINES "[{\"path\":\"/w/f\",\"line\":1},{\"path\":\"/w/f\",\"line\":9}]"
#define THE_FILE   "[{\"path\":\"/w/f\"}]"

static void test_final_hunks(void **state)
{
    (void)state;
    assert_final((struct final_case){&plain, EDITED, "a\nb", NULL, HUNKS, "a\nB", HUNK_DIFFS, HUNK_LINES});
    assert_final((struct final_case){&plain, EDITED, "a\nb", NULL, "[]", "a\nB", NULL, NULL});
    assert_final((struct final_case){&plain, EDITED, "a\nb", NULL, NULL, "a\nB", NULL, NULL});
    assert_final(
        (struct final_case){&plain, UPDATED, "a", "b", "[]", "b",
                            "[{\"type\":\"diff\",\"path\":\"/w/f\",\"oldText\":\"a\",\"newText\":\"b\"}]",
                            THE_FILE});
    assert_final(
        (struct final_case){&plain, UPDATED, "b", "b", "[]", "b",
                            "[{\"type\":\"diff\",\"path\":\"/w/f\",\"oldText\":\"b\",\"newText\":\"b\"}]",
                            THE_FILE});
    assert_final((struct final_case){&plain, UPDATED, NULL, "b", "[]", "b",
                                     "[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":"
                                     "\"Updated `/w/f` (previous content too large to diff)\"}}]",
                                     THE_FILE});
    assert_final((struct final_case){&plain, CREATED, NULL, "b", "[]", "b", NULL, NULL});
}

static void test_final_hunks_of_nonsense(void **state)
{
    (void)state;
    assert_final((struct final_case){&plain, EDITED, "a", NULL, "{\"a\":1}", "b", NULL, NULL});
    assert_final((struct final_case){
        &plain, EDITED, "a", NULL,
        "[1,null,{\"lines\":7},{\"newStart\":\"x\",\"lines\":[5,\"\",\"\xC3\xA9t\"]}]", "b",
        "[{\"type\":\"diff\",\"path\":\"/w/f\",\"oldText\":\"\\nt\",\"newText\":\"\\nt\"}]", THE_FILE});
    assert_final(
        (struct final_case){&v2, EDITED, "a", NULL, "[1,{\"lines\":[]},{\"newStart\":-4,\"lines\":[\"+a\"]}]",
                            NULL,
                            "[{\"type\":\"diff\",\"changes\":[{\"operation\":\"modify\",\"path\":\"/w/f\","
                            "\"fileType\":\"text\"}]}]",
                            THE_FILE});
}

static void test_final_patches(void **state)
{
    (void)state;
    assert_final((struct final_case){&air, EDITED, "a\nb\n", NULL, HUNKS, "a\nB\n",
                                     AIR_PATCH(HEADER "@@ -1,2 +1,2 @@\\n a\\n-b\\n+B\\n"),
                                     "[{\"path\":\"/w/f\",\"line\":1}]"});
    assert_final((struct final_case){&air, UPDATED, "a\n", "b\n", "[]", "b\n",
                                     AIR_PATCH(HEADER "@@ -1 +1 @@\\n-a\\n+b\\n"),
                                     "[{\"path\":\"/w/f\",\"line\":1}]"});
    assert_final((struct final_case){&air, CREATED, NULL, "b\n", "[]", "b\n",
                                     AIR_PATCH(NEW_HEADER "@@ -0,0 +1 @@\\n+b\\n"), THE_FILE});
    /* what is on the disk is something else, or nothing to compare */
    const char *created = "[{\"type\":\"diff\",\"path\":\"/w/f\",\"oldText\":null,\"newText\":\"b\\n\"}]";
    assert_final((struct final_case){&air, CREATED, NULL, "b\n", "[]", "c\n", created, THE_FILE});
    assert_final((struct final_case){&air, CREATED, NULL, "b\n", "[]", NULL, created, THE_FILE});
    assert_final((struct final_case){&air, CREATED, NULL, NULL, "[]", "c\n", NULL, NULL});
    assert_final((struct final_case){&air, EDITED, "a\nb", NULL, HUNKS, NULL, HUNK_DIFFS, HUNK_LINES});
    assert_final((struct final_case){&air, EDITED, NULL, NULL, HUNKS, "a\nB", HUNK_DIFFS, HUNK_LINES});
    assert_final((struct final_case){&air, EDITED, "a\nb", NULL, HUNKS,
                                     "\xEF\xBB\xBF"
                                     "a\nB",
                                     HUNK_DIFFS, HUNK_LINES});
    assert_final((struct final_case){&air, EDITED, "a\nb", NULL, HUNKS, "a\nb", HUNK_DIFFS, HUNK_LINES});
    assert_final((struct final_case){&air, EDITED, "", NULL, HUNKS, "a\nB", HUNK_DIFFS, HUNK_LINES});
    assert_final(
        (struct final_case){&air, UPDATED, "b", "b", "[]", "later",
                            "[{\"type\":\"diff\",\"path\":\"/w/f\",\"oldText\":\"b\",\"newText\":\"b\"}]",
                            THE_FILE});
}

static void test_final_changes_of_v2(void **state)
{
    (void)state;
    assert_final((struct final_case){
        &v2, EDITED, "a\n", NULL, HUNKS, "b\n",
        "[{\"type\":\"diff\",\"changes\":[{\"operation\":\"modify\",\"path\":\"/w/f\","
        "\"fileType\":\"text\"}],\"patch\":{\"format\":\"git_patch\",\"text\":\"diff --git /w/f "
        "/w/f\\n--- /w/f\\n+++ /w/f\\n@@ -1 +1 @@\\n-a\\n+b\\n\"}}]",
        "[{\"path\":\"/w/f\",\"line\":1}]"});
    assert_final((struct final_case){
        &v2, EDITED, "a\nb", NULL,
        "[{\"oldStart\":1,\"oldLines\":2,\"newStart\":1,\"newLines\":2,"
        "\"lines\":[\" a\",\"-b\",\"+B\"]}]",
        NULL,
        "[{\"type\":\"diff\",\"changes\":[{\"operation\":\"modify\",\"path\":\"/w/f\","
        "\"fileType\":\"text\"}],\"patch\":{\"format\":\"git_patch\",\"text\":\"diff --git /w/f "
        "/w/f\\n--- /w/f\\n+++ /w/f\\n@@ -1,2 +1,2 @@\\n a\\n-b\\n+B\\n\"}}]",
        "[{\"path\":\"/w/f\",\"line\":1}]"});
    assert_final((struct final_case){
        &v2, CREATED, NULL, "b\n", "[]", NULL,
        "[{\"type\":\"diff\",\"changes\":[{\"operation\":\"add\",\"path\":\"/w/f\","
        "\"fileType\":\"text\"}],\"patch\":{\"format\":\"git_patch\",\"text\":\"diff --git /w/f "
        "/w/f\\nnew file mode 100644\\n--- /dev/null\\n+++ /w/f\\n@@ -0,0 +1 @@\\n+b\\n\"}}]",
        THE_FILE});
    assert_final(
        (struct final_case){&v2, CREATED, NULL, "b\r", "[]", NULL,
                            "[{\"type\":\"diff\",\"changes\":[{\"operation\":\"add\",\"path\":\"/w/f\","
                            "\"fileType\":\"text\"}]}]",
                            THE_FILE});
    assert_final((struct final_case){&v2, EDITED, "", NULL, HUNKS, "b", NULL, NULL});
    assert_final((struct final_case){&v2, UPDATED, "b", "b", "[]", "b", NULL, NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_change_and_its_context),
        cmocka_unit_test(test_near_changes_share_a_hunk),
        cmocka_unit_test(test_deletions_stand_before_insertions),
        cmocka_unit_test(test_a_change_that_slides_keeps_context),
        cmocka_unit_test(test_missing_final_newlines_are_marked),
        cmocka_unit_test(test_empty_sides),
        cmocka_unit_test(test_no_patch_holds_a_carriage_return),
        cmocka_unit_test(test_names_are_written_as_git_does),
        cmocka_unit_test(test_the_budget_bounds_a_hopeless_diff),
        cmocka_unit_test(test_what_a_source_can_be),
        cmocka_unit_test(test_odd_files_are_no_sources),
        cmocka_unit_test(test_preview_of_a_replacement),
        cmocka_unit_test(test_preview_of_a_removed_line),
        cmocka_unit_test(test_preview_of_a_new_text),
        cmocka_unit_test(test_preview_of_a_write),
        cmocka_unit_test(test_preview_over_what_cannot_be_shown),
        cmocka_unit_test(test_preview_of_a_bomb_is_refused),
        cmocka_unit_test(test_diffs_of_edits),
        cmocka_unit_test(test_final_hunks),
        cmocka_unit_test(test_final_hunks_of_nonsense),
        cmocka_unit_test(test_final_patches),
        cmocka_unit_test(test_final_changes_of_v2),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
