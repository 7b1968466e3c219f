/* How a process ended, in words. */
#ifndef HERALD_CLI_EXIT_REPORT_H
#define HERALD_CLI_EXIT_REPORT_H

#include "cli/process.h"

/* The last bytes of a stream. */
struct tail {
    char bytes[2 * CLI_STDERR_TAIL];
    size_t n;
    bool cut; /* something came before */
};

void tail_add(struct tail *t, const char *bytes, size_t n);
/* What is kept as valid UTF-8, at most CLI_STDERR_TAIL bytes, trimmed; a character that the cut went through
 * is left out. */
void tail_text(const struct tail *t, struct buf *out);

/* The name of a signal ("SIGKILL"), or NULL for one that has none here. */
const char *signal_name(int signal);
/* The sentence for status, signal and stderr_tail of `how`. */
void exit_message(struct buf *out, const struct cli_exit *how);
#endif
