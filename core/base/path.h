/* Paths as text; nothing here looks at the disk unless it says so. */
#ifndef HERALD_BASE_PATH_H
#define HERALD_BASE_PATH_H

#include "base/arena.h"

static inline bool path_is_absolute(str p)
{
    return p.n && p.p[0] == '/';
}
/* `path`, or `base` joined with it when it is relative, without `.`, `..`, double and trailing slashes. */
str path_resolve(struct arena *a, str base, str path);
/* What follows the last slash (the whole path when there is none). */
str path_basename(str p);
/* What stands before the last slash; "/" for a name in the root, "." when there is no slash. */
str path_dirname(str p);
str path_join(struct arena *a, str dir, str name);
/* True when the lexically resolved `path` is `dir` or lies below it. A `dir` of "/" holds all. */
bool path_within(str path, str dir);
/* How a file is named to a person: relative to `cwd` when it lies below it, else as it is. Relative
 * files are resolved against `process_cwd`. The cwd itself is the empty text; a cwd of "/" matches no
 * file; without a cwd the path stays. */
str path_display(struct arena *a, str path, str cwd, str process_cwd);

/* Makes the folder and those above it, for this user alone, where they are not there yet. `path` is changed
 * and restored meanwhile. For signal handlers too. */
void path_make_folders(char *path);

#endif
