/* Changes of a session's options, one after the other.
 *
 * A change waits until those before it are through, then sends its requests to the CLI one by one. The first
 * change of a session, and of a process that replaces another, is part of the start and goes ahead of all
 * others. */
#ifndef HERALD_OPTIONS_OPTION_QUEUE_H
#define HERALD_OPTIONS_OPTION_QUEUE_H

#include <uv.h>

#include "base/list.h"
#include "base/log.h"
#include "cli/control.h"
#include "options/options.h"
#include "rpc/request_error.h"

/* What the queue asks of its session, and tells it. Each of the last five may end the session. */
struct option_queue_host {
    /* NULL: nothing can be changed, not yet or not any more. */
    struct session_options *(*options)(const void *user);
    /* NULL: there is none. */
    struct cli_control *(*cli)(const void *user);
    /* The CLI is being replaced: what has not begun waits for the new one. */
    bool (*replacing)(const void *user);
    /* With that, how long the new one may still take, in ms. */
    unsigned (*time_left)(const void *user);
    /* The host lives until it is dropped as often. */
    void (*keep)(void *user);
    void (*drop)(void *user);
    /* The change of the start, or of the new process, is through. */
    void (*started)(void *user, const struct options_change *c);
    void (*tuned)(void *user, const struct options_change *c);
    /* The client is to be told (enum options_effect). */
    void (*changed)(void *user, unsigned effects);
    /* A change is over. */
    void (*idle)(void *user);
};

struct option_queue {
    uv_loop_t *loop;
    const struct log *log;
    const struct option_queue_host *host;
    void *user;
    str late;            /* why a new process is given up that took too long */
    struct list changes; /* the first one runs */
};

/* The change of the start, to be filled in and run. NULL when memory is out. */
struct options_change *option_queue_start(struct option_queue *q);
/* The one that brings a new process in line: it runs before all others. NULL when memory is out. */
struct options_change *option_queue_tune(struct option_queue *q);
/* It is taken back: it could not be filled in. */
void option_queue_drop_tuning(struct option_queue *q);

/* What the client asks for; `done` gets the answer. */
void option_queue_set_mode(struct option_queue *q, str mode, session_done_cb *done, void *user);
void option_queue_set(struct option_queue *q, str id, json value, session_done_cb *done, void *user);
/* The CLI switched the model by itself. */
void option_queue_model_switched(struct option_queue *q, str model);

/* Goes on, where something may have been waited for. */
void option_queue_run(struct option_queue *q);
/* Answers all with the error. */
void option_queue_drop(struct option_queue *q, const struct session_error *error);
/* The CLI has owed the change under way an answer for so long. */
bool option_queue_is_stuck(const struct option_queue *q, unsigned limit_ms);

#endif
