/* Feeds lines of a CLI to a whole session: JSON, the message decoder, the turn engine, every built-in
 * reporter through the reporter host, the renderer, the field tracker and AIR's meta filter.
 *
 * An input is text. Its first line is one digit, the client. Each other line is
 *
 *     {…       a frame of the CLI
 *     ?ID      the CLI withdraws its request of this id
 *     >{…      the client's answer to its oldest open question
 *     >        its answer is an error
 *     +        a prompt
 *     -        session/cancel
 *     .        the CLI ends
 *
 * and anything else is skipped. What goes to the client must be JSON, an update must be of a call that was
 * announced, and after the end nothing may be left. */
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "fake_cli.h"
#include "report/tracker.h"

enum { INPUT_MAX = 256 * 1024, ASKS_MAX = 16, STEPS_MAX = 100000 };

static const char *const clients[] = {
    /* plain, Zed, AIR with everything, AIR with nothing, AIR of old, v2, v2 with everything */
    "{}",
    "{\"_meta\":{\"terminal_output\":true,\"terminal-auth\":true}}",
    "{\"_meta\":{\"terminal_output_delta\":true,\"jetbrains\":{\"air\":{\"version\":1,\"capabilities\":["
    "\"diffPatch\",\"rawInputRendering\",\"sessionFailure\",\"recommendedValue\",\"asyncTasks\","
    "\"agentFileChangeReport\",\"nativeSubagentSessions\",\"planFile\"]}}},\"elicitation\":{\"form\":{},"
    "\"url\":{}},"
    "\"session\":{\"notices\":{},\"compaction\":{}}}",
    "{\"_meta\":{\"jetbrains\":{\"air\":{}}}}",
    "{\"_meta\":{\"terminal_output\":true,\"jetbrains\":{\"air\":{\"version\":1,\"capabilities\":["
    "\"asyncTasks\"]}}}}",
    "{}",
    "{\"_meta\":{\"subagent-transcript\":true},\"elicitation\":{\"form\":{}},\"plan\":{},\"session\":{"
    "\"notices\":{}},\"subagents\":{}}",
};

struct ask {
    uint64_t id; /* 0: free */
    surface_answer_cb *cb;
    void *user;
};

static struct client {
    struct agent agent;
    uv_loop_t loop;
    struct log log;
    struct arena mem;
    struct standard_dirs dirs;
    char folder[32];

    struct meta_filter *filter;
    struct map announced;
    struct ask asks[ASKS_MAX];
    uint64_t last_ask;
    bool ready, failed;
    enum foreground work; /* the state that was told last */
    struct session *session;
} self;

/* ---- What the session says ---- */

static void check_json(str text)
{
    AUTO_JSON(doc) = json_parse(text, NULL);
    FUZZ_CHECK(doc, "what goes to the client is JSON");
}

static void check_members(str members)
{
    AUTO_BUF(b);
    buf_put_byte(&b, '{');
    buf_put_str(&b, members);
    buf_put_byte(&b, '}');
    check_json(buf_str(&b));
}

static void say_text(void *me, str session, enum message_role role, str message_id, str text, str meta)
{
    (void)me;
    (void)session;
    (void)role;
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "messageId", message_id);
    json_member_str(&b, "text", text);
    json_member_raw(&b, "_meta", meta);
    json_close_object(&b);
    check_json(buf_str(&b));
}

static void check_meta(str meta)
{
    if (meta.p) {
        check_json(meta);
    }
}

static void say_block(void *me, str session, enum message_role role, str message_id, str block, str meta)
{
    check_meta(meta);
    (void)me;
    (void)session;
    (void)role;
    (void)message_id;
    check_json(block);
}

