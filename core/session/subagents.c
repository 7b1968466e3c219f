#include "session/subagents.h"

#include <stdlib.h>

#include "session/subagents_state.h"

enum { ID_MAX = 512 };

bool subagent_id_ok(str id)
{
    return id.n && id.n <= ID_MAX && str_find_byte(id, '\0', 0) == SIZE_MAX;
}

static str id_of(json v)
{
    str id = json_text(v);
    return subagent_id_ok(id) ? id : STR_ABSENT;
}

char *subagents_copy(str text)
{
    return text.p ? str_dup(str_first(text, str_find_byte(text, '\0', 0))) : NULL;
}

static void replace(char **to, char *text)
{
    free(*to);
    *to = text;
}

/* ---- Memory ---- */

static void free_owner(struct subagents *sa, struct subagent_owner *o)
{
    map_remove(&sa->owners, str_of(o->call));
    list_remove(&o->link);
    free(o->call);
    free(o);
}

/* What is known of the call of a launch. The way to its child stays. */
static void forget_call(struct subagents *sa, struct subagent_launch *l)
{
    struct subagent_identity *who = &l->identity;
    subagents_discard_held(sa, l);
    subagent_held_free(l->first);
    l->first = NULL;
    replace(&l->session, NULL);
    replace(&who->name, NULL);
    replace(&who->description, NULL);
    replace(&who->prompt, NULL);
    replace(&who->type, NULL);
}

void subagents_drop_launch(struct subagents *sa, struct subagent_launch *l)
{
    map_remove(&sa->launches, str_of(l->id));
    list_remove(&l->link);
    forget_call(sa, l);
    free(l->id);
    free(l);
}

static void free_child(struct subagent *c)
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

static void drop_child(struct subagents *sa, struct subagent *c)
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
    free_child(c);
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
        drop_child(sa, c);
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

static const struct subagent_identity *identity_of(const struct subagent_launch *l)
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
        replace(&c->parent, subagents_copy(str_of(l->session)));
    }
    sa->form->started(sa, c, identity_of(l), false);
    LIST_EACH(waits, &sa->launch_order, struct subagent_launch, link) {
        if (waits->child == c) {
            subagents_deliver_held(sa, waits);
        }
    }
    if (c->ended) { /* while its launch was not shown */
        sa->form->ended(sa, c);
    }
}

/* ---- Starts ---- */

static bool make_room_for_child(struct subagents *sa, const struct subagent *keep)
{
    size_t n = sa->by_session.used;
    if (n < SUBAGENTS_MAX) {
        return true;
    }
    LIST_EACH(c, &sa->children, struct subagent, link) {
        if (c->ended && c != keep) {
            drop_child(sa, c);
            return true;
        }
    }
    return false;
}

static bool enter(struct subagents *sa, struct subagent *c)
{
    if (!c->session || !c->agent || !map_put(&sa->by_session, str_of(c->session), c, NULL)) {
        return false;
    }
    if (!map_put(&sa->by_task, str_of(c->agent), c, NULL)) {
        map_remove(&sa->by_session, str_of(c->session));
        return false;
    }
    list_append(&sa->children, &c->link);
    return true;
}

/* A child for the next run of the agent; `before` is the one before it, or NULL. */
static struct subagent *add_child(struct subagents *sa, str agent, str call, struct subagent *before)
{
    AUTO_BUF(id);
    buf_put_str(&id, agent);
    unsigned run = before ? before->run + 1 : 1;
    if (run > 1) {
        buf_printf(&id, ":generation:%u", run);
    }
    bool room = buf_ok(&id) && !map_get(&sa->by_session, buf_str(&id)) && make_room_for_child(sa, before);
    struct subagent *c = room ? calloc(1, sizeof(*c)) : NULL;
    if (!c) {
        sa->sink->dropped(sa->user, "a subagent is not shown as a session: there are too many");
        return NULL;
    }
    c->run = run;
    c->session = str_dup(buf_str(&id));
    c->agent = str_dup(agent);
    c->call = str_dup(call);
    if (!enter(sa, c)) {
        free_child(c);
        return NULL;
    }
    return c;
}

/* A later run: it is announced where the agent was, unless that is a child which has ended, and everything of
 * the agent leads to it. */
static void succeed(struct subagents *sa, struct subagent *before, struct subagent *c)
{
    const struct subagent *around = before->parent ? map_get(&sa->by_session, str_of(before->parent)) : NULL;
    if (around && !around->ended) {
        c->parent = str_dup(str_of(before->parent));
    }
    LIST_EACH(l, &sa->launch_order, struct subagent_launch, link) {
        if (l->child == before) {
            l->child = c;
        }
    }
}

