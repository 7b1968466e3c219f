#include "replay/replay_tasks.h"

#include <stdlib.h>

#include "replay/replay_children.h"
#include "replay/replay_target.h"

/* What is known of a call, should it turn out to have gone on in the background. */
struct known_call {
    const struct replay_child *child; /* whose call it is; NULL: the root's */
    const char *type;                 /* of a task of it, in the CLI's words */
    char *name;                       /* what it is for; NULL: it does not say */
    char *task;                       /* its task, of whose end nothing was told; NULL: none */
};

static void free_call(void *p)
{
    struct known_call *call = p;
    free(call->name);
    free(call->task);
    free(call);
}

static str session_of(void *user, str call_id)
{
    const struct replay_tasks *rt = user;
    const struct known_call *call = call_id.p ? map_get(&rt->calls, call_id) : NULL;
    return call && call->child ? str_of(call->child->session) : rt->to->session;
}

static void task_update(void *user, str session, const char *name, str members)
{
    const struct replay_tasks *rt = user;
    rt->to->surface->update(rt->to->surface_self, session, name, members);
}

/* Their tasks have the type already. */
static bool is_monitor(void *user, str call_id)
{
    (void)user;
    (void)call_id;
    return false;
}

static const struct async_tasks_sink sink = {.session_of = session_of,
                                             .is_monitor = is_monitor,
                                             .update = task_update};

void replay_tasks_init(struct replay_tasks *rt, const struct replay_target *to)
{
    *rt = (struct replay_tasks){.to = to, .tells = to->client->air_async_tasks};
    async_tasks_init(&rt->tasks, &sink, rt);
}

void replay_tasks_free(struct replay_tasks *rt)
{
    async_tasks_free(&rt->tasks);
    map_free(&rt->calls, free_call);
}

/* ---- Calls ---- */

static const char *task_type(str tool)
{
    return str_is(tool, "Monitor")    ? "local_monitor"
           : str_is(tool, "Workflow") ? "local_workflow"
                                      : "local_bash";
}

void replay_tasks_call(struct replay_tasks *rt, const struct replay_child *child, json block)
{
    str id = json_text(json_get(block, "id"));
    json input = json_get(block, "input");
    struct known_call *call = rt->tells && id.p ? calloc(1, sizeof(*call)) : NULL;
    void *old = NULL;
    if (!call) {
        return;
    }
    str name = json_text(json_get(input, "description"));
    name = name.p ? name : json_text(json_get(input, "command"));
    *call = (struct known_call){.child = child,
                                .type = task_type(json_str(json_get(block, "name"))),
                                .name = str_dup(name)};
    if (!map_put(&rt->calls, id, call, &old)) {
        free_call(call);
    } else if (old) {
        free_call(old);
    }
}

void replay_tasks_began(struct replay_tasks *rt, str call_id, str task)
{
    struct known_call *call = map_get(&rt->calls, call_id);
    if (call && !call->task && task.p) {
        call->task = str_dup(task);
    }
}

/* ---- What is told ---- */

/* Frames as the CLI would have sent them: of the start, and, with a status, of the end. */
static void tell(struct replay_tasks *rt, const struct known_call *call, const struct task_notice *t)
{
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "task_id", t->task);
    json_member_str(&b, "tool_use_id", t->call);
    json_member_c(&b, "task_type", call->type);
    json_member_bool(&b, "is_backgrounded", true);
    json_member_str(&b, "description", str_of(call->name));
    json_member_str(&b, "status", t->status);
    json_member_str(&b, "summary", t->summary);
    json_member_str(&b, "output_file", t->output);
    json_close_object(&b);
    AUTO_JSON(doc) = buf_ok(&b) ? json_parse(buf_str(&b), NULL) : NULL;
    if (doc) {
        async_tasks_started(&rt->tasks, json_root(doc));
        async_tasks_notified(&rt->tasks, json_root(doc));
    }
}

void replay_tasks_notice(struct replay_tasks *rt, const struct task_notice *t)
{
    struct known_call *call = rt->tells && t->call.p ? map_get(&rt->calls, t->call) : NULL;
    if (!call) {
        return;
    }
    tell(rt, call, t);
    if (call->task && str_eq(t->task, str_of(call->task))) {
        free(call->task);
        call->task = NULL;
    }
}

static bool still_runs(const struct replay_tasks *rt, str task)
{
    const struct async_task *t = map_get(&rt->to->tasks->by_id, task);
    return t && t->state < ASYNC_COMPLETED;
}

void replay_tasks_end(struct replay_tasks *rt)
{
    size_t at = 0;
    str id;
    void *p;
    while (map_next(&rt->calls, &at, &id, &p)) {
        const struct known_call *call = p;
        if (call->task) {
            struct task_notice t = {.task = str_of(call->task), .call = id};
            t.status = still_runs(rt, t.task) ? STR("running") : STR("stopped");
            tell(rt, call, &t);
        }
    }
}
