/* How a session starts: the disk is asked, the CLI is started and introduced, its options are brought in
 * line. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/locate.h"
#include "history/project_folders.h"
#include "history/resume_state.h"
#include "session/internal.h"

/* What the start asks the disk, on a worker thread. */
struct start {
    uv_work_t work;
    struct gate_waiter waiter;
    struct session *s;
    str resume;
    str picks_of, state;
    struct buf picks;
    struct arena mem;
    struct settings_place place;
    str self;
    const char *home;
    bool no_folder, not_a_folder;
    struct settings *settings;
    struct cli_location cli;
    struct resume_state hints;
};

void session_tell_ready(struct session *s, const struct session_error *error)
{
    session_ready_cb *ready = s->start.ready;
    s->start.ready = NULL;
    if (ready) {
        ready(s->start.user, error ? NULL : s, error);
    }
}

void session_fail_start(struct session *s, const struct session_error *error)
{
    if (!s->start.ready) {
        return;
    }
    session_step(s, "the start failed: %d %.*s", error->code, STR_ARG(error->details));
    session_ref(s);
    session_tell_ready(s, error);
    session_close(s, NULL, NULL);
    session_unref(s);
}

static void fail_start_text(struct session *s, str details)
{
    session_fail_start(s, &(struct session_error){.code = RPC_INTERNAL_ERROR, .details = details});
}

bool session_message_is_unknown(str message)
{
    return str_has(message, STR("No conversation found with session ID"));
}

static bool went_without_a_word(const struct cli_exit *how)
{
    return !how->spawn_failed && !how->signal && !how->status && !how->stderr_tail.n;
}

/* The CLI went before it was ready. A stored session that it does not know is told apart. */
void session_fail_start_ended(struct session *s, const struct cli_exit *how)
{
    bool unknown =
        s->answer.usage.resumed && (session_message_is_unknown(how->message) || went_without_a_word(how));
    if (!unknown) {
        fail_start_text(s, how->message);
        return;
    }
    AUTO_BUF(text);
    AUTO_BUF(data);
    buf_printf(&text, "Resource not found: %s", s->id);
    json_open_object(&data);
    json_member_c(&data, "uri", s->id);
    json_close_object(&data);
    session_fail_start(s, &(struct session_error){.code = RPC_RESOURCE_NOT_FOUND,
                                                  .message = buf_str(&text),
                                                  .data = buf_str(&data)});
}

void session_started(struct session *s, const struct options_change *c)
{
    if (c->code) {
        session_fail_start(s, &(struct session_error){.code = c->code, .details = c->error});
        return;
    }
    session_step(s, "open");
    s->state = SESSION_OPEN;
    arena_free(&s->start.mem);
    session_select_model(s);
    session_save_picks(s);
    if (s->process.generation != s->host->gate.generation) {
        session_change_provider(s); /* who waits for the start is told afterwards */
    } else {
        session_tell_ready(s, NULL);
    }
}

/* The settings are what the CLI has: the mode may be another one than it was started in. */
static void choose_options(struct session *s)
{
    struct session_host *a = s->host;
    struct launch_request rq = {.settings = s->configured.settings, .mode = s->start.mode};
    enum mode mode = launch_mode(&rq, s->start.launch.bypass);
    struct options_change *change = option_queue_start(&s->changes);
    if (change) {
        s->options = session_options_new(
            &(struct session_options_setup){
                .client = &a->client,
                .settings = s->configured.settings,
                .launch = &s->start.launch,
                .mode = &mode,
                .params = &s->setup.params,
                .initialize = json_root(s->process.initialized),
                .env = a->env,
                .resumed = s->answer.usage.resumed,
                .transcript_model =
                    s->start.transcript_model.n ? buf_str(&s->start.transcript_model) : STR_ABSENT,
                .picks = s->start.picks.picked ? &s->start.picks : NULL,
            },
            change);
    }
    if (!s->options) {
        session_fail_start(s, &session_error_memory);
    } else {
        session_step(s, "its options are brought in line");
        option_queue_run(&s->changes);
    }
}

static void on_initialized(void *user, const struct control_error *error, json payload)
{
    struct session *s = user;
    if (error || !session_live(s)) {
        /* A process that is gone says why in its end, which follows. */
        if (error && session_live(s) && error->end != CONTROL_CLOSED) {
            fail_start_text(s, str_of(error->text));
        }
        session_unref(s);
        return;
    }
    struct session_host *a = s->host;
    s->process.initialized = json_detach(payload);
    json init = json_root(s->process.initialized);
    a->calls->account(a, json_get(init, "account"), settings_api_key_helper(s->configured.settings));
    struct session_error refusal;
    if (session_refused_account(s, &refusal)) {
        session_fail_start(s, &refusal);
        session_unref(s);
        return;
    }
    session_step(s, "the CLI is initialized");
    session_check_settings(s, choose_options);
    session_unref(s);
}

