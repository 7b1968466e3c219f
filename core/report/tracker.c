#include "report/tracker.h"

#include <stdlib.h>

#include "base/map.h"
#include "report/meta_memory.h"

/* One open call. `held` tells which fields the client has at all; `content_pinned` keeps the content of a
 * preview until a report comes that may replace it. */
struct tracked_call {
    bool held[REPORT_FIELDS];
    bool content_pinned;
    XXH128_hash_t field[REPORT_FIELDS];
    struct meta_memory meta;
};

struct field_tracker {
    struct map calls; /* key of the tool call -> struct tracked_call */
};

static void tracked_call_free(void *p)
{
    struct tracked_call *call = p;
    if (call) {
        meta_memory_free(&call->meta);
        free(call);
    }
}

struct field_tracker *field_tracker_new(void)
{
    return calloc(1, sizeof(struct field_tracker));
}

void field_tracker_free(struct field_tracker *t)
{
    if (t) {
        map_free(&t->calls, tracked_call_free);
        free(t);
    }
}

static XXH128_hash_t hash(str s)
{
    return XXH3_128bits(s.p, s.n);
}

/* Remembers the _meta keys that clients merge; true when one of them is new, or when there are others, which
 * a client may append and which are therefore always news. */
static bool note_meta(struct tracked_call *call, const struct tool_report *r)
{
    bool changed = r->air_version && meta_memory_note_version(&call->meta);
    for (size_t i = 0; i < r->meta_count; i++) {
        const struct meta_entry *m = &r->meta[i];
        changed |= m->space == META_TOP || meta_memory_note(&call->meta, m->space, m->key, m->json);
    }
    return changed;
}

static void begin_call(struct field_tracker *t, const struct tool_report *r)
{
    struct tracked_call *call = calloc(1, sizeof(*call));
    void *old = NULL;
    if (!call || !map_put(&t->calls, tool_report_key(r), call, &old)) {
        tracked_call_free(call);
        tracked_call_free(map_remove(&t->calls, tool_report_key(r))); /* what it says is not true any more */
        return;
    }
    tracked_call_free(old);
    for (size_t i = 0; i < REPORT_FIELDS; i++) {
        if (r->field[i].p) {
            call->held[i] = true;
            call->field[i] = hash(r->field[i]);
        }
    }
    note_meta(call, r);
}

/* True when the field stays in the report. */
static bool pass_field(struct tracked_call *call, enum report_field i, str value, bool may_replace)
{
    if (i == REPORT_CONTENT && call->content_pinned) {
        if (!may_replace) {
            return false;
        }
        call->content_pinned = false;
    }
    XXH128_hash_t h = hash(value);
    if (call->held[i] && XXH128_isEqual(call->field[i], h)) {
        return false;
    }
    call->held[i] = true;
    call->field[i] = h;
    return true;
}

bool field_tracker_pass(struct field_tracker *t, struct tool_report *r)
{
    if (r->untracked) {
        return true;
    }
    if (r->first) {
        begin_call(t, r);
        return true;
    }
    struct tracked_call *call = map_get(&t->calls, tool_report_key(r));
    if (!call) {
        return true;
    }
    bool changed = false;
    for (size_t i = 0; i < REPORT_FIELDS; i++) {
        if (!r->field[i].p) {
            continue;
        }
        if (pass_field(call, (enum report_field)i, r->field[i], r->replaces_pinned)) {
            changed = true;
        } else {
            r->field[i] = STR_ABSENT;
        }
    }
    return note_meta(call, r) || changed;
}

void field_tracker_pin(struct field_tracker *t, str key, str content)
{
    struct tracked_call *call = map_get(&t->calls, key);
    if (call && content.p) {
        call->held[REPORT_CONTENT] = true;
        call->field[REPORT_CONTENT] = hash(content);
        call->content_pinned = true;
    }
}

void field_tracker_end(struct field_tracker *t, str key)
{
    tracked_call_free(map_remove(&t->calls, key));
}