/* The child runs again, by this call. */
static void run_again(struct subagent *c, str call)
{
    c->run++;
    c->ended = c->awaiting = false;
    replace(&c->call, subagents_copy(call));
    replace(&c->error, NULL);
}

static void forget_message(struct subagent *c)
{
    replace(&c->message, NULL);
    replace(&c->message_call, NULL);
}

/* The next run of an agent, or NULL: the child that runs it. */
static struct subagent *next_run(struct subagents *sa, str agent, str call, struct subagent *before)
{
    if (!before || sa->form->child_per_run) {
        return add_child(sa, agent, call, before);
    }
    run_again(before, call);
    forget_message(before);
    return before;
}

/* The client hears of the run, now or when it hears of the child. */
static void tell_run(struct subagents *sa, struct subagent *c)
{
    if (c->announced) {
        sa->form->started(sa, c, identity_of(subagents_launch(sa, str_of(c->call))), true);
    } else {
        subagents_announce(sa, c);
    }
}

void subagents_started(struct subagents *sa, json frame)
{
    str agent = id_of(json_get(frame, "task_id")), call = id_of(json_get(frame, "tool_use_id"));
    struct subagent *before = agent.p ? map_get(&sa->by_task, agent) : NULL;
    struct subagent_launch *l = subagents_launch(sa, call);
    if (!json_text(json_get(frame, "subagent_type")).p) {
        if (l && !l->child) {
            subagents_drop_launch(sa, l);
        }
        return;
    }
    struct subagent *c = agent.p && (!before || before->ended) ? next_run(sa, agent, call, before) : NULL;
    if (!c) {
        return;
    }
    replace(&c->description, subagents_copy(json_text(json_get(frame, "description"))));
    replace(&c->type, subagents_copy(json_text(json_get(frame, "subagent_type"))));
    replace(&c->prompt, subagents_copy(json_text(json_get(frame, "prompt"))));
    l = subagents_open_launch(sa, call);
    if (l && (!l->child || l->child->ended)) {
        l->child = c;
    }
    if (before && before != c) {
        succeed(sa, before, c);
    }
    if (before || !l || l->called) {
        tell_run(sa, c);
    }
}

void subagents_addressed(struct subagents *sa, str agent, str call, str message)
{
    struct subagent *c = agent.p ? map_get(&sa->by_task, agent) : NULL;
    if (c && message.p) {
        replace(&c->message, subagents_copy(message));
        replace(&c->message_call, subagent_id_ok(call) ? subagents_copy(call) : NULL);
    }
}

/* A run of a child of its own, known by the call that began the first. */
static struct subagent *resume_anew(struct subagents *sa, struct subagent *before)
{
    struct subagent *c = add_child(sa, str_of(before->agent), str_of(before->call), before);
    if (c) {
        c->name = str_dup(str_of(before->name));
        c->task = str_dup(str_of(before->task));
        succeed(sa, before, c);
    }
    return c;
}

/* The same child runs, known by the message's call. */
static struct subagent *resume_same(struct subagents *sa, struct subagent *c, str call)
{
    AUTO_BUF(kept);
    buf_put_str(&kept, call.n ? call : str_of(c->message_call));
    str by = subagent_id_ok(buf_str(&kept)) ? buf_str(&kept) : STR_ABSENT;
    run_again(c, by);
    struct subagent_launch *l = subagents_open_launch(sa, by);
    if (l && !l->child) {
        l->child = c;
    }
    return c;
}

void subagents_resumed(struct subagents *sa, str agent, str call, str message)
{
    struct subagent *before = agent.p ? map_get(&sa->by_task, agent) : NULL;
    if (!before || !before->ended) {
        return;
    }
    struct subagent *c = sa->form->child_per_run ? resume_anew(sa, before) : resume_same(sa, before, call);
    if (c) {
        replace(&c->prompt, subagents_copy(message.n ? message : str_of(before->message)));
        forget_message(before);
        tell_run(sa, c);
    }
}

/* ---- Ends ---- */

