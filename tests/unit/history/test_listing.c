#include <fcntl.h>

#include "history/listing.h"
#include "history/removal.h"
#include "history/resume_state.h"
#include "history/summary.h"
#include "history_fixture.h"
#include "replay/user_text.h"

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
    listing_put(&out, c, &(struct listing_request){f->config, str_of(cwd), offset, air});
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
    listing_put(&out, &c, &(struct listing_request){.config = f.config});
    AUTO_JSON(doc) = parse_or_fail(buf_c(&out));
    assert_int_equal(json_count(json_get(json_root(doc), "sessions")), LISTING_PAGE);
    assert_str(json_str(json_get(json_root(doc), "nextCursor")), "offset:1000");
    buf_clear(&out);
    listing_put(&out, &c, &(struct listing_request){.config = f.config, .offset = LISTING_PAGE});
    AUTO_JSON(rest) = parse_or_fail(buf_c(&out));
    assert_int_equal(json_count(json_get(json_root(rest), "sessions")), 1);
    assert_false(json_present(json_get(json_root(rest), "nextCursor")));
    listing_cache_free(&c);
    stored_end(&f);
}

static void assert_shown(const char *text, const char *expected)
{
    AUTO_BUF(out);
    bool shown = user_text_put(&out, str_of(text));
    assert_str(shown ? buf_str(&out) : STR_ABSENT, expected ? expected : "(absent)");
    assert_true(shown || !out.n);
}

static void user_texts(void **state)
{
    (void)state;
    assert_shown("plain <context ref=1>", "plain <context ref=1>");
    assert_shown("a<system-reminder>b</system-reminder>c", "ac");
    assert_shown("<command-name>/review</command-name>\n<command-args> the diff </command-args>",
                 "/review the diff");
    assert_shown("<command-name>/model opus</command-name>", NULL);
    assert_shown("<command-name>/x</command-name><local-command-stdout>y</local-command-stdout>", NULL);
    assert_shown("<command-name>no slash</command-name>", NULL);
    assert_shown("<system-reminder>open", "<system-reminder>open");
    assert_shown("  \n", NULL);
}

static void notices(void **state)
{
    struct task_notice n;
    size_t at = 0;
    str text = STR("<task-notification><task-id>t</task-id></task-notification>"
                   "<task-notification><task-id> u </task-id><status>completed</status><result><tool-use-id>x"
                   "</tool-use-id></result></task-notification><task-notification>");
    (void)state;
    assert_true(task_notice_next(text, &at, &n));
    assert_str(n.task, "u");
    assert_str(n.status, "completed");
    assert_str(n.call, "(absent)");
    assert_false(task_notice_next(text, &at, &n));
}

static void assert_hints(const char *file, enum mode mode, const char *model)
{
    struct stored f;
    struct hints h;
    stored_make(&f);
    stored_write(&f, "p", SESSION_A, file);
    hints_read(&h, &f.mem, f.path.p);
    assert_int_equal(h.mode, mode);
    assert_str(h.model, model);
    stored_end(&f);
}

#define MODE_LINE(m, rest)  "{\"type\":\"user\",\"permissionMode\":\"" m "\"" rest "}\n"
#define MODEL_LINE(m, rest) "{\"type\":\"assistant\",\"message\":{\"model\":\"" m "\"}" rest "}\n"

static void hints(void **state)
{
    AUTO_BUF(text);
    struct hints h;
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
    hints_read(&h, &a, "/nonexistent");
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
        cmocka_unit_test(slugs),     cmocka_unit_test(titles), cmocka_unit_test(long_titles_are_cut),
        cmocka_unit_test(lists),     cmocka_unit_test(pages),  cmocka_unit_test(user_texts),
        cmocka_unit_test(notices),   cmocka_unit_test(hints),  cmocka_unit_test(removing),
        cmocka_unit_test(archiving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
