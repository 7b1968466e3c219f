/* Which record of a session the client means by a fork point. */
#ifndef HERALD_HISTORY_FORK_POINT_H
#define HERALD_HISTORY_FORK_POINT_H

#include "history/fork.h"
#include "history/records.h"

/* The row; RECORD_NONE when no message, or more than one, fits. */
size_t fork_point_find(struct records *r, const struct fork_point *point);

#endif
