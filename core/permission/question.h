/* AskUserQuestion: the model's questions as an ACP form, and the person's answers as the tool's input.
 *
 * Each question that can be shown becomes a select field `question_<n>` with a companion
 * `question_<n>_custom` for free text. A form owns what the answer needs; the CLI gets its own input back
 * with `answers` and `annotations`. */
#ifndef HERALD_PERMISSION_QUESTION_H
#define HERALD_PERMISSION_QUESTION_H

#include "permission/offer.h"

#define QUESTION_NONE_VALID    "AskUserQuestion called with no valid questions."
#define QUESTION_NOT_PRESENTED "Could not present the question to the user."

struct question_form;

/* NULL when memory is out. Keeps nothing of `q`. */
struct question_form *question_form_new(const struct permission_question *q) WARN_UNUSED;
void question_form_free(struct question_form *f);
/* The number of questions; with none the CLI is answered question_form_refuse(QUESTION_NONE_VALID). */
size_t question_form_count(const struct question_form *f);
/* The parameters of elicitation/create. `session_id` is that of the session that owns the tool call. */
void question_form_put_request(struct buf *b, const struct question_form *f, str session_id, str call_id,
                               bool air);
/* Decides by the client's result, {action, content?}. `d` is initialized. Anything but accept and decline is
 * an abort. After an abort the text is PERMISSION_ABORTED, whatever the client said. */
void question_form_decide(const struct question_form *f, json result, struct permission_decision *d);
/* The refusal for a form without questions, or one that the client answered with an error. */
void question_form_refuse(const struct question_form *f, const char *message, struct permission_decision *d);

#endif
