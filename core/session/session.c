#include "session/session.h"

#include <stdlib.h>

#include "history/conversations.h"
#include "local/local_command.h"
#include "local/mcp_sign_in.h"
#include "prompt/prompt_content.h"
#include "session/goal.h"
#include "session/internal.h"

const struct session_error session_error_ended = {
    .code = RPC_INTERNAL_ERROR,
    .message = STR_INIT("Internal error: The Claude Agent session has ended. Please start a new session."),
};

/* ---- References ---- */

void session_ref(struct session *s)
{
    s->refs++;
}

static void free_stream(void *p)
{
    stream_text_free(p);
    free(p);
}

void session_drop_stream(struct session *s, str parent)
{
    void *stream = parent.p ? map_remove(&s->stream.children, parent) : NULL;
    if (stream) {
        free_stream(stream);
    }
}

void session_clear_streams(struct session *s)
{
    stream_text_clear(&s->stream.main);
    map_free(&s->stream.children, free_stream);
    map_free(&s->stream.torn, NULL);
}

void session_unref(struct session *s)
{
    if (--s->refs) {
        return;
    }
    tool_calls_free(&s->tooling.calls);
    turns_free(&s->turns);
    extensions_free(s);
    session_scratch_free(s);
    usage_free(&s->answer.usage);
    buf_free(&s->process.backend);
    usage_turn_free(&s->answer.tally);
    usage_turn_free(&s->answer.cycle_tally);
    live_tasks_free(&s->live);
    children_free(&s->children);
    map_free(&s->noticed, NULL);
    map_free(&s->stream.torn, NULL);
    buf_free(&s->answer.text);
    failures_free(&s->failures);
    title_free(&s->titling.title);
    buf_free(&s->titling.first_prompt);
    picks_file_free(&s->keeping.picks);
    plan_list_free(&s->planning.list);
    session_clear_streams(s);
    stream_text_free(&s->stream.main);
    buf_free(&s->stream.message_id);
    json_unref(s->commands.terminal);
    json_unref(s->commands.changed);
    json_unref(s->process.initialized);
    json_unref(s->setup.doc);
    session_options_free(s->options);
    settings_watch_free(s->configured.watch);
    settings_free(s->configured.settings);
    settings_faults_free(&s->configured.faults);
    arena_free(&s->start.mem);
    session_plan_exit_forget(s);
    buf_free(&s->start.transcript_model);
    free(s->process.executable);
    free(s->setup.cwd);
    writers_leave(&s->host->writers, str_of(s->conversation), s);
    struct list waiters;
    list_init(&waiters);
    LIST_EACH(w, &s->gone_waiters, struct gone_waiter, link) {
        list_remove(&w->link);
        list_append(&waiters, &w->link);
    }
    free(s);
    struct gone_waiter *first;
    while ((first = LIST_FIRST(&waiters, struct gone_waiter, link))) {
        list_remove(&first->link);
        first->gone(first->user);
    }
}

bool session_live(const struct session *s)
{
    return s->state != SESSION_GONE;
}

str session_id(const struct session *s)
{
    return str_of(s->id);
}

str session_cwd(const struct session *s)
{
    return str_of(s->setup.cwd);
}

str session_conversation(const struct session *s)
{
    return str_of(s->conversation);
}

const struct session_params *session_params(const struct session *s)
{
    return &s->setup.params;
}

bool session_serves(const struct session *s)
{
    return s->state == SESSION_OPEN && !s->restart;
}

enum mode session_mode(const struct session *s)
{
    return s->state == SESSION_OPEN && s->options ? session_options_mode(s->options) : MODE_NONE;
}

bool session_ended(const struct session *s)
{
    return s->state == SESSION_ENDED;
}

void session_hold_frames(struct session *s)
{
    if (s->process.cli) {
        s->process.holds++;
        cli_control_hold(s->process.cli);
    }
}

void session_release_frames(struct session *s)
{
    if (s->process.cli && s->process.holds) { /* else it was a hold of the process before */
        s->process.holds--;
        cli_control_release(s->process.cli);
    }
}

struct cli_control *session_let_go(struct session *s)
{
    struct cli_control *cli = s->process.cli;
    s->process.cli = NULL;
    for (; cli && s->process.holds; s->process.holds--) {
        cli_control_release(cli); /* its end waits for its frames */
    }
    s->process.holds = 0;
    s->process.paused = false;
    return cli;
}

