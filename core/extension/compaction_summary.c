#include "extension/compaction_summary.h"

#include <stdint.h>

#include "base/js_space.h"

/* The line at *at without its line end; moves *at behind it. False at the end of the text. */
static bool next_line(str text, size_t *at, str *line)
{
    if (*at >= text.n) {
        return false;
    }
    size_t end = str_find_byte(text, '\n', *at);
    *line = str_first(str_from(text, *at), (end == SIZE_MAX ? text.n : end) - *at);
    *at = end == SIZE_MAX ? text.n : end + 1;
    return true;
}

/* A pair of tags of which each has a line to itself. */
struct own_lines {
    size_t open, inside, close,
        after; /* offsets of the opening line, what it holds, the closing line, and what follows */
};

static bool find_own_lines(str text, size_t from, str open, str close, struct own_lines *pair)
{
    bool opened = false;
    str line;
    for (size_t at = from, start = from; next_line(text, &at, &line); start = at) {
        str word = space_trim(line);
        if (!opened && str_eq(word, open)) {
            opened = true;
            pair->open = start;
            pair->inside = at;
        } else if (opened && str_eq(word, close)) {
            pair->close = start;
            pair->after = at;
            return true;
        }
    }
    return false;
}

/* Appends the text without its analyses: those whose tags have their own lines, and one that the text begins
 * with. */
static void put_without_analysis(struct buf *out, str text)
{
    const str open = STR("<analysis>"), close = STR("</analysis>");
    struct own_lines pair;
    size_t from = out->n, at = 0;
    while (find_own_lines(text, at, open, close, &pair)) {
        buf_put_str(out, str_first(str_from(text, at), pair.open - at));
        at = pair.after;
    }
    buf_put_str(out, str_from(text, at));
    if (!buf_ok(out)) {
        return;
    }
    str rest = str_from(buf_str(out), from), head = space_trim(rest);
    size_t end = str_starts(head, open) ? str_find(head, close, 0) : SIZE_MAX;
    if (end != SIZE_MAX) {
        size_t cut = (size_t)(head.p - rest.p) + end + close.n;
        size_t left = rest.n - cut;
        memmove(out->p + from, out->p + from + cut, left);
        buf_truncate(out, from + left);
    }
}

/* The inside of the last <summary> whose tags have their own lines, else of the widest one. */
static bool find_summary(str text, str *inside)
{
    const str open = STR("<summary>"), close = STR("</summary>");
    struct own_lines pair;
    bool found = false;
    for (size_t at = 0; find_own_lines(text, at, open, close, &pair); at = pair.after) {
        *inside = str_first(str_from(text, pair.inside), pair.close - pair.inside);
        found = true;
    }
    if (found) {
        return true;
    }
    size_t from = str_find(text, open, 0), to = str_rfind(text, close);
    if (from == SIZE_MAX || to == SIZE_MAX || to < from + open.n) {
        return false;
    }
    *inside = str_first(str_from(text, from + open.n), to - from - open.n);
    return true;
}

static bool is_trailer(str line)
{
    static const char *const starts[] = {
        "If you need specific details from before compaction",
        "Please continue the conversation from where it left off",
        "Continue the conversation from where it left off",
        "continue the conversation from where it left off",
    };
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        if (str_starts(line, str_of(starts[i]))) {
            return true;
        }
    }
    return false;
}

/* A message with which a compacted conversation goes on: its first line, "Summary:", the summary, the
 * trailers. */
static bool strip_continuation(str *text)
{
    size_t at = 0, start = 0;
    str line;
    bool begun = false;
    next_line(*text, &at, &line); /* the first line says what this is */
    while (!begun && next_line(*text, &at, &line)) {
        str word = space_trim(line);
        begun = str_is(word, "Summary:");
        if (word.n && !begun) {
            return false;
        }
    }
    if (!begun) {
        return false;
    }
    start = at;
    for (size_t line_start = at; next_line(*text, &at, &line); line_start = at) {
        if (is_trailer(space_trim(line))) {
            *text = str_first(*text, line_start);
            break;
        }
    }
    *text = str_from(*text, start);
    return true;
}

bool compaction_summary_put(struct buf *out, str text)
{
    AUTO_BUF(plain);
    put_without_analysis(&plain, text);
    str summary = space_trim(buf_str(&plain)), inside;
    if (find_summary(summary, &inside)) {
        summary = inside;
    } else if (str_starts(summary, STR("This session is being continued from a previous conversation")) &&
               !strip_continuation(&summary)) {
        return false;
    }
    summary = space_trim(summary);
    buf_put_str(out, summary);
    return summary.n > 0 && buf_ok(&plain);
}
