#include "subagent/subagents.h"

#include <stdlib.h>

#include "subagent/subagents_state.h"

enum { ID_MAX = 512 };

bool subagent_id_ok(str id)
{
    return id.n && id.n <= ID_MAX && str_find_byte(id, '\0', 0) == SIZE_MAX;
}

char *subagents_copy(str text)
{
    return text.p ? str_dup(str_first(text, str_find_byte(text, '\0', 0))) : NULL;
}

/* ---- Memory ---- */

static void free_owner(struct subagents *sa, struct subagent_owner *o)
{
    map_remove(&sa->owners, str_of(o->call));
    list_remove(&o->link);
    free(o->call);
    free(o);
}

void subagents_forget_call(struct subagents *sa, struct subagent_launch *l)
{
    struct subagent_identity *who = &l->identity;
    subagents_discard_held(sa, l);
    subagent_held_free(l->first);
    l->first = NULL;
    subagents_replace(&l->session, NULL);
    subagents_replace(&who->name, NULL);
    subagents_replace(&who->description, NULL);
    subagents_replace(&who->prompt, NULL);
    subagents_replace(&who->type, NULL);
}

void subagents_drop_launch(struct subagents *sa, struct subagent_launch *l)
{
    map_remove(&sa->launches, str_of(l->id));
    list_remove(&l->link);
    subagents_forget_call(sa, l);
    free(l->id);
    free(l);
}

void subagent_free(struct subagent *c)
{
    free(c->session);
    free(c->agent);
    free(c->parent);
    free(c->call);
    free(c->description);
    free(c->type);
    free(c->prompt);
    free(c->name);
    free(c->task);
    free(c->message);
    free(c->message_call);
    free(c->error);
    buf_free(&c->plan);
    free(c);
}

void subagents_drop_child(struct subagents *sa, struct subagent *c)
{
    LIST_EACH(l, &sa->launch_order, struct subagent_launch, link) {
        if (l->child == c) {
            subagents_drop_launch(sa, l);
        }
    }
    LIST_EACH(o, &sa->owner_order, struct subagent_owner, link) {
        if (o->child == c) {
            free_owner(sa, o);
        }
    }
    if (map_get(&sa->by_task, str_of(c->agent)) == c) {
        map_remove(&sa->by_task, str_of(c->agent));
    }
    map_remove(&sa->by_session, str_of(c->session));
    list_remove(&c->link);
    subagent_free(c);
}

void subagents_init(struct subagents *sa, const struct subagents_form *form,
                    const struct subagents_sink *sink, void *user)
{
    *sa = (struct subagents){.form = form, .sink = sink, .user = user};
    list_init(&sa->children);
    list_init(&sa->launch_order);
    list_init(&sa->owner_order);
}

void subagents_clear(struct subagents *sa)
{
    LIST_EACH(o, &sa->owner_order, struct subagent_owner, link) {
        free_owner(sa, o);
    }
    LIST_EACH(l, &sa->launch_order, struct subagent_launch, link) {
        subagents_drop_launch(sa, l);
    }
    LIST_EACH(c, &sa->children, struct subagent, link) {
        subagents_drop_child(sa, c);
    }
}

void subagents_free(struct subagents *sa)
{
    subagents_clear(sa);
    map_free(&sa->by_task, NULL);
    map_free(&sa->by_session, NULL);
    map_free(&sa->launches, NULL);
    map_free(&sa->owners, NULL);
}

/* ---- Launches and owners ---- */

struct subagent_launch *subagents_launch(const struct subagents *sa, str id)
{
    return id.p ? map_get(&sa->launches, id) : NULL;
}

static bool make_room_for_launch(struct subagents *sa)
{
    if (sa->launches.used < SUBAGENTS_LAUNCHES_MAX) {
        return true;
    }
    LIST_EACH(l, &sa->launch_order, struct subagent_launch, link) {
        if (!l->child || l->child->ended) {
            subagents_drop_launch(sa, l);
            return true;
        }
    }
    return false;
}

