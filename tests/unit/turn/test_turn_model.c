/* The turn engine against a model of the CLI: random clients, a CLI that answers as the protocol says and
 * takes its time, and after each step the invariants of turn.h. A second test throws frames at it that no CLI
 * would send. */

#include "turn/turn_internal.h"
#include "turn_fixture.h"

enum { ROUNDS = 3000, STEPS = 60, PROMPTS_MAX = 40, FRAMES_MAX = 4096, UUID = 37, TASKS_MAX = 16 };

/* ---- Chance ---- */

static uint64_t seed;

static unsigned roll(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % n;
}

static bool chance(unsigned percent)
{
    return roll(100) < percent;
}

/* ---- The client's side ---- */

struct prompt {
    char uuid[UUID];
    bool inserted, ended, prepared; /* prepared: before_answer() came */
    bool cancelled;                 /* the answer said so */
};

struct task {
    bool live, holds;
};

/* What the CLI is told, in order. */
enum input_kind { INPUT_PROMPT, INPUT_STEER, INPUT_CANCEL_QUEUED, INPUT_INTERRUPT };
struct input {
    enum input_kind kind;
    char uuid[UUID];
};

/* How the CLI runs a prompt. */
enum run { RUN_NONE, RUN_TAKEN, RUN_GENERATING, RUN_CYCLE };

struct world {
    struct turns turns;
    struct prompt prompts[PROMPTS_MAX];
    size_t prompt_count;
    unsigned steers;
    char steered[PROMPTS_MAX][UUID]; /* the prompt that each steer went to */
    bool cancelling, ended;
    bool fore_running, fore_waiting;
    char settling[UUID]; /* the turn whose answer waits, or "" */
    struct turn *timer_turn;
    uint64_t timers;
    struct task tasks[TASKS_MAX];

    /* The CLI. */
    struct input inbox[FRAMES_MAX];
    size_t in_at, in_n;
    char queue[PROMPTS_MAX * 2 + 1][UUID];
    bool steer[PROMPTS_MAX * 2 + 1];
    size_t queue_n;
    char *outbox[FRAMES_MAX];
    size_t out_at, out_n;
    enum run run;
    bool echoed, local, idle;
    char consumed[8][UUID];
    size_t consumed_n;
    unsigned notifications; /* cycles that are due */
    bool deaf;              /* hangs: does nothing more */
};

static struct world *w;

static void new_uuid(char *to, const char *kind, unsigned n)
{
    snprintf(to, UUID, "%s-%031u", kind, n);
}

static struct prompt *prompt_of(const char *uuid)
{
    for (size_t i = 0; i < w->prompt_count; i++) {
        if (strcmp(w->prompts[i].uuid, uuid) == 0) {
            return &w->prompts[i];
        }
    }
    return NULL;
}

static void on_inserted(void *user, const char *uuid)
{
    struct prompt *p = user;
    (void)uuid;
    assert_false(p->inserted);
    assert_false(p->ended);
    p->inserted = true;
}

static void on_ended(void *user, const struct turn_end *end)
{
    struct prompt *p = user;
    assert_false(p->ended);
    assert_true(p->prepared);
    p->ended = true;
    p->cancelled = end->stop_reason && strcmp(end->stop_reason, "cancelled") == 0;
    assert_true(end->stop_reason || end->code);
    /* In the order of the prompts, but for queued ones that are cancelled. */
    for (struct prompt *q = w->prompts; !w->cancelling && q < p; q++) {
        assert_true(q->ended);
    }
}

static const struct turn_observer observer = {.inserted = on_inserted, .ended = on_ended};

static void tell_cli(enum input_kind kind, const char *uuid)
{
    if (w->in_n < FRAMES_MAX) {
        w->inbox[w->in_n].kind = kind;
        size_t n = strlen(uuid);
        memcpy(w->inbox[w->in_n++].uuid, uuid, n < UUID ? n : UUID - 1); /* the rest is zero */
    }
}

static void on_cancel_queued(void *user, const char *uuid)
{
    (void)user;
    tell_cli(INPUT_CANCEL_QUEUED, uuid);
}

static bool on_interrupt(void *user)
{
    (void)user;
    tell_cli(INPUT_INTERRUPT, "");
    return true;
}

