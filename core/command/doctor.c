/* Each check is a row of the table below: a function that adds one line, or a few, to the outcome. None
 * writes to the disk; the CLI is not asked whether the user is signed in before it has been used once, since
 * it would write its first files. */
#include <errno.h>
#include <herald/reporter.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/locate.h"
#include "command/command.h"
#include "command/run.h"

enum { CLI_TIMEOUT_MS = 5000 };

enum verdict { VERDICT_PASS, VERDICT_WARN, VERDICT_FAIL };
static const char *const verdict_names[] = {"pass", "warn", "fail"};

struct doctor {
    const struct command_context *cx;
    struct arena *arena;
    struct cli_location cli;
    bool cli_runs;
    bool as_json;
    struct buf json; /* the elements so far */
    enum verdict worst;
};

/* One line of the outcome. `fix` is what to do about it; absent for a pass. */
static void outcome(struct doctor *d, enum verdict verdict, const char *name, str detail, const char *fix)
{
    d->worst = verdict > d->worst ? verdict : d->worst;
    if (!d->as_json) {
        fprintf(d->cx->out, "%s  %-14s  ", verdict_names[verdict], name);
        for (size_t i = 0; i < detail.n; i++) { /* one line, and no tricks of a path on the terminal */
            unsigned char c = (unsigned char)detail.p[i];
            putc(c < 0x20 || c == 0x7F ? '?' : c, d->cx->out);
        }
        fprintf(d->cx->out, "%s%s\n", fix ? "; " : "", fix ? fix : "");
        return;
    }
    json_open_object(&d->json);
    json_member_c(&d->json, "name", name);
    json_member_c(&d->json, "status", verdict_names[verdict]);
    json_member_str(&d->json, "detail", detail);
    if (fix) {
        json_member_c(&d->json, "fix", fix);
    }
    json_close_object(&d->json);
}

static void check_herald(struct doctor *d)
{
    const char *executable = d->cx->dirs->executable;
    str detail = arena_printf(d->arena, "%s, reporter ABI %d.%d, %s", HERALD_VERSION, HERALD_ABI_MAJOR,
                              HERALD_ABI_MINOR, executable ? executable : "its place is not known");
    outcome(d, VERDICT_PASS, "herald", detail, NULL);
}

static void check_home(struct doctor *d)
{
    const char *home = d->cx->dirs->home;
    struct stat st;
    if (!home) {
        outcome(d, VERDICT_WARN, "home",
                STR("there is no home folder, so there are no reporters of your own"),
                "set HOME to an absolute path");
    } else if (stat(home, &st) != 0 || !S_ISDIR(st.st_mode)) {
        outcome(d, VERDICT_WARN, "home", arena_printf(d->arena, "%s is not a folder", home),
                "set HOME to your home folder");
    } else {
        outcome(d, VERDICT_PASS, "home", str_of(home), NULL);
    }
}

static void check_cli(struct doctor *d)
{
    d->cli = cli_locate(d->arena, str_of(d->cx->dirs->executable), str_of(d->cx->dirs->home));
    if (!d->cli.path.p) {
        outcome(d, VERDICT_FAIL, "claude", d->cli.problem,
                d->cli.source ? "correct or unset this environment variable"
                              : "npm install -g @anthropic-ai/claude-code installs it");
        return;
    }
    AUTO_BUF(answer);
    const char *const argv[] = {d->cli.path.p, "--version", NULL};
    struct run_result r = run_program(argv, CLI_TIMEOUT_MS, &answer);
    str version = str_trim(buf_str(&answer));
    version = str_first(version, str_find_byte(version, '\n', 0));
    str what = r.error       ? arena_printf(d->arena, "it cannot be run: %s", strerror(r.error))
               : r.timed_out ? STR("it does not tell its version within 5 s")
               : r.exit_code ? arena_printf(d->arena, "claude --version ends with exit code %d", r.exit_code)
               : version.n   ? STR_ABSENT
                             : STR("it tells no version");
    d->cli_runs = !what.p;
    str detail = arena_printf(d->arena, "%.*s, %s (%s)", STR_ARG(what.p ? what : version), d->cli.path.p,
                              d->cli.source);
    outcome(d, d->cli_runs ? VERDICT_PASS : VERDICT_FAIL, "claude", detail,
            d->cli_runs ? NULL : "install it again, or set CLAUDE_CODE_EXECUTABLE to one that works");
}

/* The variable by which the CLI is signed in without a login; NULL when there is none. */
static const char *credential_variable(void)
{
    static const char *const names[] = {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
                                        "CLAUDE_CODE_OAUTH_TOKEN"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (env_text(names[i])) {
            return names[i];
        }
    }
    return NULL;
}

