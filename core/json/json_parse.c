#include <stdlib.h>

#include "base/utf8.h"
#include "json/document.h"
#include "json/plain.h"

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

const char json_unescaped[256] = {
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
        } else if (json_unescaped[c]) {
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
