/* Text as pointer and length.
 *
 * `str` borrows: it owns nothing and lives as long as what it points into. Text inside Herald is
 * WTF-8, that is UTF-8 in which a lone surrogate is three bytes, and may hold NUL bytes; nothing
 * takes a terminator for granted. `buf` owns a growing byte string. A `buf` whose allocation failed
 * stays failed: later appends do nothing, so a message is built without a check at each step and
 * checked once with buf_ok(). */
#ifndef HERALD_BASE_STR_H
#define HERALD_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/macros.h"

typedef struct str {
    const char *p; /* NULL means absent; an empty text has a non-NULL pointer */
    size_t n;      /* bytes */
} str;

#define STR(literal) ((str){"" literal, sizeof(literal) - 1})
#define STR_INIT(literal)                                                                                    \
    {                                                                                                        \
        "" literal, sizeof(literal) - 1                                                                      \
    }
#define STR_ABSENT ((str){NULL, 0})
#define STR_ARG(s) (int)(s).n, (s).p /* for %.*s in diagnostics */

static inline str str_of(const char *c)
{
    return c ? (str){c, strlen(c)} : STR_ABSENT;
}
static inline bool str_present(str s)
{
    return s.p != NULL;
}
static inline bool str_empty(str s)
{
    return s.n == 0;
}
static inline bool str_eq(str a, str b)
{
    return a.n == b.n && (a.n == 0 || (a.p && b.p && memcmp(a.p, b.p, a.n) == 0));
}
static inline bool str_is(str a, const char *c)
{
    return a.p && str_eq(a, str_of(c));
}
static inline str str_from(str s, size_t at)
{
    return at >= s.n ? (str){s.p ? s.p + s.n : NULL, 0} : (str){s.p + at, s.n - at};
}
static inline str str_first(str s, size_t n)
{
    return (str){s.p, n < s.n ? n : s.n};
}
bool str_starts(str s, str prefix);
bool str_ends(str s, str suffix);
/* The offset of the first `needle` at or after `from`; SIZE_MAX when there is none. */
size_t str_find(str s, str needle, size_t from);
size_t str_find_byte(str s, char c, size_t from);
size_t str_rfind(str s, str needle);
static inline bool str_has(str s, str needle)
{
    return str_find(s, needle, 0) != (size_t)-1;
}
/* Without the ASCII white space at both ends. */
str str_trim(str s);
/* Equal without regard to ASCII case. */
bool str_eq_nocase(str a, str b);
/* Below, at or above zero, by bytes. */
int str_cmp(str a, str b);
/* A NUL-terminated copy that the caller frees; NULL when memory is out or `s` is absent. */
char *str_dup(str s) WARN_UNUSED;

struct buf {
    char *p; /* has a NUL after n bytes whenever it is not NULL */
    size_t n;
    size_t cap;
    bool failed;
};
#define BUF_INIT ((struct buf){0})
/* A buffer that is freed when its scope ends. */
#define AUTO_BUF(name) CLEANUP(buf_free) struct buf name = BUF_INIT

void buf_free(struct buf *b);
/* Empties the buffer and forgets a failure; the memory stays for the next use. */
void buf_clear(struct buf *b);
/* Makes room for `more` bytes after the content; false, and failed, when memory is out. */
bool buf_reserve(struct buf *b, size_t more);
void buf_put(struct buf *b, const void *data, size_t n);
void buf_put_str(struct buf *b, str s);
void buf_put_c(struct buf *b, const char *c);
void buf_put_fill(struct buf *b, char c, size_t times);
void buf_put_byte(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
/* Shortens the content to `n` bytes; does nothing when it is shorter already. */
void buf_truncate(struct buf *b, size_t n);
/* Drops the first `n` bytes. */
void buf_drop_front(struct buf *b, size_t n);
static inline bool buf_ok(const struct buf *b)
{
    return !b->failed;
}
static inline str buf_str(const struct buf *b)
{
    return (str){b->p ? b->p : "", b->n};
}
/* The content as a C string that the buffer keeps; "" for an empty or failed one. */
const char *buf_c(struct buf *b);
/* Hands the content over as a C string that the caller frees; NULL when the buffer has failed. */
char *buf_take(struct buf *b) WARN_UNUSED;

#endif
