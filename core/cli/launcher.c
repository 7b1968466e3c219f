#include "cli/launcher.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/guard.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { EXIT_NOT_FOUND = 127, EXIT_CANNOT_RUN = 126, EXIT_OTHER = 125 };

static int complain(int code, const char *what, const char *why)
{
    fprintf(stderr, LAUNCHER_COMPLAINT "%s: %s\n", what, why);
    return code;
}

/* Nothing but stdin, stdout and stderr goes on into the CLI. */
static void close_others(void)
{
#if defined(__linux__) && defined(CLOSE_RANGE_UNSHARE)
    if (close_range(3, ~0U, 0) == 0) {
        return;
    }
#endif
    enum { HIGHEST = 65536 };
    long max = sysconf(_SC_OPEN_MAX);
    if (max < 0 || max > HIGHEST) {
        max = HIGHEST;
    }
    for (int fd = 3; fd < max; fd++) {
        close(fd);
    }
}

/* Default dispositions for all signals and an empty mask, as a program expects them at its start. */
static void reset_signals(void)
{
#ifdef NSIG
    const int signals = NSIG;
#else
    const int signals = 32;
#endif
    for (int sig = 1; sig < signals; sig++) {
        signal(sig, SIG_DFL); /* SIGKILL, SIGSTOP and those of the C library refuse, and need nothing */
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The CLI gets SIGTERM when Herald is gone. False when Herald is gone already. */
static bool tie_to_parent(long parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    return getppid() == parent;
}

int launcher_main(int argc, char **argv)
{
    if (argc < 3) {
        return complain(EXIT_OTHER, LAUNCHER_FLAG, "PARENT-PID and EXECUTABLE are missing");
    }
    char *end;
    long parent = strtol(argv[1], &end, 10);
    if (end == argv[1] || *end || parent <= 0) {
        return complain(EXIT_OTHER, argv[1], "not a process id");
    }
    if (!tie_to_parent(parent)) {
        return complain(EXIT_OTHER, argv[2], "the process that started it is gone");
    }
    guard_start((int)parent);
    close_others();
    reset_signals();
    execv(argv[2], argv + 2);
    if (errno == ENOENT && access(argv[2], F_OK) == 0) {
        return complain(EXIT_CANNOT_RUN, argv[2], "its interpreter or loader is not on this system");
    }
    return complain(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN, argv[2], strerror(errno));
}
