/* Text of others' in Markdown that we write: it stays the text that it is, on one line. */
#ifndef HERALD_BASE_MARKDOWN_H
#define HERALD_BASE_MARKDOWN_H

#include "base/str.h"

/* Appends the text with what Markdown would take for marks escaped. A line break or a tab becomes a blank,
 * another control character nothing. */
void markdown_put_text(struct buf *b, str text);
/* Appends it as a code span, whose fence is longer than any run of backticks in it. Line breaks and control
 * characters as above. */
void markdown_put_code(struct buf *b, str text);

#endif
