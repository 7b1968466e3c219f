/* Which stored transcript belongs to which launch of a subagent. */
#include "history_fixture.h"

#include "history/child_files.h"

#define FOLDER "projects/w/" SESSION_A "/subagents/"

static void meta(struct stored *f, const char *agent, const char *text)
{
    char name[160];
    (void)snprintf(name, sizeof name, FOLDER "agent-%s.meta.json", agent);
    home_write(&f->home, name, text);
}

static void test_found_by_call(void **state)
{
    struct stored f;
    struct child_files cf;
    (void)state;
    stored_make(&f);
    stored_write(&f, "w", SESSION_A, "");
    meta(&f, "a1", "{\"agentType\":\"x\",\"toolUseId\":\"call-1\"}");
    meta(&f, "a2", "{\"toolUseId\":\"call-2\",\"parentAgentId\":\"a1\"}");
    child_files_find(&cf, f.path.p);
    str expected = arena_printf(&f.mem, "%s/" FOLDER "agent-a1.jsonl", f.home.dir);
    assert_str(str_of(child_files_of(&cf, STR("call-1"))->path), expected.p);
    assert_str(str_of(child_files_take(&cf, STR("call-1"))), expected.p);
    assert_non_null(child_files_of(&cf, STR("call-1"))); /* it can still be looked at */
    assert_null(child_files_take(&cf, STR("call-1")));   /* once */
    assert_non_null(child_files_take(&cf, STR("call-2")));
    assert_null(child_files_take(&cf, STR("call-3")));
    assert_null(child_files_take(&cf, STR_ABSENT));
    child_files_free(&cf);
    stored_end(&f);
}

static void test_what_is_said_of_them(void **state)
{
    struct stored f;
    struct child_files cf;
    (void)state;
    stored_make(&f);
    stored_write(&f, "w", SESSION_A, "");
    meta(&f, "a1", "{\"toolUseId\":\"c1\",\"agentType\":\" T \",\"name\":\"N\",\"description\":\"D\"}");
    meta(&f, "", "{\"toolUseId\":\"c2\",\"agentType\":[],\"name\":\" \"}");
    child_files_find(&cf, f.path.p);
    const struct child_file *file = child_files_of(&cf, STR("c1"));
    assert_str(file->agent, "a1");
    assert_str(file->type, "T");
    assert_str(file->name, "N");
    assert_str(file->description, "D");
    file = child_files_of(&cf, STR("c2"));
    assert_int_equal(file->agent.n, 0);
    assert_false(file->type.p || file->name.p || file->description.p);
    child_files_free(&cf);
    stored_end(&f);
}

static void test_damaged(void **state)
{
    struct stored f;
    struct child_files cf;
    (void)state;
    stored_make(&f);
    stored_write(&f, "w", SESSION_A, "");
    meta(&f, "a1", "");
    meta(&f, "a2", "{\"toolUseId\":");
    meta(&f, "a3", "{\"toolUseId\":7}");
    meta(&f, "a4", "[\"toolUseId\"]");
    meta(&f, "a5", "{\"toolUseId\":\"\"}");
    home_write(&f.home, FOLDER "other-a6.meta.json", "{\"toolUseId\":\"call\"}");
    home_write(&f.home, FOLDER "agent-a7.meta.jso", "{\"toolUseId\":\"call\"}");
    home_write(&f.home, FOLDER "agent-a8.meta.json/file", "a folder of that name");
    AUTO_BUF(huge);
    buf_put_c(&huge, "{\"toolUseId\":\"call\",\"x\":\"");
    buf_put_fill(&huge, 'x', CHILD_META_MAX);
    buf_put_c(&huge, "\"}");
    meta(&f, "a9", buf_c(&huge));
    child_files_find(&cf, f.path.p);
    assert_int_equal(cf.by_call.used, 0);
    child_files_free(&cf);
    stored_end(&f);
}

static void test_no_folder(void **state)
{
    struct child_files cf;
    (void)state;
    child_files_find(&cf, "/nowhere/at/all.jsonl");
    assert_int_equal(cf.by_call.used, 0);
    child_files_free(&cf);
    child_files_find(&cf, "");
    child_files_free(&cf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_by_call),
        cmocka_unit_test(test_what_is_said_of_them),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
