#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/path.h"
#include "launch/launch_parts.h"

/* ---- MCP servers ----------------------------------------------------------------------------- */

static bool has_string(json v, const char *key)
{
    return json_is(json_get(v, key), JSON_STRING);
}

/* An array of {name, value}. */
static bool has_pairs(json v, const char *key)
{
    json list = json_get(v, key);

    for (struct json_iter it = json_each(list); json_is(list, JSON_ARRAY) && json_next(&it);) {
        if (!has_string(it.value, "name") || !has_string(it.value, "value")) {
            return false;
        }
    }
    return json_is(list, JSON_ARRAY);
}

static bool has_strings(json v, const char *key)
{
    json list = json_get(v, key);

    for (struct json_iter it = json_each(list); json_is(list, JSON_ARRAY) && json_next(&it);) {
        if (!json_is(it.value, JSON_STRING)) {
            return false;
        }
    }
    return json_is(list, JSON_ARRAY);
}

enum server_kind { SERVER_STDIO, SERVER_REMOTE, SERVER_ACP };

static enum server_kind server_kind(json server)
{
    str type = json_str(json_get(server, "type"));
    return str_is(type, "http") || str_is(type, "sse") ? SERVER_REMOTE
           : str_is(type, "acp")                       ? SERVER_ACP
                                                       : SERVER_STDIO;
}

const char *mcp_servers_check(json v)
{
    if (!json_is(v, JSON_ARRAY)) {
        return "expected an array of MCP servers";
    }
    for (struct json_iter it = json_each(v); json_next(&it);) {
        json s = it.value;
        enum server_kind kind = server_kind(s);
        bool fits = kind == SERVER_REMOTE ? has_string(s, "url") && has_pairs(s, "headers")
                    : kind == SERVER_ACP
                        ? has_string(s, "serverId")
                        : has_string(s, "command") && has_strings(s, "args") && has_pairs(s, "env");
        if (!fits || !has_string(s, "name")) {
            return "expected MCP servers: {name, command, args, env}, {type: http or sse, name, url, "
                   "headers} or {type: acp, name, serverId}";
        }
    }
    return NULL;
}

static bool lacks(json v, const char *key)
{
    return !json_present(json_get(v, key));
}

const char *mcp_servers_check_v2(json v)
{
    if (!json_is(v, JSON_ARRAY)) {
        return "expected an array of MCP servers";
    }
    for (struct json_iter it = json_each(v); json_next(&it);) {
        json s = it.value;
        str type = json_str(json_get(s, "type"));
        bool fits = str_is(type, "stdio")
                        ? has_string(s, "command") && (lacks(s, "args") || has_strings(s, "args")) &&
                              (lacks(s, "env") || has_pairs(s, "env"))
                    : str_is(type, "http")
                        ? has_string(s, "url") && (lacks(s, "headers") || has_pairs(s, "headers"))
                        : str_is(type, "acp") && has_string(s, "serverId");
        if (!fits || !has_string(s, "name")) {
            return "expected MCP servers: {type: stdio, name, command, args, env}, {type: http, name, url, "
                   "headers} or {type: acp, name, serverId}";
        }
    }
    return NULL;
}

static void put_pairs(struct buf *b, const char *key, json list)
{
    if (!json_is(list, JSON_ARRAY)) {
        return;
    }
    json_key(b, key);
    json_open_object(b);
    for (struct json_iter it = json_each(list); json_next(&it);) {
        str value = json_str(json_get(it.value, "value"));
        if (value.p) {
            json_key_str(b, json_str(json_get(it.value, "name")));
            json_put_str(b, value);
        }
    }
    json_close_object(b);
}

static void put_server(struct buf *b, str name, json server)
{
    json_key_str(b, name);
    json_open_object(b);
    if (server_kind(server) == SERVER_REMOTE) {
        json_member(b, "type", json_get(server, "type"));
        json_member(b, "url", json_get(server, "url"));
        put_pairs(b, "headers", json_get(server, "headers"));
    } else {
        json_member_c(b, "type", "stdio");
        json_member(b, "command", json_get(server, "command"));
        json_member(b, "args", json_get(server, "args"));
        put_pairs(b, "env", json_get(server, "env"));
    }
    json_close_object(b);
}

/* The last of the request's servers that has a name, and whether it has been written. */
struct server_slot {
    json server;
    bool written;
};

static bool collect(struct map *slots, json mcp_servers)
{
    for (struct json_iter it = json_each(mcp_servers); json_next(&it);) {
        str name = json_str(json_get(it.value, "name"));
        struct server_slot *slot = name.p ? map_get(slots, name) : NULL;
        if (!name.p || server_kind(it.value) == SERVER_ACP) {
            continue;
        }
        if (!slot) {
            slot = calloc(1, sizeof *slot);
            if (!slot || !map_put(slots, name, slot, NULL)) {
                free(slot);
                return false;
            }
        }
        slot->server = it.value;
    }
    return true;
}

