/* Base64, with padding and without line breaks (RFC 4648, section 4). */
#ifndef HERALD_BASE_BASE64_H
#define HERALD_BASE_BASE64_H

#include "base/str.h"

void base64_put(struct buf *b, str bytes);

#endif
