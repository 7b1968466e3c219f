/* The CLI's questions under thousands of random orders of question, preparation, answer, withdrawal, close
 * and crash.
 *
 * The session, its tool calls and the control channel are stand-ins in this file (the linker takes them in
 * place of the real ones); questions.c and the permission module are real. What is proven: a question
 * is answered exactly once, or not at all when its CLI died first; a request to the client is answered or
 * withdrawn, never both, never twice; nothing but a choice that was offered in that very request allows a
 * tool; and nothing is left behind. */
#include "question/questions.h"
#include "unit.h"

enum {
    RUNS = 3000,
    STEPS = 48,
    QUESTIONS_MAX_RUN = STEPS + 1,
    SEED = 20250705,
};

/* ---- Chance ---- */

static uint64_t chance_state;

static unsigned chance(unsigned n)
{
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (unsigned)((chance_state >> 11) % n);
}

/* ---- The world ---- */

enum sort {
    SORT_BASH,
    SORT_PLAN,
    SORT_OTHER_TOOL,
    SORT_FORM,
    SORT_ELICITATION,
    SORT_DIALOG,
    SORT_BROKEN,
    SORTS
};

/* What an answer must say. */
enum said { SAID_NOTHING, SAID_ALLOW, SAID_DENY, SAID_ERROR, SAID_OTHER };

struct asked {
    enum sort sort;
    unsigned era; /* which CLI asked */
    bool by_agent;
    unsigned answers;
    enum said said;
    bool agreed; /* a dialog or an elicitation was answered as a person would */
    /* Its preparation. */
    bool preparing;
    tool_calls_ready_cb *ready;
    void *ready_user;
    /* Its request to the client. */
    bool requested, settled, withdrawn;
    surface_answer_cb *cb;
    void *cb_user;
    struct json_doc *params;
};

static struct world {
    struct questions questions;
    struct client_capabilities client;
    struct standard_dirs dirs;
    struct usage usage;
    struct tool_calls tools;
    struct child_sessions children;
    struct cli_control *cli;
    unsigned refs;
    struct asked asked[QUESTIONS_MAX_RUN];
    unsigned n;
    unsigned era;
    bool waiting;     /* what the session saw last */
    bool agent_waits; /* and children_await() */
    unsigned mode_changes, plan_exits;
    bool prepare_at_once, prepare_badly, cannot_ask;
} w;

#define SESSION STR("session")

static char process; /* stands for a CLI */

static struct cli_control *a_cli(void)
{
    return (struct cli_control *)(void *)&process;
}

/* The place of the question that an id like "q12" names. */
static struct asked *asked_of(str id)
{
    unsigned at = 0;
    size_t i = 1;
    assert_true(id.n > 1 && id.p[0] == 'q');
    for (; i < id.n && id.p[i] >= '0' && id.p[i] <= '9'; i++) {
        at = at * 10 + (unsigned)(id.p[i] - '0');
    }
    assert_true(at < w.n);
    return &w.asked[at];
}

/* ---- Stand-ins ---- */

static void keep(void *user)
{
    assert_ptr_equal(user, &w);
    w.refs++;
}

static void drop(void *user)
{
    assert_ptr_equal(user, &w);
    assert_true(w.refs > 1); /* the world's own reference stays */
    w.refs--;
}

static struct cli_control *cli(const void *user)
{
    assert_ptr_equal(user, &w);
    return w.cli;
}

str children_session_of_agent(struct child_sessions *cs, str agent)
{
    assert_ptr_equal(cs, &w.children);
    return agent.n ? agent : SESSION;
}

static bool any(str agent_id, void *user)
{
    (void)agent_id;
    (void)user;
    return true;
}

static bool main_only(str agent_id, void *user)
{
    (void)user;
    return !agent_id.p;
}

static void waiting(void *user)
{
    assert_ptr_equal(user, &w);
    w.waiting = questions_any(&w.questions, any, NULL);
}

void children_await(struct child_sessions *cs, str agent, bool waits)
{
    assert_ptr_equal(cs, &w.children);
    if (agent.p) {
        w.agent_waits = waits;
    }
}

static void choose_mode(void *user, enum mode mode)
{
    assert_ptr_equal(user, &w);
    assert_true(mode < MODE_NONE);
    w.mode_changes++;
}

