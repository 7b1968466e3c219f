/* What ACP v1 writes in its own way. */
#include "acp/updates.h"
#include "acp_v1/internal.h"

static void say_tool(void *self, str session, struct tool_report *report)
{
    struct connection *c = self;
    if (c->agent.host.client.air && !meta_filter_pass(c->state, session, report)) {
        return;
    }
    struct buf *b = acp_begin_update(c, session, NULL);
    tool_report_put_v1(b, report);
    acp_end_update(c, b);
}

static void say_plan(void *self, str session, str entries, str meta)
{
    struct connection *c = self;
    struct buf *b = acp_begin_update(c, session, "plan");
    json_member_raw(b, "entries", entries);
    json_member_raw(b, "_meta", meta);
    acp_end_update(c, b);
}

static void say_mode(void *self, str session, str mode)
{
    struct connection *c = self;
    struct buf *b = acp_begin_update(c, session, "current_mode_update");
    json_member_str(b, "currentModeId", mode);
    acp_end_update(c, b);
}

static uint64_t ask_permission(void *self, const struct permission_request *rq, surface_answer_cb *cb,
                               void *user)
{
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "sessionId", rq->session);
    json_key(&b, "toolCall");
    json_open_object(&b);
    tool_report_put_call(&b, rq->call);
    json_close_object(&b);
    json_member_raw(&b, "options", rq->options);
    json_member_raw(&b, "_meta", rq->meta);
    json_close_object(&b);
    return buf_ok(&b) ? acp_ask(self, "session/request_permission", buf_str(&b), cb, user) : 0;
}

const struct surface acp_v1_surface = {
    .text = acp_say_text,
    .block = acp_say_block,
    .tool = say_tool,
    .plan = say_plan,
    .commands = acp_say_commands,
    .mode = say_mode,
    .options = acp_say_options,
    .usage = acp_say_usage,
    .info = acp_say_info,
    .notice = acp_say_notice,
    .update = acp_say_update,
    .raw = acp_say_raw,
    .auth_status = acp_say_auth_status,
    .ask_permission = ask_permission,
    .ask_elicitation = acp_ask_elicitation,
    .withdraw = acp_withdraw,
    .notify = acp_notify,
};
