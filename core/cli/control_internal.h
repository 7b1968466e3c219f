/* The control object, for control.c (requests, frames) and control_answers.c (what the CLI is answered). */
#ifndef HERALD_CLI_CONTROL_INTERNAL_H
#define HERALD_CLI_CONTROL_INTERNAL_H

#include "base/list.h"
#include "base/map.h"
#include "cli/control.h"

/* How it works. A line is parsed when it comes. `frames` is the queue of messages to deliver: while it is
 * empty and nobody holds or pauses, a frame is delivered without passing through it. `pump`, an idle handle,
 * delivers the queue after a release and finishes after the end of the process, so that nothing is ever
 * called from inside a call of the user's.
 *
 * Two id spaces: `requests` are ours, by number; `theirs` are the CLI's, by text, and point to the queued
 * frame or, once that was delivered, to the table itself. With --replay-user-messages the CLI sends our own
 * answers back, under its ids: our ids have a prefix of their own, so that none of them is taken for an
 * answer.
 *
 * The object is freed by the close callbacks of its two handles and therefore never under a caller. */

struct request {
    struct list link;
    uint64_t id, deadline; /* in loop time; 0 for none */
    control_answer_cb *cb;
    void *user;
    const struct control_error *failed; /* fails from the loop with this */
};

struct frame {
    struct list link;
    struct json_doc *doc;
    size_t size; /* of the memory that it takes */
};

struct cli_control {
    uv_loop_t *loop;
    const struct log *log;
    const struct cli_control_events *events;
    void *user;
    struct cli_process *process; /* NULL: gone */

    struct list requests;
    uint64_t last_id;
    uv_timer_t timer; /* at the earliest deadline */

    struct map theirs;
    struct list frames;
    size_t held_bytes;
    unsigned holds;
    bool paused_by_user;
    uv_idle_t pump;
    unsigned closed; /* handles */

    struct json_doc *spare;
    struct cli_exit how; /* with texts of its own */
    char *how_tail, *how_message;
};

#endif
