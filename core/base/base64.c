#include "base/base64.h"

#include <stdint.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(struct buf *b, str bytes)
{
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
        uint32_t group = 0;
        char out[4] = {'=', '=', '=', '='};
        for (size_t k = 0; k < 3; k++) {
            group = group << 8 | (k < n ? (unsigned char)bytes.p[i + k] : 0);
        }
        for (size_t k = 0; k <= n; k++) {
            out[k] = letters[group >> (18 - 6 * k) & 0x3f];
        }
        buf_put(b, out, sizeof(out));
    }
}

/* The value of a digit; -1: it is none. */
static int digit(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes a text apart. `b` may be NULL: nothing is kept. */
static bool take_apart(struct buf *b, str text, bool *canonical)
{
    size_t digits = 0, padding = 0;
    uint32_t group = 0;
    bool blanks = false;
    for (size_t i = 0; i < text.n; i++) {
        int value = digit(text.p[i]);
        if (is_blank(text.p[i])) {
            blanks = true;
            continue;
        }
        if (text.p[i] == '=' && ++padding <= 2) {
            continue;
        }
        if (value < 0 || padding) {
            return false;
        }
        group = group << 6 | (uint32_t)value;
        if (++digits % 4 != 1 && b) {
            buf_put_byte(b, (char)(group >> (6 - 2 * ((digits - 1) % 4)) & 0xff));
        }
    }
    size_t last = digits % 4, needed = last ? 4 - last : 0;
    *canonical = !blanks && padding == needed;
    return last != 1 && (!padding || padding == needed);
}

bool base64_decode(struct buf *b, str text)
{
    bool canonical;
    return take_apart(b, text, &canonical);
}

bool base64_valid(str text, bool *canonical)
{
    bool ignored;
    return take_apart(NULL, text, canonical ? canonical : &ignored);
}
