/* Removing a stored session, or archiving it, which keeps every byte and changes its name.
 *
 * Both wait for the disk. The session must not be open: its CLI would write the file again. */
#ifndef HERALD_HISTORY_REMOVAL_H
#define HERALD_HISTORY_REMOVAL_H

#include "base/arena.h"

enum removal {
    REMOVAL_DONE,
    REMOVAL_UNKNOWN, /* there is no such session */
    REMOVAL_FAILED,  /* the system refused; *why says so, a text in the arena */
};

/* `id` must be a UUID. The transcript and the folder beside it. */
enum removal session_remove(struct arena *a, str config, str id, str *why);
/* Every copy of the transcript that is not archived yet gets its title with the archive's mark. */
enum removal session_archive(struct arena *a, str config, str id, str *why);

#endif
