/* A question is handled on its own and waits beside the frames; several can be open. It ends once, by
 * whichever comes first, and the CLI hears of that end exactly once:
 *
 *     PREPARING --the call is announced--> OPEN --the client's answer--> over
 *     PREPARING, OPEN --the CLI withdraws it, the session or its CLI ends--> over
 *
 * A question that ends while OPEN without an answer is withdrawn from the client. One that ends while
 * PREPARING is answered at once, and stays as DROPPED, in no list, until the tool call's side comes back.
 * What an answer means is decided by the offer or the form that the question owns: nothing that comes late,
 * twice or from elsewhere can allow a tool. */
#include "question/questions.h"

#include <stdlib.h>

#include "base/uuid.h"
#include "permission/elicitation.h"
#include "permission/question.h"

#define NO_FORMS "AskUserQuestion needs a client that can show forms"

enum question_state { QUESTION_PREPARING, QUESTION_OPEN, QUESTION_DROPPED };

struct question;

/* What the sorts of questions answer the CLI. Each ends the question. */
struct question_kind {
    void (*answer)(struct question *q, json result);
    /* The client answered with an error, or (`error` is missing) not at all. */
    void (*fail)(struct question *q, json error);
    void (*abort)(struct question *q);
};

struct question {
    struct list link;     /* of the session's questions; of nothing when it is dropped */
    struct questions *of; /* whose host it keeps */
    const struct question_kind *kind;
    enum question_state state;
    char *request_id; /* the CLI's */
    char *tool_use_id;
    struct permission_offer *offer;
    struct question_form *form;
    char *agent_id; /* the subagent that asks; NULL: the main conversation */
    bool waits;     /* the client is asked, or about to be: what waits for the answer is told so */
    uint64_t asked; /* OPEN: the request to the client */
};

/* ---- The end of a question ---- */

static void free_question(struct question *q)
{
    const struct question_host *h = &q->of->host;
    permission_offer_free(q->offer);
    question_form_free(q->form);
    free(q->request_id);
    free(q->tool_use_id);
    free(q->agent_id);
    free(q);
    h->calls->drop(h->user);
}

static bool asks(str agent_id, void *user)
{
    const str *agent = user;
    return agent_id.p && str_eq(agent_id, *agent);
}

/* A question of this agent was asked or is over: tells whether it waits for one. */
static void await_of(struct questions *qs, str agent)
{
    children_await(qs->host.children, agent, agent.p && questions_any(qs, asks, &agent));
}

/* The CLI was answered. */
static void over(struct question *q)
{
    struct questions *qs = q->of;
    const struct question_host *h = &qs->host;
    char *agent_id = q->agent_id;
    q->agent_id = NULL;
    h->calls->keep(h->user);
    list_remove(&q->link);
    if (q->state == QUESTION_PREPARING) {
        q->state = QUESTION_DROPPED;
    } else {
        free_question(q);
    }
    h->calls->waiting(h->user); /* the order of a beginning, backwards */
    await_of(qs, str_of(agent_id));
    free(agent_id);
    h->calls->drop(h->user);
}

static struct cli_control *cli_of(const struct questions *qs)
{
    return qs->host.calls->cli(qs->host.user);
}

static void respond(struct question *q, str response)
{
    struct cli_control *cli = cli_of(q->of);
    if (cli) {
        cli_control_answer(cli, str_of(q->request_id), response);
    }
    over(q);
}

static void refuse(struct question *q, str error)
{
    struct cli_control *cli = cli_of(q->of);
    if (cli) {
        cli_control_refuse(cli, str_of(q->request_id), error);
    }
    over(q);
}

/* Its end without an answer: the CLI withdrew it, or there is nobody left to answer. */
static void abandon(struct question *q)
{
    const struct question_host *h = &q->of->host;
    if (q->state == QUESTION_OPEN) {
        h->surface->withdraw(h->surface_self, q->asked);
    }
    q->kind->abort(q);
}

/* ---- Tool permissions and AskUserQuestion ---- */

/* What the choice means for the session, before the CLI hears of it. */
static void apply(struct question *q, const struct permission_decision *d)
{
    const struct question_host *h = &q->of->host;
    str id = str_of(q->tool_use_id);
    struct call_place at = call_place_of_agent(h->tools, str_of(q->agent_id));
    struct tool_call *call = tool_calls_find(h->tools, at, id);
    if (call) {
        call->cleared_plan = d->clear_context;
        call->answered = q->form != NULL;
    }
    h->calls->answered(h->user, id, q->agent_id != NULL, d);
    if (d->mode && !d->clear_context) {
        h->calls->choose_mode(h->user, d->auto_fell_back ? MODE_AUTO : mode_of_id(str_of(d->mode)));
    }
}

