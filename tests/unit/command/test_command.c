/* The commands beside the server, the standard folders, and running a program for its answer. */
#include "unit.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/command.h"
#include "command/run.h"

struct desk {
    char root[64];
    char claude[96];
    char *out_text, *err_text;
    size_t out_size, err_size;
    struct arena arena;
    struct standard_dirs dirs;
};

static void put_file(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static int desk_setup(void **state)
{
    struct desk *d = calloc(1, sizeof(*d));
    assert_non_null(d);
    strcpy(d->root, "/tmp/herald-desk-XXXXXX");
    assert_non_null(mkdtemp(d->root));
    snprintf(d->claude, sizeof(d->claude), "%s/claude", d->root);
    put_file(d->claude,
             "#!/bin/sh\n"
             "[ \"$1\" = --version ] && echo '9.9.9 (Claude Code)' && exit 0\n"
             "[ \"$1 $2 $3\" = 'auth status --json' ] && cat \"$HOME/status\" && exit 1\n"
             "exit 2\n",
             0755);
    static const char *const unset[] = {"XDG_DATA_HOME",        "XDG_STATE_HOME",
                                        "HERALD_REPORTER_PATH", "ANTHROPIC_API_KEY",
                                        "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
                                        "CLAUDE_CONFIG_DIR"};
    for (size_t i = 0; i < ARRAY_LEN(unset); i++) {
        unsetenv(unset[i]);
    }
    setenv("HOME", d->root, 1);
    setenv("CLAUDE_CODE_EXECUTABLE", d->claude, 1);
    *state = d;
    return 0;
}

static int desk_teardown(void **state)
{
    struct desk *d = *state;
    AUTO_BUF(b);
    buf_printf(&b, "rm -rf '%s'", d->root);
    int gone = system(buf_c(&b)); // NOLINT(cert-env33-c)
    free(d->out_text);
    free(d->err_text);
    arena_free(&d->arena);
    free(d);
    return gone;
}

/* Runs a command with up to two arguments, and keeps what it wrote. */
static int run(struct desk *d, command_main *command, const char *first, const char *second)
{
    free(d->out_text);
    free(d->err_text);
    FILE *out = open_memstream(&d->out_text, &d->out_size), *err = open_memstream(&d->err_text, &d->err_size);
    assert_true(out && err);
    struct command_context cx = {.dirs = &d->dirs, .out = out, .err = err};
    char name[] = "command", arguments[2][128];
    snprintf(arguments[0], sizeof(arguments[0]), "%s", first ? first : "");
    snprintf(arguments[1], sizeof(arguments[1]), "%s", second ? second : "");
    char *argv[] = {name, arguments[0], arguments[1], NULL};
    int argc = 1 + (first != NULL) + (second != NULL);
    int code = command(argc, argv, &cx);
    fclose(out);
    fclose(err);
    return code;
}

static void find_dirs(struct desk *d)
{
    assert_true(standard_dirs_find(&d->arena, &d->dirs));
}

static void assert_out(const struct desk *d, const char *what)
{
    if (!strstr(d->out_text, what)) {
        fail_msg("no \"%s\" in: %s", what, d->out_text);
    }
}

static void test_standard_folders(void **state)
{
    struct desk *d = *state;
    find_dirs(d);
    assert_str(str_of(d->dirs.home), d->root);
    assert_non_null(d->dirs.executable);
    assert_true(str_ends(str_of(d->dirs.user_reporters), STR("/.local/share/herald/reporters")));
    assert_true(str_ends(str_of(d->dirs.state), STR("/.local/state/herald")));
    assert_true(str_ends(str_of(d->dirs.claude_config), STR("/.claude")));
    assert_null(d->dirs.extra_reporters);

    setenv("XDG_DATA_HOME", "/data", 1);
    setenv("XDG_STATE_HOME", "relative", 1);
    setenv("HERALD_REPORTER_PATH", "", 1);
    setenv("CLAUDE_CONFIG_DIR", "", 1);
    find_dirs(d);
    assert_str(str_of(d->dirs.user_reporters), "/data/herald/reporters");
    assert_true(str_starts(str_of(d->dirs.state), str_of(d->root)));
    assert_true(str_starts(str_of(d->dirs.claude_config), str_of(d->root)));
    assert_null(d->dirs.extra_reporters);

    setenv("HERALD_REPORTER_PATH", "/a:/b", 1);
    setenv("HOME", "", 1); /* the password database knows */
    find_dirs(d);
    assert_str(str_of(d->dirs.extra_reporters), "/a:/b");
    assert_true(!d->dirs.home || d->dirs.home[0] == '/');
}

static void test_programs_are_run_within_limits(void **state)
{
    struct desk *d = *state;
    char script[96];
    snprintf(script, sizeof(script), "%s/script", d->root);
    const char *const argv[] = {script, "x", NULL};
    AUTO_BUF(out);
    struct run_result r = run_program(argv, 2000, &out);
    assert_int_not_equal(r.error, 0);
    put_file(script, "#!/bin/sh\necho \"$1\"; echo no >&2; cat; exit 7\n", 0755);
    r = run_program(argv, 5000, &out);
    assert_int_equal(r.error, 0);
    assert_int_equal(r.exit_code, 7);
    assert_str(buf_str(&out), "x\n");
    put_file(script, "#!/bin/sh\nkill -9 $$\n", 0755);
    assert_int_equal(run_program(argv, 5000, &out).exit_code, 128 + 9);
    put_file(script, "#!/bin/sh\nsleep 60 & exec sleep 60\n", 0755);
    time_t before = time(NULL);
    assert_true(run_program(argv, 100, &out).timed_out);
    put_file(script, "#!/bin/sh\nexec >&-; exec sleep 60\n", 0755); /* closes its output, but lives on */
    assert_true(run_program(argv, 100, &out).timed_out);
    assert_true(time(NULL) - before < 30);
    put_file(script, "#!/bin/sh\nexec head -c 1000000 /dev/zero\n", 0755);
    buf_clear(&out);
    r = run_program(argv, 20000, &out);
    assert_int_equal(r.exit_code, 0);
    assert_int_equal(out.n, 64 * 1024);
}

static void test_words_of_the_command_line(void **state)
{
    (void)state;
    assert_ptr_equal(command_find("doctor"), command_doctor);
    assert_ptr_equal(command_find("reporters"), command_reporters);
    assert_ptr_equal(command_find("-v"), command_version);
    assert_ptr_equal(command_find("--help"), command_help);
    assert_null(command_find("--unknown"));
    assert_null(command_find(""));
    assert_null(command_find(NULL));
}

static void test_help_and_version(void **state)
{
    struct desk *d = *state;
    find_dirs(d);
    assert_int_equal(run(d, command_help, NULL, NULL), 0);
    assert_out(d, "usage: herald ");
    assert_int_equal(run(d, command_version, NULL, NULL), 0);
    assert_string_equal(d->out_text, "herald " HERALD_VERSION "\n");
    assert_int_equal(run(d, command_version, "--verbose", NULL), 0);
    assert_out(d, "reporter ABI  1.");
    assert_out(d, "9.9.9 (Claude Code), ");
}

static void test_reporters(void **state)
{
    struct desk *d = *state;
    find_dirs(d);
    d->dirs.builtin_reporters = d->dirs.system_reporters = "/nowhere";
    assert_int_equal(run(d, command_reporters, NULL, NULL), 0);
    assert_out(d, "No reporter plugin was found");
    char file[128];
    snprintf(file, sizeof(file), "%s/bad\033.so", d->root);
    put_file(file, "x", 0644);
    d->dirs.extra_reporters = d->root;
    assert_int_equal(run(d, command_reporters, NULL, NULL), 0);
    assert_out(d, "refused     path      ");
    assert_out(d, "/bad?.so: it cannot be opened: ");
    assert_int_equal(run(d, command_reporters, "--names", NULL), 0);
    assert_string_equal(d->out_text, "bad?.so\n");
    assert_int_equal(run(d, command_reporters, "--json", NULL), 0);
    AUTO_JSON(doc) = parse_or_fail(d->out_text);
    json row = json_nth(json_get(json_root(doc), "reporters"), 0);
    assert_str(json_str(json_get(row, "file")), file);
    assert_str(json_str(json_get(row, "state")), "refused");
    assert_str(json_str(json_get(row, "origin")), "path");
    assert_true(json_text(json_get(row, "reason")).n > 0);
    assert_int_equal(run(d, command_reporters, "--enable", "bad.so"), 1);
    assert_true(strstr(d->err_text, "has a crash mark") != NULL);
    assert_int_equal(run(d, command_reporters, "--enable", NULL), 2);
    assert_int_equal(run(d, command_reporters, "--what", NULL), 2);
}

/* The outcome of one check of `doctor --json`. */
static str check(json root, const char *name)
{
    for (struct json_iter it = json_each(json_get(root, "checks")); json_next(&it);) {
        if (str_is(json_str(json_get(it.value, "name")), name)) {
            return json_str(json_get(it.value, "status"));
        }
    }
    return STR_ABSENT;
}

static void test_doctor_of_a_fresh_home(void **state)
{
    struct desk *d = *state;
    find_dirs(d);
    d->dirs.builtin_reporters = "/nowhere";
    d->dirs.system_reporters = "";
    assert_int_equal(run(d, command_doctor, "--json", NULL), 1); /* there are no built-in reporters */
    AUTO_JSON(doc) = parse_or_fail(d->out_text);
    json root = json_root(doc);
    assert_str(check(root, "claude"), "pass");
    assert_str(check(root, "signed in"), "warn");
    assert_str(check(root, "config folder"), "pass");
    assert_str(check(root, "reporters"), "fail");
    assert_str(json_str(json_get(root, "status")), "fail");
    AUTO_BUF(made);
    buf_printf(&made, "%s/.claude", d->root);
    assert_int_not_equal(access(buf_c(&made), F_OK), 0); /* and nothing was made */
    assert_int_equal(run(d, command_doctor, NULL, NULL), 1);
    assert_out(d, "fail  reporters ");
    assert_out(d, "; install herald again");
    assert_int_equal(run(d, command_doctor, "--nonsense", NULL), 2);
}

static void test_doctor_asks_claude(void **state)
{
    struct desk *d = *state;
    static const struct {
        const char *status, *verdict;
    } rows[] = {
        {"{\n \"loggedIn\": true, \"authMethod\": \"claude.ai\"\n}", "pass"},
        {"{\"loggedIn\":false,\"authMethod\":\"none\"}", "warn"},
        {"{\"loggedIn\":1}", "warn"},
        {"nonsense", "warn"},
    };
    char path[128];
    snprintf(path, sizeof(path), "%s/.claude", d->root);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/status", d->root);
    find_dirs(d);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        put_file(path, rows[i].status, 0600);
        run(d, command_doctor, "--json", NULL);
        AUTO_JSON(doc) = parse_or_fail(d->out_text);
        assert_str(check(json_root(doc), "signed in"), rows[i].verdict);
    }
    setenv("CLAUDE_CODE_EXECUTABLE", "/nowhere/claude", 1);
    assert_int_equal(run(d, command_doctor, "--json", NULL), 1);
    AUTO_JSON(doc) = parse_or_fail(d->out_text);
    assert_str(check(json_root(doc), "claude"), "fail");
    assert_str(check(json_root(doc), "signed in"), "warn");
}

#define DESK_TEST(f) cmocka_unit_test_setup_teardown(f, desk_setup, desk_teardown)

int main(void)
{
    umask(022);
    const struct CMUnitTest tests[] = {
        DESK_TEST(test_standard_folders),          DESK_TEST(test_programs_are_run_within_limits),
        DESK_TEST(test_words_of_the_command_line), DESK_TEST(test_reporters),
        DESK_TEST(test_doctor_of_a_fresh_home),    DESK_TEST(test_doctor_asks_claude),
        DESK_TEST(test_help_and_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
