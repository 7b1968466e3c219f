/* UTF-8 and WTF-8.
 *
 * Text that comes from outside is made valid UTF-8 first (utf8_repair). A JSON escape can still
 * bring in a lone surrogate; inside Herald it is three bytes (WTF-8), and goes out as an escape
 * again. */
#ifndef HERALD_BASE_UTF8_H
#define HERALD_BASE_UTF8_H

#include <stdint.h>

#include "base/str.h"

/* The offset of the first byte that is not valid UTF-8; s.n when all is. */
size_t utf8_valid_until(str s);
/* Appends `s` with each maximal invalid part replaced by U+FFFD. */
void utf8_repair(struct buf *out, str s);
/* Appends a code point; a surrogate (U+D800..DFFF) is written in WTF-8. */
void utf8_put(struct buf *out, uint32_t cp);
/* Reads one code point at *at of valid WTF-8 and moves *at behind it. */
uint32_t utf8_next(str s, size_t *at);
/* True when `s` is valid UTF-8 or has surrogates as WTF-8 writes them. */
bool wtf8_valid(str s);
/* The length in UTF-16 code units, in which JavaScript counts. */
size_t utf16_length(str s);
/* Appends `more`; a high surrogate at the end of `out` and a low one at the start of `more` join. */
void wtf8_append(struct buf *out, str more);

#endif