static void check_login(struct doctor *d)
{
    static const char fix[] = "run: herald --cli auth login";
    const char *folder = d->cx->dirs->claude_config, *variable = credential_variable();
    struct stat st;
    if (!d->cli_runs) {
        outcome(d, VERDICT_WARN, "signed in", STR("not known without a claude that runs"),
                "mend claude first");
        return;
    }
    if (!folder || stat(folder, &st) != 0) {
        str detail = variable ? arena_printf(d->arena, "by %s, not tried out", variable)
                              : STR("claude has not been used here yet");
        outcome(d, variable ? VERDICT_PASS : VERDICT_WARN, "signed in", detail, variable ? NULL : fix);
        return;
    }
    AUTO_BUF(answer);
    const char *const argv[] = {d->cli.path.p, "auth", "status", "--json", NULL};
    struct run_result r = run_program(argv, CLI_TIMEOUT_MS, &answer);
    AUTO_JSON(doc) = r.error ? NULL : json_parse(buf_str(&answer), NULL);
    json status = json_get(json_root(doc), "loggedIn");
    str method = json_text(json_get(json_root(doc), "authMethod"));
    if (!json_is_bool(status)) {
        outcome(d, VERDICT_WARN, "signed in",
                r.timed_out ? STR("claude auth status does not answer within 5 s")
                            : STR("claude does not say"),
                "run: herald --cli auth status");
    } else if (!json_is_true(status)) {
        outcome(d, VERDICT_WARN, "signed in", STR("no"), fix);
    } else {
        outcome(d, VERDICT_PASS, "signed in", method.p ? method : STR("yes"), NULL);
    }
}

static void check_config(struct doctor *d)
{
    const char *folder = d->cx->dirs->claude_config;
    struct stat st;
    if (!folder) {
        bool relative = env_text("CLAUDE_CONFIG_DIR");
        outcome(d, VERDICT_FAIL, "config folder",
                relative ? STR("CLAUDE_CONFIG_DIR is a relative path, which an opened folder could supply")
                         : STR("not known without a home folder"),
                relative ? "set it to an absolute path, or unset it" : "set HOME or CLAUDE_CONFIG_DIR");
    } else if (stat(folder, &st) != 0 && errno == ENOENT) {
        outcome(d, VERDICT_PASS, "config folder",
                arena_printf(d->arena, "%s, which claude makes when it is first used", folder), NULL);
    } else if (access(folder, R_OK | W_OK | X_OK) != 0 || !S_ISDIR(st.st_mode)) {
        outcome(d, VERDICT_FAIL, "config folder",
                arena_printf(d->arena, "%s cannot be read and written", folder),
                "mend its owner and mode, or set CLAUDE_CONFIG_DIR to another folder");
    } else {
        outcome(d, VERDICT_PASS, "config folder", str_of(folder), NULL);
    }
}

struct reporter_count {
    struct doctor *doctor;
    size_t builtin, others;
};

static void check_reporter(void *user, const struct reporter_row *row)
{
    struct reporter_count *n = user;
    if (row->superseded) {
        return;
    }
    if (row->refused) { /* the reason ends with what to do where there is something */
        outcome(n->doctor, VERDICT_WARN, "reporter",
                arena_printf(n->doctor->arena, "%s is left out: %s", row->file, row->refused),
                row->crashed ? NULL : "mend or remove the file");
        return;
    }
    *(strcmp(row->origin, "built-in") == 0 ? &n->builtin : &n->others) += 1;
}

static void check_reporters(struct doctor *d)
{
    struct reporter_dirs dirs = command_reporter_dirs(d->cx->dirs);
    reporter_host_install_crash_handler(); /* opening a plugin runs code of it */
    struct reporter_host *host = reporter_host_new(&dirs, NULL);
    if (!host) {
        outcome(d, VERDICT_FAIL, "reporters", STR("memory is out"), "end other programs");
        return;
    }
    struct reporter_count n = {.doctor = d};
    reporter_host_list(host, check_reporter, &n);
    reporter_host_free(host);
    str detail = arena_printf(d->arena, "%zu built-in (%s), %zu others", n.builtin, dirs.builtin, n.others);
    outcome(d, n.builtin ? VERDICT_PASS : VERDICT_FAIL, "reporters", detail,
            n.builtin ? NULL : "install herald again with its reporter plugins");
}

static void (*const checks[])(struct doctor *d) = {
    check_herald, check_home, check_cli, check_login, check_config, check_reporters,
};

int command_doctor(int argc, char **argv, const struct command_context *cx)
{
    AUTO_ARENA(a);
    struct doctor d = {.cx = cx, .arena = &a};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") != 0) {
            fprintf(cx->err, "usage: herald doctor [--json]\n");
            return 2;
        }
        d.as_json = true;
    }
    if (d.as_json) {
        json_open_object(&d.json);
        json_key(&d.json, "checks");
        json_open_array(&d.json);
    }
    for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
        checks[i](&d);
    }
    if (d.as_json) {
        json_close_array(&d.json);
        json_member_c(&d.json, "status", verdict_names[d.worst]);
        json_close_object(&d.json);
        buf_put_byte(&d.json, '\n');
        fwrite(buf_str(&d.json).p, 1, d.json.n, cx->out);
    }
    bool ok = buf_ok(&d.json) && arena_ok(&a) && fflush(cx->out) == 0;
    buf_free(&d.json);
    return ok && d.worst != VERDICT_FAIL ? 0 : 1;
}
