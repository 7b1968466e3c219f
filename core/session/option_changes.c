/* The options of a session: what the client asks for, and what it is told. */
#include <stdlib.h>

#include "local/mcp_sign_in.h"
#include "session/internal.h"

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
        option_queue_set_mode(&s->changes, mode, done, user);
    }
}

void session_set_option(struct session *s, str id, json value, session_done_cb *done, void *user)
{
    if (!refuse_ended(s, done, user)) {
        option_queue_set(&s->changes, id, value, done, user);
    }
}

/* ---- What the client is told of options ---- */

void session_warn(struct session *s, const char *title, const char *text)
{
    struct session_host *a = s->host;
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
    session_options_put(s->options, b, s->host->client.protocol_version >= 2);
}

struct window_question {
    struct session *s;
    str model; /* owned */
};

static void window_answered(void *user, const struct control_error *error, json payload)
{
    struct window_question *q = user;
    if (!error && session_live(q->s)) {
        usage_context_answer(&q->s->answer.usage, payload, q->model);
    } else if (error) {
        log_write(q->s->host->log, LOG_DEBUG, "get_context_usage: %s", error->text);
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
    usage_select_model(&s->answer.usage, &s->host->windows, buf_str(&s->process.backend), &model);
}

static void ask_window(struct session *s)
{
    struct window_question *q = s->process.cli ? calloc(1, sizeof(*q)) : NULL;
    if (!q) {
        return;
    }
    q->s = s;
    session_ref(s);
    str id = session_options_model(s->options);
    q->model = (str){str_dup(id.p ? id : STR("")), id.n};
    cli_control_request(s->process.cli, "get_context_usage", STR("\"detail\":\"summary\""), 0,
                        window_answered, q);
}

void session_apply_effects(struct session *s, unsigned effects)
{
    struct session_host *a = s->host;
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
    session_save_picks(s);
}

void session_change_mode(struct session *s, enum mode mode)
{
    enum mode effective = session_options_effective_mode(s->options, mode);
    session_apply_effects(s, session_options_note_mode(s->options, effective));
}

void session_use_client(struct session *s)
{
    if (s->options) {
        session_options_use_client(s->options, &s->host->client);
    }
}

void session_answered(struct session *s)
{
    mcp_sign_in_begin(&s->local, NULL);
    ask_window(s);
}