bool subagent_state_of(str status, enum subagent_state *state)
{
    static const struct {
        const char *status;
        enum subagent_state state;
    } rows[] = {
        {"completed", SUBAGENT_COMPLETED}, {"failed", SUBAGENT_FAILED},
        {"killed", SUBAGENT_CANCELLED},    {"cancelled", SUBAGENT_CANCELLED},
        {"stopped", SUBAGENT_CANCELLED},   {"disconnected", SUBAGENT_DISCONNECTED},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (str_is(status, rows[i].status)) {
            *state = rows[i].state;
            return true;
        }
    }
    return false;
}

/* An end that is known already; only what went wrong can be news. */
static void end_again(struct subagents *sa, struct subagent *c, enum subagent_state state, str error)
{
    if (sa->form->takes_late && c->state == SUBAGENT_FAILED && state == c->state && !c->error && error.n) {
        c->error = subagents_copy(error);
        if (c->announced && c->error) {
            sa->form->ended(sa, c);
        }
    }
}

/* `error` may be absent. */
static void end_child(struct subagents *sa, struct subagent *c, enum subagent_state state, str error)
{
    if (c->ended) {
        end_again(sa, c, state, error);
        return;
    }
    subagents_announce(sa, c);
    if (c->announced) {
        sa->sink->ending(sa->user, str_of(c->session), state);
    }
    c->ended = true;
    c->awaiting = false;
    c->state = state;
    c->error = state == SUBAGENT_FAILED && error.n ? subagents_copy(error) : NULL;
    if (!c->announced) {
        return;
    }
    sa->form->ended(sa, c);
    LIST_EACH(l, &sa->launch_order, struct subagent_launch, link) {
        if (l->child == c) {
            forget_call(sa, l);
        }
    }
}

static void end_all(struct subagents *sa, enum subagent_state state)
{
    for (struct list *at = sa->children.prev; at != &sa->children; at = at->prev) {
        struct subagent *c = LIST_ENTRY(at, struct subagent, link);
        if (!c->ended) {
            end_child(sa, c, state, STR_ABSENT);
        }
    }
}

void subagents_finish(struct subagents *sa, enum subagent_state state)
{
    if (sa->form) {
        end_all(sa, sa->form->ended_by_cli ? SUBAGENT_LOST : state);
    }
}

void subagents_cancel(struct subagents *sa)
{
    if (sa->form && !sa->form->ended_by_cli) {
        end_all(sa, SUBAGENT_CANCELLED);
    }
}

/* The end that the frame tells is not that of this run: the call that it names began another one. */
static bool is_of_another(const struct subagents *sa, const struct subagent *c, str call)
{
    return call.p && c->call && !str_is(call, c->call) && subagents_launch(sa, call);
}

static void end_by_frame(struct subagents *sa, json frame, str status, str error)
{
    str agent = id_of(json_get(frame, "task_id")), call = id_of(json_get(frame, "tool_use_id"));
    struct subagent *c = agent.p ? map_get(&sa->by_task, agent) : NULL;
    enum subagent_state state;
    if (!c || !subagent_state_of(status, &state) || is_of_another(sa, c, call)) {
        return;
    }
    if (sa->form->ended_by_cli && str_is(json_str(json_get(frame, "reason")), "worker_restart")) {
        state = SUBAGENT_LOST;
    }
    end_child(sa, c, state, error);
}

void subagents_updated(struct subagents *sa, json frame)
{
    json patch = json_get(frame, "patch");
    str status = json_str(json_get(patch, "status"));
    if (str_is(status, "running") || str_is(status, "pending")) {
        subagents_resumed(sa, json_text(json_get(frame, "task_id")), STR_ABSENT, STR_ABSENT);
    } else {
        end_by_frame(sa, frame, status, json_str(json_get(patch, "error")));
    }
}

void subagents_notified(struct subagents *sa, json frame)
{
    struct subagent_launch *l = subagents_launch(sa, id_of(json_get(frame, "tool_use_id")));
    end_by_frame(sa, frame, json_str(json_get(frame, "status")), json_str(json_get(frame, "summary")));
    if (l && !(l->child && l->child->announced)) {
        subagents_discard_held(sa, l);
    }
}

/* ---- Questions ---- */

str subagents_session_of_agent(const struct subagents *sa, str agent)
{
    const struct subagent *c = agent.p ? map_get(&sa->by_task, agent) : NULL;
    return c && c->announced && (!c->ended || sa->form->takes_late) ? str_of(c->session) : STR_ABSENT;
}

bool subagents_runs(const struct subagents *sa, str agent)
{
    const struct subagent *c = agent.p ? map_get(&sa->by_task, agent) : NULL;
    return c && c->announced && !c->ended;
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
