/* Random edits of random files: what the preview shows must be what the edit does, and Git must be able to
 * apply it forwards and back, byte for byte. Git takes a few hundred patches at a time. */
#include "unit.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/patch.h"

enum { BATCHES = 8, BATCH = 300 };

static const struct client_capabilities air = {.protocol_version = 1, .air = true, .air_diff_patch = true};

struct sample {
    struct buf name; /* as the tool names it, below the root */
    struct buf file; /* as it lies on the disk */
    bool missing;
    struct buf before, after;
    bool patched;
};

static uint64_t seed;
static char folder[64];

static unsigned any(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 16) % n;
}

/* ---- Files ------------------------------------------------------------------------------------------- */

static void put_line_text(struct buf *b)
{
    static const char *const lines[] = {"",
                                        "a",
                                        "b",
                                        "}",
                                        "    return x;",
                                        "\tint i = 0;",
                                        "a b",
                                        "-",
                                        "+plus",
                                        " x",
                                        "@@ -1 +1 @@",
                                        "\xC3\xA9t\xC3\xA9",
                                        "\\ No newline at end of file",
                                        "a",
                                        "--- a/f",
                                        "\xF0\x9F\x98\x80"};
    buf_put_c(b, lines[any(ARRAY_LEN(lines))]);
    if (any(6) == 0) {
        buf_printf(b, "%u", any(40));
    }
}

static void random_text(struct buf *b, unsigned most)
{
    unsigned n = any(most);
    if (any(25) == 0) {
        buf_put_c(b, "\xEF\xBB\xBF");
    }
    const char *line_break = any(25) == 0 ? "\r\n" : "\n";
    for (unsigned i = 0; i < n; i++) {
        put_line_text(b);
        if (i + 1 < n || any(4)) {
            buf_put_c(b, line_break);
        }
    }
}

static void random_name(struct sample *s, unsigned i)
{
    static const char *const shapes[] = {"plain%u.c",      "with space%u",  "quote\"%u",  "tab\t%u",
                                         "e\xCC\x81%u",    "line\nbreak%u", "d%u/in a/f", "w%u\\file",
                                         "\xE6\x96\x87%u", "del\x7F%u",     "\\%u\\",     "bell\a\b\f\v\r%u",
                                         "esc\x1B\x01%u",  "latin\xE9%u",   "\\\"%u \\n", "%u "};
    buf_put_byte(&s->name, '/');
    const char *shape = shapes[any(ARRAY_LEN(shapes))];
    for (const char *c = shape; *c; c++) {
        if (c[0] == '%' && c[1] == 'u') {
            buf_printf(&s->name, "%u", i);
            c++;
        } else {
            buf_put_byte(&s->name, *c);
        }
    }
    buf_put_c(&s->file, folder);
    buf_put_str(&s->file, buf_str(&s->name));
}

static void write_file(const char *path, str text)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    assert_int_equal(fclose(f), 0);
}

static void assert_file(const char *path, bool missing, str text)
{
    struct file_source source;
    FILE *f = fopen(path, "rb");
    if (missing) {
        assert_null(f);
        return;
    }
    assert_non_null(f);
    AUTO_BUF(b);
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof(part), f)) > 0) {
        buf_put(&b, part, n);
    }
    fclose(f);
    assert_true(str_eq(buf_str(&b), text));
    read_file_source(path, &source);
    bool usable = str_find_byte(text, '\r', 0) == SIZE_MAX;
    assert_int_equal(source.state, usable ? SOURCE_TEXT : SOURCE_UNUSABLE);
    file_source_free(&source);
}

/* ---- Edits and what they do ---------------------------------------------------------------------------- */

static bool is_break(str text, size_t at)
{
    return at < text.n && text.p[at] == '\n';
}

/* A span of the file, often whole lines. */
static str random_span(str text)
{
    if (!text.n) {
        return STR("x");
    }
    size_t from = any((unsigned)text.n), to = from + 1 + any(20);
    if (any(2)) {
        while (from > 0 && !is_break(text, from - 1)) {
            from--;
        }
        while (to < text.n && !is_break(text, to)) {
            to++;
        }
        to += any(2);
    }
    while (from > 0 && ((unsigned char)text.p[from] & 0xC0) == 0x80) {
        from--;
    }
    while (to < text.n && ((unsigned char)text.p[to] & 0xC0) == 0x80) {
        to++;
    }
    return (str){text.p + from, (to < text.n ? to : text.n) - from};
}

static bool occurs_at(str text, size_t at, str what)
{
    return text.n - at >= what.n && memcmp(text.p + at, what.p, what.n) == 0;
}

/* Replaces as JavaScript's split and join, or as replace() with a string; how often. */
static unsigned replace_in(struct buf *out, str text, str what, str with, bool all)
{
    unsigned n = 0;
    for (size_t at = 0; at < text.n;) {
        if ((all || n == 0) && occurs_at(text, at, what)) {
            buf_put_str(out, with);
            at += what.n;
            n++;
        } else {
            buf_put_byte(out, text.p[at++]);
        }
    }
    return n;
}

static bool is_blank(str text)
{
    return str_trim(text).n == 0;
}

