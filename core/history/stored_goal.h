/* The goal of a stored session, as Claude Code notes it beside the conversation: when one is set, at each of
 * its evaluations, and when it has ended. A CLI that goes on with the session takes the goal from there. */
#ifndef HERALD_HISTORY_STORED_GOAL_H
#define HERALD_HISTORY_STORED_GOAL_H

#include "base/str.h"

enum stored_goal {
    STORED_GOAL_UNKNOWN, /* the session cannot be read */
    STORED_GOAL_NONE,    /* none was set, or the last one was met, was given up or was cleared */
    STORED_GOAL_ACTIVE,
};

/* Reads the transcript from its end; `condition` gets the active goal's text. Waits for the disk. */
enum stored_goal stored_goal_read(const char *transcript, struct buf *condition);

#endif
