/* A `claude` process: started in a process group of its own, spoken to line by line, and never left behind.
 *
 * Life: cli_process_start() → running → (cli_process_end() or it dies) → the `ended` event → the object is
 * gone. `ended` comes exactly once, after all of its stdout was delivered and its stderr is drained (at most
 * 200 ms later). On Linux a launcher mode of our own executable (cli/launcher.h) asks the kernel to send the
 * CLI SIGTERM when Herald dies.
 *
 * All events come from the loop, never from inside a call of this module, and a callback may call any
 * function of it. When `ended` comes, all handles of the process are closed. The user ignores SIGPIPE. */
#ifndef HERALD_CLI_PROCESS_H
#define HERALD_CLI_PROCESS_H

#include <uv.h>

#include "base/log.h"
#include "base/str.h"

enum {
    CLI_LINE_MAX = 128 * 1024 * 1024, /* a longer line ends the process */
    CLI_WRITE_HIGH = 1024 * 1024,     /* `drained` comes when the queue was longer than this, */
    CLI_WRITE_LOW = 64 * 1024,        /* and is no longer than this */
    CLI_STDERR_TAIL = 2048,
};

struct cli_process;

struct cli_exit {
    bool spawn_failed; /* it never ran; `message` says why */
    int64_t status;    /* the exit code */
    int signal;        /* the signal that ended it, or 0 */
    str stderr_tail;   /* at most the last 2048 bytes, valid UTF-8, trimmed */
    str message;       /* the whole story in one sentence, as spec'd for the client */
};

struct cli_process_events {
    /* One line of stdout without its LF (and CR), as bytes. Valid during the call only. A last line without
     * LF counts. */
    void (*line)(void *user, str line);
    /* The process is gone; the object is freed after this returns, and what `how` points to with it. */
    void (*ended)(void *user, const struct cli_exit *how);
    /* What was written has drained below the low mark again; may be NULL. */
    void (*drained)(void *user);
};

struct cli_spawn {
    const char *executable;  /* absolute; any other is refused */
    const char *const *argv; /* the arguments after argv[0], ended by NULL */
    const char *const *env;  /* "NAME=value", ended by NULL: the whole environment */
    const char *cwd;         /* absolute */
    const char *launcher;    /* our own executable; NULL: none is used */
};

/* Never NULL unless memory is out: a start that fails is told through `ended`, from the loop, not from
 * inside. `events` and `log` outlive the process; `spawn` is copied. */
struct cli_process *cli_process_start(uv_loop_t *loop, const struct log *log, const struct cli_spawn *spawn,
                                      const struct cli_process_events *events, void *user) WARN_UNUSED;
/* Queues one line (the LF is added). After the end it does nothing. A line with a line break inside is
 * refused. */
void cli_process_write(struct cli_process *p, str line);
/* Bytes queued and not yet taken by the pipe. */
size_t cli_process_queued(const struct cli_process *p);
/* Stops and goes on reading stdout; no line comes in between. stderr is always read. */
void cli_process_pause(struct cli_process *p);
void cli_process_resume(struct cli_process *p);
/* Closes its stdin behind what is queued, and no more: it may take its time to leave. */
void cli_process_close_input(struct cli_process *p);
/* Ends it: closes stdin, SIGTERM to its group 2 s later, SIGKILL 5 s after that; `now` sends SIGTERM at once.
 * May be called again to hurry. Events still come. */
void cli_process_end(struct cli_process *p, bool now);
/* Ends it likewise but forgets the user: no event comes any more, and the object frees itself. */
void cli_process_abandon(struct cli_process *p);
/* SIGKILL to the group and all descendants, at once. */
void cli_process_kill(struct cli_process *p);
/* 0 when it never ran or is gone. */
int cli_process_pid(const struct cli_process *p);

#endif
