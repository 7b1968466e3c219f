/* What a person picked of a session's options is kept in <state>/picks/<session id>, so that it holds when
 * Herald is restarted. */
#ifndef HERALD_OPTIONS_PICKS_FILE_H
#define HERALD_OPTIONS_PICKS_FILE_H

#include <uv.h>

#include "base/log.h"
#include "options/options.h"

/* One session's; all but the last two are filled in by its owner, which stays where it is. */
struct picks_file {
    uv_loop_t *loop;
    const struct log *log;
    const char *state; /* Herald's state folder; NULL: nothing is kept */
    const char *id;    /* the session's */
    void (*keep)(void *user);
    void (*drop)(void *user); /* once for each keep(), on the loop thread */
    void *user;
    struct session_options *const *options; /* whose picks are written: those at the time; NULL: none yet */
    const struct session_params *params;
    bool saving;
    struct buf saved; /* what is written last, or being written */
};

void picks_file_free(struct picks_file *f);
/* Writes the picks on a worker, when they have changed. The owner is kept meanwhile. */
void picks_file_save(struct picks_file *f);
/* For a worker: what was kept for this id; nothing when there is none. */
void picks_file_find(struct buf *out, str state, str id);
/* For a worker: the session was removed, and what was picked in it. */
void picks_file_forget(str state, str id);

#endif
