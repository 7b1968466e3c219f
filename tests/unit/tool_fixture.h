/* What the tests of tool calls share: calls with a host of their own, which notes what is told, a line each.
 *
 * JSON is written with ' for ". A report is noted as the members of its update without the id and the type,
 * again with ' for "; `_meta` is left out unless the test wants it. */
#ifndef HERALD_TESTS_TOOL_FIXTURE_H
#define HERALD_TESTS_TOOL_FIXTURE_H

#include "reporter_fixture.h"
#include "tool/child_sessions.h"
#include "tool/tool_calls.h"
#include "tool/tool_host.h"

struct tool_bench {
    struct fixture *reporters;
    uv_loop_t loop;
    struct standard_dirs dirs;
    struct client_capabilities client;
    struct live_tasks live;
    struct child_sessions children;
    struct tool_host host;
    struct tool_calls calls;
    const char *tool; /* of the call; by itself Edit */
    char folder[64];  /* of the session; removed at the end */
    bool gone;        /* the session has ended */
    bool with_meta;
    int held;
    struct buf told;
};

static inline void bench_note(struct tool_bench *b, const char *what)
{
    buf_put_c(&b->told, what);
    buf_put_byte(&b->told, '\n');
}

static inline void bench_send(void *user, struct tool_report *r)
{
    struct tool_bench *b = user;
    AUTO_BUF(line);
    json_open_object(&line);
    tool_report_put_fields(&line, r, false);
    json_close_object(&line);
    AUTO_BUF(meta);
    if (b->with_meta && tool_report_put_meta(&meta, r)) {
        buf_put_byte(&line, ' ');
        buf_put_str(&line, buf_str(&meta));
    }
    assert_true(buf_ok(&line));
    for (size_t i = 0; i < line.n; i++) {
        buf_put_byte(&b->told, line.p[i] == '"' ? '\'' : line.p[i]);
    }
    buf_put_byte(&b->told, '\n');
}

static inline void bench_plan(void *user, str parent, const struct fact_plan_entry *entries)
{
    struct tool_bench *b = user;
    (void)parent;
    for (; entries; entries = entries->next) {
        buf_put_c(&b->told, "plan ");
        buf_put_str(&b->told, entries->content);
        buf_put_byte(&b->told, '\n');
    }
}

static inline void bench_tasks(void *user, str parent, const struct fact_task_change *changes)
{
    (void)user, (void)parent, (void)changes;
}

static inline void bench_plan_approved(void *user, json input, json structured)
{
    (void)user, (void)input, (void)structured;
}

static inline bool bench_alive(const void *user)
{
    return !((const struct tool_bench *)user)->gone;
}

static inline void bench_hold(void *user)
{
    ((struct tool_bench *)user)->held++;
}

static inline void bench_release(void *user)
{
    ((struct tool_bench *)user)->held--;
}

static inline bool bench_stopped(const void *user)
{
    (void)user;
    return false;
}

static inline void bench_result(void *user, str id, json message)
{
    (void)user, (void)id, (void)message;
}

static inline bool bench_background(void *user, const struct tool_call *call, json block, json message)
{
    (void)user, (void)call, (void)block, (void)message;
    return false;
}

static const struct tool_host_calls bench_calls = {
    .send = bench_send,
    .plan = bench_plan,
    .tasks = bench_tasks,
    .plan_approved = bench_plan_approved,
    .alive = bench_alive,
    .hold = bench_hold,
    .release = bench_release,
    .stopped = bench_stopped,
    .result = bench_result,
    .background = bench_background,
};

