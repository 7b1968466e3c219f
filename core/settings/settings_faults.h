/* What is wrong in settings files that Claude ignores, and the words for it. */
#ifndef HERALD_SETTINGS_SETTINGS_FAULTS_H
#define HERALD_SETTINGS_SETTINGS_FAULTS_H

#include "settings/settings.h"

/* Zeroed when there are none. */
struct settings_faults {
    struct arena mem;
    struct settings_fault *list; /* in the order of their files; one entry for each key */
    size_t n;
};

/* In place of what was there takes the CLI's list (`errors` of its get_settings) or, when it knows of none,
 * what was seen on the disk (`own`; NULL: the CLI answered). `asked`: settings were handed to the CLI. True
 * when they are in the list. */
bool settings_faults_take(struct settings_faults *f, json errors, const struct settings *own, bool asked);
void settings_faults_free(struct settings_faults *f);

/* One sentence about a file, with its first `n` faults. `place` says what its path is cut to, where that may
 * say more of a machine than it should; NULL: nothing is cut. */
void settings_faults_put(struct buf *b, struct settings_faults *f, const struct settings_fault *list,
                         size_t n, const struct settings_place *place);

#endif
