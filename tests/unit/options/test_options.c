#include "options/options.h"
#include "session_fixture.h"

/* A session whose CLI takes or refuses what it is asked; `asked` tells what that was. */
struct fixture {
    struct settings *settings;
    struct client_capabilities client;
    struct json_doc *initialize;
    struct json_doc *meta;
    struct session_params params;
    struct launch launch;
    const char *const *env;
    struct session_options *o;
    struct options_change change;
    struct buf asked;
    const char *refuse; /* the error for a request whose text has `refused` in it */
    const char *refused;
};

static void run(struct fixture *f)
{
    const struct options_request *rq;

    buf_clear(&f->asked);
    while ((rq = options_change_next(&f->change))) {
        AUTO_BUF(line);
        buf_printf(&line, "%s {", rq->subtype);
        buf_put_str(&line, rq->members);
        buf_put_c(&line, "}");
        buf_put_c(&f->asked, f->asked.n ? " | " : "");
        buf_put_str(&f->asked, buf_str(&line));
        bool no = f->refused && strstr(buf_c(&line), f->refused);
        options_change_answered(f->o, &f->change, no ? f->refuse : NULL);
    }
}

struct start {
    const char *settings, *models, *agents, *fast, *meta, *model_variable;
    bool recommended, air, boolean_options, resumed, no_bypass;
    enum mode mode;
    const char *transcript_model;
    const struct session_options *carry;
    const char *refuse, *refused;
};

static void start(struct fixture *f, struct start s)
{
    AUTO_BUF(b);
    static const char *env[2];
    static char variable[128];

    *f = (struct fixture){.refuse = s.refuse, .refused = s.refused};
    (void)snprintf(variable, sizeof variable, "ANTHROPIC_MODEL=%s", s.model_variable ? s.model_variable : "");
    env[0] = variable;
    f->settings = settings_of(s.settings ? s.settings : "{}");
    f->client = (struct client_capabilities){
        .protocol_version = 1,
        .air = s.air || s.recommended,
        .air_recommended_value = s.recommended,
        .boolean_options = s.boolean_options,
    };
    buf_printf(&b, "{\"models\":%s,\"agents\":%s,%s\"x\":0}", s.models ? s.models : cli_models,
               s.agents ? s.agents : "[]", s.fast ? s.fast : "\"fast_mode_state\":\"off\",");
    f->initialize = parse_or_fail(buf_c(&b));
    f->meta = parse_or_fail(s.meta ? s.meta : "{}");
    f->params = (struct session_params){.cwd = STR("/"), .meta = json_root(f->meta)};
    f->launch = (struct launch){.mode = s.mode, .bypass = !s.no_bypass};
    struct session_options_setup setup = {
        .client = &f->client,
        .settings = f->settings,
        .launch = &f->launch,
        .params = &f->params,
        .initialize = json_root(f->initialize),
        .env = env,
        .resumed = s.resumed,
        .transcript_model = str_of(s.transcript_model),
        .carry = s.carry,
    };
    f->o = session_options_new(&setup, &f->change);
    assert_non_null(f->o);
    run(f);
    options_change_free(&f->change);
}

static void stop(struct fixture *f)
{
    session_options_free(f->o);
    settings_free(f->settings);
    json_unref(f->initialize);
    json_unref(f->meta);
    buf_free(&f->asked);
}

/* "error text", or the effects as letters, after the requests. */
static const char *told(struct fixture *f)
{
    static char text[256];

    if (f->change.code) {
        assert_int_equal(f->change.code, -32603);
        (void)snprintf(text, sizeof text, "%.*s", STR_ARG(f->change.error));
    } else {
        (void)snprintf(text, sizeof text, "%s%s%s", f->change.effects & OPTIONS_MODE ? "mode " : "",
                       f->change.effects & OPTIONS_LIST ? "list " : "",
                       f->change.effects & OPTIONS_MODEL ? "model " : "");
    }
    options_change_free(&f->change);
    return text;
}

static const char *set(struct fixture *f, const char *id, const char *value)
{
    struct json_doc *doc = parse_or_fail(value);
    session_options_set(f->o, &f->change, str_of(id), json_root(doc));
    json_unref(doc);
    run(f);
    return told(f);
}

static const char *set_mode(struct fixture *f, const char *id)
{
    session_options_set_mode(f->o, &f->change, str_of(id));
    run(f);
    return told(f);
}

