/* The table of the calls, and which blocks are about calls. */
#include "tool/tool_calls.h"

#include <stdlib.h>

#include "base/clock.h"
#include "subagent/subagents.h"
#include "tool/tool_calls_internal.h"
#include "tool/tool_host.h"
#include "tool/tool_job.h"

enum {
    CALLS_MAX = 8192, /* known at a time; one more is not shown */
};

bool tool_block_is_use(str type)
{
    return str_is(type, "tool_use") || str_is(type, "server_tool_use") || str_is(type, "mcp_tool_use");
}

bool tool_block_is_result(str type)
{
    static const char *const types[] = {
        "tool_result",
        "mcp_tool_result",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "tool_search_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
    };
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (str_is(type, types[i])) {
            return true;
        }
    }
    return false;
}

/* ---- The table of calls ---- */

static void free_call(void *p)
{
    struct tool_call *call = p;
    free(call->key);
    free(call->id);
    free(call->name);
    free(call->parent);
    free(call->shown);
    free(call->looked_at);
    json_unref(call->input);
    free(call);
}

bool tool_calls_init(struct tool_calls *tc, const struct tool_host *host, bool replay)
{
    *tc = (struct tool_calls){.host = host, .replay = replay, .tracker = field_tracker_new()};
    list_init(&tc->keyed);
    return tc->tracker != NULL;
}

void tool_calls_free(struct tool_calls *tc)
{
    map_free(&tc->by_key, free_call);
    tool_scanners_free(tc);
    field_tracker_free(tc->tracker);
    buf_free(&tc->scratch);
}

struct tool_call *tool_calls_of_key(const struct tool_calls *tc, str key)
{
    return key.p ? map_get(&tc->by_key, key) : NULL;
}

struct call_place call_place_of_parent(str parent)
{
    return (struct call_place){.parent = parent.n ? parent : STR_ABSENT};
}

struct call_place call_place_of_agent(const struct tool_calls *tc, str agent)
{
    const struct live_task *task = live_tasks_find(tc->host->live, agent);
    return (struct call_place){.parent = task ? str_of(task->call) : STR_ABSENT,
                               .unsure = agent.n && !(task && task->call)};
}

/* One that is not placed is some subagent's. */
static bool is_at(const struct tool_call *call, struct call_place at)
{
    if (call->unplaced || at.unsure) {
        return (call->unplaced || call->parent) && (at.unsure || at.parent.n);
    }
    return call->parent ? str_is(at.parent, call->parent) : !at.parent.n;
}

/* Most ids are of one call, whose key they are. */
struct tool_call *tool_calls_find(const struct tool_calls *tc, struct call_place at, str id)
{
    struct tool_call *call = tool_calls_of_key(tc, id);
    if (call && str_is(id, call->id) && is_at(call, at)) {
        return call;
    }
    LIST_EACH(other, &tc->keyed, struct tool_call, link) {
        if (id.p && str_is(id, other->id) && is_at(other, at)) {
            return other;
        }
    }
    return NULL;
}

struct tool_call *tool_calls_any(const struct tool_calls *tc, str id, bool launch)
{
    struct tool_call *call = tool_calls_of_key(tc, id), *found = call && str_is(id, call->id) ? call : NULL;
    if (found && subagents_is_launch(str_of(found->name)) == launch) {
        return found;
    }
    LIST_EACH(other, &tc->keyed, struct tool_call, link) {
        if (id.p && str_is(id, other->id) && (!found || subagents_is_launch(str_of(other->name)) == launch)) {
            return other;
        }
    }
    return found;
}

str tool_call_told_id(const struct tool_call *call)
{
    return str_of(call->tells_key ? call->key : call->id);
}

void tool_call_forget(struct tool_calls *tc, struct tool_call *call)
{
    field_tracker_end(tc->tracker, str_of(call->key));
    map_remove(&tc->by_key, str_of(call->key));
    list_remove(&call->link);
    free_call(call);
}

/* Calls whose hook did not come in time. */
static void forget_late(struct tool_calls *tc)
{
    int64_t now = clock_monotonic_ms();
    size_t at = 0;
    void *p;
    while (map_next(&tc->by_key, &at, NULL, &p)) {
        struct tool_call *call = p;
        if (call->ended && call->forget_at <= now) {
            tool_call_forget(tc, call);
        }
    }
}

void tool_call_set_parent(struct tool_call *call, str parent)
{
    if (parent.n && !call->parent) {
        call->parent = str_dup(parent);
        call->unplaced = !call->parent;
    }
}

/* The key of a new call: its id, unless another call has that. Absent: there is none, as somebody made ids up
 * to look like keys, or memory is out. */
static str free_key(struct tool_calls *tc, struct call_place at, str id)
{
    if (!tool_calls_of_key(tc, id)) {
        return id;
    }
    struct buf *b = &tc->scratch;
    buf_clear(b);
    buf_put_str(b, at.parent.n ? at.parent : at.unsure ? STR("agent") : STR("main"));
    buf_put_byte(b, ':');
    buf_put_str(b, id);
    return buf_ok(b) && !tool_calls_of_key(tc, buf_str(b)) ? buf_str(b) : STR_ABSENT;
}

/* A client with sessions for subagents sees calls of one session only together. */
static bool tells_key(const struct tool_calls *tc, struct call_place at)
{
    return !client_has_subagent_sessions(tc->host->client) || (at.unsure && !at.parent.n);
}

static struct tool_call *new_call(struct tool_calls *tc, str key, str id, str name, struct call_place at)
{
    struct tool_call *call = calloc(1, sizeof(*call));
    if (!call) {
        return NULL;
    }
    list_init(&call->link);
    call->key = str_dup(key);
    call->id = str_dup(id);
    call->name = str_dup(name.p ? name : STR(""));
    call->parent = str_dup(at.parent);
    call->unplaced = at.unsure;
    call->tells_key = tells_key(tc, at);
    call->reporter = reporter_for(*tc->host->reporters, name);
    call->hook = !tc->replay && !reporter_shows_plan(call->reporter);
    if (!call->key || !call->id || !call->name || (at.parent.p && !call->parent) ||
        !map_put(&tc->by_key, key, call, NULL)) {
        free_call(call);
        return NULL;
    }
    if (!str_is(id, call->key)) {
        list_append(&tc->keyed, &call->link);
    }
    return call;
}

struct tool_call *tool_calls_open(struct tool_calls *tc, str id, str name, struct call_place at)
{
    if (!id.n || str_find_byte(id, '\0', 0) != SIZE_MAX) {
        return NULL;
    }
    struct tool_call *call = tool_calls_find(tc, at, id);
    if (call && call->ended) { /* the id is used again */
        tool_call_forget(tc, call);
        call = NULL;
    }
    if (call) {
        tool_call_set_parent(call, at.parent);
        return call;
    }
    forget_late(tc);
    str key = tc->by_key.used < CALLS_MAX ? free_key(tc, at, id) : STR_ABSENT;
    if (!key.p) {
        log_write(tc->host->log, LOG_WARN, "too many open tool calls: one is not shown");
        return NULL;
    }
    return new_call(tc, key, id, name, at);
}
