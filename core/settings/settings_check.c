#include "settings/settings_check.h"

#include "settings/modes.h"

static bool is_text(json v)
{
    return json_is(v, JSON_STRING);
}

static bool is_list(json v)
{
    return json_is(v, JSON_ARRAY);
}

static bool is_table(json v)
{
    return json_is(v, JSON_OBJECT);
}

static bool is_texts(json v)
{
    for (struct json_iter it = json_each(v); is_list(v) && json_next(&it);) {
        if (!is_text(it.value)) {
            return false;
        }
    }
    return is_list(v);
}

static bool is_table_of_texts(json v)
{
    for (struct json_iter it = json_each(v); is_table(v) && json_next(&it);) {
        if (!is_text(it.value)) {
            return false;
        }
    }
    return is_table(v);
}

static bool is_mode(json v)
{
    return is_text(v) && mode_of_setting(json_str(v)) != MODE_NONE;
}

static bool is_disable(json v)
{
    return str_is(json_str(v), "disable");
}

static const struct {
    const char *outer; /* the object in which the key is; NULL: the file */
    const char *key;
    const char *whole; /* both, as they are told */
    bool (*fits)(json v);
    const char *expected;
} rules[] = {
    {NULL, "model", "model", is_text, "a text is expected"},
    {NULL, "availableModels", "availableModels", is_texts, "a list of texts is expected"},
    {NULL, "modelOverrides", "modelOverrides", is_table_of_texts, "an object of texts is expected"},
    {NULL, "apiKeyHelper", "apiKeyHelper", is_text, "a text is expected"},
    {NULL, "env", "env", is_table, "an object is expected"},
    {NULL, "permissions", "permissions", is_table, "an object is expected"},
    {"permissions", "allow", "permissions.allow", is_list, "a list is expected"},
    {"permissions", "deny", "permissions.deny", is_list, "a list is expected"},
    {"permissions", "ask", "permissions.ask", is_list, "a list is expected"},
    {"permissions", "additionalDirectories", "permissions.additionalDirectories", is_list,
     "a list is expected"},
    {"permissions", "defaultMode", "permissions.defaultMode", is_mode,
     "one of default, acceptEdits, plan, auto, dontAsk and bypassPermissions is expected"},
    {"permissions", "disableBypassPermissionsMode", "permissions.disableBypassPermissionsMode", is_disable,
     "only disable is expected"},
};

const char *settings_check(json file, const char **why)
{
    for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
        json v = json_get(rules[i].outer ? json_get(file, rules[i].outer) : file, rules[i].key);
        if (json_present(v) && !rules[i].fits(v)) {
            *why = rules[i].expected;
            return rules[i].whole;
        }
    }
    return NULL;
}
