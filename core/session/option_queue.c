/* Changes of options, one after the other, and what the client is told of them.
 *
 * A change waits until those before it are through, then sends its requests to the CLI one by one. The first
 * change of a session, and of a process that replaces another, is part of the start and goes ahead of all
 * others. */
#include <stdlib.h>

#include "local/mcp_sign_in.h"
#include "session/internal.h"

/* ---- Option changes: one after the other ---- */

struct change {
    struct list link;
    struct session *s; /* a reference */
    struct options_change c;
    enum { CHANGE_START, CHANGE_REQUEST, CHANGE_SWITCH, CHANGE_RESTART } kind;
    bool begun, in_flight;
    uint64_t since; /* with `in_flight`, on the loop's clock */
    bool dropped;   /* the session closed while a request was in flight: the answer frees it */
    enum { SET_NOTHING, SET_MODE, SET_OPTION, MODEL_SWITCHED } what;
    struct json_doc *value;
    str text; /* the mode, the option's id or the model; owned */
    session_done_cb *done;
    void *user;
};

static void run_change(struct session *s);

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
    list_remove(&ch->link); /* the session may be closed by what follows */
    if (ch->kind == CHANGE_START) {
        session_started(s, &ch->c);
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
    session_say_idle(s);
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
    if (ch->kind == CHANGE_RESTART && error && strcmp(error, "timeout") == 0) {
        options_fail(&ch->c, session_restart_late);
    } else {
        options_change_answered(ch->s->options, &ch->c, error);
    }
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
        unsigned limit = ch->kind == CHANGE_RESTART ? session_restart_time_left(s) : 0;
        ch->in_flight = true;
        ch->since = uv_now(s->agent->loop);
        cli_control_request(s->cli, rq->subtype, rq->members, limit, change_answered, ch);
    } else {
        change_answered(ch, "Query closed before response received", JSON_NONE);
    }
}

void session_drop_changes(struct session *s, const struct session_error *error)
{
    LIST_EACH(ch, &s->changes, struct change, link) {
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

bool session_change_is_stuck(const struct session *s, unsigned limit_ms)
{
    const struct change *ch = LIST_FIRST(&s->changes, struct change, link);
    return ch && ch->in_flight && uv_now(s->agent->loop) >= ch->since + limit_ms;
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

struct options_change *session_start_change(struct session *s)
{
    struct change *ch = new_change(s);
    if (!ch) {
        return NULL;
    }
    ch->kind = CHANGE_START;
    ch->begun = true;
    return &ch->c;
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
    struct change *first = LIST_FIRST(&s->changes, struct change, link);
    if (first) {
        free_change(first);
    }
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
            done(user, &session_error_memory);
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
    done(user, s->state == SESSION_ENDED ? &session_error_ended : &session_error_gone);
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
    struct session_host *a = s->agent;
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

void session_warn_auto(struct session *s)
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
    usage_select_model(&s->usage, &s->agent->windows, buf_str(&s->backend), &model);
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
    struct session_host *a = s->agent;
    session_warn_auto(s);
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

void session_answered(struct session *s)
{
    mcp_sign_in_begin(&s->local, NULL);
    ask_window(s);
}
