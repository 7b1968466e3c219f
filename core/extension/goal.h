/* The AIR extension "goal": what the client is told about the session's long-running objective.
 *
 * A `/goal` command, sent by the client's method, a prompt or a steer, is published at once, because the CLI
 * may never report the goal that it starts. Until that command has run, reports of the CLI about another goal
 * are late ones of the goal before it and are left out. A command that fails brings the goal before it back.
 *
 * A snapshot is kept as the JSON text that the client was sent. Nothing here knows of capabilities or does
 * I/O: what is to be published is written into a buffer, and the caller sends it. */
#ifndef HERALD_EXTENSION_GOAL_H
#define HERALD_EXTENSION_GOAL_H

#include "base/uuid.h"
#include "json/json.h"

struct goal {
    struct buf current;  /* the last published snapshot; empty: none, which is as "null" */
    struct buf previous; /* the one before the pending command */
    struct buf expected; /* the objective that the pending command sets; empty: it clears the goal */
    char command[UUID_SIZE];
    bool pending;
    bool started;     /* the command's echo came */
    unsigned changes; /* counts the snapshots, so that what was asked before the last one is known as old */
};

void goal_free(struct goal *g);

/* The argument of `/goal` that ends a goal, in whichever case: clear, stop, off, reset, none, cancel. */
bool goal_clears(str argument);
/* A goal is active, as far as the client was told. */
bool goal_is_active(const struct goal *g);

/* The message `uuid` with `/goal ARGUMENT` was written to the CLI: writes the snapshot to publish. */
void goal_submitted(struct goal *g, str uuid, str argument, struct buf *out);
/* A message of this uuid came back from the CLI. */
void goal_echoed(struct goal *g, str uuid);
/* An active_goal frame's `value`: true when its snapshot, written to `out`, is to be published. */
bool goal_reported(struct goal *g, json value, struct buf *out);
/* What Claude Code has noted of the goal beside the conversation: its condition, or absent when none is
 * active. True when the snapshot, written to `out`, is to be published, because the client knows otherwise. A
 * CLI says nothing of a goal that it has ended by itself, or that it did not take. */
bool goal_noted(struct goal *g, str condition, struct buf *out);
/* No command can be under way any more. */
void goal_settled(struct goal *g);
/* A result of the user's. `failed`: an error or a refusal. True when the goal before is to be published
 * again. */
bool goal_on_result(struct goal *g, bool failed, struct buf *out);

/* Writes the `_meta` member of a session info update. */
void goal_put_update(struct buf *b, str snapshot);

#endif
