#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(max_align_t) char data[];
};

enum { BLOCK_SIZE = 4096 - (int)sizeof(struct arena_block), KEEP_SIZE = 64 * 1024 };

static void *take(struct arena *a, size_t n)
{
    const size_t align = _Alignof(max_align_t);
    if (a->failed || n > SIZE_MAX / 2) {
        a->failed = true;
        return NULL;
    }
    n = (n + align - 1) & ~(align - 1);
    struct arena_block *b = a->first;
    if (!b || b->size - b->used < n) {
        size_t size = n > BLOCK_SIZE ? n : BLOCK_SIZE;
        b = malloc(sizeof(*b) + size);
        if (!b) {
            a->failed = true;
            return NULL;
        }
        b->size = size;
        b->used = 0;
        b->next = a->first;
        a->first = b;
    }
    void *p = b->data + b->used;
    b->used += n;
    return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
    void *p = take(a, n);
    return p ? memset(p, 0, n) : NULL;
}

str arena_str(struct arena *a, str s)
{
    if (!s.p) {
        return STR_ABSENT;
    }
    char *p = take(a, s.n + 1);
    if (!p) {
        return STR_ABSENT;
    }
    memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (str){p, s.n};
}

str arena_buf(struct arena *a, const struct buf *b)
{
    if (!buf_ok(b)) {
        a->failed = true;
        return STR_ABSENT;
    }
    return arena_str(a, buf_str(b));
}

str arena_printf(struct arena *a, const char *fmt, ...)
{
    AUTO_BUF(b);
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    return arena_buf(a, &b);
}

void arena_reset(struct arena *a)
{
    struct arena_block *keep = NULL;
    for (struct arena_block *b = a->first, *next; b; b = next) {
        next = b->next;
        if (!keep && b->size <= KEEP_SIZE) {
            keep = b;
        } else {
            free(b);
        }
    }
    if (keep) {
        keep->used = 0;
        keep->next = NULL;
    }
    a->first = keep;
    a->failed = false;
}

void arena_free(struct arena *a)
{
    for (struct arena_block *b = a->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *a = ARENA_INIT;
}
