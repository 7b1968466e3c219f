/* What holds for every built-in reporter: it is a module by the public headers alone, and no input, result or
 * response brings it down. */
#include <dirent.h>
#include <dlfcn.h>

#include <herald/reporter.h>
#include <herald/text.h>

#include "reporter_fixture.h"

/* The folders of plugins/, each of which is one module. */
static const char *const modules[] = {
    "agent", "bash",     "edit",          "exit_plan_mode", "findings",   "glob",
    "grep",  "messages", "notebook_edit", "other",          "question",   "read",
    "skill", "tasks",    "todo",          "web_fetch",      "web_search", "write",
};

static const char *const tools[] = {
    "Bash",        "PowerShell", "Read",       "Write",      "Edit",     "NotebookEdit", "Glob",
    "Grep",        "WebFetch",   "WebSearch",  "Agent",      "Task",     "ExitPlanMode", "AskUserQuestion",
    "Skill",       "TodoWrite",  "TaskCreate", "TaskUpdate", "TaskList", "TaskGet",      "ReportFindings",
    "SendMessage", "TaskStop",   "ListAgents", "Monitor",    "Other",
};

/* ---- Modules ---------------------------------------------------------------------------------------- */

static void check_row(void *user, const struct reporter_row *row)
{
    size_t *count = user;
    (*count)++;
    assert_null(row->refused);
    assert_string_equal(row->origin, "built-in");
    assert_true(str_starts(str_of(row->id), STR("org.herald-acp.")));
}

static void test_every_module_loads(void **state)
{
    const struct fixture *fx = *state;
    size_t count = 0;
    reporter_host_list(fx->host, check_row, &count);
    assert_int_equal(count, ARRAY_LEN(modules));
}

static void test_modules_say_who_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(modules); i++) {
        AUTO_BUF(path);
        AUTO_BUF(id);
        buf_printf(&path, "%s/%s.so", getenv("HERALD_BUILT_REPORTERS"), modules[i]);
        buf_printf(&id, "org.herald-acp.%s", modules[i]);
        void *handle = dlopen(buf_c(&path), RTLD_NOW | RTLD_LOCAL);
        assert_non_null(handle);
        const herald_module *m = dlsym(handle, HERALD_MODULE_SYMBOL);
        assert_non_null(m);
        assert_string_equal(m->id, buf_c(&id));
        assert_string_equal(m->license, "Apache-2.0");
        assert_int_equal(m->abi_major, HERALD_ABI_MAJOR);
        dlclose(handle);
    }
}

/* Runs a command and calls `each` for every line that it prints. */
static size_t each_line_of(const char *command, void (*each)(char *line, const char *about),
                           const char *about)
{
    FILE *f =
        popen(command, "r"); // NOLINT(cert-env33-c,bugprone-command-processor): a fixed command of the test
    char line[1024];
    size_t n = 0;
    assert_non_null(f);
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = 0;
        each(line, about);
        n++;
    }
    assert_int_equal(pclose(f), 0);
    return n;
}

/* What the sanitizers put into a shared object of their build. */
static bool is_of_sanitizer(const char *symbol)
{
    static const char *const marks[] = {"__asan", "__ubsan", "__odr_asan", "__sanitizer"};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        if (strstr(symbol, marks[i])) {
            return true;
        }
    }
    return false;
}

static void check_exported(char *line, const char *about)
{
    const char *name = strrchr(line, ' ');
    assert_non_null(name);
    if (!is_of_sanitizer(name) && strcmp(name + 1, HERALD_MODULE_SYMBOL) != 0) {
        fail_msg("%s exports%s", about, name);
    }
}

/* Undefined and not weak: a function of the C library, by its version or by its name. */
static void check_needed(char *line, const char *about)
{
    static const char *const libc[] = {"memchr", "memcmp",           "memcpy",       "memmove",     "memset",
                                       "strlen", "__stack_chk_fail", "__memcpy_chk", "__memset_chk"};
    const char *u = strstr(line, " U ");
    if (!u || is_of_sanitizer(u) || strstr(u, "@GLIBC_")) {
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(libc); i++) {
        if (strcmp(u + 3, libc[i]) == 0) {
            return;
        }
    }
    fail_msg("%s needs %s", about, u + 3);
}

