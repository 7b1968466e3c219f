#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/path.h"
#include "history/listing.h"
#include "history/removal.h"
#include "history/resume_state.h"
#include "history/summary.h"
#include "history_fixture.h"

static void assert_slug(const char *path, const char *expected)
{
    AUTO_BUF(b);
    slug_put(&b, str_of(path));
    assert_str(buf_str(&b), expected);
}

static void slugs(void **state)
{
    AUTO_BUF(path);
    AUTO_BUF(slug);
    (void)state;
    assert_slug("/tmp/a_b/ws", "-tmp-a-b-ws");
    assert_slug("/\xc3\xa4/\xf0\x9f\x98\x80", "-----");
    buf_put_byte(&path, '/');
    buf_put_fill(&path, 'a', 250);
    assert_true(slug_put(&slug, buf_str(&path)));
    assert_true(slug.n > SLUG_MAX + 1 && slug.n <= SLUG_MAX + 8);
    assert_int_equal(slug.p[SLUG_MAX], '-');
}

static void assert_title(const char *file, const char *expected)
{
    struct stored f;
    struct summary_windows w = SUMMARY_WINDOWS_INIT;
    struct summary s;
    stored_make(&f);
    stored_write(&f, "p", SESSION_A, file);
    assert_true(summary_windows_read(&w, f.path.p));
    summary_read(&s, &f.mem, &w);
    assert_str(s.session ? summary_title(&s, &f.mem, f.path) : STR("(none)"), expected);
    summary_windows_free(&w);
    stored_end(&f);
}

#define TYPED(id, content)                                                                                   \
    "{\"type\":\"user\",\"uuid\":\"" id "\",\"promptSource\":\"sdk\",\"origin\":{\"kind\":\"human\"},"       \
    "\"message\":{\"content\":" content "}}\n"
#define BLOCK(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define MARK        BLOCK("[@a.txt](file:///w/a.txt)")
#define NOTED(text) "{\"type\":\"last-prompt\",\"lastPrompt\":\"" text "\"}\n"

static void titles_are_what_a_person_wrote(void **state)
{
    (void)state;
    /* Not the mark of a file, first or noted by the CLI, nor its content. */
    assert_title(TYPED("a", "[" MARK "," BLOCK("tell me") "]"), "tell me");
    assert_title(TYPED("a", "[" MARK "," BLOCK("tell me") "]") NOTED("[@a.txt](file:///w/a.txt)"), "tell me");
    assert_title(TYPED("a", "[" BLOCK("<context ref=\\\"u\\\">\\nx\\n</context>") "," BLOCK("what?") "]"),
                 "what?");
    assert_title(TYPED("a", "[" MARK "]") NOTED("[@a.txt](file:///w/a.txt)"), "@a.txt");
    assert_title(TYPED("a", "[" BLOCK("[@a](u) and (b)") "]"), "[@a](u) and (b)");
    /* The last prompt, whether it was noted yet or not. */
    assert_title(TYPED("a", "\"one\"") NOTED("one") TYPED("b", "[" MARK "," BLOCK("two") "]"), "two");
    assert_title(TYPED("a", "\"one\"") TYPED("b", "[" MARK "," BLOCK("two") "]")
                     NOTED("[@a.txt](file:///w/a.txt)"),
                 "two");
    assert_title(TYPED("a", "\"one\"") NOTED("another"), "another");
    assert_title(TYPED("a", "\"one\"") NOTED("one") RESULT("r", "null", "t"), "one");
    /* Tags that they wrote hide nothing. */
    assert_title(TYPED("a", "\"what is <command-name>/x</command-name> <system-reminder>?\""),
                 "what is /x ?");
    assert_title(TYPED("a", "\"one\"") NOTED("is <system-reminder>x</system-reminder> a tag?"),
                 "is x a tag?");
    assert_title(TYPED("a", "\"<div> is what? a < b\""), "<div> is what? a < b");
    /* A command with what they typed behind it. */
    assert_title("{\"type\":\"user\",\"origin\":{\"kind\":\"human\"},\"message\":{\"content\":"
                 "\"<command-message>x</command-message>\\n<command-name>/x</command-name>\\n"
                 "<command-args>the tides </command-args>\"}}\n",
                 "/x the tides");
}

