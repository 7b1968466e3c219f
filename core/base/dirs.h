/* The standard folders, worked out once at the start from the executable's place and the environment.
 *
 * Nothing is created here and nothing is required: a folder that cannot be told is NULL. Empty and relative
 * values of XDG variables and of HOME count as unset; without HOME the password database is asked. */
#ifndef HERALD_BASE_DIRS_H
#define HERALD_BASE_DIRS_H

#include "base/arena.h"

struct standard_dirs {
    const char
        *executable;  /* our own executable, absolute, links resolved; NULL when the system does not say */
    const char *home; /* the user's home folder; NULL when there is none */
    const char *cwd;  /* the process's folder; NULL when it is gone */
    const char *builtin_reporters; /* beside the executable, else where they are installed; never NULL */
    const char *system_reporters;  /* colon-separated, the administrator's first; never NULL */
    const char *user_reporters;    /* $XDG_DATA_HOME/herald/reporters; NULL when there is no home */
    const char *extra_reporters;   /* HERALD_REPORTER_PATH; NULL when it is unset or empty */
    const char *state;             /* $XDG_STATE_HOME/herald; NULL when there is no home */
    const char *claude_config; /* $CLAUDE_CONFIG_DIR, else ~/.claude; NULL when that is relative, or there is
                                  no home */
};

/* Texts live in the arena. False when memory is out; members that were found are valid nevertheless. */
bool standard_dirs_find(struct arena *a, struct standard_dirs *out);

/* The value of an environment variable; NULL when it is unset or empty. */
const char *env_text(const char *name);

#endif