static const char *switched(struct fixture *f, const char *model)
{
    session_options_model_switched(f->o, &f->change, str_of(model));
    run(f);
    return told(f);
}

/* An option as JSON text; "" when it is not there. */
static const char *option(struct fixture *f, const char *id, bool v2)
{
    static char text[8192];
    AUTO_BUF(b);
    AUTO_JSON(doc) = NULL;

    session_options_put(f->o, &b, v2);
    assert_true(buf_ok(&b));
    doc = parse_or_fail(buf_c(&b));
    text[0] = '\0';
    for (struct json_iter it = json_each(json_root(doc)); json_next(&it);) {
        if (str_is(json_str(json_get(it.value, v2 ? "configId" : "id")), id)) {
            (void)snprintf(text, sizeof text, "%.*s", STR_ARG(json_raw(it.value)));
        }
    }
    return text;
}

/* The currentValue, as text. */
static const char *current(struct fixture *f, const char *id)
{
    static char text[64];
    const char *raw = option(f, id, false);
    AUTO_JSON(doc) = NULL;

    if (!*raw) {
        return "";
    }
    doc = parse_or_fail(raw);
    json v = json_get(json_root(doc), "currentValue");
    (void)snprintf(text, sizeof text, "%.*s", STR_ARG(json_str(v).p ? json_str(v) : json_raw(v)));
    return text;
}

/* ---- */

static void the_list_of_a_plain_client(void **state)
{
    struct fixture f;
    AUTO_BUF(b);
    (void)state;

    start(&f, (struct start){0});
    assert_str(buf_str(&f.asked), "");
    session_options_put_modes(f.o, &b);
    assert_true(
        str_starts(buf_str(&b), STR("{\"currentModeId\":\"default\",\"availableModes\":[{\"id\":\"default\","
                                    "\"name\":\"Manual\",\"description\":\"")));
    assert_false(str_has(buf_str(&b), STR("_meta")));
    assert_true(str_has(buf_str(&b), STR("bypassPermissions")));
    assert_non_null(strstr(option(&f, "model", false),
                           "{\"value\":\"default\",\"name\":\"Default (recommended)\","
                           "\"description\":\"Opus\"}"));
    assert_non_null(
        strstr(option(&f, "effort", false),
               "\"category\":\"thought_level\",\"type\":\"select\",\"currentValue\":\"default\",\"options\":["
               "{\"value\":\"default\",\"name\":\"Default\"},{\"value\":\"low\",\"name\":\"Low\"},"
               "{\"value\":\"medium\",\"name\":\"Medium\"},{\"value\":\"high\",\"name\":\"High\"},"
               "{\"value\":\"xhigh\",\"name\":\"Xhigh\"},{\"value\":\"max\",\"name\":\"Max\"}]}"));
    assert_non_null(
        strstr(option(&f, "fast", false),
               "\"type\":\"select\",\"currentValue\":\"off\",\"options\":[{\"value\":\"on\",\"name\":\"On\"},"
               "{\"value\":\"off\",\"name\":\"Off\"}]}"));
    assert_string_equal(option(&f, "agent", false), "");
    assert_non_null(strstr(option(&f, "fast", true), "\"type\":\"boolean\",\"currentValue\":false}"));
    stop(&f);
    start(&f, (struct start){.boolean_options = true, .fast = "\"fast_mode_state\":\"cooldown\","});
    assert_non_null(strstr(option(&f, "fast", false), "\"type\":\"boolean\",\"currentValue\":true}"));
    stop(&f);
}

static void the_list_of_air(void **state)
{
    struct fixture f;
    AUTO_BUF(b);
    (void)state;

    start(&f, (struct start){.recommended = true, .no_bypass = true});
    assert_str(buf_str(&f.asked), "apply_flag_settings {\"settings\":{\"effortLevel\":\"medium\"}}");
    session_options_put_modes(f.o, &b);
    assert_true(str_has(buf_str(&b),
                        STR("\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"kind\":\"auto_review\"}}}")));
    assert_false(str_has(buf_str(&b), STR("bypass")));
    assert_non_null(strstr(option(&f, "mode", false), "\"kind\":\"standard\""));
    assert_string_equal(current(&f, "model"), "opus");
    assert_null(strstr(option(&f, "model", false), "\"default\""));
    assert_non_null(
        strstr(option(&f, "model", false),
               "\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"recommendedValue\":\"opus\"}}}"));
    assert_string_equal(current(&f, "effort"), "medium");
    assert_null(strstr(option(&f, "effort", false), "\"default\""));
    assert_non_null(strstr(option(&f, "effort", false), "\"recommendedValue\":\"medium\""));
    assert_string_equal(set(&f, "model", "\"default\""), "Invalid value for config option model: default");
    assert_string_equal(set(&f, "effort", "\"default\""), "Invalid value for config option effort: default");
    stop(&f);
    /* Nothing to recommend: the default row stays. */
    start(&f, (struct start){.recommended = true, .settings = "{\"availableModels\":[\"haiku\"]}"});
    assert_string_equal(current(&f, "model"), "default");
    assert_null(strstr(option(&f, "model", false), "recommendedValue"));
    assert_string_equal(current(&f, "effort"), "medium");
    stop(&f);
}

