#include "options/option_queue.h"

#include <stdlib.h>

struct change {
    struct list link;
    struct option_queue *q; /* whose host is kept */
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

static void free_change(struct change *ch)
{
    struct option_queue *q = ch->q;
    list_remove(&ch->link);
    options_change_free(&ch->c);
    json_unref(ch->value);
    free((void *)(uintptr_t)ch->text.p);
    free(ch);
    q->host->drop(q->user);
}

static void tell_end(struct option_queue *q, struct change *ch)
{
    struct session_error error = {.code = ch->c.code, .details = ch->c.error};
    if (ch->kind == CHANGE_START) {
        q->host->started(q->user, &ch->c);
        return;
    }
    if (ch->kind == CHANGE_RESTART) {
        q->host->tuned(q->user, &ch->c);
        return;
    }
    if (ch->c.code && ch->kind == CHANGE_SWITCH) {
        log_write(q->log, LOG_WARN, "following the CLI's model switch: %.*s", STR_ARG(ch->c.error));
    }
    if (ch->kind == CHANGE_REQUEST && q->host->options(q->user)) {
        session_options_note_picks(q->host->options(q->user), &ch->c);
    }
    if (!ch->c.code || ch->kind == CHANGE_SWITCH) {
        q->host->changed(q->user, ch->c.effects);
    }
    if (ch->done) {
        ch->done(ch->user, ch->c.code ? &error : NULL);
    }
}

static void finish_change(struct change *ch)
{
    struct option_queue *q = ch->q;
    q->host->keep(q->user);
    list_remove(&ch->link); /* the session may be closed by what follows */
    tell_end(q, ch);
    free_change(ch);
    option_queue_run(q);
    q->host->idle(q->user);
    q->host->drop(q->user);
}

static void change_answered(void *user, const struct control_error *error, json payload)
{
    struct change *ch = user;
    (void)payload;
    ch->in_flight = false;
    if (ch->dropped) {
        free_change(ch);
        return;
    }
    struct option_queue *q = ch->q;
    if (ch->kind == CHANGE_RESTART && control_ended(error, CONTROL_TIMED_OUT)) {
        options_fail(&ch->c, q->late);
    } else {
        options_change_answered(q->host->options(q->user), &ch->c, error ? error->text : NULL);
    }
    option_queue_run(q);
}

static void begin_change(struct session_options *o, struct change *ch)
{
    ch->begun = true;
    if (ch->what == SET_MODE) {
        session_options_set_mode(o, &ch->c, ch->text);
    } else if (ch->what == SET_OPTION) {
        session_options_set(o, &ch->c, ch->text, json_root(ch->value));
    } else if (ch->what == MODEL_SWITCHED) {
        session_options_model_switched(o, &ch->c, ch->text);
    }
}

/* Begins the first change, sends its next request, or finishes it. */
void option_queue_run(struct option_queue *q)
{
    struct change *ch = LIST_FIRST(&q->changes, struct change, link);
    struct session_options *o = q->host->options(q->user);
    if (!ch || !o || ch->in_flight || (!ch->begun && q->host->replacing(q->user))) {
        return;
    }
    if (!ch->begun) {
        begin_change(o, ch);
    }
    struct cli_control *cli = q->host->cli(q->user);
    const struct options_request *rq = options_change_next(&ch->c);
    if (!rq) {
        finish_change(ch);
    } else if (cli) {
        unsigned limit = ch->kind == CHANGE_RESTART ? q->host->time_left(q->user) : 0;
        ch->in_flight = true;
        ch->since = uv_now(q->loop);
        cli_control_request(cli, rq->subtype, rq->members, limit, change_answered, ch);
    } else {
        change_answered(ch, &control_closed, JSON_NONE);
    }
}

void option_queue_drop(struct option_queue *q, const struct session_error *error)
{
    LIST_EACH(ch, &q->changes, struct change, link) {
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

bool option_queue_is_stuck(const struct option_queue *q, unsigned limit_ms)
{
    const struct change *ch = LIST_FIRST(&q->changes, struct change, link);
    return ch && ch->in_flight && uv_now(q->loop) >= ch->since + limit_ms;
}

static struct change *new_change(struct option_queue *q)
{
    struct change *ch = calloc(1, sizeof(*ch));
    if (!ch) {
        return NULL;
    }
    ch->q = q;
    q->host->keep(q->user);
    list_append(&q->changes, &ch->link);
    return ch;
}

struct options_change *option_queue_start(struct option_queue *q)
{
    struct change *ch = new_change(q);
    if (!ch) {
        return NULL;
    }
    ch->kind = CHANGE_START;
    ch->begun = true;
    return &ch->c;
}

struct options_change *option_queue_tune(struct option_queue *q)
{
    struct change *ch = new_change(q);
    if (!ch) {
        return NULL;
    }
    ch->kind = CHANGE_RESTART;
    ch->begun = true;
    list_remove(&ch->link);
    list_append(q->changes.next, &ch->link); /* ahead of the first */
    return &ch->c;
}

void option_queue_drop_tuning(struct option_queue *q)
{
    struct change *first = LIST_FIRST(&q->changes, struct change, link);
    if (first) {
        free_change(first);
    }
}

static void queue_change(struct option_queue *q, int what, str text, json value, session_done_cb *done,
                         void *user)
{
    bool waits = !list_empty(&q->changes);
    struct change *ch = new_change(q);
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
        option_queue_run(q);
    }
}

void option_queue_set_mode(struct option_queue *q, str mode, session_done_cb *done, void *user)
{
    queue_change(q, SET_MODE, mode, JSON_NONE, done, user);
}

void option_queue_set(struct option_queue *q, str id, json value, session_done_cb *done, void *user)
{
    queue_change(q, SET_OPTION, id, value, done, user);
}

void option_queue_model_switched(struct option_queue *q, str model)
{
    queue_change(q, MODEL_SWITCHED, model, JSON_NONE, NULL, NULL);
}
