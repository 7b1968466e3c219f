/* What a person sees of a stored user text: without the parts that were written for the model. */
#ifndef HERALD_REPLAY_USER_TEXT_H
#define HERALD_REPLAY_USER_TEXT_H

#include "base/str.h"

/* Where a text comes from. */
enum user_text_origin {
    USER_TEXT_STORED, /* of a record that may be the CLI's own */
    USER_TEXT_TYPED,  /* of a prompt that is this text */
    USER_TEXT_PART,   /* of a prompt that has other texts beside this one */
};

/* Appends what is shown of the text; false, and nothing is appended, when that is nothing. A slash command is
 * shown as it was typed.
 *
 * The CLI's blocks are known by their place: they are the whole text, or stand before or after all of its
 * words and on no line with them. In a prompt, which the CLI stores as it was typed, they are pressed against
 * the words, or a text of their own beside others. Every other tag is what a person wrote. */
bool user_text_put(struct buf *out, str text, enum user_text_origin origin);

/* One <task-notification> of a text. */
struct task_notice {
    str task, call, status, summary, output; /* absent where it is not said */
};
/* The next notice from *at on that names its task and a status; false when there is none left. Texts are
 * parts of `text`. */
bool task_notice_next(str text, size_t *at, struct task_notice *out);

#endif
