#include "cli_fake.h"

#include "cli/control.h"

/* One conversation. What happened is written to `log_text`, a word for each event. */
struct talk {
    uv_loop_t loop;
    uv_timer_t timer;
    struct cli_control *c;
    struct buf log_text;
    unsigned ended;
    char *message;
    void (*on_frame)(struct talk *t, json root);
    void (*on_answer)(struct talk *t, const struct control_error *error);
    void (*on_time)(struct talk *t);
    void (*on_withdrawn)(struct talk *t, str id);
    uint64_t request;
};

static void talk_frame(void *user, struct json_doc *doc)
{
    struct talk *t = user;
    json root = json_root(doc);
    str name = json_str(json_get(root, "n"));
    buf_put_c(&t->log_text, "frame:");
    buf_put_str(&t->log_text, name.p ? name : json_str(json_get(root, "type")));
    buf_put_byte(&t->log_text, ' ');
    if (t->on_frame) {
        t->on_frame(t, root);
    }
}

static void talk_withdrawn(void *user, str id)
{
    struct talk *t = user;
    buf_printf(&t->log_text, "withdrawn:%.*s ", STR_ARG(id));
    if (t->on_withdrawn) {
        t->on_withdrawn(t, id);
    }
}

static void talk_ended(void *user, const struct cli_exit *how)
{
    struct talk *t = user;
    t->ended++;
    t->message = str_dup(how->message);
    buf_put_c(&t->log_text, "ended ");
    t->c = NULL;
}

static const struct cli_control_events events = {.frame = talk_frame,
                                                 .withdrawn = talk_withdrawn,
                                                 .ended = talk_ended};

static void talk_free(struct talk *t)
{
    buf_free(&t->log_text);
    free(t->message);
}

#define TALK(name) CLEANUP(talk_free) struct talk name = {0}

static void answered(void *user, const struct control_error *error, json payload)
{
    struct talk *t = user;
    buf_printf(&t->log_text, "answer:%s:", error ? error->text : "ok");
    buf_put_str(&t->log_text, json_raw(payload).p ? json_raw(payload) : STR("none"));
    buf_put_byte(&t->log_text, ' ');
    if (t->on_answer) {
        t->on_answer(t, error);
    }
}

static uint64_t ask(struct talk *t, const char *subtype, const char *members, unsigned timeout_ms)
{
    return cli_control_request(t->c, subtype, str_of(members), timeout_ms, answered, t);
}

static void start(struct talk *t, const char *body)
{
    assert_int_equal(uv_loop_init(&t->loop), 0);
    struct cli_spawn spawn = fake_spawn(fake_script("cli", body), NULL);
    t->c = cli_control_start(&t->loop, NULL, &spawn, &events, t);
    assert_non_null(t->c);
}

static void finish(struct talk *t, const char *expected)
{
    fake_run(&t->loop);
    assert_int_equal(t->ended, 1);
    assert_str(buf_str(&t->log_text), expected);
}

static void on_timer(uv_timer_t *timer)
{
    struct talk *t = timer->data;
    uv_close((uv_handle_t *)timer, NULL);
    t->on_time(t);
}

static void after(struct talk *t, uint64_t ms, void (*what)(struct talk *t))
{
    t->on_time = what;
    t->timer.data = t;
    uv_timer_init(&t->loop, &t->timer);
    uv_timer_start(&t->timer, on_timer, ms, 0);
}