static void decided(void *user, str call, bool of_agent, const struct permission_decision *d)
{
    (void)of_agent;
    assert_ptr_equal(user, &w);
    (void)call;
    w.plan_exits += d->keep_planning || d->clear_context;
}

static bool auto_supported(const void *user)
{
    assert_ptr_equal(user, &w);
    return true;
}

static bool offers(const void *user, enum mode mode)
{
    assert_ptr_equal(user, &w);
    return mode != MODE_BYPASS;
}

static const struct question_host_calls calls = {
    .cli = cli,
    .offers = offers,
    .auto_supported = auto_supported,
    .answered = decided,
    .choose_mode = choose_mode,
    .waiting = waiting,
    .keep = keep,
    .drop = drop,
};

struct call_place call_place_of_agent(const struct tool_calls *tc, str agent)
{
    (void)tc;
    return (struct call_place){.parent = agent};
}

struct tool_call *tool_calls_find(const struct tool_calls *tc, struct call_place at, str id)
{
    (void)tc;
    (void)at;
    (void)id;
    return NULL;
}

static void end_preparation(struct asked *q, bool well, str options)
{
    AUTO_BUF(id);
    buf_printf(&id, "q%u", (unsigned)(q - w.asked));
    struct tool_report call = {.id = buf_str(&id)};
    struct permission_request rq = {.call = &call, .options = options.n ? options : STR("[]")};
    q->preparing = false;
    q->ready(q->ready_user, well ? &rq : NULL);
}

void tool_calls_ask(struct tool_calls *tc, json request, str options, tool_calls_ready_cb *ready, void *user)
{
    struct asked *q = asked_of(json_str(json_get(request, "tool_use_id")));
    assert_ptr_equal(tc, &w.tools);
    assert_int_equal(q->answers, 0);
    q->ready = ready;
    q->ready_user = user;
    q->preparing = true;
    if (w.prepare_at_once) {
        end_preparation(q, !w.prepare_badly, options);
        return;
    }
    AUTO_BUF(b); /* kept until the disk has answered */
    json_put_raw(&b, options.n ? options : STR("[]"));
    q->params = json_parse(buf_str(&b), NULL);
    assert_non_null(q->params);
}

static void note_answer(struct cli_control *c, str id, enum said said)
{
    struct asked *q = asked_of(id);
    assert_ptr_equal(c, a_cli());
    assert_int_equal(q->era, w.era); /* not asked by a process that is gone */
    assert_int_equal(q->answers, 0);
    q->answers++;
    q->said = said;
}

void cli_control_answer(struct cli_control *c, str request_id, str response)
{
    AUTO_JSON(doc) = json_parse(response, NULL);
    str behavior = json_str(json_get(json_root(doc), "behavior"));
    assert_non_null(doc);
    asked_of(request_id)->agreed =
        str_is(behavior, "completed") || str_is(json_str(json_get(json_root(doc), "action")), "accept");
    note_answer(c, request_id,
                str_is(behavior, "allow")  ? SAID_ALLOW
                : str_is(behavior, "deny") ? SAID_DENY
                                           : SAID_OTHER);
}

void cli_control_refuse(struct cli_control *c, str request_id, str error)
{
    assert_true(error.n > 0);
    note_answer(c, request_id, SAID_ERROR);
}

/* What the client was sent: the options of a permission request, or the parameters of a form. */
static uint64_t note_request(str id, str sent, surface_answer_cb *cb, void *user)
{
    struct json_doc *doc = json_parse(sent, NULL);
    assert_non_null(doc);
    id = id.p ? id : json_str(json_get(json_root(doc), "toolCallId"));
    struct asked *q = asked_of(id.p ? id : json_str(json_get(json_root(doc), "message")));
    assert_false(q->requested);
    assert_int_equal(q->answers, 0);
    assert_true(w.waiting); /* who waits is told before the client is asked */
    assert_true(w.agent_waits || !q->by_agent || q->sort > SORT_FORM);
    json_unref(q->params);
    q->params = doc;
    if (w.cannot_ask) {
        return 0;
    }
    q->requested = true;
    q->cb = cb;
    q->cb_user = user;
    return (uint64_t)(q - w.asked) + 1;
}

