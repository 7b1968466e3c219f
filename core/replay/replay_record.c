#include "replay/replay_record.h"

#include "replay/replay_compaction.h"
#include "replay/sent_messages.h"
#include "tool/child_sessions.h"

/* ---- What the client is told ---- */

static str place(const struct replay_view *v, const struct replay_child *child)
{
    return child ? str_of(child->session) : v->to->session;
}

static str child_meta(const struct replay_view *v, struct buf *b)
{
    return children_meta(b, v->child ? str_of(v->child->call) : STR_ABSENT);
}

static void say(struct replay_view *v, enum message_role role, str message_id, str text)
{
    const struct replay_target *to = v->to;
    AUTO_BUF(meta);
    if (text.n) {
        to->surface->text(to->surface_self, place(v, v->child), role, message_id, text, child_meta(v, &meta));
    }
}

/* What a subagent reads as a user's text is what it was asked. */
static void say_user(struct replay_view *v, const struct replay_item *item, str text)
{
    if (!v->child || !v->children.draft) {
        say(v, MESSAGE_USER, item->uuid, text);
    } else if (!str_starts(text, STR("[Request interrupted by user"))) {
        replay_child_asked(&v->children, v->child, item->by, item->uuid, text);
    }
}

static void say_image(struct replay_view *v, enum message_role role, str message_id, json block)
{
    const struct replay_target *to = v->to;
    json source = json_get(block, "source");
    bool linked = str_is(json_str(json_get(source, "type")), "url");
    str data = json_str(json_get(source, "data")), uri = json_text(json_get(source, "url"));
    if (linked ? !uri.p : !data.p) {
        return;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_c(&b, "type", "image");
    json_member_str(&b, "data", linked ? STR("") : data);
    str type = json_str(json_get(source, "media_type"));
    json_member_str(&b, "mimeType", linked || !type.p ? STR("") : type);
    json_member_str(&b, "uri", linked ? uri : STR_ABSENT);
    json_close_object(&b);
    AUTO_BUF(meta);
    if (buf_ok(&b)) {
        to->surface->block(to->surface_self, place(v, v->child), role, message_id, buf_str(&b),
                           child_meta(v, &meta));
    }
}

/* ---- Notices of finished tasks ---- */

static void note_tasks(struct replay_view *v, str text)
{
    struct task_notice t;
    size_t at = 0;
    while ((v->tasks.tells || v->shows_children) && task_notice_next(text, &at, &t)) {
        struct replay_child *c = replay_children_told_of(&v->children, t.call, t.task);
        if (c) {
            replay_child_notice(c, t.status);
        } else {
            replay_tasks_notice(&v->tasks, &t);
        }
    }
}

/* ---- User records ---- */

static void show_text(struct replay_view *v, const struct replay_item *item, str text,
                      enum user_text_origin origin, bool hidden)
{
    if (origin == USER_TEXT_STORED) {
        note_tasks(v, text);
    }
    buf_clear(&v->text);
    text = item->told ? told_text(text) : text;
    if (!hidden && user_text_put(&v->text, text, origin) && buf_ok(&v->text)) {
        say_user(v, item, buf_str(&v->text));
    }
}

/* A prompt that the CLI made to tell the model of a finished task. */
static bool is_notice(json root)
{
    json origin = json_get(root, "origin");
    str mode = json_str(json_path(root, "attachment", "commandMode", NULL));
    return str_is(mode, "task-notification") ||
           (str_is(json_str(json_get(origin, "kind")), "task-notification") &&
            !json_truthy(json_get(origin, "subkind")));
}

static str parent_of(const struct replay_view *v)
{
    return v->child ? str_of(v->child->call) : STR_ABSENT;
}

static void show_result(struct replay_view *v, const struct replay_item *item, json block)
{
    struct replay_child *c = replay_children_find(&v->children, json_text(json_get(block, "tool_use_id")));
    if (c) {
        replay_child_result(c, block);
    }
    if (!c || v->children.draft) {
        tool_calls_result(&v->calls, parent_of(v), block, item->root);
    }
}

/* What the blocks of a user record are. */
struct user_blocks {
    size_t texts, results;
    str first; /* the first text */
};

static struct user_blocks count_blocks(json content)
{
    struct user_blocks n = {0};
    if (json_is(content, JSON_STRING)) {
        return (struct user_blocks){.texts = 1, .first = json_str(content)};
    }
    for (struct json_iter it = json_each(content); json_is(content, JSON_ARRAY) && json_next(&it);) {
        str type = json_str(json_get(it.value, "type"));
        if (str_is(type, "text")) {
            n.first = n.texts++ ? n.first : json_str(json_get(it.value, "text"));
        }
        n.results += tool_block_is_result(type);
    }
    return n;
}

/* The CLI says of a prompt how it came to be sent; what it makes by itself, a command's record too, has no
 * such word. A queued prompt is stored as it was typed. */
static enum user_text_origin origin_of(json root, const struct user_blocks *n)
{
    bool typed = json_present(json_get(root, "promptSource")) || json_present(json_get(root, "attachment"));
    return !typed || is_notice(root) ? USER_TEXT_STORED : n->texts > 1 ? USER_TEXT_PART : USER_TEXT_TYPED;
}

/* The record is a prompt, by whose uuid its turn was known while it was live: no result of a tool, output of
 * a command or word of the CLI's about something else. */
static bool is_prompt(json root, const struct user_blocks *n)
{
    static const char *const own[] = {"<local-command-stdout>", "<local-command-stderr>",
                                      "[Request interrupted by user"};
    bool typed = origin_of(root, n) != USER_TEXT_STORED;
    for (size_t i = 0; !typed && i < ARRAY_LEN(own); i++) {
        if (str_starts(n->first, str_of(own[i]))) {
            return false;
        }
    }
    return !n->results && !is_notice(root) && !json_is_true(json_get(root, "isCompactSummary"));
}

static void show_user(struct replay_view *v, const struct replay_item *item)
{
    json content = record_content(item->root);
    struct user_blocks n = count_blocks(content);
    enum user_text_origin origin = origin_of(item->root, &n);
    bool hidden = is_notice(item->root);
    if (!v->child && is_prompt(item->root, &n)) {
        buf_clear(&v->prompt_uuid);
        buf_put_str(&v->prompt_uuid, item->uuid);
    }
    if (json_is_true(json_get(item->root, "isCompactSummary"))) {
        if (!v->child) { /* that of a subagent is nobody's matter */
            replay_compaction(v->to, item->uuid, item->boundary, content);
        }
        return;
    }
    if (json_is(content, JSON_STRING)) {
        show_text(v, item, json_str(content), origin, hidden);
        return;
    }
    for (struct json_iter it = json_each(content); json_is(content, JSON_ARRAY) && json_next(&it);) {
        str type = json_str(json_get(it.value, "type"));
        if (str_is(type, "text")) {
            show_text(v, item, json_str(json_get(it.value, "text")), origin, hidden);
        } else if (tool_block_is_result(type)) {
            show_result(v, item, it.value);
        } else if (str_is(type, "image") && !hidden) {
            say_image(v, MESSAGE_USER, item->uuid, it.value);
        }
    }
}

/* ---- Assistant records ---- */

/* Synthetic messages tell of failures. True when the message is not shown as a text. */
static bool note_failure(struct replay_view *v, const struct replay_item *item, json message)
{
    const struct replay_target *to = v->to;
    bool synthetic = str_is(json_str(json_get(message, "model")), "<synthetic>");
    if (!synthetic) {
        if (v->limited) {
            v->limited = false;
            failures_recover(to->failures, FAILURE_ON_MODEL_SUCCESS, STR_ABSENT);
        }
        return false;
    }
    if (failure_is_login_message(message)) {
        return true;
    }
    if (!to->client->air_session_failure || !failure_is_usage_limit_message(message)) {
        return false;
    }
    struct failure_record record;
    AUTO_BUF(title);
    failure_message_text(&title, message);
    v->limited = true;
    if (failures_replayed(to->failures, v->prompt_uuid.n ? buf_str(&v->prompt_uuid) : STR_ABSENT, item->uuid,
                          buf_str(&title), &record)) {
        to->does->failure(to->user, &record);
    }
    return true;
}

static void show_use(struct replay_view *v, json block)
{
    str id = json_text(json_get(block, "id"));
    bool launch = v->shows_children && subagents_is_launch(json_str(json_get(block, "name")));
    if ((!launch || v->children.draft) && id.p) {
        replay_tasks_call(&v->tasks, v->child, block);
        tool_calls_use(&v->calls, parent_of(v), block);
    }
    if (launch) {
        replay_children_launch(&v->children, v->child, block);
    }
}

static void show_assistant(struct replay_view *v, const struct replay_item *item)
{
    json message = json_get(item->root, "message"), content = json_get(message, "content");
    if (!v->child && note_failure(v, item, message)) {
        return;
    }
    if (json_is(content, JSON_STRING)) {
        say(v, MESSAGE_AGENT, item->wire, json_str(content));
        return;
    }
    for (struct json_iter it = json_each(content); json_is(content, JSON_ARRAY) && json_next(&it);) {
        str type = json_str(json_get(it.value, "type"));
        if (str_is(type, "text")) {
            say(v, MESSAGE_AGENT, item->wire, json_str(json_get(it.value, "text")));
        } else if (str_is(type, "thinking")) {
            say(v, MESSAGE_THOUGHT, item->wire, json_str(json_get(it.value, "thinking")));
        } else if (str_is(type, "image")) {
            say_image(v, MESSAGE_AGENT, item->wire, it.value);
        } else if (tool_block_is_use(type)) {
            show_use(v, it.value);
        } else if (tool_block_is_result(type)) {
            show_result(v, item, it.value);
        }
    }
}

/* ---- The view ---- */

bool replay_view_init(struct replay_view *v, const struct replay_target *to, const struct child_files *files)
{
    *v = (struct replay_view){.to = to, .shows_children = children_shown(to->children)};
    replay_children_init(&v->children, to, files);
    replay_tasks_init(&v->tasks, to);
    if (!replay_tools_init(v)) {
        return false;
    }
    to->does->forget_plan(to->user);
    return true;
}

void replay_view_free(struct replay_view *v)
{
    if (v->to) {
        tool_calls_free(&v->calls);
        replay_tasks_free(&v->tasks);
        replay_children_free(&v->children);
    }
    buf_free(&v->prompt_uuid);
    buf_free(&v->text);
}

void replay_item(struct replay_view *v, const struct replay_item *item)
{
    v->child = replay_children_find(&v->children, item->call);
    if ((item->call.p && !v->child) || (item->told && !v->children.draft)) {
        return; /* its launch was not shown; it is no prompt */
    }
    *v->to->replaying = true;
    if (item->type == RECORD_ASSISTANT) {
        show_assistant(v, item);
    } else {
        show_user(v, item);
    }
    *v->to->replaying = false;
}

void replay_view_end(struct replay_view *v)
{
    *v->to->replaying = true;
    replay_tools_end(v);
    replay_tasks_end(&v->tasks);
    replay_children_end(&v->children);
    *v->to->replaying = false;
}
