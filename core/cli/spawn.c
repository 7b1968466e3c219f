#include "cli/spawn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/launcher.h"

static size_t count(const char *const *list)
{
    size_t n = 0;
    while (list && list[n]) {
        n++;
    }
    return n;
}

char **spawn_vectors(const struct cli_spawn *spawn, const char *path, char ***env)
{
    enum { PID_SIZE = 24 };
    size_t args = count(spawn->argv), vars = count(spawn->env);
    size_t pointers = 4 + args + 1 + vars + 1;
    char **all = calloc(1, pointers * sizeof(*all) + PID_SIZE);
    if (!all) {
        return NULL;
    }
    char *pid = (char *)(all + pointers);
    snprintf(pid, PID_SIZE, "%ld", (long)getpid());
    const char *const head[] = {spawn->launcher, LAUNCHER_FLAG, pid, path};
    size_t skip = spawn->launcher ? 0 : 3, n = ARRAY_LEN(head) - skip;
    memcpy(all, head + skip, n * sizeof(*all));
    if (args) {
        memcpy(all + n, spawn->argv, args * sizeof(*all));
    }
    *env = all + n + args + 1;
    if (vars) {
        memcpy(*env, spawn->env, vars * sizeof(*all));
    }
    return all;
}

bool spawn_check(const struct cli_spawn *spawn, struct buf *out)
{
    const char *path = spawn->executable;
    struct stat st;
    if (access(spawn->cwd, X_OK) != 0) {
        buf_printf(out, "Claude Code cannot be started in the folder %s: %s", spawn->cwd, strerror(errno));
        return false;
    }
    if (path[0] != '/') {
        spawn_launch_failure(out, path, STR("its path is not absolute"));
    } else if (stat(path, &st) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) {
            buf_printf(out,
                       "Claude Code native binary not found at %s. Install Claude Code, or set "
                       "CLAUDE_CODE_EXECUTABLE to where it is.",
                       path);
        } else {
            spawn_launch_failure(out, path, str_of(strerror(errno)));
        }
    } else if (!S_ISREG(st.st_mode)) {
        spawn_launch_failure(out, path, STR("it is not a file"));
    } else if (access(path, X_OK) != 0) {
        spawn_launch_failure(out, path, str_of(strerror(errno)));
    } else {
        return true;
    }
    return false;
}

void spawn_launch_failure(struct buf *out, const char *path, str reason)
{
    buf_printf(out, "Claude Code native binary at %s exists but failed to launch: ", path);
    buf_put_str(out, reason);
}
