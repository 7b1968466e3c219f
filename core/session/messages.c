/* Assistant and user messages: streamed pieces first, then the whole blocks, each text once. */
#include <stdlib.h>

#include "local/local_command.h"
#include "session/internal.h"

static str parent_of(json frame)
{
    return json_text(json_get(frame, "parent_tool_use_id"));
}

/* The record of what was streamed: the main conversation's, or the child's (made when `create`). */
static struct stream_text *stream_of(struct session *s, str parent, bool create)
{
    if (!parent.p) {
        return &s->stream.main;
    }
    struct stream_text *child = map_get(&s->stream.children, parent);
    if (!child && create) {
        child = calloc(1, sizeof(*child));
        if (child && !map_put(&s->stream.children, parent, child, NULL)) {
            free(child);
            child = NULL;
        }
    }
    return child;
}

/* The text of a subagent is sent, marked as its own, where the client asked for it. What the CLI streams of
 * it is meant for a client, unless that is AIR. */
static bool shows_child_text(const struct session *s, bool streamed)
{
    bool asked = s->start.launch.subagent_text;
    return asked || (streamed && !s->host->client.air);
}

static void say_block(struct session *s, str parent, enum stream_text_type type, str message_id, str text)
{
    if (!text.n) {
        return;
    }
    if (!parent.p && type == STREAM_TEXT) {
        s->answer.scratch.text_delivered = true;
        title_add_answer(&s->titling.title, text);
    }
    children_say(&s->children, parent,
                 &(struct subagent_update){
                     .kind = SUBAGENT_TEXT,
                     .role = type == STREAM_THINKING ? MESSAGE_THOUGHT : MESSAGE_AGENT,
                     .message_id = message_id,
                     .text = text,
                 });
}

void session_say(struct session *s, str message_id, str text, str meta)
{
    struct session_host *a = s->host;
    if (text.n) {
        s->answer.scratch.text_delivered = true;
        buf_clear(&s->answer.scratch.local_text);
        buf_put_str(&s->answer.scratch.local_text, text);
        a->surface->text(a->surface_self, str_of(s->id), MESSAGE_AGENT, message_id, text, meta);
    }
}

/* ---- After a cancel ---- */

static enum turn_output output_of(const struct session *s)
{
    return turns_output(&s->turns, s->host->client.protocol_version >= 2);
}

/* A stream that lost a piece loses the rest of its message, so that no text is split. True while that is so;
 * `lost` begins it. */
static bool is_torn(struct session *s, str parent, bool lost)
{
    str key = parent.p ? parent : STR("");
    if (lost && !set_add(&s->stream.torn, key)) {
        return true;
    }
    return s->stream.torn.used && set_has(&s->stream.torn, key);
}

/* Its next message begins, or the whole message came. */
static void mend(struct session *s, str parent)
{
    if (s->stream.torn.used) {
        map_remove(&s->stream.torn, parent.p ? parent : STR(""));
    }
}

static void forget_streamed(struct session *s, str parent)
{
    struct stream_text *record = stream_of(s, parent, false);
    if (record) {
        stream_text_clear(record);
    }
}

/* ---- Streaming ---- */

static void streamed(struct session *s, str parent, int64_t index, enum stream_text_type type, str text)
{
    struct stream_text *record = stream_of(s, parent, true);
    if (!text.n) {
        return;
    }
    if (record) {
        stream_text_delta(record, index, type, text);
    }
    if (!parent.p || shows_child_text(s, true)) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only a child's record can be missing
        say_block(s, parent, type, s->stream.message_id.n ? buf_str(&s->stream.message_id) : STR_ABSENT,
                  text);
    }
}

static void on_block_start(struct session *s, str parent, int64_t index, json block, json frame)
{
    str type = json_str(json_get(block, "type"));
    if (str_is(type, "text")) {
        streamed(s, parent, index, STREAM_TEXT, json_str(json_get(block, "text")));
    } else if (str_is(type, "thinking")) {
        streamed(s, parent, index, STREAM_THINKING, json_str(json_get(block, "thinking")));
    } else if (tool_block_is_use(type)) {
        tool_calls_block_start(&s->tooling.calls, parent, index, block);
    } else if (str_is(type, "compaction") && !parent.p) {
        extensions_compaction_text(s, json_str(json_get(frame, "uuid")), block);
    }
}

