/* What sessions have to say, as ACP v1 notifications and requests. Every message is written straight into the
 * connection's output. */
#include "acp_v1/internal.h"

/* Begins {"sessionId":…,"update":{"sessionUpdate":kind of a session/update. */
static struct buf *begin(struct acp_v1 *v, str session, const char *kind)
{
    struct buf *b = rpc_begin_notification(v->rpc, "session/update");
    json_open_object(b);
    json_member_str(b, "sessionId", session);
    json_key(b, "update");
    json_open_object(b);
    if (kind) {
        json_member_c(b, "sessionUpdate", kind);
    }
    return b;
}

static void end(struct acp_v1 *v, struct buf *b)
{
    json_close_object(b);
    json_close_object(b);
    rpc_end(v->rpc);
}

static const char *const chunk_kinds[] = {
    [MESSAGE_AGENT] = "agent_message_chunk",
    [MESSAGE_THOUGHT] = "agent_thought_chunk",
    [MESSAGE_USER] = "user_message_chunk",
};

static void say_text(void *self, str session, enum message_role role, str message_id, str text, str meta)
{
    struct acp_v1 *v = self;
    struct buf *b = begin(v, session, chunk_kinds[role]);
    json_key(b, "content");
    json_open_object(b);
    json_member_c(b, "type", "text");
    json_member_str(b, "text", text);
    json_close_object(b);
    json_member_str(b, "messageId", message_id);
    json_member_raw(b, "_meta", meta);
    end(v, b);
}

static void say_block(void *self, str session, enum message_role role, str message_id, str block)
{
    struct acp_v1 *v = self;
    struct buf *b = begin(v, session, chunk_kinds[role]);
    json_member_raw(b, "content", block);
    json_member_str(b, "messageId", message_id);
    end(v, b);
}

static void say_tool(void *self, str session, struct tool_report *report)
{
    struct acp_v1 *v = self;
    if (v->agent.client.air && !meta_filter_pass(v->meta, report)) {
        return;
    }
    struct buf *b = begin(v, session, NULL);
    tool_report_put_v1(b, report);
    end(v, b);
}

/* An update with one member that is ready JSON. */
static void say_member(struct acp_v1 *v, str session, const char *kind, const char *key, str value)
{
    struct buf *b = begin(v, session, kind);
    json_member_raw(b, key, value);
    end(v, b);
}

/* An update whose members are ready. */
static void say_members(struct acp_v1 *v, str session, const char *kind, str members)
{
    struct buf *b = begin(v, session, kind);
    if (members.n) {
        json_put_raw(b, members);
    }
    end(v, b);
}

static void say_plan(void *self, str session, str entries)
{
    say_member(self, session, "plan", "entries", entries);
}

static void say_commands(void *self, str session, str commands)
{
    say_member(self, session, "available_commands_update", "availableCommands", commands);
}

static void say_mode(void *self, str session, str mode)
{
    struct acp_v1 *v = self;
    struct buf *b = begin(v, session, "current_mode_update");
    json_member_str(b, "currentModeId", mode);
    end(v, b);
}

static void say_options(void *self, str session, str options)
{
    say_member(self, session, "config_option_update", "configOptions", options);
}

static void say_usage(void *self, str session, str members)
{
    say_members(self, session, "usage_update", members);
}

static void say_info(void *self, str session, str members)
{
    say_members(self, session, "session_info_update", members);
}

static void say_notice(void *self, str session, const char *severity, str title, str description)
{
    struct acp_v1 *v = self;
    struct buf *b = begin(v, session, "notice");
    json_member_c(b, "severity", severity);
    json_member_str(b, "title", title);
    json_member_str(b, "description", description);
    end(v, b);
}

static void say_update(void *self, str session, const char *name, str members)
{
    say_members(self, session, name, members);
}

static void say_raw(void *self, str session, json message)
{
    struct acp_v1 *v = self;
    struct buf *b = rpc_begin_notification(v->rpc, "_claude/sdkMessage");
    json_open_object(b);
    json_member_str(b, "sessionId", session);
    json_member(b, "message", message);
    json_close_object(b);
    rpc_end(v->rpc);
}

static void say_auth_status(void *self, str status)
{
    struct acp_v1 *v = self;
    json_put_raw(rpc_begin_notification(v->rpc, "_auth/status_update"), status);
    rpc_end(v->rpc);
}

static uint64_t ask(struct acp_v1 *v, const char *method, str params, surface_answer_cb *cb, void *user)
{
    uint64_t id = 0;
    struct buf *b = v->closed ? NULL : rpc_begin_call(v->rpc, method, cb, user, &id);
    if (!b) {
        return 0;
    }
    json_put_raw(b, params);
    rpc_end(v->rpc);
    return id + 1; /* calls are numbered from 0 */
}

static uint64_t ask_permission(void *self, str params, surface_answer_cb *cb, void *user)
{
    return ask(self, "session/request_permission", params, cb, user);
}

static uint64_t ask_elicitation(void *self, str params, surface_answer_cb *cb, void *user)
{
    return ask(self, "elicitation/create", params, cb, user);
}

static void withdraw(void *self, uint64_t request)
{
    struct acp_v1 *v = self;
    rpc_cancel(v->rpc, request - 1);
}

static void notify(void *self, const char *method, str params)
{
    struct acp_v1 *v = self;
    json_put_raw(rpc_begin_notification(v->rpc, method), params);
    rpc_end(v->rpc);
}

const struct surface acp_v1_surface = {
    .text = say_text,
    .block = say_block,
    .tool = say_tool,
    .plan = say_plan,
    .commands = say_commands,
    .mode = say_mode,
    .options = say_options,
    .usage = say_usage,
    .info = say_info,
    .notice = say_notice,
    .update = say_update,
    .raw = say_raw,
    .auth_status = say_auth_status,
    .ask_permission = ask_permission,
    .ask_elicitation = ask_elicitation,
    .withdraw = withdraw,
    .notify = notify,
};