static void conclude(struct question *q, const struct permission_decision *d)
{
    if (d->verdict == PERMISSION_ERROR) {
        refuse(q, permission_decision_text(d));
        return;
    }
    apply(q, d);
    respond(q, permission_decision_text(d));
}

static void answer_permission(struct question *q, json result)
{
    const struct question_host *h = &q->of->host;
    AUTO_DECISION(d);
    permission_offer_decide(q->offer, result, !h->calls->auto_supported(h->user), &d);
    conclude(q, &d);
}

static void fail_permission(struct question *q, json error)
{
    str text = json_str(json_get(error, "message"));
    refuse(q, text.p ? text : STR(PERMISSION_ABORTED));
}

static void abort_tool(struct question *q)
{
    refuse(q, STR(PERMISSION_ABORTED));
}

static void answer_form(struct question *q, json result)
{
    AUTO_DECISION(d);
    question_form_decide(q->form, result, &d);
    conclude(q, &d);
}

static void fail_form(struct question *q, json error)
{
    AUTO_DECISION(d);
    if (!json_present(error)) {
        abort_tool(q);
        return;
    }
    question_form_refuse(q->form, QUESTION_NOT_PRESENTED, &d);
    conclude(q, &d);
}

static const struct question_kind permission_kind = {answer_permission, fail_permission, abort_tool};
static const struct question_kind form_kind = {answer_form, fail_form, abort_tool};

/* ---- Elicitation of MCP servers, dialogs of the CLI ---- */

static void answer_elicitation(struct question *q, json result)
{
    AUTO_BUF(b);
    elicitation_put_answer(&b, result);
    respond(q, buf_ok(&b) ? buf_str(&b) : STR(ELICITATION_CANCEL));
}

static void fail_elicitation(struct question *q, json error)
{
    respond(q, json_present(error) ? STR(ELICITATION_DECLINE) : STR(ELICITATION_CANCEL));
}

static void abort_elicitation(struct question *q)
{
    respond(q, STR(ELICITATION_CANCEL));
}

static void answer_dialog(struct question *q, json result)
{
    AUTO_BUF(b);
    user_dialog_put_answer(&b, result);
    respond(q, buf_ok(&b) ? buf_str(&b) : STR(USER_DIALOG_CANCELLED));
}

static void abort_dialog(struct question *q)
{
    respond(q, STR(USER_DIALOG_CANCELLED));
}

static void fail_dialog(struct question *q, json error)
{
    (void)error;
    abort_dialog(q);
}

static const struct question_kind elicitation_kind = {answer_elicitation, fail_elicitation,
                                                      abort_elicitation};
static const struct question_kind dialog_kind = {answer_dialog, fail_dialog, abort_dialog};

/* ---- Asking the client ---- */

static void answered(void *user, json result, json error)
{
    struct question *q = user;
    if (json_present(error) || !json_present(result)) {
        q->kind->fail(q, error);
    } else {
        q->kind->answer(q, result);
    }
}

/* The client is about to be asked: what waits for the answer is told so first. */
static void open_question(struct question *q)
{
    q->state = QUESTION_OPEN;
    q->waits = true;
    await_of(q->of, str_of(q->agent_id));
    q->of->host.calls->waiting(q->of->host.user);
}

static void asked(struct question *q, uint64_t request)
{
    q->asked = request;
    if (!q->asked) {
        q->kind->abort(q);
    }
}

static void ask_form(struct question *q, str params)
{
    const struct question_host *h = &q->of->host;
    open_question(q);
    asked(q, h->surface->ask_elicitation(h->surface_self, params, answered, q));
}

/* The tool call is announced and the request is made, or that failed. */
static void prepared(void *user, const struct permission_request *rq)
{
    struct question *q = user;
    const struct question_host *h = &q->of->host;
    AUTO_BUF(form);
    if (q->state == QUESTION_DROPPED) {
        free_question(q);
        return;
    }
    q->state = QUESTION_OPEN; /* from now on its end frees it */
    if (!rq) {
        refuse(q, STR("the permission request could not be made"));
        return;
    }
    if (!q->form) {
        open_question(q);
        asked(q, h->surface->ask_permission(h->surface_self, rq, answered, q));
        return;
    }
    question_form_put_request(&form, q->form, children_session_of_agent(h->children, str_of(q->agent_id)),
                              rq->call->id, h->client->air);
    if (buf_ok(&form)) {
        ask_form(q, buf_str(&form));
    } else {
        refuse(q, STR("out of memory"));
    }
}

