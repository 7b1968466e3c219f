#include "command/command.h"

#include <cJSON.h>
#include <herald/reporter.h>
#include <ltdl.h>
#include <uv.h>
#include <xxhash.h>

#include "cli/locate.h"
#include "command/run.h"

static const struct {
    const char *word;
    command_main *run;
} commands[] = {
    {"reporters", command_reporters}, {"doctor", command_doctor},
    {"--help", command_help},         {"-h", command_help},
    {"help", command_help},           {"--version", command_version},
    {"-v", command_version},          {"-V", command_version},
};

command_main *command_find(const char *word)
{
    for (size_t i = 0; word && i < ARRAY_LEN(commands); i++) {
        if (strcmp(word, commands[i].word) == 0) {
            return commands[i].run;
        }
    }
    return NULL;
}

struct reporter_dirs command_reporter_dirs(const struct standard_dirs *dirs)
{
    return (struct reporter_dirs){
        .builtin = dirs->builtin_reporters,
        .system = dirs->system_reporters,
        .user = dirs->user_reporters,
        .extra = dirs->extra_reporters,
        .state = dirs->state,
    };
}

static const char help_text[] =
    "Herald " HERALD_VERSION ", an ACP agent for Claude Code.\n"
    "\n"
    "usage: herald                          serve the Agent Client Protocol on stdin and stdout\n"
    "       herald --cli ARGUMENT...        run Claude Code itself with these arguments\n"
    "       herald doctor [--json]          check the installation; says what to do about each fault\n"
    "       herald reporters                list the tool reporters and what was refused, with the reason\n"
    "                 [--json]              the same as JSON\n"
    "                 [--names]             the names of their files alone\n"
    "                 [--enable FILE]       try a reporter again that was left out because it crashed\n"
    "       herald --version [--verbose]    print the version, and with --verbose those of all parts\n"
    "       herald --help                   print this text\n"
    "\n"
    "An editor starts herald by itself; there is nothing to type into it. Arguments that are not listed are\n"
    "ignored.\n"
    "\n"
    "Environment (a variable with an empty value counts as unset):\n"
    "  CLAUDE_CODE_EXECUTABLE   the claude to run; else the one beside herald, on PATH, or where its\n"
    "                           installers put it\n"
    "  CLAUDE_CONFIG_DIR        Claude's folder instead of ~/.claude\n"
    "  CLAUDE_AGENT_ACP_PROTOCOL\n"
    "                           auto, v1 or v2: the versions of ACP that an editor can choose; else auto\n"
    "  HERALD_REPORTER_PATH     further folders with tool reporters, absolute, separated by colons\n"
    "  HERALD_LOG               error, warn, info or debug: what is written to stderr; else errors only\n"
    "  HERALD_LOG_FILE          a file that gets the same lines\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 126 claude cannot be run, 127 claude was not found.\n"
    "More: man herald.\n";

int command_help(int argc, char **argv, const struct command_context *cx)
{
    (void)argc;
    (void)argv;
    return fputs(help_text, cx->out) < 0 ? 1 : 0;
}

static void put_cli_version(struct arena *a, const struct command_context *cx)
{
    struct cli_location cli = cli_locate(a, str_of(cx->dirs->executable), str_of(cx->dirs->home));
    if (!cli.path.p) {
        fprintf(cx->out, "claude        not found: %.*s\n", STR_ARG(cli.problem));
        return;
    }
    AUTO_BUF(answer);
    const char *const argv[] = {cli.path.p, "--version", NULL};
    struct run_result r = run_program(argv, 5000, &answer);
    str version = str_trim(buf_str(&answer));
    bool known = !r.error && !r.timed_out && r.exit_code == 0 && version.n;
    fprintf(cx->out, "claude        %.*s, %s (%s)\n", STR_ARG(known ? version : STR("version not known")),
            cli.path.p, cli.source);
}

int command_version(int argc, char **argv, const struct command_context *cx)
{
    bool verbose = false;
    for (int i = 1; i < argc; i++) {
        verbose = verbose || strcmp(argv[i], "--verbose") == 0;
    }
    fprintf(cx->out, "herald " HERALD_VERSION "\n");
    if (verbose) {
        AUTO_ARENA(a);
        const char *executable = cx->dirs->executable;
        unsigned xxh = XXH_versionNumber();
        fprintf(cx->out, "executable    %s\n", executable ? executable : "not known");
        fprintf(cx->out, "reporter ABI  %d.%d\n", HERALD_ABI_MAJOR, HERALD_ABI_MINOR);
        fprintf(cx->out, "reporters     %s\n", cx->dirs->builtin_reporters);
        fprintf(cx->out, "libuv         %s\n", uv_version_string());
        fprintf(cx->out, "cJSON         %s\n", cJSON_Version());
        fprintf(cx->out, "xxhash        %u.%u.%u\n", xxh / 10000, xxh / 100 % 100, xxh % 100);
        put_cli_version(&a, cx);
    }
    return fflush(cx->out) ? 1 : 0;
}