static void expect_file(const char *name, const char *expected)
{
    char text[4096];
    FILE *f = fopen(fake_path(name), "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof(text), f);
    fclose(f);
    assert_str(((str){text, n}), expected);
}

static void test_requests_and_answers_in_any_order(void **state)
{
    (void)state;
    TALK(t);
    start(&t,
          "read a; read b; read c; printf '%s\\n%s\\n%s\\n' \"$a\" \"$b\" \"$c\" > got\n"
          "ok() { echo "
          "'{\"response\":{'$2'\"request_id\":\"herald-'$1'\",\"subtype\":\"success\"},\"type\":\"control_"
          "response\"}'; }\n"
          "ok 3 '\"response\":{\"x\":1.50},'; echo '{\"n\":\"between\"}'; ok 1\n"
          "echo "
          "'{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_id\":\"herald-2\","
          "\"error\":\"no\\u0020way\",\"error_code\":\"unsupported_request\"}}'\n"
          "ok 1; ok 9; ok 99999999999999999999999999\n");
    assert_int_equal(ask(&t, "initialize", "\"hooks\":{}", 0), 1);
    ask(&t, "nonsense", NULL, 0);
    ask(&t, "mcp_status", NULL, 60000);
    finish(&t, "answer:ok:{\"x\":1.50} frame:between answer:ok:none "
               "answer:no way:{\"subtype\":\"error\",\"request_id\":\"herald-2\",\"error\":\"no\\u0020way\","
               "\"error_code\":\"unsupported_request\"} ended ");
    expect_file(
        "got",
        "{\"type\":\"control_request\",\"request_id\":\"herald-1\",\"request\":{\"subtype\":\"initialize\","
        "\"hooks\":{}}}\n"
        "{\"type\":\"control_request\",\"request_id\":\"herald-2\",\"request\":{\"subtype\":\"nonsense\"}}\n"
        "{\"type\":\"control_request\",\"request_id\":\"herald-3\",\"request\":{\"subtype\":\"mcp_status\"}}"
        "\n");
}

static void test_noise_is_skipped(void **state)
{
    (void)state;
    TALK(t);
    start(&t,
          "printf 'warning: x\\n\\n  \\n{\"n\":\\n[1]\\n7\\n{\"type\":\"keep_alive\"}\\n{}\\n\\377\\000\\n'\n"
          "printf '{\"n\":7,\"type\":\"odd\"}\\n{\"type\":7}\\n{\"type\":\"control_response\"}\\n'\n"
          "printf "
          "'{\"type\":\"control_response\",\"response\":[]}\\n{\"type\":\"control_cancel_request\"}\\n'\n"
          "printf "
          "'{\"type\":\"control_cancel_request\",\"request_id\":\"unknown\"}\\n{\"type\":\"control_request\"}"
          "\\n'\n"
          "printf '{\"n\":\"last\"}'");
    finish(&t, "frame: frame:odd frame: frame:last ended ");
}

static void check_escapes(struct talk *t, json root)
{
    (void)t;
    str s = json_str(json_get(root, "s"));
    assert_int_equal(s.n, 5);
    assert_memory_equal(s.p, "\0a\xED\xA0\xBD", 5);
}

static void test_nul_and_lone_surrogates(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = check_escapes;
    (void)fake_file("data", "{\"n\":\"f\",\"s\":\"\\u0000a\\ud83d\"}\n", 0644);
    start(&t, "cat data");
    finish(&t, "frame:f ended ");
}

#define CAN_USE(id)                                                                                          \
    "{\"type\":\"control_request\",\"request_id\":\"" id "\",\"n\":\"" id                                    \
    "\",\"request\":{\"subtype\":\"can_use_tool\"}}"
#define CANCEL(id) "{\"type\":\"control_cancel_request\",\"request_id\":\"" id "\"}"

static void answer_requests(struct talk *t, json root)
{
    str id = json_str(json_get(root, "request_id"));
    if (str_is(id, "q1")) {
        cli_control_answer(t->c, id, STR("{\"behavior\":\"allow\"}"));
    } else if (str_is(id, "q2")) {
        cli_control_answer(t->c, id, STR_ABSENT);
    } else if (str_is(id, "q3")) {
        cli_control_refuse(t->c, id, STR("bad \"x\""));
    }
}

static void test_answers_go_out_and_their_echo_is_dropped(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = answer_requests;
    start(
        &t,
        "for i in q1 q2 q3; do echo '{\"type\":\"control_request\",\"request_id\":\"'$i'\",\"n\":\"'$i'\"}'\n"
        "read -r a; echo \"$a\"; echo \"$a\" >> answers; done");
    finish(&t, "frame:q1 frame:q2 frame:q3 ended ");
    expect_file(
        "answers",
        "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"q1\","
        "\"response\":{\"behavior\":\"allow\"}}}\n"
        "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"q2\"}}\n"
        "{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_id\":\"q3\",\"error\":"
        "\"bad \\\"x\\\"\"}}\n");
}

static void refuse_withdrawn(struct talk *t, str id)
{
    cli_control_refuse(t->c, id, STR("Tool use aborted"));
}

static void test_withdrawal_and_repeated_requests(void **state)
{
    (void)state;
    TALK(t);
    t.on_withdrawn = refuse_withdrawn;
    start(&t,
          "printf '%s\\n' '" CAN_USE("a") "' '" CAN_USE("a") "' '" CAN_USE("b") "' '" CANCEL(
              "a") "' '" CANCEL("a") "'\n"
                                     "read -r x; echo \"$x\" > refusal; printf '%s\\n' '" CAN_USE("a") "'");
    finish(&t, "frame:a frame:b withdrawn:a frame:a ended ");
    expect_file("refusal", "{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_"
                           "id\":\"a\",\"error\":\"Tool use aborted\"}}\n");
}

static void release(struct talk *t)
{
    buf_put_c(&t->log_text, "release ");
    cli_control_release(t->c);
    buf_put_c(&t->log_text, "released ");
}

static void hold_at_hold(struct talk *t, json root)
{
    if (str_is(json_str(json_get(root, "n")), "hold")) {
        cli_control_hold(t->c);
        cli_control_hold(t->c);
        cli_control_release(t->c);
        ask(t, "during", NULL, 0);
        after(t, 600, release);
    }
}

static void test_hold_keeps_the_order_and_lets_answers_through(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = hold_at_hold;
    start(&t,
          "printf '%s\\n' '{\"n\":\"1\"}' '{\"n\":\"hold\"}' '{\"n\":\"2\"}' '" CAN_USE("p") "' '" CAN_USE(
              "q") "' '" CAN_USE("p") "' '" CANCEL("p") "'\n"
                                                        "read -r x; printf '%s\\n' '{\"n\":\"3\"}' "
                                                        "'{\"type\":\"control_response\",\"response\":{"
                                                        "\"subtype\":\"success\",\"request_id\":\"herald-1\"}"
                                                        "}'\n"
                                                        "read -r y; echo \"$y\" > refusal; sleep 1; printf "
                                                        "'%s\\n' '{\"n\":\"4\"}' '" CANCEL("q") "'");
    finish(&t, "frame:1 frame:hold answer:ok:none release released frame:2 frame:q frame:3 frame:4 "
               "withdrawn:q ended ");
    expect_file("refusal", "{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_"
                           "id\":\"p\",\"error\":\"Tool use aborted\"}}\n");
}

static void test_held_frames_come_before_the_end(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = hold_at_hold;
    start(&t, "printf '%s\\n' '{\"n\":\"hold\"}' '{\"n\":\"1\"}' '{\"n\":\"2\"}'; exit 3");
    finish(&t, "frame:hold answer:Query closed before response received:none release released frame:1 "
               "frame:2 ended ");
    assert_string_equal(t.message, "Claude Code process exited with code 3");
}

/* Puts the first frame back twice: held, and to come at once. */
static void put_back(struct talk *t, json root)
{
    if (str_is(json_str(json_get(root, "n")), "1") && t->request < 2) {
        if (!t->request++) {
            cli_control_hold(t->c);
            after(t, 300, release);
        }
        assert_true(cli_control_put_back(t->c, json_doc_of(root)));
    }
}

static void test_a_frame_that_is_put_back_comes_next(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = put_back;
    start(&t, "printf '%s\\n' '{\"n\":\"1\"}' '{\"n\":\"2\"}'; sleep 1; echo '{\"n\":\"3\"}'");
    finish(&t, "frame:1 release released frame:1 frame:1 frame:2 frame:3 ended ");
}

static void count_only(struct talk *t, json root)
{
    hold_at_hold(t, root);
    if (json_present(json_get(root, "big")) && t->request++ == 0) {
        assert_false(fake_exists("all_written")); /* 20 MB do not fit while 8 MiB are held */
    }
}

static void test_a_long_hold_stops_reading(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = count_only;
    start(&t, "echo '{\"n\":\"hold\"}'; x=$(head -c 100000 /dev/zero | tr '\\0' x); i=0\n"
              "while [ $i -lt 200 ]; do echo '{\"n\":\"\",\"big\":\"'$x'\"}'; i=$((i+1)); done; echo > "
              "all_written");
    fake_run(&t.loop);
    assert_int_equal(t.ended, 1);
    assert_int_equal(t.request, 200);
}

static void count_small(struct talk *t, json root)
{
    hold_at_hold(t, root);
    if (json_present(json_get(root, "small")) && t->request++ == 0) {
        assert_false(
            fake_exists("all_small")); /* 400 KB of text, but each message takes kilobytes of memory */
    }
}

static void test_many_small_messages_stop_reading_too(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = count_small;
    start(&t, "echo '{\"n\":\"hold\"}'; yes '{\"n\":\"\",\"small\":1}' | head -n 30000; echo > all_small");
    fake_run(&t.loop);
    assert_int_equal(t.ended, 1);
    assert_int_equal(t.request, 30000);
}

static void pause_a_while(struct talk *t)
{
    buf_put_c(&t->log_text, "resume ");
    cli_control_pause(t->c, false);
}

static void pause_at_first(struct talk *t, json root)
{
    if (str_is(json_str(json_get(root, "n")), "1")) {
        cli_control_pause(t->c, true);
        after(t, 200, pause_a_while);
    }
}

static void test_pause(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = pause_at_first;
    start(&t, "printf '%s\\n' '{\"n\":\"1\"}' '{\"n\":\"2\"}'; sleep 0.05; echo '{\"n\":\"3\"}'");
    finish(&t, "frame:1 resume frame:2 frame:3 ended ");
}

static void hold_and_pause(struct talk *t, json root)
{
    str name = json_str(json_get(root, "n"));
    if (str_is(name, "1")) {
        cli_control_hold(t->c);
        ask(t, "unanswered", NULL, 200);
    } else if (str_is(name, "2")) {
        cli_control_pause(t->c, true);
        after(t, 100, pause_a_while);
    }
}

static void release_under_a_pause(struct talk *t, const struct control_error *error)
{
    (void)error;
    if (t->request++ == 0) { /* 2 and 3 are held by now */
        cli_control_pause(t->c, true);
        cli_control_release(t->c);
        ask(t, "unanswered", NULL, 200);
    } else {
        pause_a_while(t);
    }
}

static void test_a_pause_stops_held_frames_too(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = hold_and_pause;
    t.on_answer = release_under_a_pause;
    start(&t, "printf '%s\\n' '{\"n\":\"1\"}' '{\"n\":\"2\"}' '{\"n\":\"3\"}'; sleep 1");
    finish(&t, "frame:1 answer:timeout:none answer:timeout:none resume frame:2 resume frame:3 ended ");
}

static void pause_and_end(struct talk *t, json root)
{
    if (str_is(json_str(json_get(root, "n")), "1")) {
        cli_control_pause(t->c, true);
        cli_control_end(t->c, false);
    }
}

static void test_a_paused_process_can_end(void **state)
{
    (void)state;
    TALK(t);
    t.on_frame = pause_and_end;
    uint64_t before = uv_hrtime();
    /* It looks at its input only when all that it has to say was read. */
    start(&t, "echo '{\"n\":\"1\"}'; seq 1 200000; cat > /dev/null; echo '{\"n\":\"2\"}'");
    finish(&t, "frame:1 frame:2 ended ");
    assert_true((uv_hrtime() - before) / 1000000 < 1800);
}

static void end_on_answer(struct talk *t, const struct control_error *error)
{
    (void)error;
    if (++t->request == 2) {
        cli_control_end(t->c, false);
    }
}

static void test_timeouts(void **state)
{
    (void)state;
    TALK(t);
    t.on_answer = end_on_answer;
    start(&t, "read -r x; read -r x; read -r x; read -r x\n"
              "echo "
              "'{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"herald-"
              "1\"}}'");
    ask(&t, "slow", NULL, 200);
    ask(&t, "quick", NULL, 50);
    uint64_t forgotten = ask(&t, "forgotten", NULL, 10);
    cli_control_forget(t.c, forgotten);
    cli_control_forget(t.c, forgotten);
    cli_control_forget(t.c, 77);
    finish(&t, "answer:timeout:none answer:timeout:none ended ");
}

static void ask_again(struct talk *t, const struct control_error *error)
{
    (void)error;
    if (t->request++ < 2) {
        ask(t, "again", NULL, 1000);
    }
}

static void test_open_requests_fail_at_the_end(void **state)
{
    (void)state;
    TALK(t);
    t.on_answer = ask_again;
    start(&t, "echo 'no such flag' >&2; exit 1");
    ask(&t, "initialize", NULL, 0);
    finish(
        &t,
        "answer:Query closed before response received:none answer:Query closed before response received:none "
        "answer:Query closed before response received:none ended ");
    assert_string_equal(t.message, "Claude Code process exited with code 1. stderr: no such flag");
}

static void forget_the_other(struct talk *t, const struct control_error *error)
{
    (void)error;
    cli_control_forget(t->c, t->request);
}

static void test_forgetting_another_while_all_fail(void **state)
{
    (void)state;
    TALK(t);
    t.on_answer = forget_the_other;
    start(&t, "exit 0");
    ask(&t, "first", NULL, 0);
    t.request = ask(&t, "second", NULL, 5000);
    finish(&t, "answer:Query closed before response received:none ended ");
}

static void test_pending_requests_of_initialize(void **state)
{
    (void)state;
    TALK(t);
    start(&t,
          "read -r x; echo "
          "'{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"herald-1\","
          "\"response\":{},\"pending_permission_requests\":[" CAN_USE("a") ",7," CAN_USE(
              "a") "],"
                   "\"pending_user_dialog_requests\":[" CAN_USE("b") "]}}'");
    ask(&t, "initialize", NULL, 0);
    finish(&t, "answer:ok:{} frame:a frame:b ended ");
}

static void test_too_many_open_requests_are_refused(void **state)
{
    (void)state;
    TALK(t);
    start(
        &t,
        "seq 1 4098 | sed 's/.*/{\"type\":\"control_request\",\"request_id\":\"&\"}/'; read -r a; read -r b\n"
        "printf '%s\\n' \"$a\" \"$b\" > refusals");
    fake_run(&t.loop);
    expect_file("refusals", "{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_"
                            "id\":\"4097\",\"error\":\"too many requests\"}}\n"
                            "{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_"
                            "id\":\"4098\",\"error\":\"too many requests\"}}\n");
}

static void test_a_start_that_fails(void **state)
{
    (void)state;
    TALK(t);
    assert_int_equal(uv_loop_init(&t.loop), 0);
    struct cli_spawn spawn = fake_spawn("/nonexistent/claude", NULL);
    t.c = cli_control_start(&t.loop, NULL, &spawn, &events, &t);
    ask(&t, "initialize", NULL, 0);
    finish(&t, "answer:Query closed before response received:none ended ");
    assert_true(
        str_starts(str_of(t.message), STR("Claude Code native binary not found at /nonexistent/claude")));
}

#define T(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_requests_and_answers_in_any_order),
        T(test_noise_is_skipped),
        T(test_nul_and_lone_surrogates),
        T(test_answers_go_out_and_their_echo_is_dropped),
        T(test_withdrawal_and_repeated_requests),
        T(test_hold_keeps_the_order_and_lets_answers_through),
        T(test_held_frames_come_before_the_end),
        T(test_a_frame_that_is_put_back_comes_next),
        T(test_a_long_hold_stops_reading),
        T(test_many_small_messages_stop_reading_too),
        T(test_pause),
        T(test_a_pause_stops_held_frames_too),
        T(test_a_paused_process_can_end),
        T(test_timeouts),
        T(test_open_requests_fail_at_the_end),
        T(test_forgetting_another_while_all_fail),
        T(test_pending_requests_of_initialize),
        T(test_too_many_open_requests_are_refused),
        T(test_a_start_that_fails),
    };
    return cmocka_run_group_tests_name("cli_control", tests, fake_setup, fake_teardown);
}