static inline void tool_bench_open(struct tool_bench *b, void **state)
{
    b->reporters = *state;
    b->tool = b->tool ? b->tool : "Edit";
    strcpy(b->folder, "/tmp/herald-tools-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    assert_int_equal(uv_loop_init(&b->loop), 0);
    live_tasks_init(&b->live);
    b->dirs = (struct standard_dirs){.home = "/home/me", .cwd = "/"};
    children_init(&b->children, &(struct children_setup){.client = &b->client,
                                                         .log = &b->reporters->log,
                                                         .root = STR("s"),
                                                         .calls = &b->calls,
                                                         .live = &b->live});
    b->host = (struct tool_host){
        .loop = &b->loop,
        .log = &b->reporters->log,
        .dirs = &b->dirs,
        .client = &b->client,
        .reporters = &b->reporters->host,
        .cwd = str_of(b->folder),
        .live = &b->live,
        .children = &b->children,
        .calls = &bench_calls,
        .user = b,
    };
    assert_true(tool_calls_init(&b->calls, &b->host, false));
}

/* Lets the worker threads finish what was begun. */
static inline void tool_bench_settle(struct tool_bench *b)
{
    assert_int_equal(uv_run(&b->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(b->held, 0);
}

static inline void tool_bench_write(struct tool_bench *b, const char *name, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", b->folder, name);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline void tool_bench_remove(struct tool_bench *b, const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", b->folder, name);
    assert_int_equal(remove(path), 0);
}

/* The folder must be empty. */
static inline void tool_bench_close(struct tool_bench *b)
{
    tool_bench_settle(b);
    tool_calls_free(&b->calls);
    children_free(&b->children);
    live_tasks_free(&b->live);
    assert_int_equal(uv_loop_close(&b->loop), 0);
    assert_int_equal(rmdir(b->folder), 0);
    buf_free(&b->told);
}

/* The text with "$WS" for the folder and " for '. */
static inline struct json_doc *tool_bench_json(const struct tool_bench *b, const char *text)
{
    AUTO_BUF(whole);
    for (const char *at = text; *at; at++) {
        if (strncmp(at, "$WS", 3) == 0) {
            buf_put_c(&whole, b->folder);
            at += 2;
        } else {
            buf_put_byte(&whole, *at);
        }
    }
    return parse_quoted(buf_c(&whole));
}

/* The complete block of the call "t". */
static inline void tool_bench_use(struct tool_bench *b, const char *input)
{
    AUTO_BUF(text);
    buf_printf(&text, "{'type':'tool_use','id':'t','name':'%s','input':%s}", b->tool, input);
    AUTO_JSON(block) = tool_bench_json(b, buf_c(&text));
    tool_calls_use(&b->calls, STR_ABSENT, json_root(block));
    tool_bench_settle(b);
}

static inline void tool_bench_answered(void *user)
{
    bench_note(user, "answered");
}

/* A hook's request about "t"; notes "answered". */
static inline void tool_bench_hook(struct tool_bench *b, const char *event, const char *input,
                                   const char *response)
{
    AUTO_BUF(text);
    buf_printf(&text,
               "{'tool_use_id':'t','input':{'hook_event_name':'%s','tool_name':'%s','tool_input':%s,"
               "'tool_response':%s}}",
               event, b->tool, input, response);
    AUTO_JSON(request) = tool_bench_json(b, buf_c(&text));
    if (strcmp(event, "PreToolUse") == 0) {
        tool_calls_preview(&b->calls, json_root(request), tool_bench_answered, b);
    } else {
        tool_calls_hook(&b->calls, json_root(request), tool_bench_answered, b);
    }
}

static inline void tool_bench_result(struct tool_bench *b, const char *content, bool is_error)
{
    AUTO_BUF(text);
    buf_printf(&text, "{'type':'tool_result','tool_use_id':'t','content':'%s','is_error':%s}", content,
               is_error ? "true" : "false");
    AUTO_JSON(block) = tool_bench_json(b, buf_c(&text));
    AUTO_JSON(message) = parse_or_fail("{}");
    tool_calls_result(&b->calls, STR_ABSENT, json_root(block), json_root(message));
    tool_bench_settle(b);
}

/* What was told since the last check, with the folder as $WS. */
static inline void assert_told(struct tool_bench *b, const char *expected)
{
    AUTO_BUF(seen);
    str told = buf_str(&b->told), folder = str_of(b->folder);
    for (size_t at = 0; at < told.n;) {
        if (str_starts(str_from(told, at), folder)) {
            buf_put_c(&seen, "$WS");
            at += folder.n;
        } else {
            buf_put_byte(&seen, told.p[at++]);
        }
    }
    assert_string_equal(seen.n ? buf_c(&seen) : "", expected);
    buf_clear(&b->told);
}

#endif
