#include "acp/updates.h"

struct buf *acp_begin_update(struct connection *c, str session, const char *kind)
{
    struct buf *b = rpc_begin_notification(c->rpc, "session/update");
    json_open_object(b);
    json_member_str(b, "sessionId", session);
    json_key(b, "update");
    json_open_object(b);
    if (kind) {
        json_member_c(b, "sessionUpdate", kind);
    }
    return b;
}

void acp_end_update(struct connection *c, struct buf *b)
{
    json_close_object(b);
    json_close_object(b);
    rpc_end(c->rpc);
}

static const char *const chunk_kinds[] = {
    [MESSAGE_AGENT] = "agent_message_chunk",
    [MESSAGE_THOUGHT] = "agent_thought_chunk",
    [MESSAGE_USER] = "user_message_chunk",
};

void acp_say_text(void *self, str session, enum message_role role, str message_id, str text, str meta)
{
    struct connection *c = self;
    struct buf *b = acp_begin_update(c, session, chunk_kinds[role]);
    json_key(b, "content");
    json_open_object(b);
    json_member_c(b, "type", "text");
    json_member_str(b, "text", text);
    json_close_object(b);
    json_member_str(b, "messageId", message_id);
    json_member_raw(b, "_meta", meta);
    acp_end_update(c, b);
}

void acp_say_block(void *self, str session, enum message_role role, str message_id, str block, str meta)
{
    struct connection *c = self;
    struct buf *b = acp_begin_update(c, session, chunk_kinds[role]);
    json_member_raw(b, "content", block);
    json_member_str(b, "messageId", message_id);
    json_member_raw(b, "_meta", meta);
    acp_end_update(c, b);
}

/* An update with one member that is ready JSON. */
static void say_member(struct connection *c, str session, const char *kind, const char *key, str value)
{
    struct buf *b = acp_begin_update(c, session, kind);
    json_member_raw(b, key, value);
    acp_end_update(c, b);
}

/* An update whose members are ready. */
static void say_members(struct connection *c, str session, const char *kind, str members)
{
    struct buf *b = acp_begin_update(c, session, kind);
    if (members.n) {
        json_put_raw(b, members);
    }
    acp_end_update(c, b);
}

void acp_say_commands(void *self, str session, str commands)
{
    say_member(self, session, "available_commands_update", "availableCommands", commands);
}

void acp_say_options(void *self, str session, str options)
{
    say_member(self, session, "config_option_update", "configOptions", options);
}

void acp_say_usage(void *self, str session, str members)
{
    say_members(self, session, "usage_update", members);
}

void acp_say_info(void *self, str session, str members)
{
    say_members(self, session, "session_info_update", members);
}

void acp_say_notice(void *self, str session, const char *severity, str title, str description)
{
    struct connection *c = self;
    struct buf *b = acp_begin_update(c, session, "notice");
    json_member_c(b, "severity", severity);
    json_member_str(b, "title", title);
    json_member_str(b, "description", description);
    acp_end_update(c, b);
}

void acp_say_update(void *self, str session, const char *name, str members)
{
    say_members(self, session, name, members);
}

void acp_say_raw(void *self, str session, json message)
{
    struct connection *c = self;
    struct buf *b = rpc_begin_notification(c->rpc, "_claude/sdkMessage");
    json_open_object(b);
    json_member_str(b, "sessionId", session);
    json_member(b, "message", message);
    json_close_object(b);
    rpc_end(c->rpc);
}

void acp_say_auth_status(void *self, str status)
{
    struct connection *c = self;
    json_put_raw(rpc_begin_notification(c->rpc, "_auth/status_update"), status);
    rpc_end(c->rpc);
}

uint64_t acp_ask(struct connection *c, const char *method, str params, surface_answer_cb *cb, void *user)
{
    uint64_t id = 0;
    struct buf *b = c->closed ? NULL : rpc_begin_call(c->rpc, method, cb, user, &id);
    if (!b) {
        return 0;
    }
    json_put_raw(b, params);
    rpc_end(c->rpc);
    return id + 1; /* calls are numbered from 0 */
}

uint64_t acp_ask_elicitation(void *self, str params, surface_answer_cb *cb, void *user)
{
    return acp_ask(self, "elicitation/create", params, cb, user);
}

void acp_withdraw(void *self, uint64_t request)
{
    struct connection *c = self;
    rpc_cancel(c->rpc, request - 1);
}

void acp_notify(void *self, const char *method, str params)
{
    struct connection *c = self;
    json_put_raw(rpc_begin_notification(c->rpc, method), params);
    rpc_end(c->rpc);
}
