#include "replay/user_text.h"

#include <stdint.h>
#include <stdio.h>

#include "base/js_space.h"

/* Written by the CLI around what is not the person's. */
enum tag { COMMAND_NAME, COMMAND_MESSAGE, COMMAND_ARGS, STDOUT, STDERR, REMINDER, NOTICE, TAGS };
#define TAG(name)                                                                                            \
    {                                                                                                        \
        STR_INIT("<" name ">"), STR_INIT("</" name ">")                                                      \
    }
static const struct {
    str open, close;
} tags[TAGS] = {
    [COMMAND_NAME] = TAG("command-name"),   [COMMAND_MESSAGE] = TAG("command-message"),
    [COMMAND_ARGS] = TAG("command-args"),   [STDOUT] = TAG("local-command-stdout"),
    [STDERR] = TAG("local-command-stderr"), [REMINDER] = TAG("system-reminder"),
    [NOTICE] = TAG("task-notification"),
};

/* Commands whose doing is not part of the conversation. */
static const char *const hidden_commands[] = {
    "/context", "/heapdump", "/extra-usage", "/compact", "/model", "/mcp", "/status", "/usage",
};

/* The tag that opens at `at`; TAGS when none does. */
static enum tag tag_at(str s, size_t at)
{
    for (enum tag t = 0; t < TAGS; t++) {
        if (str_starts(str_from(s, at), tags[t].open)) {
            return t;
        }
    }
    return TAGS;
}

/* The inside of the tag that opens at *at, which moves behind its end; absent when it is not closed. What a
 * person or a command put into the arguments or the output may hold their closing tag. */
static str take_inside(str s, size_t *at, enum tag t)
{
    bool whole = t == COMMAND_ARGS || t == STDOUT || t == STDERR;
    size_t from = *at + tags[t].open.n;
    size_t to = whole ? str_rfind(s, tags[t].close) : str_find(s, tags[t].close, from);
    if (to == SIZE_MAX || to < from) {
        return STR_ABSENT;
    }
    *at = to + tags[t].close.n;
    return (str){s.p + from, to - from};
}

static bool is_hidden(str name)
{
    size_t n = 0;
    while (n < name.n && !space_at(name, n)) {
        n++;
    }
    for (size_t i = 0; i < ARRAY_LEN(hidden_commands); i++) {
        if (str_is(str_first(name, n), hidden_commands[i])) {
            return true;
        }
    }
    return false;
}

/* The blocks of a text that stand at its ends, with nothing but space between them. */
struct ends {
    size_t lead;     /* where the ones at the start end; 0: there are none */
    size_t trail;    /* where the ones at the end begin; the text's length: there are none */
    str first[TAGS]; /* the inside of the first block of each tag */
};

static bool is_blank(str s)
{
    return space_trim(s).n == 0;
}

/* The next block from *at on, which moves behind it; its start, or SIZE_MAX when there is none. */
static size_t next_block(str text, size_t *at, bool unclosed[TAGS], str first[TAGS])
{
    while ((*at = str_find_byte(text, '<', *at)) != SIZE_MAX) {
        size_t start = *at;
        enum tag t = tag_at(text, start);
        str inside = t == TAGS || unclosed[t] ? STR_ABSENT : take_inside(text, at, t);
        if (inside.p) {
            first[t] = first[t].p ? first[t] : inside;
            return start;
        }
        if (t != TAGS) {
            unclosed[t] = true; /* so that the end of a text is looked for once */
        }
        *at = start + 1;
    }
    return SIZE_MAX;
}

static void find_ends(struct ends *e, str text)
{
    bool unclosed[TAGS] = {false};
    size_t end = 0, start; /* of the block before */
    *e = (struct ends){.trail = text.n};
    size_t run = text.n;
    for (size_t at = 0; (start = next_block(text, &at, unclosed, e->first)) != SIZE_MAX; end = at) {
        bool joins = is_blank((str){text.p + end, start - end});
        if (joins && e->lead == end) {
            e->lead = at;
        }
        if (!joins || run == text.n) {
            run = start;
        }
    }
    if (end && is_blank(str_from(text, end))) {
        e->trail = run;
    }
}

static bool is_word_byte(char c)
{
    return ((unsigned char)c & 0x80) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
}

/* The byte beside a block, at the side of the words, tells whose it is: what a person wrote is a part of
 * their sentence. */
static bool is_apart(char beside, bool typed)
{
    return typed ? is_word_byte(beside) : beside != ' ' && beside != '\t';
}

/* Appends what is outside of the blocks between `at` and `end`. */
static void put_gaps(struct buf *out, str text, size_t at, size_t end)
{
    bool unclosed[TAGS] = {false};
    str none[TAGS];
    memset(none, 0, sizeof none);
    while (at < end) {
        size_t from = at, start = next_block(text, &at, unclosed, none);
        start = start < end ? start : end;
        buf_put(out, text.p + from, start - from);
        at = start < end ? at : end;
    }
}

/* A text of nothing but blocks: the command that it tells of, as it was typed. */
static bool put_command(struct buf *out, const str first[TAGS])
{
    str name = space_trim(first[COMMAND_NAME]), args = space_trim(first[COMMAND_ARGS]);
    if (!str_starts(name, STR("/")) || first[STDOUT].p || first[STDERR].p || is_hidden(name)) {
        return false;
    }
    buf_put_str(out, name);
    if (args.n) {
        buf_put_byte(out, ' ');
        buf_put_str(out, args);
    }
    return true;
}

bool user_text_put(struct buf *out, str text, enum user_text_origin origin)
{
    struct ends e;
    find_ends(&e, text);
    if (is_blank(str_from(text, e.lead))) { /* nothing but blocks */
        if (e.lead && origin == USER_TEXT_TYPED) {
            buf_put_str(out, text);
            return true;
        }
        return e.lead && put_command(out, e.first);
    }
    bool typed = origin != USER_TEXT_STORED;
    size_t from = e.lead && is_apart(text.p[e.lead], typed) ? e.lead : 0;
    size_t to =
        e.trail > e.lead && e.trail < text.n && is_apart(text.p[e.trail - 1], typed) ? e.trail : text.n;
    put_gaps(out, text, 0, from);
    buf_put(out, text.p + from, to - from);
    put_gaps(out, text, to, text.n);
    return true;
}

static str part(str notice, const char *name)
{
    char open[32], close[32];
    (void)snprintf(open, sizeof(open), "<%s>", name);
    (void)snprintf(close, sizeof(close), "</%s>", name);
    size_t at = str_find(notice, str_of(open), 0);
    at = at == SIZE_MAX ? at : at + strlen(open);
    size_t end = at == SIZE_MAX ? at : str_find(notice, str_of(close), at);
    if (end == SIZE_MAX) {
        return STR_ABSENT;
    }
    str inside = space_trim((str){notice.p + at, end - at});
    return inside.n ? inside : STR_ABSENT;
}

bool task_notice_next(str text, size_t *at, struct task_notice *out)
{
    while ((*at = str_find(text, tags[NOTICE].open, *at)) != SIZE_MAX) {
        str inside = take_inside(text, at, NOTICE);
        if (!inside.p) {
            break;
        }
        inside =
            str_first(inside, str_find(inside, STR("<result>"), 0)); /* what follows is a worker's own text */
        *out = (struct task_notice){
            .task = part(inside, "task-id"),
            .call = part(inside, "tool-use-id"),
            .status = part(inside, "status"),
            .summary = part(inside, "summary"),
            .output = part(inside, "output-file"),
        };
        if (out->task.p && out->status.p) {
            return true;
        }
    }
    return false;
}