static void test_modules_export_one_symbol_and_need_only_the_c_library(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(modules); i++) {
        AUTO_BUF(exported);
        AUTO_BUF(needed);
        const char *dir = getenv("HERALD_BUILT_REPORTERS");
        buf_printf(&exported, "nm -D --defined-only '%s/%s.so'", dir, modules[i]);
        buf_printf(&needed, "nm -D --undefined-only '%s/%s.so'", dir, modules[i]);
        assert_true(each_line_of(buf_c(&exported), check_exported, modules[i]) > 0);
        each_line_of(buf_c(&needed), check_needed, modules[i]);
    }
}

/* ---- Sources ---------------------------------------------------------------------------------------- */

static void check_include(const char *line, const char *about)
{
    static const char *const allowed[] = {"<herald/reporter.h>", "<herald/text.h>", "<string.h>",
                                          "<stdint.h>",          "<stddef.h>",      "<stdbool.h>"};
    const char *name = line + strcspn(line, "<\"");
    for (size_t i = 0; i < ARRAY_LEN(allowed); i++) {
        if (strcmp(name, allowed[i]) == 0) {
            return;
        }
    }
    fail_msg("%s has %s", about, line);
}

/* A reporter knows no protocol, no client and no JSON library; the project's own name is not one of these. */
static void check_words(const char *line, const char *about)
{
    static const char *const unknown[] = {"acp", "cjson", "jetbrains"};
    static const char own[] = "herald-";
    for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
        for (const char *at = line; (at = strcasestr(at, unknown[i])); at++) {
            size_t n = sizeof(own) - 1;
            if ((size_t)(at - line) < n || strncmp(at - n, own, n) != 0) {
                fail_msg("%s has %s", about, line);
            }
        }
    }
}

static void check_source(const char *path)
{
    FILE *f = fopen(path, "re");
    char line[512];
    bool includes = false;
    if (!f) {
        fail_msg("%s cannot be read", path);
    }
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = 0;
        check_words(line, path);
        if (line[strspn(line, " \t")] == '#' && strstr(line, "include")) {
            check_include(line, path);
            includes = true;
        }
    }
    fclose(f);
    assert_true(includes);
}

static void test_sources_know_only_the_public_headers(void **state)
{
    (void)state;
    AUTO_BUF(dir);
    buf_printf(&dir, "%s/../plugins", getenv("HERALD_SDK_HEADERS"));
    DIR *d = opendir(buf_c(&dir));
    size_t count = 0;
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] != '.' && strcmp(e->d_name, "examples") != 0) {
            AUTO_BUF(path);
            buf_printf(&path, "%s/%s/reporter.c", buf_c(&dir), e->d_name);
            check_source(buf_c(&path));
            count++;
        }
    }
    closedir(d);
    assert_int_equal(count, ARRAY_LEN(modules));
}

/* ---- Hostile calls ---------------------------------------------------------------------------------- */

/* Every member name that a reporter looks at. */
static const char *const names[] = {
    "command",
    "description",
    "command_description",
    "file_path",
    "path",
    "offset",
    "limit",
    "content",
    "file_text",
    "file_content",
    "old_string",
    "new_string",
    "replace_all",
    "notebook_path",
    "cell_id",
    "edit_mode",
    "new_source",
    "pattern",
    "-i",
    "-n",
    "-A",
    "-B",
    "-C",
    "-l",
    "-c",
    "output_mode",
    "head_limit",
    "glob",
    "type",
    "multiline",
    "url",
    "prompt",
    "query",
    "effort",
    "plan",
    "planFilePath",
    "questions",
    "skill",
    "todos",
    "subject",
    "taskId",
    "status",
    "activeForm",
    "findings",
    "stdout",
    "stderr",
    "isImage",
    "interrupted",
    "backgroundTaskId",
    "persistedOutputPath",
    "persistedOutputSize",
    "returnCodeInterpretation",
    "return_code",
    "file",
    "results",
    "task",
    "tasks",
    "success",
    "updatedFields",
    "filePath",
    "originalFile",
    "structuredPatch",
    "oldString",
};

#define ODD_BLOCK                                                                                            \
    ("[{'type':'text','text':'a','content':['x',{'title':'t','url':'u'}],'question':'q','file':'f',"         \
     "'line':1e400,'id':'1','subject':'','status':'pending'}]")
#define ODD_FILE                                                                                             \
    ("{'content':'a\\n','startLine':9223372036854775807,'truncatedByTokenCap':1,'numLines':-1e9,"            \
     "'totalLines':0.1,'id':'','subject':''}")

