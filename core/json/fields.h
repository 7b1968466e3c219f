/* Parameters read by a declared table straight into a structure.
 *
 * A row names a member, its type, where its value goes and whether it must be there. json_fields()
 * reads an object by such rows; what does not fit is reported by path and expectation, all of it at
 * once, so that every method gives the same precise error. */
#ifndef HERALD_JSON_FIELDS_H
#define HERALD_JSON_FIELDS_H

#include "json/json.h"

enum json_field_type {
    FIELD_STRING,  /* str: any string */
    FIELD_INT,     /* int64_t: a whole number */
    FIELD_BOOL,    /* bool */
    FIELD_OBJECT,  /* json: an object */
    FIELD_ARRAY,   /* json: an array */
    FIELD_STRINGS, /* json: an array of strings */
    FIELD_ANY,     /* json: anything */
    FIELD_CHECKED, /* json: what `check` accepts */
};

enum json_field_flags {
    FIELD_REQUIRED = 1, /* must be there */
    FIELD_LENIENT = 2,  /* a value of another type counts as absent */
    FIELD_NULLABLE = 4, /* null counts as absent */
};

/* What is wrong, as the JSON tree that mirrors the parameters: {"cwd":{"_errors":["…"]},"_errors":[]}. */
struct json_problems {
    struct buf tree;  /* members of the open object */
    struct buf first; /* the first one in words: "cwd: expected a string" */
    unsigned count;
};
#define JSON_PROBLEMS_INIT ((struct json_problems){0})
void json_problems_free(struct json_problems *p);

struct json_field {
    const char *name;
    enum json_field_type type;
    size_t offset;
    unsigned flags;
    /* For FIELD_CHECKED: NULL when the value is fine, else what was expected, a static text. */
    const char *(*check)(json v);
};

/* Reads `v` into `out`. A missing optional member leaves its place untouched. False when something was
 * wrong; `p` (zeroed by the caller) then says what. `v` must be an object itself. */
bool json_fields(json v, const struct json_field *rows, size_t n, void *out, struct json_problems *p);
/* Adds a problem by hand, under `name` (NULL: the parameters themselves). */
void json_problem(struct json_problems *p, const char *name, const char *expected);
/* The whole tree, an object. */
void json_put_problems(struct buf *b, const struct json_problems *p);

#endif
