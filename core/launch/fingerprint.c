/* What makes two session requests equal: their parameters as JSON with sorted keys. */
#include <stdlib.h>

#include "launch/launch.h"

/* Deeper values are compared as they are written. */
enum { SORT_DEPTH = 64 };

/* They choose the session or are decided elsewhere, and do not shape a running process. */
static const char *const not_counted[] = {
    "agent",           "permissionMode", "cwd",       "includePartialMessages",
    "executable",      "continue",       "resume",    "resumeSessionAt",
    "resumeDropsTurn", "forkSession",    "sessionId", "title",
    "loadTimeoutMs",   "skills",
};

struct entry {
    str key;
    json value;
};

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static bool counted(str key)
{
    for (size_t i = 0; i < ARRAY_LEN(not_counted); i++) {
        if (str_is(key, not_counted[i])) {
            return false;
        }
    }
    return true;
}

static void put_canonical(struct arena *a, struct buf *b, json v, int depth);

static void put_object(struct arena *a, struct buf *b, json v, int depth, bool options)
{
    struct entry *list = arena_alloc(a, (json_count(v) + 1) * sizeof *list);
    size_t n = 0;

    for (struct json_iter it = json_each(v); list && json_next(&it);) {
        if (!json_iter_shadowed(&it) && (!options || counted(json_iter_key(&it)))) {
            list[n++] = (struct entry){json_iter_key(&it), it.value};
        }
    }
    if (n) {
        qsort(list, n, sizeof *list, by_key);
    }
    json_open_object(b);
    for (size_t i = 0; i < n; i++) {
        json_key_str(b, list[i].key);
        put_canonical(a, b, list[i].value, depth + 1);
    }
    json_close_object(b);
}

static void put_canonical(struct arena *a, struct buf *b, json v, int depth)
{
    if (depth < SORT_DEPTH && json_is(v, JSON_OBJECT)) {
        put_object(a, b, v, depth, false);
    } else if (depth < SORT_DEPTH && json_is(v, JSON_ARRAY)) {
        json_open_array(b);
        for (struct json_iter it = json_each(v); json_next(&it);) {
            put_canonical(a, b, it.value, depth + 1);
        }
        json_close_array(b);
    } else if (json_is(v, JSON_STRING)) {
        json_put_str(b, json_str(v));
    } else {
        json_put(b, v);
    }
}

/* The elements in the order of their names (`name` NULL: of their texts), repeated ones once. */
static void put_set(struct arena *a, struct buf *b, const char *key, json v, const char *name)
{
    struct entry *list = arena_alloc(a, (json_count(v) + 1) * sizeof *list);
    size_t n = 0;

    json_key(b, key);
    if (!json_is(v, JSON_ARRAY)) {
        put_canonical(a, b, v, 0);
        return;
    }
    for (struct json_iter it = json_each(v); list && json_next(&it);) {
        str by = name ? json_str(json_get(it.value, name)) : json_str(it.value);
        list[n++] = (struct entry){by.p ? by : json_raw(it.value), it.value};
    }
    if (n) {
        qsort(list, n, sizeof *list, by_key);
    }
    json_open_array(b);
    for (size_t i = 0; i < n; i++) {
        if (name || !i || !str_eq(list[i].key, list[i - 1].key)) {
            put_canonical(a, b, list[i].value, 1);
        }
    }
    json_close_array(b);
}

/* A list that is left out, null or empty asks for the same. */
static json list_or_none(json v)
{
    return json_count(v) ? v : JSON_NONE;
}

str launch_fingerprint(struct arena *a, const struct session_params *p)
{
    static const char *const meta[] = {"additionalRoots", "systemPrompt", "disableBuiltInTools"};
    json options = session_params_options(p);
    AUTO_BUF(b);

    json_open_object(&b);
    json_member_str(&b, "cwd", p->cwd);
    put_set(a, &b, "mcpServers", list_or_none(p->mcp_servers), "name");
    json_key(&b, "additionalDirectories");
    put_canonical(a, &b, list_or_none(p->additional_directories), 0);
    for (size_t i = 0; i < ARRAY_LEN(meta); i++) {
        json_key(&b, meta[i]);
        put_canonical(a, &b, json_get(p->meta, meta[i]), 0);
    }
    json_key(&b, "emitRawSDKMessages");
    put_canonical(a, &b, json_path(p->meta, "claudeCode", "emitRawSDKMessages", NULL), 0);
    put_set(a, &b, "skills", json_get(options, "skills"), NULL);
    json_key(&b, "options");
    put_object(a, &b, options, 0, true);
    json_close_object(&b);
    return buf_ok(&b) ? arena_buf(a, &b) : STR_ABSENT;
}