void session_control(struct session *s, const char *subtype, str members)
{
    if (s->process.cli) {
        cli_control_request(s->process.cli, subtype, members, 0, NULL, NULL);
    }
}

/* ---- Prompts ---- */

/* The present CLI may be given prompts. */
static bool takes_prompts(const struct session *s)
{
    return s->process.cli && !s->restart && !s->host->gate.closed;
}

static void send_prompt(struct session *s, struct turn *t)
{
    session_step(s, "prompt %s is written to the CLI", t->uuid);
    t->unsent = false;
    s->process.used = true;
    cli_control_send(s->process.cli, buf_str(&t->line));
}

void session_send_unsent(struct session *s)
{
    struct session_error refusal;
    LIST_EACH(t, &s->turns.queue, struct turn, link) {
        if (!t->unsent || !takes_prompts(s)) {
            continue;
        }
        if (session_refused_account(s, &refusal)) {
            turns_refuse(&s->turns, t,
                         &(struct turn_end){.code = refusal.code,
                                            .message = STR("Authentication required"),
                                            .data = refusal.data});
        } else {
            send_prompt(s, t);
        }
    }
}

bool session_prompt(struct session *s, json blocks, json meta, const struct turn_observer *observer,
                    void *user, struct session_error *error)
{
    char uuid[UUID_SIZE];
    if (s->state != SESSION_OPEN) {
        *error = s->state == SESSION_ENDED ? session_error_ended : session_error_gone;
        return false;
    }
    session_renew_account(s);
    bool now = takes_prompts(s);
    if (now && session_refused_account(s, error)) {
        return false;
    }
    AUTO_BUF(line);
    if (!uuid_v4(uuid)) {
        *error = session_error_memory;
        return false;
    }
    prompt_put_user_message(&line, blocks, str_of(s->id), str_of(uuid),
                            session_goal_is_urgent(s, prompt_first_text(blocks)) ? STR("now") : STR_ABSENT);
    struct turn *t = buf_ok(&line) ? turns_add(&s->turns, uuid, observer, user) : NULL;
    if (!t) {
        *error = session_error_memory;
        return false;
    }
    str first = str_trim(prompt_first_text(blocks));
    str word = str_first(first, str_find_byte(first, ' ', 0));
    t->local_only = str_is(word, "/context") || str_is(word, "/heapdump") || str_is(word, "/extra-usage");
    session_warn_auto(s);
    session_warn_settings(s);
    if (plan_list_unfinished(&s->planning.list)) {
        session_change_tasks(s, STR_ABSENT, NULL);
    }
    AUTO_BUF(text);
    prompt_text(&text, blocks);
    title_add_prompt(&s->titling.title, buf_str(&text));
    if (!s->titling.first_prompt.n) {
        buf_put_str(&s->titling.first_prompt, buf_str(&text));
    }
    t->line = line;
    line = BUF_INIT;
    t->unsent = true;
    if (now) {
        send_prompt(s, t);
    } else {
        session_step(s, "prompt %s waits: %s", t->uuid,
                     s->restart ? "the CLI is replaced" : "the provider changes");
        session_say_idle(s); /* it may wait for a held turn */
    }
    extensions_sent(s, blocks, meta, str_of(uuid));
    local_command_sent(&s->local, blocks, uuid);
    return true;
}

void session_take_conversation(struct session *s, str id)
{
    struct writers *w = &s->host->writers;
    writers_leave(w, str_of(s->conversation), s);
    memmove(s->conversation, id.p, UUID_LENGTH);
    writers_enter(w, str_of(s->conversation), s);
}

static void noted(void *user);

/* One note at a time, so that the last one counts. The session is not gone before it is written. */
static void note_conversation(struct session *s)
{
    struct session_host *a = s->host;
    struct open_conversation now = {{0}, {0}};
    memcpy(now.id, s->id, sizeof(now.id));
    memcpy(now.conversation, s->conversation, sizeof(now.conversation));
    s->keeping.note_again = s->keeping.noting;
    if (!s->keeping.noting && conversation_note(a->loop, a->log, str_of(a->dirs->state), &now, noted, s)) {
        s->keeping.noting = true;
        session_ref(s);
    }
}

