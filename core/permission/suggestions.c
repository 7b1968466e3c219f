#include "permission/suggestions.h"

#include "permission/text.h"

static bool is_one_of(str s, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (str_is(s, names[i])) {
            return true;
        }
    }
    return false;
}

static const char *const destinations[] = {"session", "cliArg", "userSettings", "projectSettings",
                                           "localSettings"};
static const char *const behaviors[] = {"allow", "deny", "ask"};
static const char *const modes[] = {"default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"};

bool permission_mode_known(str mode)
{
    return is_one_of(mode, modes, ARRAY_LEN(modes));
}

static bool valid_rules(json update, bool *plain)
{
    json rules = json_get(update, "rules");
    if (!is_one_of(json_str(json_get(update, "behavior")), behaviors, ARRAY_LEN(behaviors)) ||
        !json_is(rules, JSON_ARRAY) || json_count(rules) > SUGGESTION_RULES_MAX) {
        return false;
    }
    for (struct json_iter it = json_each(rules); json_next(&it);) {
        str tool = json_str(json_get(it.value, "toolName"));
        json content = json_get(it.value, "ruleContent");
        str rule = json_str(content);
        if (!permission_valid_text(tool, SUGGESTION_TOOL_NAME_MAX) ||
            (json_present(content) && !permission_valid_text(rule, SUGGESTION_RULE_MAX))) {
            return false;
        }
        *plain = *plain && permission_plain_text(tool) && permission_plain_text(rule);
    }
    return true;
}

static bool valid_some_rules(json update, bool *plain)
{
    return json_count(json_get(update, "rules")) > 0 && valid_rules(update, plain);
}

static bool valid_mode(json update, bool *plain)
{
    (void)plain;
    return permission_mode_known(json_str(json_get(update, "mode")));
}

static bool valid_directories(json update, bool *plain)
{
    json directories = json_get(update, "directories");
    size_t n = json_count(directories);
    if (!json_is(directories, JSON_ARRAY) || n == 0 || n > SUGGESTION_DIRECTORIES_MAX) {
        return false;
    }
    for (struct json_iter it = json_each(directories); json_next(&it);) {
        str directory = json_str(it.value);
        if (!permission_valid_text(directory, SUGGESTION_DIRECTORY_MAX)) {
            return false;
        }
        *plain = *plain && permission_plain_text(directory);
    }
    return true;
}

static const struct {
    const char *type;
    bool (*valid)(json update, bool *plain);
} update_types[] = {
    {"addRules", valid_some_rules},        {"removeRules", valid_some_rules},
    {"replaceRules", valid_rules},         {"setMode", valid_mode},
    {"addDirectories", valid_directories}, {"removeDirectories", valid_directories},
};

static bool valid_update(json update, bool *plain)
{
    str type = json_str(json_get(update, "type"));
    if (!is_one_of(json_str(json_get(update, "destination")), destinations, ARRAY_LEN(destinations))) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(update_types); i++) {
        if (str_is(type, update_types[i].type)) {
            return update_types[i].valid(update, plain);
        }
    }
    return false;
}

struct change_set change_set_read(json suggestions)
{
    size_t n = json_count(suggestions);
    if (!json_is(suggestions, JSON_ARRAY) || n == 0 || n > SUGGESTIONS_MAX) {
        return CHANGE_SET_NONE;
    }
    bool plain = true;
    for (struct json_iter it = json_each(suggestions); json_next(&it);) {
        if (!valid_update(it.value, &plain)) {
            return CHANGE_SET_NONE;
        }
    }
    return (struct change_set){json_detach(suggestions), plain};
}

void change_set_free(struct change_set *c)
{
    json_unref(c->doc);
    *c = CHANGE_SET_NONE;
}
