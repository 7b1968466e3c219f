#include "tool/input_change.h"

#include "base/path.h"

enum {
    DEPTH_MAX = 100,    /* below it the texts are compared */
    WORK_MAX = 1 << 22, /* members looked at in all; an input beyond it counts as changed */
};

struct comparison {
    const struct input_setting *at;
    size_t work;
    bool path; /* the values at hand are those of a key for a path */
};

static enum input_change compare(struct comparison *c, json shown, json given, unsigned depth);

static bool is_too_much(const struct comparison *c)
{
    return c->work > WORK_MAX;
}

static bool goes_on(const struct comparison *c, enum input_change change)
{
    return change < INPUT_CHANGED && !is_too_much(c);
}

static enum input_change worse(enum input_change a, enum input_change b)
{
    return a > b ? a : b;
}

/* ---- Single values ---- */

static bool is_blank(json v)
{
    switch (json_type(v)) {
    case JSON_ARRAY:
    case JSON_OBJECT:
        return json_count(v) == 0;
    default:
        return !json_truthy(v);
    }
}

/* The path that a tool is told, made absolute. */
static bool is_path_of(const struct input_setting *at, str shown, str given)
{
    AUTO_ARENA(mem);
    if (!path_is_absolute(given) || !shown.n || shown.n > given.n + at->home.n + at->cwd.n) {
        return false;
    }
    bool home = shown.p[0] == '~' && (shown.n == 1 || shown.p[1] == '/');
    str path = home ? path_resolve(&mem, at->home, str_from(shown, shown.n > 1 ? 2 : 1))
                    : path_resolve(&mem, at->cwd, shown);
    return arena_ok(&mem) && str_eq(path, path_resolve(&mem, STR("/"), given));
}

static str scalar_text(json v)
{
    str text = json_str(v);
    return text.p ? text : json_raw(v);
}

static bool is_container(json v)
{
    return json_is(v, JSON_OBJECT) || json_is(v, JSON_ARRAY);
}

static enum input_change compare_scalars(struct comparison *c, json shown, json given)
{
    str a = scalar_text(shown), b = scalar_text(given);
    double x, y;
    bool same = str_eq(a, b) || (json_double(shown, &x) && json_double(given, &y) && x == y) ||
                (is_blank(shown) && is_blank(given)) ||
                (c->path && json_is(given, JSON_STRING) && is_path_of(c->at, a, b));
    return same ? INPUT_SAME : INPUT_CHANGED;
}

/* ---- Objects and lists ---- */

/* The value stood under another key, which is gone. */
static bool was_renamed(struct comparison *c, json shown, json given, json value, unsigned depth)
{
    for (struct json_iter it = json_each(shown); !is_too_much(c) && json_next(&it);) {
        c->work += json_count(given) + 1;
        if (!json_present(json_get_str(given, json_iter_key(&it))) &&
            compare(c, it.value, value, depth + 1) == INPUT_SAME) {
            return true;
        }
    }
    return false;
}

static enum input_change added(struct comparison *c, json shown, json given, json value, unsigned depth)
{
    if (depth == 0 && c->at->added) {
        return INPUT_SAME;
    }
    if (c->at->exact) {
        return INPUT_CHANGED;
    }
    if (is_blank(value) || was_renamed(c, shown, given, value, depth)) {
        return INPUT_SAME;
    }
    return json_is(value, JSON_NUMBER) ? INPUT_FILLED : INPUT_CHANGED;
}

/* Claude leaves out keys that a tool does not know, and those that it has added itself. */
static bool counts_as_dropped(const struct comparison *c, json value)
{
    return c->at->exact || json_is_true(value);
}

static enum input_change compare_objects(struct comparison *c, json shown, json given, unsigned depth)
{
    enum input_change change = INPUT_SAME;
    for (struct json_iter it = json_each(given); goes_on(c, change) && json_next(&it);) {
        c->work += json_count(shown) + 1;
        str key = json_iter_key(&it);
        json value = json_get_str(given, key), before = json_get_str(shown, key);
        c->path = str_ends(key, STR("path"));
        change = worse(change, json_present(before) ? compare(c, before, value, depth + 1)
                                                    : added(c, shown, given, value, depth));
    }
    for (struct json_iter it = json_each(shown); goes_on(c, change) && json_next(&it);) {
        c->work += json_count(given) + 1;
        if (counts_as_dropped(c, it.value) && !json_present(json_get_str(given, json_iter_key(&it))) &&
            !was_renamed(c, given, shown, it.value, depth)) {
            change = INPUT_CHANGED;
        }
    }
    return is_too_much(c) ? INPUT_CHANGED : change;
}

static enum input_change compare_lists(struct comparison *c, json shown, json given, unsigned depth)
{
    enum input_change change = json_count(shown) == json_count(given) ? INPUT_SAME : INPUT_CHANGED;
    struct json_iter a = json_each(shown), b = json_each(given);
    while (change < INPUT_CHANGED && json_next(&a) && json_next(&b)) {
        c->work++;
        change = worse(change, compare(c, a.value, b.value, depth + 1));
    }
    return change;
}

/* A model may write a list or an object as a text, which Claude reads. */
static enum input_change compare_written(struct comparison *c, json shown, json given, unsigned depth)
{
    AUTO_JSON(read) = json_parse(json_str(shown), NULL);
    return read ? compare(c, json_root(read), given, depth + 1) : INPUT_CHANGED;
}

static enum input_change compare(struct comparison *c, json shown, json given, unsigned depth)
{
    if (str_eq(json_raw(shown), json_raw(given))) {
        return INPUT_SAME;
    }
    if (depth > DEPTH_MAX || is_too_much(c)) {
        return INPUT_CHANGED;
    }
    if (json_is(shown, JSON_OBJECT) && json_is(given, JSON_OBJECT)) {
        return compare_objects(c, shown, given, depth);
    }
    if (json_is(shown, JSON_ARRAY) && json_is(given, JSON_ARRAY)) {
        return compare_lists(c, shown, given, depth);
    }
    if (json_is(shown, JSON_STRING) && is_container(given)) {
        return compare_written(c, shown, given, depth);
    }
    if (is_container(shown) || is_container(given)) {
        return is_blank(shown) && is_blank(given) ? INPUT_SAME : INPUT_CHANGED;
    }
    return compare_scalars(c, shown, given);
}

enum input_change input_compare(json shown, json given, const struct input_setting *at)
{
    struct comparison c = {.at = at};
    return compare(&c, shown, given, 0);
}
