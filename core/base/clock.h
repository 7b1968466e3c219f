/* Times. Wall-clock times are milliseconds since 1970 in UTC, without leap seconds. */
#ifndef HERALD_BASE_CLOCK_H
#define HERALD_BASE_CLOCK_H

#include <stdint.h>

#include "base/str.h"

enum { CLOCK_ISO_SIZE = 32 };

/* The time now. */
int64_t clock_now_ms(void);
/* A clock that never goes back; its zero is arbitrary. */
int64_t clock_monotonic_ms(void);
/* Writes "2025-06-01T12:00:00.000Z" with its NUL. A time that JavaScript's Date cannot hold (beyond
 * 8.64e15 ms either way) is brought within that range; a year outside 0 to 9999 has a sign and six
 * digits, as there. */
void clock_iso8601_ms(char out[CLOCK_ISO_SIZE], int64_t ms);
/* Reads a date, or a date and a time, of a year from 0 to 9999: "2025-06-01", "2025-06-01T12:00:00.5+02:00".
 * A time without a zone is taken as UTC. False, and nothing is written, for anything else. */
bool clock_parse_iso8601(str text, int64_t *ms);
/* Appends the time for a person to read, in the zone of this machine: "Jun 1, 2:30 PM UTC". */
void clock_put_local(struct buf *b, int64_t ms);

#endif
