/* The endpoint over a socket pair: what it answers by itself, what it hands on, and how it behaves with a
 * slow or rude other side. */
#include "unit.h"

#include <sys/socket.h>
#include <unistd.h>

#include "rpc/endpoint.h"

struct bench {
    uv_loop_t loop;
    struct rpc_endpoint *ep;
    struct log log;
    int peer;
    struct buf got;   /* what the endpoint sent */
    struct buf calls; /* what it handed on, in words */
    struct rpc_request *held;
    bool closed, hold;
    bool lets_go; /* of the endpoint, when it is told of the end */
    int congested;
};

static void on_request(void *user, struct rpc_request *req)
{
    struct bench *b = user;
    buf_put_c(&b->calls, "request ");
    buf_put_str(&b->calls, rpc_request_method(req));
    buf_put_byte(&b->calls, ';');
    if (b->hold) {
        b->held = req;
    } else if (str_is(rpc_request_method(req), "fail")) {
        rpc_reply_error(req, -32602, STR("Invalid params"), STR("{\"a\":1}"));
    } else {
        rpc_reply(req, STR("{\"ok\":true}"));
    }
}

static void on_notification(void *user, str method, json params)
{
    struct bench *b = user;
    buf_put_str(&b->calls, method);
    buf_put_str(&b->calls, json_raw(params));
    buf_put_byte(&b->calls, ';');
}

static void on_closed(void *user)
{
    struct bench *b = user;
    b->closed = true;
    if (b->lets_go) {
        rpc_endpoint_free(b->ep);
        b->ep = NULL;
    }
}

static void on_congested(void *user, bool yes)
{
    struct bench *b = user;
    b->congested += yes ? 1 : -1;
}

static const struct rpc_events events = {
    .request = on_request,
    .notification = on_notification,
    .closed = on_closed,
    .congested = on_congested,
};

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    b->peer = fds[0];
    b->log.level = LOG_ERROR;
    uv_loop_init(&b->loop);
    b->ep = rpc_endpoint_new(&b->loop, NULL, fds[1], dup(fds[1]), &events, b);
    assert_non_null(b->ep);
    rpc_endpoint_start(b->ep);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    rpc_endpoint_free(b->ep);
    uv_run(&b->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&b->loop), 0);
    close(b->peer);
    buf_free(&b->got);
    buf_free(&b->calls);
    free(b);
    return 0;
}

/* Runs the loop until nothing more happens at once, and reads what the endpoint sent. */
static void settle(struct bench *b)
{
    for (int i = 0; i < 8; i++) {
        uv_run(&b->loop, UV_RUN_NOWAIT);
        char chunk[65536];
        ssize_t n;
        while ((n = recv(b->peer, chunk, sizeof(chunk), MSG_DONTWAIT)) > 0) {
            buf_put(&b->got, chunk, (size_t)n);
            uv_run(&b->loop, UV_RUN_NOWAIT);
        }
    }
}

static void send_text(struct bench *b, const char *text, size_t n)
{
    while (n) {
        ssize_t w = send(b->peer, text, n, MSG_DONTWAIT);
        if (w > 0) {
            text += w;
            n -= (size_t)w;
        }
        uv_run(&b->loop, UV_RUN_NOWAIT);
    }
}

static void say(struct bench *b, const char *text)
{
    send_text(b, text, strlen(text));
    settle(b);
}

static void expect(struct bench *b, const char *text)
{
    assert_str(buf_str(&b->got), text);
    buf_clear(&b->got);
}

static void test_answers_requests_with_their_ids(void **state)
{
    struct bench *b = *state;
    say(b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\r\n\n  "
           "\n{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"fail\",\"extra\":1}\n");
    expect(b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true}}\n"
              "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32602,\"message\":\"Invalid "
              "params\",\"data\":{\"a\":1}}}\n");
    say(b, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}\n{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,"
           "\"method\":\"a\"}\n");
    expect(b, "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{\"ok\":true}}\n"
              "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{\"ok\":true}}\n");
}

