/* Arguments, environment, wiring; nothing else. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "acp/connection.h"
#include "cli/launcher.h"
#include "cli/locate.h"
#include "cli/passthrough.h"
#include "command/command.h"
#include "settings/settings.h"

#ifdef __APPLE__
extern char **environ; /* other systems declare it */
#endif

enum { SIGNALS = 3 };

/* The process's one context. */
struct program {
    uv_loop_t loop;
    uv_signal_t signals[SIGNALS];
    struct log log;
    struct arena memory;
    struct standard_dirs dirs;
    struct connection *connection;
    bool leaving;
};

static void on_handle_closed(uv_handle_t *h)
{
    (void)h;
}

/* Ends every session and the connection; the loop then runs out of work. */
static void leave(struct program *p)
{
    if (p->leaving) {
        return;
    }
    p->leaving = true;
    connection_close(p->connection);
    for (size_t i = 0; i < SIGNALS; i++) {
        uv_close((uv_handle_t *)&p->signals[i], on_handle_closed);
    }
    uv_stop(&p->loop);
}

static void on_client_gone(void *user)
{
    leave(user);
}

static void on_signal(uv_signal_t *h, int number)
{
    (void)number;
    leave(h->data);
}

static void watch_signals(struct program *p)
{
    static const int numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < SIGNALS; i++) {
        uv_signal_init(&p->loop, &p->signals[i]);
        p->signals[i].data = p;
        uv_signal_start(&p->signals[i], on_signal, numbers[i]);
        uv_unref((uv_handle_t *)&p->signals[i]);
    }
}

static void open_log(struct program *p)
{
    const char *level = env_text("HERALD_LOG"), *file = env_text("HERALD_LOG_FILE");
    if (level && !log_level_parse(str_of(level), &p->log.level)) {
        p->log.level = LOG_ERROR;
        log_write(&p->log, LOG_ERROR, "HERALD_LOG is \"%s\"; it can be error, warn, info or debug", level);
    }
    if (file) {
        p->log.file = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (p->log.file < 0) {
            log_write(&p->log, LOG_ERROR, "the log file %s cannot be opened", file);
        }
    }
}

static bool has_flag(int argc, char **argv, const char *flag)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], flag) == 0) {
            return true;
        }
    }
    return false;
}

static int serve(struct program *p, int argc, char **argv)
{
    struct acp_served served;
    const char *versions = env_text("CLAUDE_AGENT_ACP_PROTOCOL");
    if (!acp_served_parse(versions, &served)) {
        log_write(&p->log, LOG_ERROR, "CLAUDE_AGENT_ACP_PROTOCOL is \"%s\"; it can be auto, v1 or v2",
                  versions);
        return 1;
    }
    reporter_host_install_crash_handler();
    str *args = arena_alloc(&p->memory, (size_t)argc * sizeof(*args));
    if (!args || uv_loop_init(&p->loop) != 0) {
        log_write(&p->log, LOG_ERROR, "out of memory");
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        args[i - 1] = str_of(argv[i]);
    }
    watch_signals(p);
    p->connection = connection_new(&(struct connection_setup){
        .loop = &p->loop,
        .log = &p->log,
        .dirs = &p->dirs,
        .reporters = command_reporter_dirs(&p->dirs),
        .env = (const char *const *)environ,
        .in = STDIN_FILENO,
        .out = STDOUT_FILENO,
        .served = served,
        .hide_claude_auth = has_flag(argc, argv, "--hide-claude-auth"),
        .args = args,
        .n_args = (size_t)argc - 1,
        .closed = on_client_gone,
        .user = p,
    });
    if (!p->connection) {
        log_write(&p->log, LOG_ERROR,
                  "standard input and output cannot be used. An editor starts herald with pipes; "
                  "`herald --help` says more");
        return 1;
    }
    uv_run(&p->loop, UV_RUN_DEFAULT);
    return 0;
}

/* What the administrator sets in the managed settings holds for Herald and all that it starts. */
static void adopt_managed_environment(void)
{
    struct settings *managed = settings_load(&(struct settings_place){0});
    struct settings_pairs env = managed ? settings_managed_env(managed) : (struct settings_pairs){0};
    for (size_t i = 0; i < env.n; i++) {
        (void)setenv(env.pairs[i].name.p, env.pairs[i].value.p, 1);
    }
    settings_free(managed);
}

/* A relative entry of PATH means another folder for each session: what the CLI looks up there at its start
 * would be run out of the folder that somebody opened. */
static void make_search_path_safe(struct arena *a)
{
    str safe = cli_safe_search_path(a, str_of(env_text("PATH")));
    if (safe.p) {
        (void)setenv("PATH", safe.p, 1);
    }
}

int main(int argc, char **argv)
{
    static struct program program;
    struct program *p = &program;
    if (argc > 1 && strcmp(argv[1], LAUNCHER_FLAG) == 0) {
        return launcher_main(argc - 1, argv + 1);
    }
    adopt_managed_environment();
    make_search_path_safe(&p->memory);
    if (!standard_dirs_find(&p->memory, &p->dirs)) {
        fputs("herald: error: out of memory\n", stderr);
        return 1;
    }
    if (passthrough_wanted(argc, argv)) {
        return passthrough_main(argc, argv, str_of(p->dirs.executable), str_of(p->dirs.home));
    }
    struct command_context cx = {.dirs = &p->dirs, .out = stdout, .err = stderr};
    command_main *command = argc > 1 ? command_find(argv[1]) : NULL;
    if (command) {
        return command(argc - 1, argv + 1, &cx);
    }
    open_log(p);
    return serve(p, argc, argv);
}
