/* What ACP v2 writes in its own way, but for tool calls. */
#include "acp/updates.h"

#include "acp_v2/internal.h"
#include "base/uuid.h"

/* ---- Messages ---- */

/* A message that the client may hold is emptied before its first replayed chunk. */
static void begin_again(struct connection *c, str session, enum message_role role, str message_id)
{
    static const char *const kinds[] = {
        [MESSAGE_AGENT] = "agent_message",
        [MESSAGE_THOUGHT] = "agent_thought",
        [MESSAGE_USER] = "user_message",
    };
    if (c->agent.host.replaying && replay_marks_first(acp_v2_state(c)->replays, session, role, message_id)) {
        struct buf *b = acp_begin_update(c, session, kinds[role]);
        json_member_str(b, "messageId", message_id);
        json_member_raw(b, "content", STR("[]"));
        acp_end_update(c, b);
    }
}

/* Every chunk belongs to a message: one that names none is a message of its own. */
static str id_of(str message_id, char own[UUID_SIZE])
{
    return message_id.p || !uuid_v4(own) ? message_id : str_of(own);
}

static void say_text(void *self, str session, enum message_role role, str message_id, str text, str meta)
{
    char own[UUID_SIZE];
    str id = id_of(message_id, own);
    begin_again(self, session, role, id);
    acp_say_text(self, session, role, id, text, meta);
}

static void say_block(void *self, str session, enum message_role role, str message_id, str block, str meta)
{
    char own[UUID_SIZE];
    str id = id_of(message_id, own);
    begin_again(self, session, role, id);
    acp_say_block(self, session, role, id, block, meta);
}

/* ---- State ---- */

static void put_error(struct buf *b, const struct turn_end *end)
{
    json_member_c(b, "stopReason", "error");
    json_key(b, "error");
    json_open_object(b);
    json_member_int(b, "code", end->code);
    json_member_str(b, "message", end->message);
    json_member_raw(b, "data", end->data);
    json_close_object(b);
}

static void say_foreground(void *self, str session, enum foreground what, const struct turn_end *end)
{
    static const char *const states[] = {
        [FOREGROUND_RUNNING] = "running",
        [FOREGROUND_AWAITING_USER] = "requires_action",
        [FOREGROUND_ENDED] = "idle",
    };
    struct connection *c = self;
    struct buf *b = acp_begin_update(c, session, "state_update");
    json_member_c(b, "state", states[what]);
    if (what == FOREGROUND_ENDED && !end->stop_reason) {
        put_error(b, end);
    } else if (what == FOREGROUND_ENDED) {
        json_member_c(b, "stopReason", end->stop_reason);
        if (end->members.n) {
            json_put_raw(b, end->members);
        }
    }
    acp_end_update(c, b);
}

/* A subagent's session has a state of its own, which is that of the update on its parent's session. */
static void say_child_state(struct connection *c, str session, str members)
{
    AUTO_BUF(text);
    json_open_object(&text);
    json_put_raw(&text, members);
    json_close_object(&text);
    AUTO_JSON(doc) = json_parse(buf_str(&text), NULL);
    str child = json_text(json_get(json_root(doc), "sessionId"));
    json state = json_get(json_root(doc), "state");
    if (!child.p) {
        return;
    }
    replay_marks_child(acp_v2_state(c)->replays, session, child);
    if (json_is(state, JSON_OBJECT)) {
        struct buf *b = acp_begin_update(c, child, "state_update");
        for (struct json_iter it = json_each(state); json_next(&it);) {
            json_key_str(b, json_iter_key(&it));
            json_put(b, it.value);
        }
        acp_end_update(c, b);
    }
}

static void say_update(void *self, str session, const char *name, str members)
{
    acp_say_update(self, session, name, members);
    if (strcmp(name, "subagent_update") == 0) {
        say_child_state(self, session, members);
    }
}

/* ---- Plans and modes ---- */

static void say_plan(void *self, str session, str entries, str meta)
{
    struct connection *c = self;
    struct buf *b = acp_begin_update(c, session, "plan_update");
    json_key(b, "plan");
    json_open_object(b);
    json_member_c(b, "type", "items");
    json_member_c(b, "planId", "plan");
    json_member_raw(b, "entries", entries);
    json_close_object(b);
    json_member_raw(b, "_meta", meta);
    acp_end_update(c, b);
}

static void say_mode(void *self, str session, str mode)
{
    (void)self; /* it is one of the options, which are told as well */
    (void)session;
    (void)mode;
}

const struct surface acp_v2_surface = {
    .text = say_text,
    .block = say_block,
    .tool = acp_v2_say_tool,
    .plan = say_plan,
    .commands = acp_say_commands,
    .mode = say_mode,
    .options = acp_say_options,
    .usage = acp_say_usage,
    .info = acp_say_info,
    .notice = acp_say_notice,
    .update = say_update,
    .foreground = say_foreground,
    .raw = acp_say_raw,
    .auth_status = acp_say_auth_status,
    .ask_permission = acp_v2_ask_permission,
    .ask_elicitation = acp_ask_elicitation,
    .withdraw = acp_withdraw,
    .notify = acp_notify,
};
