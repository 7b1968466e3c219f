#include "launch/launch.h"

#include <stdio.h>
#include <stdlib.h>

#include "launch/launch_parts.h"

json session_params_options(const struct session_params *p)
{
    json options = json_path(p->meta, "claudeCode", "options", NULL);
    return json_is(options, JSON_OBJECT) ? options : JSON_NONE;
}

str session_params_resume(const struct session_params *p)
{
    return json_text(json_get(session_params_options(p), "resume"));
}

static unsigned source_bit(str name)
{
    static const struct {
        str name;
        unsigned bit;
    } sources[] = {
        {STR_INIT("user"), SETTINGS_USER},
        {STR_INIT("project"), SETTINGS_PROJECT},
        {STR_INIT("local"), SETTINGS_LOCAL},
    };
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        if (str_eq(str_trim(name), sources[i].name)) {
            return sources[i].bit;
        }
    }
    return 0;
}

unsigned session_params_left_out(const struct session_params *p)
{
    json sources = json_get(session_params_options(p), "settingSources");
    unsigned left_out = SETTINGS_USER | SETTINGS_PROJECT | SETTINGS_LOCAL;

    if (!json_is(sources, JSON_ARRAY)) {
        return 0;
    }
    for (struct json_iter it = json_each(sources); json_next(&it);) {
        left_out &= ~source_bit(json_text(it.value));
    }
    return left_out;
}

/* ---- The argument list ----------------------------------------------------------------------- */

struct args {
    struct arena *a;
    const char **list;
    size_t n, cap;
    json options;
};

static bool usable(str s)
{
    return s.p && str_find_byte(s, '\0', 0) == SIZE_MAX;
}

static void push(struct args *args, str text)
{
    if (args->n + 2 > args->cap) {
        size_t cap = args->cap ? args->cap * 2 : 64;
        const char **list = arena_alloc(args->a, cap * sizeof *list);
        if (!list) {
            return;
        }
        if (args->n) {
            memcpy(list, args->list, args->n * sizeof *list);
        }
        args->list = list;
        args->cap = cap;
    }
    args->list[args->n++] = arena_str(args->a, text).p;
}

static void flag(struct args *args, const char *name)
{
    push(args, str_of(name));
}

/* `name` ends in "=". What the command line cannot hold counts as absent. */
static void with(struct args *args, const char *name, str value)
{
    AUTO_BUF(b);

    if (usable(value)) {
        buf_put_c(&b, name);
        buf_put_str(&b, value);
        push(args, arena_buf(args->a, &b));
    }
}

/* Two arguments, unless the second would be taken for a flag. */
static void pair(struct args *args, str name, str value)
{
    if (value.n > 1 && value.p[0] == '-') {
        AUTO_BUF(b);
        buf_put_str(&b, name);
        buf_put_byte(&b, '=');
        buf_put_str(&b, value);
        push(args, arena_buf(args->a, &b));
    } else {
        push(args, name);
        push(args, value);
    }
}

static void option_string(struct args *args, const char *name, const char *key)
{
    with(args, name, json_text(json_get(args->options, key)));
}

static void option_true(struct args *args, const char *name, const char *key)
{
    if (json_is_true(json_get(args->options, key))) {
        flag(args, name);
    }
}

/* A number above zero, in the client's own digits. */
static void option_number(struct args *args, const char *name, json v)
{
    double d;
    if (json_double(v, &d) && d > 0) {
        with(args, name, json_raw(v));
    }
}

static void join(struct buf *b, str item)
{
    if (b->n) {
        buf_put_byte(b, ',');
    }
    buf_put_str(b, item);
}

static void join_all(struct buf *b, json list)
{
    for (struct json_iter it = json_each(list); json_is(list, JSON_ARRAY) && json_next(&it);) {
        str item = json_text(it.value);
        if (usable(item)) {
            join(b, item);
        }
    }
}

static void option_list(struct args *args, const char *name, const char *key)
{
    AUTO_BUF(b);

    join_all(&b, json_get(args->options, key));
    if (b.n) {
        with(args, name, buf_str(&b));
    }
}

/* ---- Single arguments ------------------------------------------------------------------------ */

static void put_budget(struct args *args, int64_t tokens)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%lld", (long long)tokens);
    if (tokens > 0) {
        with(args, "--max-thinking-tokens=", str_of(text));
    } else {
        flag(args, "--thinking=disabled");
    }
}

/* MAX_THINKING_TOKENS: its leading whole number. False when it is no number, or a negative one. */
static bool env_budget(str text, int64_t *tokens)
{
    str s = str_trim(text);
    size_t i = s.n && s.p[0] == '+';
    size_t first = i;

    for (*tokens = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++) {
        *tokens = *tokens < INT32_MAX ? *tokens * 10 + (s.p[i] - '0') : *tokens;
    }
    return i > first;
}

