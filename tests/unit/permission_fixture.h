/* Short ways to ask a permission question in a test and to look at what is offered and decided. */
#ifndef HERALD_TESTS_PERMISSION_FIXTURE_H
#define HERALD_TESTS_PERMISSION_FIXTURE_H

#include "permission/offer.h"
#include "unit.h"

/* The session of most tests. */
static const struct permission_setting test_setting = {
    .cwd = STR_INIT("/home/u/ws"),
    .home = STR_INIT("/home/u"),
    .auto_offered = true,
    .usage_known = true,
    .context_used = 0,
    .context_size = 200000,
};

/* The request of a question about `tool`; `more` is further members with a comma in front. */
static inline struct json_doc *test_request(const char *tool, const char *input, const char *suggestions,
                                            const char *more)
{
    AUTO_BUF(b);
    buf_printf(&b,
               "{\"subtype\":\"can_use_tool\",\"tool_name\":\"%s\",\"tool_use_id\":\"toolu_1\",\"input\":%s",
               tool, input);
    if (suggestions) {
        buf_printf(&b, ",\"permission_suggestions\":%s", suggestions);
    }
    buf_printf(&b, "%s}", more ? more : "");
    return parse_or_fail(buf_c(&b));
}

static inline struct permission_offer *test_offer_at(struct json_doc *request,
                                                     const struct permission_setting *at)
{
    struct permission_question q;
    assert_true(permission_question_read(&q, json_root(request)));
    struct permission_offer *o = permission_offer_new(&q, at);
    assert_non_null(o);
    return o;
}

/* Makes an offer and gives the question back at once: the offer must not need it. */
static inline struct permission_offer *test_offer(const char *tool, const char *input,
                                                  const char *suggestions, const char *more)
{
    struct json_doc *request = test_request(tool, input, suggestions, more);
    struct permission_offer *o = test_offer_at(request, &test_setting);
    json_unref(request);
    return o;
}

/* "id=Name|id=Name|…" in the order shown, into `out`. */
static inline void test_options(const struct permission_offer *o, struct buf *out)
{
    AUTO_BUF(b);
    permission_offer_put_options(&b, o);
    struct json_doc *doc = parse_or_fail(buf_c(&b));
    for (struct json_iter it = json_each(json_root(doc)); json_next(&it);) {
        assert_int_equal(json_count(it.value), 3);
        if (out->n) {
            buf_put_byte(out, '|');
        }
        buf_put_str(out, json_str(json_get(it.value, "optionId")));
        buf_put_byte(out, '=');
        buf_put_str(out, json_str(json_get(it.value, "name")));
    }
    json_unref(doc);
}

/* The name of the option `id`; "(none)" when it is not offered. */
static inline void test_option_name(const struct permission_offer *o, const char *id, struct buf *out)
{
    AUTO_BUF(b);
    permission_offer_put_options(&b, o);
    struct json_doc *doc = parse_or_fail(buf_c(&b));
    buf_put_c(out, "(none)");
    for (struct json_iter it = json_each(json_root(doc)); json_next(&it);) {
        if (str_is(json_str(json_get(it.value, "optionId")), id)) {
            buf_clear(out);
            buf_put_str(out, json_str(json_get(it.value, "name")));
        }
    }
    json_unref(doc);
}

static inline void test_decide_raw(const struct permission_offer *o, const char *result,
                                   bool auto_unsupported, struct permission_decision *d)
{
    struct json_doc *doc = parse_or_fail(result);
    permission_offer_decide(o, json_root(doc), auto_unsupported, d);
    json_unref(doc);
}

static inline void test_decide(const struct permission_offer *o, const char *id,
                               struct permission_decision *d)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"%s\"}}", id);
    test_decide_raw(o, buf_c(&b), false, d);
}

/* The lasting choice of a question about `tool` in the test session. */
static inline void check_lasting(const char *tool, const char *input, const char *suggestions,
                                 const char *expected)
{
    struct permission_offer *o = test_offer(tool, input, suggestions, NULL);
    AUTO_BUF(name);
    test_option_name(o, "allow-with-updates", &name);
    assert_str(buf_str(&name), expected);
    permission_offer_free(o);
}

static inline void check_options(const char *tool, const char *input, const char *suggestions,
                                 const char *more, const char *expected)
{
    struct permission_offer *o = test_offer(tool, input, suggestions, more);
    AUTO_BUF(options);
    test_options(o, &options);
    assert_str(buf_str(&options), expected);
    permission_offer_free(o);
}

/* What the CLI is answered when `id` is chosen. */
static inline void check_answer(const char *tool, const char *input, const char *suggestions, const char *id,
                                enum permission_verdict verdict, const char *expected)
{
    struct permission_offer *o = test_offer(tool, input, suggestions, NULL);
    AUTO_DECISION(d);
    test_decide(o, id, &d);
    assert_str(permission_decision_text(&d), expected);
    assert_int_equal(d.verdict, verdict);
    permission_offer_free(o);
}

#endif