/* What an edit makes of the file; false when it cannot be told or shown. */
static bool model(const struct sample *s, const struct fact_edit *e, struct buf *after)
{
    str text = buf_str(&s->before);
    bool cr = str_find_byte(text, '\r', 0) != SIZE_MAX || str_find_byte(e->new_text, '\r', 0) != SIZE_MAX;
    if (cr) {
        return false;
    }
    if (e->write || e->old_text.n == 0) {
        if (!e->write && !s->missing && !is_blank(text)) {
            return false;
        }
        buf_put_str(after, e->new_text);
        return s->missing ? e->new_text.n > 0 : !str_eq(text, e->new_text);
    }
    AUTO_BUF(line);
    AUTO_BUF(scratch);
    buf_put_str(&line, e->old_text);
    buf_put_byte(&line, '\n');
    bool whole = e->new_text.n == 0 && !str_ends(e->old_text, STR("\n")) && str_has(text, buf_str(&line));
    unsigned found = replace_in(&scratch, text, e->old_text, STR(""), true);
    replace_in(after, text, whole ? buf_str(&line) : e->old_text, e->new_text, e->replace_all);
    return !s->missing && found > 0 && (found == 1 || e->replace_all) && !str_eq(text, buf_str(after));
}

static struct fact_edit random_edit(const struct sample *s, struct buf *new_text)
{
    struct fact_edit e = {.path = buf_str(&s->name), .write = s->missing ? any(2) : any(4) == 0};
    if (e.write) {
        random_text(new_text, 30);
    } else {
        e.old_text = any(12) == 0 || s->missing ? STR("") : random_span(buf_str(&s->before));
        e.replace_all = any(2);
        if (any(3)) {
            random_text(new_text, 5);
        }
    }
    e.new_text = buf_str(new_text);
    return e;
}

/* The patch in the content of a preview; absent when the content is something else. */
static str patch_of(json content)
{
    return json_str(json_path(json_nth(content, 0), "_meta", "jetbrains", "air", "diffPatch", "text", NULL));
}

static void make_sample(struct sample *s, unsigned i, struct buf *patches)
{
    AUTO_ARENA(a);
    AUTO_BUF(new_text);
    AUTO_BUF(expected);
    random_name(s, i);
    s->missing = any(10) == 0;
    if (!s->missing) {
        random_text(&s->before, any(10) ? 40 : 400);
    }
    struct fact_edit edit = random_edit(s, &new_text);
    bool cr = str_find_byte(buf_str(&s->before), '\r', 0) != SIZE_MAX;
    struct file_source source = {.state = s->missing ? SOURCE_MISSING : cr ? SOURCE_UNUSABLE : SOURCE_TEXT};
    if (source.state == SOURCE_TEXT) {
        buf_put_str(&source.text, buf_str(&s->before));
    }
    bool notice;
    str content = preview_content(&a, &air, &edit, edit.path, &source, &notice);
    assert_int_equal(notice, edit.write && cr);
    AUTO_JSON(doc) = content.p ? json_parse(content, NULL) : NULL;
    str patch = doc ? patch_of(json_root(doc)) : STR_ABSENT;
    bool bom = !edit.write && edit.old_text.n == 0 && str_has(buf_str(&s->before), STR("\xEF\xBB\xBF"));
    s->patched = model(s, &edit, &expected) && !bom;
    assert_int_equal(s->patched, patch.p != NULL);
    buf_put_str(&s->after, s->patched ? buf_str(&expected) : buf_str(&s->before));
    buf_put_str(patches, patch);
    file_source_free(&source);
}

/* ---- Git --------------------------------------------------------------------------------------------- */

static int run(const char *command)
{
    int status = system(command); // NOLINT: fixed commands on a folder of our own
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void git_apply(const char *options)
{
    char command[256];
    snprintf(command, sizeof(command), "cd '%s' && git apply --whitespace=nowarn %s ../%s.patch", folder,
             options, strrchr(folder, '/') + 1);
    assert_int_equal(run(command), 0);
}

static void check_files(struct sample *samples, bool after)
{
    for (unsigned i = 0; i < BATCH; i++) {
        const struct sample *s = &samples[i];
        bool changed = after && s->patched;
        assert_file(s->file.p, s->missing && !changed, buf_str(changed ? &s->after : &s->before));
    }
}

static void check_batch(uint64_t number)
{
    static struct sample samples[BATCH];
    char path[128];
    snprintf(folder, sizeof(folder), "/tmp/herald-property-XXXXXX");
    assert_non_null(mkdtemp(folder));
    AUTO_BUF(patches);
    seed = 88172645463325252U + number * 2654435761U;
    for (unsigned i = 0; i < BATCH; i++) {
        make_sample(&samples[i], i, &patches);
        if (!samples[i].missing) {
            write_file(samples[i].file.p, buf_str(&samples[i].before));
        }
    }
    snprintf(path, sizeof(path), "%s.patch", folder);
    write_file(path, buf_str(&patches));
    git_apply("");
    check_files(samples, true);
    git_apply("-R");
    check_files(samples, false);
    for (unsigned i = 0; i < BATCH; i++) {
        struct sample *s = &samples[i];
        buf_free(&s->name);
        buf_free(&s->file);
        buf_free(&s->before);
        buf_free(&s->after);
    }
    char command[160];
    snprintf(command, sizeof(command), "rm -rf '%s' '%s.patch'", folder, folder);
    assert_int_equal(run(command), 0);
}

static void test_git_applies_every_preview(void **state)
{
    (void)state;
    if (run("git --version >/dev/null 2>&1") != 0) {
        print_message("git is not installed: the patches are not checked with it\n");
        skip();
    }
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1);
    unsetenv("GIT_DIR");
    for (uint64_t i = 0; i < BATCHES; i++) {
        check_batch(i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_git_applies_every_preview)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
