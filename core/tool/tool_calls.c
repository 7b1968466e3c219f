/* The table of the calls, and which blocks are about calls. */
#include "tool/tool_calls.h"

#include <stdlib.h>

#include "base/clock.h"
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
    return tc->tracker != NULL;
}

void tool_calls_free(struct tool_calls *tc)
{
    map_free(&tc->by_id, free_call);
    tool_scanners_free(tc);
    field_tracker_free(tc->tracker);
    buf_free(&tc->scratch);
}

struct tool_call *tool_calls_find(const struct tool_calls *tc, str id)
{
    return map_get(&tc->by_id, id);
}

void tool_call_forget(struct tool_calls *tc, struct tool_call *call)
{
    field_tracker_end(tc->tracker, str_of(call->id));
    map_remove(&tc->by_id, str_of(call->id));
    free_call(call);
}

/* Calls whose hook did not come in time. */
static void forget_late(struct tool_calls *tc)
{
    int64_t now = clock_monotonic_ms();
    size_t at = 0;
    void *p;
    while (map_next(&tc->by_id, &at, NULL, &p)) {
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
    }
}

static struct tool_call *new_call(struct tool_calls *tc, str id, str name, str parent)
{
    struct tool_call *call = calloc(1, sizeof(*call));
    if (!call) {
        return NULL;
    }
    call->id = str_dup(id);
    call->name = str_dup(name.p ? name : STR(""));
    call->parent = str_dup(parent);
    call->reporter = reporter_for(*tc->host->reporters, name);
    call->hook = !tc->replay && !reporter_shows_plan(call->reporter);
    if (!call->id || !call->name || (parent.p && !call->parent) || !map_put(&tc->by_id, id, call, NULL)) {
        free_call(call);
        return NULL;
    }
    return call;
}

struct tool_call *tool_calls_open(struct tool_calls *tc, str id, str name, str parent)
{
    if (!id.n || str_find_byte(id, '\0', 0) != SIZE_MAX) {
        return NULL;
    }
    struct tool_call *call = tool_calls_find(tc, id);
    if (call && call->ended) { /* the id is used again */
        tool_call_forget(tc, call);
        call = NULL;
    }
    if (call) {
        tool_call_set_parent(call, parent);
        return call;
    }
    forget_late(tc);
    if (tc->by_id.used >= CALLS_MAX) {
        log_write(tc->host->log, LOG_WARN, "too many open tool calls: one is not shown");
        return NULL;
    }
    return new_call(tc, id, name, parent);
}
