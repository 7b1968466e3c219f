/* What the files about async tasks share: async_tasks.c (the records), async_updates.c (what is sent of
 * them). */
#ifndef HERALD_EXTENSION_ASYNC_INTERNAL_H
#define HERALD_EXTENSION_ASYNC_INTERNAL_H

#include "extension/async_tasks.h"

/* An update that waits for its task's spawn. */
struct async_update {
    struct list link;
    const char *name;
    struct buf members;
};

static inline bool async_is_final(enum async_state state)
{
    return state >= ASYNC_COMPLETED;
}

/* Replaces what the buffer holds. */
void async_set(struct buf *b, str text);
/* Writes the member when the client was not told this value; true when it did. */
bool async_put_changed(struct buf *b, struct async_task *t, enum async_field field);

/* Sends an update of the task; that of a held one waits for its spawn. The other two make one of what the
 * client does not know yet, and of the state. */
void async_send(struct async_tasks *at, struct async_task *t, const char *name, const struct buf *members);
void async_send_progress(struct async_tasks *at, struct async_task *t);
void async_send_state(struct async_tasks *at, struct async_task *t, str summary);

#endif