static void on_activated(void *user, struct turn *t, bool by_result)
{
    (void)user;
    (void)by_result;
    assert_false(prompt_of(t->uuid)->ended);
    assert_ptr_equal(w->turns.active, t);
}

static bool on_task_holds(void *user, str id)
{
    (void)user;
    const struct task *t = &w->tasks[id.p[0] - 'a'];
    return t->live && t->holds;
}

static void on_close_calls(void *user, struct turn *t, bool cancelled, bool *lost)
{
    (void)user;
    (void)cancelled;
    assert_false(prompt_of(t->uuid)->prepared);
    *lost = chance(3);
}

static bool on_before_answer(void *user, struct turn *t, const struct turn_end *end, bool may_wait)
{
    (void)user;
    (void)end;
    struct prompt *p = prompt_of(t->uuid);
    assert_false(p->prepared);
    assert_false(p->ended);
    p->prepared = true;
    bool wait = may_wait && !w->settling[0] && chance(30);
    if (wait) {
        snprintf(w->settling, UUID, "%s", t->uuid);
    }
    return wait;
}

static bool names(json list, const char *uuid)
{
    for (struct json_iter it = json_each(list); json_next(&it);) {
        if (str_is(json_str(it.value), uuid)) {
            return true;
        }
    }
    return false;
}

static bool strict; /* the CLI keeps to the protocol */

static void on_finish(void *user, struct turn *t, json result, struct turn_end *end)
{
    (void)user;
    bool error = json_is_true(json_get(result, "is_error"));
    json stamp = json_get(result, "user_message_uuids");
    assert_ptr_equal(w->turns.active, t);
    /* It is the turn's own; a steered turn may take note of a steer that an earlier turn left. */
    if (strict && json_count(stamp) && t->state != TURN_STEERED) {
        bool own = names(stamp, t->uuid);
        for (unsigned i = 0; i < w->steers; i++) {
            char uuid[UUID];
            new_uuid(uuid, "S", i);
            own = own || (names(stamp, uuid) && strcmp(w->steered[i], t->uuid) == 0);
        }
        assert_true(own);
    }
    *end = error ? (struct turn_end){.failed = true, .code = -32603, .message = STR("broken")}
                 : (struct turn_end){.stop_reason = "end_turn", .members = STR("\"usage\":{}")};
}

static void on_finish_cancelled(void *user, struct turn *t, struct turn_end *end)
{
    (void)user;
    (void)t;
    end->members = STR("\"usage\":{}");
}

static void on_finish_faulty(void *user, struct turn *t, enum turn_fault fault, struct turn_end *end)
{
    (void)user;
    (void)t;
    assert_true(!strict || fault == TURN_INCOMPLETE_CALL);
    *end = (struct turn_end){.failed = true, .code = -32603, .message = STR("faulty")};
}

static void on_finish_cycle(void *user, json result, struct turn_end *end)
{
    (void)user;
    (void)result;
    *end = (struct turn_end){.stop_reason = "end_turn"};
}

static bool on_failed_beside(void *user, struct turn *held, json result, struct turn_end *end)
{
    (void)user;
    assert_true(json_is_true(json_get(result, "is_error")));
    assert_true(!held || held->state == TURN_HELD);
    *end = (struct turn_end){.failed = true, .code = -32603, .message = STR("broken beside")};
    return held != NULL;
}

static void on_result(void *user, json result, bool own)
{
    (void)user;
    (void)result;
    (void)own;
}

static void on_foreground(void *user, enum foreground what, const struct turn_end *end)
{
    (void)user;
    if (what == FOREGROUND_RUNNING) {
        assert_true(!w->fore_running || w->fore_waiting);
        w->fore_running = true;
        w->fore_waiting = false;
    } else if (what == FOREGROUND_AWAITING_USER) {
        assert_true(w->fore_running && !w->fore_waiting);
        w->fore_waiting = true;
    } else {
        assert_true(w->fore_running);
        assert_non_null(end);
        w->fore_running = w->fore_waiting = false;
    }
}

static uint64_t on_start_timer(void *user, unsigned ms, struct turn *t)
{
    (void)user;
    assert_int_equal(ms, 30000);
    assert_null(w->timer_turn);
    w->timer_turn = t;
    return ++w->timers;
}