/* Writes the choices. False: memory is out. */
static bool make_offer(struct question *q, const struct permission_question *pq, struct buf *options)
{
    const struct question_host *h = &q->of->host;
    struct permission_setting at = {
        .cwd = h->cwd,
        .home = str_of(h->dirs->home),
        .auto_offered = h->calls->offers(h->user, MODE_AUTO),
        .bypass_offered = h->calls->offers(h->user, MODE_BYPASS),
        .usage_known = h->usage->known,
        .context_used = (double)h->usage->used,
        .context_size = (double)h->usage->size,
    };
    q->offer = permission_offer_new(pq, &at);
    if (q->offer) {
        permission_offer_put_options(options, q->offer);
    }
    return q->offer && buf_ok(options);
}

static void begin_tool(struct question *q, json request)
{
    const struct question_host *h = &q->of->host;
    struct permission_question pq;
    AUTO_BUF(options);
    q->kind = &permission_kind;
    q->state = QUESTION_OPEN; /* until the preparation begins, the end frees it */
    if (!permission_question_read(&pq, request)) {
        refuse(q, STR("a permission question without a tool"));
        return;
    }
    bool made = (q->tool_use_id = str_dup(pq.tool_use_id)) != NULL;
    made = made && (!pq.agent_id.n || (q->agent_id = str_dup(pq.agent_id)));
    if (!str_is(pq.tool_name, "AskUserQuestion")) {
        made = made && make_offer(q, &pq, &options);
    } else if (!h->client->elicitation_form) {
        refuse(q, STR(NO_FORMS));
        return;
    } else {
        q->kind = &form_kind;
        q->form = question_form_new(&pq);
        made = made && q->form;
    }
    if (!made) {
        refuse(q, STR("out of memory"));
        return;
    }
    if (q->form && !question_form_count(q->form)) {
        AUTO_DECISION(d);
        question_form_refuse(q->form, QUESTION_NONE_VALID, &d);
        conclude(q, &d);
        return;
    }
    q->state = QUESTION_PREPARING;
    tool_calls_ask(h->tools, request, buf_str(&options), prepared, q);
}

static void begin_elicitation(struct question *q, json request)
{
    const struct question_host *h = &q->of->host;
    char uuid[UUID_SIZE];
    AUTO_BUF(params);
    q->kind = &elicitation_kind;
    q->state = QUESTION_OPEN;
    bool shown =
        uuid_v4(uuid) && elicitation_put_request(&params, request, h->client, h->session, str_of(uuid));
    if (shown && buf_ok(&params)) {
        ask_form(q, buf_str(&params));
    } else {
        respond(q, STR(ELICITATION_DECLINE));
    }
}

static void begin_dialog(struct question *q, json request)
{
    const struct question_host *h = &q->of->host;
    AUTO_BUF(params);
    q->kind = &dialog_kind;
    q->state = QUESTION_OPEN;
    bool shown = h->client->elicitation_form && user_dialog_put_request(&params, request, h->session);
    if (shown && buf_ok(&params)) {
        ask_form(q, buf_str(&params));
    } else {
        respond(q, STR(USER_DIALOG_CANCELLED));
    }
}

static const struct {
    const char *subtype;
    void (*begin)(struct question *q, json request);
} sorts[] = {
    {"can_use_tool", begin_tool},
    {"elicitation", begin_elicitation},
    {"request_user_dialog", begin_dialog},
};

void questions_ask(struct questions *qs, json frame)
{
    json request = json_get(frame, "request");
    str subtype = json_str(json_get(request, "subtype")), id = json_str(json_get(frame, "request_id"));
    struct question *q = calloc(1, sizeof(*q));
    char *request_id = str_dup(id);
    if (!q || !request_id) {
        cli_control_refuse(cli_of(qs), id, STR("out of memory"));
        free(q);
        free(request_id);
        return;
    }
    q->of = qs;
    q->request_id = request_id;
    qs->host.calls->keep(qs->host.user);
    list_append(&qs->list, &q->link);
    for (size_t i = 0; i < ARRAY_LEN(sorts); i++) {
        if (str_is(subtype, sorts[i].subtype)) {
            sorts[i].begin(q, request);
            return;
        }
    }
    q->state = QUESTION_OPEN;
    refuse(q, STR("Unsupported control request"));
}

/* ---- The questions of a session ---- */

void questions_init(struct questions *qs, const struct question_host *host)
{
    qs->host = *host;
    list_init(&qs->list);
}

void questions_withdraw(struct questions *qs, str request_id)
{
    LIST_EACH(q, &qs->list, struct question, link) {
        if (str_is(request_id, q->request_id)) {
            abandon(q);
            return;
        }
    }
}

void questions_drop(struct questions *qs)
{
    LIST_EACH(q, &qs->list, struct question, link) {
        abandon(q);
    }
}

bool questions_any(const struct questions *qs, bool (*visit)(str agent_id, void *user), void *user)
{
    LIST_EACH(q, &qs->list, const struct question, link) {
        if (q->waits && visit(str_of(q->agent_id), user)) {
            return true;
        }
    }
    return false;
}
