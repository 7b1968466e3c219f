/* The answer to /usage: what the CLI knows of costs, tokens and limits (get_usage), as Markdown. */
#ifndef HERALD_PROMPT_USAGE_TEXT_H
#define HERALD_PROMPT_USAGE_TEXT_H

#include "json/json.h"

/* Appends the text. False when the answer does not have the shape that is known; what was written is then to
 * be dropped. */
bool usage_text_put(struct buf *b, json usage);

#endif
