/* Single settings files on the disk; for settings.c. */
#ifndef HERALD_SETTINGS_SETTINGS_FILE_H
#define HERALD_SETTINGS_SETTINGS_FILE_H

#include "settings/settings.h"

/* A text with a NUL in it is none that the system or cJSON could hold. */
static inline bool str_has_nul(str s)
{
    return s.n && memchr(s.p, '\0', s.n) != NULL;
}

/* The file is one of those that do not count, and unchanged. Claude may know it by another name: through a
 * link on the way to it. */
bool settings_is_ignored(const struct settings_place *place, str path);

#endif
