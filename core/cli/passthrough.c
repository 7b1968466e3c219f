#include "cli/passthrough.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/locate.h"

enum { EXIT_NOT_FOUND = 127, EXIT_CANNOT_RUN = 126 };

/* Arguments that mean Herald. A client that signs in at a terminal puts its own behind those that it starts
 * us with. */
static const char *const own_arguments[] = {
    PASSTHROUGH_FLAG,
    "--hide-claude-auth",
};

static bool is_own(const char *arg)
{
    for (size_t i = 0; i < ARRAY_LEN(own_arguments); i++) {
        if (strcmp(arg, own_arguments[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool passthrough_wanted(int argc, char *const *argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], PASSTHROUGH_FLAG) == 0) {
            return true;
        }
    }
    return false;
}

int passthrough_main(int argc, char *const *argv, str self, str home)
{
    AUTO_ARENA(a);
    struct cli_location where = cli_locate(&a, self, home);
    char **args = arena_alloc(&a, ((size_t)argc + 2) * sizeof(*args));
    char *path = str_dup(where.path);
    if (!path || !args) {
        fprintf(stderr, "herald: %.*s.\n", STR_ARG(where.problem.p ? where.problem : STR("Memory is out")));
        free(path);
        return EXIT_NOT_FOUND;
    }
    size_t n = 0;
    args[n++] = path;
    for (int i = 1; i < argc; i++) {
        if (!is_own(argv[i])) {
            args[n++] = argv[i];
        }
    }
    signal(SIGPIPE, SIG_DFL); /* an ignored signal stays ignored in the CLI otherwise */
    execv(path, args);
    int why = errno;
    bool missing = why == ENOENT && access(path, F_OK) != 0;
    fprintf(stderr, "herald: cannot run %s (%s): %s\n", path, where.source,
            why == ENOENT && !missing ? "its interpreter or loader is not on this system" : strerror(why));
    free(path);
    return missing ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}
