/* What the tests of both forms of subagents as sessions share. */
#ifndef HERALD_TESTS_SUBAGENTS_FIXTURE_H
#define HERALD_TESTS_SUBAGENTS_FIXTURE_H

#include "unit.h"

#include "subagent/subagents.h"

#define CALL(id) "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"" id "\"}\n"
#define UPDATE(id)                                                                                           \
    "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"" id "\",\"status\":\"completed\"}\n"

static struct subagents sa;
static struct buf seen; /* what the client and the log got since the last look, one a line */
static unsigned dropped;

static inline void put_session(str session)
{
    buf_put_str(&seen, session.p ? session : STR("root"));
    buf_put_byte(&seen, ' ');
}

static inline void on_deliver(void *user, str session, const struct subagent_update *u)
{
    static const char *const kinds[] = {"tool", "text", "block", "plan"};
    assert_ptr_equal(user, &sa);
    put_session(session);
    buf_put_c(&seen, kinds[u->kind]);
    buf_put_byte(&seen, ' ');
    if (u->kind == SUBAGENT_TOOL) {
        AUTO_BUF(b);
        json_open_object(&b);
        tool_report_put_v1(&b, u->report);
        json_close_object(&b);
        buf_put_str(&seen, buf_str(&b));
    } else {
        buf_put_str(&seen, u->text);
    }
    buf_put_byte(&seen, '\n');
}

static inline void on_state(void *user, str session, const char *name, str members)
{
    assert_ptr_equal(user, &sa);
    put_session(session);
    buf_put_c(&seen, name);
    buf_put_byte(&seen, ' ');
    buf_put_str(&seen, members);
    buf_put_byte(&seen, '\n');
}

static inline void on_ending(void *user, str session, enum subagent_state state)
{
    assert_ptr_equal(user, &sa);
    assert_true(state <= SUBAGENT_LOST);
    put_session(session);
    buf_put_c(&seen, "ends\n");
}

static inline void on_dropped(void *user, const char *why)
{
    assert_ptr_equal(user, &sa);
    assert_non_null(why);
    dropped++;
}

static inline void on_message(void *user, str from, str to, str call, str text)
{
    assert_ptr_equal(user, &sa);
    put_session(to);
    buf_put_c(&seen, "asked by ");
    put_session(from);
    buf_printf(&seen, "%.*s: %.*s\n", STR_ARG(call), STR_ARG(text));
}

static const struct subagents_sink sink = {on_deliver, on_state, on_message, on_ending, on_dropped};

static inline void begin(const struct subagents_form *form)
{
    subagents_init(&sa, form, &sink, &sa);
    dropped = 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    subagents_free(&sa);
    assert_int_equal(sa.held, 0);
    assert_int_equal(sa.holding, 0);
    buf_free(&seen);
    return 0;
}

static inline void assert_seen(const char *expected)
{
    assert_true(buf_ok(&seen));
    assert_str(buf_str(&seen), expected);
    buf_clear(&seen);
}

static inline unsigned take_dropped(void)
{
    unsigned n = dropped;
    dropped = 0;
    return n;
}

static inline void feed(void (*step)(struct subagents *, json), const char *text)
{
    struct json_doc *doc = parse_or_fail(text);
    step(&sa, json_root(doc));
    json_unref(doc);
}

static inline void start(const char *agent, const char *call)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"task_id\":\"%s\",\"tool_use_id\":\"%s\",\"subagent_type\":\"general\"}", agent, call);
    feed(subagents_started, buf_c(&b));
}

static inline void finish(const char *agent, const char *status)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"task_id\":\"%s\",\"patch\":{\"status\":\"%s\"}}", agent, status);
    feed(subagents_updated, buf_c(&b));
}

static inline bool report(struct subagent_call call, bool first, const char *status, const char *input)
{
    struct tool_report r = {.first = first, .id = call.id};
    r.field[REPORT_STATUS] = str_of(status);
    r.field[REPORT_RAW_INPUT] = str_of(input);
    return subagents_tool(&sa, &call, &r);
}

static inline bool launch(const char *id, const char *parent, const char *input)
{
    struct subagent_call call = {.id = str_of(id), .name = STR("Agent"), .parent = str_of(parent)};
    return report(call, true, "\"pending\"", input);
}

/* A tool call of a child, that of `parent`. */
static inline void use(const char *id, const char *parent)
{
    struct subagent_call call = {.id = str_of(id), .name = STR("Bash"), .parent = str_of(parent)};
    assert_true(report(call, true, NULL, NULL));
}

static inline void more(const char *id, const char *parent)
{
    struct subagent_call call = {.id = str_of(id), .name = STR("Bash"), .parent = str_of(parent)};
    assert_true(report(call, false, "\"completed\"", NULL));
}

static inline void say(const char *parent, const char *text)
{
    struct subagent_update u = {.kind = SUBAGENT_TEXT, .role = MESSAGE_AGENT, .text = str_of(text)};
    subagents_say(&sa, str_of(parent), &u);
}

#endif
