/* /mcp: what the command asks for, which servers it means, and its answer as Markdown.
 *
 * A status is the CLI's answer to mcp_status, {mcpServers: [{name, status, error?, tools?, scope?,
 * source?}]}. Entries without a name or a status are passed over. */
#ifndef HERALD_PROMPT_MCP_TEXT_H
#define HERALD_PROMPT_MCP_TEXT_H

#include "base/map.h"
#include "json/json.h"

enum mcp_action { MCP_LIST, MCP_RECONNECT, MCP_ENABLE, MCP_DISABLE };

struct mcp_command {
    enum mcp_action action;
    bool all;   /* every server that the action is of use for */
    str server; /* the one that is named; absent: none is */
};

/* Reads the trimmed text of a prompt, which the result borrows from. False when it is not a /mcp that is
 * answered here. */
bool mcp_command_read(str text, struct mcp_command *c);

/* The answer has the shape of a status. */
bool mcp_status_readable(json status);
/* The state of the first server of this name ("connected", "needs-auth", …); absent when there is none. */
str mcp_status_of(json status, str name);
/* The next server to act on, each name once. Begin with *at = 0 and an empty set, `done`, to which the names
 * are added; absent when there is no more. */
str mcp_next_target(json status, const struct mcp_command *c, size_t *at, struct map *done);

/* Appends what became of one server, as a list item; `error` is NULL when it went well. */
void mcp_put_outcome(struct buf *b, enum mcp_action action, str server, const char *error);
/* Appends the whole answer. `cli_text` is what the CLI printed for the command, `outcomes` the items of
 * mcp_put_outcome(), `status` the state after it (missing: the list is left out). */
void mcp_put_answer(struct buf *b, const struct mcp_command *c, str cli_text, str outcomes, json status);

#endif
