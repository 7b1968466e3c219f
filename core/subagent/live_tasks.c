#include "subagent/live_tasks.h"

#include <stdlib.h>

enum { CHAIN_MAX = 64 }; /* parents that are followed */

/* The newest run of a task. Run ids sort by time as texts. */
struct live_run {
    struct list link;
    char *task, *run;
};

/* ---- Memory ---- */

static void free_task(struct live_task *t)
{
    free(t->id);
    free(t->call);
    free(t->parent);
    free(t->call_key);
    free(t->call_told);
    free(t->call_parent);
    free(t->call_tool);
    free(t);
}

static void free_run(struct live_run *r)
{
    list_remove(&r->link);
    free(r->task);
    free(r->run);
    free(r);
}

void live_tasks_init(struct live_tasks *lt)
{
    *lt = (struct live_tasks){0};
    list_init(&lt->tasks);
    list_init(&lt->settled);
    list_init(&lt->run_order);
}

static void drop_settled(struct live_tasks *lt, struct live_task *t)
{
    list_remove(&t->link);
    lt->settled_count--;
    free_task(t);
}

void live_tasks_clear(struct live_tasks *lt, bool reset,
                      void (*ended)(void *user, const struct live_task *task), void *user)
{
    LIST_EACH(t, &lt->tasks, struct live_task, link) {
        if (reset && t->backgrounded && !t->subagent) {
            continue;
        }
        map_remove(&lt->by_id, str_of(t->id));
        list_remove(&t->link);
        if (ended) {
            ended(user, t);
        }
        free_task(t);
    }
    if (lt->gone) {
        free_task(lt->gone);
        lt->gone = NULL;
    }
    LIST_EACH(t, &lt->settled, struct live_task, link) {
        drop_settled(lt, t);
    }
}

void live_tasks_free(struct live_tasks *lt)
{
    live_tasks_clear(lt, false, NULL, NULL);
    map_free(&lt->by_id, NULL);
    map_free(&lt->runs, NULL);
    LIST_EACH(r, &lt->run_order, struct live_run, link) {
        free_run(r);
    }
}

/* ---- Late frames ---- */

static void remember_run(struct live_tasks *lt, str task, str run)
{
    struct live_run *r = calloc(1, sizeof(*r));
    if (!r) {
        return;
    }
    list_init(&r->link);
    r->task = str_dup(task);
    r->run = str_dup(run);
    if (!r->task || !r->run || !map_put(&lt->runs, task, r, NULL)) {
        free_run(r);
        return;
    }
    list_append(&lt->run_order, &r->link);
    if (lt->runs.used > LIVE_TASKS_RUNS_MAX) {
        struct live_run *oldest = LIST_FIRST(&lt->run_order, struct live_run, link);
        map_remove(&lt->runs, str_of(oldest->task));
        free_run(oldest);
    }
}

bool live_tasks_late(struct live_tasks *lt, json frame)
{
    str task = json_text(json_get(frame, "task_id")), run = json_text(json_get(frame, "run_id"));
    if (!task.p || !run.p) {
        return false;
    }
    struct live_run *known = map_get(&lt->runs, task);
    int order = known ? str_cmp(run, str_of(known->run)) : 1;
    if (order < 0) {
        return true;
    }
    if (order > 0) {
        if (known) {
            map_remove(&lt->runs, task);
            free_run(known);
        }
        remember_run(lt, task, run);
    }
    return false;
}

/* ---- The registry ---- */

struct live_task *live_tasks_find(const struct live_tasks *lt, str id)
{
    return id.p ? map_get(&lt->by_id, id) : NULL;
}

struct live_task *live_tasks_of_call(const struct live_tasks *lt, str call, bool subagent)
{
    LIST_EACH(t, &lt->tasks, struct live_task, link) {
        if (t->subagent == subagent && t->call && str_is(call, t->call)) {
            return t;
        }
    }
    return NULL;
}

static struct live_task *add(struct live_tasks *lt, str id)
{
    struct live_task *t = calloc(1, sizeof(*t));
    if (!t) {
        return NULL;
    }
    t->id = str_dup(id);
    if (!t->id || !map_put(&lt->by_id, id, t, NULL)) {
        free_task(t);
        return NULL;
    }
    list_append(&lt->tasks, &t->link);
    return t;
}

/* Takes a copy unless there is one; what cannot be copied is not known. */
static void learn(char **to, str text)
{
    if (!*to && text.p) {
        *to = str_dup(text);
    }
}

static struct live_task *find_settled(const struct live_tasks *lt, str id)
{
    LIST_EACH(t, &lt->settled, struct live_task, link) {
        if (str_is(id, t->id)) {
            return t;
        }
    }
    return NULL;
}

static void set_gone(struct live_tasks *lt, struct live_task *t)
{
    if (lt->gone) {
        free_task(lt->gone);
    }
    lt->gone = t;
}

