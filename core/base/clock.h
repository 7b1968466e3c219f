/* Times. Wall-clock times are milliseconds since 1970 in UTC, without leap seconds. */
#ifndef HERALD_BASE_CLOCK_H
#define HERALD_BASE_CLOCK_H

#include <stdint.h>

enum { CLOCK_ISO_SIZE = 32 };

/* The time now. */
int64_t clock_now_ms(void);
/* A clock that never goes back; its zero is arbitrary. */
int64_t clock_monotonic_ms(void);
/* Writes "2025-06-01T12:00:00.000Z" with its NUL. A time that JavaScript's Date cannot hold (beyond
 * 8.64e15 ms either way) is brought within that range; a year outside 0 to 9999 has a sign and six
 * digits, as there. */
void clock_iso8601_ms(char out[CLOCK_ISO_SIZE], int64_t ms);

#endif
