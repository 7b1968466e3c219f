/* What the tests of cli/ share: scripts that stand for the CLI, in a folder of their own, and a loop to run.
 */
#ifndef HERALD_TESTS_CLI_FAKE_H
#define HERALD_TESTS_CLI_FAKE_H

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "cli/process.h"
#include "unit.h"

static char fake_folder[64];

static inline int fake_setup(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    snprintf(fake_folder, sizeof(fake_folder), "/tmp/herald-cli-XXXXXX");
    return mkdtemp(fake_folder) ? 0 : -1;
}

static inline int fake_teardown(void **state)
{
    (void)state;
    DIR *dir = opendir(fake_folder);
    for (struct dirent *d; dir && (d = readdir(dir));) {
        unlinkat(dirfd(dir), d->d_name, 0);
    }
    if (dir) {
        closedir(dir);
    }
    return rmdir(fake_folder);
}

/* A file of the folder; the path lives until the next call but three. */
static inline const char *fake_path(const char *name)
{
    static char paths[4][128];
    static unsigned at;
    char *p = paths[at++ % 4];
    snprintf(p, sizeof(paths[0]), "%s/%s", fake_folder, name);
    return p;
}

static inline const char *fake_file(const char *name, const char *text, mode_t mode)
{
    const char *path = fake_path(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

/* An executable /bin/sh script. */
static inline const char *fake_script(const char *name, const char *body)
{
    AUTO_BUF(text);
    buf_printf(&text, "#!/bin/sh\n%s", body);
    return fake_file(name, buf_c(&text), 0755);
}

static inline bool fake_exists(const char *name)
{
    return access(fake_path(name), F_OK) == 0;
}

/* The first line of a file, "" when there is none. */
static inline const char *fake_line(const char *path)
{
    static char line[512];
    FILE *f = fopen(path, "r");
    line[0] = '\0';
    if (f) {
        if (!fgets(line, sizeof(line), f)) {
            line[0] = '\0';
        }
        fclose(f);
    }
    return line;
}

/* The number that a script left in a file; waits for it. */
static inline int fake_number(const char *name)
{
    for (int i = 0; i < 1000; i++) {
        const char *line = fake_line(fake_path(name));
        if (strchr(line, '\n')) {
            return (int)strtol(line, NULL, 10);
        }
        usleep(10000);
    }
    fail_msg("%s was never written", name);
    return 0;
}

/* True when the process goes away within some seconds; a zombie is gone. */
static inline bool fake_gone(int pid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    for (int i = 0; i < 500; i++) {
        const char *behind = strrchr(fake_line(path), ')');
        if (!behind || behind[2] == 'Z' || behind[2] == 'X') {
            return true;
        }
        usleep(10000);
    }
    return false;
}

static const char *const fake_env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "FAKE=yes", NULL};

static inline struct cli_spawn fake_spawn(const char *executable, const char *const *argv)
{
    return (struct cli_spawn){.executable = executable, .argv = argv, .env = fake_env, .cwd = fake_folder};
}

/* Runs the loop to its end, which must be clean. */
static inline void fake_run(uv_loop_t *loop)
{
    assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(loop), 0);
}

#endif
