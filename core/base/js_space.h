/* White space as JavaScript has it: the ASCII blanks and line breaks, U+00A0, U+FEFF, the Unicode
 * space separators and the two line separators. Texts that pass between the CLI, the client and
 * Herald are trimmed by this rule at both ends of the wire. */
#ifndef HERALD_BASE_JS_SPACE_H
#define HERALD_BASE_JS_SPACE_H

#include "base/str.h"

/* The number of bytes of the white space character at `at`; 0 when there is none. */
size_t space_at(str s, size_t at);
/* True for U+000A, U+000D, U+2028 and U+2029 at `at`. */
bool space_is_line_break(str s, size_t at);
/* Without the white space at both ends. */
str space_trim(str s);
/* Appends `s` trimmed, each run of white space inside as one blank. */
void space_squeeze(struct buf *b, str s);

#endif
