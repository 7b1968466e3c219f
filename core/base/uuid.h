/* UUIDs in their text form: 8-4-4-4-12 hexadecimal digits. */
#ifndef HERALD_BASE_UUID_H
#define HERALD_BASE_UUID_H

#include "base/str.h"

enum {
    UUID_LENGTH = 36,
    UUID_SIZE = UUID_LENGTH + 1, /* with the NUL */
};

/* A random UUID (version 4) in lower case. False when the system gives no randomness; `out` is then
 * the empty text. */
bool uuid_v4(char out[UUID_SIZE]) WARN_UNUSED;
/* True for the text form of any UUID, in either case. */
bool uuid_valid(str s);

#endif
