/* A stored conversation shown to the client as session updates.
 *
 * The transcript is read on worker threads, first its table of records, then the records of the active branch
 * in batches; what is read goes out on the loop thread, in conversation order, and the next batch waits until
 * the client takes it. Nothing live is disturbed: the replay has tool calls of its own, without hooks and
 * without memory of what was sent, and asks nobody anything. Only what outlives it stays with the session:
 * the task list, and usage limits that still hold. */
#ifndef HERALD_REPLAY_REPLAY_H
#define HERALD_REPLAY_REPLAY_H

#include "replay/replay_target.h"

struct replay;

/* Everything was handed over; or the session closed meanwhile, or the transcript could not be read. */
typedef void replay_done_cb(void *user);

/* Replays the transcript at `path` to the target, which is copied. NULL when memory is out: then `done` does
 * not come. One replay at a time for each session. */
struct replay *replay_start(const struct replay_target *target, str path, replay_done_cb *done, void *user);
/* Nothing more is sent and `done` does not come. */
void replay_stop(struct replay *r);
/* The client takes output again, or the session is gone. */
void replay_wake(struct replay *r);

#endif
