#include "session/restart.h"

#include <stdlib.h>
#include <unistd.h>

#include "session/internal.h"

enum restart_phase { RESTART_CLOSING, RESTART_STARTING, RESTART_TUNING };

struct restart {
    enum restart_phase phase;
    struct restart_request rq;
    session_restarted_cb *done;
    struct cli_control *old; /* while it closes */
    uint64_t deadline;       /* of the process that starts, on the loop's clock */
    struct arena mem;        /* of `launch` */
    struct launch launch;
    bool resumed;      /* the process that starts was asked to resume the conversation */
    bool unknown;      /* it did not know it */
    struct buf before; /* the options as the client knows them; empty: it is not told of others */
    enum mode mode_before;
};

const str session_restart_late = STR_INIT("the Claude Code CLI did not answer in time");

static void free_restart(struct restart *r)
{
    arena_free(&r->mem);
    buf_free(&r->before);
    free(r);
}

/* The session has no process any more, and says why. */
static void fail(struct session *s, str why)
{
    struct restart *r = s->restart;
    struct cli_control *cli = session_let_go(s);
    AUTO_BUF(data);
    s->restart = NULL;
    s->state = SESSION_ENDED;
    session_drop_questions(s);
    if (cli) {
        cli_control_end(cli, false);
    }
    log_write(s->host->log, LOG_WARN, "the Claude Code CLI could not be started again: %.*s", STR_ARG(why));
    json_open_object(&data);
    json_member_str(&data, "details", why);
    json_close_object(&data);
    struct turn_end end = {.code = RPC_INTERNAL_ERROR,
                           .message = STR("Internal error"),
                           .data = buf_str(&data)};
    session_ref(s);
    extensions_ended(s);
    turns_on_end(&s->turns, &end, &end);
    r->done(s, why);
    session_say_idle(s);
    free_restart(r);
    session_unref(s);
}

/* ---- Closing ---- */

static size_t unsent_prompts(const struct session *s)
{
    size_t n = 0;
    LIST_EACH(t, &s->turns.queue, struct turn, link) {
        n += t->unsent;
    }
    return n;
}

bool session_restart(struct session *s, const struct restart_request *rq, session_restarted_cb *done)
{
    bool may = s->state == SESSION_OPEN && s->process.cli && !s->restart && s->process.executable;
    struct restart *r = may ? calloc(1, sizeof(*r)) : NULL;
    bool lost = false;
    if (!r) {
        return false;
    }
    session_step(s, "its CLI is replaced, %s",
                 rq->fresh ? "for a new conversation" : "in the same conversation");
    r->rq = *rq;
    r->done = done;
    if (rq->tell) {
        session_put_options(s, &r->before);
        r->mode_before = session_options_mode(s->options);
    }
    size_t unsent = unsent_prompts(s);
    session_drop_questions(s);
    children_finish(&s->children, s->turns.cancelled ? SUBAGENT_CANCELLED : SUBAGENT_FAILED);
    session_end_tasks(s, false); /* before the calls, of which those of background work live on else */
    tool_calls_close(&s->tooling.calls, true, false, &lost);
    subagents_clear(&s->children.subagents);
    session_clear_streams(s);
    async_tasks_finish(&s->ext.tasks, s->turns.cancelled);
    r->old = session_let_go(s);
    s->restart = r;
    s->process.error_result_last = false;
    turns_renewed(&s->turns);
    /* At the end of its input the CLI would first work off the prompts in its queue. */
    cli_control_end(r->old, unsent_prompts(s) > unsent);
    return true;
}

/* ---- Starting ---- */

static void tune(struct session *s, json initialize)
{
    struct restart *r = s->restart;
    struct session_host *a = s->host;
    struct options_change *change = option_queue_tune(&s->changes);
    struct session_options *options = change ? session_options_new(
                                                   &(struct session_options_setup){
                                                       .client = &a->client,
                                                       .settings = s->configured.settings,
                                                       .launch = &r->launch,
                                                       .params = &s->setup.params,
                                                       .initialize = initialize,
                                                       .env = a->env,
                                                       .carry = s->options,
                                                   },
                                                   change)
                                             : NULL;
    if (!options) {
        if (change) {
            option_queue_drop_tuning(&s->changes);
        }
        fail(s, STR("out of memory"));
        return;
    }
    session_options_free(s->options);
    s->options = options;
    session_step(s, "the new CLI is initialized; its options are brought in line");
    r->phase = RESTART_TUNING;
}

