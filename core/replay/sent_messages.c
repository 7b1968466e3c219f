#include "replay/sent_messages.h"

struct sent_message {
    struct list link;
    str call, to, text;
};

void sent_messages_init(struct sent_messages *sm)
{
    *sm = (struct sent_messages){0};
    list_init(&sm->list);
}

void sent_messages_free(struct sent_messages *sm)
{
    arena_free(&sm->mem);
    list_init(&sm->list);
}

static void note(struct sent_messages *sm, json use)
{
    json input = json_get(use, "input");
    str call = json_text(json_get(use, "id")), text = json_text(json_get(input, "message"));
    bool sends = str_is(json_str(json_get(use, "name")), "SendMessage") && call.n && text.p;
    struct sent_message *m = sends ? arena_alloc(&sm->mem, sizeof(*m)) : NULL;
    if (!m) {
        return;
    }
    m->call = arena_str(&sm->mem, call);
    m->to = arena_str(&sm->mem, json_text(json_get(input, "to")));
    m->text = arena_str(&sm->mem, text);
    if (arena_ok(&sm->mem)) {
        list_append(&sm->list, &m->link);
    }
}

void sent_messages_read(struct sent_messages *sm, struct records *r)
{
    if (sm->read) {
        return;
    }
    sm->read = true;
    for (size_t i = 0, n = 0; i < r->n && n < SENT_MESSAGES_MAX; i++) {
        if (!(r->rows[i].flags & RECORD_SENDS) || !record_counts(&r->rows[i])) {
            continue;
        }
        n++;
        AUTO_JSON(doc) = record_read(r, i);
        for (struct json_iter it = json_each(record_content(json_root(doc))); json_next(&it);) {
            note(sm, it.value);
        }
    }
}

str sent_messages_take(struct sent_messages *sm, str agent, str name, str text)
{
    LIST_EACH(m, &sm->list, struct sent_message, link) {
        bool to = str_eq(m->to, agent) || (name.p && str_eq(m->to, name));
        if (to && text.n && str_eq(str_trim(m->text), str_trim(text))) {
            list_remove(&m->link);
            return m->call;
        }
    }
    return STR_ABSENT;
}

str told_text(str stored)
{
    static const str head = STR_INIT("The coordinator sent a message while you were working:\n"),
                     tail = STR_INIT("\n\nAddress this before completing your current task.");
    if (str_starts(stored, head) && str_ends(stored, tail) && stored.n >= head.n + tail.n) {
        return str_from(str_first(stored, stored.n - tail.n), head.n);
    }
    return stored;
}
