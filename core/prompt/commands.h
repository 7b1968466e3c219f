/* The slash commands that the client is told of.
 *
 * They are built from the CLI's list: what makes sense only in its terminal is dropped, an MCP prompt
 * gets the name under which prompt_content.h takes it back, and Herald's own /mcp stands last. */
#ifndef HERALD_PROMPT_COMMANDS_H
#define HERALD_PROMPT_COMMANDS_H

#include "json/json.h"

/* Writes the availableCommands array. `cli_commands` is the CLI's list ({name, description,
 * argumentHint}); `terminal_commands` the names that the CLI serves only in a terminal, as
 * `terminal_slash_commands` of system/init has them, or missing. Entries of another shape are left out.
 * `v2`: in the form of ACP v2. */
void commands_put(struct buf *b, json cli_commands, json terminal_commands, bool v2);
/* True when the two lists of terminal commands name the same commands, in any order. A missing list
 * is an empty one. */
bool commands_same_terminal_list(json a, json b);

#endif
