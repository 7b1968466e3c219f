/* What a person picked of a session's options, as a text that outlives the process.
 *
 * Only options that were picked are in it: all others follow the settings and the transcript as before. What
 * is read may be anything; values that this process does not know are left out, and a model, an effort or an
 * agent that the CLI does not offer is dropped when the session starts. */
#ifndef HERALD_OPTIONS_OPTION_PICKS_H
#define HERALD_OPTIONS_OPTION_PICKS_H

#include "launch/launch.h"

enum {
    PICKED_MODE = 1,
    PICKED_MODEL = 2,
    PICKED_EFFORT = 4,
    PICKED_FAST = 8,
    PICKED_AGENT = 16,
    PICKS_MAX = 16 * 1024, /* bytes of the text */
};

struct session_options;

struct option_picks {
    unsigned picked; /* the members that count */
    enum mode mode;
    str model, effort, agent; /* "default" where that was picked */
    bool fast;
};

/* Appends the text; nothing when nothing was picked. `params` are those that the session was started with:
 * what they ask for was overruled by the person, and is so until they ask for something else. */
void option_picks_put(struct buf *b, const struct session_options *o, const struct session_params *params);
/* The texts go to `a`. */
void option_picks_read(struct option_picks *out, struct arena *a, str text,
                       const struct session_params *params);

#endif
