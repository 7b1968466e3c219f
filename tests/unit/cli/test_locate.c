#include "cli_fake.h"

#include "cli/locate.h"

static struct arena arena;

static int clean(void **state)
{
    (void)state;
    static const char *const folders[] =
        {"bin", "bin2", "home/.local/bin", "home/.claude/local", "home/.local", "home/.claude", "home"};
    unsetenv("CLAUDE_CODE_EXECUTABLE");
    unsetenv("PATH");
    arena_free(&arena);
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        char path[160];
        snprintf(path, sizeof(path), "%s/%s/claude", fake_folder, folders[i]);
        if (unlink(path) != 0) {
            rmdir(path);
        }
        rmdir(fake_path(folders[i]));
    }
    return 0;
}

static const char *put(const char *folder, mode_t mode)
{
    mkdir(fake_path(folder), 0755);
    char name[64];
    snprintf(name, sizeof(name), "%s/claude", folder);
    return fake_file(name, "#!/bin/sh\n", mode);
}

static void expect(const char *self, const char *home, const char *path, const char *source)
{
    struct cli_location where = cli_locate(&arena, str_of(self), str_of(home));
    if (path) {
        assert_str(where.path, path);
        assert_string_equal(where.source, source);
    } else if (!str_present(str_of(source))) {
        assert_false(str_present(where.path));
        assert_null(where.source);
    }
}

/* True when this machine has a CLI where every search would find it. */
static bool installed(void)
{
    return access("/usr/local/bin/claude", X_OK) == 0 || access("/opt/homebrew/bin/claude", X_OK) == 0;
}

static void expect_none(const char *self, const char *home)
{
    if (!installed()) {
        expect(self, home, NULL, NULL);
    }
}

/* There is none, and the reason names `word`. */
static void expect_problem(const char *word)
{
    struct cli_location where = cli_locate(&arena, STR_ABSENT, STR_ABSENT);
    assert_false(str_present(where.path));
    assert_true(str_has(where.problem, str_of(word)));
}

static void test_the_variable_names_an_absolute_path(void **state)
{
    (void)state;
    char self[160];
    snprintf(self, sizeof(self), "%s/bin/herald", fake_folder);
    const char *beside = put("bin", 0755);
    setenv("CLAUDE_CODE_EXECUTABLE", "/no such ../file", 1);
    expect(self, NULL, "/no such ../file", "CLAUDE_CODE_EXECUTABLE");
    setenv("CLAUDE_CODE_EXECUTABLE", "", 1);
    expect(self, NULL, beside, "beside herald");
}

static void test_a_bare_name_is_looked_up_on_path(void **state)
{
    (void)state;
    char before[512], list[400];
    const char *found = put("bin2", 0755);
    put("bin", 0755); /* the folder in which we are */
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(fake_path("bin")), 0);
    snprintf(list, sizeof(list), ":.:bin:%s/bin2", fake_folder);
    setenv("PATH", list, 1);
    setenv("CLAUDE_CODE_EXECUTABLE", "claude", 1);
    expect("/nonexistent/herald", NULL, found, "CLAUDE_CODE_EXECUTABLE");
    setenv("PATH", ".::bin", 1);
    expect_problem("CLAUDE_CODE_EXECUTABLE is claude, and PATH has no program");
    unsetenv("PATH");
    expect_problem("CLAUDE_CODE_EXECUTABLE");
    assert_int_equal(chdir(before), 0);
}

static void test_a_relative_path_is_refused(void **state)
{
    (void)state;
    char before[512];
    put("bin", 0755);
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(fake_path("bin")), 0);
    setenv("PATH", fake_path("bin"), 1);
    static const char *const relative[] = {"./claude", "../bin/claude", "bin/claude", "claude/", "~/claude"};
    for (size_t i = 0; i < ARRAY_LEN(relative); i++) {
        setenv("CLAUDE_CODE_EXECUTABLE", relative[i], 1);
        expect_problem("CLAUDE_CODE_EXECUTABLE is the relative path");
        expect_problem(relative[i]);
    }
    assert_int_equal(chdir(before), 0);
}

static void test_a_search_path_is_made_safe(void **state)
{
    (void)state;
    static const struct {
        const char *list, *safe; /* NULL: it is safe as it is */
    } cases[] = {
        {"", NULL},
        {"/usr/bin", NULL},
        {"/a:/b", NULL},
        {"/a:", "/a"},
        {":/a", "/a"},
        {"/a::/b", "/a:/b"},
        {".:/a:node_modules/.bin:../x:/b:~/c", "/a:/b"},
        {".", "/usr/bin:/bin"},
        {":", "/usr/bin:/bin"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        str safe = cli_safe_search_path(&arena, str_of(cases[i].list));
        if (cases[i].safe) {
            assert_str(safe, cases[i].safe);
        } else {
            assert_false(str_present(safe));
        }
    }
    assert_false(str_present(cli_safe_search_path(&arena, STR_ABSENT)));
}

static void test_path_after_the_own_folder(void **state)
{
    (void)state;
    char list[400];
    const char *second = put("bin2", 0755);
    snprintf(list, sizeof(list), "::.:/nonexistent:%s/bin:%s/bin2", fake_folder, fake_folder);
    setenv("PATH", list, 1);
    expect(NULL, NULL, second, "PATH");
    expect("herald", NULL, second, "PATH"); /* a relative self has no folder */
    const char *first = put("bin", 0755);
    expect("/nonexistent/herald", NULL, first, "PATH");
    chmod(first, 0644); /* not ours to run */
    expect(NULL, NULL, second, "PATH");
}

static void test_relative_path_entries_are_left_out(void **state)
{
    (void)state;
    put("bin", 0755);
    char before[512];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(fake_path("bin")), 0);
    setenv("PATH", ".::", 1);
    expect_none(NULL, NULL);
    assert_int_equal(chdir(before), 0);
}

static void test_a_folder_of_the_name_is_none(void **state)
{
    (void)state;
    mkdir(fake_path("bin"), 0755);
    mkdir(fake_path("bin/claude"), 0755);
    setenv("PATH", fake_path("bin"), 1);
    expect_none(NULL, NULL);
}

static void test_well_known_folders(void **state)
{
    (void)state;
    char home[160];
    snprintf(home, sizeof(home), "%s/home", fake_folder);
    expect_none(NULL, home);
    expect_none(NULL, "");
    expect_none(NULL, NULL);
    mkdir(home, 0755);
    mkdir(fake_path("home/.claude"), 0755);
    mkdir(fake_path("home/.local"), 0755);
    const char *local = put("home/.claude/local", 0755);
    expect(NULL, home, local, "well-known folder");
    const char *bin = put("home/.local/bin", 0755);
    expect(NULL, home, bin, "well-known folder");
    setenv("PATH", "", 1);
    expect(NULL, home, bin, "well-known folder");
}

#define T(name) cmocka_unit_test_setup_teardown(name, clean, clean)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_the_variable_names_an_absolute_path), T(test_a_bare_name_is_looked_up_on_path),
        T(test_a_relative_path_is_refused),          T(test_a_search_path_is_made_safe),
        T(test_path_after_the_own_folder),           T(test_relative_path_entries_are_left_out),
        T(test_a_folder_of_the_name_is_none),        T(test_well_known_folders),
    };
    return cmocka_run_group_tests_name("cli_locate", tests, fake_setup, fake_teardown);
}