static void the_first_model(void **state)
{
    struct fixture f;
    (void)state;

    start(&f, (struct start){.settings = "{\"model\":\"sonnet\",\"effortLevel\":\"high\"}"});
    assert_str(buf_str(&f.asked), "");
    assert_string_equal(current(&f, "model"), "sonnet");
    assert_string_equal(current(&f, "effort"), "high");
    stop(&f);
    start(&f, (struct start){.settings = "{\"model\":\"haiku\"}", .model_variable = "claude-sonnet-5-5"});
    assert_str(buf_str(&f.asked), "set_model {\"model\":\"sonnet\"}");
    assert_string_equal(current(&f, "model"), "sonnet");
    stop(&f);
    start(&f, (struct start){.model_variable = "gpt-99"});
    assert_str(buf_str(&f.asked), "");
    assert_string_equal(current(&f, "model"), "default");
    stop(&f);
    start(&f, (struct start){.model_variable = "Sonnet",
                             .refused = "set_model",
                             .refuse = "Model switch blocked by a PreModelSwitch hook: no"});
    assert_int_equal(f.change.code, 0);
    assert_string_equal(current(&f, "model"), "default");
    stop(&f);
    start(&f, (struct start){.model_variable = "Sonnet", .refused = "set_model", .refuse = "no"});
    assert_int_equal(f.change.code, -32603);
    stop(&f);
}

static void the_model_of_a_resumed_session(void **state)
{
    struct fixture f;
    (void)state;

    start(&f, (struct start){.resumed = true, .transcript_model = "claude-opus-5-5"});
    assert_string_equal(current(&f, "model"), "default");
    stop(&f);
    start(&f, (struct start){.resumed = true, .transcript_model = "claude-sonnet-5-5", .mode = MODE_PLAN});
    assert_str(buf_str(&f.asked), "");
    assert_string_equal(current(&f, "model"), "sonnet");
    assert_int_equal(session_options_mode(f.o), MODE_PLAN);
    stop(&f);
    start(&f, (struct start){.resumed = true, .transcript_model = "gone-1", .mode = MODE_AUTO});
    assert_string_equal(current(&f, "model"), "gone-1");
    assert_string_equal(current(&f, "effort"), "");
    assert_null(session_options_model_row(f.o));
    assert_true(session_options_auto_supported(f.o));
    assert_int_equal(session_options_mode(f.o), MODE_AUTO);
    assert_string_equal(set(&f, "model", "\"gone-1\""), "model ");
    assert_str(buf_str(&f.asked), "set_model {\"model\":\"gone-1\"}");
    stop(&f);
    start(&f, (struct start){.resumed = true,
                             .transcript_model = "claude-opus-5-5",
                             .settings = "{\"model\":\"haiku\"}"});
    assert_str(buf_str(&f.asked), "set_model {\"model\":\"haiku\"}");
    assert_string_equal(current(&f, "model"), "haiku");
    stop(&f);
}

