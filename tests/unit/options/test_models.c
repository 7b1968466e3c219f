#include "options/models.h"
#include "session_fixture.h"
#include "settings/model_text.h"

struct rows {
    struct arena mem;
    struct model_list list;
};

static void rows_build(struct rows *r, const char *cli, const char *settings, str custom)
{
    struct json_doc *doc = parse_or_fail(cli);
    struct settings *s = settings_of(settings);

    *r = (struct rows){.mem = ARENA_INIT};
    assert_true(models_build(&r->mem, &r->list, json_root(doc), s, custom));
    settings_free(s);
    json_unref(doc);
}

static void assert_names(const struct rows *r, const char *expected)
{
    AUTO_BUF(b);
    for (size_t i = 0; i < r->list.n; i++) {
        buf_put_c(&b, i ? "," : "");
        buf_put_str(&b, r->list.rows[i].value);
        buf_put_byte(&b, '|');
        buf_put_str(&b, r->list.rows[i].name);
    }
    assert_str(buf_str(&b), expected);
}

static void names_are_concrete(void **state)
{
    struct rows r;
    (void)state;

    rows_build(&r, cli_models, "{}", STR_ABSENT);
    assert_names(
        &r, "default|Default (recommended),opus|Opus 5.5,fable|Fable 5.2,sonnet|Sonnet 5.5,haiku|Haiku 5.5");
    assert_str(models_default_description(&r.list), "Opus");
    assert_int_equal(models_recommended(&r.list), 1);
    assert_true(r.list.rows[1].fast && r.list.rows[1].auto_mode && !r.list.rows[3].fast);
    assert_int_equal(r.list.rows[4].n_efforts, 5);
    arena_free(&r.mem);
}

static void names_of_odd_rows(void **state)
{
    struct rows r;
    (void)state;

    rows_build(
        &r,
        "[{\"value\":\"default\",\"resolvedModel\":\"claude-opus-5-5[1m]\",\"displayName\":\"Default "
        "(recommended)\"},"
        "{\"value\":\"opus[1m]\",\"resolvedModel\":\"claude-opus-5-5-1m\",\"displayName\":\"Opus (1M "
        "context)\","
        "\"description\":\"Opus 5.5 with 1M context\"},"
        "{\"value\":\"s\",\"resolvedModel\":\"claude-sonnet-5\",\"displayName\":\"Claude Sonnet (200k "
        "context)\","
        "\"description\":\"Work\"},"
        "{\"value\":\"haiku-a\",\"resolvedModel\":\"claude-haiku-4-5\",\"displayName\":\"Haiku\"},"
        "{\"value\":\"haiku-b\",\"resolvedModel\":\"claude-haiku-4-5-20250101\",\"displayName\":\"Haiku\"},"
        "{\"value\":\"f\",\"resolvedModel\":\"claude-fable-4-20250514\",\"displayName\":\"Fable\"},"
        "{\"value\":\"o4\",\"displayName\":\"Opus 4.1 (1M context)\",\"description\":\"1m context\"},"
        "{\"value\":\"house\",\"resolvedModel\":\"house-model-1\",\"displayName\":\"House special\"}]",
        "{}", STR_ABSENT);
    assert_names(
        &r, "default|Default (recommended),opus[1m]|Opus 5.5,s|Claude Sonnet 5 (200k context),haiku-a|Haiku,"
            "haiku-b|Haiku,f|Fable 4,o4|Opus 4.1,house|House special");
    assert_int_equal(models_recommended(&r.list), 1);
    arena_free(&r.mem);
}

static int match_of(const struct rows *r, const char *text)
{
    return models_match(&r->list, str_of(text));
}

static void preferences_match(void **state)
{
    struct rows r;
    (void)state;

    rows_build(&r, cli_models, "{}", STR_ABSENT);
    assert_int_equal(match_of(&r, "default"), 0);
    assert_int_equal(match_of(&r, "opus"), 1);
    assert_int_equal(match_of(&r, " Opus "), 1);
    assert_int_equal(match_of(&r, "Sonnet 5.5"), 3);
    assert_int_equal(match_of(&r, "claude-opus-5-5"), 1);
    assert_int_equal(match_of(&r, "CLAUDE-HAIKU-5-5"), 4);
    assert_int_equal(match_of(&r, "claude-haiku-5-5-20260101"), 4);
    assert_int_equal(match_of(&r, "opusplan"), 1);
    assert_int_equal(match_of(&r, "us.anthropic.claude-sonnet-5-5-v1:0"), 3);
    assert_int_equal(match_of(&r, "best fable there is"), 2);
    assert_int_equal(match_of(&r, "sonnet[1m]"), 3);
    assert_int_equal(match_of(&r, "claude-sonnet-4-5"), MODEL_NOT_FOUND);
    assert_int_equal(match_of(&r, "gpt-99"), MODEL_NOT_FOUND);
    assert_int_equal(match_of(&r, "[1m]"), MODEL_NOT_FOUND);
    assert_int_equal(match_of(&r, "  "), MODEL_NOT_FOUND);
    assert_int_equal(models_match(&r.list, STR_ABSENT), MODEL_NOT_FOUND);
    assert_int_equal(models_match_named(&r.list, STR("default")), MODEL_NOT_FOUND);
    assert_int_equal(models_find(&r.list, STR("Opus")), MODEL_NOT_FOUND);
    arena_free(&r.mem);
}

