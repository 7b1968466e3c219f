/* A copy of a stored session, whole or up to one message of it.
 *
 * The copy is a transcript of its own beside the source: every record gets a new uuid, references are mapped,
 * side chains and most metadata are left out. It is written under another name first, so that nobody sees
 * half of it. The source is not changed. All of this waits for the disk. */
#ifndef HERALD_HISTORY_FORK_H
#define HERALD_HISTORY_FORK_H

#include <stdint.h>

#include "base/arena.h"
#include "base/uuid.h"

/* Where to fork, as the client names it. */
struct fork_point {
    str message_id;     /* trimmed; absent: the whole session */
    str fingerprint;    /* "sha256:…" of the message's text; absent: none */
    int64_t occurrence; /* which of several equal messages; 0: not said */
};

struct fork_request {
    str config;     /* Claude's configuration folder */
    str session_id; /* of the source */
    str cwd;        /* the source is looked for here */
    struct fork_point point;
};

enum fork_result {
    FORK_DONE,
    FORK_NO_SESSION, /* `why`: the source is not there, or has nothing to fork */
    FORK_NO_MESSAGE, /* the fork point was not found */
    FORK_FAILED,     /* `why`: the disk or memory */
};

/* `id` gets the copy's. `*why` is a text in the arena. */
enum fork_result session_fork(struct arena *a, const struct fork_request *rq, char id[UUID_SIZE], str *why);

#endif
