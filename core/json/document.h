/* A parsed document: for json_parse.c, which makes it, and json.c, which reads it. */
#ifndef HERALD_JSON_DOCUMENT_H
#define HERALD_JSON_DOCUMENT_H

#include "json/json.h"

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

/* What the letter of a short escape stands for; 0 for another letter. */
extern const char json_unescaped[256];

#endif
