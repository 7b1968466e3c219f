/* Which value of which _meta key a client was sent last, as hashes.
 *
 * A call has a handful of keys, so they stand in a plain array. A key beyond the limit is never remembered,
 * so that it counts as new each time: that costs bandwidth and loses nothing. */
#ifndef HERALD_REPORT_META_MEMORY_H
#define HERALD_REPORT_META_MEMORY_H

#include <stdlib.h>

#include <xxhash.h>

#include "report/report.h"

enum { META_MEMORY_MAX = 256 };

struct meta_memory_row {
    XXH128_hash_t key, value;
};
struct meta_memory {
    struct meta_memory_row *rows;
    size_t n, cap;
};

static inline void meta_memory_free(struct meta_memory *m)
{
    free(m->rows);
    *m = (struct meta_memory){0};
}

/* Records the value; true when it is another one than before, or could not be recorded. */
bool meta_memory_note(struct meta_memory *m, enum meta_space space, str key, str text);
/* The same for the version member of jetbrains.air. */
static inline bool meta_memory_note_version(struct meta_memory *m)
{
    return meta_memory_note(m, META_AIR, STR("version"), STR("1"));
}

#endif
