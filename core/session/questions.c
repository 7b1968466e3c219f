/* The CLI's questions: may a tool run, what does the person answer, what does an MCP server want to know.
 *
 * Each question is handled on its own and waits beside the frames; several can be open. It ends once: by the client's answer,
 * by the CLI's withdrawal, or with the session. */
#include <stdlib.h>

#include "permission/elicitation.h"
#include "permission/offer.h"
#include "permission/question.h"
#include "session/internal.h"

enum question_kind { QUESTION_PERMISSION, QUESTION_FORM, QUESTION_ELICITATION, QUESTION_DIALOG };

struct question {
    struct list link;
    struct session *s; /* a reference while the tool call is being prepared */
    enum question_kind kind;
    char *request_id; /* the CLI's */
    char *tool_use_id;
    struct permission_offer *offer;
    struct question_form *form;
    uint64_t asked; /* the request to the client; 0: not asked yet */
    bool preparing; /* the disk is being asked; the question must not be freed */
    bool over;      /* ended while it was being prepared */
};

static void free_question(struct question *q)
{
    list_remove(&q->link);
    if (q->preparing) {
        q->over = true;
        return;
    }
    permission_offer_free(q->offer);
    question_form_free(q->form);
    free(q->request_id);
    free(q->tool_use_id);
    free(q);
}

static void refuse(struct question *q, const char *error)
{
    if (q->s->cli) {
        cli_control_refuse(q->s->cli, str_of(q->request_id), str_of(error));
    }
    free_question(q);
}

static void respond(struct question *q, str response)
{
    if (q->s->cli) {
        cli_control_answer(q->s->cli, str_of(q->request_id), response);
    }
    free_question(q);
}

/* What the choice means for the session, before the CLI hears of it. */
static void apply(struct question *q, const struct permission_decision *d)
{
    struct tool_call *call = tool_calls_find(&q->s->calls, str_of(q->tool_use_id));
    if (call) {
        call->refused_plan = d->keep_planning;
    }
    if (d->mode) {
        enum mode mode = d->auto_fell_back ? MODE_AUTO : mode_of_id(str_of(d->mode));
        session_change_mode(q->s, mode);
    }
}

static void put_error_text(struct buf *b, json error)
{
    str text = json_str(json_get(error, "message"));
    buf_put_str(b, text.p ? text : STR(PERMISSION_ABORTED));
}

static void decide(struct question *q, json result, json error)
{
    AUTO_DECISION(d);
    if (q->kind == QUESTION_FORM) {
        if (json_present(error)) {
            question_form_refuse(q->form, QUESTION_NOT_PRESENTED, &d);
        } else {
            question_form_decide(q->form, result, &d);
        }
    } else if (json_present(error)) {
        put_error_text(&d.text, error);
    } else {
        permission_offer_decide(q->offer, result, !session_options_auto_supported(q->s->options), &d);
    }
    apply(q, &d);
    if (d.verdict != PERMISSION_ERROR) {
        respond(q, permission_decision_text(&d));
        return;
    }
    str text = permission_decision_text(&d);
    if (q->s->cli) {
        cli_control_refuse(q->s->cli, str_of(q->request_id), text);
    }
    free_question(q);
}

static void answered(void *user, json result, json error)
{
    struct question *q = user;
    q->asked = 0;
    if (q->kind == QUESTION_PERMISSION || q->kind == QUESTION_FORM) {
        decide(q, result, error);
        return;
    }
    AUTO_BUF(b);
    if (q->kind == QUESTION_ELICITATION) {
        if (json_present(error)) {
            buf_put_c(&b, ELICITATION_DECLINE);
        } else {
            elicitation_put_answer(&b, result);
        }
    } else if (json_present(error)) {
        buf_put_c(&b, USER_DIALOG_CANCELLED);
    } else {
        user_dialog_put_answer(&b, result);
    }
    respond(q, buf_str(&b));
}

static void ask_elicitation(struct question *q, str params)
{
    struct agent *a = q->s->agent;
    q->asked = a->surface->ask_elicitation(a->surface_self, params, answered, q);
    if (!q->asked) {
        refuse(q, PERMISSION_ABORTED);
    }
}