static void on_frame(void *user, struct json_doc *doc)
{
    struct session *s = user;
    if (session_live(s) && s->process.cli) {
        session_on_frame(s, doc);
    }
}

static void on_withdrawn(void *user, str request_id)
{
    struct session *s = user;
    questions_withdraw(&s->questions, request_id);
}

static void on_ended(void *user, const struct cli_exit *how)
{
    session_on_ended(user, how);
}

static const struct cli_control_events control_events = {
    .frame = on_frame,
    .withdrawn = on_withdrawn,
    .ended = on_ended,
};

bool session_spawn(struct session *s, const struct launch *launch, unsigned limit_ms, control_answer_cb *cb)
{
    struct session_host *a = s->host;
    struct cli_spawn spawn = {.executable = s->process.executable,
                              .argv = launch->argv,
                              .env = launch->env,
                              .cwd = s->setup.cwd,
                              .launcher = a->executable};
    if (launch->notice) {
        log_write(a->log, LOG_WARN, "%s", launch->notice);
    }
    s->process.cli = cli_control_start(a->loop, a->log, &spawn, &control_events, s);
    if (!s->process.cli) {
        return false;
    }
    s->process.count++;
    session_step(s, "launched %s (process %u) in %s", s->process.executable, s->process.count, s->setup.cwd);
    s->process.file_checkpoints = launch->file_checkpoints;
    s->process.generation = a->gate.generation;
    buf_clear(&s->process.backend);
    env_put_backend(&s->process.backend, launch->env);
    session_ref(s); /* the process's */
    session_pause(s, a->congested);
    session_ref(s); /* the answer's */
    cli_control_request(s->process.cli, "initialize", launch->initialize, limit_ms, cb, s);
    return true;
}

static void launch_cli(struct session *s, struct start *st)
{
    struct session_host *a = s->host;
    if (!st->cli.path.p) {
        AUTO_BUF(why);
        buf_put_str(&why, st->cli.problem);
        buf_put_c(&why, ". `herald doctor` shows where it was looked for.");
        fail_start_text(s, buf_str(&why));
        return;
    }
    struct launch_request rq = {.params = &s->setup.params,
                                .client = &a->client,
                                .settings = s->configured.settings,
                                .providers = a->providers,
                                .env = a->env,
                                .root = geteuid() == 0,
                                .mode = s->start.mode};
    if (s->start.picks.picked & PICKED_EFFORT) {
        rq.effort = STR(""); /* what was picked follows, when it is known to be offered */
    }
    if (s->start.picks.picked & PICKED_AGENT) {
        rq.agent = STR("");
    }
    if (st->resume.p) {
        rq.resume_id = st->resume;
    } else {
        rq.session_id = str_of(s->id);
    }
    const char *why = launch_build(&s->start.mem, &rq, &s->start.launch);
    if (why || !arena_ok(&s->start.mem)) {
        fail_start_text(s, str_of(why ? why : "out of memory"));
        return;
    }
    s->process.executable = str_dup(st->cli.path);
    if (!s->process.executable || !session_spawn(s, &s->start.launch, 0, on_initialized)) {
        session_fail_start(s, &session_error_memory);
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
            resume_state_read(&st->hints, &st->mem, transcript.p);
        }
    }
    picks_file_find(&st->picks, st->state, st->picks_of);
}

static void refuse_folder(struct session *s, const char *why)
{
    AUTO_BUF(message);
    AUTO_BUF(data);
    buf_printf(&message, "Invalid params: cwd %s", why);
    json_open_object(&data);
    json_member_c(&data, "cwd", s->setup.cwd);
    json_close_object(&data);
    session_fail_start(s, &(struct session_error){.code = RPC_INVALID_PARAMS,
                                                  .message = buf_str(&message),
                                                  .data = buf_str(&data)});
}

/* What they say counts from now on: at a change of the model, for another process. */
static void settings_changed(void *user, struct settings *settings)
{
    struct session *s = user;
    if (s->options) {
        session_options_use_settings(s->options, settings);
    }
    settings_free(s->configured.settings);
    s->configured.settings = settings;
}

void session_use_settings(struct session *s, struct settings *settings, const struct settings_place *place)
{
    settings_changed(s, settings);
    settings_watch_free(s->configured.watch);
    s->configured.watch = settings_watch_new(s->host->loop, place, settings_changed, s);
}

static void end_start(struct start *st)
{
    struct session *s = st->s;
    arena_free(&st->mem);
    buf_free(&st->picks);
    free(st);
    session_unref(s);
}

