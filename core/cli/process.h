/* A `claude` process: started in a process group of its own, spoken to line by line, and never left behind.
 *
 * Life: cli_process_start() → running → (cli_process_end() or it dies) → the `ended` event → the object is gone. `ended`
 * comes exactly once, after all of its stdout was delivered and its stderr is drained (at most 200 ms later). On Linux a
 * launcher mode of our own executable (cli/launcher.h) asks the kernel to send the CLI SIGTERM when Herald dies. */
#ifndef HERALD_CLI_PROCESS_H
#define HERALD_CLI_PROCESS_H

#include <uv.h>

#include "base/log.h"
#include "base/str.h"

struct cli_process;

struct cli_exit {
    bool spawn_failed; /* it never ran; `message` says why */
    int64_t status;    /* the exit code */
    int signal;        /* the signal that ended it, or 0 */
    str stderr_tail;   /* at most the last 2048 bytes, valid UTF-8, trimmed */
    str message;       /* the whole story in one sentence, as spec'd for the client */
};

struct cli_process_events {
    /* One line of stdout without its LF (and CR), as bytes. Valid during the call only. */
    void (*line)(void *user, str line);
    /* The process is gone; the object is freed after this returns. */
    void (*ended)(void *user, const struct cli_exit *how);
    /* What was written has drained below the low mark again; may be NULL. */
    void (*drained)(void *user);
};

struct cli_spawn {
    const char *executable;   /* absolute, or as CLAUDE_CODE_EXECUTABLE names it */
    const char *const *argv;  /* the arguments after argv[0], ended by NULL */
    const char *const *env;   /* "NAME=value", ended by NULL: the whole environment */
    const char *cwd;          /* absolute */
    const char *launcher;     /* our own executable; NULL: none is used */
};

/* Never NULL unless memory is out: a start that fails is told through `ended`, from the loop, not from inside. */
struct cli_process *cli_process_start(uv_loop_t *loop, const struct log *log, const struct cli_spawn *spawn,
                                      const struct cli_process_events *events, void *user);
/* Queues one line (the LF is added). After the end it does nothing. */
void cli_process_write(struct cli_process *p, str line);
/* Bytes queued and not yet taken by the pipe. */
size_t cli_process_queued(const struct cli_process *p);
/* Stops and goes on reading stdout. stderr is always read. */
void cli_process_pause(struct cli_process *p);
void cli_process_resume(struct cli_process *p);
/* Ends it: closes stdin, SIGTERM to its group 2 s later, SIGKILL 5 s after that; `now` sends SIGTERM at once. May be
 * called again to hurry. Events still come. */
void cli_process_end(struct cli_process *p, bool now);
/* Ends it likewise but forgets the user: no event comes any more. */
void cli_process_abandon(struct cli_process *p);
/* SIGKILL to the group, at once. */
void cli_process_kill(struct cli_process *p);
int cli_process_pid(const struct cli_process *p);

#endif