static void hints_and_spellings(void **state)
{
    (void)state;
    assert_true(model_same(STR("x-1m"), STR("X[1m]")));
    assert_true(model_same(STR(" x "), STR("X")));
    assert_false(model_same(STR("x[1m]"), STR("x")));
    assert_false(model_same(STR("x[1m]"), STR("x[2m]")));
    assert_false(model_same(STR_ABSENT, STR_ABSENT));
    assert_false(model_same(STR(""), STR_ABSENT));
    assert_false(model_same(STR("-1m"), STR("")));
}

static void allowlist(void **state)
{
    struct rows r;
    (void)state;

    rows_build(&r, cli_models,
               "{\"availableModels\":[\"sonnet\",\"custom-x\",\"claude-opus-5-5\",\" "
               "\",\"haiku\",\"sonnet\",\"default\"],"
               "\"modelOverrides\":{\"haiku\":\"my-haiku\"}}",
               STR("fable"));
    assert_names(&r,
                 "default|Default (recommended),sonnet|Sonnet 5.5,custom-x|custom-x,claude-opus-5-5|Opus 5.5,"
                 "my-haiku|Haiku 5.5,fable|Fable 5.2");
    assert_str(models_default_description(&r.list), "Opus");
    assert_false(r.list.rows[1].synthesized);
    assert_true(r.list.rows[2].synthesized && r.list.rows[3].synthesized && r.list.rows[4].synthesized);
    assert_false(r.list.rows[2].auto_mode);
    assert_int_equal(match_of(&r, "claude-haiku-5-5"), 4);
    arena_free(&r.mem);

    rows_build(&r, cli_models, "{\"availableModels\":[]}", STR("unknown"));
    assert_names(&r, "default|Default (recommended)");
    assert_str(models_default_description(&r.list), "claude-opus-5-5");
    assert_int_equal(models_recommended(&r.list), MODEL_NOT_FOUND);
    arena_free(&r.mem);
}

static void denied_models(void **state)
{
    struct home h;
    struct rows r = {.mem = ARENA_INIT};
    AUTO_JSON(doc) = NULL;
    (void)state;

    home_make(&h);
    home_write(
        &h, "managed/managed-settings.json",
        "{\"deniedModels\":[\"Haiku\",\"us.anthropic.claude-fable-5-v1:0\",\"\"],\"availableModels\":"
        "[\"claude-haiku-5-5\",\"fable\",\"claude-fable-55\",\"anthropic/claude-fable-5@2026\",\"sonnet\","
        "\"eu.anthropic.claude-fable-5-20260101-v2:1\"]}");
    struct settings *s = home_load(&h);
    doc = parse_or_fail(cli_models);
    assert_true(models_build(&r.mem, &r.list, json_root(doc), s, STR_ABSENT));
    assert_names(&r, "default|Default (recommended),claude-fable-55|claude-fable-55,"
                     "anthropic/claude-fable-5@2026|anthropic/claude-fable-5@2026,sonnet|Sonnet 5.5");
    settings_free(s);
    arena_free(&r.mem);
    home_remove(&h);
}

static void hostile_rows(void **state)
{
    static const char *const bad[] = {
        "null", "{}", "[]", "7", "[1,null,\"x\",[],{}]", "[{\"value\":7},{\"value\":\"\"}]",
    };
    struct rows r;
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        rows_build(&r, bad[i], "{}", STR_ABSENT);
        assert_names(&r, "default|Default");
        assert_int_equal(models_recommended(&r.list), MODEL_NOT_FOUND);
        assert_false(str_present(models_default_description(&r.list)));
        arena_free(&r.mem);
    }
    rows_build(
        &r,
        "[{\"value\":\"a\\u0000b\",\"displayName\":\"Claude\",\"description\":[],\"supportsEffort\":\"yes\","
        "\"supportedEffortLevels\":[\"low\"]},{\"value\":\"b\",\"displayName\":\" \",\"supportsEffort\":true,"
        "\"supportedEffortLevels\":[1,\"\",{},\"x\"],\"resolvedModel\":\"\"},{\"value\":\"b\"}]",
        "{}", STR_ABSENT);
    assert_int_equal(r.list.n, 2);
    assert_int_equal(r.list.rows[0].n_efforts, 0);
    assert_int_equal(r.list.rows[1].n_efforts, 1);
    assert_int_equal(match_of(&r, "((("), MODEL_NOT_FOUND);
    AUTO_BUF(large);
    buf_put_fill(&large, 'x', 5000000);
    assert_int_equal(models_match(&r.list, buf_str(&large)), MODEL_NOT_FOUND);
    arena_free(&r.mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_concrete), cmocka_unit_test(names_of_odd_rows),
        cmocka_unit_test(preferences_match),  cmocka_unit_test(hints_and_spellings),
        cmocka_unit_test(allowlist),          cmocka_unit_test(denied_models),
        cmocka_unit_test(hostile_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