void launch_put_mcp_config(struct buf *b, json options, json mcp_servers)
{
    json own = json_get(options, "mcpServers");
    struct map slots = MAP_INIT;
    size_t none;

    b->failed = !collect(&slots, json_is(mcp_servers, JSON_ARRAY) ? mcp_servers : JSON_NONE) || b->failed;
    json_open_object(b);
    json_key(b, "mcpServers");
    json_open_object(b);
    none = b->n;
    for (struct json_iter it = json_each(own); json_is(own, JSON_OBJECT) && json_next(&it);) {
        struct server_slot *slot = map_get(&slots, json_iter_key(&it));
        if (json_iter_shadowed(&it) || (slot && slot->written)) {
            continue;
        }
        if (slot) {
            slot->written = true;
            put_server(b, json_iter_key(&it), slot->server);
        } else if (json_is(it.value, JSON_OBJECT)) {
            json_key_str(b, json_iter_key(&it));
            json_put(b, it.value);
        }
    }
    for (struct json_iter it = json_each(mcp_servers); json_next(&it);) {
        str name = json_str(json_get(it.value, "name"));
        struct server_slot *slot = name.p ? map_get(&slots, name) : NULL;
        if (slot && !slot->written) {
            slot->written = true;
            put_server(b, name, slot->server);
        }
    }
    bool empty = b->n == none;
    json_close_object(b);
    json_close_object(b);
    if (empty) {
        buf_truncate(b, 0);
    }
    map_free(&slots, free);
}

/* ---- Settings -------------------------------------------------------------------------------- */

static void put_env(void *user, const char *name, str value)
{
    json_member_str(user, name, value);
}

static bool provider_sets(const char *const *names, size_t n, str key)
{
    for (size_t i = 0; i < n; i++) {
        if (str_is(key, names[i])) {
            return true;
        }
    }
    return false;
}

struct names {
    const char *list[32];
    size_t n;
};

static void take_name(void *user, const char *name, str value)
{
    struct names *names = user;
    (void)value;
    if (names->n < ARRAY_LEN(names->list)) {
        names->list[names->n++] = name;
    }
}

/* Settings outrank the process's environment, so the route is stated here too. */
static void put_route(struct buf *b, const struct providers *providers, json env)
{
    struct names names = {.n = 0};

    providers_each_env(providers, take_name, &names);
    json_member_c(b, "apiKeyHelper", "");
    json_key(b, "env");
    json_open_object(b);
    for (struct json_iter it = json_each(env); json_is(env, JSON_OBJECT) && json_next(&it);) {
        if (!json_iter_shadowed(&it) && !provider_sets(names.list, names.n, json_iter_key(&it))) {
            json_key_str(b, json_iter_key(&it));
            json_put(b, it.value);
        }
    }
    providers_each_env(providers, put_env, b);
    json_close_object(b);
}

static void put_members(struct buf *b, json object, bool routed, bool sandboxed)
{
    for (struct json_iter it = json_each(object); json_next(&it);) {
        str key = json_iter_key(&it);
        bool ours = (routed && (str_is(key, "apiKeyHelper") || str_is(key, "env"))) ||
                    (sandboxed && str_is(key, "sandbox"));
        if (!ours && !json_iter_shadowed(&it)) {
            json_key_str(b, key);
            json_put(b, it.value);
        }
    }
}

/* CLAUDE_MODEL_CONFIG gives two keys, under what the client asks for. */
static const char *put_model_config(struct buf *b, str text, json settings)
{
    static const char *const keys[] = {"modelOverrides", "availableModels"};
    AUTO_JSON(doc) = NULL;

    if (!text.n) {
        return NULL;
    }
    doc = json_parse(text, NULL);
    if (!json_is(json_root(doc), JSON_OBJECT)) {
        return "CLAUDE_MODEL_CONFIG is not a JSON object; correct or unset this environment variable";
    }
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (!json_present(json_get(settings, keys[i]))) {
            json_member(b, keys[i], json_get(json_root(doc), keys[i]));
        }
    }
    return NULL;
}

