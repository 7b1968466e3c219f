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

/* The inside of the tag that opens at *at, which moves behind its end; absent when it is not closed. */
static str take_inside(str s, size_t *at, enum tag t)
{
    size_t from = *at + tags[t].open.n, to = str_find(s, tags[t].close, from);
    if (to == SIZE_MAX) {
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

/* Appends the text without its tags; `first` gets the inside of the first one of each. */
static void put_outside(struct buf *out, str text, str first[TAGS])
{
    bool unclosed[TAGS] = {false}; /* so that the end of a text is looked for once */
    for (size_t at = 0; text.p && at < text.n;) {
        size_t open = str_find_byte(text, '<', at);
        open = open == SIZE_MAX ? text.n : open;
        buf_put(out, text.p + at, open - at);
        at = open;
        if (at == text.n) {
            break;
        }
        enum tag t = tag_at(text, at);
        str inside = t == TAGS || unclosed[t] ? STR_ABSENT : take_inside(text, &at, t);
        if (inside.p) {
            first[t] = first[t].p ? first[t] : inside;
            continue;
        }
        if (t != TAGS) {
            unclosed[t] = true;
        }
        buf_put_byte(out, text.p[at++]);
    }
}

bool user_text_put(struct buf *out, str text)
{
    str first[TAGS] = {{NULL, 0}};
    size_t start = out->n;
    put_outside(out, text, first);
    if (space_trim(str_from(buf_str(out), start)).n) {
        return true;
    }
    buf_truncate(out, start);
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
