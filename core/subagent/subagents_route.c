/* Where an update goes: to a child, to wait for one, to the root, or nowhere. */
#include <stdlib.h>

#include "subagent/subagents_state.h"

bool subagents_is_launch(str tool_name)
{
    return str_is(tool_name, "Agent") || str_is(tool_name, "Task");
}

/* ---- Copies ---- */

static void copy_report(struct arena *a, struct tool_report *to, const struct tool_report *from)
{
    *to = *from;
    to->id = arena_str(a, from->id);
    to->key = arena_str(a, from->key);
    to->name = arena_str(a, from->name);
    for (size_t i = 0; i < REPORT_FIELDS; i++) {
        to->field[i] = arena_str(a, from->field[i]);
    }
    for (size_t i = 0; i < from->meta_count; i++) {
        to->meta[i].key = arena_str(a, from->meta[i].key);
        to->meta[i].json = arena_str(a, from->meta[i].json);
    }
}

void subagent_held_free(struct subagent_held *h)
{
    if (h) {
        arena_free(&h->mem);
        free(h);
    }
}

/* NULL when memory is out. */
static struct subagent_held *hold_copy(str call, const struct subagent_update *u)
{
    struct subagent_held *h = calloc(1, sizeof(*h));
    if (!h) {
        return NULL;
    }
    list_init(&h->link);
    h->call = arena_str(&h->mem, call);
    h->update = *u;
    h->update.message_id = arena_str(&h->mem, u->message_id);
    h->update.text = arena_str(&h->mem, u->text);
    h->update.meta = arena_str(&h->mem, u->meta);
    h->update.launch = arena_str(&h->mem, u->launch);
    if (u->report) {
        copy_report(&h->mem, &h->report, u->report);
        h->update.report = &h->report;
    }
    if (!arena_ok(&h->mem)) {
        subagent_held_free(h);
        return NULL;
    }
    return h;
}

/* ---- What waits for an announcement ---- */

static void take_held(struct subagents *sa, struct subagent_launch *l, struct subagent_held *h)
{
    list_remove(&h->link);
    sa->held--;
    if (--l->held_count == 0) {
        sa->holding--;
    }
}

void subagents_discard_held(struct subagents *sa, struct subagent_launch *l)
{
    LIST_EACH(h, &l->held, struct subagent_held, link) {
        take_held(sa, l, h);
        subagent_held_free(h);
    }
}

void subagents_deliver_held(struct subagents *sa, struct subagent_launch *l)
{
    LIST_EACH(h, &l->held, struct subagent_held, link) {
        take_held(sa, l, h);
        subagents_to_child(sa, l->child, h->call, &h->update);
        subagent_held_free(h);
    }
}

static void hold(struct subagents *sa, str launch, str call, const struct subagent_update *u)
{
    struct subagent_launch *l = subagents_open_launch(sa, launch);
    bool room = l && sa->held < SUBAGENTS_HELD_MAX && l->held_count < SUBAGENTS_HELD_OF_LAUNCH_MAX &&
                (l->held_count || sa->holding < SUBAGENTS_HOLDING_LAUNCHES_MAX);
    struct subagent_held *h = room ? hold_copy(call, u) : NULL;
    if (!h) {
        sa->sink->dropped(sa->user, "an update of a subagent that is not known is not shown: too many wait");
        return;
    }
    list_append(&l->held, &h->link);
    sa->held++;
    if (l->held_count++ == 0) {
        sa->holding++;
    }
}

/* ---- Destinations ---- */

/* The client has this very plan of the child. */
static bool repeats_plan(struct subagent *c, const struct subagent_update *u)
{
    bool same = u->kind == SUBAGENT_PLAN && c->plan.n && str_eq(buf_str(&c->plan), u->text);
    if (u->kind == SUBAGENT_PLAN && !same) {
        buf_clear(&c->plan);
        buf_put_str(&c->plan, u->text);
    }
    return same;
}