static void noted(void *user)
{
    struct session *s = user;
    s->keeping.noting = false;
    if (s->keeping.note_again) {
        note_conversation(s);
    }
    session_unref(s);
}

void session_conversation_changed(struct session *s, str id)
{
    if (uuid_valid(id)) {
        session_step(s, "the conversation is now %.*s", STR_ARG(id));
        session_take_conversation(s, id);
        note_conversation(s);
    }
}

static void interrupted(void *user, const struct control_error *error, json payload)
{
    struct session *s = user;
    if (!error && session_live(s)) {
        turns_still_queued(&s->turns, json_get(payload, "still_queued"));
    }
    session_unref(s);
}

bool session_interrupt(struct session *s)
{
    if (!s->process.cli || s->restart) {
        return false;
    }
    session_ref(s);
    cli_control_request(s->process.cli, "interrupt", STR_ABSENT, 0, interrupted, s);
    return true;
}

void session_cancel(struct session *s)
{
    if (s->state == SESSION_OPEN) {
        session_step(s, "cancelled by the client");
        session_plan_exit_forget(s);
        turns_cancel(&s->turns);
    }
}

void session_say_idle(struct session *s)
{
    s->host->calls->idle(s->host);
}

/* ---- The end ---- */

void session_drop_questions(struct session *s)
{
    questions_drop(&s->questions);
    mcp_sign_in_drop(&s->local);
}

void session_on_ended(struct session *s, const struct cli_exit *how)
{
    bool died = how->spawn_failed || how->signal || how->status != 0;
    bool told = died && s->process.error_result_last; /* the code only repeats the error that was shown */
    if (s->restart) {
        session_restart_ended(s, how);
        session_unref(s);
        return;
    }
    s->process.cli = NULL;
    if (s->state == SESSION_STARTING) {
        log_write(s->host->log, LOG_WARN, "the Claude Code CLI did not start: %.*s", STR_ARG(how->message));
        session_fail_start_ended(s, how);
    } else if (s->state == SESSION_OPEN) {
        log_write(s->host->log, died && !told ? LOG_WARN : LOG_INFO, "the Claude Code CLI has ended: %.*s",
                  STR_ARG(how->message));
        s->state = SESSION_ENDED;
        writers_leave(&s->host->writers, str_of(s->conversation), s);
        session_drop_questions(s);
        session_end_turns(s, died && !told);
        option_queue_drop(&s->changes, &session_error_ended);
        session_say_idle(s);
        if (died && !told) {
            session_close(s, NULL, NULL);
        }
    }
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process has held its own reference until here
    session_unref(s);
}

void session_close(struct session *s, session_done_cb *done, void *user)
{
    static const struct turn_end cancelled = {.stop_reason = "cancelled"};
    if (s->state == SESSION_GONE) {
        if (done) {
            done(user, NULL);
        }
        return;
    }
    session_step(s, "closing");
    session_ref(s);
    s->host->calls->leave(s->host, s);
    session_drop_questions(s);
    subagents_clear(&s->children.subagents); /* their ends are not told */
    session_say_idle(s);
    if (s->process.cli) {
        turns_cancel(&s->turns);
    }
    extensions_ended(s);
    turns_on_end(&s->turns, &cancelled, &cancelled);
    s->state = SESSION_GONE;
    option_queue_drop(&s->changes, &session_error_gone);
    session_restart_drop(s);
    struct cli_control *cli = session_let_go(s);
    if (cli) { /* it still tells its end, which gives its reference back */
        cli_control_end(cli, s->host->closing);
    }
    session_tell_ready(s, &session_error_gone);
    if (done) {
        done(user, NULL);
    }
    session_unref(s);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the agent has held its own reference until here
    session_unref(s);
}

void session_on_gone(struct session *s, struct gone_waiter *w, void (*gone)(void *user), void *user)
{
    w->gone = gone;
    w->user = user;
    list_init(&w->link);
    list_append(&s->gone_waiters, &w->link);
}

void session_pause(struct session *s, bool paused)
{
    if (s->process.cli && s->process.paused != paused) {
        s->process.paused = paused;
        cli_control_pause(s->process.cli, paused);
    }
}
