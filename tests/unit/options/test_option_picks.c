/* What a person picked, as a text that outlives the process. */
#include "options/option_picks.h"
#include "options/options.h"
#include "session_fixture.h"

static struct settings *settings;
static struct json_doc *initialize, *meta;
static struct session_params params;
static struct session_options *o;
static struct client_capabilities client = {.protocol_version = 1};

/* A session whose `_meta` is this, with what was picked before. */
static void start(const char *asked, const struct option_picks *picks)
{
    static const char *const env[] = {NULL};
    static const struct launch launch = {.mode = MODE_DEFAULT, .bypass = true};
    struct options_change first = {0};
    AUTO_BUF(b);
    settings = settings_of("{}");
    buf_printf(&b, "{\"models\":%s,\"agents\":[{\"name\":\"helper\",\"description\":\"d\"}]}", cli_models);
    initialize = parse_or_fail(buf_c(&b));
    meta = parse_or_fail(asked);
    params = (struct session_params){.cwd = STR("/"), .meta = json_root(meta)};
    o = session_options_new(&(struct session_options_setup){.client = &client,
                                                            .settings = settings,
                                                            .launch = &launch,
                                                            .params = &params,
                                                            .initialize = json_root(initialize),
                                                            .env = env,
                                                            .picks = picks},
                            &first);
    assert_non_null(o);
    while (options_change_next(&first)) {
        options_change_answered(o, &first, NULL);
    }
    options_change_free(&first);
}

static int end(void **state)
{
    (void)state;
    session_options_free(o);
    o = NULL;
    json_unref(initialize);
    json_unref(meta);
    settings_free(settings);
    return 0;
}

static void pick(const char *id, const char *value)
{
    struct options_change c = {0};
    AUTO_BUF(text);
    json_put_str(&text, str_of(value));
    AUTO_JSON(doc) = parse_or_fail(buf_c(&text));
    session_options_set(o, &c, str_of(id), json_root(doc));
    while (options_change_next(&c)) {
        options_change_answered(o, &c, NULL);
    }
    session_options_note_picks(o, &c);
    options_change_free(&c);
}

static void put(struct buf *b)
{
    option_picks_put(b, o, &params);
    assert_true(buf_ok(b));
}

static void test_nothing_is_written_when_nothing_was_picked(void **state)
{
    (void)state;
    AUTO_BUF(b);
    start("{}", NULL);
    put(&b);
    assert_int_equal(b.n, 0);
    pick("effort", "no such effort"); /* refused */
    put(&b);
    assert_int_equal(b.n, 0);
}

static void test_what_was_picked_comes_back(void **state)
{
    (void)state;
    AUTO_BUF(b);
    AUTO_ARENA(mem);
    struct option_picks picks;
    start("{}", NULL);
    pick("model", "sonnet");
    pick("effort", "high");
    pick("mode", "plan");
    put(&b);
    option_picks_read(&picks, &mem, buf_str(&b), &params);
    assert_int_equal(picks.picked, PICKED_MODEL | PICKED_EFFORT | PICKED_MODE);
    assert_str(picks.model, "sonnet");
    assert_str(picks.effort, "high");
    assert_int_equal(picks.mode, MODE_PLAN);
    end(NULL);
    start("{}", &picks);
    assert_str(session_options_model(o), "sonnet");
    AUTO_BUF(list);
    session_options_put(o, &list, false);
    assert_true(str_has(buf_str(&list), STR("\"currentValue\":\"high\"")));
    AUTO_BUF(again);
    put(&again); /* it stays the person's pick */
    assert_true(str_has(buf_str(&again), STR("\"effort\":\"high\"")));
}

static void test_a_model_that_is_gone_is_not_picked(void **state)
{
    (void)state;
    AUTO_ARENA(mem);
    struct option_picks picks;
    start("{}", NULL);
    option_picks_read(&picks, &mem, STR("{\"model\":\"gone-9\",\"agent\":\"nobody\",\"effort\":\"utter\"}"),
                      &params);
    end(NULL);
    start("{}", &picks);
    AUTO_BUF(list);
    session_options_put(o, &list, false);
    assert_false(str_has(buf_str(&list), STR("gone-9")));
    assert_false(str_has(buf_str(&list), STR("nobody")));
    assert_false(str_has(buf_str(&list), STR("utter")));
}

/* What a client asks for anew counts more than what was picked before; what it asked for then does not. */
static void test_a_new_request_overrules_a_pick(void **state)
{
    (void)state;
    AUTO_BUF(b);
    AUTO_ARENA(mem);
    struct option_picks picks;
    start("{\"claudeCode\":{\"options\":{\"model\":\"opus\"}}}", NULL);
    pick("model", "sonnet");
    put(&b);
    option_picks_read(&picks, &mem, buf_str(&b), &params);
    assert_str(picks.model, "sonnet");
    end(NULL);
    start("{\"claudeCode\":{\"options\":{\"model\":\"haiku\"}}}", NULL);
    option_picks_read(&picks, &mem, buf_str(&b), &params);
    assert_int_equal(picks.picked & PICKED_MODEL, 0);
}

static void test_anything_may_be_in_the_file(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "[]",
        "7",
        "{",
        "{\"mode\":\"root\",\"model\":7,\"effort\":null,\"fast\":\"yes\",\"agent\":[]}",
        "{\"mode\":[\"plan\"],\"asked\":5,\"model\":\"\"}",
    };
    AUTO_ARENA(mem);
    struct option_picks picks;
    start("{}", NULL);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        option_picks_read(&picks, &mem, str_of(texts[i]), &params);
        assert_int_equal(picks.picked, 0);
        assert_int_equal(picks.mode, MODE_NONE);
    }
    AUTO_BUF(large);
    buf_put_c(&large, "{\"mode\":\"plan\",\"x\":\"");
    for (int i = 0; i < PICKS_MAX; i++) {
        buf_put_byte(&large, 'x');
    }
    buf_put_c(&large, "\"}");
    option_picks_read(&picks, &mem, buf_str(&large), &params);
    assert_int_equal(picks.picked, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, end)
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_is_written_when_nothing_was_picked),
        TEST(test_what_was_picked_comes_back),
        TEST(test_a_model_that_is_gone_is_not_picked),
        TEST(test_a_new_request_overrules_a_pick),
        TEST(test_anything_may_be_in_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
