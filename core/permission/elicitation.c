#include "permission/elicitation.h"

static void open_request(struct buf *b, const char *mode, str session_id, str message)
{
    json_open_object(b);
    json_member_c(b, "mode", mode);
    json_member_str(b, "sessionId", session_id);
    json_member_str(b, "message", str_present(message) ? message : STR(""));
}

/* The schema as the server wrote it, as a schema of an object. */
static void put_schema(struct buf *b, json schema)
{
    bool typed = false;
    json_open_object(b);
    if (!json_is(schema, JSON_OBJECT)) {
        json_member_c(b, "type", "object");
        json_member_raw(b, "properties", STR("{}"));
        json_close_object(b);
        return;
    }
    for (struct json_iter it = json_each(schema); json_next(&it);) {
        str key = json_iter_key(&it);
        if (!str_is(key, "type")) {
            json_key_str(b, key);
            json_put(b, it.value);
        } else if (!typed) {
            json_member_c(b, "type", "object");
            typed = true;
        }
    }
    if (!typed) {
        json_member_c(b, "type", "object");
    }
    json_close_object(b);
}

bool elicitation_put_request(struct buf *b, json request, const struct client_capabilities *client,
                             str session_id, str fallback_id)
{
    str message = json_str(json_get(request, "message"));
    if (!str_is(json_str(json_get(request, "mode")), "url")) {
        if (!client->elicitation_form) {
            return false;
        }
        open_request(b, "form", session_id, message);
        json_key(b, "requestedSchema");
        put_schema(b, json_get(request, "requested_schema"));
        json_close_object(b);
        return true;
    }
    str url = json_text(json_get(request, "url")), id = json_text(json_get(request, "elicitation_id"));
    if (!client->elicitation_url || !str_present(url)) {
        return false;
    }
    open_request(b, "url", session_id, message);
    json_member_str(b, "url", url);
    json_member_str(b, "elicitationId", str_present(id) ? id : fallback_id);
    json_close_object(b);
    return true;
}

void elicitation_put_answer(struct buf *b, json result)
{
    str action = json_str(json_get(result, "action"));
    json content = json_get(result, "content");
    if (str_is(action, "decline")) {
        json_put_raw(b, STR(ELICITATION_DECLINE));
        return;
    }
    if (!str_is(action, "accept")) {
        json_put_raw(b, STR(ELICITATION_CANCEL));
        return;
    }
    json_open_object(b);
    json_member_c(b, "action", "accept");
    json_member_raw(b, "content", json_is(content, JSON_OBJECT) ? json_raw(content) : STR("{}"));
    json_close_object(b);
}

/* ---- Dialogs of the CLI -------------------------------------------------------------------------- */

#define RETRY  "retry_fallback"
#define KEEP   "cancelled"
#define CHOICE "choice"

static void put_choice(struct buf *b, const char *value, str title, str description)
{
    json_open_object(b);
    json_member_c(b, "const", value);
    json_member_str(b, "title", title);
    json_member_str(b, "description", description);
    json_close_object(b);
}

bool user_dialog_put_request(struct buf *b, json request, str session_id)
{
    json payload = json_get(request, "payload");
    str original = json_str(json_get(payload, "originalModel"));
    str fallback = json_str(json_get(payload, "fallbackModel"));
    str category = json_text(json_get(payload, "apiRefusalCategory"));
    str guidance = json_text(json_get(payload, "guidanceText"));
    if (!str_is(json_str(json_get(request, "dialog_kind")), "refusal_fallback_prompt") ||
        !str_present(original) || !str_present(fallback)) {
        return false;
    }
    AUTO_BUF(message);
    AUTO_BUF(retry);
    AUTO_BUF(goes_on);
    buf_put_str(&message, original);
    buf_put_c(&message, " declined this request");
    if (str_present(category)) {
        buf_put_c(&message, " (");
        buf_put_str(&message, category);
        buf_put_c(&message, ")");
    }
    buf_put_c(&message, ". Retry with ");
    buf_put_str(&message, fallback);
    buf_put_c(&message, "?");
    if (str_present(guidance)) {
        buf_put_c(&message, "\n\n");
        buf_put_str(&message, guidance);
    }
    buf_put_c(&retry, "Retry with ");
    buf_put_str(&retry, fallback);
    buf_put_c(&goes_on, "The session continues on ");
    buf_put_str(&goes_on, fallback);
    buf_put_c(&goes_on, ".");

    open_request(b, "form", session_id, buf_str(&message));
    json_key(b, "requestedSchema");
    json_open_object(b);
    json_member_c(b, "type", "object");
    json_key(b, "properties");
    json_open_object(b);
    json_key(b, CHOICE);
    json_open_object(b);
    json_member_c(b, "type", "string");
    json_key(b, "oneOf");
    json_open_array(b);
    put_choice(b, RETRY, buf_str(&retry), buf_str(&goes_on));
    put_choice(b, KEEP, STR("Keep the refusal"), STR("You can send a new message."));
    json_close_array(b);
    json_close_object(b);
    json_close_object(b);
    json_close_object(b);
    json_close_object(b);
    b->failed = b->failed || message.failed || retry.failed || goes_on.failed;
    return true;
}

void user_dialog_put_answer(struct buf *b, json result)
{
    bool retry = str_is(json_str(json_get(result, "action")), "accept") &&
                 str_is(json_str(json_get(json_get(result, "content"), CHOICE)), RETRY);
    json_open_object(b);
    json_member_c(b, "behavior", "completed");
    json_member_c(b, "result", retry ? RETRY : KEEP);
    json_close_object(b);
}
