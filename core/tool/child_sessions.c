#include "tool/child_sessions.h"

#include "subagent/subagents_draft.h"

static str place(const struct child_sessions *cs, str session)
{
    return session.n ? session : cs->with.root;
}

static void deliver(void *user, str session, const struct subagent_update *u)
{
    struct child_sessions *cs = user;
    const struct children_setup *w = &cs->with;
    str to = place(cs, session);
    switch (u->kind) {
    case SUBAGENT_TOOL:
        w->surface->tool(w->surface_self, to, u->report);
        break;
    case SUBAGENT_TEXT:
        w->surface->text(w->surface_self, to, u->role, u->message_id, u->text, u->meta);
        break;
    case SUBAGENT_BLOCK:
        w->surface->block(w->surface_self, to, u->role, u->message_id, u->text, u->meta);
        break;
    case SUBAGENT_PLAN:
        w->surface->plan(w->surface_self, to, u->text, u->meta);
        break;
    }
}

static void tell_state(void *user, str session, const char *name, str members)
{
    struct child_sessions *cs = user;
    cs->with.surface->update(cs->with.surface_self, place(cs, session), name, members);
}

static void tell_message(void *user, str from, str to, str call, str text)
{
    struct child_sessions *cs = user;
    AUTO_BUF(b);
    draft_put_message(&b, call, place(cs, from), to, text);
    if (buf_ok(&b)) {
        tell_state(cs, to, "session_message", buf_str(&b));
    }
}

/* A call that the child leaves open gets its end while the client still takes it. */
static void close_calls(void *user, str session, enum subagent_state state)
{
    struct child_sessions *cs = user;
    size_t at = 0;
    void *p;
    while (map_next(&cs->with.calls->by_key, &at, NULL, &p)) {
        struct tool_call *call = p;
        if (str_eq(subagents_session_of_call(&cs->subagents, str_of(call->key)), session)) {
            tool_calls_close_one(cs->with.calls, call, state == SUBAGENT_CANCELLED);
        }
    }
}

static void note_dropped(void *user, const char *why)
{
    struct child_sessions *cs = user;
    log_write(cs->with.log, LOG_DEBUG, "%s", why);
}

static const struct subagents_sink sink = {
    .deliver = deliver,
    .state = tell_state,
    .message = tell_message,
    .ending = close_calls,
    .dropped = note_dropped,
};

void children_init(struct child_sessions *cs, const struct children_setup *with)
{
    const struct client_capabilities *c = with->client;
    const struct subagents_form *form = client_has_air_subagents(c) ? &subagents_air : &subagents_draft;
    cs->with = *with;
    subagents_init(&cs->subagents, client_has_subagent_sessions(c) ? form : NULL, &sink, cs);
}

void children_free(struct child_sessions *cs)
{
    subagents_free(&cs->subagents);
}

bool children_shown(const struct child_sessions *cs)
{
    return cs->subagents.form != NULL;
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

void children_tool(struct child_sessions *cs, struct tool_report *report)
{
    if (!children_shown(cs)) {
        struct subagent_update u = {.kind = SUBAGENT_TOOL, .report = report};
        deliver(cs, STR_ABSENT, &u);
        return;
    }
    struct tool_call *known = tool_calls_of_key(cs->with.calls, tool_report_key(report));
    AUTO_JSON(around) = known ? NULL : parent_of(report);
    struct subagent_call call = {.id = tool_report_key(report),
                                 .launch = report->id,
                                 .parent = json_text(json_root(around))};
    if (known) {
        call.launch = str_of(known->id);
        call.name = str_of(known->name);
        call.parent = str_of(known->parent);
        call.shown = str_of(known->shown);
    }
    if (!subagents_tool(&cs->subagents, &call, report) && known) {
        known->announced = false; /* a question announces it yet */
    }
}

void children_say(struct child_sessions *cs, str launch, const struct subagent_update *update)
{
    AUTO_BUF(meta);
    struct subagent_update u = *update;
    u.meta = children_meta(&meta, launch);
    if (launch.p && children_shown(cs)) {
        subagents_say(&cs->subagents, launch, &u);
    } else {
        deliver(cs, STR_ABSENT, &u);
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

void children_task(struct child_sessions *cs, json frame, void (*step)(struct subagents *sa, json frame))
{
    if (children_shown(cs) && !live_tasks_late(cs->with.live, frame)) {
        step(&cs->subagents, frame);
    }
}

void children_message(struct child_sessions *cs, str call, json input)
{
    subagents_addressed(&cs->subagents, json_text(json_get(input, "to")), call,
                        json_text(json_get(input, "message")));
}

/* The use of SendMessage that the frame has the result of; NULL: none. */
static const struct tool_call *message_call(struct child_sessions *cs, json frame)
{
    const struct tool_call *call = NULL;
    struct call_place at = call_place_of_parent(json_text(json_get(frame, "parent_tool_use_id")));
    for (struct json_iter it = json_each(json_path(frame, "message", "content", NULL)); json_next(&it);) {
        str id = json_text(json_get(it.value, "tool_use_id"));
        call = id.p ? tool_calls_find(cs->with.calls, at, id) : call;
    }
    return call && str_is(str_of(call->name), "SendMessage") ? call : NULL;
}

void children_resumed(struct child_sessions *cs, str agent, json frame)
{
    if (children_shown(cs)) {
        const struct tool_call *call = message_call(cs, frame);
        subagents_resumed(&cs->subagents, agent, call ? str_of(call->id) : STR_ABSENT,
                          call ? json_text(json_get(json_root(call->input), "message")) : STR_ABSENT);
    }
}

void children_finish(struct child_sessions *cs, enum subagent_state state)
{
    subagents_finish(&cs->subagents, state);
}

void children_cancel(struct child_sessions *cs)
{
    subagents_cancel(&cs->subagents);
}

void children_await(struct child_sessions *cs, str agent, bool waits)
{
    if (agent.p && children_shown(cs)) {
        subagents_await(&cs->subagents, agent, waits);
    }
}

bool children_agent_is_over(const struct child_sessions *cs, str agent)
{
    return agent.p && !live_tasks_find(cs->with.live, agent) && children_shown(cs) &&
           !subagents_take_late(&cs->subagents);
}

str children_session_of_agent(struct child_sessions *cs, str agent)
{
    return place(cs, children_shown(cs) ? subagents_session_of_agent(&cs->subagents, agent) : STR_ABSENT);
}

str children_session_of_call(struct child_sessions *cs, str id)
{
    const struct tool_call *call = tool_calls_any(cs->with.calls, id, false);
    str key = call ? str_of(call->key) : id;
    return place(cs,
                 call && call->shown ? str_of(call->shown) : subagents_session_of_call(&cs->subagents, key));
}
