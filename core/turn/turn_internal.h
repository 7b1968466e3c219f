/* What the files of the turn engine share: turn.c (the life of a turn, steers), turn_cancel.c, turn_frames.c
 * (what the CLI sends). */
#ifndef HERALD_TURN_TURN_INTERNAL_H
#define HERALD_TURN_TURN_INTERNAL_H

#include "turn/turn.h"

extern const struct turn_end turn_end_cancelled, turn_end_normal;

struct turn_steer {
    struct list link;
    char uuid[37];
    bool echoed;
    struct buf line; /* the message as it was written to the CLI */
};

/* Answered prompts that the CLI may still run, by their uuids. */
enum turn_orphan turn_orphan_of(const struct turns *ts, str uuid);
void turn_orphan_put(struct turns *ts, str uuid, enum turn_orphan state);
/* What the CLI may still do with a prompt that is answered already; `running`: it is the one that was active.
 */
void turn_leave_orphan(struct turns *ts, const struct turn *t, bool running);

/* Foreground work. */
void turn_work_begins(struct turns *ts, struct turn *owner);
void turn_work_ends(struct turns *ts, const struct turn_end *end);

/* States. */
void turn_enter(struct turns *ts, struct turn *t, enum turn_state next, const char *why);
void turn_insert(struct turns *ts, struct turn *t);
void turn_activate(struct turns *ts, struct turn *t, bool by_result);
/* The outcome so far, for later; and what that was. */
void turn_record(struct turn *t, const struct turn_end *end);
struct turn_end turn_recorded(const struct turn *t);
/* Subagents that it started still run. */
bool turn_is_drained(const struct turns *ts, const struct turn *t);
/* Its result came: settles it, or holds it for its subagents. */
void turn_conclude(struct turns *ts, struct turn *t, const struct turn_end *end);
/* Ends a turn that was active: with this end, with what was recorded, as cancelled, or by this result (or
 * none). */
void turn_settle(struct turns *ts, struct turn *t, const struct turn_end *end);
void turn_settle_recorded(struct turns *ts, struct turn *t);
void turn_settle_cancelled(struct turns *ts, struct turn *t);
void turn_settle_finished(struct turns *ts, struct turn *t, json result);
/* A turn's answer waits. */
bool turn_is_any_settling(const struct turns *ts);
/* Handles the result that waited for that. */
void turn_handle_waiting(struct turns *ts);
/* Answers the prompt and forgets the turn. */
void turn_answer(struct turns *ts, struct turn *t, const struct turn_end *end);
/* Settles the prompts at the head of the queue that were answered together with one before. */
void turn_settle_folded(struct turns *ts);

/* Steers. */
struct turn_steer *turn_find_steer(const struct turn *t, str uuid);
void turn_drop_steer(struct turn_steer *steer);
/* It has no outstanding steer any more: the next result is its own again. */
void turn_leave_steers(struct turns *ts, struct turn *t);

#endif
