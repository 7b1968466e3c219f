/* Where the `claude` executable is. */
#ifndef HERALD_CLI_LOCATE_H
#define HERALD_CLI_LOCATE_H

#include "base/arena.h"

struct cli_location {
    str path;           /* absolute; absent when there is none */
    const char *source; /* "CLAUDE_CODE_EXECUTABLE", "beside herald", "PATH", "well-known folder" */
    str problem;        /* why there is none: a sentence without its full stop; absent when there is one */
};

/* In order: what the variable CLAUDE_CODE_EXECUTABLE names, beside `self` (our own executable, absolute),
 * PATH, then the folders in which its installers put it (~/.local/bin, ~/.claude/local, /usr/local/bin,
 * /opt/homebrew/bin). Empty variables count as unset.
 *
 * What is found never depends on the folder that somebody opened: the variable holds an absolute path, or a
 * bare name that is looked up on PATH; a relative path is refused, and relative entries of PATH are passed
 * over. */
struct cli_location cli_locate(struct arena *a, str self, str home);

/* PATH without its empty and relative entries, which mean another folder for each session; absent when there
 * are none of these. When nothing is left, the system's folders. */
str cli_safe_search_path(struct arena *a, str list);

#endif