/* The call was shown in this session. A launch belongs there, if such are shown. */
static void was_shown(struct subagents *sa, str launch, str session)
{
    struct subagent_launch *l = sa->form->shows_launches ? subagents_launch(sa, launch) : NULL;
    if (l && l->used && !l->called) {
        l->session = session.p ? str_dup(session) : NULL;
        l->called = true;
        if (l->child) {
            subagents_announce(sa, l->child);
        }
    }
}

void subagents_to_child(struct subagents *sa, struct subagent *c, str call, const struct subagent_update *u)
{
    if (c->ended && !sa->form->takes_late) {
        sa->sink->dropped(sa->user, "an update of a subagent that has ended is not shown");
        return;
    }
    if (u->kind == SUBAGENT_TOOL && !u->report->first && !map_get(&sa->owners, call)) {
        sa->sink->dropped(sa->user, "an update of a subagent's call that was not shown is not shown");
        return;
    }
    if (call.p) {
        subagents_own(sa, call, c);
    }
    if (!repeats_plan(c, u)) {
        sa->sink->deliver(sa->user, str_of(c->session), u);
    }
    was_shown(sa, u->launch, str_of(c->session));
}

static void to_root(struct subagents *sa, const struct subagent_update *u)
{
    sa->sink->deliver(sa->user, STR_ABSENT, u);
    was_shown(sa, u->launch, STR_ABSENT);
}

static void to_session(struct subagents *sa, str session, str call, const struct subagent_update *u)
{
    struct subagent *c = session.p ? map_get(&sa->by_session, session) : NULL;
    if (c) {
        subagents_to_child(sa, c, call, u);
    } else {
        to_root(sa, u);
    }
}

static void to_launched(struct subagents *sa, str launch, str call, const struct subagent_update *u)
{
    struct subagent_launch *l = subagents_launch(sa, launch);
    if (l && l->child && l->child->announced) {
        subagents_to_child(sa, l->child, call, u);
    } else {
        hold(sa, launch, call, u);
    }
}

void subagents_say(struct subagents *sa, str launch, const struct subagent_update *u)
{
    to_launched(sa, launch, STR_ABSENT, u);
}

/* ---- Launches ---- */

static void learn(char **to, json input, const char *key)
{
    str text = json_str(json_get(input, key));
    char *known = str_trim(text).n ? str_dup(str_first(text, str_find_byte(text, '\0', 0))) : NULL;
    if (known) {
        free(*to);
        *to = known;
    }
}

/* What the launch's call says of itself. What was said later counts. */
static void learn_call(struct subagent_launch *l, const struct tool_report *r)
{
    str input = r->field[REPORT_RAW_INPUT];
    AUTO_JSON(doc) = input.p ? json_parse(input, NULL) : NULL;
    learn(&l->identity.name, json_root(doc), "name");
    learn(&l->identity.description, json_root(doc), "description");
    learn(&l->identity.prompt, json_root(doc), "prompt");
    learn(&l->identity.type, json_root(doc), "subagent_type");
}

/* The session where the launch belongs: that of the child around it. */
static void place_call(struct subagents *sa, struct subagent_launch *l, str parent)
{
    const struct subagent_launch *around = subagents_launch(sa, parent);
    free(l->session);
    l->session = around && around->child ? str_dup(str_of(around->child->session)) : NULL;
    l->called = true;
}

static void put_meta(struct tool_report *r, const struct meta_entry *m)
{
    for (size_t i = 0; i < r->meta_count; i++) {
        if (r->meta[i].space == m->space && str_eq(r->meta[i].key, m->key)) {
            r->meta[i].json = m->json;
            return;
        }
    }
    tool_report_add_meta(r, m->space, m->key, m->json);
}

static void remove_mark(struct tool_report *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->meta_count; i++) {
        if (r->meta[i].space != META_AIR || !str_is(r->meta[i].key, "subagent")) {
            r->meta[kept++] = r->meta[i];
        }
    }
    r->meta_count = kept;
}

/* The whole call of a launch that failed before a child was there: what was kept from the client, and its
 * end. */
