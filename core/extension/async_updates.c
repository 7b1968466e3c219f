#include <stdlib.h>

#include "extension/async_internal.h"

enum { HELD_MAX = 256 }; /* updates of a held task; later ones are dropped */

static const char *const field_keys[ASYNC_FIELDS] = {
    [ASYNC_DESCRIPTION] = "description", [ASYNC_SUMMARY] = "summary", [ASYNC_LAST_TOOL] = "lastToolName",
    [ASYNC_OUTPUT] = "outputFilePath",   [ASYNC_CALL] = "toolCallId",
};

static const char *const state_names[] = {
    [ASYNC_RUNNING] = "running", [ASYNC_PAUSED] = "paused",   [ASYNC_COMPLETED] = "completed",
    [ASYNC_FAILED] = "failed",   [ASYNC_STOPPED] = "stopped",
};

void async_send(struct async_tasks *at, struct async_task *t, const char *name, const struct buf *members)
{
    if (!buf_ok(members)) {
        return;
    }
    if (t->phase == ASYNC_SPAWNED) {
        at->sink->update(at->user, buf_str(&t->session), name, buf_str(members));
        return;
    }
    size_t waiting = 0;
    for (struct list *l = t->held.next; l != &t->held; l = l->next) {
        waiting++;
    }
    struct async_update *u = waiting < HELD_MAX ? calloc(1, sizeof(*u)) : NULL;
    if (u) {
        u->name = name;
        buf_put_str(&u->members, buf_str(members));
        list_append(&t->held, &u->link);
    }
}

/* Writes a field that differs from what the client was told; false when it does not. */
bool async_put_changed(struct buf *b, struct async_task *t, enum async_field field)
{
    str now = buf_str(&t->now[field]);
    if (!now.n || str_eq(now, buf_str(&t->told[field]))) {
        return false;
    }
    json_member_str(b, field_keys[field], now);
    async_set(&t->told[field], now);
    return true;
}

static bool put_usage(struct buf *b, struct async_task *t)
{
    static const char *const keys[] = {"totalTokens", "toolUses", "durationMs"};
    if (t->usage[0] < 0 || memcmp(t->usage, t->usage_told, sizeof(t->usage)) == 0) {
        return false;
    }
    json_key(b, "usage");
    json_open_object(b);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        json_member_int(b, keys[i], t->usage[i]);
        t->usage_told[i] = t->usage[i];
    }
    json_close_object(b);
    return true;
}

void async_send_progress(struct async_tasks *at, struct async_task *t)
{
    if (t->phase == ASYNC_SILENT) {
        return;
    }
    AUTO_BUF(b);
    bool changed = false;
    json_member_c(&b, "asyncTaskId", t->id);
    for (enum async_field f = ASYNC_DESCRIPTION; f < ASYNC_FIELDS; f++) {
        if (f <= ASYNC_LAST_TOOL && async_is_final(t->state)) {
            continue; /* after the end only paths and calls are news */
        }
        changed = async_put_changed(&b, t, f) || changed;
        changed = (f == ASYNC_LAST_TOOL && put_usage(&b, t)) || changed;
    }
    if (changed) {
        async_send(at, t, "async_task_progress", &b);
    }
}

void async_send_state(struct async_tasks *at, struct async_task *t, str summary)
{
    if (t->phase == ASYNC_SILENT) {
        return;
    }
    AUTO_BUF(b);
    json_member_c(&b, "asyncTaskId", t->id);
    json_member_c(&b, "state", state_names[t->state]);
    if (summary.n) {
        json_member_str(&b, "summary", summary);
        async_set(&t->told[ASYNC_SUMMARY], summary);
    }
    async_send(at, t, "async_task_state_update", &b);
}
