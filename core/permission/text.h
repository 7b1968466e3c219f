/* The texts of permission requests: cleaned for display, checked before they are trusted, put into labels.
 *
 * Lengths are UTF-16 code units and white space is JavaScript's (base/js_space.h), because clients and the
 * CLI count and trim that way. A text that does not fit its limit is left out, never cut: half a path or half
 * a reason misleads. What a lasting choice is labelled with must also be "plain": nothing in it may be
 * invisible or reorder what stands around it, so that a label cannot hide a part of its effect. */
#ifndef HERALD_PERMISSION_TEXT_H
#define HERALD_PERMISSION_TEXT_H

#include "base/arena.h"

enum {
    TEXT_COMPACT_MAX = 160, /* hosts and display names in titles */
    TEXT_TITLE_MAX = 4000,
    TEXT_REASON_MAX = 4000,
    TEXT_PATH_MAX = 4096,
    TEXT_LABEL_LIST_MAX = 50, /* a longer list of names in a label becomes "similar" */
};

enum text_lines { TEXT_SINGLE_LINE, TEXT_MULTI_LINE };

/* Control characters removed (tab, LF and CR stay), in a single line runs of white space made one blank,
 * trimmed. Absent when `s` is absent, nothing is left, it is longer than `limit` or memory is out. */
str permission_clean(struct arena *a, str s, enum text_lines lines, size_t limit);
/* A text that the CLI may use as a rule or directory: within `limit` untrimmed, not blank, and trimmed
 * without control characters other than tab, LF and CR. False for an absent one. */
bool permission_valid_text(str s, size_t limit);
/* Nothing in `s` is invisible, a line break, a control character, a lone surrogate or changes the order of
 * the text. An absent or empty text is plain. */
bool permission_plain_text(str s);

/* "a", "a and b", "a, b, and c"; "similar" when the values with ", " between them are too long for a label.
 */
void permission_put_list(struct buf *b, const str *v, size_t n);
/* The paths by the shortest endings that tell them apart: "etc/", "a/src/ and b/src/", "x/, y/ and 3 more".
 * Paths that normalize to the same text count once. False when memory is out. */
bool permission_put_paths(struct arena *a, struct buf *b, const str *v, size_t n);

#endif
