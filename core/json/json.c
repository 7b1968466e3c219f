#include "json/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "json/document.h"
#include "json/plain.h"

static const struct node *node_of(json v)
{
    return &v.doc->nodes[v.at];
}

json json_root(const struct json_doc *doc)
{
    return doc && doc->n ? (json){doc, 0} : JSON_NONE;
}

struct json_doc *json_doc_of(json v)
{
    return (struct json_doc *)(uintptr_t)v.doc; /* handles are const only for reading */
}

struct json_doc *json_detach(json v)
{
    return v.doc ? json_parse(json_raw(v), NULL) : NULL;
}

enum json_type json_type(json v)
{
    return v.doc ? (enum json_type)node_of(v)->type : JSON_MISSING;
}

str json_raw(json v)
{
    if (!v.doc) {
        return STR_ABSENT;
    }
    const struct node *n = node_of(v);
    return n->type == JSON_STRING ? (str){v.doc->text.p + n->at - 1, n->len + 2}
                                  : (str){v.doc->text.p + n->at, n->len};
}

static uint32_t hex4(const char *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        v = v << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return v;
}

static void decode(struct buf *out, str s)
{
    while (s.n) {
        size_t plain = str_find_byte(s, '\\', 0);
        plain = plain == SIZE_MAX ? s.n : plain;
        buf_put(out, s.p, plain);
        s = str_from(s, plain);
        if (!s.n) {
            return;
        }
        if (s.p[1] != 'u') {
            buf_put_byte(out, json_unescaped[(unsigned char)s.p[1]]);
            s = str_from(s, 2);
            continue;
        }
        uint32_t cp = hex4(s.p + 2);
        s = str_from(s, 6);
        if (cp >= 0xD800 && cp <= 0xDBFF && s.n >= 6 && s.p[0] == '\\' && s.p[1] == 'u') {
            uint32_t low = hex4(s.p + 2);
            if (low >= 0xDC00 && low <= 0xDFFF) {
                cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
                s = str_from(s, 6);
            }
        }
        utf8_put(out, cp);
    }
}

static str string_of(const struct json_doc *doc, uint32_t at)
{
    struct node *n = &doc->nodes[at];
    if (!n->escaped) {
        return (str){doc->text.p + n->at, n->len};
    }
    if (!n->decoded) {
        /* Decoding never makes a string longer, so the view below never grows. */
        struct buf out = {.p = arena_alloc(doc->strings, n->len + 1), .cap = n->len + 1};
        if (!out.p) {
            doc->strings->failed = false; /* this string is lost, others may still fit */
            return STR_ABSENT;
        }
        decode(&out, (str){doc->text.p + n->at, n->len});
        n->decoded = out.p;
        n->count = (uint32_t)out.n;
    }
    return (str){n->decoded, n->count};
}

str json_str(json v)
{
    return json_is(v, JSON_STRING) ? string_of(v.doc, v.at) : STR_ABSENT;
}

str json_text(json v)
{
    str s = json_str(v);
    return s.n ? s : STR_ABSENT;
}

bool json_is_true(json v)
{
    return json_is(v, JSON_TRUE);
}

bool json_is_bool(json v)
{
    return json_is(v, JSON_TRUE) || json_is(v, JSON_FALSE);
}

bool json_truthy(json v)
{
    double d;
    switch (json_type(v)) {
    case JSON_STRING:
        return node_of(v)->len > 0;
    case JSON_NUMBER:
        return json_double(v, &d) && d != 0 && !isnan(d);
    case JSON_TRUE:
    case JSON_ARRAY:
    case JSON_OBJECT:
        return true;
    default:
        return false;
    }
}

bool json_double(json v, double *out)
{
    if (!json_is(v, JSON_NUMBER)) {
        return false;
    }
    *out = strtod(json_raw(v).p, NULL); /* ends at the character behind the number */
    return true;
}

bool json_int(json v, int64_t *out)
{
    if (!json_is(v, JSON_NUMBER)) {
        return false;
    }
    str raw = json_raw(v);
    char *end;
    errno = 0;
    long long n = strtoll(raw.p, &end, 10);
    if (end == raw.p + raw.n && errno == 0) {
        *out = n;
        return true;
    }
    double d; /* 1e3 and 2.0 are whole numbers too */
    if (!json_double(v, &d) || !(d >= -9007199254740992.0 && d <= 9007199254740992.0) || d != floor(d)) {
        return false;
    }
    *out = (int64_t)d;
    return true;
}

int64_t json_int_or(json v, int64_t fallback)
{
    int64_t n;
    return json_int(v, &n) ? n : fallback;
}

json json_get_str(json v, str key)
{
    if (!json_is(v, JSON_OBJECT)) {
        return JSON_NONE;
    }
    const struct json_doc *d = v.doc;
    json found = JSON_NONE;
    for (uint32_t at = v.at + 1; at < d->nodes[v.at].end; at = d->nodes[at + 1].end) {
        const struct node *k = &d->nodes[at];
        if (k->escaped ? str_eq(string_of(d, at), key)
                       : k->len == key.n && memcmp(d->text.p + k->at, key.p, key.n) == 0) {
            found = (json){d, at + 1};
        }
    }
    return found;
}

json json_get(json v, const char *key)
{
    return json_get_str(v, str_of(key));
}

json json_path(json v, ...)
{
    va_list ap;
    va_start(ap, v);
    for (const char *key; (key = va_arg(ap, const char *));) {
        v = json_get(v, key);
    }
    va_end(ap);
    return v;
}

size_t json_count(json v)
{
    return json_is(v, JSON_ARRAY) || json_is(v, JSON_OBJECT) ? node_of(v)->count : 0;
}

struct json_iter json_each(json v)
{
    bool object = json_is(v, JSON_OBJECT);
    if (!object && !json_is(v, JSON_ARRAY)) {
        return (struct json_iter){.value = JSON_NONE};
    }
    return (struct json_iter){.doc = v.doc, .next = v.at + 1, .end = node_of(v)->end, .object = object};
}

bool json_next(struct json_iter *it)
{
    if (it->next >= it->end) {
        it->value = JSON_NONE;
        return false;
    }
    it->value = (json){it->doc, it->next + it->object};
    it->next = it->doc->nodes[it->value.at].end;
    return true;
}

str json_iter_key(const struct json_iter *it)
{
    return it->object && it->value.doc ? string_of(it->doc, it->value.at - 1) : STR_ABSENT;
}

bool json_iter_shadowed(const struct json_iter *it)
{
    str key = json_iter_key(it);
    for (uint32_t at = it->next; it->object && at < it->end; at = it->doc->nodes[at + 1].end) {
        if (str_eq(string_of(it->doc, at), key)) {
            return true;
        }
    }
    return false;
}

json json_nth(json v, size_t n)
{
    for (struct json_iter it = json_each(v); json_next(&it);) {
        if (n-- == 0) {
            return it.value;
        }
    }
    return JSON_NONE;
}
