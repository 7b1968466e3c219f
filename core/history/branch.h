/* The conversation of a stored session: which of its records a person would see, in which order.
 *
 * The active branch of the records' tree (record_tree.h) is walked from its leaf to the root. The calls and
 * results of parallel tool use, which branch off the path, come back in, and queued prompts that hang after
 * the leaf follow it. A queued prompt is part of it when it was delivered (queued_prompts.h), once. */
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
