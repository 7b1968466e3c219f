/* The CLI's messages: one table row for each type and subtype, one short function for each row. */
#include <stdlib.h>

#include "cli/raw_messages.h"
#include "local/local_command.h"
#include "prompt/commands.h"
#include "session/goal.h"
#include "session/internal.h"
#include "tool/memory_recall.h"

/* ---- Commands ---- */

void session_put_commands(struct session *s, struct buf *b)
{
    json list = s->commands.changed ? json_root(s->commands.changed)
                                    : json_get(json_root(s->process.initialized), "commands");
    commands_put(b, list, json_root(s->commands.terminal), s->host->client.protocol_version >= 2);
}

void session_send_commands(struct session *s)
{
    AUTO_BUF(b);
    session_put_commands(s, &b);
    s->host->surface->commands(s->host->surface_self, str_of(s->id), buf_str(&b));
}

/* ---- The plan ---- */

static void send_plan(struct session *s, str parent, str entries)
{
    bool of_child = parent.p && children_shown(&s->children);
    bool changed = of_child || plan_list_sent(&s->planning.list, entries);
    if (changed || !s->host->client.air) {
        children_say(&s->children, parent, &(struct subagent_update){.kind = SUBAGENT_PLAN, .text = entries});
    }
}

void session_publish_plan_entries(struct session *s, str parent, const struct fact_plan_entry *entries)
{
    AUTO_BUF(b);
    plan_entries_put(&b, entries);
    send_plan(s, parent, buf_str(&b));
}

void session_change_tasks(struct session *s, str parent, const struct fact_task_change *changes)
{
    AUTO_BUF(b);
    plan_list_change(&s->planning.list, changes);
    plan_list_put(&b, &s->planning.list);
    send_plan(s, parent, buf_str(&b));
}

/* ---- system messages ---- */

static void on_init(struct session *s, json m)
{
    const char *warning = NULL;
    str conversation = json_str(json_get(m, "session_id"));
    if (!str_eq(conversation, str_of(s->conversation))) { /* after /clear */
        session_conversation_changed(s, conversation);
    }
    unsigned effects =
        session_options_note_fast(s->options, json_str(json_get(m, "fast_mode_state")),
                                  json_str(json_get(m, "fast_mode_disabled_reason")), &warning);
    if (warning) {
        session_warn(s, "Fast mode turned off", warning);
    }
    session_apply_effects(s, effects);
    json list = json_get(m, "terminal_slash_commands");
    if (json_is(list, JSON_ARRAY) && !commands_same_terminal_list(list, json_root(s->commands.terminal))) {
        json_unref(s->commands.terminal);
        s->commands.terminal = json_detach(list);
        session_send_commands(s);
    }
}

static void on_status(struct session *s, json m)
{
    if (str_is(json_str(json_get(m, "status")), "requesting")) {
        turns_on_request(&s->turns, json_get(m, "user_message_uuids"));
    }
    extensions_status(s, m);
}

static void on_state(struct session *s, json m)
{
    str state = json_str(json_get(m, "state"));
    if (json_is_true(json_get(m, "sdk_host_only"))) {
        return;
    }
    turns_on_state(&s->turns, state);
    if (str_is(state, "idle")) {
        extensions_idle(s);
        session_update_title(s);
        session_say_idle(s);
    }
}

static void on_memory_recall(struct session *s, json m)
{
    memory_recall_tell(&s->tooling.host, m);
}

static void on_local_output(struct session *s, json m)
{
    str text = json_str(json_get(m, "content"));
    if (!extensions_hide_local(s, text)) {
        session_say(s, json_str(json_get(m, "uuid")), local_command_text(&s->local, text), STR_ABSENT);
    }
}

static void on_denied(struct session *s, json m)
{
    tool_calls_denied(&s->tooling.calls, m);
}

static void on_compact_boundary(struct session *s, json m)
{
    AUTO_BUF(b);
    compaction_on_boundary(&s->ext.compaction, m);
    usage_compacted(&s->answer.usage, m);
    usage_put_update(&b, &s->answer.usage, JSON_NONE, JSON_NONE);
    s->host->surface->usage(s->host->surface_self, str_of(s->id), buf_str(&b));
}

static void on_commands_changed(struct session *s, json m)
{
    json list = json_get(m, "commands");
    if (json_is(list, JSON_ARRAY)) {
        json_unref(s->commands.changed);
        s->commands.changed = json_detach(list);
        session_send_commands(s);
    }
}

static void on_worker_shutting_down(struct session *s, json m)
{
    (void)m;
    s->process.shutting_down = true;
}

static void on_mirror_error(struct session *s, json m)
{
    log_write(s->host->log, LOG_INFO, "the CLI could not mirror its transcript: %.*s",
              STR_ARG(json_str(json_get(m, "error"))));
}

static void on_elicitation_complete(struct session *s, json m)
{
    str id = json_text(json_get(m, "elicitation_id"));
    if (!id.p || !s->host->client.elicitation_url) {
        return;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "elicitationId", id);
    json_close_object(&b);
    s->host->surface->notify(s->host->surface_self, "elicitation/complete", buf_str(&b));
}