static void on_block_delta(struct session *s, str parent, int64_t index, json delta, json frame)
{
    str type = json_str(json_get(delta, "type"));
    if (str_is(type, "text_delta")) {
        streamed(s, parent, index, STREAM_TEXT, json_str(json_get(delta, "text")));
    } else if (str_is(type, "thinking_delta")) {
        streamed(s, parent, index, STREAM_THINKING, json_str(json_get(delta, "thinking")));
    } else if (str_is(type, "input_json_delta")) {
        tool_calls_input_delta(&s->tooling.calls, parent, index, json_str(json_get(delta, "partial_json")));
    } else if (str_is(type, "compaction_delta") && !parent.p) {
        extensions_compaction_text(s, json_str(json_get(frame, "uuid")), delta);
    }
}

static void send_usage(struct session *s)
{
    AUTO_BUF(b);
    usage_put_update(&b, &s->answer.usage, JSON_NONE, JSON_NONE);
    s->host->surface->usage(s->host->surface_self, str_of(s->id), buf_str(&b));
}

static void on_message_start(struct session *s, str parent, json message)
{
    tool_calls_message_edge(&s->tooling.calls, parent);
    forget_streamed(s, parent);
    buf_clear(&s->stream.message_id);
    buf_put_str(&s->stream.message_id, json_str(json_get(message, "id")));
    if (!parent.p && usage_message_start(&s->answer.usage, message)) {
        send_usage(s);
    }
}

void session_on_stream_event(struct session *s, json frame)
{
    json event = json_get(frame, "event");
    str type = json_str(json_get(event, "type")), parent = parent_of(frame);
    bool start = str_is(type, "message_start");
    if (start) {
        mend(s, parent);
    }
    if (is_torn(s, parent, output_of(s) == TURN_OUTPUT_MUTE)) {
        return;
    }
    if (!parent.p) {
        turns_on_output(&s->turns);
    }
    int64_t index = json_int_or(json_get(event, "index"), 0);
    if (str_is(type, "content_block_delta")) {
        on_block_delta(s, parent, index, json_get(event, "delta"), frame);
    } else if (str_is(type, "content_block_start")) {
        on_block_start(s, parent, index, json_get(event, "content_block"), frame);
    } else if (str_is(type, "content_block_stop")) {
        tool_calls_block_stop(&s->tooling.calls, parent, index);
    } else if (start) {
        on_message_start(s, parent, json_get(event, "message"));
    } else if (str_is(type, "message_delta")) {
        if (!parent.p && usage_message_delta(&s->answer.usage, json_get(event, "usage"))) {
            send_usage(s);
        }
    } else if (str_is(type, "message_stop")) {
        tool_calls_message_edge(&s->tooling.calls, parent);
    }
}

/* ---- Whole messages ---- */

