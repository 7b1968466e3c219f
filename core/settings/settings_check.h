/* What Claude accepts in a settings file.
 *
 * Claude ignores a file of the user, of a project or of a folder as a whole when one value in it does not
 * fit; other values it merely passes over. Here are the rules of the first kind for what Herald reads itself
 * and for the rules of permissions. Claude has more: what it says of its files when a session starts counts
 * besides (session/settings_faults.c). */
#ifndef HERALD_SETTINGS_SETTINGS_CHECK_H
#define HERALD_SETTINGS_SETTINGS_CHECK_H

#include "json/json.h"

/* The first value of the file that makes Claude ignore it; NULL when there is none. `*why` is then what was
 * expected. Both are static. */
const char *settings_check(json file, const char **why);

#endif
