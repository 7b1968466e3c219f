/* The input of a call, told more than once. */
#include "tool/input_change.h"
#include "tool/tool_calls_internal.h"
#include "tool/tool_host.h"
#include "tool/tool_job.h"

/* A command may take a number; of another tool it counts when the title tells of it. */
static bool tells_of_it(struct tool_calls *tc, const struct tool_call *call, json shown, json given)
{
    struct tool_job a, b;
    tool_job_begin(&a, tc, call, shown);
    tool_job_begin(&b, tc, call, given);
    tool_job_read_use(&a, call->reporter);
    tool_job_read_use(&b, call->reporter);
    bool tells =
        b.use.command || !str_eq(render_title(&a.cx, &a.call, &a.use), render_title(&b.cx, &b.call, &b.use));
    tool_job_end(&a);
    tool_job_end(&b);
    return tells;
}

bool tool_call_input_differs(struct tool_calls *tc, const struct tool_call *call, json shown, json given)
{
    struct input_setting at = {
        .cwd = tc->host->cwd,
        .home = str_of(tc->host->dirs->home),
        .exact = str_starts(str_of(call->name), STR("mcp__")),
        .added = call->answered,
    };
    if (!json_is(given, JSON_OBJECT) || !json_present(shown)) {
        return false;
    }
    enum input_change change = input_compare(shown, given, &at);
    return change == INPUT_CHANGED || (change == INPUT_FILLED && tells_of_it(tc, call, shown, given));
}

bool tool_call_take_input(struct tool_calls *tc, struct tool_call *call, json given)
{
    if (!call->input || !tool_call_input_differs(tc, call, json_root(call->input), given)) {
        return false;
    }
    struct json_doc *input = json_detach(given);
    if (!input) {
        return false;
    }
    json_unref(call->input);
    call->input = input;
    return true;
}
