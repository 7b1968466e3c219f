#include "unit.h"

#include "extension/session_failure.h"

static void test_kinds_of_errors(void **state)
{
    (void)state;
    const struct {
        const char *error;
        enum failure_kind kind;
    } cases[] = {
        {"verification_required", FAILURE_ACCESS_DENIED},
        {"cloud_credential_error", FAILURE_ACCESS_DENIED},
        {"billing_error", FAILURE_QUOTA_EXHAUSTED},
        {"account_on_hold", FAILURE_QUOTA_EXHAUSTED},
        {"rate_limit", FAILURE_RATE_LIMITED},
        {"max_output_tokens", FAILURE_CONTEXT_EXHAUSTED},
        {"invalid_request", FAILURE_BAD_REQUEST},
        {"model_not_found", FAILURE_BAD_REQUEST},
        {"overloaded", FAILURE_OVERLOADED},
        {"server_error", FAILURE_PROVIDER_ERROR},
        {"unknown", FAILURE_PROVIDER_ERROR},
        {"no such kind", FAILURE_PROVIDER_ERROR},
        {"", FAILURE_PROVIDER_ERROR},
        {NULL, FAILURE_PROVIDER_ERROR},
        {"authentication_failed", FAILURE_AUTH_REQUIRED},
        {"oauth_org_not_allowed", FAILURE_AUTH_REQUIRED},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(failure_kind_of_error(str_of(cases[i].error)), cases[i].kind);
    }
    enum failure_kind kind;
    assert_true(failure_kind_of_subtype(STR("error_max_turns"), &kind));
    assert_int_equal(kind, FAILURE_CONTEXT_EXHAUSTED);
    assert_true(failure_kind_of_subtype(STR("error_max_budget_usd"), &kind));
    assert_int_equal(kind, FAILURE_BUDGET_EXHAUSTED);
    assert_true(failure_kind_of_subtype(STR("error_max_structured_output_retries"), &kind));
    assert_int_equal(kind, FAILURE_PROVIDER_ERROR);
    assert_false(failure_kind_of_subtype(STR("error_during_execution"), &kind));
    assert_false(failure_kind_of_subtype(STR_ABSENT, &kind));
}

static void test_usage_limit_and_login_texts(void **state)
{
    (void)state;
    assert_true(failure_is_usage_limit(STR("You've hit your individual spend limit")));
    assert_true(failure_is_usage_limit(STR("Your org is out of usage \xC2\xB7 contact your admin")));
    assert_true(failure_is_usage_limit(STR("Your group's usage limit is set to $0")));
    assert_false(failure_is_usage_limit(STR("You\xE2\x80\x99ve hit your limit")));
    assert_false(failure_is_usage_limit(STR(" You've hit your limit")));
    assert_false(failure_is_usage_limit(STR("you've hit your limit")));
    assert_false(failure_is_usage_limit(STR_ABSENT));
    assert_true(failure_is_login(STR("Invalid API key \xC2\xB7 Please run /login")));
    assert_false(failure_is_login(STR("Please run /logout")));
    assert_false(failure_is_login(STR_ABSENT));
}

#define MESSAGE(model, content) "{\"model\":\"" model "\",\"content\":" content "}"

