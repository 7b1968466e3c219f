/* Which conversation a session's id means, and by which id a conversation is shown.
 *
 * The CLI gives a session a new conversation when its context is cleared; to the client it stays the same
 * session. What its id means since then is kept in <state>/conversations/<session id>, one line with the
 * conversation's id. A session without a file means the conversation of its own id.
 *
 * Two conversations never have one id, and each has one: the talk before the clear, whose own id now means
 * the later talk, is shown by a name that is worked out from its id. When that name has been taken by a clear
 * in its turn, the next name is. A session that was removed leaves a line "-" as long as there is a talk of
 * its own id: the id means nothing then, and the earlier talk keeps its name.
 *
 * What waits for the disk is not for the loop thread. `state` is Herald's state folder (absent: nothing is
 * kept), ids are UUIDs. */
#ifndef HERALD_HISTORY_CONVERSATIONS_H
#define HERALD_HISTORY_CONVERSATIONS_H

#include <uv.h>

#include "base/log.h"
#include "base/map.h"
#include "base/uuid.h"
#include "history/project_folders.h"

/* A session that is open now, which knows better than what is stored. */
struct open_conversation {
    char id[UUID_SIZE], conversation[UUID_SIZE];
};

struct conversation_place {
    str config; /* Claude's configuration folder */
    str state;
    const struct open_conversation *open;
    size_t n_open;
};

struct conversation {
    char id[UUID_SIZE]; /* empty: the session was removed, and means nothing */
    str transcript;     /* in the arena; absent: nothing is stored */
};

/* What the session's id means. Every path from an id to a file goes through here. A conversation that was
 * noted and of which nothing is stored does not count: the one before goes on. */
void conversation_find(struct arena *a, const struct conversation_place *place, str session,
                       struct conversation *out);

/* The other way round, for many: waits for the disk once, and for each id that has changed its meaning. */
struct conversation_names {
    struct arena *mem;
    str config;
    struct map notes;   /* session id → struct conversation_note */
    struct map holders; /* conversation → the one that means it */
    struct project_folders folders;
    bool looked; /* `folders` is there */
};
void conversation_names_read(struct conversation_names *n, struct arena *a,
                             const struct conversation_place *place);
void conversation_names_free(struct conversation_names *n);
/* The id that means this stored conversation. False: it has none. */
bool conversation_name(struct conversation_names *n, str conversation, char out[UUID_SIZE]);

/* The transcript of this conversation was removed, on behalf of this session: no id means it any more. */
void conversation_removed(const struct conversation_place *place, str session, str conversation);

/* Notes from a worker of the loop what the session's id means from now on, and removes old notes on that
 * occasion. A failure is logged. `done` comes on the loop; false: it does not, as nothing is kept. */
typedef void conversation_noted_cb(void *user);
bool conversation_note(uv_loop_t *loop, const struct log *log, str state, const struct open_conversation *now,
                       conversation_noted_cb *done, void *user);

#endif
