/* What the two halves of the renderer share. */
#ifndef HERALD_REPORT_RENDER_INTERNAL_H
#define HERALD_REPORT_RENDER_INTERNAL_H

#include "report/items.h"
#include "report/render.h"

/* A report of the call with the parent that every report of a subagent's call names. */
void render_begin(const struct render_context *cx, const struct render_call *call, bool first,
                  struct tool_report *out);
void render_tool_name(const struct render_context *cx, str name, struct tool_report *out);
/* The free-form facts of a use or a result. */
void render_extras(const struct render_context *cx, const struct facts *f, struct tool_report *out);
/* The locations, or absent when there is no list. */
str render_own_locations(const struct render_context *cx, const struct facts *f);
/* The input with `planFilePath` in place of the plan's text. */
str render_plan_file_input(const struct render_context *cx, json input, const struct facts *use,
                           str plan_file);
/* The JSON object {"terminal_id":…} with a further member, in the arena; `data` absent: without it. */
str render_terminal_info(const struct render_context *cx, str id, str data);

#endif
