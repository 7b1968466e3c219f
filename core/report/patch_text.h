/* Git's way of writing a patch, for the modules that build one. */
#ifndef HERALD_REPORT_PATCH_TEXT_H
#define HERALD_REPORT_PATCH_TEXT_H

#include <stdint.h>

#include "base/str.h"

/* Whether the text can be the new side of an exact patch: not over the limit, no NUL, no CR. */
bool patch_text_fits(str text);

/* The header lines. `prefixes`: a/… and b/… and no leading slash; else the path as it is. */
void patch_put_header(struct buf *b, str path, bool prefixes, bool created);
/* "@@ -1,3 +1,4 @@" and a line break. Starts count from 1; the line before is named when a count is 0. */
void patch_put_hunk_header(struct buf *b, int64_t old_start, int64_t old_n, int64_t new_start, int64_t new_n);
/* The hunk that adds every line of a text that is not empty; how many lines. */
size_t patch_put_whole_file(struct buf *b, str text);

/* The marker behind a line without a line break, without one itself. */
#define PATCH_NO_NEWLINE "\\ No newline at end of file"

#endif
