/* Which conversation goes on under a session's id.
 *
 * The CLI gives a session a new conversation when its context is cleared; to the client it stays the same
 * session. What a later load of that id is to open is kept in <state>/conversations/<session id>, one line
 * with the conversation's id. A session without a file goes on with the conversation of its own id. */
#ifndef HERALD_HISTORY_CONVERSATIONS_H
#define HERALD_HISTORY_CONVERSATIONS_H

#include <uv.h>

#include "base/arena.h"
#include "base/log.h"

/* These two wait for the disk and are not for the loop thread. `state` is Herald's state folder (absent:
 * nothing is kept), ids are UUIDs. */
/* The noted conversation, in `a`; absent when there is none. */
str conversations_find(struct arena *a, str state, str session);
void conversations_forget(str state, str session);

/* Notes it from a worker of the loop. Entries that nobody has changed for a year are removed on that
 * occasion. A failure is logged. */
void conversations_note(uv_loop_t *loop, const struct log *log, str state, str session, str conversation);

#endif
