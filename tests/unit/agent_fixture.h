/* What the tests of whole sessions share: a client that says nothing and is told everything, and an agent
 * whose CLI is a script in the folder of cli_fake.h. */
#ifndef HERALD_TESTS_AGENT_FIXTURE_H
#define HERALD_TESTS_AGENT_FIXTURE_H

#include "agent/agent.h"
#include "cli_fake.h"
#include "session/internal.h"

static inline void silent_text(void *self, str session, enum message_role role, str id, str text, str meta)
{
    (void)self, (void)session, (void)role, (void)id, (void)text, (void)meta;
}

static inline void silent_block(void *self, str session, enum message_role role, str id, str block, str meta)
{
    (void)self, (void)session, (void)role, (void)id, (void)block, (void)meta;
}

static inline void silent_tool(void *self, str session, struct tool_report *r)
{
    (void)self, (void)session, (void)r;
}

static inline void silent_plan(void *self, str session, str entries, str meta)
{
    (void)self, (void)session, (void)entries, (void)meta;
}

static inline void silent_state(void *self, str session, str what)
{
    (void)self, (void)session, (void)what;
}

static inline void silent_notice(void *self, str session, const char *severity, str title, str description)
{
    (void)self, (void)session, (void)severity, (void)title, (void)description;
}

static inline void silent_update(void *self, str session, const char *name, str members)
{
    (void)self, (void)session, (void)name, (void)members;
}

static inline void silent_raw(void *self, str session, json message)
{
    (void)self, (void)session, (void)message;
}

static inline void silent_auth(void *self, str status)
{
    (void)self, (void)status;
}

static inline void silent_withdraw(void *self, uint64_t request)
{
    (void)self, (void)request;
}

static inline struct surface silent_surface(void)
{
    return (struct surface){
        .text = silent_text,
        .block = silent_block,
        .tool = silent_tool,
        .plan = silent_plan,
        .commands = silent_state,
        .mode = silent_state,
        .options = silent_state,
        .usage = silent_state,
        .info = silent_state,
        .notice = silent_notice,
        .update = silent_update,
        .raw = silent_raw,
        .auth_status = silent_auth,
        .withdraw = silent_withdraw,
    };
}

struct agent_bench {
    uv_loop_t loop;
    struct agent a;
    struct standard_dirs dirs;
    struct surface face;
    struct json_doc *params; /* of its sessions */
    const char *env[3];
    char program[160];
};

/* `face` and `self` are the client. */
static inline void bench_open(struct agent_bench *b, const char *script, const struct surface *face,
                              void *self)
{
    AUTO_BUF(params);
    fake_script("claude", script);
    (void)snprintf(b->program, sizeof(b->program), "CLAUDE_CODE_EXECUTABLE=%s", fake_path("claude"));
    b->env[0] = "PATH=/usr/local/bin:/usr/bin:/bin";
    b->env[1] = b->program;
    b->env[2] = NULL;
    assert_int_equal(setenv("CLAUDE_CODE_EXECUTABLE", fake_path("claude"), 1), 0);
    assert_int_equal(uv_loop_init(&b->loop), 0);
    b->dirs = (struct standard_dirs){.home = fake_folder, .cwd = fake_folder};
    b->face = *face;
    b->a = (struct agent){
        .host.loop = &b->loop,
        .host.dirs = &b->dirs,
        .host.surface = &b->face,
        .host.surface_self = self,
        .host.env = b->env,
    };
    assert_true(agent_init(&b->a));
    buf_printf(&params, "{\"cwd\":\"%s\"}", fake_folder);
    b->params = parse_or_fail(buf_c(&params));
}

static inline void bench_session(struct agent_bench *b, session_ready_cb *ready, void *user)
{
    struct session_params p = {.cwd = json_str(json_get(json_root(b->params), "cwd"))};
    assert_non_null(session_new(&b->a.host, &p, b->params, ready, user));
}

static inline void bench_prompt(struct session *s, const char *text, const struct turn_observer *observer,
                                void *user)
{
    struct session_error error;
    AUTO_BUF(blocks);
    buf_printf(&blocks, "[{\"type\":\"text\",\"text\":\"%s\"}]", text);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&blocks));
    assert_true(session_prompt(s, json_root(doc), JSON_NONE, observer, user, &error));
}

/* Runs until the agent was closed. */
static inline void bench_run(struct agent_bench *b)
{
    assert_int_equal(uv_run(&b->loop, UV_RUN_DEFAULT), 0);
    agent_free(&b->a);
    assert_int_equal(uv_loop_close(&b->loop), 0);
    json_unref(b->params);
}

/* How often the script was started, when it counts that in `starts`. */
static inline int bench_starts(void)
{
    return (int)strtol(fake_line(fake_path("starts")), NULL, 10);
}

static inline void expect_in(const char *file, const char *text)
{
    str line = str_of(fake_line(fake_path(file)));
    if (!str_has(line, str_of(text))) {
        fail_msg("%s lacks %s: %.*s", file, text, STR_ARG(line));
    }
}

#endif
