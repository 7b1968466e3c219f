/* What the tool calls of a replay use of it. */
#include "replay/replay_record.h"
#include "session/internal.h"

static void send_report(void *user, struct tool_report *r)
{
    struct replay_view *v = user;
    struct session_host *h = v->s->agent;
    h->surface->tool(h->surface_self, v->child ? str_of(v->child->session) : str_of(v->s->id), r);
}

/* The plan of a stored child is over. */
static void plan(void *user, str parent, const struct fact_plan_entry *entries)
{
    struct replay_view *v = user;
    if (!v->child) {
        session_publish_plan_entries(v->s, parent, entries);
    }
}

static void tasks(void *user, str parent, const struct fact_task_change *changes)
{
    struct replay_view *v = user;
    if (!v->child) {
        session_change_tasks(v->s, parent, changes);
    }
}

static void plan_approved(void *user, json input, json structured)
{
    struct replay_view *v = user;
    session_plan_approved(v->s, input, structured);
}

static const struct tool_host_calls calls = {
    .send = send_report,
    .plan = plan,
    .tasks = tasks,
    .plan_approved = plan_approved,
};

bool replay_tools_init(struct replay_view *v)
{
    struct session_host *h = v->s->agent;
    v->tools = (struct tool_host){
        .loop = h->loop,
        .log = h->log,
        .dirs = h->dirs,
        .client = &h->client,
        .reporters = &h->reporters,
        .cwd = str_of(v->s->cwd),
        .calls = &calls,
        .user = v,
    };
    return tool_calls_init(&v->calls, &v->tools, true);
}
