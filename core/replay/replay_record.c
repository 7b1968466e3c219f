#include "replay/replay_record.h"

#include "extension/compaction_summary.h"
#include "replay/sent_messages.h"
#include "replay/user_text.h"
#include "session/internal.h"
#include "tool/child_sessions.h"

/* ---- What the client is told ---- */

static char replay_root; /* stands for the root, where a child could stand */

static str place(const struct replay_view *v, const struct replay_child *child)
{
    return str_of(child ? child->session : v->s->id);
}

static str child_meta(const struct replay_view *v, struct buf *b)
{
    return children_meta(b, v->child ? str_of(v->child->call) : STR_ABSENT);
}

static void say(struct replay_view *v, enum message_role role, str message_id, str text)
{
    struct session_host *a = v->s->agent;
    AUTO_BUF(meta);
    if (text.n) {
        a->surface->text(a->surface_self, place(v, v->child), role, message_id, text, child_meta(v, &meta));
    }
}

/* What a subagent reads as a user's text is what it was asked. */
static void say_user(struct replay_view *v, const struct replay_item *item, str text)
{
    if (!v->child || !v->children.rfd) {
        say(v, MESSAGE_USER, item->uuid, text);
    } else if (!str_starts(text, STR("[Request interrupted by user"))) {
        replay_child_asked(&v->children, v->child, item->by, item->uuid, text);
    }
}

static void say_image(struct replay_view *v, enum message_role role, str message_id, json block)
{
    struct session_host *a = v->s->agent;
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
        a->surface->block(a->surface_self, place(v, v->child), role, message_id, buf_str(&b),
                          child_meta(v, &meta));
    }
}

/* ---- Background work ---- */

static str session_of(void *user, str call_id)
{
    struct replay_view *v = user;
    void *of = call_id.p ? map_get(&v->called, call_id) : NULL;
    return place(v, of && of != &replay_root ? of : NULL);
}

static void task_update(void *user, str session, const char *name, str members)
{
    struct replay_view *v = user;
    v->s->agent->surface->update(v->s->agent->surface_self, session, name, members);
}

static const struct async_tasks_sink task_sink = {.session_of = session_of, .update = task_update};

/* A frame as the CLI would have sent it. */
static void tell_task(struct replay_view *v, const struct task_notice *t,
                      void (*step)(struct async_tasks *at, json frame))
{
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "task_id", t->task);
    json_member_str(&b, "tool_use_id", t->call);
    json_member_str(&b, "task_type", STR("local_bash"));
    json_member_bool(&b, "is_backgrounded", true);
    json_member_str(&b, "status", t->status);
    json_member_str(&b, "summary", t->summary);
    json_member_str(&b, "output_file", t->output);
    json_close_object(&b);
    AUTO_JSON(doc) = buf_ok(&b) ? json_parse(buf_str(&b), NULL) : NULL;
    if (doc) {
        step(&v->tasks, json_root(doc));
    }
}

static void note_tasks(struct replay_view *v, str text)
{
    struct task_notice t;
    size_t at = 0;
    bool tells = v->s->agent->client.air_async_tasks;
    while ((tells || v->shows_children) && task_notice_next(text, &at, &t)) {
        struct replay_child *c = replay_children_told_of(&v->children, t.call, t.task);
        if (c) {
            replay_child_notice(c, t.status);
        } else if (tells && t.call.p && map_get(&v->called, t.call)) {
            tell_task(v, &t, async_tasks_started);
            tell_task(v, &t, async_tasks_notified);
        }
    }
}

/* ---- User records ---- */

static void show_text(struct replay_view *v, const struct replay_item *item, str text, bool hidden)
{
    note_tasks(v, text);
    buf_clear(&v->text);
    text = item->told ? told_text(text) : text;
    if (!hidden && user_text_put(&v->text, text) && buf_ok(&v->text)) {
        say_user(v, item, buf_str(&v->text));
    }
}

