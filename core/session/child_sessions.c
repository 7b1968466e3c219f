#include "session/child_sessions.h"

#include "subagent/subagents_draft.h"

static str place(const struct session *s, str session)
{
    return session.n ? session : str_of(s->id);
}

static void deliver(void *user, str session, const struct subagent_update *u)
{
    struct session *s = user;
    struct session_host *a = s->agent;
    str to = place(s, session);
    switch (u->kind) {
    case SUBAGENT_TOOL:
        a->surface->tool(a->surface_self, to, u->report);
        break;
    case SUBAGENT_TEXT:
        a->surface->text(a->surface_self, to, u->role, u->message_id, u->text, u->meta);
        break;
    case SUBAGENT_BLOCK:
        a->surface->block(a->surface_self, to, u->role, u->message_id, u->text, u->meta);
        break;
    case SUBAGENT_PLAN:
        a->surface->plan(a->surface_self, to, u->text, u->meta);
        break;
    }
}

static void tell_state(void *user, str session, const char *name, str members)
{
    struct session *s = user;
    s->agent->surface->update(s->agent->surface_self, place(s, session), name, members);
}

static void tell_message(void *user, str from, str to, str call, str text)
{
    struct session *s = user;
    AUTO_BUF(b);
    rfd_put_message(&b, call, place(s, from), to, text);
    if (buf_ok(&b)) {
        tell_state(s, to, "session_message", buf_str(&b));
    }
}

/* A call that the child leaves open gets its end while the client still takes it. */
static void close_calls(void *user, str session, enum subagent_state state)
{
    struct session *s = user;
    size_t at = 0;
    void *p;
    while (map_next(&s->calls.by_id, &at, NULL, &p)) {
        struct tool_call *call = p;
        if (str_eq(subagents_session_of_call(&s->subagents, str_of(call->id)), session)) {
            tool_calls_close_one(&s->calls, call, state == SUBAGENT_CANCELLED);
        }
    }
}

static void note_dropped(void *user, const char *why)
{
    struct session *s = user;
    log_write(s->agent->log, LOG_DEBUG, "%s", why);
}

static const struct subagents_sink sink = {
    .deliver = deliver,
    .state = tell_state,
    .message = tell_message,
    .ending = close_calls,
    .dropped = note_dropped,
};

void children_init(struct session *s)
{
    const struct client_capabilities *c = &s->agent->client;
    const struct subagents_form *form = client_has_air_subagents(c) ? &subagents_air : &subagents_rfd;
    subagents_init(&s->subagents, client_has_subagent_sessions(c) ? form : NULL, &sink, s);
}

bool children_shown(const struct session *s)
{
    return s->subagents.form != NULL;
}

/* The call around a call that is not known any more, as its report says it. */
static struct json_doc *parent_of(const struct tool_report *r)
{
    for (size_t i = 0; i < r->meta_count; i++) {
        if (r->meta[i].space == META_CLAUDE_CODE && str_is(r->meta[i].key, "parentToolUseId")) {
            return json_parse(r->meta[i].json, NULL);
        }
    }
    return NULL;
}

void children_tool(struct session *s, struct tool_report *report)
{
    if (!children_shown(s)) {
        struct subagent_update u = {.kind = SUBAGENT_TOOL, .report = report};
        deliver(s, STR_ABSENT, &u);
        return;
    }
    struct tool_call *known = tool_calls_find(&s->calls, report->id);
    AUTO_JSON(around) = known ? NULL : parent_of(report);
    struct subagent_call call = {.id = report->id, .parent = json_text(json_root(around))};
    if (known) {
        call.name = str_of(known->name);
        call.parent = str_of(known->parent);
        call.shown = str_of(known->shown);
    }
    if (!subagents_tool(&s->subagents, &call, report) && known) {
        known->announced = false; /* a question announces it yet */
    }
}

void children_say(struct session *s, str launch, const struct subagent_update *update)
{
    AUTO_BUF(meta);
    struct subagent_update u = *update;
    u.meta = children_meta(&meta, launch);
    if (launch.p && children_shown(s)) {
        subagents_say(&s->subagents, launch, &u);
    } else {
        deliver(s, STR_ABSENT, &u);
    }
}

str children_meta(struct buf *b, str launch)
{
    if (!launch.p) {
        return STR_ABSENT;
    }
    json_open_object(b);
    json_key(b, "claudeCode");
    json_open_object(b);
    json_member_str(b, "parentToolUseId", launch);
    json_close_object(b);
    json_close_object(b);
    return buf_str(b);
}

void children_task(struct session *s, json frame, void (*step)(struct subagents *sa, json frame))
{
    if (children_shown(s) && !live_tasks_late(&s->live, frame)) {
        step(&s->subagents, frame);
    }
}

void children_message(struct session *s, str call, json input)
{
    subagents_addressed(&s->subagents, json_text(json_get(input, "to")), call,
                        json_text(json_get(input, "message")));
}

/* The use of SendMessage that the frame has the result of; NULL: none. */
static const struct tool_call *message_call(struct session *s, json frame)
{
    const struct tool_call *call = NULL;
    for (struct json_iter it = json_each(json_path(frame, "message", "content", NULL)); json_next(&it);) {
        str id = json_text(json_get(it.value, "tool_use_id"));
        call = id.p ? tool_calls_find(&s->calls, id) : call;
    }
    return call && str_is(str_of(call->name), "SendMessage") ? call : NULL;
}

void children_resumed(struct session *s, str agent, json frame)
{
    if (children_shown(s)) {
        const struct tool_call *call = message_call(s, frame);
        subagents_resumed(&s->subagents, agent, call ? str_of(call->id) : STR_ABSENT,
                          call ? json_text(json_get(json_root(call->input), "message")) : STR_ABSENT);
    }
}

void children_finish(struct session *s, enum subagent_state state)
{
    subagents_finish(&s->subagents, state);
}

void children_cancel(struct session *s)
{
    subagents_cancel(&s->subagents);
}

static bool asks(const struct session *s, str agent_id, void *user)
{
    const str *agent = user;
    (void)s;
    return agent_id.p && str_eq(agent_id, *agent);
}

void children_sync_waiting(struct session *s, str agent)
{
    if (agent.p && children_shown(s)) {
        subagents_await(&s->subagents, agent, session_any_question(s, asks, &agent));
    }
}

str children_session_of_agent(struct session *s, str agent)
{
    return place(s, children_shown(s) ? subagents_session_of_agent(&s->subagents, agent) : STR_ABSENT);
}

str children_session_of_call(struct session *s, str id)
{
    const struct tool_call *call = id.p ? tool_calls_find(&s->calls, id) : NULL;
    return place(s, call && call->shown ? str_of(call->shown) : subagents_session_of_call(&s->subagents, id));
}