struct subagent_launch *subagents_open_launch(struct subagents *sa, str id)
{
    struct subagent_launch *l = subagents_launch(sa, id);
    if (l || !subagent_id_ok(id) || !make_room_for_launch(sa)) {
        return l;
    }
    l = calloc(1, sizeof(*l));
    if (!l) {
        return NULL;
    }
    l->id = str_dup(id);
    if (!l->id || !map_put(&sa->launches, id, l, NULL)) {
        free(l->id);
        free(l);
        return NULL;
    }
    list_init(&l->held);
    list_append(&sa->launch_order, &l->link);
    return l;
}

void subagents_own(struct subagents *sa, str call, struct subagent *c)
{
    struct subagent_owner *o = map_get(&sa->owners, call);
    if (o) {
        o->child = c;
        return;
    }
    o = subagent_id_ok(call) ? calloc(1, sizeof(*o)) : NULL;
    if (!o) {
        return;
    }
    o->child = c;
    o->call = str_dup(call);
    if (!o->call || !map_put(&sa->owners, call, o, NULL)) {
        free(o->call);
        free(o);
        return;
    }
    list_append(&sa->owner_order, &o->link);
    if (sa->owners.used > SUBAGENTS_OWNED_MAX) {
        free_owner(sa, LIST_ENTRY(sa->owner_order.next, struct subagent_owner, link));
    }
}

/* ---- Announcements ---- */

str subagents_first_said(const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        str text = str_trim(str_of(texts[i]));
        if (text.n) {
            return text;
        }
    }
    return STR_ABSENT;
}

const struct subagent_identity *subagents_identity(const struct subagent_launch *l)
{
    static const struct subagent_identity nobody = {0};
    return l ? &l->identity : &nobody;
}

void subagents_announce(struct subagents *sa, struct subagent *c)
{
    struct subagent_launch *l = subagents_launch(sa, str_of(c->call));
    bool placed = l && l->called;
    if (c->announced || (sa->form->shows_launches && !placed)) {
        return;
    }
    c->announced = true;
    if (placed && (c->run == 1 || sa->form->shows_launches)) {
        subagents_replace(&c->parent, subagents_copy(str_of(l->session)));
    }
    sa->form->started(sa, c, subagents_identity(l), false);
    LIST_EACH(waits, &sa->launch_order, struct subagent_launch, link) {
        if (waits->child == c) {
            subagents_deliver_held(sa, waits);
        }
    }
    if (c->ended) { /* while its launch was not shown */
        sa->form->ended(sa, c);
    }
}

/* ---- Questions ---- */

str subagents_session_of_agent(const struct subagents *sa, str agent)
{
    const struct subagent *c = agent.p ? map_get(&sa->by_task, agent) : NULL;
    return c && c->announced && (!c->ended || sa->form->takes_late) ? str_of(c->session) : STR_ABSENT;
}

bool subagents_retell(struct subagents *sa, str agent)
{
    const struct subagent *c = agent.p ? map_get(&sa->by_task, agent) : NULL;
    bool runs = c && c->announced && !c->ended;
    if (runs && c->awaiting) {
        sa->form->awaits(sa, c);
    }
    return runs;
}

bool subagents_take_late(const struct subagents *sa)
{
    return sa->form && sa->form->takes_late;
}

void subagents_await(struct subagents *sa, str agent, bool awaits)
{
    struct subagent *c = sa->form && sa->form->awaits && agent.p ? map_get(&sa->by_task, agent) : NULL;
    if (c && c->announced && !c->ended && c->awaiting != awaits) {
        c->awaiting = awaits;
        sa->form->awaits(sa, c);
    }
}

str subagents_session_of_call(const struct subagents *sa, str call)
{
    const struct subagent_owner *o = call.p ? map_get(&sa->owners, call) : NULL;
    return o ? str_of(o->child->session) : STR_ABSENT;
}
