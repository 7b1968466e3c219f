/* Sign-in to MCP servers, with a CLI, a client and a clock that the test plays. */
#include "base/uuid.h"
#include "local/mcp_sign_in.h"
#include "question_fixture.h"

static struct world {
    struct local_work work;
    struct client_capabilities client_can;
    struct cli_control *cli;
    json servers;
    int refs;
    uint64_t now;
    uv_timer_cb tick; /* NULL: no timer runs */
    uv_timer_t *timer;
    uv_close_cb closed;
    uv_handle_t *handle;

    char params[600]; /* of the last elicitation */
    unsigned shown, withdrawn;
    surface_answer_cb *client; /* NULL: none is open */
    void *client_user;
    bool cannot_ask;
    char completed[600]; /* the ids that are complete, as they were sent */
} w;

/* ---- The loop ---- */

uint64_t uv_now(const uv_loop_t *loop)
{
    (void)loop;
    return w.now;
}

int uv_timer_init(uv_loop_t *loop, uv_timer_t *timer)
{
    (void)loop;
    w.timer = timer;
    return 0;
}

int uv_timer_start(uv_timer_t *timer, uv_timer_cb cb, uint64_t timeout, uint64_t repeat)
{
    assert_ptr_equal(timer, w.timer);
    assert_int_equal(timeout, 1000);
    assert_int_equal(repeat, 0);
    w.tick = cb;
    return 0;
}

int uv_timer_stop(uv_timer_t *timer)
{
    assert_ptr_equal(timer, w.timer);
    w.tick = NULL;
    return 0;
}

void uv_close(uv_handle_t *handle, uv_close_cb cb)
{
    assert_ptr_equal(handle, w.timer);
    assert_null(w.closed);
    w.closed = cb;
    w.handle = handle;
    w.tick = NULL;
}

/* ---- The session and its process ---- */

static struct cli_control *cli_at_hand(const void *user)
{
    assert_ptr_equal(user, &w);
    return w.cli;
}

static json servers_of(const void *user)
{
    assert_ptr_equal(user, &w);
    return w.servers;
}

static void keep(void *user)
{
    assert_ptr_equal(user, &w);
    w.refs++;
}

static void drop(void *user)
{
    assert_ptr_equal(user, &w);
    w.refs--;
}

static const struct local_host_calls host_calls = {
    .cli = cli_at_hand,
    .servers = servers_of,
    .keep = keep,
    .drop = drop,
};

/* ---- The client ---- */

static uint64_t ask_elicitation(void *self, str params, surface_answer_cb *cb, void *user)
{
    assert_ptr_equal(self, &w);
    assert_null(w.client);
    AUTO_JSON(doc) = json_parse(params, NULL);
    assert_non_null(doc);
    snprintf(w.params, sizeof(w.params), "%.*s", STR_ARG(params));
    w.shown++;
    if (w.cannot_ask) {
        return 0;
    }
    w.client = cb;
    w.client_user = user;
    return w.shown;
}

static void withdraw(void *self, uint64_t request)
{
    assert_ptr_equal(self, &w);
    assert_int_equal(request, w.shown);
    assert_non_null(w.client);
    w.client = NULL;
    w.withdrawn++;
}

static void notify(void *self, const char *method, str params)
{
    assert_ptr_equal(self, &w);
    assert_string_equal(method, "elicitation/complete");
    strncat(w.completed, params.p, params.n);
}

static const struct surface surface = {.ask_elicitation = ask_elicitation,
                                       .withdraw = withdraw,
                                       .notify = notify};

/* ---- What happens ---- */

#define STATUS(lab, two)                                                                                     \
    "{\"mcpServers\":[{\"name\":\"lab\",\"status\":\"" lab "\"},{\"name\":\"two\",\"status\":\"" two         \
    "\"},{\"name\":\"users\",\"status\":\"needs-auth\"}]}"
#define PAGE "{\"requiresUserAction\":true,\"authUrl\":\"https://sign.invalid/in?a=\\u0026\"}"

static struct json_doc *servers;

static int setup(void **state)
{
    (void)state;
    w = (struct world){0};
    servers = parse_or_fail("[{\"name\":\"lab\"},{\"name\":\"two\"},{\"name\":5},7]");
    w.client_can.elicitation_url = true;
    w.work.host = (struct local_host){
        .client = &w.client_can,
        .surface = &surface,
        .surface_self = &w,
        .session = STR("S"),
        .calls = &host_calls,
        .user = &w,
    };
    w.cli = (struct cli_control *)64;
    fake_begin(w.cli);
    w.servers = json_root(servers);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_null(w.work.sign_in);
    assert_null(fake.cb);
    assert_null(w.client);
    assert_null(w.tick);
    if (w.closed) {
        w.closed(w.handle);
    }
    assert_int_equal(w.refs, 0);
    json_unref(servers);
    return 0;
}

static void begin(void)
{
    if (w.closed) {
        w.closed(w.handle);
        w.closed = NULL;
    }
    mcp_sign_in_begin(&w.work, NULL);
}