static void on_stop_timer(void *user, uint64_t timer)
{
    (void)user;
    assert_int_equal(timer, w->timers);
    w->timer_turn = NULL;
}

/* ---- The CLI's side: frames go to the outbox and are delivered later ---- */

static void emit(const char *fmt, ...)
{
    va_list ap;
    AUTO_BUF(b);
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    if (w->out_n < FRAMES_MAX) {
        w->outbox[w->out_n++] = buf_take(&b);
    }
}

static void emit_state(const char *state)
{
    bool idle = strcmp(state, "idle") == 0;
    if (idle != w->idle) {
        emit("{\"type\":\"state\",\"state\":\"%s\"}", state);
        w->idle = idle;
    }
}

static void emit_lifecycle(const char *uuid, const char *state)
{
    emit("{\"type\":\"life\",\"uuid\":\"%s\",\"state\":\"%s\"}", uuid, state);
}

static void emit_list(struct buf *b)
{
    buf_put_c(b, "[");
    for (size_t i = 0; i < w->consumed_n; i++) {
        buf_printf(b, "%s\"%s\"", i ? "," : "", w->consumed[i]);
    }
    buf_put_c(b, "]");
}

static void emit_result(bool error, const char *why)
{
    AUTO_BUF(list);
    emit_list(&list);
    emit("{\"type\":\"result\",\"subtype\":\"success\",\"num_turns\":1,\"is_error\":%s,\"terminal_reason\":"
         "\"%s\","
         "\"user_message_uuids\":%s}",
         error ? "true" : "false", why, buf_c(&list));
}

static void take(size_t at)
{
    memcpy(w->consumed[w->consumed_n++], w->queue[at], UUID);
    emit_lifecycle(w->queue[at], "started");
    w->queue_n--;
    memmove(&w->queue[at], &w->queue[at + 1], (w->queue_n - at) * UUID);
    memmove(&w->steer[at], &w->steer[at + 1], (w->queue_n - at) * sizeof(bool));
}

static void finish_run(const char *lifecycle)
{
    for (size_t i = 0; i < w->consumed_n; i++) {
        emit_lifecycle(w->consumed[i], lifecycle);
    }
    w->consumed_n = 0;
    w->run = RUN_NONE;
    if (!w->queue_n && !w->notifications) {
        emit_state("idle");
    }
}

static void echo_last(void)
{
    emit("{\"type\":\"echo\",\"uuid\":\"%s\"}", w->consumed[w->consumed_n - 1]);
    w->echoed = true;
}

static void request(void)
{
    AUTO_BUF(list);
    emit_list(&list);
    emit("{\"type\":\"request\",\"uuids\":%s}", buf_c(&list));
}

/* A steer stops the generation; the answer to it follows. */
static void steer_now(void)
{
    if (w->run != RUN_GENERATING || !w->echoed || w->consumed_n > 5) {
        return;
    }
    emit_result(false, "aborted_streaming");
    for (size_t i = 0; i < w->consumed_n; i++) {
        emit_lifecycle(w->consumed[i], "completed");
    }
    w->consumed_n = 0;
    take(0);
    request();
    echo_last();
}

/* Most steers come before all prompts. */
static void enqueue(const char *uuid, bool steer)
{
    size_t at = w->queue_n;
    for (at = steer && chance(80) ? 0 : at; at < w->queue_n && w->steer[at]; at++) {
    }
    memmove(&w->queue[at + 1], &w->queue[at], (w->queue_n - at) * UUID);
    memmove(&w->steer[at + 1], &w->steer[at], (w->queue_n - at) * sizeof(bool));
    memcpy(w->queue[at], uuid, UUID);
    w->steer[at] = steer;
    w->queue_n++;
}

