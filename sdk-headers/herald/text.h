/* herald/text.h - building texts in a reporter. Optional, header only.
 *
 * ABI 1.0. A herald_text collects pieces in scratch memory:
 *
 *     herald_text t = herald_text_begin(call->host, facts);
 *     herald_text_add(&t, HERALD_STRING("Read "));
 *     herald_text_add(&t, path);
 *     h->set_title(facts, HERALD_BOTH, herald_text_end(&t));
 *
 * When memory is out the text is dropped: herald_text_end() then answers with no text.
 */
#ifndef HERALD_TEXT_H
#define HERALD_TEXT_H

#include <string.h>

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct herald_text {
    const herald_host *host;
    herald_facts *facts;
    char *data;
    size_t size, capacity;
    bool failed;
} herald_text;

/* An empty text. It is valid until the callback returns; nothing needs to be freed. */
static inline herald_text herald_text_begin(const herald_host *host, herald_facts *facts)
{
    herald_text t;
    memset(&t, 0, sizeof(t));
    t.host = host;
    t.facts = facts;
    return t;
}

/* Appends a piece; one without text adds nothing. */
static inline void herald_text_add(herald_text *t, herald_string piece)
{
    if (t->failed || piece.size == 0) {
        return;
    }
    if (piece.size > t->capacity - t->size) {
        size_t capacity = t->capacity * 2 + piece.size + 64;
        char *data = (char *)t->host->scratch(t->facts, capacity);
        if (!data) {
            t->failed = true;
            return;
        }
        if (t->size) {
            memcpy(data, t->data, t->size);
        }
        t->data = data;
        t->capacity = capacity;
    }
    memcpy(t->data + t->size, piece.data, piece.size);
    t->size += piece.size;
}

/* Appends a whole number in decimal digits. */
static inline void herald_text_add_integer(herald_text *t, int64_t n)
{
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    herald_string piece;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (n < 0) {
        digits[--at] = '-';
    }
    piece.data = digits + at;
    piece.size = sizeof(digits) - at;
    herald_text_add(t, piece);
}

/* Appends a JSON value that is not a list or an object as a person writes it: a string as its text, a number,
 * true, false and null as they stand. Any other value adds nothing. */
static inline void herald_text_add_scalar(herald_text *t, herald_value value)
{
    switch (t->host->type(value)) {
    case HERALD_TEXT:
        herald_text_add(t, t->host->text(value));
        break;
    case HERALD_NULL:
    case HERALD_BOOLEAN:
    case HERALD_NUMBER:
        herald_text_add(t, t->host->json(t->facts, value, 0));
        break;
    default:
        break;
    }
}

/* Appends `s` as a JSON string, with its quotes, as set_raw_output() and add_extra() want their JSON. */
static inline void herald_text_add_json_string(herald_text *t, herald_string s)
{
    static const char hex[] = "0123456789abcdef";
    size_t from = 0, at = 0;
    herald_string piece;
    herald_text_add(t, HERALD_STRING("\""));
    while (at < s.size) {
        unsigned char c = (unsigned char)s.data[at];
        /* A lone surrogate, ED A0..BF xx, is not UTF-8: JSON has an escape for it. */
        bool surrogate = c == 0xed && s.size - at >= 3 && (unsigned char)s.data[at + 1] >= 0xa0;
        unsigned code = c;
        char escape[6] = {'\\', 'u', 0, 0, 0, 0};
        if (c >= 0x20 && c != '"' && c != '\\' && !surrogate) {
            at++;
            continue;
        }
        if (surrogate) {
            code = 0xd000u | ((unsigned char)s.data[at + 1] & 0x3fu) << 6 |
                   ((unsigned char)s.data[at + 2] & 0x3fu);
        }
        escape[2] = hex[code >> 12 & 15];
        escape[3] = hex[code >> 8 & 15];
        escape[4] = hex[code >> 4 & 15];
        escape[5] = hex[code & 15];
        piece.data = s.data + from;
        piece.size = at - from;
        herald_text_add(t, piece);
        piece.data = escape;
        piece.size = sizeof(escape);
        if (c == '\n') {
            escape[1] = 'n';
            piece.size = 2;
        } else if (c == '"' || c == '\\') {
            escape[1] = s.data[at];
            piece.size = 2;
        }
        herald_text_add(t, piece);
        at += surrogate ? 3 : 1;
        from = at;
    }
    if (from < s.size) {
        piece.data = s.data + from;
        piece.size = s.size - from;
        herald_text_add(t, piece);
    }
    herald_text_add(t, HERALD_STRING("\""));
}

/* The whole text; the empty one when nothing was added. */
static inline herald_string herald_text_end(const herald_text *t)
{
    herald_string s;
    s.data = t->failed ? NULL : t->data ? t->data : "";
    s.size = t->failed ? 0 : t->size;
    return s;
}

/* True when both are the same bytes; two without text are equal. */
static inline bool herald_string_equal(herald_string a, herald_string b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* True when `s` begins (ends) with the other text. */
static inline bool herald_string_starts(herald_string s, herald_string prefix)
{
    return s.size >= prefix.size && (prefix.size == 0 || memcmp(s.data, prefix.data, prefix.size) == 0);
}
static inline bool herald_string_ends(herald_string s, herald_string suffix)
{
    return s.size >= suffix.size &&
           (suffix.size == 0 || memcmp(s.data + (s.size - suffix.size), suffix.data, suffix.size) == 0);
}

/* The text of an object's member; no text when there is no such member or it is not a string. */
static inline herald_string herald_member_text(const herald_host *host, herald_value object,
                                               herald_string name)
{
    return host->text(host->member(object, name));
}

#ifdef __cplusplus
}
#endif
#endif
