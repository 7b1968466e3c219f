/* What the tool calls of a replay use of it. */
#include "replay/replay_record.h"

static void send_report(void *user, struct tool_report *r)
{
    struct replay_view *v = user;
    const struct replay_target *to = v->to;
    to->surface->tool(to->surface_self, v->child ? str_of(v->child->session) : to->session, r);
}

/* The plan of a stored child is over. */
static void plan(void *user, str parent, const struct fact_plan_entry *entries)
{
    struct replay_view *v = user;
    (void)parent;
    if (!v->child) {
        v->to->does->plan(v->to->user, entries);
    }
}

static void tasks(void *user, str parent, const struct fact_task_change *changes)
{
    struct replay_view *v = user;
    (void)parent;
    if (!v->child) {
        v->to->does->tasks(v->to->user, changes);
    }
}

static void plan_approved(void *user, json input, json structured)
{
    struct replay_view *v = user;
    v->to->does->plan_approved(v->to->user, input, structured);
}

/* A call went on in the background when its stored result names a task, which the client is told of too. */
static bool background(void *user, const struct tool_call *call, json block, json message)
{
    struct replay_view *v = user;
    json results = json_path(message, "message", "content", NULL); /* what is said of the one result */
    str task = json_text(json_path(message, "toolUseResult", "backgroundTaskId", NULL));
    (void)block;
    if (!v->tasks.tells || !call->command || !task.p || json_count(results) != 1) {
        return false;
    }
    replay_tasks_began(&v->tasks, str_of(call->id), task);
    return true;
}

static const struct tool_host_calls calls = {
    .send = send_report,
    .plan = plan,
    .tasks = tasks,
    .plan_approved = plan_approved,
    .background = background,
};

bool replay_tools_init(struct replay_view *v)
{
    const struct replay_target *to = v->to;
    v->tools = (struct tool_host){
        .loop = to->loop,
        .log = to->log,
        .dirs = to->dirs,
        .client = to->client,
        .reporters = to->reporters,
        .cwd = to->cwd,
        .calls = &calls,
        .user = v,
    };
    return tool_calls_init(&v->calls, &v->tools, true);
}

/* The session has the call too, and no end of it. */
static bool still_runs(const struct replay_view *v, const struct tool_call *call)
{
    const struct tool_call *live =
        tool_calls_find(v->to->calls, call_place_of_parent(str_of(call->parent)), str_of(call->id));
    return live && !live->ended;
}

void replay_tools_end(struct replay_view *v)
{
    size_t at = 0;
    void *p;
    while (map_next(&v->calls.by_key, &at, NULL, &p)) {
        struct tool_call *call = p;
        v->child = replay_children_find(&v->children, str_of(call->parent));
        if (!still_runs(v, call)) {
            tool_calls_close_one(&v->calls, call, false);
        }
    }
    v->child = NULL;
}
