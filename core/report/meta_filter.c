#include <stdlib.h>

#include "base/list.h"
#include "base/map.h"
#include "report/meta_memory.h"
#include "report/tracker.h"

enum { FILTER_CALLS_MAX = 2048 };

/* One call; the list is in the order of use, the longest unused first. */
struct filtered_call {
    struct list by_use;
    struct buf key; /* the session, NUL, the call's id */
    struct meta_memory meta;
};

struct meta_filter {
    struct map calls;
    struct list by_use;
};

static void filtered_call_free(struct filtered_call *call)
{
    if (call) {
        meta_memory_free(&call->meta);
        buf_free(&call->key);
        free(call);
    }
}

struct meta_filter *meta_filter_new(void)
{
    struct meta_filter *f = calloc(1, sizeof(*f));
    if (f) {
        list_init(&f->by_use);
    }
    return f;
}

void meta_filter_free(struct meta_filter *f)
{
    if (!f) {
        return;
    }
    LIST_EACH(call, &f->by_use, struct filtered_call, by_use) {
        filtered_call_free(call);
    }
    map_free(&f->calls, NULL);
    free(f);
}

/* NULL is fine. */
static void forget(struct meta_filter *f, struct filtered_call *call)
{
    if (call) {
        map_remove(&f->calls, buf_str(&call->key));
        list_remove(&call->by_use);
        filtered_call_free(call);
    }
}

/* NULL when memory is out; the reports of the call then pass whole. */
static struct filtered_call *begin_call(struct meta_filter *f, str key)
{
    struct filtered_call *call = calloc(1, sizeof(*call));
    if (!call) {
        return NULL;
    }
    buf_put_str(&call->key, key);
    if (!buf_ok(&call->key) || !map_put(&f->calls, key, call, NULL)) {
        filtered_call_free(call);
        return NULL;
    }
    list_append(&f->by_use, &call->by_use);
    if (f->calls.used > FILTER_CALLS_MAX) {
        forget(f, LIST_FIRST(&f->by_use, struct filtered_call, by_use));
    }
    return call;
}

/* Of the keys outside the namespaces only flags that stay the same are compared; the client appends the
 * others. */
static bool is_compared(const struct meta_entry *m)
{
    return m->space != META_TOP || str_is(m->key, "is_mcp_tool_call") || str_is(m->key, "terminal_info");
}

static void record(struct filtered_call *call, const struct tool_report *r)
{
    if (r->air_version) {
        meta_memory_note_version(&call->meta);
    }
    for (size_t i = 0; i < r->meta_count; i++) {
        if (is_compared(&r->meta[i])) {
            meta_memory_note(&call->meta, r->meta[i].space, r->meta[i].key, r->meta[i].json);
        }
    }
}

static void strip(struct filtered_call *call, struct tool_report *r)
{
    r->air_version = r->air_version && meta_memory_note_version(&call->meta);
    size_t kept = 0;
    for (size_t i = 0; i < r->meta_count; i++) {
        const struct meta_entry m = r->meta[i];
        if (!is_compared(&m) || meta_memory_note(&call->meta, m.space, m.key, m.json)) {
            r->meta[kept++] = m;
        }
    }
    r->meta_count = kept;
}

bool meta_filter_pass(struct meta_filter *f, str session, struct tool_report *r)
{
    AUTO_BUF(key);
    buf_put_str(&key, session);
    buf_put_byte(&key, '\0');
    buf_put_str(&key, r->id);
    bool keyed = r->id.p && buf_ok(&key);
    struct filtered_call *call = keyed ? map_get(&f->calls, buf_str(&key)) : NULL;
    if (call && !r->first) {
        list_remove(&call->by_use);
        list_append(&f->by_use, &call->by_use);
        strip(call, r);
        return !tool_report_empty(r);
    }
    forget(f, call);
    call = keyed ? begin_call(f, buf_str(&key)) : NULL;
    if (call) {
        record(call, r);
    }
    return true;
}
