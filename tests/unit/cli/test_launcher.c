/* The modes in which our executable becomes the CLI: the launcher, and `--cli`. This program is that
 * executable too. */
#include "cli_fake.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "cli/launcher.h"
#include "cli/passthrough.h"
#include "cli/process.h"

static char self[512];

/* ---- What this program is when it starts itself ------------------------------------------------- */

static void ignore_line(void *user, str line)
{
    (void)user;
    (void)line;
}

static void ignore_end(void *user, const struct cli_exit *how)
{
    (void)user;
    (void)how;
}

/* A Herald with one CLI, until it is killed. */
static int be_parent(const char *folder, const char *script)
{
    static const struct cli_process_events events = {.line = ignore_line, .ended = ignore_end};
    uv_loop_t loop;
    struct cli_spawn spawn = {.executable = script, .env = fake_env, .cwd = folder, .launcher = self};
    uv_loop_init(&loop);
    if (!cli_process_start(&loop, NULL, &spawn, &events, NULL)) {
        return 1;
    }
    return uv_run(&loop, UV_RUN_DEFAULT);
}

/* ---- Running it --------------------------------------------------------------------------------- */

/* Starts this program with `args` (ended by NULL), stderr in the file "errors", stdout in "output". */
static pid_t run_self(const char *const *args)
{
    char *argv[16];
    size_t n = 0;
    argv[n++] = self;
    for (; args[n - 1]; n++) {
        memcpy(&argv[n], &args[n - 1], sizeof(char *));
    }
    argv[n] = NULL;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int out = open(fake_path("output"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int err = open(fake_path("errors"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, 1);
        dup2(err, 2);
        execv(self, argv);
        _exit(99);
    }
    return pid;
}

static int wait_for(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void expect_file(const char *name, const char *expected)
{
    char text[4096];
    FILE *f = fopen(fake_path(name), "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof(text), f);
    fclose(f);
    assert_str(((str){text, n}), expected);
}

static int launch(const char *parent, const char *executable)
{
    int status =
        wait_for(run_self((const char *const[]){LAUNCHER_FLAG, parent, executable, "one", "", NULL}));
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* ---- The launcher ------------------------------------------------------------------------------- */

static void test_becomes_the_executable(void **state)
{
    (void)state;
    char parent[24];
    snprintf(parent, sizeof(parent), "%d", (int)getpid());
    const char *script =
        fake_script("cli", "echo \"$#:$1:$2\"; grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d '\\n\\t'\n"
                           "[ -e /proc/$$/fd/50 ] && echo open; exit 17");
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    signal(SIGINT, SIG_IGN);
    int fd = dup2(1, 50);
    assert_int_equal(launch(parent, script), 17);
    close(fd);
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    expect_file("output", "2:one:\nSigBlk:0000000000000000SigIgn:0000000000000000");
}

static void test_refusals(void **state)
{
    (void)state;
    char parent[24], expected[256];
    snprintf(parent, sizeof(parent), "%d", (int)getpid());
    assert_int_equal(launch(parent, "/nonexistent/claude"), 127);
    expect_file("errors", LAUNCHER_COMPLAINT "/nonexistent/claude: No such file or directory\n");
    const char *plain = fake_file("plain", "x", 0644);
    assert_int_equal(launch(parent, plain), 126);
    snprintf(expected, sizeof(expected), LAUNCHER_COMPLAINT "%s: Permission denied\n", plain);
    expect_file("errors", expected);
    assert_int_equal(launch(parent, fake_file("loader", "#!/no/such/interpreter\n", 0755)), 126);
    assert_int_equal(launch("1x", "/bin/true"), 125);
    assert_int_equal(launch("", "/bin/true"), 125);
    assert_int_equal(launch("-5", "/bin/true"), 125);
    assert_int_equal(launch("1", "/bin/true"), 125); /* its parent is another process */
    int status = wait_for(run_self((const char *const[]){LAUNCHER_FLAG, parent, NULL}));
    assert_int_equal(WEXITSTATUS(status), 125);
}

/* With `dies` the CLI goes by SIGTERM itself; the other one has to be told by nobody but the kernel. */
static void test_the_cli_dies_with_its_parent(void **state)
{
    (void)state;
    unlink(fake_path("pid"));
    const char *script = fake_script("cli", "trap 'echo term > told; exit 143' TERM\necho $$ > pid\n"
                                            "while :; do sleep 0.05; done");
    pid_t parent = run_self((const char *const[]){"--parent", fake_folder, script, NULL});
    int cli = fake_number("pid");
    assert_int_equal(kill(cli, 0), 0);
    assert_int_equal(kill(parent, SIGKILL), 0);
    wait_for(parent);
    assert_true(fake_gone(cli));
    expect_file("told", "term\n");
}

struct seen {
    struct buf lines;
    char *message;
    bool spawn_failed;
};

static void seen_line(void *user, str line)
{
    struct seen *s = user;
    buf_put_str(&s->lines, line);
    buf_put_byte(&s->lines, '|');
}

static void seen_ended(void *user, const struct cli_exit *how)
{
    struct seen *s = user;
    s->message = str_dup(how->message);
    s->spawn_failed = how->spawn_failed;
}

static void start_and_finish(struct seen *s, const char *executable, const char *const *argv,
                             const char *launcher)
{
    static const struct cli_process_events events = {.line = seen_line, .ended = seen_ended};
    uv_loop_t loop;
    struct cli_spawn spawn = fake_spawn(executable, argv);
    spawn.launcher = launcher;
    assert_int_equal(uv_loop_init(&loop), 0);
    struct cli_process *p = cli_process_start(&loop, NULL, &spawn, &events, s);
    assert_non_null(p);
    fake_run(&loop);
}

static void expect_run(const char *executable, const char *launcher, const char *lines)
{
    struct seen s = {0};
    start_and_finish(&s, executable, (const char *const[]){"a b", NULL}, launcher);
    assert_str(buf_str(&s.lines), lines);
    buf_free(&s.lines);
    free(s.message);
}

static void test_a_process_through_the_launcher(void **state)
{
    (void)state;
    const char *script =
        fake_script("cli", "echo \"$#:$1:$FAKE\"; [ -e /proc/$$/fd/50 ] && echo open; exit 0");
    int fd = dup2(1, 50);
    expect_run(script, NULL, "1:a b:yes|open|"); /* so that the next line means something */
    expect_run(script, self, "1:a b:yes|");
    close(fd);
}

static void test_a_launch_that_fails_is_told_as_such(void **state)
{
    (void)state;
    struct seen s = {0};
    const char *path = fake_file("loader", "#!/no/such/interpreter\n", 0755);
    start_and_finish(&s, path, NULL, self);
    char expected[256];
    snprintf(expected, sizeof(expected),
             "Claude Code native binary at %s exists but failed to launch: its interpreter or loader is not "
             "on this system",
             path);
    assert_true(s.spawn_failed);
    assert_string_equal(s.message, expected);
    free(s.message);
    s = (struct seen){0};
    start_and_finish(&s, fake_script("cli", "echo '" LAUNCHER_COMPLAINT "x' >&2; exit 3"), NULL, self);
    assert_false(s.spawn_failed);
    assert_true(str_starts(str_of(s.message), STR("Claude Code process exited with code 3. stderr: ")));
    free(s.message);
}

/* ---- --cli -------------------------------------------------------------------------------------- */

static void test_passthrough_arguments_and_exit_code(void **state)
{
    (void)state;
    setenv("CLAUDE_CODE_EXECUTABLE", fake_script("cli", "printf '%s;' \"$@\"; exit 42"), 1);
    int status = wait_for(run_self(
        (const char *const[]){"--hide-claude-auth", "auth", "--cli", "login", "", "--version", NULL}));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    expect_file("output", "auth;login;;--version;");
    expect_file("errors", "");
}

static void test_passthrough_signals(void **state)
{
    (void)state;
    setenv("CLAUDE_CODE_EXECUTABLE", fake_script("cli", "kill -TERM $$"), 1);
    int status = wait_for(run_self((const char *const[]){"--cli", NULL}));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < ARRAY_LEN(forwarded); i++) {
        unlink(fake_path("pid"));
        setenv("CLAUDE_CODE_EXECUTABLE",
               fake_script("cli", "trap 'exit 11' INT; trap 'exit 12' TERM; trap 'exit 13' HUP\n"
                                  "echo $$ > \"${0%/*}/pid\"; while :; do sleep 0.05; done"),
               1);
        pid_t pid = run_self((const char *const[]){"--cli", NULL});
        fake_number("pid");
        kill(pid, forwarded[i]);
        status = wait_for(pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 11 + i);
    }
}

static void test_passthrough_without_a_cli(void **state)
{
    (void)state;
    setenv("CLAUDE_CODE_EXECUTABLE", "/nonexistent/claude", 1);
    int status = wait_for(run_self((const char *const[]){"--cli", NULL}));
    assert_int_equal(WEXITSTATUS(status), 127);
    expect_file(
        "errors",
        "herald: cannot run /nonexistent/claude (CLAUDE_CODE_EXECUTABLE): No such file or directory\n");
    setenv("CLAUDE_CODE_EXECUTABLE", fake_file("plain", "x", 0644), 1);
    status = wait_for(run_self((const char *const[]){"--cli", NULL}));
    assert_int_equal(WEXITSTATUS(status), 126);
    setenv("CLAUDE_CODE_EXECUTABLE", "", 1);
    setenv("PATH", "/nonexistent", 1);
    if (access("/usr/local/bin/claude", X_OK) != 0 && access("/opt/homebrew/bin/claude", X_OK) != 0) {
        status = wait_for(run_self((const char *const[]){"--cli", NULL}));
        assert_int_equal(WEXITSTATUS(status), 127);
        expect_file(
            "errors",
            "herald: No claude executable was found. Install Claude Code, or set CLAUDE_CODE_EXECUTABLE to "
            "where it is.\n");
    }
}

#define T(name) cmocka_unit_test(name)

int main(int argc, char **argv)
{
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n <= 0) {
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], LAUNCHER_FLAG) == 0) {
        return launcher_main(argc - 1, argv + 1);
    }
    if (argc == 4 && strcmp(argv[1], "--parent") == 0) {
        return be_parent(argv[2], argv[3]);
    }
    if (passthrough_wanted(argc, argv)) {
        return passthrough_main(argc, argv, STR_ABSENT, STR_ABSENT);
    }
    const struct CMUnitTest tests[] = {
        T(test_becomes_the_executable),
        T(test_refusals),
        T(test_the_cli_dies_with_its_parent),
        T(test_a_process_through_the_launcher),
        T(test_a_launch_that_fails_is_told_as_such),
        T(test_passthrough_arguments_and_exit_code),
        T(test_passthrough_signals),
        T(test_passthrough_without_a_cli),
    };
    return cmocka_run_group_tests_name("cli_launcher", tests, fake_setup, fake_teardown);
}