static uint64_t ask_permission(void *self, const struct permission_request *rq, surface_answer_cb *cb,
                               void *user)
{
    (void)self;
    return note_request(rq->call->id, rq->options, cb, user);
}

static uint64_t ask_elicitation(void *self, str params, surface_answer_cb *cb, void *user)
{
    (void)self;
    return note_request(STR_ABSENT, params, cb, user);
}

static void withdraw(void *self, uint64_t request)
{
    struct asked *q = &w.asked[request - 1];
    (void)self;
    assert_true(request && request <= w.n && q->requested);
    assert_false(q->settled || q->withdrawn);
    q->withdrawn = true;
}

static const struct surface face = {
    .ask_permission = ask_permission,
    .ask_elicitation = ask_elicitation,
    .withdraw = withdraw,
};

/* ---- What happens ---- */

static bool open_at_client(const struct asked *q)
{
    return q->requested && !q->settled && !q->withdrawn;
}

static void put_request(struct buf *b, const struct asked *q, unsigned at)
{
    static const char *const tools[SORTS] = {
        [SORT_BASH] =
            "\"Bash\",\"input\":{\"command\":\"npm "
            "test\"},\"permission_suggestions\":[{\"type\":\"addRules\","
            "\"rules\":[{\"toolName\":\"Bash\",\"ruleContent\":\"npm test *\"}],\"behavior\":\"allow\","
            "\"destination\":\"localSettings\"}]",
        [SORT_PLAN] = "\"ExitPlanMode\",\"input\":{\"plan\":\"# Plan\"}",
        [SORT_OTHER_TOOL] = "\"mcp__srv__ping\",\"input\":{}",
        [SORT_FORM] = "\"AskUserQuestion\",\"input\":{\"questions\":[{\"question\":\"Which?\",\"options\":[{"
                      "\"label\":\"A\"}"
                      ",{\"label\":\"B\"}]}]}",
    };
    static const char *const broken[] = {
        "{\"subtype\":\"can_use_tool\",\"input\":{}}",
        "{\"subtype\":\"can_use_tool\",\"tool_name\":\"AskUserQuestion\",\"tool_use_id\":\"q%u\"}",
        "{\"subtype\":\"request_user_dialog\",\"dialog_kind\":\"other\"}",
        "{\"subtype\":\"elicitation\",\"mode\":\"url\"}",
        "{\"subtype\":\"unheard_of\"}",
    };
    switch (q->sort) {
    case SORT_ELICITATION:
        buf_printf(b, "{\"subtype\":\"elicitation\",\"message\":\"q%u\",\"mode\":\"form\"}", at);
        break;
    case SORT_DIALOG:
        buf_printf(
            b,
            "{\"subtype\":\"request_user_dialog\",\"dialog_kind\":\"refusal_fallback_prompt\",\"payload\":{"
            "\"originalModel\":\"q%u\",\"fallbackModel\":\"other\"}}",
            at);
        break;
    case SORT_BROKEN: {
        AUTO_BUF(line);
        buf_put_c(&line, broken[chance(ARRAY_LEN(broken))]);
        size_t id = str_find(buf_str(&line), STR("%u"), 0);
        buf_put_str(b, str_first(buf_str(&line), id == SIZE_MAX ? line.n : id));
        if (id != SIZE_MAX) {
            buf_printf(b, "%u", at);
            buf_put_str(b, str_from(buf_str(&line), id + 2));
        }
        break;
    }
    default:
        buf_printf(b, "{\"subtype\":\"can_use_tool\",\"tool_use_id\":\"q%u\",%s\"tool_name\":%s}", at,
                   q->by_agent ? "\"agent_id\":\"agent\"," : "", tools[q->sort]);
        break;
    }
}

static void new_question(void)
{
    unsigned at = w.n++;
    struct asked *q = &w.asked[at];
    AUTO_BUF(b);
    *q = (struct asked){.sort = (enum sort)chance(SORTS), .era = w.era, .by_agent = chance(3) == 0};
    w.prepare_at_once = chance(2);
    w.prepare_badly = chance(8) == 0;
    w.cannot_ask = chance(12) == 0;
    w.client.elicitation_form = chance(8) != 0;
    buf_printf(&b, "{\"type\":\"control_request\",\"request_id\":\"q%u\",\"request\":", at);
    put_request(&b, q, at);
    buf_put_c(&b, "}");
    AUTO_JSON(doc) = parse_or_fail(buf_c(&b));
    questions_ask(&w.questions, json_root(doc));
    assert_true(q->answers || q->preparing || open_at_client(q));
}