static void may_launch(struct gate_waiter *waiter)
{
    struct start *st = CONTAINER_OF(waiter, struct start, waiter);
    if (session_live(st->s)) {
        launch_cli(st->s, st);
    }
    end_start(st);
}

static void disk_answered(uv_work_t *work, int status)
{
    struct start *st = CONTAINER_OF(work, struct start, work);
    struct session *s = st->s;
    (void)status;
    s->configured.settings = st->settings;
    option_picks_read(&s->start.picks, &s->start.mem, buf_str(&st->picks), &s->setup.params);
    if (s->start.mode == MODE_NONE) {
        s->start.mode = s->start.picks.picked & PICKED_MODE ? s->start.picks.mode : st->hints.mode;
    }
    buf_put_str(&s->start.transcript_model, st->hints.model);
    if (!session_live(s)) {
        session_fail_start(s, &session_error_gone);
    } else if (st->no_folder) {
        refuse_folder(s, "does not exist");
    } else if (st->not_a_folder) {
        refuse_folder(s, "is not a folder");
    } else if (!s->configured.settings) {
        session_fail_start(s, &session_error_memory);
    } else {
        session_step(s, "the disk was asked; %s",
                     s->host->gate.closed ? "the launch waits for a change of the provider" : "launching");
        s->configured.watch = settings_watch_new(s->host->loop, &st->place, settings_changed, s);
        launch_gate_wait(&s->host->gate, &st->waiter, may_launch);
        return;
    }
    end_start(st);
}

static bool begin_start(struct session *s, const struct session_past *past)
{
    struct session_host *a = s->host;
    struct start *st = calloc(1, sizeof(*st));
    if (!st) {
        return false;
    }
    st->s = s;
    st->resume = past ? arena_str(&st->mem, past->conversation) : STR_ABSENT;
    st->picks_of = past ? arena_str(&st->mem, past->picks) : STR_ABSENT;
    st->state = str_of(a->dirs->state);
    st->home = a->dirs->home;
    st->self = str_of(a->executable);
    st->hints.mode = MODE_NONE;
    st->place = session_settings_place(s);
    if (!arena_ok(&st->mem) || uv_queue_work(a->loop, &st->work, ask_disk, disk_answered) != 0) {
        arena_free(&st->mem);
        free(st);
        return false;
    }
    session_step(s, "starting in %s%s%.*s", s->setup.cwd, past ? ", resuming " : "", STR_ARG(st->resume));
    session_ref(s);
    return true;
}

static struct session *open_session(struct session_host *host, const struct session_params *params,
                                    struct json_doc *doc, const struct session_past *past,
                                    session_ready_cb *ready, void *user)
{
    struct session *s = calloc(1, sizeof(*s));
    if (!s) {
        return NULL;
    }
    s->host = host;
    s->refs = 1;
    s->setup.params = *params;
    s->setup.doc = json_ref(doc);
    s->answer.usage = USAGE_INIT;
    s->titling.title = TITLE_INIT;
    s->start.ready = ready;
    s->start.user = user;
    s->start.mode = past ? past->mode : MODE_NONE;
    s->setup.cwd = str_dup(params->cwd);
    s->setup.params.cwd = str_of(s->setup.cwd);
    list_init(&s->gone_waiters);
    plan_list_init(&s->planning.list);
    extensions_init(s);
    live_tasks_init(&s->live);
    turns_init(&s->turns, &session_turn_hooks, s);
    bool named = uuid_v4(s->id);
    memcpy(s->conversation, s->id, sizeof(s->id));
    if (past && past->id.n == UUID_LENGTH && past->conversation.n == UUID_LENGTH) {
        memcpy(s->id, past->id.p, UUID_LENGTH);
        memcpy(s->conversation, past->conversation.p, UUID_LENGTH);
        usage_resumed(&s->answer.usage);
        s->process.used = true;
    }
    writers_enter(&host->writers, str_of(s->conversation), s);
    bool linked = session_link(s);
    if (!named || !linked || !s->setup.cwd || !failures_init(&s->failures, str_of(s->id)) ||
        !host->calls->enter(host, s)) {
        session_unref(s);
        return NULL;
    }
    if (!begin_start(s, past)) {
        host->calls->leave(host, s);
        session_unref(s);
        return NULL;
    }
    return s;
}

struct session *session_new(struct session_host *host, const struct session_params *params,
                            struct json_doc *doc, session_ready_cb *ready, void *user)
{
    return open_session(host, params, doc, NULL, ready, user);
}

struct session *session_resume(struct session_host *host, const struct session_params *params,
                               struct json_doc *doc, const struct session_past *past, session_ready_cb *ready,
                               void *user)
{
    return open_session(host, params, doc, past, ready, user);
}