static void modes(void **state)
{
    struct fixture f;
    (void)state;

    start(&f, (struct start){.mode = MODE_ACCEPT_EDITS, .no_bypass = true});
    assert_string_equal(set_mode(&f, "plan"), "list ");
    assert_str(buf_str(&f.asked), "set_permission_mode {\"mode\":\"plan\"}");
    assert_string_equal(set_mode(&f, "dontAsk"), "Mode dontAsk is not available in this session");
    assert_string_equal(set_mode(&f, "bypassPermissions"),
                        "Mode bypassPermissions is not available in this session");
    assert_string_equal(set_mode(&f, "manual"), "Invalid Mode");
    assert_str(buf_str(&f.asked), "");
    assert_string_equal(set(&f, "mode", "\"default\""), "mode ");
    assert_string_equal(set(&f, "mode", "\"dontAsk\""), "Invalid value for config option mode: dontAsk");
    assert_string_equal(set(&f, "mode", "\"bypassPermissions\""),
                        "Invalid value for config option mode: bypassPermissions");
    f.refused = "set_permission_mode";
    f.refuse = "the CLI says no";
    assert_string_equal(set_mode(&f, "auto"), "the CLI says no");
    assert_int_equal(session_options_mode(f.o), MODE_DEFAULT);
    assert_int_equal(session_options_note_mode(f.o, MODE_PLAN), OPTIONS_MODE | OPTIONS_LIST);
    assert_string_equal(current(&f, "mode"), "plan");
    assert_int_equal(session_options_note_mode(f.o, MODE_NONE), 0);
    stop(&f);
    start(&f, (struct start){.mode = MODE_DONT_ASK});
    assert_str(buf_str(&f.asked), "set_permission_mode {\"mode\":\"default\"}");
    assert_string_equal(current(&f, "mode"), "default");
    assert_false(session_options_take_auto_warning(f.o));
    stop(&f);
}

static const char two_models[] = "[{\"value\":\"default\",\"displayName\":\"Default\",\"supportsAutoMode\":"
                                 "true,\"supportsFastMode\":true},"
                                 "{\"value\":\"old\",\"displayName\":\"Old one\"}]";

static void auto_mode_needs_its_model(void **state)
{
    struct fixture f;
    (void)state;

    start(&f, (struct start){.models = two_models, .mode = MODE_AUTO, .settings = "{\"model\":\"old\"}"});
    assert_str(buf_str(&f.asked), "set_permission_mode {\"mode\":\"acceptEdits\"}");
    assert_int_equal(session_options_mode(f.o), MODE_ACCEPT_EDITS);
    assert_true(session_options_take_auto_warning(f.o));
    assert_false(session_options_take_auto_warning(f.o));
    stop(&f);

    start(&f, (struct start){.models = two_models, .mode = MODE_AUTO});
    assert_str(buf_str(&f.asked), "");
    assert_int_equal(session_options_mode(f.o), MODE_AUTO);
    assert_string_equal(set(&f, "model", "\"old\""), "mode model ");
    assert_str(buf_str(&f.asked),
               "set_model {\"model\":\"old\"} | set_permission_mode {\"mode\":\"acceptEdits\"}");
    assert_true(session_options_take_auto_warning(f.o));
    assert_string_equal(set_mode(&f, "auto"), "mode list ");
    assert_string_equal(current(&f, "mode"), "acceptEdits");
    assert_false(session_options_take_auto_warning(f.o));
    assert_int_equal(session_options_effective_mode(f.o, MODE_AUTO), MODE_ACCEPT_EDITS);
    assert_int_equal(session_options_effective_mode(f.o, MODE_PLAN), MODE_PLAN);
    /* A refusal of the mode is not the model's. */
    assert_string_equal(set(&f, "model", "\"default\""), "model ");
    assert_string_equal(set(&f, "mode", "\"auto\""), "mode ");
    f.refused = "set_permission_mode";
    f.refuse = "no";
    assert_string_equal(set(&f, "model", "\"old\""), "mode model ");
    assert_string_equal(current(&f, "model"), "old");
    stop(&f);
}

static void models(void **state)
{
    struct fixture f;
    (void)state;

    start(&f, (struct start){.settings = "{\"model\":\"sonnet\",\"effortLevel\":\"high\"}"});
    assert_string_equal(set(&f, "model", "\"claude-opus-5-5\""), "model ");
    assert_str(buf_str(&f.asked), "set_model {\"model\":\"opus\"}");
    assert_string_equal(current(&f, "model"), "opus");
    assert_string_equal(current(&f, "fast"), "off");
    assert_string_equal(set(&f, "model", "\"gpt-99\""), "Invalid value for config option model: gpt-99");
    assert_string_equal(set(&f, "model", "\"Sonnet\""), "model ");
    assert_string_equal(current(&f, "fast"), "");
    assert_string_equal(set(&f, "fast", "\"on\""), "Unknown config option: fast");
    f.refused = "set_model";
    f.refuse = "not today";
    assert_string_equal(set(&f, "model", "\"haiku\""), "not today");
    assert_string_equal(current(&f, "model"), "sonnet");
    f.refused = NULL;
    assert_string_equal(switched(&f, "claude-sonnet-5-5"), "");
    assert_string_equal(switched(&f, ""), "");
    assert_string_equal(switched(&f, "claude-haiku-5-5"), "list model ");
    assert_str(buf_str(&f.asked), "");
    assert_string_equal(current(&f, "model"), "haiku");
    assert_string_equal(switched(&f, "some-model"), "list model ");
    assert_string_equal(current(&f, "model"), "some-model");
    assert_string_equal(switched(&f, "some-model"), "");
    stop(&f);
}