/* A random question with that property; NULL when there is none. */
static struct asked *pick(bool (*has)(const struct asked *q))
{
    unsigned start = w.n ? chance(w.n) : 0;
    for (unsigned i = 0; i < w.n; i++) {
        struct asked *q = &w.asked[(start + i) % w.n];
        if (has(q)) {
            return q;
        }
    }
    return NULL;
}

static bool is_preparing(const struct asked *q)
{
    return q->preparing;
}

static bool is_open(const struct asked *q)
{
    return open_at_client(q);
}

static bool any_question(const struct asked *q)
{
    (void)q;
    return true;
}

static void prepare_one(void)
{
    struct asked *q = pick(is_preparing);
    if (!q) {
        return;
    }
    bool over_before = q->answers || q->era != w.era, well = chance(6) != 0;
    AUTO_BUF(options);
    json_put(&options, json_root(q->params));
    w.cannot_ask = chance(12) == 0;
    end_preparation(q, well, buf_str(&options));
    if (over_before) {
        assert_false(q->requested); /* nobody is asked about what is over */
    } else {
        assert_true(well ? open_at_client(q) || q->answers == 1 : q->said == SAID_ERROR);
    }
}

/* What the choice of the id `id` among the request's options must become. */
static enum said expected(const struct asked *q, str id)
{
    for (struct json_iter it = json_each(json_root(q->params)); json_next(&it);) {
        if (str_eq(json_str(json_get(it.value, "optionId")), id)) {
            bool denies = str_is(id, "reject") || str_starts(id, STR("exit-plan-clear-"));
            return denies ? SAID_DENY : SAID_ALLOW;
        }
    }
    return SAID_ERROR;
}

static void tell(struct asked *q, const char *result, const char *error)
{
    AUTO_JSON(r) = result ? parse_or_fail(result) : NULL;
    AUTO_JSON(e) = error ? parse_or_fail(error) : NULL;
    q->settled = true;
    q->cb(q->cb_user, r ? json_root(r) : JSON_NONE, e ? json_root(e) : JSON_NONE);
    assert_int_equal(q->answers, 1);
}

/* The client chooses: an option of this request, one of another, none that exists, in a good or a bad form.
 */
static void choose(struct asked *q)
{
    static const char *const ids[] = {
        "allow-once",
        "allow-with-updates",
        "allow-skill-exact",
        "exit-plan-default",
        "exit-plan-auto",
        "exit-plan-bypass",
        "exit-plan-clear-auto",
        "exit-plan-clear-bypass",
        "reject",
        "Allow-Once",
        "allow-once\\u0000",
        "",
        "exit-plan-clear-accept-edits",
    };
    const char *id = ids[chance(ARRAY_LEN(ids))];
    AUTO_BUF(b);
    buf_printf(&b, "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"%s\"}}", id);
    AUTO_JSON(doc) = parse_or_fail(buf_c(&b));
    enum said want = expected(q, json_str(json_path(json_root(doc), "outcome", "optionId", NULL)));
    unsigned modes = w.mode_changes, exits = w.plan_exits;
    tell(q, buf_c(&b), NULL);
    assert_int_equal(q->said, want);
    bool plan = q->sort == SORT_PLAN && want != SAID_ERROR;
    assert_int_equal(w.mode_changes - modes, plan && want == SAID_ALLOW);
    assert_int_equal(w.plan_exits - exits, plan && want == SAID_DENY);
}

static void answer_oddly(struct asked *q)
{
    static const char *const odd[] = {
        "{}",
        "[]",
        "null",
        "true",
        "\"allow-once\"",
        "{\"outcome\":\"selected\",\"optionId\":\"allow-once\"}",
        "{\"outcome\":{\"outcome\":\"cancelled\",\"optionId\":\"allow-once\"}}",
        "{\"outcome\":{\"outcome\":\"Selected\",\"optionId\":\"allow-once\"}}",
        "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":[\"allow-once\"]}}",
        "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":0}}",
        "{\"outcome\":[{\"outcome\":\"selected\",\"optionId\":\"allow-once\"}]}",
        "{\"action\":\"allow\"}",
        "{\"action\":[\"accept\"]}",
    };
    bool tool = q->sort != SORT_ELICITATION && q->sort != SORT_DIALOG;
    tell(q, odd[chance(ARRAY_LEN(odd))], NULL);
    assert_int_equal(q->said, tool ? SAID_ERROR : SAID_OTHER);
}

