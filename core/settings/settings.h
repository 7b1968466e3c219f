/* The Claude settings that hold in a folder.
 *
 * Four tiers, low to high: user, project, local, managed. Objects merge by key, arrays join without
 * duplicates, of scalars the higher tier wins. A file that is missing, too large or broken counts as empty;
 * so does one of the first three that holds a value which Claude does not accept (settings_check.h), as a
 * whole, since Claude ignores such a file as a whole. What a folder that is merely opened may not decide for
 * its user (a permissions.defaultMode that grants more) is dropped before the merge.
 *
 * An override (the object that the CLI gets with --settings) stands above all files where the accessors say
 * so. It is passed to them, since it belongs to a session and the files to a folder. The object is immutable
 * after loading. */
#ifndef HERALD_SETTINGS_SETTINGS_H
#define HERALD_SETTINGS_SETTINGS_H

#include "settings/modes.h"
#include "json/json.h"

enum { SETTINGS_FILE_MAX = 8 * 1024 * 1024 };

struct settings;

/* The tiers that a session can leave out (`settingSources`). */
enum settings_source {
    SETTINGS_USER = 1,
    SETTINGS_PROJECT = 2,
    SETTINGS_LOCAL = 4,
};

/* A file that Claude ignores, as it was when Claude said so: a changed one counts again. */
struct settings_ignored {
    str path;
    long long size, seconds, nanoseconds; /* settings_ignore() fills them in */
};
/* Looks at the file on the disk. */
void settings_ignore(struct settings_ignored *file);

struct settings_place {
    str config_dir;    /* CLAUDE_CONFIG_DIR; empty or absent: ~/.claude */
    str home;          /* may be absent: no user tier then, unless config_dir is set */
    str cwd;           /* absolute; absent: neither project nor local tier */
    str managed_dir;   /* absent: the system's folder */
    unsigned left_out; /* tiers that do not count: settings_source */
    const struct settings_ignored *ignored;
    size_t n_ignored;
};

/* Reads the files. NULL only when memory is out. Blocks on the disk. */
struct settings *settings_load(const struct settings_place *place) WARN_UNUSED;
void settings_free(struct settings *s);
/* A file that does not count though it is there, and why. */
struct settings_fault {
    str file; /* its path */
    str key;  /* the place in it, "permissions.defaultMode"; empty: the whole file */
    str why;
};
/* Those of the user, project and local tiers, at most 3. They live as long as `s`. */
const struct settings_fault *settings_faults(const struct settings *s, size_t *n);
/* One of these three files is there and has something in it. */
bool settings_present(const struct settings *s);
/* The folders in which a change matters, in `a`: user, project and managed ones, at most 4. */
size_t settings_folders(struct arena *a, const struct settings_place *place, str folders[4]);

/* The value of `model`; absent when it is no string. */
str settings_model(const struct settings *s);
/* The allowlist: `present` even when it is empty. Elements that are no strings are left out. */
struct settings_names {
    const str *names;
    size_t n;
    bool present;
};
struct settings_names settings_available_models(const struct settings *s);
/* `deniedModels` of the managed tier alone. */
struct settings_names settings_denied_models(const struct settings *s);
/* modelOverrides[name]; absent when there is none. */
str settings_model_override(const struct settings *s, str name);
/* permissions.defaultMode; MODE_NONE when it says nothing. */
enum mode settings_default_mode(const struct settings *s);
/* permissions.disableBypassPermissionsMode is "disable". */
bool settings_bypass_disabled(const struct settings *s);
str settings_api_key_helper(const struct settings *s);
/* `ultracode` is true, in the files or, above them, in `over` (may be missing). */
bool settings_ultracode(const struct settings *s, json over);
/* The effort that the settings ask for: modelSettings[name].effortLevel for each name in turn, spelled
 * exactly, then in canonical form (models.h); else effortLevel. `over` outranks the files, entry by entry.
 * The text lives as long as `s` and the document of `over`; absent when there is none. Absent names are
 * skipped. */
str settings_effort(const struct settings *s, json over, const str *names, size_t n_names);

/* The `env` object of the managed tier: strings as they are, numbers and booleans as their text. The texts
 * end in a NUL and are what setenv() takes. */
struct settings_pair {
    str name, value;
};
struct settings_pairs {
    const struct settings_pair *pairs;
    size_t n;
};
struct settings_pairs settings_managed_env(const struct settings *s);

/* Reads one JSON file that must hold an object (`options.settings` as a path). NULL with a static text in
 * `*why`. */
struct json_doc *settings_read_file(str path, const char **why) WARN_UNUSED;

#endif