static void titles(void **state)
{
    (void)state;
    assert_title(USER("a", "null", "hello\\nthere"), "hello there");
    assert_title(USER("a", "null", "x") "{\"aiTitle\":\"made\"}\n", "made");
    assert_title(USER("a", "null", "x") "{\"customTitle\": \"given\"}\n{\"aiTitle\":\"made\"}\n", "given");
    assert_title(USER("a", "null", "x") "{\"customTitle\":\"1\"}\n{\"customTitle\":\"2\"}\n", "2");
    assert_title(USER("a", "null", "x") "{\"customTitle\":\"\"}\n", "x");
    assert_title(USER("a", "null", "say \\\"customTitle\\\":\\\"no\\\""), "say \"customTitle\":\"no\"");
    assert_title(USER("a", "null", "x") "{\"lastPrompt\":\"last\"}\n{\"summary\":\"old\"}\n", "last");
    assert_title(USER("a", "null", "x") "{\"customTitle\":\"torn", "x");
    assert_title(USER("a", "null", "<command-name>/init</command-name>") USER("b", "\"a\"", "<tag-x>no"),
                 "/init");
    assert_title(USER("a", "null", "<bash-input> ls </bash-input>"), "! ls");
    assert_title(USER("a", "null", "[Request interrupted by user]") USER("b", "\"a\"", "go"), "go");
    assert_title(USER("a", "null", "see <pasted_content id=\\\"12ab\\\">\\n\\nbody\\n</pasted_content>"),
                 "see body");
    assert_title("{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"image\"}]}}\n", "Image");
    assert_title(ASSISTANT("a", "null", "m", "text"), "(absent)");
    assert_title("{\"isSidechain\":true}\n" USER("a", "null", "x"), "(none)");
    assert_title("{}\n{\"type\":\"user\",\"teamName\":\"t\",\"message\":{\"content\":\"x\"}}\n", "(none)");
}

static void long_titles_are_cut(void **state)
{
    AUTO_BUF(text);
    AUTO_BUF(out);
    (void)state;
    buf_put_fill(&text, 'x', 254);
    buf_put_c(&text, "\xf0\x9f\x98\x80 y");
    title_sanitize(&out, buf_str(&text));
    assert_int_equal(out.n, 254 + 3); /* no half of a pair */
    buf_clear(&out);
    title_sanitize(&out, STR("  a \n b\t"));
    assert_str(buf_str(&out), "a b");
}

static void set_time(const struct stored *f, long seconds)
{
    struct timespec times[2] = {{seconds, 5000000}, {seconds, 5999999}};
    assert_int_equal(utimensat(AT_FDCWD, f->path.p, times, 0), 0);
}

static void assert_list(struct stored *f, struct listing_cache *c, const char *cwd, uint64_t offset, bool air,
                        const char *expected)
{
    AUTO_BUF(out);
    listing_put(&out, c,
                &(struct listing_request){.place.config = f->config,
                                          .cwd = str_of(cwd),
                                          .offset = offset,
                                          .hide_archived = air});
    assert_str(buf_str(&out), expected);
}

#define ROW_A                                                                                                \
    "{\"sessionId\":\"" SESSION_A                                                                            \
    "\",\"cwd\":\"/w\",\"title\":\"one\",\"updatedAt\":\"1970-01-01T00:01:40.005Z\"}"
#define ROW_B                                                                                                \
    "{\"sessionId\":\"" SESSION_B                                                                            \
    "\",\"cwd\":\"/w\",\"title\":\"[archived] two\",\"updatedAt\":\"1970-01-01T00:03:20.005Z\"}"

