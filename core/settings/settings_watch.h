/* Tells when the settings of a folder have changed on the disk.
 *
 * The folders of the settings files are watched (those that there are at the beginning). When one of the
 * files was touched and all has been quiet for SETTINGS_QUIET_MS, they are read again by a worker. */
#ifndef HERALD_SETTINGS_SETTINGS_WATCH_H
#define HERALD_SETTINGS_SETTINGS_WATCH_H

#include <uv.h>

#include "settings/settings.h"

enum { SETTINGS_QUIET_MS = 100 };

struct settings_watch;

/* The settings as they are now; the callee owns them. From the loop. May free the watch. */
typedef void settings_changed_cb(void *user, struct settings *settings);

/* The texts of `place` are copied. NULL when memory is out. A folder that cannot be watched is left out. */
struct settings_watch *settings_watch_new(uv_loop_t *loop, const struct settings_place *place,
                                          settings_changed_cb *changed, void *user);
/* No callback comes any more; NULL is fine. Its memory goes from the loop. */
void settings_watch_free(struct settings_watch *w);

#endif
