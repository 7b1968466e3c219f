/* What was streamed already of the message that is coming.
 *
 * The CLI streams text and thinking in deltas and then repeats each block whole. One record for each stream
 * (the main conversation, each subagent) keeps what went out, block by block in one buffer, and answers how
 * much of a whole block is still to be sent. Content is compared, not ids. A delta costs one append; the
 * record lives no longer than the message: clear it at message_start and after each complete message.
 *
 * When memory is out the record is lost and the block is sent again, rather than text be lost. */
#ifndef HERALD_PROMPT_STREAM_TEXT_H
#define HERALD_PROMPT_STREAM_TEXT_H

#include <stdint.h>

#include "base/str.h"

enum stream_text_type {
    STREAM_TEXT,
    STREAM_THINKING,
};

struct stream_text_block;

struct stream_text {
    struct buf text; /* of all blocks, one behind the other */
    struct stream_text_block *blocks;
    size_t n, cap;
    size_t next;     /* the first block that is not consumed */
    struct buf rest; /* a rest that had to be put together */
};
#define STREAM_TEXT_INIT ((struct stream_text){0})
void stream_text_free(struct stream_text *s);
void stream_text_clear(struct stream_text *s);

/* A delta of the block at `index` went out. An empty one is ignored. */
void stream_text_delta(struct stream_text *s, int64_t index, enum stream_text_type type, str text);
/* A whole block of the complete message, in order: what of it is still to be sent (empty: nothing). Lives
 * until the next call. Clear the record after the message's last block. */
str stream_text_complete(struct stream_text *s, enum stream_text_type type, str text);

#endif
