/* A permission request beside a hostile reporter: it may name the tool call, and nothing else of it counts.
 * The real tool calls, renderer, reporter host and permission module; the plugin is built here. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "permission_fixture.h"
#include "session/internal.h"

struct bench {
    uv_loop_t loop;
    char folder[64];
    struct session s;
    struct session_host a;
    struct standard_dirs dirs;
    struct json_doc *params; /* of the request that was made last */
};

static void shell(const char *fmt, ...) PRINTF_LIKE(1, 2);
static void shell(const char *fmt, ...)
{
    AUTO_BUF(b);
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    if (system(buf_c(&b)) != 0) { // NOLINT(cert-env33-c): a test may use the compiler of the machine
        fail_msg("%s", buf_c(&b));
    }
}

static void on_tool(void *self, str session, struct tool_report *r)
{
    (void)self;
    (void)session;
    (void)r;
}

static const struct surface face = {.tool = on_tool};

static int setup(void **state)
{
    static char home[] = "/home/u", cwd[] = "/home/u/ws";
    struct bench *b = calloc(1, sizeof(*b));
    const char *headers = getenv("HERALD_SDK_HEADERS");
    assert_non_null(b);
    assert_non_null(headers);
    strcpy(b->folder, "/tmp/herald-forger-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    shell("cc -shared -fPIC -O1 -w -I'%s' -o '%s/forger.so' '%s/../tests/unit/modules/permission_forger.c'",
          headers, b->folder, headers);
    b->dirs.home = b->dirs.cwd = home;
    b->a.dirs = &b->dirs;
    b->a.surface = &face;
    b->a.client = (struct client_capabilities){.protocol_version = 1, .air = true};
    b->a.reporters = reporter_host_new(&(struct reporter_dirs){.builtin = getenv("HERALD_BUILT_REPORTERS"),
                                                               .user = b->folder},
                                       NULL);
    assert_non_null(b->a.reporters);
    assert_int_equal(uv_loop_init(&b->loop), 0);
    b->a.loop = &b->loop;
    b->s.host = &b->a;
    b->s.setup.cwd = cwd;
    b->s.refs = 1;
    b->s.state = SESSION_OPEN;
    live_tasks_init(&b->s.live);
    assert_true(session_link(&b->s));
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    json_unref(b->params);
    tool_calls_free(&b->s.tooling.calls);
    live_tasks_free(&b->s.live);
    reporter_host_free(b->a.reporters);
    assert_int_equal(uv_loop_close(&b->loop), 0);
    shell("rm -rf '%s'", b->folder);
    free(b);
    return 0;
}

static void ready(void *user, const struct permission_request *rq)
{
    struct bench *b = user;
    AUTO_BUF(text);
    assert_non_null(rq);
    json_open_object(&text);
    json_key(&text, "toolCall");
    json_open_object(&text);
    tool_report_put_call(&text, rq->call);
    json_close_object(&text);
    json_member_str(&text, "title", rq->title);
    json_member_raw(&text, "options", rq->options);
    json_member_raw(&text, "_meta", rq->meta);
    json_close_object(&text);
    json_unref(b->params);
    b->params = json_parse(buf_str(&text), NULL);
    assert_non_null(b->params);
}

/* Asks about `tool` with the plugin loaded; the choices that the core made go to `options`. */
static struct permission_offer *ask(struct bench *b, const char *tool, const char *input, struct buf *options)
{
    AUTO_JSON(request) = test_request(tool, input, NULL, ",\"display_name\":\"Ping\"");
    struct permission_offer *o = test_offer_at(request, &test_setting);
    permission_offer_put_options(options, o);
    tool_calls_ask(&b->s.tooling.calls, json_root(request), buf_str(options), ready, b);
    (void)uv_run(&b->loop, UV_RUN_DEFAULT); /* the disk may be asked first */
    return o;
}

static void check_untouched(struct bench *b, const char *tool, const char *input)
{
    AUTO_BUF(options);
    AUTO_BUF(sent);
    struct permission_offer *o = ask(b, tool, input, &options);
    json params = json_root(b->params), call = json_get(params, "toolCall");
    json_put(&sent, json_get(params, "options"));
    assert_str(buf_str(&sent), buf_c(&options));
    /* The plugin's words are in the heading only. */
    assert_true(str_has(json_str(json_get(call, "title")), STR("allow-everything")));
    assert_false(json_present(json_get(call, "options")));

    AUTO_DECISION(forged);
    test_decide(o, "allow-everything", &forged);
    assert_int_equal(forged.verdict, PERMISSION_ERROR);
    AUTO_DECISION(rejected);
    test_decide(o, "reject", &rejected);
    assert_int_equal(rejected.verdict, PERMISSION_DENY);
    AUTO_DECISION(allowed);
    test_decide(o, str_is(str_of(tool), "ExitPlanMode") ? "exit-plan-default" : "allow-once", &allowed);
    assert_int_equal(allowed.verdict, PERMISSION_ALLOW);
    AUTO_BUF(whole); /* what runs is what the CLI asked about, not what a reporter showed of it */
    buf_printf(&whole, "\"updatedInput\":%s", input);
    assert_true(str_has(permission_decision_text(&allowed), buf_str(&whole)));
    permission_offer_free(o);
}

static void test_reporter_cannot_touch_the_choices(void **state)
{
    struct bench *b = *state;
    for (int air = 0; air < 2; air++) {
        b->a.client.air = air;
        check_untouched(b, "Bash", "{\"command\":\"rm -rf x\"}");
        check_untouched(b, "mcp__srv__ping", "{\"n\":1}");
        check_untouched(b, "ExitPlanMode", "{\"plan\":\"# Do it\"}");
    }
}

/* The approval of a plan has a heading of its own, and a shell's is never cut. */
static void test_heading(void **state)
{
    struct bench *b = *state;
    AUTO_BUF(options);
    struct permission_offer *o = ask(b, "ExitPlanMode", "{\"plan\":\"# Do it\"}", &options);
    json record = json_path(json_root(b->params), "_meta", "jetbrains", "air", "permission", NULL);
    assert_str(json_str(json_get(record, "title")), "Ready to code?");
    permission_offer_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reporter_cannot_touch_the_choices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_heading, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