const char *launch_put_settings(struct arena *a, struct buf *b, const struct launch_request *rq, json options)
{
    json settings = json_get(options, "settings");
    json sandbox = json_get(options, "sandbox");
    str path = json_text(settings);
    bool routed = providers_active(rq->providers), sandboxed = json_is(sandbox, JSON_OBJECT);
    AUTO_JSON(file) = NULL;

    if (path.p) {
        const char *why = NULL;
        file = settings_read_file(path_resolve(a, rq->params->cwd, path), &why);
        if (!file) {
            str story = arena_printf(a, "The settings file %.*s %s", STR_ARG(path), why);
            return story.p ? story.p : "The settings file cannot be read";
        }
        settings = json_root(file);
    }
    if (!json_is(settings, JSON_OBJECT)) {
        settings = JSON_NONE;
    }
    json_open_object(b);
    const char *error = put_model_config(b, env_get(rq->env, "CLAUDE_MODEL_CONFIG"), settings);
    if (error) {
        return error;
    }
    put_members(b, settings, routed, sandboxed);
    if (sandboxed) {
        json_member(b, "sandbox", sandbox);
    }
    if (routed) {
        put_route(b, rq->providers, json_get(settings, "env"));
    }
    bool empty = b->n == 1;
    json_close_object(b);
    if (empty) {
        buf_truncate(b, 0);
    }
    return NULL;
}

/* ---- The initialize request ------------------------------------------------------------------ */

static const struct {
    const char *event;
    const char *matcher;
    bool patches_only; /* for a client that gets them */
} hooks[] = {
    {"PreToolUse", "Edit|Write", true}, {"PostToolUse", NULL, false}, {"PostToolUseFailure", NULL, false},
    {"PostModelSwitch", NULL, false},   {"PostCompact", NULL, false}, {"TaskCreated", NULL, false},
    {"TaskCompleted", NULL, false},
};

static const char *const passed_on[] = {
    "agents",
    "title",
    "promptSuggestions",
    "agentProgressSummaries",
    "planModeInstructions",
    "appendSubagentSystemPrompt",
    "toolAliases",
    "workspaceTrust",
    "perTaskStopAffordance",
    "rapidFollowupPreempt",
    "webSearchIsolationExemptMcpServers",
};

static void put_hooks(struct buf *b, bool patches)
{
    int id = 0;

    json_key(b, "hooks");
    json_open_object(b);
    for (size_t i = 0; i < ARRAY_LEN(hooks); i++) {
        if (hooks[i].patches_only && !patches) {
            continue;
        }
        json_key(b, hooks[i].event);
        json_open_array(b);
        json_open_object(b);
        json_member_c(b, "matcher", hooks[i].matcher);
        json_key(b, "hookCallbackIds");
        json_open_array(b);
        char name[16];
        (void)snprintf(name, sizeof name, "hook_%d", id++);
        json_put_c(b, name);
        json_close_array(b);
        json_close_object(b);
        json_close_array(b);
    }
    json_close_object(b);
}

static void put_system_prompt(struct buf *b, const struct launch_request *rq)
{
    json prompt = json_get(rq->params->meta, "systemPrompt");
    str custom = json_text(json_path(rq->params->meta, "jetbrains", "air", "customInstructions", NULL));

    if (json_text(prompt).p) {
        json_key(b, "systemPrompt");
        json_open_array(b);
        json_put(b, prompt);
        json_close_array(b);
    } else if (json_is(prompt, JSON_OBJECT)) {
        json snapshot = json_get(prompt, "snapshot");
        json dynamic = json_get(prompt, "excludeDynamicSections");
        json_member_str(b, "appendSystemPrompt", json_text(json_get(prompt, "append")));
        json_member(b, "excludeDynamicSections", json_is_bool(dynamic) ? dynamic : JSON_NONE);
        json_member(b, "systemPromptSnapshot", json_is(snapshot, JSON_NULL) ? JSON_NONE : snapshot);
    } else if (rq->client->air && !json_truthy(prompt)) {
        json_member_str(b, "appendSystemPrompt", custom);
    }
}

void launch_put_initialize(struct buf *b, const struct launch_request *rq, json options, bool subagent_text)
{
    json format = json_get(options, "outputFormat");
    json skills = json_get(options, "skills");

    put_hooks(b, client_wants_patches(rq->client));
    put_system_prompt(b, rq);
    json_member_bool(b, "forwardSubagentText", subagent_text);
    if (rq->client->elicitation_form) {
        json_member_raw(b, "supportedDialogKinds", STR("[\"refusal_fallback_prompt\"]"));
    }
    for (size_t i = 0; i < ARRAY_LEN(passed_on); i++) {
        json v = json_get(options, passed_on[i]);
        json_member(b, passed_on[i], json_is(v, JSON_NULL) ? JSON_NONE : v);
    }
    json_member(b, "skills", json_is(skills, JSON_ARRAY) ? skills : JSON_NONE);
    if (str_is(json_str(json_get(format, "type")), "json_schema")) {
        json schema = json_get(format, "schema");
        json_member(b, "jsonSchema", json_is(schema, JSON_OBJECT) ? schema : JSON_NONE);
    }
    if (str_is(json_str(json_get(options, "pluginDelivery")), "initialize")) {
        json plugins = json_get(options, "plugins");
        json_member(b, "plugins", json_is(plugins, JSON_ARRAY) ? plugins : JSON_NONE);
    }
}
