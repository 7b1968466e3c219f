/* What a person sees of a stored user text: without the parts that were written for the model. */
#ifndef HERALD_REPLAY_USER_TEXT_H
#define HERALD_REPLAY_USER_TEXT_H

#include "base/str.h"

/* Appends what is shown of the text; false, and nothing is appended, when that is nothing. A slash command is
 * shown as it was typed. */
bool user_text_put(struct buf *out, str text);

/* One <task-notification> of a text. */
struct task_notice {
    str task, call, status, summary, output; /* absent where it is not said */
};
/* The next notice from *at on that names its task and a status; false when there is none left. Texts are
 * parts of `text`. */
bool task_notice_next(str text, size_t *at, struct task_notice *out);

#endif
