/* How a permission request is headed and described.
 *
 * AIR gets a record with a title and a reason beside the standard request, ACP v2 the same texts as members.
 * Every text comes from the CLI or the model and is cleaned first; one that is not usable is left out. */
#ifndef HERALD_PERMISSION_PRESENTATION_H
#define HERALD_PERMISSION_PRESENTATION_H

#include "permission/offer.h"
#include "report/report.h"

/* The title of the request's tool call: the host of a sandbox network request, the display name of a computer
 * use request, else `standard`, the standard title of the tool call. */
str permission_heading(struct arena *a, const struct permission_question *q, str standard);
/* The title of the approval, made from the heading. Absent only when a shell heading is empty (or memory is
 * out). */
str permission_title(struct arena *a, const struct permission_question *q, str heading);
/* "Reason: …" with the CLI's decision reason; absent when there is no usable one. */
str permission_description(struct arena *a, const struct permission_question *q);
/* The path that the CLI names besides the tool's own, cleaned; absent when there is none. */
str permission_blocked_path(struct arena *a, const struct permission_question *q);

/* The `_meta` of an AIR client's request, an object: {jetbrains: {air: {version, permission}}}. False, and
 * nothing is written, when there is no title. */
bool permission_put_request_meta(struct buf *b, const struct permission_question *q, str heading);
/* Adds to the request's tool call what its `_meta` tells, in {claudeCode: {…}}. `parent` is the parent tool
 * use id or absent; AIR is told the MCP server only. */
void permission_add_call_meta(struct arena *a, const struct permission_question *q, bool air, str parent,
                              struct tool_report *call);
/* For a client that is not AIR and a tool call without content: an array of one text block with the input as
 * a JSON code block. False, and nothing is written, for any tool but a sandbox network request with a host
 * and computer use. */
bool permission_put_input_content(struct buf *b, const struct permission_question *q);

#endif
