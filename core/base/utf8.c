#include "base/utf8.h"

#include <limits.h>

/* The number of bytes of the valid sequence at `p` (1 to 4), or 0. `wtf` admits surrogates. */
static size_t sequence(const unsigned char *p, size_t n, bool wtf)
{
    unsigned char c = p[0];
    if (c < 0x80) {
        return 1;
    }
    size_t need = c >= 0xC2 && c <= 0xDF ? 2 : (c & 0xF0) == 0xE0 ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 0;
    if (!need || n < need) {
        return 0;
    }
    unsigned char low = 0x80, high = 0xBF;
    if (c == 0xE0) {
        low = 0xA0;
    } else if (c == 0xED && !wtf) {
        high = 0x9F;
    } else if (c == 0xF0) {
        low = 0x90;
    } else if (c == 0xF4) {
        high = 0x8F;
    }
    if (p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < need; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return need;
}

static size_t valid_until(str s, bool wtf)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t at = 0;
    while (at < s.n) {
        uint64_t word;
        while (s.n - at >= sizeof(word)) { /* eight ASCII bytes at a time */
            memcpy(&word, p + at, sizeof(word));
            if (word & UINT64_C(0x8080808080808080)) {
                break;
            }
            at += sizeof(word);
        }
        if (at >= s.n) {
            break;
        }
        size_t n = sequence(p + at, s.n - at, wtf);
        if (!n) {
            return at;
        }
        at += n;
    }
    return s.n;
}

size_t utf8_valid_until(str s)
{
    return valid_until(s, false);
}

bool wtf8_valid(str s)
{
    return valid_until(s, true) == s.n;
}

/* The length of the maximal invalid part at `p`, as the WHATWG decoder counts it: a well-formed
 * start with the continuation bytes that fit it is one error. */
static size_t invalid_part(const unsigned char *p, size_t n)
{
    unsigned char c = p[0];
    if (c < 0xC2 || c > 0xF4 || n < 2) {
        return 1;
    }
    unsigned char low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    unsigned char high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) {
        return 1;
    }
    size_t need = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4, got = 2;
    while (got < need && got < n && (p[got] & 0xC0) == 0x80) {
        got++;
    }
    return got;
}

void utf8_repair(struct buf *out, str s)
{
    while (s.n) {
        size_t good = utf8_valid_until(s);
        buf_put(out, s.p, good);
        s = str_from(s, good);
        if (s.n) {
            buf_put_c(out, "\xEF\xBF\xBD");
            s = str_from(s, invalid_part((const unsigned char *)s.p, s.n));
        }
    }
}

void utf8_put(struct buf *out, uint32_t cp)
{
    char c[4];
    if (cp < 0x80) {
        c[0] = (char)cp;
        buf_put(out, c, 1);
    } else if (cp < 0x800) {
        c[0] = (char)(0xC0 | cp >> 6);
        c[1] = (char)(0x80 | (cp & 0x3F));
        buf_put(out, c, 2);
    } else if (cp < 0x10000) {
        c[0] = (char)(0xE0 | cp >> 12);
        c[1] = (char)(0x80 | (cp >> 6 & 0x3F));
        c[2] = (char)(0x80 | (cp & 0x3F));
        buf_put(out, c, 3);
    } else {
        c[0] = (char)(0xF0 | cp >> 18);
        c[1] = (char)(0x80 | (cp >> 12 & 0x3F));
        c[2] = (char)(0x80 | (cp >> 6 & 0x3F));
        c[3] = (char)(0x80 | (cp & 0x3F));
        buf_put(out, c, 4);
    }
}

uint32_t utf8_next(str s, size_t *at)
{
    const unsigned char *p = (const unsigned char *)s.p + *at;
    size_t left = s.n - *at;
    size_t n = sequence(p, left, true);
    *at += n ? n : 1;
    switch (n) {
    case 1:
        return p[0];
    case 2:
        return (uint32_t)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
    case 3:
        return (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    case 4:
        return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 |
               (p[3] & 0x3F);
    default:
        return 0xFFFD;
    }
}

size_t utf16_length(str s)
{
    size_t units = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        units += (c & 0xC0) != 0x80; /* every start byte is one unit, */
        units += c >= 0xF0;          /* and a four-byte sequence is two */
    }
    return units;
}

static bool is_surrogate(str s, size_t at, bool high)
{
    const unsigned char *p = (const unsigned char *)s.p + at;
    return s.n - at >= 3 && p[0] == 0xED && (high ? p[1] >= 0xA0 && p[1] <= 0xAF : p[1] >= 0xB0);
}

void wtf8_append(struct buf *out, str more)
{
    if (out->n >= 3 && is_surrogate(buf_str(out), out->n - 3, true) && more.n >= 3 &&
        is_surrogate(more, 0, false)) {
        size_t at = out->n - 3, zero = 0;
        uint32_t high = utf8_next(buf_str(out), &at), low = utf8_next(more, &zero);
        buf_truncate(out, out->n - 3);
        utf8_put(out, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
        more = str_from(more, 3);
    }
    buf_put_str(out, more);
}
