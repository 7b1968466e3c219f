#include "acp_v2/tool_store.h"

#include <stdlib.h>

#include "base/map.h"

struct tool_store {
    struct map calls; /* session, NUL, id → struct stored_call */
    struct list order;
};

/* ---- Records ---- */

static void put_key(struct buf *key, str session, str id)
{
    buf_put_str(key, session);
    buf_put(key, "", 1);
    buf_put_str(key, id);
}

static void clear_meta(struct stored_call *call)
{
    for (size_t i = 0; i < call->meta_count; i++) {
        free(call->meta[i].key);
        free(call->meta[i].json);
    }
    call->meta_count = 0;
    call->air_version = false;
}

static void drop(struct tool_store *ts, struct stored_call *call)
{
    AUTO_BUF(key);
    put_key(&key, str_of(call->session), str_of(call->id));
    map_remove(&ts->calls, buf_str(&key));
    list_remove(&call->link);
    clear_meta(call);
    free(call->session);
    free(call->id);
    free(call->command);
    free(call);
}

struct tool_store *tool_store_new(void)
{
    struct tool_store *ts = calloc(1, sizeof(*ts));
    if (ts) {
        list_init(&ts->order);
    }
    return ts;
}

void tool_store_free(struct tool_store *ts)
{
    if (!ts) {
        return;
    }
    LIST_EACH(call, &ts->order, struct stored_call, link) {
        drop(ts, call);
    }
    map_free(&ts->calls, NULL);
    free(ts);
}

/* The one that makes room: the first whose command has ended, if there is one. */
static struct stored_call *oldest(struct tool_store *ts)
{
    struct stored_call *first = LIST_ENTRY(ts->order.next, struct stored_call, link);
    for (struct stored_call *call = first; call->link.next != &ts->order; /* the newest one stays */
         call = LIST_ENTRY(call->link.next, struct stored_call, link)) {
        if (!call->terminal) {
            return call;
        }
    }
    return first;
}

static struct stored_call *make(struct tool_store *ts, str session, str id)
{
    AUTO_BUF(key);
    struct stored_call *call = calloc(1, sizeof(*call));
    put_key(&key, session, id);
    if (!call) {
        return NULL;
    }
    call->session = str_dup(session);
    call->id = str_dup(id);
    if (!buf_ok(&key) || !call->session || !call->id || !map_put(&ts->calls, buf_str(&key), call, NULL)) {
        free(call->session);
        free(call->id);
        free(call);
        return NULL;
    }
    list_append(&ts->order, &call->link);
    if (ts->calls.used > TOOL_STORE_MAX) {
        drop(ts, oldest(ts));
    }
    return call;
}

struct stored_call *tool_store_open(struct tool_store *ts, str session, str id, bool starts)
{
    AUTO_BUF(key);
    put_key(&key, session, id);
    struct stored_call *call = map_get(&ts->calls, buf_str(&key));
    if (!call) {
        return make(ts, session, id);
    }
    list_remove(&call->link);
    list_append(&ts->order, &call->link);
    if (starts) {
        clear_meta(call);
        call->named = false;
    }
    return call;
}

void tool_store_forget(struct tool_store *ts, str session)
{
    LIST_EACH(call, &ts->order, struct stored_call, link) {
        if (str_is(session, call->session)) {
            drop(ts, call);
        }
    }
}

/* ---- What the client has ---- */

/* False when the client has it already. */
static bool set(struct stored_call *call, const struct meta_entry *m)
{
    struct stored_meta *at = NULL;
    for (size_t i = 0; i < call->meta_count; i++) {
        if (call->meta[i].space == m->space && str_is(m->key, call->meta[i].key)) {
            at = &call->meta[i];
        }
    }
    if (at && str_is(m->json, at->json)) {
        return false;
    }
    char *text = str_dup(m->json);
    if (at && text) {
        free(at->json);
        at->json = text;
        return true;
    }
    char *key = at || call->meta_count == REPORT_META_MAX ? NULL : str_dup(m->key);
    if (!key || !text) {
        free(key);
        free(text);
        return false;
    }
    call->meta[call->meta_count++] = (struct stored_meta){m->space, key, text};
    return true;
}

/* AIR's members lie in one key, which is replaced whole. */
static bool lacks_air(const struct stored_call *call, const struct tool_report *r)
{
    for (size_t i = 0; i < call->meta_count; i++) {
        bool kept = call->meta[i].space != META_AIR;
        for (size_t k = 0; !kept && k < r->meta_count; k++) {
            kept = r->meta[k].space == META_AIR && str_is(r->meta[k].key, call->meta[i].key);
        }
        if (!kept) {
            return true;
        }
    }
    return false;
}

static void remove_air(struct stored_call *call)
{
    size_t kept = 0;
    for (size_t i = 0; i < call->meta_count; i++) {
        if (call->meta[i].space == META_AIR) {
            free(call->meta[i].key);
            free(call->meta[i].json);
        } else {
            call->meta[kept++] = call->meta[i];
        }
    }
    call->meta_count = kept;
}

static bool is_tool_name(const struct meta_entry *m)
{
    return m->space == META_CLAUDE_CODE && str_is(m->key, "toolName");
}

bool stored_call_take_meta(struct stored_call *call, const struct tool_report *r)
{
    bool changed = r->air_version && (!call->air_version || lacks_air(call, r));
    if (changed) {
        remove_air(call);
    }
    call->air_version = call->air_version || r->air_version;
    for (size_t i = 0; i < r->meta_count; i++) {
        if (!is_tool_name(&r->meta[i])) {
            changed = set(call, &r->meta[i]) || changed;
        }
    }
    return changed;
}

void stored_call_put_name(struct buf *b, struct stored_call *call, const struct tool_report *r)
{
    if (r->name.p) {
        json_member_str(b, "name", r->name);
        call->named = true;
        return;
    }
    for (size_t i = 0; !call->named && i < r->meta_count; i++) {
        if (is_tool_name(&r->meta[i]) && str_starts(r->meta[i].json, STR("\""))) {
            json_member_raw(b, "name", r->meta[i].json);
            call->named = true;
        }
    }
}

void stored_call_put_meta(struct buf *b, const struct stored_call *call)
{
    struct tool_report r = {.air_version = call->air_version};
    for (size_t i = 0; i < call->meta_count; i++) {
        tool_report_add_meta(&r, call->meta[i].space, str_of(call->meta[i].key), str_of(call->meta[i].json));
    }
    size_t before = b->n;
    json_key(b, "_meta");
    if (!tool_report_put_meta(b, &r)) {
        buf_truncate(b, before);
    }
}
