/* Memory that is freed all at once.
 *
 * What one message needs is taken from an arena and given back when the message is done. An arena
 * whose allocation failed returns NULL and remembers it (arena_ok), so that the work of that one
 * message is dropped and nothing else. */
#ifndef HERALD_BASE_ARENA_H
#define HERALD_BASE_ARENA_H

#include "base/str.h"

struct arena_block;

struct arena {
    struct arena_block *first; /* the newest block */
    bool failed;
};
#define ARENA_INIT       ((struct arena){0})
#define AUTO_ARENA(name) CLEANUP(arena_free) struct arena name = ARENA_INIT

/* Zeroed memory, aligned for any object; NULL when memory is out. Lives until reset or free. */
void *arena_alloc(struct arena *a, size_t n) WARN_UNUSED;
/* A copy with a NUL behind it; absent stays absent. */
str arena_str(struct arena *a, str s);
/* A copy of what a buffer holds. */
str arena_buf(struct arena *a, const struct buf *b);
str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Forgets everything but keeps one block for the next message. */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);
static inline bool arena_ok(const struct arena *a)
{
    return !a->failed;
}

#endif
