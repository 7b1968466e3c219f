/* ACP prompt blocks -> the content of a CLI user message.
 *
 * Text stays in its place; a link becomes Markdown; an embedded file stands in place as a link: its text
 * follows at the end of the message as a context block, a PDF or an image right behind the link; an image of
 * its own goes by its data or, without data, by its address. Nothing that a client attaches is left out: what
 * the model cannot take is refused (prompt_refused()) before anything is sent. Blocks that prompt_check()
 * passed are what the other functions expect; anything else in them is skipped. */
#ifndef HERALD_PROMPT_PROMPT_CONTENT_H
#define HERALD_PROMPT_PROMPT_CONTENT_H

#include "json/json.h"

/* The checker of the `prompt` parameter: NULL when it is an array of known blocks with their required
 * members, else what was expected (a static text). An empty array is fine. */
const char *prompt_check(json prompt);

/* True when the model cannot take one of the blocks of a checked prompt; `why` then gets a sentence that
 * names it. */
bool prompt_refused(json blocks, struct buf *why);

/* Writes the content array of the CLI message. */
void prompt_put_content(struct buf *b, json blocks);
/* Writes the whole `user` message, without a line end. `priority` ("now", "later") is for steering and
 * absent otherwise. */
void prompt_put_user_message(struct buf *b, json blocks, str session_id, str uuid, str priority);
/* The same for a prompt of Herald's own that is one text. */
void prompt_put_user_text(struct buf *b, str text, str session_id, str uuid, str priority);

/* Appends the raw text of the text blocks, joined by line feeds: what the title is made of. */
void prompt_text(struct buf *b, json blocks);
/* The first text block's text; absent when there is none. Borrows from the document. */
str prompt_first_text(json blocks);
/* The trimmed text of a prompt that is exactly one text block; absent for any other. */
str prompt_sole_text(json blocks);
/* The argument of `/goal ARGUMENT`, trimmed and not empty; false when the text is something else or
 * has no argument. */
bool prompt_goal_argument(str text, str *argument);

#endif
