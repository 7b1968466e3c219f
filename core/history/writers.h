/* Who writes which transcript: a session's CLI appends to the file of its conversation, and two CLIs on one
 * file tear the talk in two. So a conversation has one writer, among the sessions of this process and among
 * the processes of this user.
 *
 * Other processes are told by record locks on <state>/open-conversations, one byte for each conversation. The
 * system lets them go with the process, however it ends, so none can be left behind. Where there is no state
 * folder, or no locks, only this process's sessions are known. Everything runs on the loop thread. */
#ifndef HERALD_HISTORY_WRITERS_H
#define HERALD_HISTORY_WRITERS_H

#include <sys/types.h>

#include "base/log.h"
#include "base/map.h"

struct writers {
    struct map sessions; /* conversation → the session; one that was closed too, while its CLI ends */
    const struct log *log;
    const char *state; /* Herald's state folder; NULL: none */
    int file;          /* -1: not open */
    bool tried;
};

void writers_init(struct writers *w, const struct log *log, const char *state);
void writers_free(struct writers *w);

/* Who writes the conversation, as it entered; NULL when nobody does. */
void *writers_of(const struct writers *w, str conversation);
/* This session (whatever stands for one) writes it from now on, unless another one does. */
void writers_enter(struct writers *w, str conversation, void *session);
void writers_leave(struct writers *w, str conversation, const void *session);

/* Keeps other processes from the conversation, before a session enters or a file is removed. False: one has
 * it; `*holder` is its id, or not above zero when that is not known. */
bool writers_lock(struct writers *w, str conversation, pid_t *holder);
/* Lets them again, when no session has entered. */
void writers_unlock(struct writers *w, str conversation);

#endif
