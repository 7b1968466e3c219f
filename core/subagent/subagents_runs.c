/* The runs of subagents: how they start, start again, and end. */
#include "subagent/subagents_state.h"

static str id_of(json v)
{
    str id = json_text(v);
    return subagent_id_ok(id) ? id : STR_ABSENT;
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
            subagents_drop_child(sa, c);
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
        subagent_free(c);
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
    subagents_replace(&c->call, subagents_copy(call));
    subagents_replace(&c->error, NULL);
}

static void forget_message(struct subagent *c)
{
    subagents_replace(&c->message, NULL);
    subagents_replace(&c->message_call, NULL);
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
        sa->form->started(sa, c, subagents_identity(subagents_launch(sa, str_of(c->call))), true);
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
    subagents_replace(&c->description, subagents_copy(json_text(json_get(frame, "description"))));
    subagents_replace(&c->type, subagents_copy(json_text(json_get(frame, "subagent_type"))));
    subagents_replace(&c->prompt, subagents_copy(json_text(json_get(frame, "prompt"))));
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
        subagents_replace(&c->message, subagents_copy(message));
        subagents_replace(&c->message_call, subagent_id_ok(call) ? subagents_copy(call) : NULL);
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
        subagents_replace(&c->prompt, subagents_copy(message.n ? message : str_of(before->message)));
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
            subagents_forget_call(sa, l);
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
    end_by_frame(sa, frame, json_str(json_get(frame, "status")), json_str(json_get(frame, "summary")));
    /* Only now: the end of a child may have closed a call that was this launch. */
    struct subagent_launch *l = subagents_launch(sa, id_of(json_get(frame, "tool_use_id")));
    if (l && !(l->child && l->child->announced)) {
        subagents_discard_held(sa, l);
    }
}