static void lists(void **state)
{
    struct stored f;
    struct listing_cache c = LISTING_CACHE_INIT;
    (void)state;
    stored_make(&f);
    assert_list(&f, &c, NULL, 0, false, "{\"sessions\":[]}");
    stored_write(&f, "-w", "not-a-session", USER("a", "null", "x"));
    stored_write(&f, "-w", SESSION_A, USER("a", "null", "one"));
    set_time(&f, 100);
    stored_write(&f, "-other", SESSION_A, USER("a", "null", "older copy"));
    set_time(&f, 50);
    stored_write(&f, "-w", SESSION_B, USER("a", "null", "x") "{\"customTitle\":\"[archived] two\"}\n");
    set_time(&f, 200);
    for (int again = 0; again < 2; again++) { /* the second time from the cache */
        assert_list(&f, &c, NULL, 0, false, "{\"sessions\":[" ROW_B "," ROW_A "]}");
        assert_list(&f, &c, NULL, 0, true, "{\"sessions\":[" ROW_A "]}");
        assert_list(&f, &c, "/w", 1, false, "{\"sessions\":[" ROW_A "]}");
        assert_list(&f, &c, "/w", 2, false, "{\"sessions\":[]}");
        assert_list(&f, &c, "/elsewhere", 0, false, "{\"sessions\":[]}");
    }
    stored_write(&f, "-w", SESSION_B, "");
    assert_list(&f, &c, NULL, 0, false, "{\"sessions\":[" ROW_A "]}");
    listing_cache_free(&c);
    stored_end(&f);
}

/* The list of `folder`, a folder in the home, holds sessions that recorded these folders and no others. */
static void assert_folders(struct stored *f, const char *folder, const char *const *expected)
{
    struct listing_cache c = LISTING_CACHE_INIT;
    AUTO_BUF(out);
    str cwd = arena_printf(&f->mem, "%s/%s", f->home.dir, folder);
    size_t n = 0;
    listing_put(&out, &c, &(struct listing_request){.place.config = f->config, .cwd = cwd});
    for (; expected[n]; n++) {
        AUTO_BUF(row);
        buf_printf(&row, "\"cwd\":\"%s/%s\"", f->home.dir, expected[n]);
        assert_true(str_has(buf_str(&out), buf_str(&row)));
    }
    for (size_t at = 0; (at = str_find(buf_str(&out), STR("\"cwd\":"), at)) != SIZE_MAX; at++) {
        n--;
    }
    assert_int_equal(n, 0);
    listing_cache_free(&c);
}

/* A session in the project folder of `ws/<folder>`, whose first record says `recorded`. */
static void store_in(struct stored *f, const char *folder, const char *recorded, int number)
{
    AUTO_BUF(slug);
    AUTO_BUF(id);
    AUTO_BUF(text);
    slug_put(&slug, arena_printf(&f->mem, "%s/%s", f->home.dir, folder));
    buf_printf(&id, "11111111-1111-4111-8111-%012d", number);
    buf_printf(&text,
               "{\"type\":\"user\",\"uuid\":\"a\",\"parentUuid\":null,\"cwd\":\"%s/%s\",\"message\":{"
               "\"content\":\"x\"}}\n",
               f->home.dir, recorded);
    stored_write(f, buf_c(&slug), buf_c(&id), buf_c(&text));
}

static void folders_of_one_slug(void **state)
{
    struct stored f;
    char real[PATH_MAX];
    (void)state;
    stored_make(&f);
    assert_non_null(realpath(f.home.dir, real));
    assert_true(strlen(real) < sizeof(f.home.dir));
    strcpy(f.home.dir, real);
    static const char *const made[] = {"w/a_b/f", "w/a-b/f", "w/a/b/f", "w/\u00e9\u00e9/f",
                                       "w/\u00fc\u00fc/f"};
    for (size_t i = 0; i < ARRAY_LEN(made); i++) {
        home_write(&f.home, made[i], "");
        str folder = path_dirname(str_of(made[i]));
        store_in(&f, arena_str(&f.mem, folder).p, arena_str(&f.mem, folder).p, (int)i);
    }
    store_in(&f, "w/a_b", "w/a.b", 10);      /* is gone: it may have had another name */
    store_in(&f, "w/a_b", "w/a/b/../b", 11); /* is there */
    assert_folders(&f, "w/a_b", (const char *const[]){"w/a_b", "w/a.b", NULL});
    assert_folders(&f, "w/a-b", (const char *const[]){"w/a-b", "w/a.b", NULL});
    assert_folders(&f, "w/a/b", (const char *const[]){"w/a/b", "w/a.b", "w/a/b/../b", NULL});
    assert_folders(&f, "w/\u00e9\u00e9", (const char *const[]){"w/\u00e9\u00e9", NULL});
    /* a session that moved on to a folder with another slug is found where it began */
    store_in(&f, "w/a", "w/a/b", 12);
    assert_folders(&f, "w/a", (const char *const[]){"w/a/b", NULL});
    stored_end(&f);
}

