#include "json/fields.h"

void json_problems_free(struct json_problems *p)
{
    buf_free(&p->tree);
    buf_free(&p->first);
}

void json_problem(struct json_problems *p, const char *name, const char *expected)
{
    if (!p->count++) {
        buf_printf(&p->first, "%s%s%s", name ? name : "", name ? ": " : "", expected);
    }
    if (!name) {
        return;
    }
    json_key(&p->tree, name);
    json_open_object(&p->tree);
    json_key(&p->tree, "_errors");
    json_open_array(&p->tree);
    json_put_c(&p->tree, expected);
    json_close_array(&p->tree);
    json_close_object(&p->tree);
}

void json_put_problems(struct buf *b, const struct json_problems *p)
{
    json_open_object(b);
    json_key(b, "_errors");
    json_open_array(b);
    if (p->count && !p->tree.n) {
        json_put_str(b, buf_str(&p->first));
    }
    json_close_array(b);
    if (p->tree.n) {
        json_put_raw(b, buf_str(&p->tree));
    }
    json_close_object(b);
}

static const char *check_strings(json v)
{
    if (!json_is(v, JSON_ARRAY)) {
        return "expected an array of strings";
    }
    for (struct json_iter it = json_each(v); json_next(&it);) {
        if (!json_is(it.value, JSON_STRING)) {
            return "expected an array of strings";
        }
    }
    return NULL;
}

/* Stores the value; what was expected when it does not fit. */
static const char *store(const struct json_field *row, json v, void *place)
{
    const char *wrong = NULL;
    switch (row->type) {
    case FIELD_STRING:
        if (!json_is(v, JSON_STRING)) {
            return "expected a string";
        }
        *(str *)place = json_str(v);
        return NULL;
    case FIELD_INT:
        return json_int(v, place) ? NULL : "expected an integer";
    case FIELD_BOOL:
        if (!json_is_bool(v)) {
            return "expected a boolean";
        }
        *(bool *)place = json_is_true(v);
        return NULL;
    case FIELD_OBJECT:
        wrong = json_is(v, JSON_OBJECT) ? NULL : "expected an object";
        break;
    case FIELD_ARRAY:
        wrong = json_is(v, JSON_ARRAY) ? NULL : "expected an array";
        break;
    case FIELD_STRINGS:
        wrong = check_strings(v);
        break;
    case FIELD_ANY:
        break;
    case FIELD_CHECKED:
        wrong = row->check(v);
        break;
    }
    if (!wrong) {
        *(json *)place = v;
    }
    return wrong;
}

bool json_fields(json v, const struct json_field *rows, size_t n, void *out, struct json_problems *p)
{
    if (!json_is(v, JSON_OBJECT)) {
        json_problem(p, NULL, json_present(v) ? "expected an object" : "the parameters are missing");
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const struct json_field *row = &rows[i];
        json member = json_get(v, row->name);
        if (!json_present(member) || (json_is(member, JSON_NULL) && (row->flags & FIELD_NULLABLE))) {
            if (row->flags & FIELD_REQUIRED) {
                json_problem(p, row->name, "is required");
            }
            continue;
        }
        const char *wrong = store(row, member, (char *)out + row->offset);
        if (wrong && !(row->flags & FIELD_LENIENT)) {
            json_problem(p, row->name, wrong);
        }
    }
    return p->count == 0;
}
