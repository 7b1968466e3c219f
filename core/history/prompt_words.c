#include "history/prompt_words.h"

#include <stdint.h>

#include "base/js_space.h"

str prompt_mark_name(str text)
{
    str s = space_trim(text);
    size_t end = str_find(s, STR("]("), 0);
    bool mark = str_starts(s, STR("[@")) && str_ends(s, STR(")")) && end != SIZE_MAX;
    if (!mark || str_find_byte(s, ')', end) != s.n - 1 || str_find_byte(s, '\n', 0) != SIZE_MAX) {
        return STR_ABSENT;
    }
    return str_from(str_first(s, end), 1);
}

bool prompt_text_is_mark(str text)
{
    str s = space_trim(text);
    bool content = str_starts(s, STR("<context ref=\"")) && str_ends(s, STR("</context>"));
    return content || prompt_mark_name(s).p;
}

/* The length of the tag at the start: lower-case words with hyphens between them, as the CLI's own are named;
 * 0 when there is none. */
static size_t own_tag(str s)
{
    size_t at = 1, hyphens = 0;
    at += at < s.n && s.p[at] == '/';
    size_t name = at;
    while (at < s.n && ((s.p[at] >= 'a' && s.p[at] <= 'z') || s.p[at] == '-')) {
        hyphens += s.p[at++] == '-';
    }
    return at > name && hyphens && at < s.n && s.p[at] == '>' ? at + 1 : 0;
}

void prompt_put_untagged(struct buf *out, str text)
{
    for (size_t at = 0; at < text.n;) {
        size_t open = str_find_byte(text, '<', at);
        open = open == SIZE_MAX ? text.n : open;
        buf_put(out, text.p + at, open - at);
        at = open;
        if (at < text.n) {
            size_t tag = own_tag(str_from(text, at));
            if (!tag) {
                buf_put_byte(out, '<');
            }
            at += tag ? tag : 1;
        }
    }
}
