#include "cli/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/kill_tree.h"

enum { POLL_MS = 200 }; /* where processes have no descriptors */

/* A descriptor that becomes readable when the process ends; -1 where there is none. */
static int watch(int pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

static bool gone(int pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

/* Waits until one of the two has ended, at most `ms` (-1: for ever). True when the first one has. */
static bool wait_for(const int pids[2], const int fds[2], int ms)
{
    bool watched = fds[0] >= 0 && fds[1] >= 0;
    struct pollfd p[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN}};
    for (int left = ms;;) {
        int step = watched ? left : POLL_MS;
        int n = poll(p, watched ? 2 : 0, step);
        if (watched ? p[0].revents != 0 : gone(pids[0])) {
            return true;
        }
        if (watched ? n > 0 : gone(pids[1])) {
            return false;
        }
        if (ms >= 0 && (left -= step) <= 0) {
            return false;
        }
    }
}

static void close_all(const int keep[2])
{
    long max = sysconf(_SC_OPEN_MAX);
    for (int fd = 0; fd < (max > 0 && max < 1024 ? max : 1024); fd++) {
        if (fd != keep[0] && fd != keep[1]) {
            close(fd);
        }
    }
    if (chdir("/") != 0) {
        return; /* only a courtesy to whoever wants to unmount the folder */
    }
}

static void ignore_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        signal(numbers[i], SIG_IGN);
    }
}

static void guard(int cli, int herald, const int fds[2])
{
    const int pids[2] = {cli, herald};
    setsid();
    ignore_signals();
    close_all(fds);
    if (wait_for(pids, fds, -1)) {
        return;
    }
#ifndef __linux__
    kill(cli, SIGTERM); /* on Linux the kernel has asked it already; it ends its own commands */
#endif
    const int alone[2] = {cli, cli}, alone_fds[2] = {fds[0], fds[0]};
    if (!wait_for(alone, alone_fds, GUARD_GRACE_MS)) {
        kill_tree(cli);
    }
}

void guard_start(int herald)
{
    int cli = (int)getpid();
    int fds[2] = {watch(cli), watch(herald)};
    pid_t middle = fork(); /* twice, so that the guard is no child of the CLI */
    if (middle == 0) {
        if (fork() == 0) {
            guard(cli, herald, fds);
        }
        _exit(0);
    }
    while (middle > 0 && waitpid(middle, NULL, 0) < 0 && errno == EINTR) {
    }
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}