static void say_tool(void *me, str session, struct tool_report *r)
{
    static char there;
    (void)me;
    if (r->first) {
        /* A call of no tool (a compaction, recalled memories) may leave lists out. */
        FUZZ_CHECK(r->field[REPORT_STATUS].p && r->field[REPORT_TITLE].p && r->field[REPORT_KIND].p &&
                       (r->field[REPORT_CONTENT].p || !r->name.p),
                   "a tool call is whole");
        if (!map_put(&self.announced, r->id, &there, NULL)) {
            abort();
        }
    } else {
        FUZZ_CHECK(map_get(&self.announced, r->id), "a call is announced before it is updated");
        FUZZ_CHECK(!tool_report_empty(r), "an update says something");
    }
    if (self.agent.host.client.air && !meta_filter_pass(self.filter, session, r)) {
        return;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    tool_report_put_v1(&b, r);
    json_close_object(&b);
    check_json(buf_str(&b));
}

static void say_plan(void *me, str session, str entries, str meta)
{
    (void)me;
    (void)session;
    check_json(entries);
    check_meta(meta);
}

static void say_json(void *me, str session, str text)
{
    (void)me;
    (void)session;
    check_json(text);
}

static void say_mode(void *me, str session, str mode)
{
    (void)me;
    (void)session;
    FUZZ_CHECK(mode.n, "a mode has an id");
}

static void say_members(void *me, str session, str members)
{
    (void)me;
    (void)session;
    check_members(members);
}

static void say_notice(void *me, str session, const char *severity, str title, str description)
{
    say_text(me, session, MESSAGE_AGENT, str_of(severity), title, STR_ABSENT);
    say_text(me, session, MESSAGE_AGENT, STR_ABSENT, description, STR_ABSENT);
}

static void say_update(void *me, str session, const char *name, str members)
{
    (void)name;
    say_members(me, session, members);
}

static void say_foreground(void *me, str session, enum foreground what, const struct turn_end *end)
{
    (void)me;
    (void)session;
    FUZZ_CHECK(what != self.work, "a state is not told twice");
    FUZZ_CHECK(self.work != FOREGROUND_ENDED || what == FOREGROUND_RUNNING, "work begins by running");
    FUZZ_CHECK(what != FOREGROUND_ENDED || end->stop_reason || end->code,
               "work ends with a reason or an error");
    self.work = what;
}

static void say_raw(void *me, str session, json message)
{
    (void)me;
    (void)session;
    (void)message;
}

static void say_status(void *me, str status)
{
    (void)me;
    check_json(status);
}

static uint64_t open_ask(surface_answer_cb *cb, void *user)
{
    for (size_t i = 0; i < ASKS_MAX; i++) {
        if (!self.asks[i].id) {
            self.asks[i] = (struct ask){++self.last_ask, cb, user};
            return self.last_ask;
        }
    }
    return 0;
}

static uint64_t ask_permission(void *me, const struct permission_request *rq, surface_answer_cb *cb,
                               void *user)
{
    (void)me;
    FUZZ_CHECK(rq->session.n && rq->call->id.p, "a request names what it is about");
    check_json(rq->options);
    AUTO_BUF(b);
    json_open_object(&b);
    tool_report_put_call(&b, rq->call);
    json_close_object(&b);
    check_json(buf_str(&b));
    return open_ask(cb, user);
}

static uint64_t ask_elicitation(void *me, str params, surface_answer_cb *cb, void *user)
{
    (void)me;
    check_json(params);
    return open_ask(cb, user);
}

static void withdraw(void *me, uint64_t request)
{
    (void)me;
    for (size_t i = 0; i < ASKS_MAX; i++) {
        if (self.asks[i].id == request) {
            self.asks[i].id = 0;
            return;
        }
    }
    FUZZ_CHECK(false, "only an open question is withdrawn");
}

static void notify(void *me, const char *method, str params)
{
    (void)me;
    (void)method;
    check_json(params);
}

static const struct surface surface = {
    .text = say_text,
    .block = say_block,
    .tool = say_tool,
    .plan = say_plan,
    .commands = say_json,
    .mode = say_mode,
    .options = say_json,
    .usage = say_members,
    .info = say_members,
    .notice = say_notice,
    .update = say_update,
    .foreground = say_foreground,
    .raw = say_raw,
    .auth_status = say_status,
    .ask_permission = ask_permission,
    .ask_elicitation = ask_elicitation,
    .withdraw = withdraw,
    .notify = notify,
};

/* ---- The client's side ---- */

static void inserted(void *user, const char *uuid)
{
    (void)user;
    FUZZ_CHECK(strlen(uuid) == 36, "a prompt has a uuid");
}

static void ended(void *user, const struct turn_end *e)
{
    (void)user;
    FUZZ_CHECK(e->stop_reason || e->code, "a turn ends with a reason or an error");
}

static const struct turn_observer observer = {.inserted = inserted, .ended = ended};

static void prompt(void)
{
    struct session_error error;
    AUTO_JSON(doc) = json_parse(STR("[{\"type\":\"text\",\"text\":\"Go on.\"}]"), NULL);
    (void)session_prompt(self.session, json_root(doc), JSON_NONE, &observer, NULL, &error);
}

static void answer(str text)
{
    struct ask *oldest = NULL;
    for (size_t i = 0; i < ASKS_MAX; i++) {
        struct ask *a = &self.asks[i];
        if (a->id && (!oldest || a->id < oldest->id)) {
            oldest = a;
        }
    }
    if (oldest) {
        struct ask a = *oldest;
        oldest->id = 0;
        AUTO_JSON(result) = json_parse(text, NULL);
        AUTO_JSON(error) = result ? NULL : json_parse(STR("{\"code\":-32603,\"message\":\"no\"}"), NULL);
        a.cb(a.user, json_root(result), json_root(error));
    }
}

static bool gone(void)
{
    return self.failed || !agent_session(&self.agent, session_id(self.session));
}

/* Lets everything happen that is due; waits for the disk. */
static void settle(void)
{
    for (unsigned i = 0; i < STEPS_MAX; i++) {
        bool held = fake_cli_holds();
        uv_run(&self.loop, held ? UV_RUN_ONCE : UV_RUN_NOWAIT);
        if (!fake_cli_step() && !held) {
            return;
        }
    }
    FUZZ_CHECK(false, "the session comes to rest");
}

static void take_line(str line)
{
    switch (line.n ? line.p[0] : 0) {
    case '{': {
        AUTO_JSON(doc) = json_parse(line, NULL);
        if (json_is(json_root(doc), JSON_OBJECT)) {
            (void)fake_cli_frame(doc);
        }
        break;
    }
    case '?':
        fake_cli_withdraw(str_from(line, 1));
        break;
    case '>':
        answer(str_from(line, 1));
        break;
    case '+':
        prompt();
        break;
    case '-':
        session_cancel(self.session);
        break;
    case '.':
        fake_cli_die();
        break;
    default:
        break;
    }
}

/* ---- One input ---- */

static void count_loaded(void *user, const struct reporter_row *row)
{
    if (row->refused) {
        fprintf(stderr, "%s: %s\n", row->file, row->refused);
    }
    *(int *)user += row->refused == NULL;
}

/* An input that is read by the general reporter alone would test little. */
static void check_reporters(void)
{
    static bool checked;
    int loaded = 0;
    if (!checked) {
        reporter_host_list(self.agent.host.reporters, count_loaded, &loaded);
        FUZZ_CHECK(loaded == HERALD_FUZZ_REPORTER_COUNT, "every built-in reporter is loaded");
        checked = true;
    }
}

static void ready(void *user, struct session *s, const struct session_error *error)
{
    (void)user;
    self.ready = s != NULL;
    self.failed = error != NULL;
}

static void begin(unsigned which)
{
    int version = which >= 5 ? 2 : 1;
    AUTO_JSON(capabilities) = json_parse(str_of(clients[which]), NULL);
    agent_use_client(&self.agent, version, version, json_root(capabilities));
    self.filter = meta_filter_new();
    self.ready = self.failed = false;
    self.work = FOREGROUND_ENDED;
    struct session_params params = {.cwd = str_of(self.folder)};
    self.session = session_new(&self.agent.host, &params, capabilities, ready, NULL);
    if (!self.filter || !self.session) {
        abort();
    }
    while (!self.ready && !self.failed) {
        uv_run(&self.loop, UV_RUN_NOWAIT);
        fake_cli_step();
    }
    FUZZ_CHECK(self.ready, "a session starts");
    check_reporters();
}

static void finish(void)
{
    if (!gone()) {
        session_close(self.session, NULL, NULL);
    }
    for (unsigned i = 0; i < STEPS_MAX && (fake_cli_step() || uv_loop_alive(&self.loop)); i++) {
        uv_run(&self.loop, UV_RUN_NOWAIT);
        if (i > 1000) {
            usleep(100);
        }
    }
    FUZZ_CHECK(fake_cli_gone() && !uv_loop_alive(&self.loop), "nothing is left after the end");
    for (size_t i = 0; i < ASKS_MAX; i++) {
        FUZZ_CHECK(!self.asks[i].id, "no question outlives its session");
    }
    FUZZ_CHECK(self.work == FOREGROUND_ENDED, "no work outlives its session");
    map_free(&self.announced, NULL);
    meta_filter_free(self.filter);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    strcpy(self.folder, "/tmp/herald-fuzz-XXXXXX");
    if (!mkdtemp(self.folder) || setenv("HOME", self.folder, 1) != 0 || uv_loop_init(&self.loop) != 0 ||
        unsetenv("CLAUDE_CONFIG_DIR") != 0 || setenv("CLAUDE_CODE_EXECUTABLE", "/bin/true", 1) != 0 ||
        !standard_dirs_find(&self.mem, &self.dirs)) {
        abort();
    }
    static const char *const none[] = {NULL};
    self.agent = (struct agent){
        .host.loop = &self.loop,
        .host.log = &self.log,
        .host.dirs = &self.dirs,
        .reporter_dirs = {.builtin = HERALD_FUZZ_REPORTERS},
        .host.surface = &surface,
        .host.env = none,
    };
    if (!agent_init(&self.agent)) {
        abort();
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > INPUT_MAX) {
        return 0;
    }
    begin((unsigned)data[0] % ARRAY_LEN(clients));
    str rest = {(const char *)data, size};
    prompt();
    while (rest.n && !gone()) {
        size_t end = str_find_byte(rest, '\n', 0);
        str line = end == SIZE_MAX ? rest : str_first(rest, end);
        rest = str_from(rest, end == SIZE_MAX ? rest.n : end + 1);
        if (line.p != (const char *)data) {
            take_line(line);
            settle();
        }
    }
    finish();
    return 0;
}
