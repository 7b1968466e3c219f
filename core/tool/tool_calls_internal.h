/* What the files about tool calls share: tool_calls.c (the table), tool_uses.c, tool_results.c, tool_ends.c.
 */
#ifndef HERALD_TOOL_TOOL_CALLS_INTERNAL_H
#define HERALD_TOOL_TOOL_CALLS_INTERNAL_H

#include "tool/tool_calls.h"

/* Nothing of the call is known any more; it is freed. */
void tool_call_forget(struct tool_calls *tc, struct tool_call *call);
/* The task that the call itself began; NULL: none that runs. */
struct live_task *tool_call_task(const struct tool_calls *tc, const struct tool_call *call);
/* What a later message says of the call around it is as good as what the first one said. */
void tool_call_set_parent(struct tool_call *call, str parent);

/* The input that a question or a hook tells becomes the call's when it is another one than the client was
 * shown: a hook of the user's has rewritten it. False: it is the same. */
bool tool_call_take_input(struct tool_calls *tc, struct tool_call *call, json given);
/* `given` is another input of the call than `shown`. */
bool tool_call_input_differs(struct tool_calls *tc, const struct tool_call *call, json shown, json given);
/* A use of a tool that is shown as a plan: its input is the plan. */
void tool_calls_plan_use(struct tool_calls *tc, struct tool_call *call, json input);

/* The inputs that are being streamed: forgets all, or those whose call is no more. */
void tool_scanners_free(struct tool_calls *tc);
void tool_scanners_sweep(struct tool_calls *tc);

#endif