static void test_refuses_what_is_no_request(void **state)
{
    struct bench *b = *state;
    static const char *const lines[][2] = {
        {"{nope",
         "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}\n"},
        {"7", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
              "request\",\"data\":7}}\n"},
        {"[]", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
               "request\",\"data\":[]}}\n"},
        {"{\"id\":1,\"method\":\"a\"}",
         "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid request\","
         "\"data\":{\"id\":1,\"method\":\"a\"}}}\n"},
        {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}",
         "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
         "request\",\"data\":{\"jsonrpc\":\"2.0\","
         "\"id\":{},\"method\":\"a\"}}}\n"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",
         "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
         "request\",\"data\":{\"jsonrpc\":\"2.0\","
         "\"id\":1,\"method\":5}}}\n"},
        {"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        say(b, lines[i][0]);
        say(b, "\n");
        expect(b, lines[i][1]);
    }
    assert_int_equal(b->calls.n, 0);
    assert_false(b->closed);
}

static void test_cuts_lines_anywhere(void **state)
{
    struct bench *b = *state;
    const char *text = "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\"k\":\"\xC3\xA9\"}}\n{\"jsonrpc\":"
                       "\"2.0\",\"method\":\"m\"}\n";
    for (const char *p = text; *p; p++) {
        send_text(b, p, 1);
        settle(b);
    }
    assert_str(buf_str(&b->calls), "n{\"k\":\"\xC3\xA9\"};m;");
}

static void test_a_long_line_is_one_message(void **state)
{
    struct bench *b = *state;
    AUTO_BUF(line);
    buf_put_c(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":\"");
    buf_put_fill(&line, 'x', 3000000);
    buf_put_c(&line, "\"}\n");
    send_text(b, line.p, line.n);
    settle(b);
    assert_int_equal(b->calls.n, 3000000 + 4);
}

static void test_a_line_beyond_the_limit_ends_the_connection(void **state)
{
    struct bench *b = *state;
    AUTO_BUF(chunk);
    buf_put_fill(&chunk, ' ', 1 << 20);
    for (int i = 0; i < 33 && !b->closed; i++) {
        ssize_t left = (ssize_t)chunk.n;
        while (left > 0 && !b->closed) {
            ssize_t w = send(b->peer, chunk.p, (size_t)left, MSG_DONTWAIT);
            left -= w > 0 ? w : 0;
            uv_run(&b->loop, UV_RUN_NOWAIT);
        }
    }
    assert_true(b->closed);
}

static void answered(void *user, json result, json error)
{
    struct bench *b = user;
    buf_put_c(&b->calls, "answer ");
    buf_put_str(&b->calls, json_present(result)  ? json_raw(result)
                           : json_present(error) ? json_raw(error)
                                                 : STR("none"));
    buf_put_byte(&b->calls, ';');
}

static uint64_t call(struct bench *b, const char *method)
{
    uint64_t id = 0;
    struct buf *out = rpc_begin_call(b->ep, method, answered, b, &id);
    json_put_raw(out, STR("{}"));
    rpc_end(b->ep);
    return id;
}

static void test_calls_are_matched_by_id(void **state)
{
    struct bench *b = *state;
    call(b, "one");
    uint64_t two = call(b, "two");
    call(b, "three");
    rpc_cancel(b->ep, two);
    settle(b);
    expect(b, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"one\",\"params\":{}}\n"
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"two\",\"params\":{}}\n"
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"three\",\"params\":{}}\n"
              "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}\n");
    say(b, "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-1,\"message\":\"no\"}}\n"
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"late\"}\n{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":7}\n"
           "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":8}\n");
    assert_str(buf_str(&b->calls), "answer {\"code\":-1,\"message\":\"no\"};answer 7;");
}

static void test_a_malformed_answer_rejects(void **state)
{
    struct bench *b = *state;
    call(b, "one");
    call(b, "two");
    say(b, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1,\"error\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":1,"
           "\"error\":\"x\"}\n");
    assert_str(buf_str(&b->calls), "answer none;answer none;");
}