static void read_input(void)
{
    struct input *in = &w->inbox[w->in_at++];
    switch (in->kind) {
    case INPUT_PROMPT:
    case INPUT_STEER:
        enqueue(in->uuid, in->kind == INPUT_STEER);
        emit_lifecycle(in->uuid, "queued");
        if (in->kind == INPUT_STEER && w->steer[0] && !w->steer[1]) {
            steer_now();
        }
        break;
    case INPUT_CANCEL_QUEUED:
        for (size_t i = 0; i < w->queue_n; i++) {
            if (strcmp(w->queue[i], in->uuid) == 0) {
                w->queue_n--;
                memmove(&w->queue[i], &w->queue[i + 1], (w->queue_n - i) * UUID);
                memmove(&w->steer[i], &w->steer[i + 1], (w->queue_n - i) * sizeof(bool));
                emit_lifecycle(in->uuid, "cancelled");
            }
        }
        if (w->run == RUN_NONE && !w->queue_n && !w->notifications) {
            emit_state("idle");
        }
        break;
    case INPUT_INTERRUPT:
        if (w->run == RUN_TAKEN || w->run == RUN_GENERATING) {
            emit_result(true, "aborted_streaming");
            finish_run("cancelled");
        } else if (w->run == RUN_CYCLE) {
            emit("{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"num_"
                 "turns\":1,"
                 "\"terminal_reason\":\"aborted_streaming\",\"origin\":{\"kind\":\"task-notification\"}}");
            finish_run("cancelled");
        }
        break;
    }
}

static void spawn_task(void)
{
    for (size_t i = 0; i < TASKS_MAX; i++) {
        if (!w->tasks[i].live) {
            w->tasks[i].holds = chance(70);
            emit("{\"type\":\"spawn\",\"id\":\"%c\"}", (char)('a' + i));
            return;
        }
    }
}

static void end_task(void)
{
    size_t at = roll(TASKS_MAX);
    if (w->tasks[at].live && w->out_at == w->out_n) {
        w->tasks[at].live = false;
        w->notifications++;
    }
}

static void begin_run(void)
{
    emit_state("running");
    if (w->notifications && (!w->queue_n || chance(50))) {
        w->notifications--;
        w->run = RUN_CYCLE;
        if (chance(20)) {
            emit("{\"type\":\"result\",\"subtype\":\"success\",\"num_turns\":0,\"origin\":{\"kind\":\"task-"
                 "notification\"}}");
        }
        request();
        return;
    }
    take(0);
    w->run = RUN_TAKEN;
    w->echoed = false;
    w->local = chance(20);
}

/* One step of what the CLI does with its time. */
static void cli_step(void)
{
    if (w->in_at < w->in_n) {
        read_input();
        return;
    }
    if (w->run == RUN_NONE) {
        if (w->queue_n || w->notifications) {
            begin_run();
        }
        return;
    }
    if (w->run == RUN_CYCLE) {
        emit("{\"type\":\"output\"}");
        if (chance(50)) {
            emit("{\"type\":\"result\",\"subtype\":\"success\",\"num_turns\":1,\"origin\":{\"kind\":\"task-"
                 "notification\"}}");
            finish_run("completed");
        }
        return;
    }
    if (w->run == RUN_TAKEN && w->local) {
        emit("{\"type\":\"output\"}");
        if (chance(50)) {
            echo_last();
        }
        emit_result(false, "");
        finish_run("completed");
    } else if (w->run == RUN_TAKEN) {
        request();
        if (chance(10)) { /* fails before it says anything */
            emit_result(true, "api_error");
            finish_run("cancelled");
            return;
        }
        echo_last();
        w->run = RUN_GENERATING;
    } else if (chance(15)) {
        spawn_task();
    } else if (w->queue_n && !w->steer[0] && w->consumed_n < 4 && chance(10)) { /* folds the next prompt in */
        take(0);
        request();
        echo_last();
    } else if (chance(40)) {
        emit_result(chance(10), "completed");
        finish_run("completed");
    } else {
        emit("{\"type\":\"output\"}");
    }
}

/* ---- Delivery ---- */

static void deliver(json m)
{
    str type = json_str(json_get(m, "type")), uuid = json_str(json_get(m, "uuid"));
    if (str_is(type, "state")) {
        turns_on_state(&w->turns, json_str(json_get(m, "state")));
    } else if (str_is(type, "life")) {
        turns_on_lifecycle(&w->turns, uuid, json_str(json_get(m, "state")));
    } else if (str_is(type, "echo")) {
        turns_on_echo(&w->turns, uuid);
    } else if (str_is(type, "request")) {
        turns_on_request(&w->turns, json_get(m, "uuids"));
    } else if (str_is(type, "result")) {
        turns_on_result(&w->turns, m);
    } else if (str_is(type, "spawn")) {
        str id = json_str(json_get(m, "id"));
        w->tasks[id.p[0] - 'a'].live = true;
        turns_spawned(&w->turns, id);
    } else {
        turns_on_output(&w->turns);
    }
}