static void answer(const char *request, const struct control_error *error, const char *payload)
{
    assert_string_equal(fake.request, request);
    fake_answer(error, payload);
}

static void looked(const char *status)
{
    answer("mcp_status ", NULL, status);
}

/* The time until the next look is over. */
static void tick(void)
{
    uv_timer_cb cb = w.tick;
    assert_non_null(cb);
    w.tick = NULL;
    w.now += 1000;
    cb(w.timer);
}

static void client_says(const char *result)
{
    surface_answer_cb *cb = w.client;
    AUTO_JSON(doc) = parse_or_fail(result);
    assert_non_null(cb);
    w.client = NULL;
    cb(w.client_user, json_root(doc), JSON_NONE);
}

static str shown_id(void)
{
    str all = str_of(w.params);
    size_t at = str_find(all, STR("mcp-oauth-"), 0);
    return str_first(str_from(all, at), sizeof("mcp-oauth-") - 1 + UUID_LENGTH);
}

/* The page of this server was shown, and is to be looked for. */
static void shown(const char *server)
{
    char expected[600];
    assert_non_null(w.client);
    snprintf(expected, sizeof(expected),
             "{\"mode\":\"url\",\"sessionId\":\"S\",\"message\":\"Authenticate with MCP server %s\",\"url\":"
             "\"https://sign.invalid/in?a=&\",\"elicitationId\":\"%.*s\"}",
             server, STR_ARG(shown_id()));
    assert_string_equal(w.params, expected);
    assert_true(uuid_valid(str_from(shown_id(), sizeof("mcp-oauth-") - 1)));
}

static void assert_completed(unsigned n)
{
    unsigned found = 0;
    for (const char *at = w.completed; (at = strstr(at, "{\"elicitationId\":\"mcp-oauth-")); at++) {
        found++;
    }
    assert_int_equal(found, n);
}

static void test_one_after_another(void **state)
{
    (void)state;
    begin();
    looked(STATUS("needs-auth", "needs-auth"));
    answer("mcp_authenticate \"serverName\":\"lab\"", NULL, PAGE);
    shown("lab");
    client_says("{\"action\":\"accept\"}");
    looked(STATUS("needs-auth", "needs-auth"));
    tick();
    looked(STATUS("pending", "needs-auth"));
    tick();
    assert_completed(0);
    looked(STATUS("connected", "needs-auth"));
    char expected[200];
    snprintf(expected, sizeof(expected), "{\"elicitationId\":\"%.*s\"}", STR_ARG(shown_id()));
    assert_string_equal(w.completed, expected);
    answer("mcp_authenticate \"serverName\":\"two\"", NULL, PAGE);
    shown("two");
    looked(STATUS("connected", "connected"));
    assert_completed(2);
    assert_int_equal(w.withdrawn, 1); /* it had not answered */
}

static void test_who_is_asked(void **state)
{
    (void)state;
    static char there;
    struct map only = MAP_INIT;
    assert_true(map_put(&only, STR("two"), &there, NULL));
    assert_true(map_put(&only, STR("users"), &there, NULL));
    mcp_sign_in_begin(&w.work, &only);
    looked(STATUS("needs-auth", "needs-auth"));
    answer("mcp_authenticate \"serverName\":\"two\"", NULL, "{\"requiresUserAction\":false}");
    assert_null(w.work.sign_in);
    map_free(&only, NULL);
    begin();
    looked(STATUS("pending", "failed"));
    assert_null(w.work.sign_in);
    begin();
    answer("mcp_status ", &control_timed_out, "null");
    assert_null(w.work.sign_in);
    begin();
    looked("{\"mcpServers\":5}");
    assert_int_equal(w.shown, 0);
}

static void test_who_is_not(void **state)
{
    (void)state;
    w.client_can.elicitation_url = false;
    begin();
    w.client_can.elicitation_url = true;
    w.servers = JSON_NONE;
    begin();
    AUTO_JSON(none) = parse_or_fail("[]");
    w.servers = json_root(none);
    begin();
    struct cli_control *cli = w.cli;
    w.cli = NULL;
    begin();
    w.cli = cli;
    assert_int_equal(fake.asked, 0);
}

static void test_one_run_at_a_time(void **state)
{
    (void)state;
    begin();
    mcp_sign_in_begin(&w.work, NULL);
    assert_int_equal(fake.asked, 1);
    looked(STATUS("connected", "connected"));
}

static void test_the_person_declines(void **state)
{
    (void)state;
    static const char *const answers[] =
        {"{\"action\":\"decline\"}", "{\"action\":\"cancel\"}", "{}", "null", "{\"action\":5}", "[]"};
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        begin();
        looked(STATUS("needs-auth", "connected"));
        answer("mcp_authenticate \"serverName\":\"lab\"", NULL, PAGE);
        if (i % 2) { /* while the timer runs, else while the CLI is asked */
            looked(STATUS("needs-auth", "connected"));
        }
        client_says(answers[i]);
        assert_null(w.work.sign_in);
        assert_null(fake.cb);
    }
    assert_completed(0);
    assert_int_equal(w.withdrawn, 0);
}