static void put_thinking(struct args *args, const struct launch_request *rq, struct launch *out)
{
    json thinking = json_get(args->options, "thinking");
    str type = json_str(json_get(thinking, "type"));
    str limit = env_get(rq->env, "MAX_THINKING_TOKENS");
    int64_t tokens = 0;
    bool off = str_is(type, "disabled");

    if (str_is(type, "adaptive") || off || str_is(type, "enabled")) {
        if (str_is(type, "enabled") && json_int(json_get(thinking, "budgetTokens"), &tokens) && tokens > 0) {
            put_budget(args, tokens);
        } else {
            flag(args, off ? "--thinking=disabled" : "--thinking=adaptive");
        }
        if (!off) {
            with(args, "--thinking-display=", json_text(json_get(thinking, "display")));
        }
    } else if ((json_int(json_get(args->options, "maxThinkingTokens"), &tokens) && tokens >= 0) ||
               (limit.p && env_budget(limit, &tokens))) {
        put_budget(args, tokens);
    } else if (limit.p) {
        out->notice = "MAX_THINKING_TOKENS is no whole number from 0 on; ignored";
    }
}

/* What a replaced process hands on, or else the option. */
static str kept(str carried, json options, const char *key)
{
    return carried.p ? carried : json_text(json_get(options, key));
}

static void put_kept(struct args *args, const char *name, str carried, const char *key)
{
    str value = kept(carried, args->options, key);
    if (value.n) {
        with(args, name, value);
    }
}

static void put_debug(struct args *args)
{
    json schema = json_path(args->options, "outputFormat", "schema", NULL);
    str type = json_str(json_path(args->options, "outputFormat", "type", NULL));

    if (str_is(type, "json_schema") && json_is(schema, JSON_OBJECT)) {
        with(args, "--json-schema=", json_raw(schema));
    }
    if (json_text(json_get(args->options, "debugFile")).p) {
        option_string(args, "--debug-file=", "debugFile");
    } else {
        option_true(args, "--debug", "debug");
    }
}

static bool listed(json list, str item)
{
    for (struct json_iter it = json_each(list); json_is(list, JSON_ARRAY) && json_next(&it);) {
        if (str_eq(json_str(it.value), item)) {
            return true;
        }
    }
    return false;
}

static void put_allowed(struct args *args)
{
    json allowed = json_get(args->options, "allowedTools");
    json skills = json_get(args->options, "skills");
    AUTO_BUF(b);

    join_all(&b, allowed);
    if (str_is(json_str(skills), "all") && !listed(allowed, STR("Skill"))) {
        join(&b, STR("Skill"));
    }
    for (struct json_iter it = json_each(skills); json_is(skills, JSON_ARRAY) && json_next(&it);) {
        AUTO_BUF(rule);
        buf_put_c(&rule, "Skill(");
        buf_put_str(&rule, json_text(it.value));
        buf_put_byte(&rule, ')');
        if (json_text(it.value).p && usable(buf_str(&rule)) && !listed(allowed, buf_str(&rule))) {
            join(&b, buf_str(&rule));
        }
    }
    if (b.n) {
        with(args, "--allowedTools=", buf_str(&b));
    }
}

static void put_tools(struct args *args, const struct launch_request *rq)
{
    json tools = json_get(args->options, "tools");
    AUTO_BUF(denied);
    AUTO_BUF(b);

    join_all(&denied, json_get(args->options, "disallowedTools"));
    if (!rq->client->elicitation_form) {
        join(&denied, STR("AskUserQuestion"));
    }
    if (denied.n) {
        with(args, "--disallowedTools=", buf_str(&denied));
    }
    join_all(&b, tools);
    bool none = json_is(tools, JSON_ARRAY) ||
                (!json_present(tools) && json_is_true(json_get(rq->params->meta, "disableBuiltInTools")));
    with(args, "--tools=", none ? buf_str(&b) : STR("default"));
}

static void put_folders(struct args *args, const struct launch_request *rq)
{
    const json lists[] = {
        json_get(args->options, "additionalDirectories"),
        json_present(rq->params->additional_directories) ? rq->params->additional_directories
                                                         : json_get(rq->params->meta, "additionalRoots"),
    };
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        for (struct json_iter it = json_each(lists[i]); json_is(lists[i], JSON_ARRAY) && json_next(&it);) {
            with(args, "--add-dir=", json_text(it.value));
        }
    }
}