static void deliver_next(void)
{
    if (w->out_at < w->out_n && !w->settling[0]) { /* frames are held while an answer waits */
        struct json_doc *doc = parse_or_fail(w->outbox[w->out_at++]);
        deliver(json_root(doc));
        json_unref(doc);
    }
}

static void settle(void)
{
    char uuid[UUID];
    if (w->settling[0]) {
        memcpy(uuid, w->settling, UUID);
        w->settling[0] = '\0';
        turns_settled(&w->turns, str_of(uuid));
    }
}

/* ---- What the person does ---- */

static void send_prompt(void)
{
    if (w->prompt_count < PROMPTS_MAX) {
        struct prompt *p = &w->prompts[w->prompt_count];
        new_uuid(p->uuid, "P", (unsigned)w->prompt_count++);
        assert_non_null(turns_add(&w->turns, p->uuid, &observer, p));
        tell_cli(INPUT_PROMPT, p->uuid);
    }
}

static void send_steer(void)
{
    char uuid[UUID];
    if (w->steers < PROMPTS_MAX && turns_steerable(&w->turns)) {
        new_uuid(uuid, "S", w->steers);
        assert_true(turns_steer(&w->turns, uuid, STR("{}")));
        LIST_EACH(t, &w->turns.queue, struct turn, link) {
            if (turn_find_steer(t, str_of(uuid))) {
                memcpy(w->steered[w->steers], t->uuid, UUID);
            }
        }
        w->steers++;
        tell_cli(INPUT_STEER, uuid);
    }
}

static void cancel(void)
{
    char waiting[UUID];
    w->cancelling = true;
    memcpy(waiting, w->settling, UUID);
    turns_cancel(&w->turns);
    w->cancelling = false;
    for (size_t i = 0; i < w->prompt_count; i++) { /* only the active one may be left */
        const struct prompt *p = &w->prompts[i];
        assert_true(p->ended || (w->turns.active && strcmp(w->turns.active->uuid, p->uuid) == 0));
    }
    if (waiting[0]) {
        assert_true(prompt_of(waiting)->cancelled);
        settle(); /* too late, and harmless */
    }
}

static void person_step(void)
{
    unsigned what = roll(100);
    if (what < 40) {
        send_prompt();
    } else if (what < 60) {
        send_steer();
    } else if (what < 75) {
        cancel();
    } else if (what < 85) {
        turns_set_blocked(&w->turns, chance(50));
    } else if (what < 95) {
        settle();
    } else if (w->timer_turn && w->turns.cancelled && chance(30)) {
        struct turn *t = w->timer_turn;
        w->timer_turn = NULL;
        turns_cancel_timeout(&w->turns, t);
    }
}

static void begin(uint64_t round)
{
    seed = 0x9E3779B97F4A7C15ULL ^ (round + 1) * 0xBF58476D1CE4E5B9ULL;
    w = calloc(1, sizeof(*w));
    assert_non_null(w);
    w->idle = true;
    turns_init(&w->turns, &hooks, w);
}

static void end(void)
{
    static const struct turn_end gone = {.failed = true, .code = -32603, .message = STR_INIT("gone")};
    w->cancelling = true; /* what is left may end in any order */
    turns_on_end(&w->turns, &gone, &gone);
    for (size_t i = 0; i < w->prompt_count; i++) {
        assert_true(w->prompts[i].ended);
    }
    assert_false(w->fore_running);
    turns_free(&w->turns);
    for (size_t i = 0; i < w->out_n; i++) {
        free(w->outbox[i]);
    }
    free(w);
}

static bool cli_is_done(void)
{
    return w->in_at == w->in_n && !w->queue_n && !w->notifications && w->run == RUN_NONE &&
           w->out_at == w->out_n && !w->settling[0];
}

