#include "json/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "json/plain.h"

/* A value, or the key in front of it. Members of an object are key node, value, key node, value; a
 * container's `end` is the index behind its last descendant, so a sibling is found without looking
 * inside. */
struct node {
    size_t at, len; /* of the text: a string's without its quotes, a container's with its brackets */
    char *decoded;  /* of a string with escapes, once it was asked for; in the document's arena */
    uint32_t end;
    uint32_t count; /* of members or elements; the decoded length of a decoded string */
    uint8_t type;
    bool escaped; /* a string that has escapes */
};

struct json_doc {
    struct buf text;
    struct node *nodes;
    uint32_t n, cap;
    unsigned refs;
    struct arena *strings; /* decoded strings */
};

static struct json_doc *new_doc(void)
{
    struct box {
        struct json_doc doc;
        struct arena strings;
    } *box = calloc(1, sizeof(*box));
    if (!box) {
        return NULL;
    }
    box->doc.refs = 1;
    box->doc.strings = &box->strings;
    return &box->doc;
}

/* ---- Parsing ------------------------------------------------------------------------------------ */

struct parser {
    struct json_doc *doc;
    const char *p; /* the whole text, NUL-terminated */
    size_t n, at;
    const char *why;
};

static bool fail(struct parser *ps, const char *why)
{
    ps->why = why;
    return false;
}

static struct node *add_node(struct parser *ps, enum json_type type)
{
    struct json_doc *d = ps->doc;
    if (d->n == d->cap) {
        if (d->n >= JSON_VALUES_MAX) {
            ps->why = "too many values";
            return NULL;
        }
        uint32_t cap = d->cap ? d->cap * 2 : 64;
        cap = cap < JSON_VALUES_MAX ? cap : JSON_VALUES_MAX;
        struct node *nodes = realloc(d->nodes, cap * sizeof(*nodes));
        if (!nodes) {
            ps->why = "out of memory";
            return NULL;
        }
        d->nodes = nodes;
        d->cap = cap;
    }
    struct node *node = &d->nodes[d->n++];
    *node = (struct node){.at = ps->at, .end = d->n, .type = (uint8_t)type};
    return node;
}