/* The task is over; the caller may still look at it. */
static void end(struct live_tasks *lt, struct live_task *t)
{
    map_remove(&lt->by_id, str_of(t->id));
    list_remove(&t->link);
    if (!t->subagent) {
        set_gone(lt, t);
        return;
    }
    list_append(&lt->settled, &t->link);
    if (++lt->settled_count > LIVE_TASKS_SETTLED_MAX) {
        drop_settled(lt, LIST_ENTRY(lt->settled.next, struct live_task, link));
    }
}

/* ---- Frames ---- */

static const struct live_event nothing = {LIVE_NOTHING, NULL};

struct live_event live_tasks_started(struct live_tasks *lt, json frame)
{
    str id = json_text(json_get(frame, "task_id"));
    if (!id.p || live_tasks_late(lt, frame)) {
        return nothing;
    }
    struct live_task *t = live_tasks_find(lt, id), *old = t ? NULL : find_settled(lt, id);
    if (!t && !(t = add(lt, id))) {
        return nothing;
    }
    if (old) { /* its messages go on under the call that began it */
        learn(&t->call, str_of(old->call));
        drop_settled(lt, old);
    }
    learn(&t->call, json_text(json_get(frame, "tool_use_id")));
    learn(&t->parent, json_text(json_get(frame, "parent_task_id")));
    t->subagent = t->subagent || json_text(json_get(frame, "subagent_type")).p;
    t->backgrounded = t->backgrounded || json_is_true(json_get(frame, "is_backgrounded"));
    t->ended_by_level = false;
    return (struct live_event){LIVE_STARTED, t};
}

static struct live_event over(struct live_tasks *lt, str id)
{
    struct live_task *t = live_tasks_find(lt, id);
    if (!t) {
        return nothing;
    }
    end(lt, t);
    return (struct live_event){LIVE_ENDED, t};
}

struct live_event live_tasks_resumed(struct live_tasks *lt, str id)
{
    struct live_task *old = id.p && !live_tasks_find(lt, id) ? find_settled(lt, id) : NULL;
    struct live_task *t = old && old->subagent ? add(lt, id) : NULL;
    if (!t) {
        return nothing;
    }
    learn(&t->call, str_of(old->call));
    learn(&t->parent, str_of(old->parent));
    t->subagent = true;
    t->backgrounded = true;
    drop_settled(lt, old);
    return (struct live_event){LIVE_RESUMED, t};
}

struct live_event live_tasks_updated(struct live_tasks *lt, json frame)
{
    json patch = json_get(frame, "patch"), backgrounded = json_get(patch, "is_backgrounded");
    str id = json_text(json_get(frame, "task_id")), status = json_str(json_get(patch, "status"));
    if (!id.p || live_tasks_late(lt, frame)) {
        return nothing;
    }
    if (str_is(status, "completed") || str_is(status, "failed") || str_is(status, "killed")) {
        return over(lt, id);
    }
    struct live_task *t = live_tasks_find(lt, id);
    if (!t && (str_is(status, "running") || str_is(status, "pending"))) {
        return live_tasks_resumed(lt, id);
    }
    if (!t || !json_is_bool(backgrounded)) {
        return nothing;
    }
    t->backgrounded = json_is_true(backgrounded);
    return (struct live_event){LIVE_CHANGED, t};
}

struct live_event live_tasks_notified(struct live_tasks *lt, json frame)
{
    str id = json_text(json_get(frame, "task_id"));
    return id.p && !live_tasks_late(lt, frame) ? over(lt, id) : nothing;
}

static bool is_listed(json list, const struct live_task *t)
{
    for (struct json_iter it = json_each(list); json_next(&it);) {
        if (str_is(json_str(json_get(it.value, "task_id")), t->id)) {
            return true;
        }
    }
    return false;
}

void live_tasks_level(struct live_tasks *lt, json list,
                      void (*ended)(void *user, const struct live_task *task), void *user)
{
    if (!json_is(list, JSON_ARRAY)) {
        return;
    }
    LIST_EACH(t, &lt->tasks, struct live_task, link) {
        if (is_listed(list, t)) {
            t->ended_by_level = false;
        } else if (!t->subagent) {
            end(lt, t);
            if (ended) {
                ended(user, t);
            }
        } else if (!t->ended_by_level) {
            t->ended_by_level = true;
            t->activations = 0;
        }
    }
}

void live_tasks_activation(struct live_tasks *lt)
{
    LIST_EACH(t, &lt->tasks, struct live_task, link) {
        if (t->ended_by_level && ++t->activations >= 2) {
            end(lt, t);
        }
    }
}

/* ---- Questions ---- */

bool live_tasks_holds(const struct live_tasks *lt, str id)
{
    const struct live_task *t = live_tasks_find(lt, id);
    return t && t->subagent && !t->ended_by_level;
}

bool live_tasks_foreground(const struct live_tasks *lt, str id)
{
    const struct live_task *t = live_tasks_find(lt, id);
    for (unsigned i = 0; t && i < CHAIN_MAX; i++) {
        if (t->backgrounded) {
            return false;
        }
        if (!t->parent) {
            return true;
        }
        t = live_tasks_find(lt, str_of(t->parent));
    }
    return false;
}
