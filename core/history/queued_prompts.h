/* Which of a conversation's queued prompts reached the model.
 *
 * A prompt that was sent while a turn ran stands in the file as soon as it was queued. Two sources tell
 * whether it was delivered: what the queue says of its own doing, and, where it says nothing, what follows
 * the prompt. */
#ifndef HERALD_HISTORY_QUEUED_PROMPTS_H
#define HERALD_HISTORY_QUEUED_PROMPTS_H

#include "history/records.h"

/* Sets delivered[i] for each of the `n` rows of a conversation that is a queued prompt; those from `trailing`
 * on hang after its last message. `delivered` comes all false. False when memory is out. */
bool queued_prompts_delivered(const struct records *r, const size_t *rows, size_t n, size_t trailing,
                              bool *delivered) WARN_UNUSED;

#endif
