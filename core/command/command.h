/* The commands beside the ACP server: `herald reporters`, `herald doctor`, `--help` and `--version`.
 *
 * Each writes to `out`, without colours, says what goes wrong to `err`, and returns the exit code: 0 done
 * (warnings included), 1 failed, 2 wrong usage. None writes to the disk but `reporters --enable`, which
 * removes a crash mark. */
#ifndef HERALD_COMMAND_COMMAND_H
#define HERALD_COMMAND_COMMAND_H

#include <stdio.h>

#include "base/dirs.h"
#include "reporter_host/reporter_host.h"

struct command_context {
    const struct standard_dirs *dirs;
    FILE *out;
    FILE *err;
};

/* `argv[0]` is the command's own name, its arguments follow. */
typedef int command_main(int argc, char **argv, const struct command_context *cx);

/* The command that the first argument of herald names; NULL when it names none, and herald is the ACP server.
 */
command_main *command_find(const char *word);

/* `reporters [--json | --names | --enable FILE]`: what is loaded, from where, and what was refused and why.
 */
int command_reporters(int argc, char **argv, const struct command_context *cx);
/* `doctor [--json]`: one line for each check, with what to do about it. */
int command_doctor(int argc, char **argv, const struct command_context *cx);
/* `--help`. */
int command_help(int argc, char **argv, const struct command_context *cx);
/* `--version [--verbose]`. */
int command_version(int argc, char **argv, const struct command_context *cx);

/* Where reporters are looked for, by the standard folders. */
struct reporter_dirs command_reporter_dirs(const struct standard_dirs *dirs);

#endif
