#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "json/json.h"
#include "json/plain.h"

/* A comma is due behind a value, that is unless the buffer is empty or ends in a byte after which a
 * value or key comes first. A string that ends in one of them still ends in its quote. */
static void separate(struct buf *b)
{
    char last = '[';
    if (b->n) {
        last = b->p[b->n - 1];
    }
    if (last != '{' && last != '[' && last != ':' && last != ',' && last != '\n') {
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

/* Writes what cannot stand as it is, a lone surrogate or one byte, and says how many bytes of `s` that was.
 */
static size_t put_escape(struct buf *b, str s)
{
    static const char short_form[0x60] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\',
    };
    unsigned char c = (unsigned char)s.p[0];
    if (c < sizeof(short_form) && short_form[c]) {
        buf_put(b, (const char[]){'\\', short_form[c]}, 2);
        return 1;
    }
    size_t used = 0;
    uint32_t cp = utf8_next(s, &used);
    char text[7];
    snprintf(text, sizeof(text), "\\u%04x", (unsigned)(cp & 0xFFFF));
    buf_put(b, text, 6);
    return used;
}

/* Where the first surrogate begins; SIZE_MAX when there is none. */
static size_t find_surrogate(str s)
{
    for (size_t at = 0; (at = str_find_byte(s, '\xED', at)) != SIZE_MAX; at++) {
        if (s.n - at >= 3 && (unsigned char)s.p[at + 1] >= 0xA0) {
            return at;
        }
    }
    return SIZE_MAX;
}

static void put_quoted(struct buf *b, str s)
{
    size_t surrogate = find_surrogate(s);
    buf_put_byte(b, '"');
    for (;;) {
        /* The room for all that is left is made first: at most an escape needs more. */
        if (!buf_reserve(b, s.n + 1)) {
            return;
        }
        size_t run = json_plain_run(s.p, s.n < surrogate ? s.n : surrogate);
        memcpy(b->p + b->n, s.p, run);
        b->n += run;
        if (run == s.n) {
            break;
        }
        size_t used = run + put_escape(b, str_from(s, run));
        surrogate = run == surrogate ? find_surrogate(str_from(s, used)) : surrogate - used;
        s = str_from(s, used);
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
