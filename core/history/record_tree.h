/* The tree that the records of a transcript form, with what compactions kept put where it belongs.
 *
 * Every rewound prompt leaves a branch behind. What a compaction kept of the time before it hangs, in the
 * file, where it was; here it hangs below the compaction's anchor, and what followed the anchor hangs below
 * it. */
#ifndef HERALD_HISTORY_RECORD_TREE_H
#define HERALD_HISTORY_RECORD_TREE_H

#include "history/records.h"

struct record_tree {
    const struct records *r;
    bool child; /* the file is a subagent's, all of whose records are side chains */
    size_t *up; /* the row above each row, or RECORD_NONE; there may be cycles */
};

/* False when memory is out; record_tree_free() is due either way. */
bool record_tree_make(struct record_tree *t, const struct records *r, bool child) WARN_UNUSED;
void record_tree_free(struct record_tree *t);

/* Walks from a row to the root; false, and *row is RECORD_NONE, at the end or when the walk has lasted longer
 * than there are rows. Start with *steps = 0. */
bool record_tree_up(const struct record_tree *t, size_t *row, size_t *steps);
/* A record of the main conversation: none of a side chain, a team, or a copy that was replaced. */
bool record_tree_is_main(const struct record_tree *t, size_t row);
/* The last message of the active branch, which is the one whose end was written last; RECORD_NONE when there
 * is none. False: memory is out. */
bool record_tree_leaf(const struct record_tree *t, size_t *leaf) WARN_UNUSED;
/* The queued prompts that hang below the leaf and on the way to no other message, in their order: a new array
 * of *n rows; NULL when memory is out. `taken` says which rows the conversation has already. */
size_t *record_tree_trailing(const struct record_tree *t, size_t leaf, const bool *taken, size_t *n);

static inline bool record_is_message(const struct record *rec)
{
    return rec->type == RECORD_USER || rec->type == RECORD_ASSISTANT;
}

#endif
