/* `herald --cli ARGS`: our process becomes the CLI, for signing in and other work at a terminal.
 *
 * There is no process in between: the CLI keeps our process id, stdio and environment, so signals reach it as
 * they are, and its exit code or the signal that ends it is ours. */
#ifndef HERALD_CLI_PASSTHROUGH_H
#define HERALD_CLI_PASSTHROUGH_H

#include <stdbool.h>

#include "base/str.h"

#define PASSTHROUGH_FLAG "--cli"

/* True when one of the arguments after argv[0] is PASSTHROUGH_FLAG. */
bool passthrough_wanted(int argc, char *const *argv);
/* Becomes the CLI with all arguments but PASSTHROUGH_FLAG and those that configure Herald itself. `self` is
 * our own executable (absolute, or absent), `home` the home folder (or absent). Does not return on success;
 * on failure writes a line to stderr and returns the exit code: 127 when there is no CLI, 126 when it cannot
 * be run. */
int passthrough_main(int argc, char *const *argv, str self, str home);

#endif