/* ---- Tasks ---- */

/* A command that ran in the background is over: so is its terminal. */
static void end_task(void *user, const struct live_task *task)
{
    struct session *s = user;
    if (task->owes_exit && task->call) {
        tool_calls_terminal_ended(&s->tooling.calls, task);
    }
}

void session_end_tasks(struct session *s, bool reset)
{
    live_tasks_clear(&s->live, reset, end_task, s);
}

static void note_task(struct session *s, struct live_event e)
{
    if (e.change == LIVE_ENDED) {
        end_task(s, e.task);
        session_drop_stream(s, str_of(e.task->call));
    } else if ((e.change == LIVE_STARTED || e.change == LIVE_RESUMED) && e.task->subagent) {
        turns_spawned(&s->turns, str_of(e.task->id));
    }
    if (e.change != LIVE_NOTHING) {
        session_sync_waiting(s);
    }
}

static void on_task_started(struct session *s, json m)
{
    note_task(s, live_tasks_started(&s->live, m));
    children_task(&s->children, m, subagents_started);
    extensions_task(s, m, async_tasks_started);
}

static void on_task_updated(struct session *s, json m)
{
    note_task(s, live_tasks_updated(&s->live, m));
    children_task(&s->children, m, subagents_updated);
    extensions_task(s, m, async_tasks_updated);
}

static void on_task_notification(struct session *s, json m)
{
    note_task(s, live_tasks_notified(&s->live, m));
    children_task(&s->children, m, subagents_notified);
    extensions_task(s, m, async_tasks_notified);
}

static void on_background_tasks(struct session *s, json m)
{
    live_tasks_level(&s->live, json_get(m, "tasks"), end_task, s);
    extensions_task_list(s, json_get(m, "tasks"));
    session_sync_waiting(s);
}

/* ---- Other messages ---- */

static void on_lifecycle(struct session *s, json m)
{
    extensions_lifecycle(s, json_str(json_get(m, "command_uuid")), json_str(json_get(m, "state")));
    turns_on_lifecycle(&s->turns, json_str(json_get(m, "command_uuid")), json_str(json_get(m, "state")));
}

static void on_result(struct session *s, json m)
{
    turns_on_result(&s->turns, m);
}

static void on_rate_limit(struct session *s, json m)
{
    if (!s->answer.usage.known) {
        return;
    }
    AUTO_BUF(b);
    usage_put_update(&b, &s->answer.usage, JSON_NONE, json_get(m, "rate_limit_info"));
    s->host->surface->usage(s->host->surface_self, str_of(s->id), buf_str(&b));
}

static void on_tool_progress(struct session *s, json m)
{
    tool_calls_progress(&s->tooling.calls, m);
}

static void on_conversation_reset(struct session *s, json m)
{
    (void)m;
    bool lost = false;
    children_finish(&s->children, SUBAGENT_FAILED);
    session_end_tasks(s, true);
    tool_calls_close(&s->tooling.calls, true, false, &lost);
    subagents_clear(&s->children.subagents);
    session_clear_streams(s);
    title_reset(&s->titling.title);
    buf_clear(&s->titling.first_prompt);
    session_change_tasks(s, STR_ABSENT, &(struct fact_task_change){.change = TASK_CLEAR, .status = -1});
}

/* ---- Hooks ---- */

#define GO_ON "{\"continue\":true}"

/* A hook that is answered when something was shown: only then the CLI goes on. */
struct waiting_hook {
    struct session *s; /* a reference */
    unsigned process;  /* that asked */
    char *request_id;
};

static void hook_shown(void *user)
{
    struct waiting_hook *w = user;
    if (w->s->process.cli && w->s->process.count == w->process) {
        cli_control_answer(w->s->process.cli, str_of(w->request_id), STR(GO_ON));
    }
    session_unref(w->s);
    free(w->request_id);
    free(w);
}

/* How a hook around a tool is shown. */
typedef void show_hook(struct tool_calls *tc, json request, tool_calls_shown_cb *done, void *user);

static void on_tool_hook(struct session *s, json m, show_hook *show)
{
    str id = json_str(json_get(m, "request_id"));
    struct waiting_hook *w = malloc(sizeof(*w));
    char *request_id = str_dup(id);
    if (!w || !request_id) {
        free(w);
        free(request_id);
        cli_control_answer(s->process.cli, id, STR(GO_ON));
        return;
    }
    *w = (struct waiting_hook){s, s->process.count, request_id};
    session_ref(s);
    show(&s->tooling.calls, json_get(m, "request"), hook_shown, w);
}