static void answer_form(struct asked *q)
{
    static const char *const forms[] = {
        "{\"action\":\"accept\",\"content\":{\"question_0\":\"A\",\"choice\":\"retry_fallback\"}}",
        "{\"action\":\"accept\",\"content\":7}",
        "{\"action\":\"decline\"}",
        "{\"action\":\"cancel\"}",
    };
    unsigned at = chance(ARRAY_LEN(forms));
    tell(q, forms[at], NULL);
    if (q->sort == SORT_FORM) {
        assert_int_equal(q->said, at < 3 ? SAID_ALLOW : SAID_ERROR);
    } else {
        assert_int_equal(q->said,
                         q->sort == SORT_ELICITATION || q->sort == SORT_DIALOG ? SAID_OTHER : SAID_ERROR);
    }
}

static void answer_one(void)
{
    struct asked *q = pick(is_open);
    if (!q) {
        return;
    }
    switch (chance(6)) {
    case 0:
        answer_oddly(q);
        break;
    case 1:
        tell(q, NULL, chance(2) ? "{\"code\":-32603,\"message\":\"no\"}" : "{}");
        assert_true(q->said != SAID_ALLOW && !q->agreed);
        break;
    case 2:
        tell(q, NULL, NULL); /* the connection is gone */
        assert_true(q->said != SAID_ALLOW && !q->agreed);
        break;
    case 3:
        answer_form(q);
        break;
    default:
        if (q->sort <= SORT_OTHER_TOOL) {
            choose(q);
        } else {
            answer_form(q);
        }
    }
}

static void check_all_over(bool crashed)
{
    assert_true(list_empty(&w.questions.list));
    assert_false(questions_any(&w.questions, any, NULL));
    assert_false(w.waiting);
    for (unsigned i = 0; i < w.n; i++) {
        const struct asked *q = &w.asked[i];
        assert_false(open_at_client(q));
        assert_true(q->answers == 1 || (crashed && q->era == w.era) || q->era != w.era);
    }
}

static void withdraw_one(void)
{
    struct asked *q = pick(any_question);
    char id[16];
    if (!q || q->era != w.era) {
        return;
    }
    unsigned before = q->answers;
    bool open = open_at_client(q);
    (void)snprintf(id, sizeof(id), "q%u", (unsigned)(q - w.asked));
    questions_withdraw(&w.questions, str_of(id));
    assert_int_equal(q->answers, 1);
    assert_true(!open || q->withdrawn);
    assert_true(before || q->said == SAID_ERROR || q->said == SAID_OTHER);
    questions_withdraw(&w.questions, STR("nobody"));
}

static void drop_all(void)
{
    questions_drop(&w.questions);
    check_all_over(false);
}

/* The CLI dies, and another one takes its place. */
static void crash(void)
{
    w.cli = NULL;
    questions_drop(&w.questions);
    check_all_over(true);
    w.cli = a_cli();
    w.era++;
}

static void check_waiting(void)
{
    bool asked = false, main_asked = false;
    for (unsigned i = 0; i < w.n; i++) {
        bool tool = w.asked[i].sort <= SORT_FORM;
        asked = asked || open_at_client(&w.asked[i]);
        main_asked = main_asked || (open_at_client(&w.asked[i]) && !(tool && w.asked[i].by_agent));
    }
    assert_true(asked || !w.agent_waits);
    assert_int_equal(w.waiting, asked);
    assert_int_equal(questions_any(&w.questions, main_only, NULL), main_asked);
}

static void begin_run(void)
{
    static char home[] = "/home/u";
    memset(&w, 0, sizeof(w));
    w.dirs.home = home;
    w.refs = 1;
    w.cli = a_cli();
    questions_init(&w.questions, &(struct question_host){
                                     .dirs = &w.dirs,
                                     .client = &w.client,
                                     .surface = &face,
                                     .session = SESSION,
                                     .cwd = STR("/home/u/ws"),
                                     .usage = &w.usage,
                                     .tools = &w.tools,
                                     .children = &w.children,
                                     .calls = &calls,
                                     .user = &w,
                                 });
}

