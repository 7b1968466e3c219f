/* Where the `claude` executable is. */
#ifndef HERALD_CLI_LOCATE_H
#define HERALD_CLI_LOCATE_H

#include "base/arena.h"

struct cli_location {
    str path;           /* absent when there is none */
    const char *source; /* "CLAUDE_CODE_EXECUTABLE", "beside herald", "PATH", "well-known folder" */
};

/* In order: the variable CLAUDE_CODE_EXECUTABLE (taken as it is), beside `self` (our own executable,
 * absolute), PATH, then the folders in which its installers put it (~/.local/bin, ~/.claude/local,
 * /usr/local/bin, /opt/homebrew/bin). Empty variables count as unset. */
struct cli_location cli_locate(struct arena *a, str self, str home);

#endif
