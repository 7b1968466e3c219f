/* The conversation of a stored session: which of its records a person would see, in which order.
 *
 * The records form a tree: every rewound prompt leaves a branch behind. The active branch is the one whose
 * end was written last. It is walked from its leaf to the root; records that a compaction kept come back in
 * after their anchor, and so do the calls and results of parallel tool use, which branch off the path. */
#ifndef HERALD_HISTORY_BRANCH_H
#define HERALD_HISTORY_BRANCH_H

#include "history/records.h"

/* Rows in conversation order; `hidden` ones (of the model's own, of other agents, links of the chain) are
 * left out, but for what a subagent was told. */
struct branch {
    size_t *rows;
    size_t n;
};

/* False when memory is out; branch_free() is due either way. Without records the branch is empty. `child`:
 * the file is a subagent's, all of whose records are side chains. */
bool branch_select(struct branch *b, const struct records *r, bool child) WARN_UNUSED;
void branch_free(struct branch *b);

/* Walks from a row to the root over `parent`; false, and *row is RECORD_NONE, at the end or when the walk has
 * lasted longer than there are rows. Start with *steps = 0. */
bool branch_up(const struct records *r, size_t *row, size_t *steps);

#endif
