/* How the draft tells of subagents: subagent_update with each state, session_message with what a child is
 * asked. */
#include "subagent/subagents_draft.h"

#include "rpc/request_error.h"
#include "subagent/subagents_state.h"

/* ---- The members of the updates ---- */

static void open_state(struct buf *b, const char *state)
{
    json_key(b, "state");
    json_open_object(b);
    json_member_c(b, "state", state);
}

static void put_state(struct buf *b, str session, const char *state)
{
    json_member_str(b, "sessionId", session);
    open_state(b, state);
    json_close_object(b);
}

void draft_put_running(struct buf *b, str session)
{
    put_state(b, session, "running");
}

void draft_put_awaiting(struct buf *b, str session)
{
    put_state(b, session, "requires_action");
}

void draft_put_announced(struct buf *b, str session, str name, str type, str description)
{
    AUTO_BUF(both);
    str title = name.p ? name : type;
    if (name.p && type.p && !str_eq(name, type)) {
        buf_put_str(&both, name);
        buf_put_c(&both, " (");
        buf_put_str(&both, type);
        buf_put_c(&both, ")");
        title = buf_str(&both);
    }
    json_member_str(b, "sessionId", session);
    json_member_str(b, "title", title);
    json_member_str(b, "description", description);
    open_state(b, "running");
    json_close_object(b);
}

void draft_put_over(struct buf *b, str session, enum subagent_state state, str error)
{
    static const char *const reasons[] = {
        [SUBAGENT_COMPLETED] = "end_turn", [SUBAGENT_FAILED] = "error", [SUBAGENT_CANCELLED] = "cancelled",
        [SUBAGENT_DISCONNECTED] = NULL,    [SUBAGENT_LOST] = NULL,
    };
    json_member_str(b, "sessionId", session);
    open_state(b, state == SUBAGENT_DISCONNECTED ? "unknown" : "idle");
    if (reasons[state]) {
        json_member_c(b, "stopReason", reasons[state]);
    }
    if (state == SUBAGENT_FAILED && error.p) {
        json_key(b, "error");
        json_open_object(b);
        json_member_int(b, "code", RPC_INTERNAL_ERROR);
        json_member_str(b, "message", error);
        json_close_object(b);
    }
    json_close_object(b);
}

void draft_put_message(struct buf *b, str id, str from, str to, str text)
{
    json_member_str(b, "messageId", id);
    json_member_str(b, "senderSessionId", from);
    json_member_str(b, "recipientSessionId", to);
    json_key(b, "content");
    json_open_array(b);
    json_open_object(b);
    json_member_c(b, "type", "text");
    json_member_str(b, "text", text);
    json_close_object(b);
    json_close_array(b);
}

/* ---- What a live child is told of ---- */

static void tell(struct subagents *sa, const struct subagent *c, const struct buf *members)
{
    if (buf_ok(members)) {
        sa->sink->state(sa->user, str_of(c->parent), "subagent_update", buf_str(members));
    }
}

static str either(const char *one, const char *other)
{
    const char *texts[] = {one, other};
    return subagents_first_said(texts, ARRAY_LEN(texts));
}

/* The session where the run was asked for: that of its call. */
static str asked_in(const struct subagents *sa, const struct subagent *c)
{
    const struct subagent_launch *l = subagents_launch(sa, str_of(c->call));
    return l && l->called ? str_of(l->session) : subagents_session_of_call(sa, str_of(c->call));
}

static void tell_started(struct subagents *sa, struct subagent *c, const struct subagent_identity *who,
                         bool again)
{
    AUTO_BUF(b);
    str session = str_of(c->session);
    const char *prompt = str_trim(str_of(c->prompt)).n ? c->prompt : who->prompt;
    if (again) {
        draft_put_running(&b, session);
    } else {
        draft_put_announced(&b, session, either(who->name, NULL), either(c->type, who->type),
                            either(c->description, who->description));
    }
    tell(sa, c, &b);
    if (c->call && str_trim(str_of(prompt)).n) {
        sa->sink->message(sa->user, asked_in(sa, c), session, str_of(c->call), str_of(prompt));
    }
}

static void tell_over(struct subagents *sa, const struct subagent *c)
{
    AUTO_BUF(b);
    draft_put_over(&b, str_of(c->session), c->state, str_of(c->error));
    tell(sa, c, &b);
}

static void tell_awaits(struct subagents *sa, const struct subagent *c)
{
    AUTO_BUF(b);
    (c->awaiting ? draft_put_awaiting : draft_put_running)(&b, str_of(c->session));
    tell(sa, c, &b);
}

const struct subagents_form subagents_draft = {
    .shows_launches = true,
    .takes_late = true,
    .ended_by_cli = true,
    .started = tell_started,
    .ended = tell_over,
    .awaits = tell_awaits,
};
