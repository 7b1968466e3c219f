/* Base64 (RFC 4648, section 4). */
#ifndef HERALD_BASE_BASE64_H
#define HERALD_BASE_BASE64_H

#include "base/str.h"

/* Appends it with padding and without line breaks. */
void base64_put(struct buf *b, str bytes);

/* Appends the bytes of a text, which may have white space in it and may lack its padding. False when it is no
 * base64; what was appended is then of no use. */
bool base64_decode(struct buf *b, str text);
/* The text is base64, as base64_decode() sees it. `canonical` (or NULL): it is as base64_put() writes it. */
bool base64_valid(str text, bool *canonical);

#endif