static void skip_space(struct parser *ps)
{
    while (ps->at < ps->n) {
        char c = ps->p[ps->at];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            return;
        }
        ps->at++;
    }
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* What the letter of a short escape stands for; 0 for another letter. */
static const char unescaped[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

static bool parse_string(struct parser *ps)
{
    ps->at++;
    struct node *node = add_node(ps, JSON_STRING);
    if (!node) {
        return false;
    }
    for (;;) {
        ps->at += json_plain_run(ps->p + ps->at, ps->n - ps->at);
        if (ps->at >= ps->n) {
            return fail(ps, "a string that does not end");
        }
        if (ps->p[ps->at] == '"') {
            break;
        }
        if (ps->p[ps->at] != '\\') {
            return fail(ps, "a control character in a string");
        }
        node->escaped = true;
        unsigned char c = (unsigned char)ps->p[ps->at + 1]; /* at the end it is the terminating NUL */
        if (c == 'u') {
            for (size_t i = 2; i < 6; i++) {
                if (ps->at + i >= ps->n || !is_hex(ps->p[ps->at + i])) {
                    return fail(ps, "a bad \\u escape");
                }
            }
            ps->at += 6;
        } else if (unescaped[c]) {
            ps->at += 2;
        } else {
            return fail(ps, "a bad escape");
        }
    }
    node->len = ps->at++ - node->at;
    return true;
}

static size_t digits(struct parser *ps)
{
    size_t from = ps->at;
    while (ps->p[ps->at] >= '0' && ps->p[ps->at] <= '9') {
        ps->at++;
    }
    return ps->at - from;
}

static bool parse_number(struct parser *ps)
{
    struct node *node = add_node(ps, JSON_NUMBER);
    if (!node) {
        return false;
    }
    if (ps->p[ps->at] == '-') {
        ps->at++;
    }
    if (ps->p[ps->at] == '0') {
        ps->at++;
    } else if (!digits(ps)) {
        return fail(ps, "a bad number");
    }
    if (ps->p[ps->at] == '.') {
        ps->at++;
        if (!digits(ps)) {
            return fail(ps, "a bad number");
        }
    }
    if (ps->p[ps->at] == 'e' || ps->p[ps->at] == 'E') {
        ps->at++;
        if (ps->p[ps->at] == '+' || ps->p[ps->at] == '-') {
            ps->at++;
        }
        if (!digits(ps)) {
            return fail(ps, "a bad number");
        }
    }
    node->len = ps->at - node->at;
    return true;
}

static bool parse_word(struct parser *ps, const char *word, enum json_type type)
{
    size_t n = strlen(word);
    if (ps->n - ps->at < n || memcmp(ps->p + ps->at, word, n) != 0) {
        return fail(ps, "a bad word");
    }
    struct node *node = add_node(ps, type);
    if (!node) {
        return false;
    }
    node->len = n;
    ps->at += n;
    return true;
}

static bool parse_scalar(struct parser *ps)
{
    switch (ps->p[ps->at]) {
    case '"':
        return parse_string(ps);
    case 't':
        return parse_word(ps, "true", JSON_TRUE);
    case 'f':
        return parse_word(ps, "false", JSON_FALSE);
    case 'n':
        return parse_word(ps, "null", JSON_NULL);
    default:
        return parse_number(ps);
    }
}

static bool parse_key(struct parser *ps)
{
    skip_space(ps);
    if (ps->p[ps->at] != '"') {
        return fail(ps, "a member without a name");
    }
    if (!parse_string(ps)) {
        return false;
    }
    skip_space(ps);
    if (ps->p[ps->at] != ':') {
        return fail(ps, "a name without a colon");
    }
    ps->at++;
    skip_space(ps);
    return true;
}

/* One loop for all depths: `open` is the innermost container, and its `end` holds the index of the one
 * around it (plus one) until it closes. */
static bool parse_value(struct parser *ps)
{
    struct json_doc *d = ps->doc;
    uint32_t open = UINT32_MAX;
    size_t depth = 0;
    skip_space(ps);
    for (;;) {
        char c = ps->p[ps->at];
        if (c == '{' || c == '[') {
            if (++depth > JSON_DEPTH_MAX) {
                return fail(ps, "nested too deep");
            }
            struct node *node = add_node(ps, c == '{' ? JSON_OBJECT : JSON_ARRAY);
            if (!node) {
                return false;
            }
            node->end = open;
            open = d->n - 1;
            ps->at++;
            skip_space(ps);
            if (ps->p[ps->at] != (c == '{' ? '}' : ']')) {
                if (c == '{' && !parse_key(ps)) {
                    return false;
                }
                continue;
            }
        } else if (!parse_scalar(ps)) {
            return false;
        } else if (open != UINT32_MAX) {
            d->nodes[open].count++;
        }
        for (;;) { /* behind a value, or at the end of an empty container */
            skip_space(ps);
            if (open == UINT32_MAX) {
                return true;
            }
            struct node *box = &d->nodes[open];
            c = ps->p[ps->at];
            if (c == ',' && box->count) {
                ps->at++;
                skip_space(ps);
                if (box->type == JSON_OBJECT && !parse_key(ps)) {
                    return false;
                }
                break;
            }
            if (c != (box->type == JSON_OBJECT ? '}' : ']')) {
                return fail(ps, "a comma or a bracket is missing");
            }
            uint32_t around = box->end;
            box->len = ++ps->at - box->at;
            box->end = d->n;
            open = around;
            depth--;
            if (open != UINT32_MAX) {
                d->nodes[open].count++;
            }
        }
    }
}

static bool parse_into(struct json_doc *d, str text, const char **why)
{
    struct parser ps = {.doc = d};
    d->n = 0;
    arena_reset(d->strings);
    buf_clear(&d->text);
    if (utf8_valid_until(text) == text.n) {
        buf_put_str(&d->text, text);
    } else {
        utf8_repair(&d->text, text);
    }
    if (!buf_reserve(&d->text, 0)) {
        ps.why = "out of memory";
    } else {
        ps.p = d->text.p;
        ps.n = d->text.n;
        if (parse_value(&ps) && ps.at != ps.n) {
            ps.why = "text behind the value";
        }
    }
    if (why) {
        *why = ps.why;
    }
    return ps.why == NULL;
}

struct json_doc *json_parse(str text, const char **why)
{
    struct json_doc *d = new_doc();
    if (!d) {
        if (why) {
            *why = "out of memory";
        }
        return NULL;
    }
    if (!parse_into(d, text, why)) {
        json_unref(d);
        return NULL;
    }
    return d;
}

struct json_doc *json_parse_reuse(struct json_doc **spare, str text, const char **why)
{
    enum { KEEP_TEXT = 256 * 1024, KEEP_NODES = 8192 };
    struct json_doc *d = *spare;
    if (!d || d->refs != 1 || d->text.cap > KEEP_TEXT || d->cap > KEEP_NODES) {
        json_unref(d);
        *spare = d = new_doc();
        if (!d) {
            if (why) {
                *why = "out of memory";
            }
            return NULL;
        }
    }
    return parse_into(d, text, why) ? json_ref(d) : NULL;
}

struct json_doc *json_ref(struct json_doc *doc)
{
    doc->refs++;
    return doc;
}

void json_unref(struct json_doc *doc)
{
    if (!doc || --doc->refs) {
        return;
    }
    arena_free(doc->strings);
    free(doc->nodes);
    buf_free(&doc->text);
    free(doc);
}

void json_unref_cleanup(struct json_doc **doc)
{
    json_unref(*doc);
}

size_t json_doc_memory(const struct json_doc *doc)
{
    return sizeof(*doc) + doc->text.cap + doc->cap * sizeof(*doc->nodes);
}

/* ---- Reading ------------------------------------------------------------------------------------ */

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
            buf_put_byte(out, unescaped[(unsigned char)s.p[1]]);
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