static void test_the_last_line_needs_no_end(void **state)
{
    struct bench *b = *state;
    send_text(b, "{\"jsonrpc\":\"2.0\",\"method\":\"last\"}", 33);
    shutdown(b->peer, SHUT_WR);
    settle(b);
    assert_str(buf_str(&b->calls), "last;");
    assert_true(b->closed);
}

static void test_a_slow_reader_is_told_and_loses_nothing(void **state)
{
    struct bench *b = *state;
    enum { MESSAGES = 200, SIZE = 64 * 1024 };
    AUTO_BUF(text);
    buf_put_fill(&text, 'y', SIZE);
    for (int i = 0; i < MESSAGES; i++) {
        struct buf *out = rpc_begin_notification(b->ep, "n");
        json_put_str(out, buf_str(&text));
        rpc_end(b->ep);
        uv_run(&b->loop, UV_RUN_NOWAIT);
    }
    assert_int_equal(b->congested, 1);
    for (int i = 0; i < 10000 && b->congested; i++) {
        settle(b);
    }
    settle(b);
    assert_int_equal(b->congested, 0);
    size_t lines = 0;
    for (size_t i = 0; i < b->got.n; i++) {
        lines += b->got.p[i] == '\n';
    }
    assert_int_equal(lines, MESSAGES);
    assert_int_equal(b->got.n,
                     MESSAGES * (SIZE + strlen("{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":\"\"}\n")));
}

static void test_finds_open_requests(void **state)
{
    struct bench *b = *state;
    b->hold = true;
    say(b, "{\"jsonrpc\":\"2.0\",\"id\":\"q\\u0031\",\"method\":\"slow\"}\n");
    AUTO_JSON(id) = parse_or_fail("\"q1\"");
    AUTO_JSON(other) = parse_or_fail("1");
    assert_ptr_equal(rpc_request_find(b->ep, json_root(id)), b->held);
    assert_null(rpc_request_find(b->ep, json_root(other)));
    assert_null(rpc_request_find(b->ep, JSON_NONE));
    rpc_reply(b->held, STR_ABSENT);
    settle(b);
    expect(b, "{\"jsonrpc\":\"2.0\",\"id\":\"q\\u0031\",\"result\":null}\n");
}

static void test_open_requests_are_freed_with_the_endpoint(void **state)
{
    struct bench *b = *state;
    b->hold = true;
    call(b, "never answered");
    say(b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"}\n");
    assert_non_null(b->held);
}

static void test_a_gone_reader_closes(void **state)
{
    struct bench *b = *state;
    signal(SIGPIPE, SIG_IGN);
    close(b->peer);
    b->peer = -1;
    for (int i = 0; i < 10 && !b->closed; i++) {
        json_put_null(rpc_begin_notification(b->ep, "n"));
        rpc_end(b->ep);
        uv_run(&b->loop, UV_RUN_NOWAIT);
    }
    assert_true(b->closed);
}

/* The end is told when nobody writes any more. */
static void test_the_reader_goes_before_an_answer(void **state)
{
    struct bench *b = *state;
    AUTO_BUF(text);
    AUTO_BUF(answer);
    signal(SIGPIPE, SIG_IGN);
    b->hold = b->lets_go = true;
    say(b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"}\n");
    buf_put_fill(&text, 'x', 1 << 20);
    json_put_str(&answer, buf_str(&text));
    close(b->peer);
    b->peer = -1;
    rpc_reply(b->held, buf_str(&answer));
    assert_false(b->closed);
    uv_run(&b->loop, UV_RUN_NOWAIT);
    assert_true(b->closed);
}

#define OK(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"ok\":true}}"
#define ODD(data)                                                                                            \
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "                     \
    "request\",\"data\":" data "}}"
#define ASK(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"a\"}"

