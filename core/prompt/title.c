#include "prompt/title.h"

#include "base/js_space.h"
#include "base/utf8.h"
#include "json/json.h"

enum {
    COLLECTED_UNITS = 1000, /* UTF-16 units that count of the collected text */
    COLLECTED_MIN = 10,     /* a shorter text makes no title */
    TITLE_UNITS = 256,      /* the longest title */
    /* The buffer is cut back when it passes SLACK; a unit is at most three bytes. */
    COLLECTED_BYTES = COLLECTED_UNITS * 3,
    COLLECTED_SLACK = COLLECTED_BYTES * 4,
};

void title_free(struct title *t)
{
    buf_free(&t->collected);
    buf_free(&t->published);
    *t = TITLE_INIT;
}

void title_reset(struct title *t)
{
    buf_clear(&t->collected);
    buf_clear(&t->published);
    t->settled = false;
    t->epoch++;
}

/* The last `units` UTF-16 units of `s`, less one where they would begin inside a character. */
static str last_units(str s, size_t units)
{
    size_t at = s.n;
    while (at) {
        size_t start = at - 1;
        while (start && ((unsigned char)s.p[start] & 0xC0) == 0x80) {
            start--;
        }
        size_t width = (unsigned char)s.p[start] >= 0xF0 ? 2 : 1;
        if (width > units) {
            break;
        }
        units -= width;
        at = start;
    }
    return str_from(s, at);
}

/* The first `units` UTF-16 units of `s`, less one where they would end inside a character. */
static str first_units(str s, size_t units)
{
    size_t at = 0;
    while (at < s.n) {
        size_t width = (unsigned char)s.p[at] >= 0xF0 ? 2 : 1;
        if (width > units) {
            break;
        }
        units -= width;
        utf8_next(s, &at);
    }
    return str_first(s, at);
}

static void collect(struct title *t, str text)
{
    if (text.n > COLLECTED_SLACK) {
        text = last_units(text, COLLECTED_UNITS);
        buf_clear(&t->collected);
    }
    wtf8_append(&t->collected, text);
    if (t->collected.n > COLLECTED_SLACK) {
        buf_drop_front(&t->collected, t->collected.n - last_units(buf_str(&t->collected), COLLECTED_UNITS).n);
    }
    if (!buf_ok(&t->collected)) {
        buf_clear(&t->collected); /* a title of what follows is better than none */
    }
}

void title_add_prompt(struct title *t, str text)
{
    collect(t, STR("\n"));
    collect(t, text);
    collect(t, STR("\n"));
}

void title_add_answer(struct title *t, str text)
{
    if (text.n) {
        collect(t, text);
    }
}

/* Puts the title as it is shown; false when nothing is left of it or it was published last. */
static bool publish(struct title *t, str title, struct buf *text)
{
    const str dots = STR("\xE2\x80\xA6");
    buf_clear(text);
    if (!title.n) {
        return false;
    }
    AUTO_BUF(one_line);
    space_squeeze(&one_line, title);
    str shown = buf_str(&one_line);
    bool cut = utf16_length(shown) > TITLE_UNITS;
    buf_put_str(text, cut ? first_units(shown, TITLE_UNITS - 1) : shown);
    if (cut) {
        buf_put_str(text, dots);
    }
    if (!buf_ok(&one_line) || !buf_ok(text) || !text->n || str_eq(buf_str(text), buf_str(&t->published))) {
        buf_clear(text);
        return false;
    }
    buf_clear(&t->published);
    buf_put_str(&t->published, buf_str(text));
    return true;
}

enum title_step title_turn_end(struct title *t, str custom, str summary, bool may_ask, struct buf *text)
{
    buf_clear(text);
    if (space_trim(custom).n) {
        return title_given(t, custom, text);
    }
    if (t->settled) {
        return TITLE_NOTHING;
    }
    str collected = space_trim(last_units(buf_str(&t->collected), COLLECTED_UNITS));
    if (may_ask && utf16_length(collected) >= COLLECTED_MIN) {
        buf_put_str(text, collected);
        if (buf_ok(text)) {
            t->settled = true;
            return TITLE_GENERATE;
        }
    }
    return publish(t, summary, text) ? TITLE_PUBLISH : TITLE_NOTHING;
}

enum title_step title_generated(struct title *t, unsigned epoch, str generated, str summary, struct buf *text)
{
    buf_clear(text);
    if (epoch != t->epoch) {
        return TITLE_NOTHING;
    }
    if (space_trim(generated).n) {
        return title_given(t, generated, text);
    }
    t->settled = false;
    return publish(t, summary, text) ? TITLE_PUBLISH : TITLE_NOTHING;
}

enum title_step title_given(struct title *t, str title, struct buf *text)
{
    t->settled = true;
    return publish(t, title, text) ? TITLE_PUBLISH : TITLE_NOTHING;
}

void title_put_update(struct buf *b, str title, str updated_at)
{
    json_member_str(b, "title", title);
    json_member_str(b, "updatedAt", updated_at);
}
