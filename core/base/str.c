#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

bool str_starts(str s, str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool str_ends(str s, str suffix)
{
    return s.n >= suffix.n && (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

size_t str_find(str s, str needle, size_t from)
{
    if (from > s.n || needle.n > s.n - from) {
        return SIZE_MAX;
    }
    if (needle.n == 0) {
        return from;
    }
    const char *hit = memmem(s.p + from, s.n - from, needle.p, needle.n);
    return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

size_t str_find_byte(str s, char c, size_t from)
{
    const char *hit = from < s.n ? memchr(s.p + from, c, s.n - from) : NULL;
    return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

size_t str_rfind(str s, str needle)
{
    if (needle.n > s.n) {
        return SIZE_MAX;
    }
    for (size_t at = s.n - needle.n + 1; at-- > 0;) {
        if (needle.n == 0 || memcmp(s.p + at, needle.p, needle.n) == 0) {
            return at;
        }
    }
    return SIZE_MAX;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

str str_trim(str s)
{
    while (s.n && is_space(s.p[0])) {
        s = str_from(s, 1);
    }
    while (s.n && is_space(s.p[s.n - 1])) {
        s.n--;
    }
    return s;
}

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool str_eq_nocase(str a, str b)
{
    if (a.n != b.n) {
        return false;
    }
    for (size_t i = 0; i < a.n; i++) {
        if (lower(a.p[i]) != lower(b.p[i])) {
            return false;
        }
    }
    return true;
}

int str_cmp(str a, str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

char *str_dup(str s)
{
    if (!s.p) {
        return NULL;
    }
    char *c = malloc(s.n + 1);
    if (c) {
        memcpy(c, s.p, s.n);
        c[s.n] = '\0';
    }
    return c;
}

void buf_free(struct buf *b)
{
    free(b->p);
    *b = BUF_INIT;
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->failed = false;
    if (b->p) {
        b->p[0] = '\0';
    }
}

bool buf_reserve(struct buf *b, size_t more)
{
    if (b->failed) {
        return false;
    }
    if (b->p && more < b->cap - b->n) {
        return true;
    }
    if (more >= SIZE_MAX / 2 - b->n) {
        b->failed = true;
        return false;
    }
    size_t cap = b->cap ? b->cap : 64;
    while (cap - b->n <= more) {
        cap += cap / 2 + 64;
    }
    char *p = realloc(b->p, cap);
    if (!p) {
        b->failed = true;
        return false;
    }
    b->p = p;
    b->cap = cap;
    b->p[b->n] = '\0';
    return true;
}

void buf_put(struct buf *b, const void *data, size_t n)
{
    if (n == 0 || !buf_reserve(b, n)) {
        return;
    }
    memcpy(b->p + b->n, data, n);
    b->n += n;
    b->p[b->n] = '\0';
}

void buf_put_str(struct buf *b, str s)
{
    buf_put(b, s.p, s.n);
}

void buf_put_c(struct buf *b, const char *c)
{
    buf_put(b, c, strlen(c));
}

void buf_put_byte(struct buf *b, char c)
{
    buf_put(b, &c, 1);
}

void buf_put_fill(struct buf *b, char c, size_t times)
{
    if (times == 0 || !buf_reserve(b, times)) {
        return;
    }
    memset(b->p + b->n, c, times);
    b->n += times;
    b->p[b->n] = '\0';
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0) {
        b->failed = true;
    } else if (buf_reserve(b, (size_t)n)) {
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(b, fmt, ap);
    va_end(ap);
}

void buf_truncate(struct buf *b, size_t n)
{
    if (n < b->n) {
        b->n = n;
        b->p[n] = '\0';
    }
}

void buf_drop_front(struct buf *b, size_t n)
{
    if (n == 0) {
        return;
    }
    if (n >= b->n) {
        buf_truncate(b, 0);
        return;
    }
    memmove(b->p, b->p + n, b->n - n);
    b->n -= n;
    b->p[b->n] = '\0';
}

const char *buf_c(struct buf *b)
{
    return b->p && !b->failed ? b->p : "";
}

char *buf_take(struct buf *b)
{
    if (b->failed || !buf_reserve(b, 0)) {
        buf_free(b);
        return NULL;
    }
    char *p = b->p;
    *b = BUF_INIT;
    return p;
}
