#include "command/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
extern char **environ;
#endif

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads until the end of the stream; false when the time was up first. */
static bool read_all(int fd, int64_t deadline, struct buf *out)
{
    enum { OUTPUT_MAX = 64 * 1024 };
    for (;;) {
        int64_t left = deadline - now_ms();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            return false;
        }
        char chunk[4096];
        ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return true;
        }
        size_t room = out->n < OUTPUT_MAX ? OUTPUT_MAX - out->n : 0;
        buf_put(out, chunk, (size_t)n < room ? (size_t)n : room);
    }
}

/* Waits until the deadline, then kills the group. */
static void reap(pid_t pid, int64_t deadline, struct run_result *r)
{
    int status = 0;
    pid_t done;
    while ((done = waitpid(pid, &status, r->timed_out ? 0 : WNOHANG)) == 0 || (done < 0 && errno == EINTR)) {
        if (now_ms() >= deadline) {
            r->timed_out = true;
            kill(-pid, SIGKILL);
        } else {
            struct timespec pause = {.tv_nsec = 5000000};
            nanosleep(&pause, NULL);
        }
    }
    kill(-pid, SIGKILL); /* what it may have left behind */
    r->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int start(const char *const *argv, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    union { /* the function promises not to change them */
        const char *const *in;
        char *const *out;
    } arguments = {.in = argv};
    int error = posix_spawn(pid, argv[0], &actions, &attributes, arguments.out, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

struct run_result run_program(const char *const *argv, int timeout_ms, struct buf *out)
{
    struct run_result r = {0};
    int ends[2];
    if (pipe(ends) != 0) {
        r.error = errno;
        return r;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = -1;
    int64_t deadline = now_ms() + timeout_ms;
    r.error = start(argv, ends[1], &pid);
    close(ends[1]);
    if (!r.error) {
        if (!read_all(ends[0], deadline, out)) {
            r.timed_out = true;
            kill(-pid, SIGKILL);
        }
        reap(pid, deadline, &r);
    }
    close(ends[0]);
    return r;
}