static const char some_efforts[] =
    "[{\"value\":\"default\",\"resolvedModel\":\"m-a\",\"displayName\":\"Default\",\"supportsEffort\":true,"
    "\"supportedEffortLevels\":[\"low\",\"medium\",\"high\"]},{\"value\":\"a\",\"resolvedModel\":\"m-a\","
    "\"displayName\":\"Model A\","
    "\"supportsEffort\":true,\"supportedEffortLevels\":[\"low\",\"medium\",\"high\"]},"
    "{\"value\":\"b\",\"displayName\":\"Model "
    "B\",\"supportsEffort\":true,\"supportedEffortLevels\":[\"low\",\"extra_high\"]},"
    "{\"value\":\"c\",\"displayName\":\"Model C\"}]";

static void effort_by_the_cli(void **state)
{
    struct fixture f;
    (void)state;

    start(&f, (struct start){.models = some_efforts,
                             .settings = "{\"modelSettings\":{\"b\":{\"effortLevel\":\"low\"}}}"});
    assert_string_equal(set(&f, "effort", "\"high\""), "");
    assert_str(buf_str(&f.asked), "apply_flag_settings {\"settings\":{\"effortLevel\":\"high\"}}");
    assert_string_equal(set(&f, "model", "\"a\""), "model ");
    assert_str(buf_str(&f.asked), "set_model {\"model\":\"a\"}");
    assert_string_equal(current(&f, "effort"), "high");
    /* The pin is lost: the CLI is told to forget it. */
    assert_string_equal(set(&f, "model", "\"b\""), "model ");
    assert_str(buf_str(&f.asked),
               "set_model {\"model\":\"b\"} | apply_flag_settings {\"settings\":{\"effortLevel\":null}}");
    assert_string_equal(current(&f, "effort"), "low");
    assert_string_equal(set(&f, "model", "\"c\""), "model ");
    assert_str(buf_str(&f.asked), "set_model {\"model\":\"c\"}");
    assert_string_equal(current(&f, "effort"), "");
    assert_string_equal(set(&f, "effort", "\"low\""), "Unknown config option: effort");
    assert_string_equal(set(&f, "model", "\"b\""), "model ");
    assert_non_null(
        strstr(option(&f, "effort", false), "{\"value\":\"extra_high\",\"name\":\"Extra High\"}"));
    assert_string_equal(set(&f, "effort", "\"default\""), "");
    assert_str(buf_str(&f.asked), "apply_flag_settings {\"settings\":{\"effortLevel\":null}}");
    assert_string_equal(current(&f, "effort"), "default");
    assert_string_equal(set(&f, "effort", "\"medium\""), "Invalid value for config option effort: medium");
    assert_string_equal(set(&f, "effort", "true"), "Invalid value for config option effort: true");
    stop(&f);
    start(&f, (struct start){.models = some_efforts,
                             .settings = "{\"ultracode\":true}",
                             .meta = "{\"claudeCode\":{\"options\":{\"effort\":\"high\"}}}"});
    assert_string_equal(current(&f, "effort"), "high");
    f.refused = "effortLevel";
    f.refuse = "no";
    assert_string_equal(set(&f, "effort", "\"low\""), "no");
    assert_str(buf_str(&f.asked),
               "apply_flag_settings {\"settings\":{\"effortLevel\":\"low\",\"ultracode\":true}}");
    assert_string_equal(current(&f, "effort"), "high");
    stop(&f);
}

