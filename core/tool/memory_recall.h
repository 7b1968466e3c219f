/* The CLI recalled memories: shown as a tool call that is complete at once. */
#ifndef HERALD_TOOL_MEMORY_RECALL_H
#define HERALD_TOOL_MEMORY_RECALL_H

#include "tool/tool_host.h"

/* `frame` is the CLI's system/memory_recall. */
void memory_recall_tell(const struct tool_host *host, json frame);

#endif