static void end_run(void)
{
    drop_all();
    for (struct asked *q; (q = pick(is_preparing));) {
        end_preparation(q, chance(2), STR_ABSENT);
        assert_false(open_at_client(q));
    }
    check_all_over(false);
    assert_int_equal(w.refs, 1);
    for (unsigned i = 0; i < w.n; i++) {
        json_unref(w.asked[i].params);
    }
}

static void test_random_orders(void **state)
{
    (void)state;
    chance_state = SEED;
    for (int run = 0; run < RUNS; run++) {
        begin_run();
        for (int step = 0; step < STEPS; step++) {
            unsigned what = chance(40);
            if (what < 14) {
                new_question();
            } else if (what < 22) {
                prepare_one();
            } else if (what < 33) {
                answer_one();
            } else if (what < 38) {
                withdraw_one();
            } else if (what < 39) {
                drop_all();
            } else {
                crash();
            }
            check_waiting();
        }
        end_run();
    }
}

/* ---- Single orders that are worth a name ---- */

static struct asked *ask_bash(bool at_once)
{
    unsigned at = w.n++;
    struct asked *q = &w.asked[at];
    AUTO_BUF(b);
    *q = (struct asked){.sort = SORT_BASH, .era = w.era};
    w.prepare_at_once = at_once;
    w.prepare_badly = w.cannot_ask = false;
    buf_printf(&b, "{\"request_id\":\"q%u\",\"request\":", at);
    put_request(&b, q, at);
    buf_put_c(&b, "}");
    AUTO_JSON(doc) = parse_or_fail(buf_c(&b));
    questions_ask(&w.questions, json_root(doc));
    return q;
}

static void test_withdrawn_before_it_was_asked(void **state)
{
    (void)state;
    begin_run();
    struct asked *q = ask_bash(false);
    questions_withdraw(&w.questions, STR("q0"));
    assert_int_equal(q->said, SAID_ERROR);
    end_preparation(q, true, STR_ABSENT);
    assert_false(q->requested);
    end_run();
}

static void test_several_open_at_once(void **state)
{
    (void)state;
    begin_run();
    struct asked *first = ask_bash(true), *second = ask_bash(true), *third = ask_bash(true);
    tell(second, "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow-with-updates\"}}", NULL);
    assert_int_equal(second->said, SAID_ALLOW);
    assert_true(open_at_client(first) && open_at_client(third));
    questions_withdraw(&w.questions, STR("q0"));
    assert_true(first->withdrawn && open_at_client(third) && w.waiting);
    tell(third, "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"reject\"}}", NULL);
    assert_int_equal(third->said, SAID_DENY);
    assert_false(w.waiting);
    end_run();
}

/* The client never answers, and the session closes while another question is being prepared. */
static void test_silent_client(void **state)
{
    (void)state;
    begin_run();
    struct asked *open = ask_bash(true), *preparing = ask_bash(false);
    questions_drop(&w.questions);
    assert_true(open->withdrawn && open->said == SAID_ERROR);
    assert_int_equal(preparing->said, SAID_ERROR);
    w.cli = NULL;
    end_preparation(preparing, true, STR_ABSENT);
    assert_false(preparing->requested);
    w.cli = a_cli();
    end_run();
}

static void test_option_that_was_not_offered(void **state)
{
    static const char *const results[] = {
        "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"exit-plan-bypass\"}}",
        "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow-skill-exact\"}}",
        "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow_once\"}}",
        "{\"outcome\":{\"outcome\":\"selected\"}}",
    };
    (void)state;
    begin_run();
    for (size_t i = 0; i < ARRAY_LEN(results); i++) {
        struct asked *q = ask_bash(true);
        tell(q, results[i], NULL);
        assert_int_equal(q->said, SAID_ERROR);
    }
    assert_int_equal(w.mode_changes, 0);
    end_run();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_orders),
        cmocka_unit_test(test_withdrawn_before_it_was_asked),
        cmocka_unit_test(test_several_open_at_once),
        cmocka_unit_test(test_silent_client),
        cmocka_unit_test(test_option_that_was_not_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