static void put_plugins(struct args *args)
{
    json plugins = json_get(args->options, "plugins");
    bool in_initialize = str_is(json_str(json_get(args->options, "pluginDelivery")), "initialize");

    for (struct json_iter it = json_each(plugins); json_is(plugins, JSON_ARRAY) && json_next(&it);) {
        bool no_mcp = json_is_true(json_get(it.value, "skipMcpDiscovery"));
        if (!in_initialize && str_is(json_str(json_get(it.value, "type")), "local")) {
            with(args,
                 no_mcp ? "--plugin-dir-no-mcp=" : "--plugin-dir=", json_text(json_get(it.value, "path")));
        }
    }
    if (in_initialize && json_is(plugins, JSON_ARRAY)) {
        flag(args, "--await-initialize");
    }
}

/* Flags on which the control protocol itself, or our own reading of the settings, depends are not the
 * client's to give. */
static bool reserved(str name)
{
    static const char *const ours[] = {
        "replay-user-messages",   "output-format", "input-format",
        "permission-prompt-tool", "session-id",    "setting-sources",
    };
    for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
        if (str_is(name, ours[i])) {
            return true;
        }
    }
    return false;
}

static void put_extra(struct args *args)
{
    json extra = json_get(args->options, "extraArgs");

    for (struct json_iter it = json_each(extra); json_is(extra, JSON_OBJECT) && json_next(&it);) {
        str key = json_iter_key(&it), value = json_str(it.value);
        AUTO_BUF(name);
        if (!key.n || !usable(key) || json_iter_shadowed(&it) || reserved(key)) {
            continue;
        }
        buf_put_c(&name, "--");
        buf_put_str(&name, key);
        if (json_is(it.value, JSON_NULL)) {
            push(args, buf_str(&name));
        } else if (usable(value)) {
            pair(args, buf_str(&name), value);
        }
    }
}

/* ---- The whole line -------------------------------------------------------------------------- */

static void put_first(struct args *args, const struct launch_request *rq, struct launch *out)
{
    static const char *const framing[] = {"--output-format", "stream-json", "--verbose", "--input-format",
                                          "stream-json"};

    for (size_t i = 0; i < ARRAY_LEN(framing); i++) {
        flag(args, framing[i]);
    }
    put_thinking(args, rq, out);
    put_kept(args, "--effort=", rq->effort, "effort");
    option_number(args, "--max-turns=", json_get(args->options, "maxTurns"));
    option_number(args, "--max-budget-usd=", json_get(args->options, "maxBudgetUsd"));
    option_number(args, "--task-budget=", json_path(args->options, "taskBudget", "total", NULL));
    put_kept(args, "--model=", rq->model, "model");
    put_kept(args, "--agent=", rq->agent, "agent");
    option_list(args, "--betas=", "betas");
    put_debug(args);
}

static void put_middle(struct args *args, const struct launch_request *rq)
{
    json sources = json_get(args->options, "settingSources");
    AUTO_BUF(mcp);
    AUTO_BUF(list);

    flag(args, "--permission-prompt-tool=stdio");
    option_string(args, "--permission-prompts=", "permissionPrompts");
    option_true(args, "--continue", "continue");
    if (rq->resume_id.n) {
        with(args, "--resume=", rq->resume_id);
    }
    put_allowed(args);
    put_tools(args, rq);
    launch_put_mcp_config(&mcp, args->options, rq->params->mcp_servers);
    if (mcp.n) {
        pair(args, STR("--mcp-config"), buf_str(&mcp));
    }
    join_all(&list, sources);
    with(args,
         "--setting-sources=", json_is(sources, JSON_ARRAY) ? buf_str(&list) : STR("user,project,local"));
    option_true(args, "--strict-mcp-config", "strictMcpConfig");
    args->a->failed = args->a->failed || mcp.failed || list.failed;
}

static void put_last(struct args *args, const struct launch_request *rq, const struct launch *out)
{
    json persist = json_get(args->options, "persistSession");
    json managed = json_get(args->options, "managedSettings");

    with(args, "--permission-mode=", str_of(mode_info(out->mode)->id));
    if (out->bypass) {
        flag(args, "--allow-dangerously-skip-permissions");
    }
    option_string(args, "--fallback-model=", "fallbackModel");
    option_true(args, "--include-hook-events", "includeHookEvents");
    flag(args, "--include-partial-messages");
    option_string(args, "--project-config-root=", "projectConfigRoot");
    put_folders(args, rq);
    put_plugins(args);
    if (rq->fork) {
        flag(args, "--fork-session");
    }
    option_string(args, "--resume-session-at=", "resumeSessionAt");
    option_string(args, "--resume-drops-turn=", "resumeDropsTurn");
    if (rq->session_id.n) {
        with(args, "--session-id=", rq->session_id);
    }
    if (json_is(persist, JSON_FALSE)) {
        flag(args, "--no-session-persistence");
    }
    if (json_is(managed, JSON_OBJECT)) {
        pair(args, STR("--managed-settings"), json_raw(managed));
    }
    put_extra(args);
    flag(args, "--replay-user-messages");
    if (out->settings.p) {
        pair(args, STR("--settings"), out->settings);
    }
}

