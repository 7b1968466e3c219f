/* What a resumed session starts with: the permission mode and the model that its transcript ended in. */
#ifndef HERALD_HISTORY_RESUME_STATE_H
#define HERALD_HISTORY_RESUME_STATE_H

#include "base/arena.h"
#include "settings/modes.h"

struct resume_state {
    enum mode mode; /* MODE_NONE: the transcript does not say */
    str model;      /* absent: it does not say */
};

/* Reads the file from its end. Waits for the disk. Nothing is known of a file that cannot be read. */
void resume_state_read(struct resume_state *h, struct arena *a, const char *path);

#endif
