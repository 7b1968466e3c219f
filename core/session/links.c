/* What the rooms that serve a session use of it. */
#include "session/child_sessions.h"

/* ---- Tool calls ---- */

static void send_report(void *user, struct tool_report *r)
{
    children_tool(user, r);
}

static void plan(void *user, str parent, const struct fact_plan_entry *entries)
{
    session_publish_plan_entries(user, parent, entries);
}

static void tasks(void *user, str parent, const struct fact_task_change *changes)
{
    session_change_tasks(user, parent, changes);
}

static void plan_approved(void *user, json input, json structured)
{
    session_plan_approved(user, input, structured);
}

static bool alive(const void *user)
{
    return session_live(user);
}

static void hold(void *user)
{
    session_ref(user);
    session_hold_frames(user);
}

static void release(void *user)
{
    session_release_frames(user);
    session_unref(user);
}

static bool stopped(const void *user)
{
    const struct session *s = user;
    return s->turns.cancelled;
}

static str session_of_agent(void *user, str agent)
{
    return children_session_of_agent(user, agent);
}

static bool agent_is_over(const void *user, str agent)
{
    const struct session *s = user;
    return agent.p && !live_tasks_find(&s->live, agent) && children_shown(s) &&
           !subagents_take_late(&s->subagents);
}

static void message(void *user, str call, json input)
{
    children_message(user, call, input);
}

static void result(void *user, str id, json frame)
{
    session_plan_exit_result(user, id, frame);
}

static bool background(void *user, const struct tool_call *call, json block, json frame)
{
    return extensions_result_of_call(user, call, block, frame);
}

static const struct tool_host_calls tool_calls = {
    .send = send_report,
    .plan = plan,
    .tasks = tasks,
    .plan_approved = plan_approved,
    .alive = alive,
    .hold = hold,
    .release = release,
    .stopped = stopped,
    .session_of_agent = session_of_agent,
    .agent_is_over = agent_is_over,
    .message = message,
    .result = result,
    .background = background,
};

static bool link_tool_calls(struct session *s)
{
    struct session_host *h = s->agent;
    s->tools = (struct tool_host){
        .loop = h->loop,
        .log = h->log,
        .dirs = h->dirs,
        .client = &h->client,
        .reporters = &h->reporters,
        .cwd = str_of(s->cwd),
        .live = &s->live,
        .calls = &tool_calls,
        .user = s,
    };
    return tool_calls_init(&s->calls, &s->tools, false);
}

/* ---- The work of Herald's own ---- */

static struct cli_control *cli(const void *user)
{
    const struct session *s = user;
    return s->state == SESSION_OPEN ? s->cli : NULL;
}

static json servers(const void *user)
{
    const struct session *s = user;
    return s->params.mcp_servers;
}

static void hold_frames(void *user)
{
    session_hold_frames(user);
}

static void release_frames(void *user)
{
    session_release_frames(user);
}

static void keep(void *user)
{
    session_ref(user);
}

static void drop(void *user)
{
    session_unref(user);
}

static const struct local_host_calls local_calls = {
    .cli = cli,
    .servers = servers,
    .hold = hold_frames,
    .release = release_frames,
    .keep = keep,
    .drop = drop,
};

static void link_local(struct session *s)
{
    struct session_host *h = s->agent;
    list_init(&s->local.commands);
    s->local.host = (struct local_host){
        .loop = h->loop,
        .log = h->log,
        .client = &h->client,
        .surface = h->surface,
        .surface_self = h->surface_self,
        .session = str_of(s->id),
        .turns = &s->turns,
        .calls = &local_calls,
        .user = s,
    };
}

bool session_link(struct session *s)
{
    link_local(s);
    return link_tool_calls(s);
}