unsigned session_restart_time_left(const struct session *s)
{
    uint64_t now = uv_now(s->host->loop), deadline = s->restart ? s->restart->deadline : 0;
    return deadline > now ? (unsigned)(deadline - now) : s->restart != NULL;
}

static void initialized(void *user, const struct control_error *error, json payload)
{
    struct session *s = user;
    struct restart *r = s->restart;
    if (r && r->phase == RESTART_STARTING) {
        if (!error) {
            json_unref(s->process.initialized);
            s->process.initialized = json_detach(payload);
            json init = json_root(s->process.initialized);
            s->host->calls->account(s->host, json_get(init, "account"),
                                    settings_api_key_helper(s->configured.settings));
            tune(s, init);
        } else if (error->end == CONTROL_TIMED_OUT) {
            fail(s, session_restart_late);
        } else if (error->end != CONTROL_CLOSED) {
            fail(s, str_of(error->text));
        } /* else the end of the process follows, with a better reason */
        option_queue_run(&s->changes);
    }
    session_unref(s);
}

static void start(struct session *s)
{
    struct restart *r = s->restart;
    struct session_host *a = s->host;
    struct launch_request rq = {.params = &s->setup.params,
                                .client = &a->client,
                                .settings = s->configured.settings,
                                .providers = a->providers,
                                .env = a->env,
                                .root = geteuid() == 0};
    char fresh[UUID_SIZE];
    session_options_keep(s->options, &rq);
    if (r->rq.mode != MODE_NONE) {
        rq.mode = r->rq.mode;
    }
    bool named = true;
    r->resumed = !r->rq.fresh && s->process.used && !r->unknown;
    if (r->rq.fresh && (named = uuid_v4(fresh))) {
        session_take_conversation(s, str_of(fresh));
    }
    *(r->resumed ? &rq.resume_id : &rq.session_id) = str_of(s->conversation);
    const char *why = named ? launch_build(&r->mem, &rq, &r->launch) : "out of random numbers";
    r->phase = RESTART_STARTING;
    r->deadline = uv_now(a->loop) + a->limits.restart;
    if (why || !arena_ok(&r->mem) || !session_spawn(s, &r->launch, a->limits.restart, initialized)) {
        fail(s, str_of(why ? why : "out of memory"));
    }
}

void session_restart_ended(struct session *s, const struct cli_exit *how)
{
    struct restart *r = s->restart;
    s->process.cli = NULL;
    if (r->phase == RESTART_CLOSING) {
        r->old = NULL;
        start(s);
    } else if (r->phase == RESTART_STARTING && r->resumed && session_message_is_unknown(how->message)) {
        session_step(s, "nothing of the conversation is stored: it begins anew");
        r->unknown = true;
        start(s);
    } else {
        fail(s, how->message);
    }
    option_queue_run(&s->changes);
}

/* ---- Done ---- */

static void tell_differences(struct session *s, const struct restart *r)
{
    AUTO_BUF(now);
    unsigned effects = OPTIONS_MODEL;
    session_put_options(s, &now);
    effects |= session_options_mode(s->options) != r->mode_before ? OPTIONS_MODE : 0U;
    effects |= !str_eq(buf_str(&now), buf_str(&r->before)) ? OPTIONS_LIST : 0U;
    session_apply_effects(s, effects);
}

void session_restart_tuned(struct session *s, const struct options_change *c)
{
    struct restart *r = s->restart;
    if (!r || r->phase != RESTART_TUNING) {
        return;
    }
    if (c->code) {
        fail(s, c->error);
        return;
    }
    session_step(s, "the new CLI serves it");
    s->restart = NULL;
    turns_renewed(&s->turns);
    failures_recover(&s->failures, FAILURE_ON_RUNTIME, STR_ABSENT);
    if (r->resumed) {
        usage_resumed(&s->answer.usage);
    } else {
        usage_begin_anew(&s->answer.usage);
    }
    if (r->rq.fresh) {
        session_conversation_changed(s, str_of(s->conversation));
    }
    session_select_model(s);
    if (r->before.n) {
        tell_differences(s, r);
    }
    r->done(s, STR_ABSENT);
    session_send_unsent(s);
    session_say_idle(s);
    free_restart(r);
}

void session_restart_drop(struct session *s)
{
    struct restart *r = s->restart;
    s->restart = NULL;
    if (!r) {
        return;
    }
    if (r->old) {
        cli_control_end(r->old, s->host->closing);
    }
    free_restart(r);
}
