/* The title of a session.
 *
 * A session collects the end of its conversation. When a turn is over, the stored session may have a
 * title of its own, which is published and settles the matter; else the CLI is asked once to make one
 * from the collected text, and if that fails the stored summary stands in and the next turn may ask again.
 * Only one question is open at a time, and a title is not published twice in a row.
 *
 * A conversation reset begins a new epoch: an answer that was asked for before it is dropped. */
#ifndef HERALD_PROMPT_TITLE_H
#define HERALD_PROMPT_TITLE_H

#include <stdint.h>

#include "base/str.h"

struct title {
    struct buf collected; /* holds at least the last 1000 UTF-16 units */
    struct buf published; /* the last title that was published; empty: none */
    bool settled;         /* a title was found or asked for */
    unsigned epoch;
};
#define TITLE_INIT ((struct title){0})
void title_free(struct title *t);
/* A conversation reset: everything is forgotten. */
void title_reset(struct title *t);

/* Collects a prompt's text (see prompt_text()) and the assistant's text as it streams. */
void title_add_prompt(struct title *t, str text);
void title_add_answer(struct title *t, str text);

enum title_step {
    TITLE_NOTHING,  /* nothing to do */
    TITLE_PUBLISH,  /* the text is a title to publish now */
    TITLE_GENERATE, /* the text is the description to ask a title for */
};

/* At a turn's end. `custom` and `summary` are the stored session's title and first prompt, or absent;
 * `may_ask` is false when the query is closed or the turn was cancelled. The text goes to `text`, which is
 * emptied first. After TITLE_GENERATE keep t->epoch beside the question. */
enum title_step title_turn_end(struct title *t, str custom, str summary, bool may_ask, struct buf *text);
/* The answer to a question of `epoch`: `generated` absent or empty stands for null and for an error.
 * TITLE_PUBLISH with the title or the summary in `text`, or TITLE_NOTHING. */
enum title_step title_generated(struct title *t, unsigned epoch, str generated, str summary,
                                struct buf *text);
/* A title from elsewhere (a rename): settles, and is published unless it was the last one. */
enum title_step title_given(struct title *t, str title, struct buf *text);

/* Writes the members `title` and `updatedAt` of a session_info_update; `updated_at` is ISO 8601. */
void title_put_update(struct buf *b, str title, str updated_at);

#endif
