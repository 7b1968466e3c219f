/* What the CLI has to say beside the answer, with a whole session and a script in place of the CLI: who is
 * told a notice, who a failure record and who a text.
 *
 * The script prints the lines of the file `frames` in the midst of a prompt and ends it with the text of the
 * file `result`. */
#include "agent_fixture.h"

static const char script[] =
    "cd \"${0%/*}\"\n"
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "while IFS= read -r line; do case $line in\n"
    "*'\"type\":\"control_request\"'*)\n"
    "  printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":{\"models\":[],\"commands\":[],\"agents\":[]}}}\\n' \"$(id_of \"$line\" request_id)\";;\n"
    "*'\"type\":\"user\"'*)\n"
    "  uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "$uuid\n"
    "  cat frames\n"
    "  printf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,"
    "\"result\":\"%s\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":0,\"output_tokens\":0},"
    "\"user_message_uuids\":[\"%s\"]}\\n' \"$(cat result)\" $uuid\n"
    "  printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"}\\n';; esac; "
    "done\n";

#define FRAME(subtype, members) "{\"type\":\"system\",\"subtype\":\"" subtype "\"," members "}\n"
#define INFORMATIONAL(members)  FRAME("informational", members)
#define FALLBACK(members)                                                                                    \
    FRAME("model_refusal_fallback",                                                                          \
          "\"original_model\":\"opus\",\"fallback_model\":\"sonnet\"," members "\"content\":\"-\"")
#define RETRY                                                                                                \
    FRAME("api_retry", "\"attempt\":2,\"max_retries\":10,\"error_status\":529,\"error\":\"overloaded\","     \
                       "\"retry_delay_ms\":1")

struct bench {
    struct agent_bench base;
    struct session *s;
    unsigned ended;
    char told[2048];  /* texts and notices, in order */
    char first[128];  /* the id of the first failure record */
    char last[128];   /* ... and of the last */
    char record[512]; /* what the last one says */
    unsigned records;
    long long revision; /* of the last one */
};

/* ---- The client ---- */

static void tell(struct bench *b, const char *what, str text)
{
    size_t n = strlen(b->told);
    (void)snprintf(b->told + n, sizeof(b->told) - n, "%s{%.*s}", what, STR_ARG(text));
}

static void on_text(void *self, str session, enum message_role role, str id, str text, str meta)
{
    (void)session, (void)id;
    if (role == MESSAGE_AGENT) {
        tell(self, "text", text);
        if (meta.n) {
            tell(self, "meta", meta);
        }
    }
}

static void on_notice(void *self, str session, const char *severity, str title, str description)
{
    (void)session;
    tell(self, severity, title);
    if (description.p) {
        tell(self, "more", description);
    }
}

static void on_info(void *self, str session, str members)
{
    struct bench *b = self;
    AUTO_BUF(all);
    (void)session;
    buf_printf(&all, "{%.*s}", STR_ARG(members));
    AUTO_JSON(doc) = parse_or_fail(buf_c(&all));
    json record = json_path(json_root(doc), "_meta", "jetbrains", "air", "sessionFailure", NULL);
    if (!json_is(record, JSON_OBJECT)) {
        return; /* a title */
    }
    (void)snprintf(b->last, sizeof(b->last), "%.*s", STR_ARG(json_str(json_get(record, "id"))));
    if (b->records++ == 0) {
        memcpy(b->first, b->last, sizeof(b->first));
    }
    b->revision = (long long)json_int_or(json_get(record, "revision"), -1);
    (void)snprintf(b->record, sizeof(b->record), "%.*s/%.*s/%.*s",
                   STR_ARG(json_str(json_get(record, "severity"))),
                   STR_ARG(json_str(json_get(record, "category"))),
                   STR_ARG(json_str(json_get(record, "title"))));
}

static void on_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static void on_ended(void *user, const struct turn_end *end)
{
    struct bench *b = user;
    b->ended += end->stop_reason && !end->failed;
    agent_close(&b->base.a);
}

static const struct turn_observer observer = {on_inserted, on_ended};

static void on_ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    assert_null(error);
    b->s = s;
    bench_prompt(s, "go", &observer, b);
}

enum who { PLAIN, NOTICES, AIR };

/* One prompt in which the CLI says `frames`, and `result` at its end. */
static void run_result(struct bench *b, enum who who, const char *frames, const char *result)
{
    struct surface face = silent_surface();
    *b = (struct bench){.s = NULL};
    face.text = on_text;
    face.notice = on_notice;
    face.info = on_info;
    fake_file("frames", frames, 0644);
    fake_file("result", result, 0644);
    bench_open(&b->base, script, &face, b);
    b->base.a.host.client.session_notices = who == NOTICES;
    b->base.a.host.client.air_session_failure = who == AIR;
    bench_session(&b->base, on_ready, b);
    bench_run(&b->base);
    assert_int_equal(b->ended, 1);
}

static void run(struct bench *b, enum who who, const char *frames)
{
    run_result(b, who, frames, "");
}

/* ---- system/informational ---- */

static void test_informational_notice(void **state)
{
    struct bench b;
    (void)state;
    run(&b, NOTICES,
        INFORMATIONAL("\"level\":\"warning\",\"content\":\"## Disk is **low**\\n\\nFree `some` space.\"")
            INFORMATIONAL("\"level\":\"suggestion\",\"content\":\"Try it\"")
                INFORMATIONAL("\"level\":\"info\",\"content\":\"not of interest\""));
    assert_string_equal(b.told, "warning{Disk is low}more{Free some space.}info{Try it}");
}