static void test_protocol(void **state)
{
    (void)state;
    strict = true;
    unsigned long answered = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        begin(round);
        unsigned calm = roll(4) * 20; /* some clients do little */
        for (unsigned i = 0; i < STEPS; i++) {
            if (chance(100 - calm)) {
                person_step();
            }
            for (unsigned n = roll(4); n; n--) {
                cli_step();
            }
            for (unsigned n = roll(6); n; n--) {
                deliver_next();
            }
            end_task();
        }
        /* The person waits; the CLI works off what it has, and its tasks end. */
        for (unsigned i = 0; i < 4000 && !(cli_is_done() && !turns_busy(&w->turns)); i++) {
            settle();
            cli_step();
            deliver_next();
            end_task();
        }
        if (turns_busy(&w->turns)) {
            struct turn *t = LIST_FIRST(&w->turns.queue, struct turn, link);
            fail_msg("round %llu: prompt %s is never answered (state %d)", (unsigned long long)round, t->uuid,
                     (int)t->state);
        }
        answered += w->prompt_count;
        end();
    }
    assert_true(answered > ROUNDS);
}

/* ---- Chaos ---- */

static const char *any_uuid(void)
{
    static char uuid[UUID];
    if (chance(70) && w->prompt_count) {
        return w->prompts[roll((unsigned)w->prompt_count)].uuid;
    }
    if (chance(70) && w->steers) {
        new_uuid(uuid, "S", roll(w->steers));
        return uuid;
    }
    return chance(50) ? "nobody" : "";
}

static void chaos_frame(void)
{
    static const char *const states[] = {"queued",  "started", "completed", "cancelled", "discarded",
                                         "refused", "idle",    "running",   "odd",       "requires_action"};
    static const char *const kinds[] = {"human", "task-notification", "peer", "odd"};
    char one[UUID], two[UUID];
    snprintf(one, UUID, "%s", any_uuid());
    snprintf(two, UUID, "%s", any_uuid());
    const char *yes = chance(30) ? "true" : "false";
    switch (roll(8)) {
    case 0:
        emit("{\"type\":\"life\",\"uuid\":\"%s\",\"state\":\"%s\"}", one, states[roll(ARRAY_LEN(states))]);
        break;
    case 1:
        emit("{\"type\":\"state\",\"state\":\"%s\"}", states[roll(ARRAY_LEN(states))]);
        break;
    case 2:
        emit("{\"type\":\"echo\",\"uuid\":\"%s\"}", one);
        break;
    case 3:
        emit("{\"type\":\"request\",\"uuids\":[\"%s\",5,\"%s\"]}", one, two);
        break;
    case 4:
        emit(
            "{\"type\":\"result\",\"is_error\":%s,\"user_message_uuids\":[\"%s\",\"%s\"],\"terminal_reason\":"
            "\"aborted_tools\",\"origin\":{\"kind\":\"%s\"},\"num_turns\":%u}",
            yes, one, two, kinds[roll(ARRAY_LEN(kinds))], roll(2));
        break;
    case 5:
        emit("{\"type\":\"result\",\"is_error\":%s,\"user_message_uuid\":\"%s\",\"errors\":[3,\"[ede_"
             "diagnostic] "
             "result_type=user last_content_type=n/a stop_reason=null\"]}",
             yes, one);
        break;
    case 6:
        emit("{\"type\":\"spawn\",\"id\":\"%c\"}", (char)('a' + roll(TASKS_MAX)));
        break;
    default:
        emit(chance(50) ? "{\"type\":\"output\"}" : "{\"type\":\"result\"}");
        break;
    }
}

static void test_chaos(void **state)
{
    (void)state;
    strict = false;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        begin(round ^ 0x5555);
        for (unsigned i = 0; i < STEPS; i++) {
            w->cancelling = true; /* the order of the answers is the frames' */
            person_step();
            for (unsigned n = roll(5); n; n--) {
                chaos_frame();
            }
            w->cancelling = true;
            while (w->out_at < w->out_n && !w->settling[0]) {
                w->tasks[roll(TASKS_MAX)].holds = chance(50);
                w->tasks[roll(TASKS_MAX)].live = chance(50);
                deliver_next();
            }
        }
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protocol),
        cmocka_unit_test(test_chaos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
