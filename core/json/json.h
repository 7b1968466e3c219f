/* JSON as it comes over the wire: read once, kept whole, passed on unchanged.
 *
 * A document owns one text and a flat array of nodes in document order; a value is a small handle
 * into it. Nothing is copied: a string without escapes is a piece of the text, one with escapes is
 * decoded when it is first asked for. What Herald passes on (tool inputs, results, ids) goes out as
 * the very text that came in, so numbers keep their digits and objects the order of their keys.
 *
 * That is why the wire is not read with cJSON: it cuts strings at U+0000, refuses lone surrogates,
 * keeps numbers as doubles and recurses. cJSON serves where trees are merged and changed
 * (session/settings). Here strings have lengths, lone surrogates live on as WTF-8, parsing does not recurse,
 * and depth and number of values are bounded.
 *
 * Every accessor takes a missing value and answers with a missing one, so a path is read without
 * checks: json_str(json_get(json_get(m, "message"), "id")). Of equal keys the last one counts, as in
 * JavaScript, so that Herald and its peers never read the same line differently. */
#ifndef HERALD_JSON_JSON_H
#define HERALD_JSON_JSON_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum json_type {
    JSON_MISSING,
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

enum {
    JSON_DEPTH_MAX = 10000,
    JSON_VALUES_MAX = 4000000,
};

struct json_doc;
typedef struct json {
    const struct json_doc *doc;
    uint32_t at;
} json;
#define JSON_NONE ((json){NULL, 0})

/* Parses one JSON text and takes a copy of it. Invalid UTF-8 is repaired with U+FFFD. NULL when it is
 * not JSON, is nested or has values beyond the limits, or memory is out; `*why` (may be NULL) then
 * names the reason, a static text. The caller owns one reference. */
struct json_doc *json_parse(str text, const char **why) WARN_UNUSED;
struct json_doc *json_ref(struct json_doc *doc);
/* Gives a reference back; NULL is fine. */
void json_unref(struct json_doc *doc);
void json_unref_cleanup(struct json_doc **doc);
/* What a document takes of the memory, in bytes; for a short text that is many times its length. */
size_t json_doc_memory(const struct json_doc *doc);
/* A document that is given back when its scope ends; give it its value at once. */
#define AUTO_JSON(name) CLEANUP(json_unref_cleanup) struct json_doc *name
/* Parses into `*spare` when nobody else refers to it, so that a stream of lines allocates nothing;
 * else as json_parse(), and `*spare` becomes the new document. */
struct json_doc *json_parse_reuse(struct json_doc **spare, str text, const char **why) WARN_UNUSED;

json json_root(const struct json_doc *doc);
/* The document of a value, for json_ref(); NULL for a missing one. */
struct json_doc *json_doc_of(json v);
/* A document of its own that holds `v`; NULL when `v` is missing or memory is out. */
struct json_doc *json_detach(json v) WARN_UNUSED;

enum json_type json_type(json v);
static inline bool json_present(json v)
{
    return v.doc != NULL;
}
static inline bool json_is(json v, enum json_type type)
{
    return json_type(v) == type;
}
/* Absent, null, false, 0 and "" are not; everything else is. */
bool json_truthy(json v);
bool json_is_true(json v);
bool json_is_bool(json v);
/* The text of the value exactly as it was written (compact when the sender wrote it compact). */
str json_raw(json v);
/* The decoded string, WTF-8; absent when the value is not a string (or memory is out). Lives as long
 * as the document. */
str json_str(json v);
/* As json_str(), but also absent when the string is empty. */
str json_text(json v);
/* False when the value is not a number, or not a whole one within the type. */
bool json_int(json v, int64_t *out);
bool json_double(json v, double *out);
int64_t json_int_or(json v, int64_t fallback);

/* The member of an object; missing when there is none or `v` is no object. */
json json_get(json v, const char *key);
json json_get_str(json v, str key);
/* A path of keys, ended by NULL. */
json json_path(json v, ...) __attribute__((sentinel));
/* The number of members or elements. */
size_t json_count(json v);
/* The n-th element or member value. Linear; iterate with json_each. */
json json_nth(json v, size_t n);
/* Iteration over an array or object: struct json_iter it = json_each(v); while (json_next(&it)) …
 * it.value is the value and, for an object, json_iter_key(&it) its key. Repeated keys come each time. */
struct json_iter {
    json value;
    const struct json_doc *doc;
    uint32_t next, end;
    bool object;
};
struct json_iter json_each(json v);
bool json_next(struct json_iter *it);
str json_iter_key(const struct json_iter *it);
/* True when the member just returned is repeated later in its object, so that it does not count. */
bool json_iter_shadowed(const struct json_iter *it);

/* ---- Writing -------------------------------------------------------------------------------------
 * Compact JSON straight into a buffer. A comma is written where one is due, by the byte before. */
void json_open_object(struct buf *b);
void json_close_object(struct buf *b);
void json_open_array(struct buf *b);
void json_close_array(struct buf *b);
/* `key` needs no escape: it is a name in the source. */
void json_key(struct buf *b, const char *key);
void json_key_str(struct buf *b, str key);
/* A string from WTF-8; lone surrogates and control characters become escapes. Absent writes null. */
void json_put_str(struct buf *b, str s);
void json_put_c(struct buf *b, const char *c);
void json_put_int(struct buf *b, int64_t n);
/* The shortest text that reads back as the same double; null for one that is not finite. */
void json_put_double(struct buf *b, double d);
void json_put_bool(struct buf *b, bool v);
void json_put_null(struct buf *b);
/* JSON text that is known to be valid. */
void json_put_raw(struct buf *b, str raw);
/* A value as it came; null when it is missing. */
void json_put(struct buf *b, json v);
/* Members. The str and value forms write nothing when the value is absent or missing. */
void json_member_str(struct buf *b, const char *key, str s);
void json_member_c(struct buf *b, const char *key, const char *c);
void json_member_int(struct buf *b, const char *key, int64_t n);
void json_member_double(struct buf *b, const char *key, double d);
void json_member_bool(struct buf *b, const char *key, bool v);
void json_member_raw(struct buf *b, const char *key, str raw);
void json_member(struct buf *b, const char *key, json v);
void json_member_null(struct buf *b, const char *key);
/* The value with `indent` blanks a level, as JSON.stringify(v, null, indent) lays it out. */
void json_put_indented(struct buf *b, json v, int indent);

#endif
