#include "base/dirs.h"

#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "base/path.h"

const char *env_text(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static const char *absolute_env(const char *name)
{
    const char *value = env_text(name);
    return value && *value == '/' ? value : NULL;
}

static const char *join(struct arena *a, const char *dir, const char *rest)
{
    return dir ? path_join(a, str_of(dir), str_of(rest)).p : NULL;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static const char *find_executable(struct arena *a)
{
    char path[PATH_MAX];
#ifdef __APPLE__
    char named[PATH_MAX];
    uint32_t size = sizeof(named);
    if (_NSGetExecutablePath(named, &size) != 0 || !realpath(named, path)) {
        return NULL;
    }
#else
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (n <= 0) {
        return NULL;
    }
    path[n] = '\0';
#endif
    return arena_str(a, str_of(path)).p;
}

static const char *find_home(struct arena *a)
{
    const char *home = absolute_env("HOME");
    if (home) {
        return arena_str(a, str_of(home)).p;
    }
    enum { ENTRY_MAX = 16384 };
    struct passwd entry, *found = NULL;
    char *text = arena_alloc(a, ENTRY_MAX);
    if (!text || getpwuid_r(geteuid(), &entry, text, ENTRY_MAX, &found) != 0 || !found || !found->pw_dir ||
        found->pw_dir[0] != '/') {
        return NULL;
    }
    return found->pw_dir; /* in `text` */
}

/* Beside the executable by the installed layout (also where that was moved as a whole), by the layout of an
 * archive and of a build tree, else where it was compiled to be. */
static const char *find_builtin(struct arena *a, const char *executable)
{
    static const char *const beside[] = {"../" HERALD_RELATIVE_REPORTER_DIR, "../lib/herald/reporters"};
    for (size_t i = 0; executable && i < ARRAY_LEN(beside); i++) {
        str folder = path_resolve(a, path_dirname(str_of(executable)), str_of(beside[i]));
        if (is_folder(folder.p)) {
            return folder.p;
        }
    }
    return HERALD_INSTALL_REPORTER_DIR;
}

bool standard_dirs_find(struct arena *a, struct standard_dirs *out)
{
    *out = (struct standard_dirs){0};
    out->executable = find_executable(a);
    out->home = find_home(a);
    char *cwd = getcwd(NULL, 0);
    out->cwd = arena_str(a, str_of(cwd)).p;
    free(cwd);
    out->builtin_reporters = find_builtin(a, out->executable);
    out->system_reporters =
        "/usr/local/lib/herald/reporters:/usr/" HERALD_RELATIVE_REPORTER_DIR ":" HERALD_INSTALL_REPORTER_DIR;
    const char *data = absolute_env("XDG_DATA_HOME"), *state = absolute_env("XDG_STATE_HOME");
    const char *claude = env_text("CLAUDE_CONFIG_DIR"), *absolute = absolute_env("CLAUDE_CONFIG_DIR");
    out->user_reporters =
        data ? join(a, data, "herald/reporters") : join(a, out->home, ".local/share/herald/reporters");
    out->state = state ? join(a, state, "herald") : join(a, out->home, ".local/state/herald");
    out->claude_config = absolute ? arena_str(a, str_of(absolute)).p
                         : claude ? NULL
                                  : join(a, out->home, ".claude");
    out->extra_reporters = arena_str(a, str_of(env_text("HERALD_REPORTER_PATH"))).p;
    return arena_ok(a);
}
