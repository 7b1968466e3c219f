#include "cli/raw_messages.h"

/* They carry requests and upkeep, and no part of the conversation. */
static bool is_internal(str type)
{
    static const char *const types[] = {
        "control_request", "control_response", "control_cancel_request", "keep_alive", "transcript_mirror",
    };
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (str_is(type, types[i])) {
            return true;
        }
    }
    return false;
}

/* A member that the filter does not have fits everything. */
static bool fits(json filter, const char *key, str value)
{
    json wanted = json_get(filter, key);
    return !json_present(wanted) ||
           (value.p && json_is(wanted, JSON_STRING) && str_eq(json_str(wanted), value));
}

bool raw_message_wanted(json wanted, json message)
{
    str type = json_str(json_get(message, "type"));
    if (is_internal(type)) {
        return false;
    }
    if (json_is_true(wanted)) {
        return true;
    }
    for (struct json_iter it = json_each(wanted); json_is(wanted, JSON_ARRAY) && json_next(&it);) {
        if (json_present(json_get(it.value, "type")) && fits(it.value, "type", type) &&
            fits(it.value, "subtype", json_str(json_get(message, "subtype"))) &&
            fits(it.value, "origin", json_str(json_path(message, "origin", "kind", NULL)))) {
            return true;
        }
    }
    return false;
}