static void test_informational_text(void **state)
{
    struct bench b;
    (void)state;
    run(&b, PLAIN,
        INFORMATIONAL("\"level\":\"warning\",\"content\":\"**low**\"")
            INFORMATIONAL("\"level\":\"info\",\"content\":\"as it is\""));
    assert_string_equal(
        b.told,
        "text{**Warning:** **low**}meta{{\"claudeCode\":{\"kind\":\"informational\",\"level\":\"warning\"}}}"
        "text{as it is}meta{{\"claudeCode\":{\"kind\":\"informational\",\"level\":\"info\"}}}");
}

/* A call has one notice; what is of no call is told each time. */
static void test_informational_again(void **state)
{
    struct bench b;
    static const char of_call[] =
        INFORMATIONAL("\"level\":\"warning\",\"content\":\"hook\",\"tool_use_id\":\"t1\"");
    static const char of_none[] = INFORMATIONAL("\"level\":\"warning\",\"content\":\"again\"");
    AUTO_BUF(frames);
    (void)state;
    buf_printf(&frames, "%s%s%s%s", of_call, of_call, of_none, of_none);
    run(&b, NOTICES, buf_c(&frames));
    assert_string_equal(b.told, "warning{hook}warning{again}warning{again}");
}

/* The result of a command that was a notice before is not told a second time, however it is spaced. */
static void test_result_was_a_notice(void **state)
{
    struct bench b;
    static const char frames[] = INFORMATIONAL("\"level\":\"warning\",\"content\":\"Nothing\\n to do\"");
    (void)state;
    run_result(&b, NOTICES, frames, "Nothing to do");
    assert_string_equal(b.told, "warning{Nothing}more{to do}");
    run_result(&b, NOTICES, frames, "Something else");
    assert_string_equal(b.told, "warning{Nothing}more{to do}text{Something else}");
}

/* ---- Refusals ---- */

#define SENTENCE "opus declined this request (cyber); retried with sonnet. "

static void test_fallback(void **state)
{
    struct bench b;
    static const char frame[] =
        FALLBACK("\"api_refusal_category\":\"cyber\",\"api_refusal_explanation\":\"Why\",");
    AUTO_BUF(twice);
    (void)state;
    run(&b, NOTICES, frame);
    assert_string_equal(b.told, "warning{" SENTENCE "The session will continue on sonnet.}more{Why}");
    assert_int_equal(b.records, 0);
    run(&b, PLAIN, frame);
    assert_string_equal(b.told,
                        "text{**Model fallback:** " SENTENCE "The session will continue on sonnet.\n\nWhy}");
    assert_int_equal(b.records, 0);
    buf_printf(&twice, "%s%s", frame, frame);
    run(&b, AIR, buf_c(&twice));
    assert_string_equal(b.told, "");
    assert_string_equal(b.record, "warning/unknown/" SENTENCE "The session will continue on sonnet.\n\nWhy");
    assert_int_equal(b.records, 2); /* of one incident */
    assert_string_equal(b.first, b.last);
    assert_int_equal(b.revision, 2);
}

static void test_fallback_that_does_not_last(void **state)
{
    struct bench b;
    (void)state;
    run(&b, NOTICES, FALLBACK("\"direction\":\"revert\",") FALLBACK("\"scope\":\"local\","));
    assert_string_equal(b.told, "warning{opus declined this request; retried with sonnet. The session stays "
                                "on opus.}warning{opus declined this request; retried with sonnet. Only that "
                                "response came from sonnet; the session stays on opus.}");
}

/* ---- Retries ---- */

static void test_retry(void **state)
{
    struct bench b;
    (void)state;
    run(&b, AIR, RETRY);
    assert_int_equal(b.records, 1);
    assert_string_equal(b.record, "warning/service/Retrying Claude, attempt 2 of 10.");
    assert_non_null(strstr(b.last, ":error"));
    assert_string_equal(b.told, "");
    run(&b, PLAIN, RETRY);
    assert_int_equal(b.records, 0);
    assert_string_equal(b.told, "");
    run(&b, NOTICES, RETRY);
    assert_string_equal(b.told, "");
}

/* ---- Malformed ---- */

static void test_malformed(void **state)
{
    struct bench b;
    static const char frames[] =
        INFORMATIONAL("\"level\":\"warning\"") INFORMATIONAL("\"level\":\"warning\",\"content\":\"\"")
            INFORMATIONAL("\"level\":7,\"content\":[\"x\"]") FRAME("model_refusal_no_fallback", "\"a\":1")
                FRAME("api_retry", "\"error\":\"authentication_failed\",\"error_status\":401");
    (void)state;
    for (enum who who = PLAIN; who <= AIR; who++) {
        run(&b, who, frames);
        assert_string_equal(b.told, "");
        assert_int_equal(b.records, 0);
    }
}

#define NOTICES_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        NOTICES_TEST(test_informational_notice),
        NOTICES_TEST(test_informational_text),
        NOTICES_TEST(test_informational_again),
        NOTICES_TEST(test_result_was_a_notice),
        NOTICES_TEST(test_fallback),
        NOTICES_TEST(test_fallback_that_does_not_last),
        NOTICES_TEST(test_retry),
        NOTICES_TEST(test_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