static void effort_as_recommended(void **state)
{
    struct fixture f;
    (void)state;

    start(&f, (struct start){.models = some_efforts, .recommended = true});
    assert_string_equal(current(&f, "model"), "a");
    assert_string_equal(set(&f, "model", "\"b\""), "model ");
    assert_str(buf_str(&f.asked),
               "set_model {\"model\":\"b\"} | apply_flag_settings {\"settings\":{\"effortLevel\":\"low\"}}");
    assert_non_null(strstr(option(&f, "effort", false), "\"recommendedValue\":\"low\""));
    assert_string_equal(set(&f, "model", "\"c\""), "model ");
    assert_str(buf_str(&f.asked),
               "set_model {\"model\":\"c\"} | apply_flag_settings {\"settings\":{\"effortLevel\":null}}");
    assert_string_equal(set(&f, "model", "\"a\""), "model ");
    assert_string_equal(current(&f, "effort"), "medium");
    assert_string_equal(set(&f, "effort", "\"high\""), "");
    /* The sync fails: never an effort that was not applied. */
    f.refused = "effortLevel";
    f.refuse = "no";
    assert_string_equal(set(&f, "model", "\"b\""), "model ");
    assert_string_equal(current(&f, "model"), "b");
    assert_string_equal(current(&f, "effort"), "");
    assert_string_equal(set(&f, "model", "\"a\""), "model ");
    assert_string_equal(current(&f, "effort"), "high");
    f.refused = NULL;
    assert_string_equal(set(&f, "model", "\"b\""), "model ");
    assert_string_equal(current(&f, "effort"), "low");
    stop(&f);
    start(&f, (struct start){.models = some_efforts,
                             .recommended = true,
                             .refused = "effortLevel",
                             .refuse = "no"});
    assert_int_equal(f.change.code, 0);
    assert_string_equal(current(&f, "effort"), "");
    stop(&f);
}

static void fast_mode(void **state)
{
    struct fixture f;
    const char *warning;
    (void)state;

    start(&f,
          (struct start){
              .fast = "\"fast_mode_state\":\"off\",\"fast_mode_disabled_reason\":\"sdk_opt_in_required\","});
    assert_string_equal(set(&f, "fast", "\"on\""), "");
    assert_str(buf_str(&f.asked), "apply_flag_settings {\"settings\":{\"fastMode\":true}}");
    assert_string_equal(current(&f, "fast"), "on");
    assert_string_equal(set(&f, "fast", "false"), "");
    assert_string_equal(current(&f, "fast"), "off");
    assert_string_equal(set(&f, "fast", "\"maybe\""), "Invalid value for config option fast: maybe");
    assert_string_equal(set(&f, "fast", "1"), "Invalid value for config option fast: 1");
    assert_string_equal(set(&f, "fast", "true"), "");
    assert_int_equal(session_options_note_fast(f.o, STR("cooldown"), STR_ABSENT, &warning), 0);
    assert_int_equal(session_options_note_fast(f.o, STR_ABSENT, STR("free"), &warning), 0);
    assert_int_equal(session_options_note_fast(f.o, STR("on"), STR_ABSENT, &warning), 0);
    assert_int_equal(session_options_note_fast(f.o, STR("off"), STR("free"), &warning), OPTIONS_LIST);
    assert_non_null(warning);
    assert_non_null(strstr(option(&f, "fast", false), warning));
    assert_int_equal(session_options_note_fast(f.o, STR("off"), STR("free"), &warning), 0);
    assert_int_equal(session_options_note_fast(f.o, STR("off"), STR("sdk_opt_in_required"), &warning),
                     OPTIONS_LIST);
    assert_null(warning);
    assert_string_equal(set(&f, "model", "\"haiku\""), "model ");
    assert_int_equal(session_options_note_fast(f.o, STR("on"), STR_ABSENT, &warning), 0);
    stop(&f);
}