/* Values of every type, and some that are at a limit. */
static const char *const values[] = {
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "9223372036854775807",
    "-9223372036854775808",
    "0.5",
    "''",
    "' '",
    "'\\u0000'",
    "'\\ud800x'",
    "'text'",
    "'[pending]'",
    "'```'",
    "'Exit code '",
    "'\\n'",
    "'#1 [pending] '",
    "'completed'",
    "[]",
    "{}",
    "[null]",
    "[[]]",
    "['a',{},7]",
    "[{'type':'text'}]",
    ODD_BLOCK,
    ODD_FILE,
    "{'type':'bash_code_execution_result','return_code':-2147483649}",
};

/* Calls every callback of every tool with an input, a result, a structured result and a response. */
static void call_everything(struct fixture *fx, const char *object, const char *result)
{
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        AUTO_BUF(words);
        struct fixture_call c = {.tool = tools[i],
                                 .input = object,
                                 .result = result,
                                 .structured = object,
                                 .response = object};
        call_reporter(fx, PHASE_USE, &c, &words);
        call_reporter(fx, PHASE_FINISHED, &c, &words);
        call_reporter(fx, PHASE_RESULT, &c, &words);
        c.is_error = true;
        call_reporter(fx, PHASE_RESULT, &c, &words);
    }
}

static void test_every_member_may_have_any_value(void **state)
{
    for (size_t v = 0; v < ARRAY_LEN(values); v++) {
        AUTO_BUF(all);
        for (size_t n = 0; n < ARRAY_LEN(names); n++) {
            buf_printf(&all, "%s'%s':%s", n ? "," : "{", names[n], values[v]);
        }
        buf_put_c(&all, "}");
        call_everything(*state, buf_c(&all), values[v]);
        call_everything(*state, values[v], buf_c(&all));
    }
}

static void test_members_may_be_mixed(void **state)
{
    /* Each name gets another value each time, so that the names meet in many ways. */
    for (size_t shift = 0; shift < ARRAY_LEN(values); shift++) {
        AUTO_BUF(all);
        for (size_t n = 0; n < ARRAY_LEN(names); n++) {
            buf_printf(&all, "%s'%s':%s", n ? "," : "{", names[n],
                       values[(n * 7 + shift) % ARRAY_LEN(values)]);
        }
        buf_put_c(&all, "}");
        call_everything(*state, buf_c(&all), values[(shift * 3) % ARRAY_LEN(values)]);
    }
}

static void test_long_texts(void **state)
{
    AUTO_BUF(object);
    AUTO_BUF(text);
    AUTO_BUF(lines);
    buf_put_c(&text, "'");
    buf_put_fill(&text, 'x', 60000);
    buf_put_c(&text, "'");
    buf_put_c(&lines, "'");
    for (int i = 0; i < 5000; i++) {
        buf_put_c(&lines, "#1 [pending] a (\\n");
    }
    buf_put_c(&lines, "'");
    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        buf_printf(&object, "%s'%s':", n ? "," : "{", names[n]);
        buf_put_c(&object, n % 30 ? "'y'" : buf_c(&text));
    }
    buf_put_c(&object, "}");
    call_everything(*state, buf_c(&object), buf_c(&text));
    call_everything(*state, "{}", buf_c(&lines));
}

/* ---- herald/text.h ---------------------------------------------------------------------------------- */

static void test_strings_are_compared_by_their_bytes(void **state)
{
    (void)state;
    assert_true(herald_string_starts(HERALD_STRING("abc"), HERALD_STRING("ab")));
    assert_false(herald_string_starts(HERALD_STRING("a"), HERALD_STRING("ab")));
    assert_true(herald_string_starts((herald_string){NULL, 0}, HERALD_STRING("")));
    assert_true(herald_string_ends(HERALD_STRING("abc"), HERALD_STRING("bc")));
    assert_false(herald_string_ends(HERALD_STRING("abc"), HERALD_STRING("ab")));
    assert_false(herald_string_ends((herald_string){NULL, 0}, HERALD_STRING("b")));
    assert_true(herald_string_equal(HERALD_STRING("a\0b"), HERALD_STRING("a\0b")));
    assert_false(herald_string_equal(HERALD_STRING("a\0b"), HERALD_STRING("a\0c")));
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_every_module_loads),
        cmocka_unit_test(test_modules_say_who_they_are),
        cmocka_unit_test(test_modules_export_one_symbol_and_need_only_the_c_library),
        cmocka_unit_test(test_sources_know_only_the_public_headers),
        cmocka_unit_test(test_every_member_may_have_any_value),
        cmocka_unit_test(test_members_may_be_mixed),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_strings_are_compared_by_their_bytes),
    };
    return RUN_REPORTER_TESTS(all);
}