/* Worktrees of one repository may have one slug, too. */
static void worktrees_of_one_slug(void **state)
{
    struct stored f;
    char real[PATH_MAX];
    AUTO_BUF(pointer);
    (void)state;
    stored_make(&f);
    assert_non_null(realpath(f.home.dir, real));
    strcpy(f.home.dir, real);
    home_write(&f.home, "r-1/.git/worktrees/x/commondir", "../..\n");
    buf_printf(&pointer, "%s/r_1/.git\n", f.home.dir);
    home_write(&f.home, "r-1/.git/worktrees/x/gitdir", buf_c(&pointer));
    buf_clear(&pointer);
    buf_printf(&pointer, "gitdir: %s/r-1/.git/worktrees/x\n", f.home.dir);
    home_write(&f.home, "r_1/.git", buf_c(&pointer));
    home_write(&f.home, "r 1/f", "");
    store_in(&f, "r-1", "r-1", 1);
    store_in(&f, "r-1", "r_1", 2);
    store_in(&f, "r-1", "r 1", 3);
    assert_folders(&f, "r-1", (const char *const[]){"r-1", "r_1", NULL});
    assert_folders(&f, "r_1", (const char *const[]){"r-1", "r_1", NULL});
    assert_folders(&f, "r 1", (const char *const[]){"r 1", NULL});
    stored_end(&f);
}

static void pages(void **state)
{
    struct stored f;
    struct listing_cache c = LISTING_CACHE_INIT;
    AUTO_BUF(out);
    (void)state;
    stored_make(&f);
    for (int i = 0; i <= LISTING_PAGE; i++) {
        char id[UUID_SIZE];
        (void)snprintf(id, sizeof id, "00000000-0000-4000-8000-%012d", i);
        stored_write(&f, "-w", id, USER("a", "null", "x"));
    }
    listing_put(&out, &c, &(struct listing_request){.place.config = f.config});
    AUTO_JSON(doc) = parse_or_fail(buf_c(&out));
    assert_int_equal(json_count(json_get(json_root(doc), "sessions")), LISTING_PAGE);
    assert_str(json_str(json_get(json_root(doc), "nextCursor")), "offset:1000");
    buf_clear(&out);
    listing_put(&out, &c, &(struct listing_request){.place.config = f.config, .offset = LISTING_PAGE});
    AUTO_JSON(rest) = parse_or_fail(buf_c(&out));
    assert_int_equal(json_count(json_get(json_root(rest), "sessions")), 1);
    assert_false(json_present(json_get(json_root(rest), "nextCursor")));
    listing_cache_free(&c);
    stored_end(&f);
}

static void assert_hints(const char *file, enum mode mode, const char *model)
{
    struct stored f;
    struct resume_state h;
    stored_make(&f);
    stored_write(&f, "p", SESSION_A, file);
    resume_state_read(&h, &f.mem, f.path.p);
    assert_int_equal(h.mode, mode);
    assert_str(h.model, model);
    stored_end(&f);
}

#define MODE_LINE(m, rest)  "{\"type\":\"user\",\"permissionMode\":\"" m "\"" rest "}\n"
#define MODEL_LINE(m, rest) "{\"type\":\"assistant\",\"message\":{\"model\":\"" m "\"}" rest "}\n"

