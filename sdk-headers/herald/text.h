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

#ifdef __cplusplus
}
#endif
#endif
