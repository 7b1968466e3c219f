/* What a person wrote in a stored prompt, apart from the marks of the files that they gave with it. */
#ifndef HERALD_HISTORY_PROMPT_WORDS_H
#define HERALD_HISTORY_PROMPT_WORDS_H

#include "base/arena.h"

/* The text is nothing but the mark of a mentioned file, `[@name](uri)`, or the content of a given one. */
bool prompt_text_is_mark(str text);
/* The `@name` of a mark of a mentioned file; absent for anything else. */
str prompt_mark_name(str text);
/* Appends the text without the tags that the CLI uses for its own blocks: a person may write of them. */
void prompt_put_untagged(struct buf *out, str text);

#endif