/* The tool call is announced and the request is written. */
static void prepared(void *user, str params)
{
    struct question *q = user;
    struct session *s = q->s;
    struct agent *a = s->agent;
    q->preparing = false;
    if (q->over) {
        free_question(q);
    } else if (!params.p) {
        refuse(q, "the permission request could not be made");
    } else if (q->kind == QUESTION_FORM) {
        AUTO_BUF(b);
        question_form_put_request(&b, q->form, str_of(s->id), a->client.air);
        ask_elicitation(q, buf_str(&b));
    } else {
        q->asked = a->surface->ask_permission(a->surface_self, params, answered, q);
        if (!q->asked) {
            refuse(q, PERMISSION_ABORTED);
        }
    }
    session_unref(s);
}

static void prepare(struct question *q, json request, str options)
{
    q->preparing = true;
    session_ref(q->s);
    tool_calls_ask(&q->s->calls, request, options, prepared, q);
}

static void ask_permission(struct question *q, json request)
{
    struct session *s = q->s;
    struct permission_question pq;
    AUTO_BUF(options);
    if (!permission_question_read(&pq, request)) {
        refuse(q, "a permission question without a tool");
        return;
    }
    q->tool_use_id = str_dup(pq.tool_use_id);
    if (str_is(pq.tool_name, "AskUserQuestion") && s->agent->client.elicitation_form) {
        q->kind = QUESTION_FORM;
        q->form = question_form_new(&pq);
        if (q->form && question_form_count(q->form) == 0) {
            AUTO_DECISION(d);
            question_form_refuse(q->form, QUESTION_NONE_VALID, &d);
            respond(q, permission_decision_text(&d));
            return;
        }
    } else {
        struct permission_setting at = {
            .cwd = str_of(s->cwd),
            .home = str_of(s->agent->dirs->home),
            .auto_offered = session_options_offers(s->options, MODE_AUTO),
            .bypass_offered = session_options_offers(s->options, MODE_BYPASS),
            .usage_known = s->usage.known,
            .context_used = (double)s->usage.used,
            .context_size = (double)s->usage.size,
        };
        q->offer = permission_offer_new(&pq, &at);
        if (q->offer) {
            permission_offer_put_options(&options, q->offer);
        }
    }
    if (!q->tool_use_id || (!q->form && !q->offer)) {
        refuse(q, "out of memory");
        return;
    }
    prepare(q, request, buf_str(&options));
}

void session_on_question(struct session *s, json frame, struct json_doc *doc)
{
    json request = json_get(frame, "request");
    str subtype = json_str(json_get(request, "subtype")), id = json_str(json_get(frame, "request_id"));
    (void)doc;
    struct question *q = id.p ? calloc(1, sizeof(*q)) : NULL;
    if (!q) {
        return;
    }
    q->s = s;
    q->request_id = str_dup(id);
    list_append(&s->questions, &q->link);
    AUTO_BUF(params);
    if (!q->request_id) {
        free_question(q);
    } else if (str_is(subtype, "can_use_tool")) {
        q->kind = QUESTION_PERMISSION;
        ask_permission(q, request);
    } else if (str_is(subtype, "elicitation")) {
        char uuid[UUID_SIZE];
        q->kind = QUESTION_ELICITATION;
        if (!uuid_v4(uuid) ||
            !elicitation_put_request(&params, request, &s->agent->client, str_of(s->id), str_of(uuid))) {
            respond(q, STR(ELICITATION_DECLINE));
            return;
        }
        ask_elicitation(q, buf_str(&params));
    } else {
        q->kind = QUESTION_DIALOG;
        if (!user_dialog_put_request(&params, request, str_of(s->id))) {
            respond(q, STR(USER_DIALOG_CANCELLED));
            return;
        }
        ask_elicitation(q, buf_str(&params));
    }
}

static void withdraw(struct question *q)
{
    struct agent *a = q->s->agent;
    if (q->asked) {
        a->surface->withdraw(a->surface_self, q->asked);
        q->asked = 0;
    }
    if (q->kind == QUESTION_ELICITATION) {
        respond(q, STR(ELICITATION_CANCEL));
    } else if (q->kind == QUESTION_DIALOG) {
        respond(q, STR(USER_DIALOG_CANCELLED));
    } else {
        refuse(q, PERMISSION_ABORTED);
    }
}

void session_question_withdrawn(struct session *s, str request_id)
{
    LIST_EACH (q, &s->questions, struct question, link) {
        if (str_is(request_id, q->request_id)) {
            withdraw(q);
            return;
        }
    }
}

void session_drop_questions(struct session *s)
{
    LIST_EACH (q, &s->questions, struct question, link) {
        withdraw(q);
    }
}
