/* The line diff of two texts and its hunks.
 *
 * The mechanism: the common beginning and end of the texts are cut off, but for three lines each, which
 * become context. (Where lines repeat, a change can slide behind those three. Without context Git would take
 * it for the end of the file, so three more lines stand ready outside the search.) What remains is split into
 * lines, equal lines get equal numbers, and Myers' greedy forward search finds a shortest edit of the two
 * rows of numbers ("An O(ND) Difference Algorithm", 1986, figure 2). Among equally short edits it takes the
 * one that this search meets first when a deletion is preferred to an insertion that reaches as far, so that
 * deletions stand before insertions within a change. Other agents of the protocol make the same choice, so
 * equal edits give equal patches.
 *
 * It is written here because no small line-diff library is at hand: libgit2 has one, but brings network
 * libraries with it into a process whose start-up and idle memory count. */
#ifndef HERALD_REPORT_DIFF_H
#define HERALD_REPORT_DIFF_H

#include <stdint.h>

#include "base/str.h"

enum { DIFF_CONTEXT = 3 };

/* One side: the lines of its middle part. */
struct diff_side {
    str *lines;       /* each with its '\n', which only the last line of the text may lack */
    uint32_t *number; /* equal for equal lines */
    bool *changed;    /* removed from the old side, or added to the new one */
    size_t n;
};

struct diff {
    struct diff_side old_side, new_side;
    size_t skipped; /* lines before the middle part, the same on both sides */
    size_t tail;    /* equal lines at its end that are only context */
};

/* One hunk: spans of lines of the middle part, context included. */
struct diff_hunk {
    size_t old_at, old_n;
    size_t new_at, new_n;
};

/* Compares; `old_text` must differ from `new_text` for there to be a hunk. False when it takes longer than
 * `budget_ms` or memory is out. The caller frees `d` in either case; it borrows the texts. */
bool diff_make(struct diff *d, str old_text, str new_text, unsigned budget_ms);
void diff_free(struct diff *d);
/* The hunk after `*h` (zeroed: the first one); false when there is none. Changes with at most six equal lines
 * between them share a hunk. */
bool diff_next_hunk(const struct diff *d, struct diff_hunk *h);

#endif