static void on_hook(struct session *s, json m)
{
    json request = json_get(m, "request"), input = json_get(request, "input");
    str event = json_str(json_get(input, "hook_event_name"));
    if (str_is(event, "PreToolUse")) {
        on_tool_hook(s, m, tool_calls_preview); /* the client sees the change before it is made */
        return;
    }
    if (str_is(event, "PostToolUse")) {
        if (str_is(json_str(json_get(input, "tool_name")), "EnterPlanMode")) {
            session_change_mode(s, MODE_PLAN);
        }
        on_tool_hook(s, m, tool_calls_hook);
        return;
    }
    if (str_is(event, "PostToolUseFailure")) {
        on_tool_hook(s, m, tool_calls_failed);
        return;
    }
    cli_control_answer(s->process.cli, json_str(json_get(m, "request_id")), STR(GO_ON));
    if (str_is(event, "PostModelSwitch")) {
        str source = json_str(json_get(input, "source"));
        if (!str_is(source, "sdk") && !str_is(source, "resume")) {
            option_queue_model_switched(&s->changes, json_str(json_get(input, "to_model")));
        }
    } else if (str_is(event, "PostCompact")) {
        compaction_on_hook(&s->ext.compaction, input);
    } else if (str_is(event, "TaskCreated")) {
        if (plan_list_created(&s->planning.list, json_str(json_get(input, "task_id")),
                              json_str(json_get(input, "task_subject")))) {
            session_change_tasks(s, STR_ABSENT, NULL);
        }
    } else if (str_is(event, "TaskCompleted")) {
        if (plan_list_completed(&s->planning.list, json_str(json_get(input, "task_id")))) {
            session_change_tasks(s, STR_ABSENT, NULL);
        }
    }
}

static void on_control_request(struct session *s, json m)
{
    static const char *const unanswered[] = {"remote_tool_call", "remote_plumbing_call", "remote_tools_probe",
                                             "remote_tools_reannounce"};
    str subtype = json_str(json_path(m, "request", "subtype", NULL)),
        id = json_str(json_get(m, "request_id"));
    if (str_is(subtype, "hook_callback")) {
        on_hook(s, m);
        return;
    }
    if (str_is(subtype, "can_use_tool") || str_is(subtype, "elicitation") ||
        str_is(subtype, "request_user_dialog")) {
        questions_ask(&s->questions, m);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(unanswered); i++) {
        if (str_is(subtype, unanswered[i])) {
            return;
        }
    }
    cli_control_refuse(s->process.cli, id, STR("Unsupported control request"));
}

/* ---- Dispatch ---- */

struct frame_row {
    const char *type, *subtype; /* subtype NULL: any */
    void (*handle)(struct session *s, json m);
};

static const struct frame_row rows[] = {
    {"stream_event", NULL, session_on_stream_event}, /* the most frequent ones first */
    {"assistant", NULL, session_on_assistant},
    {"user", NULL, session_on_user},
    {"control_request", NULL, on_control_request},
    {"result", NULL, on_result},
    {"command_lifecycle", NULL, on_lifecycle},
    {"rate_limit_event", NULL, on_rate_limit},
    {"tool_progress", NULL, on_tool_progress},
    {"conversation_reset", NULL, on_conversation_reset},
    {"active_goal", NULL, session_goal_reported},
    {"system", "init", on_init},
    {"system", "status", on_status},
    {"system", "session_state_changed", on_state},
    {"system", "local_command_output", on_local_output},
    {"system", "task_started", on_task_started},
    {"system", "task_progress", extensions_task_progress},
    {"system", "task_updated", on_task_updated},
    {"system", "task_notification", on_task_notification},
    {"system", "background_tasks_changed", on_background_tasks},
    {"system", "informational", session_on_informational},
    {"system", "api_retry", session_on_retry},
    {"system", "model_refusal_fallback", session_on_fallback},
    {"system", "model_refusal_no_fallback", session_on_no_fallback},
    {"system", "memory_recall", on_memory_recall},
    {"system", "worker_shutting_down", on_worker_shutting_down},
    {"system", "permission_denied", on_denied},
    {"system", "compact_boundary", on_compact_boundary},
    {"system", "commands_changed", on_commands_changed},
    {"system", "elicitation_complete", on_elicitation_complete},
    {"system", "mirror_error", on_mirror_error},
};

void session_on_frame(struct session *s, struct json_doc *doc)
{
    json m = json_root(doc);
    str type = json_str(json_get(m, "type"));
    /* nothing of a conversation comes before the session is ready */
    if (!s->options || local_command_keeps(&s->local, doc, s->answer.scratch.text_delivered)) {
        return;
    }
    if (raw_message_wanted(json_path(s->setup.params.meta, "claudeCode", "emitRawSDKMessages", NULL), m)) {
        s->host->surface->raw(s->host->surface_self, str_of(s->id), m);
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct frame_row *row = &rows[i];
        if (str_is(type, row->type) &&
            (!row->subtype || str_is(json_str(json_get(m, "subtype")), row->subtype))) {
            row->handle(s, m);
            return;
        }
    }
    log_write(s->host->log, LOG_DEBUG, "a message of the CLI is not handled: %.*s",
              (int)(type.n < 64 ? type.n : 64), type.p ? type.p : "");
}
