/* /usage and /mcp, which are answered in our own words: the CLI runs the command too, and our text takes the
 * place of what it prints.
 *
 * The CLI prints one text in up to three shapes (a message of its own, local_command_output, the text of the
 * result), and the first of them often before the echo of the prompt. That frame is kept until the prompt is
 * active, or until its result if there is no echo. Then the frames are held while the CLI is asked for what
 * our text is made of; afterwards the frame is delivered again, our text goes out in place of the CLI's, and
 * what only repeats that is dropped. When our text cannot be made, the CLI's stays. A cancel, or the end of
 * the turn, overtakes all that, and nothing is shown any more. */
#ifndef HERALD_LOCAL_LOCAL_COMMAND_H
#define HERALD_LOCAL_LOCAL_COMMAND_H

#include "local/local_host.h"

/* A prompt goes to the CLI under this uuid. */
void local_command_sent(struct local_work *w, json blocks, const char *uuid);
/* The turn became active; it is about to be answered so; all work is cancelled. */
void local_command_activated(struct local_work *w, const struct turn *t);
void local_command_over(struct local_work *w, const struct turn *t, const struct turn_end *end);
void local_command_cancel(struct local_work *w);

/* Looks at a frame before anybody else; `told` says that a text of the turn was shown already. True when it
 * is not to be handled now: it will come again. */
bool local_command_keeps(struct local_work *w, struct json_doc *frame, bool told);
/* What to show for a text that the CLI printed: the text, ours in its place, or absent for nothing. */
str local_command_text(struct local_work *w, str text);

#endif
