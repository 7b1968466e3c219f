/* The process object, for process.c (its life, what it says) and process_input.c (what it is told). */
#ifndef HERALD_CLI_PROCESS_INTERNAL_H
#define HERALD_CLI_PROCESS_INTERNAL_H

#include "cli/exit_report.h"
#include "cli/process.h"

/* How it works. `life` says how far the end has come; it only grows, and the one timer belongs to it:
 *
 *   RUNNING          no timer
 *   LEAVING          stdin is closed; then SIGTERM
 *   TERMINATED       SIGTERM is sent; then SIGKILL
 *   KILLED           SIGKILL is sent; then we give up waiting for the kernel
 *   EXITED           reaped, or never ran; the pipes drain, stderr for ERR_GRACE, stdout for OUT_GRACE:
 * whoever still holds them (a grandchild) cannot keep us CLOSING          the handles close; behind the last
 * one comes `ended`
 *
 * stdout is read into `out_text`, and lines are handed out as pieces of it: nothing is appended while a
 * callback runs, since reading happens in the loop only. While paused, whole lines may wait in the buffer;
 * `pump` hands them out from the loop after resuming. A forgotten process (abandoned) is read on without a
 * use, so that it does not block. */
enum life { RUNNING, LEAVING, TERMINATED, KILLED, EXITED, CLOSING };

struct cli_process {
    uv_loop_t *loop;
    const struct log *log;
    const struct cli_process_events *events; /* NULL: forgotten */
    void *user;
    enum life life;
    char *path;         /* of the executable, absolute */
    struct buf problem; /* why it never ran, or why we ended it */
    bool spawn_failed, launched;
    int64_t status;
    int signal;

    uv_process_t process;
    uv_pipe_t in, out, err;
    uv_timer_t timer;
    uv_idle_t pump;
    unsigned open; /* handles that are not closed yet */

    bool in_closed; /* nothing is written any more */
    bool in_above;  /* the queue was longer than CLI_WRITE_HIGH */
    uv_shutdown_t shutdown;

    bool paused, out_end, out_told, skipping, had_output;
    struct buf out_text;
    size_t taken, scanned; /* handed out, and searched for a line end */
    char out_spare[4096];  /* where a line is read to that does not fit into memory */

    bool err_end, err_time_over;
    struct tail err_tail;
    char err_text[4096];
};

#endif
