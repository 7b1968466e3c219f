#include "session/session.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/locate.h"
#include "history/hints.h"
#include "history/places.h"
#include "history/replay.h"
#include "session/commands.h"
#include "session/internal.h"
#include "session/prompt_content.h"

static const struct session_error NO_SESSION = {.code = -32603, .details = STR_INIT("Session not found")};
static const struct session_error ENDED_SESSION = {
    .code = -32603,
    .message = STR_INIT("Internal error: The Claude Agent session has ended. Please start a new session."),
};
static const struct session_error NO_MEMORY = {.code = -32603, .details = STR_INIT("out of memory")};

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

void session_clear_streams(struct session *s)
{
    stream_text_clear(&s->streamed);
    map_free(&s->child_streams, free_stream);
    map_free(&s->torn, NULL);
}

void session_unref(struct session *s)
{
    if (--s->refs) {
        return;
    }
    tool_calls_free(&s->calls);
    turns_free(&s->turns);
    extensions_free(s);
    session_scratch_free(s);
    usage_free(&s->usage);
    usage_turn_free(&s->tally);
    usage_turn_free(&s->cycle_tally);
    live_tasks_free(&s->live);
    map_free(&s->noticed, NULL);
    map_free(&s->torn, NULL);
    buf_free(&s->answer);
    failures_free(&s->failures);
    title_free(&s->title);
    buf_free(&s->first_prompt);
    plan_list_free(&s->plan);
    session_clear_streams(s);
    stream_text_free(&s->streamed);
    buf_free(&s->message_id);
    json_unref(s->terminal_commands);
    json_unref(s->commands);
    json_unref(s->initialized);
    json_unref(s->params_doc);
    session_options_free(s->options);
    settings_free(s->settings);
    session_plan_exit_forget(s);
    buf_free(&s->transcript_model);
    free(s->executable);
    free(s->cwd);
    void (*gone)(void *user) = s->gone;
    void *user = s->gone_user;
    free(s);
    if (gone) {
        gone(user);
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

bool session_ended(const struct session *s)
{
    return s->state == SESSION_ENDED;
}

void session_hold_frames(struct session *s)
{
    if (s->cli) {
        s->holds++;
        cli_control_hold(s->cli);
    }
}

void session_release_frames(struct session *s)
{
    if (s->cli && s->holds) { /* else it was a hold of the process before */
        s->holds--;
        cli_control_release(s->cli);
    }
}

struct cli_control *session_let_go(struct session *s)
{
    struct cli_control *cli = s->cli;
    s->cli = NULL;
    for (; cli && s->holds; s->holds--) {
        cli_control_release(cli); /* its end waits for its frames */
    }
    s->holds = 0;
    s->paused = false;
    return cli;
}

void session_control(struct session *s, const char *subtype, str members)
{
    if (s->cli) {
        cli_control_request(s->cli, subtype, members, 0, NULL, NULL);
    }
}

/* ---- Option changes: one after the other ---- */

struct change {
    struct list link;
    struct session *s; /* a reference */
    struct options_change c;
    enum { CHANGE_START, CHANGE_REQUEST, CHANGE_SWITCH, CHANGE_RESTART } kind;
    bool begun, in_flight;
    bool dropped; /* the session closed while a request was in flight: the answer frees it */
    enum { SET_NOTHING, SET_MODE, SET_OPTION, MODEL_SWITCHED } what;
    struct json_doc *value;
    str text; /* the mode, the option's id or the model; owned */
    session_done_cb *done;
    void *user;
};

static void run_change(struct session *s);
static void started(struct session *s, const struct options_change *c);

static void free_change(struct change *ch)
{
    struct session *s = ch->s;
    list_remove(&ch->link);
    options_change_free(&ch->c);
    json_unref(ch->value);
    free((void *)(uintptr_t)ch->text.p);
    free(ch);
    session_unref(s);
}

static void finish_change(struct change *ch)
{
    struct session *s = ch->s;
    struct session_error error = {.code = ch->c.code, .details = ch->c.error};
    session_ref(s);
    if (ch->kind == CHANGE_START) {
        started(s, &ch->c);
    } else if (ch->kind == CHANGE_RESTART) {
        session_restart_tuned(s, &ch->c);
    } else {
        if (ch->c.code && ch->kind == CHANGE_SWITCH) {
            log_write(s->agent->log, LOG_WARN, "following the CLI's model switch: %.*s",
                      STR_ARG(ch->c.error));
        }
        if (!ch->c.code || ch->kind == CHANGE_SWITCH) {
            session_apply_effects(s, ch->c.effects);
        }
        if (ch->done) {
            ch->done(ch->user, ch->c.code ? &error : NULL);
        }
    }
    free_change(ch);
    run_change(s);
    session_unref(s);
}

static void change_answered(void *user, const char *error, json payload)
{
    struct change *ch = user;
    (void)payload;
    ch->in_flight = false;
    if (ch->dropped) {
        free_change(ch);
        return;
    }
    options_change_answered(ch->s->options, &ch->c, error);
    run_change(ch->s);
}

/* Goes on with the first change: begins it, sends its next request, or finishes it. */
static void run_change(struct session *s)
{
    struct change *ch = LIST_FIRST(&s->changes, struct change, link);
    if (!ch || !session_live(s) || !s->options || ch->in_flight) {
        return;
    }
    if (s->restart && !ch->begun) {
        return; /* it waits for the new process */
    }
    if (!ch->begun) {
        ch->begun = true;
        if (ch->what == SET_MODE) {
            session_options_set_mode(s->options, &ch->c, ch->text);
        } else if (ch->what == SET_OPTION) {
            session_options_set(s->options, &ch->c, ch->text, json_root(ch->value));
        } else if (ch->what == MODEL_SWITCHED) {
            session_options_model_switched(s->options, &ch->c, ch->text);
        }
    }
    const struct options_request *rq = options_change_next(&ch->c);
    if (!rq) {
        finish_change(ch);
    } else if (s->cli) {
        ch->in_flight = true;
        cli_control_request(s->cli, rq->subtype, rq->members, 0, change_answered, ch);
    } else {
        change_answered(ch, "Query closed before response received", JSON_NONE);
    }
}

static void drop_changes(struct session *s, const struct session_error *error)
{
    LIST_EACH(ch, &s->changes, struct change, link)
    {
        if (ch->done) {
            ch->done(ch->user, error);
        }
        if (ch->in_flight) {
            ch->dropped = true;
            list_remove(&ch->link);
        } else {
            free_change(ch);
        }
    }
}

static struct change *new_change(struct session *s)
{
    struct change *ch = calloc(1, sizeof(*ch));
    if (!ch) {
        return NULL;
    }
    ch->s = s;
    session_ref(s);
    list_append(&s->changes, &ch->link);
    return ch;
}

struct options_change *session_tuning_change(struct session *s)
{
    struct change *ch = new_change(s);
    if (!ch) {
        return NULL;
    }
    ch->kind = CHANGE_RESTART;
    ch->begun = true;
    list_remove(&ch->link);
    list_append(s->changes.next, &ch->link); /* ahead of the first */
    return &ch->c;
}

void session_drop_tuning(struct session *s)
{
    free_change(LIST_FIRST(&s->changes, struct change, link));
}

void session_run_changes(struct session *s)
{
    run_change(s);
}

static void queue_change(struct session *s, int what, str text, json value, session_done_cb *done, void *user)
{
    bool waits = !list_empty(&s->changes);
    struct change *ch = new_change(s);
    if (!ch) {
        if (done) {
            done(user, &NO_MEMORY);
        }
        return;
    }
    ch->kind = done ? CHANGE_REQUEST : CHANGE_SWITCH;
    ch->what = what;
    ch->text = (str){str_dup(text.p ? text : STR("")), text.n};
    ch->value = json_detach(value);
    ch->done = done;
    ch->user = user;
    if (!waits) {
        run_change(s);
    }
}

static bool refuse_ended(struct session *s, session_done_cb *done, void *user)
{
    if (s->state == SESSION_OPEN) {
        return false;
    }
    done(user, s->state == SESSION_ENDED ? &ENDED_SESSION : &NO_SESSION);
    return true;
}

void session_set_mode(struct session *s, str mode, session_done_cb *done, void *user)
{
    if (!refuse_ended(s, done, user)) {
        queue_change(s, SET_MODE, mode, JSON_NONE, done, user);
    }
}

void session_set_option(struct session *s, str id, json value, session_done_cb *done, void *user)
{
    if (!refuse_ended(s, done, user)) {
        queue_change(s, SET_OPTION, id, value, done, user);
    }
}

void session_model_switched(struct session *s, str model)
{
    queue_change(s, MODEL_SWITCHED, model, JSON_NONE, NULL, NULL);
}

/* ---- What the client is told of options ---- */

void session_warn(struct session *s, const char *title, const char *text)
{
    struct agent *a = s->agent;
    AUTO_BUF(b);
    if (a->client.session_notices) {
        buf_put_c(&b, text);
        if (b.n && b.p[0] >= 'a' && b.p[0] <= 'z') {
            b.p[0] = (char)(b.p[0] - 'a' + 'A');
        }
        a->surface->notice(a->surface_self, str_of(s->id), "warning", str_of(title), buf_str(&b));
        return;
    }
    buf_printf(&b, "**%s:** %s", title, text);
    a->surface->text(a->surface_self, str_of(s->id), MESSAGE_AGENT, STR_ABSENT, buf_str(&b), STR_ABSENT);
}

static void warn_auto(struct session *s)
{
    if (session_options_take_auto_warning(s->options)) {
        session_warn(s, session_options_auto_title, session_options_auto_text);
    }
}

void session_put_modes(struct session *s, struct buf *b)
{
    session_options_put_modes(s->options, b);
}

void session_put_options(struct session *s, struct buf *b)
{
    session_options_put(s->options, b, s->agent->client.protocol_version >= 2);
}

struct window_question {
    struct session *s;
    str model; /* owned */
};

static void window_answered(void *user, const char *error, json payload)
{
    struct window_question *q = user;
    if (!error && session_live(q->s)) {
        usage_context_answer(&q->s->usage, payload, q->model);
    } else if (error) {
        log_write(q->s->agent->log, LOG_DEBUG, "get_context_usage: %s", error);
    }
    session_unref(q->s);
    free((void *)(uintptr_t)q->model.p);
    free(q);
}

void session_select_model(struct session *s)
{
    const struct model_row *row = session_options_model_row(s->options);
    str id = session_options_model(s->options);
    struct usage_model model = {.id = id};
    if (row) {
        model.resolved = row->resolved;
        model.name = row->original_name;
        model.description = row->description;
    }
    usage_select_model(&s->usage, &s->agent->windows, STR_ABSENT, &model);
}

static void ask_window(struct session *s)
{
    struct window_question *q = s->cli ? calloc(1, sizeof(*q)) : NULL;
    if (!q) {
        return;
    }
    q->s = s;
    session_ref(s);
    str id = session_options_model(s->options);
    q->model = (str){str_dup(id.p ? id : STR("")), id.n};
    cli_control_request(s->cli, "get_context_usage", STR("\"detail\":\"summary\""), 0, window_answered, q);
}

void session_apply_effects(struct session *s, unsigned effects)
{
    struct agent *a = s->agent;
    warn_auto(s);
    if (effects & OPTIONS_MODEL) {
        session_select_model(s);
        ask_window(s);
    }
    if (effects & OPTIONS_MODE) {
        a->surface->mode(a->surface_self, str_of(s->id),
                         str_of(mode_info(session_options_mode(s->options))->id));
    }
    if (effects & OPTIONS_LIST) {
        AUTO_BUF(b);
        session_put_options(s, &b);
        a->surface->options(a->surface_self, str_of(s->id), buf_str(&b));
    }
}

void session_change_mode(struct session *s, enum mode mode)
{
    enum mode effective = session_options_effective_mode(s->options, mode);
    session_apply_effects(s, session_options_note_mode(s->options, effective));
}

void session_use_client(struct session *s)
{
    if (s->options) {
        session_options_use_client(s->options, &s->agent->client);
    }
}

void session_announce(struct session *s)
{
    session_send_commands(s);
    ask_window(s);
}

/* ---- Starting ---- */

/* What the start asks the disk, on a worker thread. */
struct start {
    uv_work_t work;
    struct session *s;
    str resume;
    struct arena mem;
    struct settings_place place;
    str self;
    const char *home;
    bool no_folder, not_a_folder;
    struct settings *settings;
    struct cli_location cli;
    struct hints hints;
};

static void tell_ready(struct session *s, const struct session_error *error)
{
    session_ready_cb *ready = s->ready;
    s->ready = NULL;
    if (ready) {
        ready(s->ready_user, error ? NULL : s, error);
    }
}

static void fail_start(struct session *s, const struct session_error *error)
{
    if (!s->ready) {
        return;
    }
    session_ref(s);
    tell_ready(s, error);
    session_close(s, NULL, NULL);
    session_unref(s);
}

static void fail_start_text(struct session *s, str details)
{
    fail_start(s, &(struct session_error){.code = -32603, .details = details});
}

/* The CLI went before it was ready. A stored session that it does not know is told apart. */
static void fail_start_ended(struct session *s, str message)
{
    bool unknown = s->usage.resumed && (str_has(message, STR("No conversation found with session ID")) ||
                                        str_is(message, "Query closed before response received"));
    if (!unknown) {
        fail_start_text(s, message);
        return;
    }
    AUTO_BUF(text);
    AUTO_BUF(data);
    buf_printf(&text, "Resource not found: %s", s->id);
    json_open_object(&data);
    json_member_c(&data, "uri", s->id);
    json_close_object(&data);
    fail_start(s, &(struct session_error){.code = -32002, .message = buf_str(&text), .data = buf_str(&data)});
}

static void started(struct session *s, const struct options_change *c)
{
    if (c->code) {
        fail_start(s, &(struct session_error){.code = c->code, .details = c->error});
        return;
    }
    s->state = SESSION_OPEN;
    session_select_model(s);
    tell_ready(s, NULL);
}

/* --hide-claude-auth: a claude.ai subscription is never billed. True when the account must not be used; `*error` says why. */
static bool refused_account(struct session *s, struct session_error *error)
{
    struct agent *a = s->agent;
    json account = json_get(json_root(s->initialized), "account");
    enum auth_guard guard =
        a->hide_claude_auth && !providers_active(a->providers) ? auth_guard(account) : AUTH_GUARD_ALLOW;
    if (guard == AUTH_GUARD_NO_ACCOUNT && !s->warned_account) {
        s->warned_account = true;
        log_write(a->log, LOG_WARN, "the CLI does not say which account it uses");
    }
    *error = (struct session_error){.code = -32000};
    if (guard == AUTH_GUARD_SUBSCRIPTION) {
        error->data = STR("{\"reason\":\"claude_subscription_not_supported\"}");
    }
    return guard == AUTH_GUARD_SUBSCRIPTION || guard == AUTH_GUARD_NO_CREDENTIAL;
}

static void on_initialized(void *user, const char *error, json payload)
{
    struct session *s = user;
    if (error || !session_live(s)) {
        /* A process that is gone says why in its end, which follows. */
        if (error && session_live(s) && strcmp(error, "Query closed before response received") != 0) {
            fail_start_text(s, str_of(error));
        }
        session_unref(s);
        return;
    }
    struct agent *a = s->agent;
    s->initialized = json_detach(payload);
    json init = json_root(s->initialized);
    agent_note_account(a, json_get(init, "account"), settings_api_key_helper(s->settings));
    struct session_error refusal;
    if (refused_account(s, &refusal)) {
        fail_start(s, &refusal);
        session_unref(s);
        return;
    }
    AUTO_ARENA(mem);
    struct launch launch = {0};
    struct launch_request rq = {.params = &s->params,
                                .client = &a->client,
                                .settings = s->settings,
                                .env = a->env,
                                .root = geteuid() == 0,
                                .session_id = str_of(s->id),
                                .mode = s->start_mode};
    const char *why = launch_build(&mem, &rq, &launch);
    struct change *ch = why ? NULL : new_change(s);
    if (ch) {
        ch->kind = CHANGE_START;
        ch->begun = true;
        s->options = session_options_new(
            &(struct session_options_setup){
                .client = &a->client,
                .settings = s->settings,
                .launch = &launch,
                .params = &s->params,
                .initialize = init,
                .env = a->env,
                .resumed = s->usage.resumed,
                .transcript_model = s->transcript_model.n ? buf_str(&s->transcript_model) : STR_ABSENT,
            },
            &ch->c);
    }
    if (!s->options) {
        fail_start(s, &NO_MEMORY);
    } else {
        run_change(s);
    }
    session_unref(s);
}

static void on_ended(void *user, const struct cli_exit *how);

static void on_frame(void *user, struct json_doc *doc)
{
    struct session *s = user;
    if (session_live(s) && s->cli) {
        session_on_frame(s, doc);
    }
}

static void on_withdrawn(void *user, str request_id)
{
    session_question_withdrawn(user, request_id);
}

static const struct cli_control_events control_events = {
    .frame = on_frame,
    .withdrawn = on_withdrawn,
    .ended = on_ended,
};

bool session_spawn(struct session *s, const struct launch *launch, control_answer_cb *cb)
{
    struct agent *a = s->agent;
    struct cli_spawn spawn = {.executable = s->executable,
                              .argv = launch->argv,
                              .env = launch->env,
                              .cwd = s->cwd,
                              .launcher = a->executable};
    s->cli = cli_control_start(a->loop, a->log, &spawn, &control_events, s);
    if (!s->cli) {
        return false;
    }
    s->file_checkpoints = launch->file_checkpoints;
    session_ref(s); /* the process's */
    session_pause(s, a->congested);
    session_ref(s); /* the answer's */
    cli_control_request(s->cli, "initialize", launch->initialize, 0, cb, s);
    return true;
}

static void launch_cli(struct session *s, struct start *st)
{
    struct agent *a = s->agent;
    if (!st->cli.path.p) {
        fail_start_text(
            s,
            STR("The Claude Code CLI was not found. Install it, or set CLAUDE_CODE_EXECUTABLE to its path. "
                "`herald doctor` shows where it was looked for."));
        return;
    }
    struct launch launch = {0};
    struct launch_request rq = {.params = &s->params,
                                .client = &a->client,
                                .settings = s->settings,
                                .providers = a->providers,
                                .env = a->env,
                                .root = geteuid() == 0,
                                .mode = s->start_mode};
    if (st->resume.p) {
        rq.resume_id = st->resume;
    } else {
        rq.session_id = str_of(s->id);
    }
    const char *why = launch_build(&st->mem, &rq, &launch);
    if (why || !arena_ok(&st->mem)) {
        fail_start_text(s, str_of(why ? why : "out of memory"));
        return;
    }
    s->executable = str_dup(st->cli.path);
    if (!s->executable || !session_spawn(s, &launch, on_initialized)) {
        fail_start(s, &NO_MEMORY);
    }
}

static void ask_disk(uv_work_t *work)
{
    struct start *st = CONTAINER_OF(work, struct start, work);
    struct stat sb;
    st->no_folder = stat(st->place.cwd.p, &sb) != 0;
    st->not_a_folder = !st->no_folder && !S_ISDIR(sb.st_mode);
    if (!st->no_folder && !st->not_a_folder) {
        st->settings = settings_load(&st->place);
        st->cli = cli_locate(&st->mem, st->self, str_of(st->home));
    }
    if (st->settings && uuid_valid(st->resume)) {
        struct project_folders all = project_folders(&st->mem, st->place.config_dir, STR_ABSENT);
        str transcript = find_transcript(&st->mem, &all, st->resume);
        if (transcript.p) {
            hints_read(&st->hints, &st->mem, transcript.p);
        }
    }
}

static void refuse_folder(struct session *s, const char *why)
{
    AUTO_BUF(message);
    AUTO_BUF(data);
    buf_printf(&message, "Invalid params: cwd %s", why);
    json_open_object(&data);
    json_member_c(&data, "cwd", s->cwd);
    json_close_object(&data);
    fail_start(s,
               &(struct session_error){.code = -32602, .message = buf_str(&message), .data = buf_str(&data)});
}

static void disk_answered(uv_work_t *work, int status)
{
    struct start *st = CONTAINER_OF(work, struct start, work);
    struct session *s = st->s;
    (void)status;
    s->settings = st->settings;
    if (s->start_mode == MODE_NONE) {
        s->start_mode = st->hints.mode;
    }
    buf_put_str(&s->transcript_model, st->hints.model);
    if (!session_live(s)) {
        fail_start(s, &NO_SESSION);
    } else if (st->no_folder) {
        refuse_folder(s, "does not exist");
    } else if (st->not_a_folder) {
        refuse_folder(s, "is not a folder");
    } else if (!s->settings) {
        fail_start(s, &NO_MEMORY);
    } else {
        launch_cli(s, st);
    }
    arena_free(&st->mem);
    free(st);
    session_unref(s);
}

static bool begin_start(struct session *s, str resume)
{
    struct agent *a = s->agent;
    struct start *st = calloc(1, sizeof(*st));
    if (!st) {
        return false;
    }
    st->s = s;
    st->resume = arena_str(&st->mem, resume);
    st->home = a->dirs->home;
    st->self = str_of(a->executable);
    st->hints.mode = MODE_NONE;
    st->place = (struct settings_place){
        .config_dir = str_of(a->dirs->claude_config),
        .home = str_of(a->dirs->home),
        .cwd = str_of(s->cwd),
    };
    if (!arena_ok(&st->mem) || uv_queue_work(a->loop, &st->work, ask_disk, disk_answered) != 0) {
        arena_free(&st->mem);
        free(st);
        return false;
    }
    session_ref(s);
    return true;
}

struct session *session_new(struct agent *agent, const struct session_params *params, struct json_doc *doc,
                            str resume, session_ready_cb *ready, void *user)
{
    return session_resume(agent, params, doc, resume, MODE_NONE, ready, user);
}

struct session *session_resume(struct agent *agent, const struct session_params *params, struct json_doc *doc,
                               str resume, enum mode mode, session_ready_cb *ready, void *user)
{
    if (!agent->reporters) {
        agent->reporters = reporter_host_new(&agent->reporter_dirs, agent->log);
    }
    struct session *s = agent->reporters ? calloc(1, sizeof(*s)) : NULL;
    if (!s) {
        return NULL;
    }
    s->agent = agent;
    s->refs = 1;
    s->params = *params;
    s->params_doc = json_ref(doc);
    s->usage = USAGE_INIT;
    s->title = TITLE_INIT;
    s->ready = ready;
    s->ready_user = user;
    s->start_mode = mode;
    s->cwd = str_dup(params->cwd);
    s->params.cwd = str_of(s->cwd);
    list_init(&s->changes);
    list_init(&s->questions);
    plan_list_init(&s->plan);
    extensions_init(s);
    live_tasks_init(&s->live);
    turns_init(&s->turns, &session_turn_hooks, s);
    bool named = uuid_v4(s->id);
    if (resume.n == UUID_LENGTH) {
        memcpy(s->id, resume.p, UUID_LENGTH);
        usage_resumed(&s->usage);
    }
    if (!named || !s->cwd || !failures_init(&s->failures, str_of(s->id)) || !tool_calls_init(&s->calls, s) ||
        !map_put(&agent->sessions, str_of(s->id), s, NULL)) {
        session_unref(s);
        return NULL;
    }
    memcpy(s->conversation, s->id, sizeof(s->id));
    if (!begin_start(s, resume)) {
        map_remove(&agent->sessions, str_of(s->id));
        session_unref(s);
        return NULL;
    }
    return s;
}

/* ---- Prompts ---- */

bool session_prompt(struct session *s, json blocks, json meta, const struct turn_observer *observer, void *user,
                    struct session_error *error)
{
    char uuid[UUID_SIZE];
    if (s->state != SESSION_OPEN) {
        *error = s->state == SESSION_ENDED ? ENDED_SESSION : NO_SESSION;
        return false;
    }
    if (refused_account(s, error)) {
        return false;
    }
    AUTO_BUF(line);
    if (!uuid_v4(uuid)) {
        *error = NO_MEMORY;
        return false;
    }
    prompt_put_user_message(&line, blocks, str_of(s->id), str_of(uuid), STR_ABSENT);
    struct turn *t = buf_ok(&line) ? turns_add(&s->turns, uuid, observer, user) : NULL;
    if (!t) {
        *error = NO_MEMORY;
        return false;
    }
    str first = str_trim(prompt_first_text(blocks));
    str word = str_first(first, str_find_byte(first, ' ', 0));
    t->local_only = str_is(word, "/context") || str_is(word, "/heapdump") || str_is(word, "/extra-usage");
    warn_auto(s);
    if (plan_list_unfinished(&s->plan)) {
        session_change_tasks(s, NULL);
    }
    AUTO_BUF(text);
    prompt_text(&text, blocks);
    title_add_prompt(&s->title, buf_str(&text));
    if (!s->first_prompt.n) {
        buf_put_str(&s->first_prompt, buf_str(&text));
    }
    if (!s->restart) {
        cli_control_send(s->cli, buf_str(&line));
    }
    t->line = line;
    line = BUF_INIT;
    extensions_sent(s, blocks, meta, str_of(uuid));
    return true;
}

static void interrupted(void *user, const char *error, json payload)
{
    struct session *s = user;
    if (!error && session_live(s)) {
        turns_still_queued(&s->turns, json_get(payload, "still_queued"));
    }
    session_unref(s);
}

void session_interrupt(struct session *s)
{
    if (s->cli && !s->restart) {
        session_ref(s);
        cli_control_request(s->cli, "interrupt", STR_ABSENT, 0, interrupted, s);
    }
}

void session_cancel(struct session *s)
{
    if (s->state == SESSION_OPEN) {
        session_plan_exit_forget(s);
        turns_cancel(&s->turns);
        if (s->restart && s->turns.active) { /* no process is there to end it */
            turns_cancel_timeout(&s->turns, s->turns.active);
        }
    }
}

/* ---- The end ---- */

static void leave_agent(struct session *s)
{
    if (map_get(&s->agent->sessions, str_of(s->id)) == s) {
        map_remove(&s->agent->sessions, str_of(s->id));
    }
}

static void on_ended(void *user, const struct cli_exit *how)
{
    struct session *s = user;
    bool died = how->spawn_failed || how->signal || how->status != 0;
    bool told = died && s->error_result_last; /* the code only repeats the error that was shown */
    if (s->restart) {
        session_restart_ended(s, how);
        session_unref(s);
        return;
    }
    s->cli = NULL;
    if (s->state == SESSION_STARTING) {
        log_write(s->agent->log, LOG_WARN, "the Claude Code CLI did not start: %.*s", STR_ARG(how->message));
        fail_start_ended(s, how->message);
    } else if (s->state == SESSION_OPEN) {
        log_write(s->agent->log, died && !told ? LOG_WARN : LOG_INFO, "the Claude Code CLI has ended: %.*s",
                  STR_ARG(how->message));
        s->state = SESSION_ENDED;
        session_drop_questions(s);
        session_end_turns(s, died && !told);
        drop_changes(s, &ENDED_SESSION);
        if (died && !told) {
            session_close(s, NULL, NULL);
        }
    }
    session_unref(s); /* the process's */
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
    session_ref(s);
    leave_agent(s);
    session_drop_questions(s);
    if (s->cli) {
        turns_cancel(&s->turns);
    }
    extensions_ended(s);
    turns_on_end(&s->turns, &cancelled, &cancelled);
    s->state = SESSION_GONE;
    if (s->replay) {
        replay_wake(s->replay); /* it ends */
    }
    drop_changes(s, &NO_SESSION);
    session_restart_drop(s);
    struct cli_control *cli = session_let_go(s);
    if (cli) { /* it still tells its end, which gives its reference back */
        cli_control_end(cli, s->agent->closing);
    }
    tell_ready(s, &NO_SESSION);
    if (done) {
        done(user, NULL);
    }
    session_unref(s);
    session_unref(s); /* the agent's */
}

void session_on_gone(struct session *s, void (*gone)(void *user), void *user)
{
    s->gone = gone;
    s->gone_user = user;
}

void session_pause(struct session *s, bool paused)
{
    if (s->replay && !paused) {
        replay_wake(s->replay);
    }
    if (s->cli && s->paused != paused) {
        s->paused = paused;
        cli_control_pause(s->cli, paused);
    }
}