static void agents(void **state)
{
    struct fixture f;
    (void)state;

    start(&f,
          (struct start){
              .agents = "[{\"name\":\"claude\"},{\"name\":\"Plan\"},{\"name\":\"aa\",\"description\":\"d\"},"
                        "{\"name\":\"\"},{\"name\":7},{\"name\":\"aa\"},{\"name\":\"default\"}]",
              .meta = "{\"claudeCode\":{\"options\":{\"agent\":\"aa\"}}}"});
    assert_string_equal(current(&f, "agent"), "aa");
    assert_null(strstr(option(&f, "agent", false), "category"));
    assert_non_null(strstr(option(&f, "agent", false),
                           "\"options\":[{\"value\":\"default\",\"name\":\"Default\"},"
                           "{\"value\":\"aa\",\"name\":\"aa\",\"description\":\"d\"}]}"));
    assert_string_equal(set(&f, "agent", "\"default\""), "");
    assert_str(buf_str(&f.asked), "apply_flag_settings {\"settings\":{\"agent\":null}}");
    assert_string_equal(current(&f, "agent"), "default");
    assert_string_equal(set(&f, "agent", "\"aa\""), "");
    assert_str(buf_str(&f.asked), "apply_flag_settings {\"settings\":{\"agent\":\"aa\"}}");
    assert_string_equal(set(&f, "agent", "\"Plan\""), "Invalid value for config option agent: Plan");
    stop(&f);
    start(&f, (struct start){.agents = "[{\"name\":\"claude\"},{\"name\":\"Explore\"}]"});
    assert_string_equal(set(&f, "agent", "\"default\""), "Unknown config option: agent");
    assert_string_equal(set(&f, "nothing", "\"x\""), "Unknown config option: nothing");
    stop(&f);
}

static void a_process_replaces_another(void **state)
{
    struct fixture f, g;
    struct launch_request rq = {.mode = MODE_NONE};
    (void)state;

    start(&f, (struct start){.agents = "[{\"name\":\"aa\"}]", .recommended = true});
    (void)set(&f, "model", "\"fable\"");
    (void)set(&f, "effort", "\"xhigh\"");
    (void)set(&f, "agent", "\"aa\"");
    (void)set(&f, "fast", "true");
    (void)set_mode(&f, "plan");
    session_options_keep(f.o, &rq);
    assert_int_equal(rq.mode, MODE_PLAN);
    assert_str(rq.model, "fable");
    assert_str(rq.effort, "xhigh");
    assert_str(rq.agent, "aa");
    start(&g, (struct start){.agents = "[{\"name\":\"aa\"}]",
                             .recommended = true,
                             .carry = f.o,
                             .mode = MODE_ACCEPT_EDITS,
                             .settings = "{\"model\":\"haiku\"}"});
    assert_str(buf_str(&g.asked), "apply_flag_settings {\"settings\":{\"effortLevel\":\"xhigh\"}} | "
                                  "apply_flag_settings {\"settings\":{\"fastMode\":true}}");
    assert_string_equal(current(&g, "model"), "fable");
    assert_string_equal(current(&g, "effort"), "xhigh");
    assert_string_equal(current(&g, "agent"), "aa");
    assert_string_equal(current(&g, "fast"), "on");
    assert_string_equal(current(&g, "mode"), "acceptEdits");
    stop(&g);
    stop(&f);
    start(&f, (struct start){0});
    session_options_keep(f.o, &rq);
    assert_false(str_present(rq.model));
    assert_false(str_present(rq.agent));
    assert_str(rq.effort, "");
    stop(&f);
}

static void hostile_values(void **state)
{
    struct fixture f;
    AUTO_BUF(b);
    (void)state;

    start(&f, (struct start){.models = "{\"a\":1}", .agents = "7", .fast = "\"fast_mode_state\":{},"});
    assert_string_equal(current(&f, "model"), "default");
    assert_string_equal(set(&f, "model", "{}"), "Invalid value for config option model: {}");
    assert_string_equal(set(&f, "mode", "null"), "Invalid value for config option mode: null");
    buf_put_byte(&b, '"');
    buf_put_fill(&b, 'x', 1000000);
    buf_put_byte(&b, '"');
    assert_true(strlen(set(&f, "model", buf_c(&b))) < 256);
    session_options_set(f.o, &f.change, buf_str(&b), JSON_NONE);
    assert_true(f.change.code == -32603 && f.change.error.n < 512);
    assert_null(options_change_next(&f.change));
    options_change_answered(f.o, &f.change, NULL);
    options_change_free(&f.change);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_of_a_plain_client),
        cmocka_unit_test(the_list_of_air),
        cmocka_unit_test(the_first_model),
        cmocka_unit_test(the_model_of_a_resumed_session),
        cmocka_unit_test(modes),
        cmocka_unit_test(auto_mode_needs_its_model),
        cmocka_unit_test(models),
        cmocka_unit_test(effort_by_the_cli),
        cmocka_unit_test(effort_as_recommended),
        cmocka_unit_test(fast_mode),
        cmocka_unit_test(agents),
        cmocka_unit_test(a_process_replaces_another),
        cmocka_unit_test(hostile_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