static void hints(void **state)
{
    AUTO_BUF(text);
    struct resume_state h;
    AUTO_ARENA(a);
    (void)state;
    assert_hints(MODE_LINE("plan", "") MODE_LINE("acceptEdits", "") MODEL_LINE("m1", "")
                     MODEL_LINE("<synthetic>", ""),
                 MODE_ACCEPT_EDITS, "m1");
    assert_hints(MODE_LINE("auto", "") "{\"type\":\"user\",\"origin\":{\"kind\":\"human\"}}\n", MODE_NONE,
                 "(absent)");
    assert_hints(MODE_LINE("plan",
                           "") "{\"type\":\"attachment\",\"attachment\":{\"type\":\"plan_mode_exit\"}}\n",
                 MODE_NONE, "(absent)");
    assert_hints(MODE_LINE("plan", "") MODE_LINE("auto", ",\"isSidechain\":true")
                     MODEL_LINE("m", ",\"isSidechain\":true"),
                 MODE_PLAN, "(absent)");
    assert_hints("\n\nnull\n{\"type\":\"user\",\"permissionMode\":7}\n" MODE_LINE("zzz", ""), MODE_NONE,
                 "(absent)");
    buf_put_c(&text, MODE_LINE("auto", "") MODEL_LINE("m2", "") "{\"x\":\"");
    buf_put_fill(&text, 'y', 300000); /* over several windows */
    buf_put_c(&text, "\"}\n");
    assert_hints(buf_c(&text), MODE_AUTO, "m2");
    resume_state_read(&h, &a, "/nonexistent");
    assert_int_equal(h.mode, MODE_NONE);
}

static void removing(void **state)
{
    struct stored f;
    str why;
    (void)state;
    stored_make(&f);
    home_write(&f.home, "outside/keep", "x");
    stored_write(&f, "p", SESSION_A, USER("a", "null", "x"));
    home_write(&f.home, "projects/p/" SESSION_A "/subagents/agent-a.jsonl", "{}");
    str link = arena_printf(&f.mem, "%s/projects/p/%s/link", f.home.dir, SESSION_A);
    str outside = arena_printf(&f.mem, "%s/outside", f.home.dir);
    assert_int_equal(symlink(outside.p, link.p), 0);
    assert_int_equal(session_remove(&f.mem, f.config, STR(SESSION_B), &why), REMOVAL_UNKNOWN);
    assert_int_equal(session_remove(&f.mem, f.config, STR(SESSION_A), &why), REMOVAL_DONE);
    assert_int_equal(access(f.path.p, F_OK), -1);
    assert_int_equal(access(arena_printf(&f.mem, "%s/keep", outside.p).p, F_OK),
                     0); /* links are not followed */
    assert_int_equal(session_remove(&f.mem, f.config, STR(SESSION_A), &why), REMOVAL_UNKNOWN);
    stored_end(&f);
}

static void archiving(void **state)
{
    struct stored f;
    str why;
    (void)state;
    stored_make(&f);
    stored_write(&f, "p", SESSION_A, "{\"customTitle\":\" my  title \"}"); /* without a line break */
    for (int again = 0; again < 2; again++) { /* the second time changes nothing */
        assert_int_equal(session_archive(&f.mem, f.config, STR(SESSION_A), &why), REMOVAL_DONE);
        char *text = stored_read(f.path);
        assert_string_equal(
            text,
            "{\"customTitle\":\" my  title \"}\n"
            "{\"type\":\"custom-title\",\"customTitle\":\"[archived] my title\",\"sessionId\":\"" SESSION_A
            "\"}\n{\"type\":\"agent-name\",\"agentName\":\"[archived] my title\",\"sessionId\":\"" SESSION_A
            "\"}\n");
        free(text);
    }
    assert_int_equal(session_archive(&f.mem, f.config, STR(SESSION_B), &why), REMOVAL_UNKNOWN);
    stored_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slugs),
        cmocka_unit_test(titles),
        cmocka_unit_test(titles_are_what_a_person_wrote),
        cmocka_unit_test(long_titles_are_cut),
        cmocka_unit_test(folders_of_one_slug),
        cmocka_unit_test(worktrees_of_one_slug),
        cmocka_unit_test(lists),
        cmocka_unit_test(pages),
        cmocka_unit_test(hints),
        cmocka_unit_test(removing),
        cmocka_unit_test(archiving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
