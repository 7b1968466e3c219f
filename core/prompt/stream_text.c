#include "prompt/stream_text.h"

#include <stdlib.h>

#include "base/utf8.h"

enum { KEEP_SIZE = 256 * 1024 }; /* a larger buffer is given back after its message */

/* One block's text: from the end of the block before to `end`. */
struct stream_text_block {
    int64_t index;
    enum stream_text_type type;
    size_t end;
};

void stream_text_free(struct stream_text *s)
{
    buf_free(&s->text);
    buf_free(&s->rest);
    free(s->blocks);
    *s = STREAM_TEXT_INIT;
}

static void empty(struct buf *b)
{
    if (b->cap > KEEP_SIZE) {
        buf_free(b);
    } else {
        buf_clear(b);
    }
}

void stream_text_clear(struct stream_text *s)
{
    empty(&s->text);
    empty(&s->rest);
    s->n = 0;
    s->next = 0;
}

static bool add_block(struct stream_text *s, int64_t index, enum stream_text_type type)
{
    if (s->n == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 8;
        struct stream_text_block *blocks = realloc(s->blocks, cap * sizeof(*blocks));
        if (!blocks) {
            return false;
        }
        s->blocks = blocks;
        s->cap = cap;
    }
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): below cap there are blocks
    s->blocks[s->n++] = (struct stream_text_block){index, type, s->text.n};
    return true;
}

void stream_text_delta(struct stream_text *s, int64_t index, enum stream_text_type type, str text)
{
    if (!text.n || !buf_ok(&s->text)) {
        return;
    }
    struct stream_text_block *block = s->n ? &s->blocks[s->n - 1] : NULL;
    if (block && block->index == index && block->type == type) {
        wtf8_append(&s->text, text); /* a character that two deltas split becomes whole */
    } else if (add_block(s, index, type)) {
        buf_put_str(&s->text, text);
    } else {
        s->text.failed = true;
    }
    if (buf_ok(&s->text)) {
        s->blocks[s->n - 1].end = s->text.n;
    } else {
        s->n = s->next = 0; /* nothing is known of this message any more */
    }
}

/* True when `streamed` ends in the high half of the character at which `text` goes on, as UTF-16 units
 * compare; *low is then its low half. */
static bool ends_in_half(str streamed, str text, uint32_t *low)
{
    if (streamed.n < 3 || text.n < streamed.n + 1 || memcmp(streamed.p, text.p, streamed.n - 3) != 0) {
        return false;
    }
    size_t at = streamed.n - 3, text_at = at;
    uint32_t high = utf8_next(streamed, &at), whole = utf8_next(text, &text_at);
    if (high < 0xD800 || high > 0xDBFF || whole < 0x10000 || (whole - 0x10000) >> 10 != high - 0xD800) {
        return false;
    }
    *low = 0xDC00 + ((whole - 0x10000) & 0x3FF);
    return true;
}

str stream_text_complete(struct stream_text *s, enum stream_text_type type, str text)
{
    if (!text.n || s->next >= s->n || s->blocks[s->next].type != type) {
        return text;
    }
    size_t start = s->next ? s->blocks[s->next - 1].end : 0;
    str streamed = {s->text.p + start, s->blocks[s->next].end - start};
    uint32_t low;
    if (str_starts(text, streamed)) {
        s->next++;
        return str_from(text, streamed.n);
    }
    if (ends_in_half(streamed, text, &low)) {
        buf_clear(&s->rest);
        utf8_put(&s->rest, low);
        buf_put_str(&s->rest, str_from(text, streamed.n + 1));
        if (buf_ok(&s->rest)) {
            s->next++;
            return buf_str(&s->rest);
        }
    }
    return text;
}
