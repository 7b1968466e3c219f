/* Which plugin is running, so that a crash can be laid at its door.
 *
 * Before code of a plugin runs, the thread notes the plugin's site and the callback; after it, it forgets
 * them. When SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT comes in between, the handler says on stderr which
 * plugin it was, writes a mark file and lets the signal end the process as it would have without us. All that
 * the handler needs is prepared when the plugin is found: it calls nothing but mkdir, open, write and close.
 *
 * A mark holds for one state of a file (its path, size and time of change). A file that was changed is tried
 * again. */
#ifndef HERALD_REPORTER_HOST_CRASH_H
#define HERALD_REPORTER_HOST_CRASH_H

#include <sys/stat.h>

#include "base/arena.h"

struct crash_site {
    const char *shown;     /* the file's name for stderr */
    const char *path;      /* the file, as its mark names it */
    const char *state_dir; /* NULL: no marks are written */
    const char *mark;      /* the mark's path; NULL likewise */
    const char *stamp;     /* the state of the file, one line with its line break */
};

/* Texts are made in the arena. False when memory is out. */
bool crash_site_init(struct crash_site *site, struct arena *a, const char *path, const struct stat *st,
                     const char *state_dir);
/* True when the file in this state has crashed before; `how` then gets "use (SIGSEGV)" or the like. */
bool crash_site_marked(const struct crash_site *site, struct arena *a, str *how);
/* Removes the mark. False, with errno, when that fails. */
bool crash_site_clear(const struct crash_site *site);

/* Both texts and the site must live until crash_leave(). Not nested. */
void crash_enter(const struct crash_site *site, const char *reporter, const char *callback);
void crash_leave(void);

#endif