/* ---- The environment ------------------------------------------------------------------------- */

static void set_route(void *user, const char *name, str value)
{
    env_set(user, str_of(name), value);
}

static void set_fixed(struct env_changes *env, const struct launch_request *rq, json options,
                      const struct launch *out)
{
    str preview = json_text(json_path(options, "toolConfig", "askUserQuestion", "previewFormat", NULL));

    env_set(env, STR("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"), STR("1"));
    if (!env_will_be(env, rq->env, "CLAUDE_CODE_ENTRYPOINT").p) {
        env_set(env, STR("CLAUDE_CODE_ENTRYPOINT"), STR("sdk-ts"));
    }
    if (out->file_checkpoints) {
        env_set(env, STR("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"), STR("true"));
    }
    env_set(env, STR("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT"), preview);
    env_remove(env, STR("NODE_OPTIONS"));
    if (env_will_be(env, rq->env, "DEBUG_CLAUDE_AGENT_SDK").p) {
        env_set(env, STR("DEBUG"), STR("1"));
    } else {
        env_remove(env, STR("DEBUG"));
    }
    env_set(env, STR("PWD"), rq->params->cwd);
}

static const char *const *build_env(struct arena *a, const struct launch_request *rq, json options,
                                    const struct launch *out)
{
    json own = json_get(options, "env");
    struct env_changes env = {.a = a};

    for (struct json_iter it = json_each(own); json_is(own, JSON_OBJECT) && json_next(&it);) {
        if (!json_iter_shadowed(&it)) {
            env_set(&env, json_iter_key(&it), json_str(it.value));
        }
    }
    providers_each_env(rq->providers, set_route, &env);
    set_fixed(&env, rq, options, out);
    const char *const *built = env_build(&env, rq->env);
    env_changes_free(&env);
    return built;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool bypass_available(const struct launch_request *rq, json options)
{
    return (!rq->root || env_get(rq->env, "IS_SANDBOX").p) && !settings_bypass_disabled(rq->settings) &&
           !json_is(json_get(options, "allowDangerouslySkipPermissions"), JSON_FALSE);
}

enum mode launch_mode(const struct launch_request *rq, bool bypass)
{
    bool kept = rq->mode != MODE_NONE && (rq->mode != MODE_BYPASS || bypass);
    enum mode mode = kept ? rq->mode : settings_default_mode(rq->settings);
    return mode == MODE_NONE || (mode == MODE_BYPASS && !bypass) ? MODE_DEFAULT : mode;
}

/* A relative CLAUDE_CONFIG_DIR means a folder in each session's own: what is opened would pass for the user's
 * settings, which may grant everything. */
static const char *check_config_dir(struct arena *a, const struct launch_request *rq, json options)
{
    static const char variable[] = "CLAUDE_CONFIG_DIR";
    json own = json_path(options, "env", variable, NULL);
    str folder = json_is(own, JSON_STRING) ? json_str(own) : env_get(rq->env, variable);

    if (!folder.n || folder.p[0] == '/') {
        return NULL;
    }
    str story =
        arena_printf(a,
                     "%s is the relative path %.*s, which an opened folder could supply. Set it to an "
                     "absolute path, or unset it",
                     variable, STR_ARG(folder));
    return story.p ? story.p : "out of memory";
}

const char *launch_build(struct arena *a, const struct launch_request *rq, struct launch *out)
{
    json options = session_params_options(rq->params);
    str model = kept(rq->model, options, "model");
    struct args args = {.a = a, .options = options};
    AUTO_BUF(settings);
    AUTO_BUF(initialize);

    *out = (struct launch){.notice = NULL};
    if (model.n && str_eq(model, json_text(json_get(options, "fallbackModel")))) {
        return "fallbackModel must be another model than model";
    }
    const char *error = check_config_dir(a, rq, options);
    if (error) {
        return error;
    }
    error = launch_put_settings(a, &settings, rq, options);
    if (error) {
        return error;
    }
    out->settings = settings.n ? arena_buf(a, &settings) : STR_ABSENT;
    out->bypass = bypass_available(rq, options);
    out->mode = launch_mode(rq, out->bypass);
    out->file_checkpoints =
        rq->client->air_file_change_report || json_is_true(json_get(options, "enableFileCheckpointing"));
    out->subagent_text = client_has_subagent_sessions(rq->client) || rq->client->subagent_transcript ||
                         json_is_true(json_get(options, "forwardSubagentText"));
    launch_put_initialize(&initialize, rq, options, out->subagent_text);
    out->initialize = arena_buf(a, &initialize);
    put_first(&args, rq, out);
    put_middle(&args, rq);
    put_last(&args, rq, out);
    out->argv = args.list;
    out->env = build_env(a, rq, options, out);
    a->failed = a->failed || settings.failed || initialize.failed;
    return NULL;
}
