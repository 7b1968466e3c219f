/* Finds the end of a run of string bytes that JSON text and memory have in common, sixteen at a time. */
#ifndef HERALD_JSON_PLAIN_H
#define HERALD_JSON_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not a control character, a quote or a backslash. */
static inline int json_is_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

/* How many plain bytes `p` begins with, of `n`. */
static inline size_t json_plain_run(const char *p, size_t n)
{
    typedef uint8_t bytes __attribute__((vector_size(16)));
    size_t at = 0;
    while (n - at >= sizeof(bytes)) {
        bytes v;
        memcpy(&v, p + at, sizeof(v));
        bytes stop = (bytes)(v < 0x20) | (bytes)(v == '"') | (bytes)(v == '\\');
        uint64_t half[2];
        memcpy(half, &stop, sizeof(half));
        if (half[0] | half[1]) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            return at + (half[0] ? 0 : 8) + (size_t)__builtin_ctzll(half[0] ? half[0] : half[1]) / 8;
#else
            break;
#endif
        }
        at += sizeof(bytes);
    }
    while (at < n && json_is_plain((unsigned char)p[at])) {
        at++;
    }
    return at;
}

#endif