static void test_messages(void **state)
{
    (void)state;
    const struct {
        const char *message;
        bool limit, login;
    } cases[] = {
        {MESSAGE("<synthetic>", "[{\"type\":\"text\",\"text\":\"You've hit your limit\"}]"), true, false},
        {MESSAGE("claude", "[{\"type\":\"text\",\"text\":\"You've hit your limit\"}]"), false, false},
        {MESSAGE("<synthetic>", "\"You've hit your limit\""), true, false},
        {MESSAGE("<synthetic>", "[{\"type\":\"text\",\"text\":\"Please run /login\"}]"), false, true},
        {MESSAGE("<synthetic>", "[{\"type\":\"text\",\"text\":\"Please run /login\"},{}]"), false, false},
        {MESSAGE("claude", "[{\"type\":\"text\",\"text\":\"Please run /login\"}]"), false, false},
        {MESSAGE("<synthetic>", "[{\"type\":\"image\",\"text\":\"Please run /login\"}]"), false, false},
        {MESSAGE("<synthetic>", "[null,7,[]]"), false, false},
        {MESSAGE("<synthetic>", "7"), false, false},
        {"null", false, false},
        {"[]", false, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO_JSON(doc) = parse_or_fail(cases[i].message);
        assert_int_equal(failure_is_usage_limit_message(json_root(doc)), cases[i].limit);
        assert_int_equal(failure_is_login_message(json_root(doc)), cases[i].login);
    }
    AUTO_JSON(doc) = parse_or_fail(
        MESSAGE("m",
                "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"x\"},{\"type\":\"text\",\"text\":\"b\"}]"));
    AUTO_BUF(b);
    failure_message_text(&b, json_root(doc));
    assert_str(buf_str(&b), "a\nb");
}

static void check_title(enum failure_kind kind, const char *assistant, const char *result,
                        const char *expected)
{
    AUTO_JSON(doc) = parse_or_fail(result);
    AUTO_BUF(b);
    failure_title(&b, kind, str_of(assistant), json_root(doc));
    if (expected) {
        assert_str(buf_str(&b), expected);
    } else {
        assert_true(str_eq(buf_str(&b), failure_fallback_title(kind)));
        assert_true(b.n > 0);
    }
}

static void test_titles(void **state)
{
    (void)state;
    check_title(FAILURE_RATE_LIMITED, "API Error: slow", "{\"result\":\"other\"}", "API Error: slow");
    check_title(FAILURE_RATE_LIMITED, NULL, "{\"result\":\"a text\",\"errors\":[\"an error\"]}", "a text");
    check_title(FAILURE_CONTEXT_EXHAUSTED, "",
                "{\"errors\":[\"One thing\",7,\"ENOENT\",\"and two\"],\"subtype\":\"s\"}",
                "One thing, and two");
    check_title(FAILURE_CONTEXT_EXHAUSTED, " ", "{\"errors\":[],\"subtype\":\"error_max_turns\"}", NULL);
    check_title(FAILURE_PROVIDER_ERROR, "TypeError: x is undefined", "{\"result\":\"It broke.  \"}",
                "It broke.  ");
    check_title(FAILURE_PROVIDER_ERROR, NULL, "{\"result\":7,\"errors\":{},\"subtype\":[]}", NULL);
    check_title(FAILURE_PROVIDER_ERROR, NULL, "null", NULL);
    check_title(FAILURE_TRANSPORT_LOST, "raw", "{\"result\":\"raw\"}", NULL);
    check_title(FAILURE_WORKER_SHUTDOWN, "raw", "{\"result\":\"raw\"}", NULL);
}

static void check_retry(const char *frame, enum failure_kind kind, const char *expected)
{
    AUTO_JSON(doc) = parse_or_fail(frame);
    AUTO_BUF(title);
    enum failure_kind got;
    assert_int_equal(failure_retry(json_root(doc), &got, &title), expected != NULL);
    if (expected) {
        assert_int_equal(got, kind);
        assert_str(buf_str(&title), expected);
    }
}

static void test_retries(void **state)
{
    (void)state;
    check_retry("{\"attempt\":1,\"max_retries\":10,\"error_status\":429,\"error\":\"rate_limit\"}",
                FAILURE_RATE_LIMITED, "Retrying Claude, attempt 1 of 10.");
    check_retry("{\"attempt\":2,\"max_retries\":3,\"error_status\":null,\"error\":\"unknown\"}",
                FAILURE_TRANSPORT_LOST, "Reconnecting to Claude, attempt 2 of 3.");
    check_retry("{\"attempt\":1,\"max_retries\":1,\"error_status\":null,\"error\":\"unknown\","
                "\"no_response\":{\"waited_ms\":14600,\"retry_wait_ms\":20}}",
                FAILURE_TRANSPORT_LOST, "Reconnecting to Claude, attempt 1 of 1.");
    check_retry("{\"attempt\":1,\"max_retries\":1,\"error_status\":401,\"error\":\"authentication_failed\"}",
                FAILURE_AUTH_REQUIRED, NULL);
    check_retry("{\"attempt\":1e999,\"max_retries\":\"x\",\"error_status\":500,\"error\":7,"
                "\"no_response\":{\"waited_ms\":1e999,\"retry_wait_ms\":1e300}}",
                FAILURE_PROVIDER_ERROR, "Retrying Claude, attempt 1 of 1.");
}

static void test_advisory_text(void **state)
{
    (void)state;
    AUTO_BUF(title);
    AUTO_BUF(details);
    AUTO_BUF(explanation);
    failure_advisory(&title, &details, STR("A declined."), STR("Why."));
    assert_str(buf_str(&title), "A declined.\n\nWhy.");
    assert_int_equal(details.n, 0);
    buf_clear(&title);
    buf_put_fill(&explanation, 'x', 256 - 2 - 11);
    failure_advisory(&title, &details, STR("A declined."), buf_str(&explanation));
    assert_int_equal(title.n, 256);
    buf_clear(&title);
    buf_put_c(&explanation, "x");
    failure_advisory(&title, &details, STR("A declined."), buf_str(&explanation));
    assert_str(buf_str(&title), "A declined.");
    assert_int_equal(details.n, 244);
    buf_clear(&title);
    failure_advisory(&title, &details, STR("A"), STR_ABSENT);
    assert_str(buf_str(&title), "A");
}

static void check_record(const struct failure_record *r, const char *expected)
{
    AUTO_BUF(b);
    failure_put(&b, r);
    assert_str(buf_str(&b), expected);
}

static void test_record_of_every_kind(void **state)
{
    (void)state;
    const struct {
        enum failure_kind kind;
        const char *category, *actions;
    } cases[] = {
        {FAILURE_ACCESS_DENIED, "service", "[\"retry\"]"},
        {FAILURE_QUOTA_EXHAUSTED, "limit", "[]"},
        {FAILURE_RATE_LIMITED, "limit", "[\"retry\"]"},
        {FAILURE_CONTEXT_EXHAUSTED, "limit", "[\"new_session\"]"},
        {FAILURE_BUDGET_EXHAUSTED, "limit", "[\"new_session\"]"},
        {FAILURE_BAD_REQUEST, "request", "[]"},
        {FAILURE_OVERLOADED, "service", "[\"retry\"]"},
        {FAILURE_PROVIDER_ERROR, "service", "[\"retry\"]"},
        {FAILURE_INTERNAL_ERROR, "service", "[\"retry\",\"new_session\"]"},
        {FAILURE_TRANSPORT_LOST, "connection", "[\"new_session\"]"},
        {FAILURE_WORKER_SHUTDOWN, "connection", "[\"new_session\"]"},
        {FAILURE_ADVISORY, "unknown", "[]"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct failure_record r = {STR("P:error"), 2, cases[i].kind, FAILURE_ERROR, STR("T"), STR_ABSENT};
        AUTO_BUF(expected);
        buf_printf(&expected,
                   "{\"id\":\"P:error\",\"revision\":2,\"category\":\"%s\",\"severity\":\"error\","
                   "\"title\":\"T\",\"actions\":%s}",
                   cases[i].category, cases[i].actions);
        check_record(&r, buf_c(&expected));
        r.severity = FAILURE_WARNING;
        r.details = STR("D");
        buf_clear(&expected);
        buf_printf(&expected,
                   "{\"id\":\"P:error\",\"revision\":2,\"category\":\"%s\",\"severity\":\"warning\","
                   "\"title\":\"T\",\"details\":\"D\",\"actions\":[]}",
                   cases[i].category);
        check_record(&r, buf_c(&expected));
    }
    struct failure_record r = {STR("P1:error"), 1, FAILURE_RATE_LIMITED, FAILURE_ERROR, STR("T"), STR_ABSENT};
    AUTO_BUF(b);
    failure_put_meta(&b, &r);
    assert_str(buf_str(&b), "{\"jetbrains\":{\"air\":{\"version\":1,\"sessionFailure\":{\"id\":\"P1:error\","
                            "\"revision\":1,\"category\":\"limit\",\"severity\":\"error\",\"title\":\"T\","
                            "\"actions\":[\"retry\"]}}}}");
    buf_clear(&b);
    failure_put_error_data(&b, STR("rate_limit"));
    assert_str(buf_str(&b), "{\"errorKind\":\"rate_limit\"}");
}

static void check_id(const struct failures *f, const struct failure_record *r, const char *what, int number)
{
    AUTO_BUF(id);
    buf_printf(&id, "S:%s:%s:%d", what, f->epoch, number);
    assert_str(r->id, buf_c(&id));
}

static void test_turn_ids_and_revisions(void **state)
{
    (void)state;
    struct failures f;
    struct failure_record r;
    assert_true(failures_init(&f, STR("S")));
    assert_true(failures_turn(&f, STR("P1"), FAILURE_RATE_LIMITED, FAILURE_WARNING, STR("w"), &r));
    assert_str(r.id, "P1:error");
    assert_int_equal(r.revision, 1);
    assert_true(failures_turn(&f, STR("P1"), FAILURE_RATE_LIMITED, FAILURE_ERROR, STR("e"), &r));
    assert_str(r.id, "P1:error");
    assert_int_equal(r.revision, 2);
    assert_true(failures_turn(&f, STR("P2"), FAILURE_RATE_LIMITED, FAILURE_ERROR, STR("e"), &r));
    assert_int_equal(r.revision, 1);
    assert_false(failures_turn(&f, STR("P3"), FAILURE_AUTH_REQUIRED, FAILURE_ERROR, STR("e"), &r));
    assert_false(failures_session(&f, FAILURE_AUTH_REQUIRED, FAILURE_ERROR, STR("e"), &r));
    failures_free(&f);
    failures_free(&f);
}

static void test_session_and_notice_ids(void **state)
{
    (void)state;
    struct failures f;
    struct failure_record r;
    assert_true(failures_init(&f, STR("S")));
    assert_true(uuid_valid(str_of(f.epoch)));
    assert_true(failures_session(&f, FAILURE_WORKER_SHUTDOWN, FAILURE_ERROR, STR("e"), &r));
    check_id(&f, &r, "session-error", 1);
    assert_true(failures_notice(&f, STR("n"), STR("d"), &r));
    check_id(&f, &r, "notice", 2);
    assert_str(r.details, "d");
    assert_int_equal(r.kind, FAILURE_ADVISORY);
    assert_true(failures_notice(&f, STR("n"), STR_ABSENT, &r));
    check_id(&f, &r, "notice", 2);
    assert_int_equal(r.revision, 2);
    assert_true(failures_notice(&f, STR("m"), STR_ABSENT, &r));
    check_id(&f, &r, "notice", 3);
    /* Something between: the same text is another incident. */
    assert_true(failures_turn(&f, STR("P"), FAILURE_OVERLOADED, FAILURE_WARNING, STR("w"), &r));
    assert_true(failures_notice(&f, STR("m"), STR_ABSENT, &r));
    check_id(&f, &r, "notice", 4);
    /* Retries outside a turn are one incident, until the model answers. */
    assert_true(failures_session(&f, FAILURE_OVERLOADED, FAILURE_WARNING, STR("w"), &r));
    check_id(&f, &r, "session-error", 5);
    assert_true(failures_session(&f, FAILURE_OVERLOADED, FAILURE_ERROR, STR("e"), &r));
    check_id(&f, &r, "session-error", 5);
    assert_int_equal(r.revision, 2);
    assert_true(failures_session(&f, FAILURE_OVERLOADED, FAILURE_WARNING, STR("w"), &r));
    check_id(&f, &r, "session-error", 6);
    failures_recover(&f, FAILURE_ON_MODEL_SUCCESS, STR_ABSENT);
    assert_true(failures_session(&f, FAILURE_OVERLOADED, FAILURE_WARNING, STR("w"), &r));
    check_id(&f, &r, "session-error", 7);
    failures_free(&f);
}

static void test_replayed_limits(void **state)
{
    (void)state;
    struct failures f;
    struct failure_record r;
    assert_true(failures_init(&f, STR("S")));
    assert_true(failures_replayed(&f, STR("U1"), STR("M1"), STR("You've hit your limit"), &r));
    check_record(&r, "{\"id\":\"U1:error\",\"revision\":1,\"category\":\"limit\",\"severity\":\"error\","
                     "\"title\":\"You've hit your limit\",\"actions\":[]}");
    assert_true(failures_replayed(&f, STR_ABSENT, STR("M2"), STR("x"), &r));
    assert_str(r.id, "S:history-error:M2");
    assert_false(failures_active(&f, STR("U1:error")));
    assert_true(failures_active(&f, STR("S:history-error:M2")));
    failures_recover(&f, FAILURE_ON_MODEL_SUCCESS, STR_ABSENT);
    assert_false(failures_active(&f, STR("S:history-error:M2")));
    failures_free(&f);
}

static void test_recovery(void **state)
{
    (void)state;
    struct failures f;
    struct failure_record r;
    assert_true(failures_init(&f, STR("S")));
    assert_true(failures_turn(&f, STR("limit"), FAILURE_QUOTA_EXHAUSTED, FAILURE_ERROR, STR("e"), &r));
    assert_true(failures_turn(&f, STR("lost"), FAILURE_TRANSPORT_LOST, FAILURE_ERROR, STR("e"), &r));
    assert_true(failures_turn(&f, STR("plain"), FAILURE_OVERLOADED, FAILURE_ERROR, STR("e"), &r));
    assert_true(failures_turn(&f, STR("now"), FAILURE_TRANSPORT_LOST, FAILURE_WARNING, STR("w"), &r));
    failures_recover(&f, FAILURE_ON_TURN_RESULT, STR("plain"));
    assert_true(failures_active(&f, STR("plain:error")));
    failures_recover(&f, FAILURE_ON_TURN_RESULT, STR("now"));
    assert_false(failures_active(&f, STR("plain:error")));
    assert_true(failures_active(&f, STR("limit:error")));
    assert_true(failures_active(&f, STR("lost:error")));
    assert_true(failures_active(&f, STR("now:error")));
    failures_recover(&f, FAILURE_ON_TURN_SUCCESS, STR("now"));
    assert_false(failures_active(&f, STR("now:error")));
    failures_recover(&f, FAILURE_ON_MODEL_SUCCESS, STR_ABSENT);
    assert_false(failures_active(&f, STR("limit:error")));
    assert_true(failures_active(&f, STR("lost:error")));
    failures_recover(&f, FAILURE_ON_RUNTIME, STR_ABSENT);
    assert_false(failures_active(&f, STR("lost:error")));
    /* A recovered incident keeps its revision. */
    assert_true(failures_turn(&f, STR("lost"), FAILURE_OVERLOADED, FAILURE_ERROR, STR("e"), &r));
    assert_int_equal(r.revision, 2);
    /* Recovery forgets the last notice; the notice itself stays. */
    assert_true(failures_notice(&f, STR("n"), STR_ABSENT, &r));
    AUTO_BUF(first);
    buf_put_str(&first, r.id);
    failures_recover(&f, FAILURE_ON_TURN_RESULT, STR("next"));
    assert_true(failures_active(&f, buf_str(&first)));
    assert_true(failures_notice(&f, STR("n"), STR_ABSENT, &r));
    assert_false(str_eq(r.id, buf_str(&first)));
    failures_free(&f);
}

static void test_memory_is_bounded(void **state)
{
    (void)state;
    struct failures f;
    struct failure_record r;
    assert_true(failures_init(&f, STR("S")));
    AUTO_BUF(text);
    for (int i = 0; i < 5000; i++) {
        buf_clear(&text);
        buf_printf(&text, "n%d", i);
        assert_true(failures_notice(&f, buf_str(&text), STR_ABSENT, &r));
        assert_true(failures_turn(&f, buf_str(&text), FAILURE_OVERLOADED, FAILURE_ERROR, STR("e"), &r));
    }
    assert_true(f.count <= 512);
    assert_true(failures_active(&f, STR("n4999:error")));
    /* Of the ended ones the oldest goes first. */
    failures_recover(&f, FAILURE_ON_TURN_RESULT, STR("other"));
    assert_true(failures_turn(&f, STR("other"), FAILURE_OVERLOADED, FAILURE_ERROR, STR("e"), &r));
    assert_true(failures_turn(&f, STR("n4999"), FAILURE_OVERLOADED, FAILURE_ERROR, STR("e"), &r));
    assert_int_equal(r.revision, 2);
    assert_true(failures_turn(&f, STR("n4744"), FAILURE_OVERLOADED, FAILURE_ERROR, STR("e"), &r));
    assert_int_equal(r.revision, 1);
    failures_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_of_errors),
        cmocka_unit_test(test_usage_limit_and_login_texts),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_titles),
        cmocka_unit_test(test_retries),
        cmocka_unit_test(test_advisory_text),
        cmocka_unit_test(test_record_of_every_kind),
        cmocka_unit_test(test_turn_ids_and_revisions),
        cmocka_unit_test(test_session_and_notice_ids),
        cmocka_unit_test(test_replayed_limits),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