static struct tool_report whole_call(const struct subagent_launch *l, str name, const struct tool_report *end)
{
    struct tool_report r = *end;
    if (l->first) {
        r = l->first->report;
        for (size_t i = 0; i < REPORT_FIELDS; i++) {
            bool blank = i == REPORT_TITLE && str_is(end->field[i], "\"\"");
            r.field[i] = end->field[i].p && !blank ? end->field[i] : r.field[i];
        }
        for (size_t i = 0; i < end->meta_count; i++) {
            put_meta(&r, &end->meta[i]);
        }
        r.air_version = r.air_version || end->air_version;
    } else {
        r.field[REPORT_TITLE] = str_is(name, "Task") ? STR("\"Task\"") : STR("\"Agent\"");
    }
    r.first = true;
    r.name = r.name.p ? r.name : name;
    r.untracked = true;
    remove_mark(&r);
    return r;
}

static bool has_failed(const struct tool_report *r)
{
    return str_is(r->field[REPORT_STATUS], "\"failed\"");
}

static str launch_id(const struct subagent_call *call)
{
    return call->launch.p ? call->launch : call->id;
}

/* The launch's record, with what its report says. NULL: memory is out. */
static struct subagent_launch *note_launch(struct subagents *sa, const struct subagent_call *call,
                                           const struct tool_report *r)
{
    struct subagent_launch *l = subagents_open_launch(sa, launch_id(call));
    if (l) {
        l->used = true;
    }
    if (l && (!l->child || !l->child->ended)) {
        learn_call(l, r);
    }
    return l;
}

/* The report of a launch that is not shown. */
static bool hidden_launch(struct subagents *sa, const struct subagent_call *call,
                          const struct subagent_update *u)
{
    struct subagent_launch *l = note_launch(sa, call, u->report);
    bool failed = has_failed(u->report);
    if (!l) {
        return false;
    }
    if (u->report->first && (!l->child || !l->child->ended)) {
        subagent_held_free(l->first);
        l->first = hold_copy(call->id, u);
    }
    place_call(sa, l, call->parent);
    if (l->child) {
        subagents_announce(sa, l->child);
    } else if (failed && !call->shown.p) {
        struct tool_report whole = whole_call(l, call->name, u->report);
        to_session(sa, str_of(l->session), call->id,
                   &(struct subagent_update){.kind = SUBAGENT_TOOL, .report = &whole, .launch = u->launch});
    }
    if (call->shown.p) {
        to_session(sa, call->shown, call->id, u);
    }
    if (failed && !l->child) {
        subagents_drop_launch(sa, l);
        return true;
    }
    return call->shown.p;
}

/* ---- Tool calls ---- */

static void route_tool(struct subagents *sa, const struct subagent_call *call,
                       const struct subagent_update *u)
{
    const struct subagent_owner *o = map_get(&sa->owners, call->id);
    if (call->shown.p) {
        to_session(sa, call->shown, call->id, u);
    } else if (o) {
        subagents_to_child(sa, o->child, call->id, u);
    } else if (call->parent.n) {
        to_launched(sa, call->parent, call->id, u);
    } else {
        to_root(sa, u);
    }
}

/* A launch that is shown like every call. */
static void shown_launch(struct subagents *sa, const struct subagent_call *call,
                         const struct subagent_update *u)
{
    note_launch(sa, call, u->report);
    route_tool(sa, call, u);
    struct subagent_launch *l = has_failed(u->report) ? subagents_launch(sa, launch_id(call)) : NULL;
    if (l && !l->child) { /* and none comes */
        subagents_drop_launch(sa, l);
    }
}

bool subagents_tool(struct subagents *sa, const struct subagent_call *call, struct tool_report *report)
{
    struct subagent_update u = {.kind = SUBAGENT_TOOL, .report = report};
    if (subagents_is_launch(call->name)) {
        u.launch = launch_id(call);
    }
    if (!u.launch.p) {
        route_tool(sa, call, &u);
    } else if (sa->form->shows_launches) {
        shown_launch(sa, call, &u);
    } else {
        return hidden_launch(sa, call, &u);
    }
    return true;
}