static void test_a_batch_is_answered_as_one(void **state)
{
    struct bench *b = *state;
    static const char note[] = "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":1}";
    AUTO_BUF(line);
    rpc_endpoint_allow_batches(b->ep, true);
    say(b, "[" ASK("1") "]\n");
    expect(b, "[" OK("1") "]\n");
    buf_printf(&line, "[%s,%s,7,%s,[]]\n", ASK("1"), note, ASK("\"x\""));
    say(b, buf_c(&line));
    expect(b,
           "[" ODD("7") "," ODD("[]") "," OK("1") "," OK("\"x\"") "]\n"); /* what is no message comes first */
    buf_clear(&line);
    buf_printf(&line, "[%s]\n", note);
    say(b, buf_c(&line));
    say(b, "[{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}]\n");
    expect(b, "");
    say(b, "[]\n[1]\n");
    expect(b, ODD("[]") "\n[" ODD("1") "]\n");
    rpc_endpoint_allow_batches(b->ep, false);
    say(b, "[1]\n");
    expect(b, ODD("[1]") "\n");
}

static void test_a_batch_waits_for_its_last_answer(void **state)
{
    struct bench *b = *state;
    rpc_endpoint_allow_batches(b->ep, true);
    b->hold = true;
    say(b, "[" ASK("1") "]\n");
    struct rpc_request *first = b->held;
    b->hold = false;
    say(b, ASK("2") "\n");
    expect(b, OK("2") "\n"); /* a later line overtakes it */
    rpc_reply(first, STR("{\"ok\":true}"));
    settle(b);
    expect(b, "[" OK("1") "]\n");
    b->hold = true;
    say(b, "[" ASK("3") "," ASK("4") "]\n"); /* dropped with the endpoint, without a leak */
    expect(b, "");
}

static bool admit(void *user, json message)
{
    struct bench *b = user;
    buf_put_c(&b->calls, json_is(message, JSON_ARRAY) ? "array;" : "one;");
    return !json_is(message, JSON_NUMBER);
}

static const struct rpc_events admitting = {
    .message = admit,
    .request = on_request,
    .notification = on_notification,
    .closed = on_closed,
    .congested = on_congested,
};

static void test_every_message_can_be_looked_at_first(void **state)
{
    struct bench *b = *state;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    rpc_endpoint_free(b->ep);
    close(b->peer);
    b->peer = fds[0];
    b->ep = rpc_endpoint_new(&b->loop, NULL, fds[1], dup(fds[1]), &admitting, b);
    assert_non_null(b->ep);
    rpc_endpoint_start(b->ep);
    say(b, "7\n{nope\n[]\n" ASK("1") "\n");
    assert_str(buf_str(&b->calls), "one;array;one;request a;");
    expect(b,
           "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}\n" ODD(
               "[]") "\n" OK("1") "\n");
}

static void test_a_message_is_refused_under_its_id(void **state)
{
    struct bench *b = *state;
    AUTO_JSON(id) = parse_or_fail("[\"x\"]");
    rpc_refuse(b->ep, json_nth(json_root(id), 0), -32600, STR("No"), STR("7"));
    rpc_refuse(b->ep, JSON_NONE, -32600, STR("No"), STR_ABSENT);
    settle(b);
    expect(b, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32600,\"message\":\"No\",\"data\":7}}\n"
              "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"No\"}}\n");
}

#define RPC_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RPC_TEST(test_a_batch_is_answered_as_one),
        RPC_TEST(test_a_batch_waits_for_its_last_answer),
        RPC_TEST(test_every_message_can_be_looked_at_first),
        RPC_TEST(test_a_message_is_refused_under_its_id),
        RPC_TEST(test_answers_requests_with_their_ids),
        RPC_TEST(test_refuses_what_is_no_request),
        RPC_TEST(test_cuts_lines_anywhere),
        RPC_TEST(test_a_long_line_is_one_message),
        RPC_TEST(test_a_line_beyond_the_limit_ends_the_connection),
        RPC_TEST(test_calls_are_matched_by_id),
        RPC_TEST(test_a_malformed_answer_rejects),
        RPC_TEST(test_the_last_line_needs_no_end),
        RPC_TEST(test_a_slow_reader_is_told_and_loses_nothing),
        RPC_TEST(test_finds_open_requests),
        RPC_TEST(test_open_requests_are_freed_with_the_endpoint),
        RPC_TEST(test_a_gone_reader_closes),
        RPC_TEST(test_the_reader_goes_before_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