/* The summary of a compaction, for a client that has an entity for it; false when it is shown as a text. */
static bool show_compaction(struct replay_view *v, const struct replay_item *item, json content)
{
    struct session_host *a = v->s->agent;
    if (v->child) { /* that of a subagent is nobody's matter */
        return json_is_true(json_get(item->root, "isCompactSummary"));
    }
    if (!a->client.session_compaction || !json_is_true(json_get(item->root, "isCompactSummary"))) {
        return false;
    }
    AUTO_BUF(whole);
    AUTO_BUF(summary);
    if (json_is(content, JSON_STRING)) {
        buf_put_str(&whole, json_str(content));
    }
    for (struct json_iter it = json_each(content); json_is(content, JSON_ARRAY) && json_next(&it);) {
        buf_put_str(&whole, json_str(json_get(it.value, "text")));
    }
    if (!compaction_summary_put(&summary, buf_str(&whole))) {
        return false;
    }
    AUTO_BUF(b);
    json_member_str(&b, "compactionId", item->uuid);
    json_member_c(&b, "status", "completed");
    json_key(&b, "summary");
    json_open_array(&b);
    json_open_object(&b);
    json_member_c(&b, "type", "text");
    json_member_str(&b, "text", buf_str(&summary));
    json_close_object(&b);
    json_close_array(&b);
    if (buf_ok(&b)) {
        a->surface->update(a->surface_self, str_of(v->s->id), "compaction_update", buf_str(&b));
    }
    return true;
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
    if (!c || v->children.rfd) {
        tool_calls_result(&v->calls, parent_of(v), block, item->root);
    }
}

static void show_user(struct replay_view *v, const struct replay_item *item)
{
    json content = record_content(item->root);
    bool hidden = is_notice(item->root);
    if (!v->child) {
        buf_clear(&v->user_uuid);
        buf_put_str(&v->user_uuid, item->uuid);
    }
    if (show_compaction(v, item, content)) {
        return;
    }
    if (json_is(content, JSON_STRING)) {
        show_text(v, item, json_str(content), hidden);
        return;
    }
    for (struct json_iter it = json_each(content); json_is(content, JSON_ARRAY) && json_next(&it);) {
        str type = json_str(json_get(it.value, "type"));
        if (str_is(type, "text")) {
            show_text(v, item, json_str(json_get(it.value, "text")), hidden);
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
    struct session *s = v->s;
    bool synthetic = str_is(json_str(json_get(message, "model")), "<synthetic>");
    if (!synthetic) {
        if (v->limited) {
            v->limited = false;
            failures_recover(&s->failures, FAILURE_ON_MODEL_SUCCESS, STR_ABSENT);
        }
        return false;
    }
    if (failure_is_login_message(message)) {
        return true;
    }
    if (!s->agent->client.air_session_failure || !failure_is_usage_limit_message(message)) {
        return false;
    }
    struct failure_record record;
    AUTO_BUF(title);
    failure_message_text(&title, message);
    v->limited = true;
    if (failures_replayed(&s->failures, v->user_uuid.n ? buf_str(&v->user_uuid) : STR_ABSENT, item->uuid,
                          buf_str(&title), &record)) {
        session_send_failure(s, &record);
    }
    return true;
}

static void show_use(struct replay_view *v, json block)
{
    str id = json_text(json_get(block, "id"));
    bool launch = v->shows_children && subagents_is_launch(json_str(json_get(block, "name")));
    if ((!launch || v->children.rfd) && id.p &&
        map_put(&v->called, id, v->child ? (void *)v->child : &replay_root, NULL)) {
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

bool replay_view_init(struct replay_view *v, struct session *s, const struct child_files *files)
{
    *v = (struct replay_view){.s = s, .shows_children = children_shown(&s->children)};
    replay_children_init(&v->children, s, files);
    async_tasks_init(&v->tasks, &task_sink, v);
    if (!replay_tools_init(v)) {
        return false;
    }
    plan_list_free(&s->plan);
    plan_list_init(&s->plan);
    return true;
}

void replay_view_free(struct replay_view *v)
{
    if (v->s) {
        tool_calls_free(&v->calls);
        async_tasks_free(&v->tasks);
        replay_children_free(&v->children);
    }
    map_free(&v->called, NULL);
    buf_free(&v->user_uuid);
    buf_free(&v->text);
}

void replay_item(struct replay_view *v, const struct replay_item *item)
{
    v->child = replay_children_find(&v->children, item->call);
    if ((item->call.p && !v->child) || (item->told && !v->children.rfd)) {
        return; /* its launch was not shown; it is no prompt */
    }
    v->s->agent->replaying = true;
    if (item->type == RECORD_ASSISTANT) {
        show_assistant(v, item);
    } else {
        show_user(v, item);
    }
    v->s->agent->replaying = false;
}

void replay_view_end(struct replay_view *v)
{
    replay_children_end(&v->children);
}
