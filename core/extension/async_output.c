#include "extension/async_output.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/js_space.h"

enum {
    RESULTS_MAX = 500, /* results whose paths are remembered */
    PATHS_MAX = 8192,  /* bytes of paths that are kept of one */
};

static const char SUFFIX[] = ".output";

struct async_output {
    struct list link;
    char *call;
    struct buf paths; /* one a line */
};

static void free_output(struct async_output *o)
{
    list_remove(&o->link);
    buf_free(&o->paths);
    free(o->call);
    free(o);
}

void async_outputs_free(struct async_tasks *at)
{
    map_free(&at->outputs, NULL);
    LIST_EACH(o, &at->output_order, struct async_output, link) {
        free_output(o);
    }
}

/* What may follow a path in a sentence: its period, white space, or nothing. */
static bool ends_path(str text, size_t at)
{
    if (at < text.n && text.p[at] == '.') {
        at++;
    }
    return at >= text.n || space_at(text, at);
}

/* The path that ends at `end`: it begins behind the nearest ": " on its line, and is absolute. */
static str path_before(str text, size_t end)
{
    size_t from = end;
    while (from > 0 && text.p[from - 1] != '\n') {
        if (from >= 2 && text.p[from - 1] == ' ' && text.p[from - 2] == ':') {
            break;
        }
        from--;
    }
    str path = str_first(str_from(text, from), end - from);
    return path.n && path.p[0] == '/' ? path : STR_ABSENT;
}

/* The next output path at or after *at: of the task `id`, or of any when it is absent. */
static str next_path(str text, size_t *at, str id)
{
    for (size_t dot; (dot = str_find(text, str_of(SUFFIX), *at)) != SIZE_MAX;) {
        size_t end = dot + sizeof(SUFFIX) - 1;
        *at = end;
        str path = ends_path(text, end) ? path_before(text, end) : STR_ABSENT;
        if (!path.p) {
            continue;
        }
        str stem = str_first(path, path.n - (sizeof(SUFFIX) - 1));
        size_t folder = str_rfind(stem, STR("/tasks/"));
        str name = folder == SIZE_MAX ? STR_ABSENT : str_from(stem, folder + 7);
        bool whole = name.n && str_find_byte(name, '/', 0) == SIZE_MAX;
        if (whole && (!id.p || str_eq(name, id))) {
            return path;
        }
    }
    return STR_ABSENT;
}

str async_output_path(str text, str id)
{
    size_t at = 0;
    return id.n ? next_path(text, &at, id) : STR_ABSENT;
}

static struct async_output *open_output(struct async_tasks *at, str call_id)
{
    struct async_output *o = map_get(&at->outputs, call_id);
    if (o) {
        return o;
    }
    o = calloc(1, sizeof(*o));
    if (!o) {
        return NULL;
    }
    list_init(&o->link);
    o->call = str_dup(call_id);
    if (!o->call || !map_put(&at->outputs, call_id, o, NULL)) {
        free_output(o);
        return NULL;
    }
    list_append(&at->output_order, &o->link);
    if (at->outputs.used > RESULTS_MAX) {
        struct async_output *oldest = LIST_FIRST(&at->output_order, struct async_output, link);
        map_remove(&at->outputs, str_of(oldest->call));
        free_output(oldest);
    }
    return o;
}

void async_output_remember(struct async_tasks *at, str call_id, str text)
{
    size_t from = 0;
    str path = call_id.n ? next_path(text, &from, STR_ABSENT) : STR_ABSENT;
    struct async_output *o = path.p ? open_output(at, call_id) : NULL;
    if (!o) {
        return;
    }
    buf_clear(&o->paths);
    for (; path.p; path = next_path(text, &from, STR_ABSENT)) {
        if (o->paths.n + path.n < PATHS_MAX) {
            buf_put_c(&o->paths, ": ");
            buf_put_str(&o->paths, path);
            buf_put_byte(&o->paths, '\n');
        }
    }
}

void async_output_of_call(struct async_tasks *at, struct async_task *t)
{
    struct async_output *o = map_get(&at->outputs, buf_str(&t->now[ASYNC_CALL]));
    str path =
        o && !t->now[ASYNC_OUTPUT].n ? async_output_path(buf_str(&o->paths), str_of(t->id)) : STR_ABSENT;
    buf_put_str(&t->now[ASYNC_OUTPUT], path);
}

void async_result_text(struct buf *out, json content)
{
    if (json_is(content, JSON_STRING)) {
        buf_put_str(out, json_str(content));
        return;
    }
    for (struct json_iter it = json_each(content); json_next(&it);) {
        str text = json_text(json_get(it.value, "text"));
        if (text.p) {
            buf_put_str(out, text);
            buf_put_byte(out, '\n');
        }
    }
}

/* ---- Which result a background task belongs to ---- */

/* The only task that the structured result names; absent when there is none, or more than one. `*owner`
 * becomes the tool call that stands beside it, if any. */
static str named_task(json structured, str *owner)
{
    str task = STR_ABSENT;
    bool many = false;
    *owner = STR_ABSENT;
    json alone = json_get(structured, "backgroundTaskId");
    if (json_is(structured, JSON_OBJECT)) {
        *owner = json_text(json_get(structured, "tool_use_id"));
        return json_text(alone);
    }
    if (!json_is(structured, JSON_ARRAY)) {
        return STR_ABSENT;
    }
    for (struct json_iter it = json_each(structured); json_next(&it);) {
        str id = json_text(json_get(it.value, "backgroundTaskId"));
        if (!id.p) {
            continue;
        }
        many = many || (task.p && !str_eq(task, id));
        task = id;
        *owner = json_text(json_get(it.value, "tool_use_id"));
    }
    return many ? STR_ABSENT : task;
}

static bool names_output(json block, str task)
{
    AUTO_BUF(text);
    async_result_text(&text, json_get(block, "content"));
    return async_output_path(buf_str(&text), task).p != NULL;
}

str async_background_call(json message, bool (*is_shell)(void *user, str call_id), void *user, str *task)
{
    str owner, only = STR_ABSENT, by_output = STR_ABSENT;
    size_t shells = 0;
    *task = named_task(json_get(message, "tool_use_result"), &owner);
    if (!task->p) {
        return STR_ABSENT;
    }
    for (struct json_iter it = json_each(json_path(message, "message", "content", NULL)); json_next(&it);) {
        str call = json_text(json_get(it.value, "tool_use_id"));
        if (!call.p || !is_shell(user, call)) {
            continue;
        }
        if (str_eq(call, owner)) {
            return call;
        }
        shells++;
        only = call;
        by_output = !by_output.p && names_output(it.value, *task) ? call : by_output;
    }
    return by_output.p ? by_output : shells == 1 ? only : STR_ABSENT;
}