static void test_it_does_not_come_about(void **state)
{
    (void)state;
    static const char *const states[] = {STATUS("failed", "x"), STATUS("disabled", "x"), STATUS("odd", "x"),
                                         "{\"mcpServers\":[]}", "null"};
    for (unsigned i = 0; i < ARRAY_LEN(states); i++) {
        begin();
        looked(STATUS("needs-auth", "connected"));
        answer("mcp_authenticate \"serverName\":\"lab\"", NULL, PAGE);
        looked(states[i]);
        assert_null(w.work.sign_in);
        assert_completed(i + 1);
        assert_int_equal(w.withdrawn, i + 1);
    }
    begin();
    looked(STATUS("needs-auth", "connected"));
    answer("mcp_authenticate \"serverName\":\"lab\"", NULL, PAGE);
    answer("mcp_status ", &control_timed_out, "null"); /* nobody knows */
    assert_completed(ARRAY_LEN(states));
    assert_int_equal(w.withdrawn, ARRAY_LEN(states) + 1);
}

static void test_the_time_is_over(void **state)
{
    (void)state;
    begin();
    looked(STATUS("needs-auth", "connected"));
    answer("mcp_authenticate \"serverName\":\"lab\"", NULL, PAGE);
    client_says("{\"action\":\"accept\"}");
    for (int i = 0; i < 600; i++) {
        looked(STATUS("needs-auth", "connected"));
        tick();
    }
    looked(STATUS("pending", "connected"));
    assert_null(w.work.sign_in);
    assert_completed(1);
    assert_int_equal(w.now, 600000);
}

static void test_no_page(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "null",
        "{}",
        "{\"requiresUserAction\":true}",
        "{\"requiresUserAction\":1,\"authUrl\":\"https://x\"}",
        "{\"requiresUserAction\":true,\"authUrl\":\"\"}",
        "{\"requiresUserAction\":true,\"authUrl\":5}",
        "{\"requiresUserAction\":true,\"authUrl\":\"javascript:alert(1)\"}",
        "{\"requiresUserAction\":true,\"authUrl\":\"file:///etc/passwd\"}",
        "{\"requiresUserAction\":true,\"authUrl\":\" https://x\"}",
    };
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        begin();
        looked(STATUS("needs-auth", "connected"));
        answer("mcp_authenticate \"serverName\":\"lab\"", NULL, answers[i]);
        assert_null(w.work.sign_in);
    }
    begin();
    looked(STATUS("needs-auth", "connected"));
    answer("mcp_authenticate \"serverName\":\"lab\"", REFUSED("Server not found: lab"), "null");
    assert_int_equal(w.shown, 0);
    begin();
    looked(STATUS("needs-auth", "connected"));
    answer("mcp_authenticate \"serverName\":\"lab\"", NULL,
           "{\"requiresUserAction\":true,\"authUrl\":\"HTTP://x\"}");
    assert_int_equal(w.shown, 1);
    client_says("{\"action\":\"cancel\"}");
}

static void test_the_client_cannot_be_asked(void **state)
{
    (void)state;
    w.cannot_ask = true;
    begin();
    looked(STATUS("needs-auth", "needs-auth"));
    answer("mcp_authenticate \"serverName\":\"lab\"", NULL, PAGE);
    answer("mcp_authenticate \"serverName\":\"two\"", NULL, PAGE);
    assert_completed(0);
}

static void test_memory_is_out(void **state)
{
    (void)state;
    fake.no_memory = true;
    begin();
    assert_null(w.work.sign_in);
    fake.no_memory = false;
    begin();
    fake.no_memory = true;
    looked(STATUS("needs-auth", "needs-auth"));
    assert_null(w.work.sign_in);
}

static void test_the_session_goes(void **state)
{
    (void)state;
    mcp_sign_in_drop(&w.work);
    begin();
    mcp_sign_in_drop(&w.work); /* while the CLI is asked */
    assert_null(fake.cb);
    begin();
    looked(STATUS("needs-auth", "needs-auth"));
    answer("mcp_authenticate \"serverName\":\"lab\"", NULL, PAGE);
    looked(STATUS("needs-auth", "needs-auth"));
    assert_non_null(w.tick);
    mcp_sign_in_drop(&w.work); /* between two looks, with the page open */
    assert_completed(1);
    assert_int_equal(w.withdrawn, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_one_after_another),
        TEST(test_who_is_asked),
        TEST(test_who_is_not),
        TEST(test_one_run_at_a_time),
        TEST(test_the_person_declines),
        TEST(test_it_does_not_come_about),
        TEST(test_the_time_is_over),
        TEST(test_no_page),
        TEST(test_the_client_cannot_be_asked),
        TEST(test_memory_is_out),
        TEST(test_the_session_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
