#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "json/json.h"

/* A comma is due behind a value, that is unless the buffer is empty or ends in a byte after which a
 * value or key comes first. A string that ends in one of them still ends in its quote. */
static void separate(struct buf *b)
{
    if (b->n && !strchr("{[:,\n", b->p[b->n - 1])) {
        buf_put_byte(b, ',');
    }
}

void json_open_object(struct buf *b)
{
    separate(b);
    buf_put_byte(b, '{');
}

void json_close_object(struct buf *b)
{
    buf_put_byte(b, '}');
}

void json_open_array(struct buf *b)
{
    separate(b);
    buf_put_byte(b, '[');
}

void json_close_array(struct buf *b)
{
    buf_put_byte(b, ']');
}

/* 0: as it is; 'u': a \u escape; 's': may start a surrogate; else the letter of a short escape. */
static const char escapes[256] = {
    [0x00] = 'u', [0x01] = 'u', [0x02] = 'u', [0x03] = 'u', [0x04] = 'u', [0x05] = 'u',  [0x06] = 'u',
    [0x07] = 'u', [0x08] = 'b', [0x09] = 't', [0x0A] = 'n', [0x0B] = 'u', [0x0C] = 'f',  [0x0D] = 'r',
    [0x0E] = 'u', [0x0F] = 'u', [0x10] = 'u', [0x11] = 'u', [0x12] = 'u', [0x13] = 'u',  [0x14] = 'u',
    [0x15] = 'u', [0x16] = 'u', [0x17] = 'u', [0x18] = 'u', [0x19] = 'u', [0x1A] = 'u',  [0x1B] = 'u',
    [0x1C] = 'u', [0x1D] = 'u', [0x1E] = 'u', [0x1F] = 'u', ['"'] = '"',  ['\\'] = '\\', [0xED] = 's',
};

static void put_quoted(struct buf *b, str s)
{
    buf_put_byte(b, '"');
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        char how = escapes[c];
        if (!how || (how == 's' && (s.n - i < 3 || (unsigned char)s.p[i + 1] < 0xA0))) {
            continue;
        }
        buf_put(b, s.p + from, i - from);
        char esc[7];
        if (how == 's') {
            size_t at = i;
            snprintf(esc, sizeof(esc), "\\u%04x", (unsigned)utf8_next(s, &at));
            buf_put(b, esc, 6);
            i += 2;
        } else if (how == 'u') {
            snprintf(esc, sizeof(esc), "\\u%04x", c);
            buf_put(b, esc, 6);
        } else {
            esc[0] = '\\';
            esc[1] = how;
            buf_put(b, esc, 2);
        }
        from = i + 1;
    }
    if (s.n > from) {
        buf_put(b, s.p + from, s.n - from);
    }
    buf_put_byte(b, '"');
}

void json_key(struct buf *b, const char *key)
{
    separate(b);
    buf_put_byte(b, '"');
    buf_put_c(b, key);
    buf_put(b, "\":", 2);
}

void json_key_str(struct buf *b, str key)
{
    separate(b);
    put_quoted(b, key);
    buf_put_byte(b, ':');
}

void json_put_raw(struct buf *b, str raw)
{
    separate(b);
    buf_put_str(b, raw);
}

void json_put_str(struct buf *b, str s)
{
    if (!s.p) {
        json_put_null(b);
        return;
    }
    separate(b);
    put_quoted(b, s);
}

void json_put_c(struct buf *b, const char *c)
{
    json_put_str(b, str_of(c));
}

void json_put_int(struct buf *b, int64_t n)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%lld", (long long)n);
    json_put_raw(b, (str){text, (size_t)len});
}

void json_put_double(struct buf *b, double d)
{
    if (!isfinite(d)) {
        json_put_null(b);
        return;
    }
    if (d == floor(d) && fabs(d) < 1e15) {
        json_put_int(b, (int64_t)d);
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, d);
        if (strtod(text, NULL) == d) {
            break;
        }
    }
    json_put_raw(b, str_of(text));
}

void json_put_bool(struct buf *b, bool v)
{
    json_put_raw(b, v ? STR("true") : STR("false"));
}

void json_put_null(struct buf *b)
{
    json_put_raw(b, STR("null"));
}

void json_put(struct buf *b, json v)
{
    json_put_raw(b, v.doc ? json_raw(v) : STR("null"));
}

void json_member_str(struct buf *b, const char *key, str s)
{
    if (s.p) {
        json_key(b, key);
        json_put_str(b, s);
    }
}

void json_member_c(struct buf *b, const char *key, const char *c)
{
    json_member_str(b, key, str_of(c));
}

void json_member_int(struct buf *b, const char *key, int64_t n)
{
    json_key(b, key);
    json_put_int(b, n);
}

void json_member_double(struct buf *b, const char *key, double d)
{
    json_key(b, key);
    json_put_double(b, d);
}

void json_member_bool(struct buf *b, const char *key, bool v)
{
    json_key(b, key);
    json_put_bool(b, v);
}

void json_member_raw(struct buf *b, const char *key, str raw)
{
    if (raw.p) {
        json_key(b, key);
        json_put_raw(b, raw);
    }
}

void json_member(struct buf *b, const char *key, json v)
{
    json_member_raw(b, key, json_raw(v));
}

void json_member_null(struct buf *b, const char *key)
{
    json_key(b, key);
    json_put_null(b);
}

/* Lays out compact or any other JSON text again; it is known to be valid. */
void json_put_indented(struct buf *b, json v, int indent)
{
    str raw = json_raw(v);
    size_t depth = 0;
    for (size_t i = 0; i < raw.n; i++) {
        char c = raw.p[i];
        bool empty = false;
        switch (c) {
        case ' ':
        case '\t':
        case '\r':
        case '\n':
            break;
        case '"': {
            size_t from = i++;
            while (raw.p[i] != '"') {
                i += raw.p[i] == '\\' ? 2 : 1;
            }
            buf_put(b, raw.p + from, i + 1 - from);
            break;
        }
        case '{':
        case '[':
            buf_put_byte(b, c);
            size_t ahead = i + 1;
            while (strchr(" \t\r\n", raw.p[ahead])) {
                ahead++;
            }
            empty = raw.p[ahead] == '}' || raw.p[ahead] == ']';
            if (empty) {
                buf_put_byte(b, raw.p[ahead]);
                i = ahead;
                break;
            }
            buf_put_byte(b, '\n');
            buf_put_fill(b, ' ', ++depth * (size_t)indent);
            break;
        case '}':
        case ']':
            buf_put_byte(b, '\n');
            buf_put_fill(b, ' ', --depth * (size_t)indent);
            buf_put_byte(b, c);
            break;
        case ',':
            buf_put_byte(b, ',');
            buf_put_byte(b, '\n');
            buf_put_fill(b, ' ', depth * (size_t)indent);
            break;
        case ':':
            buf_put(b, ": ", 2);
            break;
        default:
            buf_put_byte(b, c);
        }
    }
}