static void put_image(struct session *s, str parent, str message_id, json block)
{
    json source = json_get(block, "source");
    str data = json_str(json_get(source, "data"));
    if (!data.p || (parent.p && !shows_child_text(s, true))) {
        return;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_c(&b, "type", "image");
    json_member_str(&b, "data", data);
    json_member_str(&b, "mimeType", json_str(json_get(source, "media_type")));
    json_close_object(&b);
    children_say(&s->children, parent,
                 &(struct subagent_update){
                     .kind = SUBAGENT_BLOCK,
                     .role = MESSAGE_AGENT,
                     .message_id = message_id,
                     .text = buf_str(&b),
                 });
}

static void whole_block(struct session *s, str parent, str message_id, struct stream_text *record, json block,
                        bool silent, json frame)
{
    str type = json_str(json_get(block, "type"));
    bool text = str_is(type, "text"), thinking = str_is(type, "thinking");
    if (text || thinking) {
        enum stream_text_type kind = text ? STREAM_TEXT : STREAM_THINKING;
        str whole = json_str(json_get(block, text ? "text" : "thinking"));
        str rest = record ? stream_text_complete(record, kind, whole) : whole;
        rest = parent.p ? rest : local_command_text(&s->local, rest);
        if (!silent && (!parent.p || shows_child_text(s, false))) {
            say_block(s, parent, kind, message_id, rest);
        }
    } else if (str_is(type, "image")) {
        put_image(s, parent, message_id, block);
    } else if (tool_block_is_use(type)) {
        tool_calls_use(&s->tooling.calls, parent, block);
    } else if (tool_block_is_result(type)) {
        tool_calls_result(&s->tooling.calls, parent, block, frame);
    }
}

/* Notes what an assistant message says about a failure; true when its text is not shown. */
static bool note_failure(struct session *s, json frame, json message, bool synthetic)
{
    struct turn_scratch *t = &s->answer.scratch;
    str error = json_text(json_get(frame, "error"));
    bool limit = synthetic && failure_is_usage_limit_message(message);
    if (synthetic && failure_is_login_message(message)) {
        t->login = true;
        return true;
    }
    if (!error.p && !limit) {
        t->real_answer = t->real_answer || !synthetic;
        return false;
    }
    t->failed = true;
    t->usage_limit = limit;
    buf_clear(&t->error);
    buf_put_str(&t->error, error);
    buf_clear(&t->error_text);
    failure_message_text(&t->error_text, message);
    return s->host->client.air_session_failure;
}

/* What the CLI prints by itself, unless a compaction told it; true when it is not shown. */
static bool note_local(struct session *s, json frame, json message)
{
    AUTO_BUF(text);
    failure_message_text(&text, message);
    if (!json_truthy(json_get(frame, "error")) && extensions_hide_local(s, buf_str(&text))) {
        return true;
    }
    buf_clear(&s->answer.scratch.local_text);
    buf_put_str(&s->answer.scratch.local_text, buf_str(&text));
    return false;
}

void session_on_assistant(struct session *s, json frame)
{
    json message = json_get(frame, "message");
    str parent = parent_of(frame), id = json_str(json_get(message, "id"));
    bool silent = false, synthetic = str_is(json_str(json_get(message, "model")), "<synthetic>");
    mend(s, parent);
    if (output_of(s) != TURN_OUTPUT_OPEN) {
        forget_streamed(s, parent);
        return;
    }
    if (!parent.p) {
        turns_on_output(&s->turns);
        usage_assistant(&s->answer.usage, message);
        silent = note_failure(s, frame, message, synthetic) || (synthetic && note_local(s, frame, message));
        str why = json_text(json_path(message, "stop_details", "explanation", NULL));
        if (why.p) {
            buf_clear(&s->answer.scratch.refusal);
            buf_put_str(&s->answer.scratch.refusal, why);
        }
    }
    struct stream_text *record = stream_of(s, parent, false);
    for (struct json_iter it = json_each(json_get(message, "content")); json_next(&it);) {
        whole_block(s, parent, id.n ? id : STR_ABSENT, record, it.value, silent, frame);
    }
    forget_streamed(s, parent);
}

/* ---- User messages ---- */

/* What a local command printed, without the markers around it. */
static void put_local_output(struct buf *out, str text)
{
    static const char *const tags[] = {
        "command-name",         "command-message", "command-args",      "local-command-stdout",
        "local-command-stderr", "system-reminder", "task-notification",
    };
    while (text.n) {
        size_t cut = SIZE_MAX, end = 0;
        for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
            char open[40], close[40];
            snprintf(open, sizeof(open), "<%s>", tags[i]);
            snprintf(close, sizeof(close), "</%s>", tags[i]);
            size_t at = str_find(text, str_of(open), 0),
                   stop = str_find(text, str_of(close), at == SIZE_MAX ? 0 : at);
            if (at < cut && stop != SIZE_MAX) {
                cut = at;
                end = stop + strlen(close);
            }
        }
        if (cut == SIZE_MAX) {
            buf_put_str(out, text);
            return;
        }
        buf_put_str(out, str_first(text, cut));
        text = str_from(text, end);
    }
}

static void on_user_text(struct session *s, json frame, str text)
{
    if (!str_has(text, STR("<local-command-stdout>"))) {
        return; /* echoes, interruption marks and injected context are not shown */
    }
    AUTO_BUF(out);
    put_local_output(&out, text);
    session_say(s, json_str(json_get(frame, "uuid")), str_trim(buf_str(&out)), STR_ABSENT);
}

/* The result of a message to a finished subagent that woke it up. */
static void note_resumed(struct session *s, json frame)
{
    json result = json_get(frame, "tool_use_result");
    if (!json_is_true(json_get(result, "success"))) {
        return;
    }
    str agent = json_text(json_get(result, "resumedAgentId"));
    struct live_event e = live_tasks_resumed(&s->live, agent);
    if (e.change == LIVE_RESUMED) {
        turns_spawned(&s->turns, str_of(e.task->id));
    }
    children_resumed(&s->children, agent, frame);
}

void session_on_user(struct session *s, json frame)
{
    str uuid = json_str(json_get(frame, "uuid")), parent = parent_of(frame);
    bool echo = uuid.n && !parent.p && turns_on_echo(&s->turns, uuid);
    if (echo) {
        extensions_echo(s, uuid);
    }
    json content = json_path(frame, "message", "content", NULL);
    enum turn_output output = output_of(s);
    if (echo || output == TURN_OUTPUT_MUTE) {
        return;
    }
    if (json_is(content, JSON_STRING)) {
        if (output == TURN_OUTPUT_OPEN && !parent.p) {
            on_user_text(s, frame, json_str(content));
        }
        return;
    }
    note_resumed(s, frame);
    for (struct json_iter it = json_each(content); json_next(&it);) {
        if (tool_block_is_result(json_str(json_get(it.value, "type")))) {
            tool_calls_result(&s->tooling.calls, parent, it.value, frame);
        }
    }
}
