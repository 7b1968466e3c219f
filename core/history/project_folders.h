/* Where Claude keeps stored sessions: <config>/projects/<slug of the working folder>/<session id>.jsonl.
 *
 * The slug loses information and is never decoded; folders are compared by encoding. A look-up by working
 * folder covers the other git worktrees of its repository too. All of this waits for the disk and is not for
 * the loop thread. */
#ifndef HERALD_HISTORY_PROJECT_FOLDERS_H
#define HERALD_HISTORY_PROJECT_FOLDERS_H

#include "base/arena.h"

enum { SLUG_MAX = 200 }; /* UTF-16 units; a longer slug is cut and has a hash behind it */

/* Appends the slug of an absolute path; a cut one when it is too long, and then true. */
bool slug_put(struct buf *out, str path);

struct project_folder {
    str path;
    str cwd;     /* the working folder it was looked up for; absent: it was not */
    bool shared; /* the slug was cut: only sessions that recorded a folder of `cwds` count */
};

struct project_folders {
    struct project_folder *list;
    size_t n;
    const str
        *cwds; /* of a look-up by working folder: that folder and the worktrees' roots, links resolved */
    size_t n_cwds;
};

/* The folders that may hold sessions of `cwd`, or all of them when it is absent. `config` is Claude's
 * configuration folder. */
struct project_folders project_folders(struct arena *a, str config, str cwd);
/* The transcript of a session: the first file of its name that is not empty; absent when there is none. `id`
 * must be a UUID. */
str find_transcript(struct arena *a, const struct project_folders *in, str id);

/* The roots of all worktrees of the repository that `cwd` is in, when there are at least two. */
size_t worktree_roots(struct arena *a, str cwd, str **roots);

#endif
