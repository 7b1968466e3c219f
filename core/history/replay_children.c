#include "history/replay_children.h"

#include <stdlib.h>

#include "session/internal.h"

static void free_child(struct replay_child *c)
{
    free(c->call);
    free(c->session);
    free(c->parent);
    free(c);
}

void replay_children_init(struct replay_children *rc, struct session *s)
{
    *rc = (struct replay_children){.s = s};
    list_init(&rc->list);
}

void replay_children_free(struct replay_children *rc)
{
    LIST_EACH(c, &rc->list, struct replay_child, link) {
        free_child(c);
    }
    list_init(&rc->list);
    map_free(&rc->by_call, NULL);
}

struct replay_child *replay_children_find(const struct replay_children *rc, str call)
{
    return call.p ? map_get(&rc->by_call, call) : NULL;
}

static void tell(struct replay_children *rc, const struct replay_child *c, const char *name,
                 const struct buf *members)
{
    struct agent *a = rc->s->agent;
    if (buf_ok(members)) {
        a->surface->update(a->surface_self, str_of(c->parent ? c->parent : rc->s->id), name,
                           buf_str(members));
    }
}

/* The first of these members that is not blank, trimmed. */
static str first_said(json input, const char *const *keys, size_t n, str fallback)
{
    for (size_t i = 0; i < n; i++) {
        str text = str_trim(json_str(json_get(input, keys[i])));
        if (text.n) {
            return text;
        }
    }
    return fallback;
}

static struct replay_child *add(struct replay_children *rc, const struct replay_child *around, str call)
{
    AUTO_BUF(id);
    buf_printf(&id, "%s:replay-subagent:", rc->s->id);
    buf_put_str(&id, call);
    struct replay_child *c = calloc(1, sizeof(*c));
    if (!c) {
        return NULL;
    }
    c->state = SUBAGENT_DISCONNECTED;
    c->call = str_dup(call);
    c->session = buf_take(&id);
    c->parent = around ? str_dup(str_of(around->session)) : NULL;
    if (!c->call || !c->session || (around && !c->parent) || !map_put(&rc->by_call, call, c, NULL)) {
        free_child(c);
        return NULL;
    }
    list_append(&rc->list, &c->link);
    return c;
}

void replay_children_launch(struct replay_children *rc, const struct replay_child *around, json block)
{
    static const char *const names[] = {"name", "description", "subagent_type"},
                             *const tasks[] = {"prompt", "description"};
    str call = json_text(json_get(block, "id"));
    bool can = subagent_id_ok(call) && !replay_children_find(rc, call);
    struct replay_child *c = can ? add(rc, around, call) : NULL;
    if (!c) {
        return;
    }
    json input = json_get(block, "input");
    AUTO_BUF(b);
    json_member_c(&b, "subagentSessionId", c->session);
    json_member_str(&b, "name", first_said(input, names, ARRAY_LEN(names), STR("Restored agent")));
    json_member_str(&b, "task",
                    first_said(input, tasks, ARRAY_LEN(tasks),
                               STR("Delegated task restored from session history")));
    json_member_raw(&b, "capabilities", STR("{}"));
    tell(rc, c, "subagent_spawned", &b);
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool has_word(str text, str word)
{
    for (size_t at = 0; at + word.n <= text.n; at++) {
        size_t end = at + word.n;
        if (str_eq_nocase(str_first(str_from(text, at), word.n), word) &&
            (at == 0 || !is_word_byte(text.p[at - 1])) && (end == text.n || !is_word_byte(text.p[end]))) {
            return true;
        }
    }
    return false;
}

void replay_child_result(struct replay_child *c, json block)
{
    static const char *const stops[] = {"cancelled", "canceled", "interrupted", "stopped", "killed"};
    if (c->noticed) {
        return;
    }
    c->state = SUBAGENT_COMPLETED;
    if (json_is_true(json_get(block, "is_error"))) {
        AUTO_BUF(text);
        async_result_text(&text, json_get(block, "content"));
        c->state = SUBAGENT_FAILED;
        for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
            if (has_word(buf_str(&text), str_of(stops[i]))) {
                c->state = SUBAGENT_CANCELLED;
            }
        }
    }
}

void replay_child_notice(struct replay_child *c, str status)
{
    c->noticed = subagent_state_of(status, &c->state) || c->noticed;
}

void replay_children_end(struct replay_children *rc)
{
    for (struct list *at = rc->list.prev; at != &rc->list; at = at->prev) {
        const struct replay_child *c = LIST_ENTRY(at, struct replay_child, link);
        AUTO_BUF(b);
        json_member_c(&b, "subagentSessionId", c->session);
        json_member_c(&b, "state", subagent_state_word(c->state));
        tell(rc, c, "subagent_state_update", &b);
    }
}
