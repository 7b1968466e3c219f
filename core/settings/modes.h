/* Claude's permission modes: one row each, in the order in which clients see them. */
#ifndef HERALD_SETTINGS_MODES_H
#define HERALD_SETTINGS_MODES_H

#include "base/str.h"

enum mode {
    MODE_DEFAULT,
    MODE_ACCEPT_EDITS,
    MODE_PLAN,
    MODE_AUTO,
    MODE_BYPASS,
    MODE_DONT_ASK, /* accepted from settings, never offered */
    MODE_NONE,     /* no mode, or an unknown one */
};

struct mode_info {
    const char *id;
    const char *name;
    const char *description;
    const char *kind; /* AIR's presentation hint; NULL for a mode that is never offered */
};

/* The row of a mode other than MODE_NONE. */
const struct mode_info *mode_info(enum mode mode);
/* The mode whose id is exactly `id`; MODE_NONE when there is none. */
enum mode mode_of_id(str id);
/* The mode that a settings file means by `text`: a mode's id, or "manual". Claude knows no other spelling, so
 * that no other one may grant anything; MODE_NONE then. */
enum mode mode_of_setting(str text);

#endif
