#include "extension/session_failure.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "client/air_meta.h"
#include "extension/failure_text.h"

enum {
    INCIDENTS_MAX = 512,  /* ended incidents beyond this are forgotten, the oldest first */
    ADVISORY_TITLE = 256, /* UTF-16 units of a notice that stand in its title */
};

/* ---- Kinds --------------------------------------------------------------------------------------- */

static const struct {
    const char *category;
    const char *actions[2]; /* of an error; a warning has none */
    str title;              /* when Claude said nothing */
} kinds[] = {
    [FAILURE_ACCESS_DENIED] = {"service",
                               {"retry"},
                               STR_INIT("Claude has no access with these account or provider credentials.")},
    [FAILURE_QUOTA_EXHAUSTED] = {"limit", {NULL}, STR_INIT("The usage quota of this account is used up.")},
    [FAILURE_RATE_LIMITED] = {"limit",
                              {"retry"},
                              STR_INIT("Claude's rate limit is reached. Try again in a moment.")},
    [FAILURE_CONTEXT_EXHAUSTED] = {"limit",
                                   {"new_session"},
                                   STR_INIT("This session has reached its turn limit. Start a new one.")},
    [FAILURE_BUDGET_EXHAUSTED] = {"limit",
                                  {"new_session"},
                                  STR_INIT("This session has used up its budget. Start a new one.")},
    [FAILURE_BAD_REQUEST] = {"request", {NULL}, STR_INIT("Claude cannot process this request.")},
    [FAILURE_OVERLOADED] = {"service", {"retry"}, STR_INIT("Claude is overloaded. Try again in a moment.")},
    [FAILURE_PROVIDER_ERROR] = {"service", {"retry"}, STR_INIT("The model provider reported an error.")},
    [FAILURE_INTERNAL_ERROR] = {"service",
                                {"retry", "new_session"},
                                STR_INIT("The agent could not finish this turn. Try again.")},
    [FAILURE_TRANSPORT_LOST] = {"connection",
                                {"new_session"},
                                STR_INIT("The connection to Claude was lost.")},
    [FAILURE_WORKER_SHUTDOWN] = {"connection",
                                 {"new_session"},
                                 STR_INIT("Claude is shutting down. Start a new session.")},
    [FAILURE_ADVISORY] = {"unknown", {NULL}, STR_INIT("Claude reported a notice.")},
    [FAILURE_AUTH_REQUIRED] = {"service", {NULL}, STR_INIT("Authentication required")},
};

static const struct {
    str error;
    enum failure_kind kind;
} errors[] = {
    {STR_INIT("authentication_failed"), FAILURE_AUTH_REQUIRED},
    {STR_INIT("oauth_org_not_allowed"), FAILURE_AUTH_REQUIRED},
    {STR_INIT("verification_required"), FAILURE_ACCESS_DENIED},
    {STR_INIT("cloud_credential_error"), FAILURE_ACCESS_DENIED},
    {STR_INIT("billing_error"), FAILURE_QUOTA_EXHAUSTED},
    {STR_INIT("account_on_hold"), FAILURE_QUOTA_EXHAUSTED},
    {STR_INIT("rate_limit"), FAILURE_RATE_LIMITED},
    {STR_INIT("max_output_tokens"), FAILURE_CONTEXT_EXHAUSTED},
    {STR_INIT("invalid_request"), FAILURE_BAD_REQUEST},
    {STR_INIT("model_not_found"), FAILURE_BAD_REQUEST},
    {STR_INIT("overloaded"), FAILURE_OVERLOADED},
};

static const struct {
    str subtype;
    enum failure_kind kind;
} subtypes[] = {
    {STR_INIT("error_max_turns"), FAILURE_CONTEXT_EXHAUSTED},
    {STR_INIT("error_max_budget_usd"), FAILURE_BUDGET_EXHAUSTED},
    {STR_INIT("error_max_structured_output_retries"), FAILURE_PROVIDER_ERROR},
};

/* How the CLI's usage-limit messages begin. */
static const str usage_limits[] = {
    STR_INIT("You've hit your"),
    STR_INIT("You've reached your"),
    STR_INIT("You're out of usage credits"),
    STR_INIT("Your org is out of usage \xC2\xB7 add funds to continue"),
    STR_INIT("Your org is out of usage \xC2\xB7 contact your admin"),
    STR_INIT("Your seat type doesn't include usage credits"),
    STR_INIT("Your seat type doesn't include usage"),
    STR_INIT("Your usage allocation has been disabled by your admin"),
    STR_INIT("Your group's usage limit is set to $0"),
    STR_INIT("Fable 5 requires usage credits"),
    STR_INIT("You're out of extra usage"),
    STR_INIT("Your seat type doesn't include extra usage"),
};

enum failure_kind failure_kind_of_error(str error)
{
    for (size_t i = 0; error.p && i < ARRAY_LEN(errors); i++) {
        if (str_eq(errors[i].error, error)) {
            return errors[i].kind;
        }
    }
    return FAILURE_PROVIDER_ERROR;
}

bool failure_kind_of_subtype(str subtype, enum failure_kind *kind)
{
    for (size_t i = 0; subtype.p && i < ARRAY_LEN(subtypes); i++) {
        if (str_eq(subtypes[i].subtype, subtype)) {
            *kind = subtypes[i].kind;
            return true;
        }
    }
    return false;
}

bool failure_is_usage_limit(str text)
{
    for (size_t i = 0; text.p && i < ARRAY_LEN(usage_limits); i++) {
        if (str_starts(text, usage_limits[i])) {
            return true;
        }
    }
    return false;
}

bool failure_is_login(str text)
{
    return text.p && str_has(text, STR("Please run /login"));
}

/* ---- Assistant messages --------------------------------------------------------------------------- */

static str block_text(json block)
{
    return str_is(json_str(json_get(block, "type")), "text") ? json_str(json_get(block, "text")) : STR_ABSENT;
}

static bool is_synthetic(json message)
{
    return str_is(json_str(json_get(message, "model")), "<synthetic>");
}

bool failure_is_usage_limit_message(json message)
{
    json content = json_get(message, "content");
    if (!is_synthetic(message)) {
        return false;
    }
    if (json_is(content, JSON_STRING)) {
        return failure_is_usage_limit(json_str(content));
    }
    if (!json_is(content, JSON_ARRAY)) {
        return false;
    }
    for (struct json_iter it = json_each(content); json_next(&it);) {
        str text = block_text(it.value);
        if (text.p) {
            return failure_is_usage_limit(text);
        }
    }
    return false;
}

bool failure_is_login_message(json message)
{
    json content = json_get(message, "content");
    return is_synthetic(message) && json_is(content, JSON_ARRAY) && json_count(content) == 1 &&
           failure_is_login(block_text(json_nth(content, 0)));
}

void failure_message_text(struct buf *b, json message)
{
    json content = json_get(message, "content");
    if (json_is(content, JSON_STRING)) {
        buf_put_str(b, json_str(content));
        return;
    }
    if (!json_is(content, JSON_ARRAY)) {
        return;
    }
    bool first = true;
    for (struct json_iter it = json_each(content); json_next(&it);) {
        str text = block_text(it.value);
        if (text.p) {
            buf_put_c(b, first ? "" : "\n");
            buf_put_str(b, text);
            first = false;
        }
    }
}

/* ---- Titles --------------------------------------------------------------------------------------- */

str failure_fallback_title(enum failure_kind kind)
{
    return kinds[kind].title;
}

void failure_result_text(struct buf *b, json result)
{
    str text = json_text(json_get(result, "result"));
    if (text.p) {
        buf_put_str(b, text);
        return;
    }
    json list = json_get(result, "errors");
    bool first = true;
    if (json_is(list, JSON_ARRAY)) {
        for (struct json_iter it = json_each(list); json_next(&it);) {
            str error = json_text(it.value);
            if (error.p) {
                buf_put_c(b, first ? "" : ", ");
                buf_put_str(b, error);
                first = false;
            }
        }
    }
    if (first) {
        buf_put_str(b, json_str(json_get(result, "subtype")));
    }
}

/* What a result says for itself to people. */
static void put_said(struct buf *b, json result)
{
    str text = json_text(json_get(result, "result"));
    json list = json_get(result, "errors");
    if (failure_text_is_for_people(text)) {
        buf_put_str(b, text);
        return;
    }
    bool first = true;
    for (struct json_iter it = json_each(list); json_is(list, JSON_ARRAY) && json_next(&it);) {
        str error = json_text(it.value);
        if (failure_text_is_for_people(error)) {
            buf_put_c(b, first ? "" : ", ");
            buf_put_str(b, error);
            first = false;
        }
    }
}

void failure_title(struct buf *b, enum failure_kind kind, str assistant_text, json result)
{
    size_t before = b->n;
    if (kind != FAILURE_TRANSPORT_LOST && kind != FAILURE_WORKER_SHUTDOWN) {
        if (failure_text_is_for_people(assistant_text)) {
            buf_put_str(b, assistant_text);
        } else {
            put_said(b, result);
        }
    }
    if (b->n == before) {
        buf_put_str(b, kinds[kind].title);
    }
}

bool failure_retry(json frame, enum failure_kind *kind, struct buf *title)
{
    enum failure_kind of_error = failure_kind_of_error(json_str(json_get(frame, "error")));
    if (of_error == FAILURE_AUTH_REQUIRED) {
        return false;
    }
    bool answered = json_is(json_get(frame, "error_status"), JSON_NUMBER);
    *kind = answered ? of_error : FAILURE_TRANSPORT_LOST;
    buf_printf(title, "%s Claude, attempt %lld of %lld.", answered ? "Retrying" : "Reconnecting to",
               (long long)json_int_or(json_get(frame, "attempt"), 1),
               (long long)json_int_or(json_get(frame, "max_retries"), 1));
    return true;
}

void failure_advisory(struct buf *title, struct buf *details, str sentence, str explanation)
{
    buf_put_str(title, sentence);
    if (!explanation.n) {
        return;
    }
    if (utf16_length(sentence) + 2 + utf16_length(explanation) > ADVISORY_TITLE) {
        buf_put_str(details, explanation);
    } else {
        buf_put_c(title, "\n\n");
        buf_put_str(title, explanation);
    }
}

/* ---- Output --------------------------------------------------------------------------------------- */

void failure_put(struct buf *b, const struct failure_record *r)
{
    json_open_object(b);
    json_member_str(b, "id", r->id);
    json_member_int(b, "revision", r->revision);
    json_member_c(b, "category", kinds[r->kind].category);
    json_member_c(b, "severity", r->severity == FAILURE_ERROR ? "error" : "warning");
    json_member_str(b, "title", r->title);
    json_member_str(b, "details", r->details);
    json_key(b, "actions");
    json_open_array(b);
    for (size_t i = 0; r->severity == FAILURE_ERROR && i < ARRAY_LEN(kinds[0].actions); i++) {
        if (kinds[r->kind].actions[i]) {
            json_put_c(b, kinds[r->kind].actions[i]);
        }
    }
    json_close_array(b);
    json_close_object(b);
}

void failure_put_air(struct buf *b, const struct failure_record *r)
{
    air_meta_open(b);
    json_key(b, "sessionFailure");
    failure_put(b, r);
    air_meta_close(b);
}

void failure_put_meta(struct buf *b, const struct failure_record *r)
{
    json_open_object(b);
    failure_put_air(b, r);
    json_close_object(b);
}

void failure_put_error_data(struct buf *b, str error_kind)
{
    json_open_object(b);
    json_member_str(b, "errorKind", error_kind);
    json_close_object(b);
}

/* ---- Incidents ------------------------------------------------------------------------------------ */

enum incident_scope {
    SCOPE_TURN,
    SCOPE_SESSION,
    SCOPE_NOTICE,
    SCOPE_REPLAYED,
};

struct incident {
    struct list link;
    enum incident_scope scope;
    enum failure_kind kind;
    enum failure_severity severity;
    int64_t revision;
    bool active;
    size_t id_len;
    char id[]; /* id_len bytes and a NUL */
};

static str incident_id(const struct incident *i)
{
    return (str){i->id, i->id_len};
}

bool failures_init(struct failures *f, str session_id)
{
    *f = (struct failures){.session_id_len = session_id.n};
    list_init(&f->incidents);
    f->session_id = str_dup(session_id.p ? session_id : STR(""));
    return uuid_v4(f->epoch) && f->session_id;
}

static void forget(struct failures *f, struct incident *i)
{
    if (f->notices == i) {
        f->notices = NULL;
    }
    list_remove(&i->link);
    f->count--;
    free(i);
}

void failures_free(struct failures *f)
{
    if (f->incidents.next) {
        LIST_EACH(i, &f->incidents, struct incident, link) {
            forget(f, i);
        }
    }
    free(f->session_id);
    buf_free(&f->notice);
    *f = (struct failures){0};
    list_init(&f->incidents);
}

static struct incident *find(const struct failures *f, str id)
{
    /* The newest are asked for most. */
    for (struct list *l = f->incidents.prev; l != &f->incidents; l = l->prev) {
        struct incident *i = LIST_ENTRY(l, struct incident, link);
        if (str_eq(incident_id(i), id)) {
            return i;
        }
    }
    return NULL;
}

static struct incident *newest(const struct failures *f)
{
    return list_empty(&f->incidents) ? NULL : LIST_ENTRY(f->incidents.prev, struct incident, link);
}

/* The oldest ended incident, else the oldest of all; NULL when there is none. */
static struct incident *oldest(const struct failures *f)
{
    LIST_EACH(i, &f->incidents, struct incident, link) {
        if (!i->active) {
            return i;
        }
    }
    return LIST_FIRST(&f->incidents, struct incident, link);
}

/* Keeps the number of incidents bounded. A session that has so many open failures at once has no use for
 * the oldest of them. */
static void make_room(struct failures *f)
{
    struct incident *victim = f->count < INCIDENTS_MAX ? NULL : oldest(f);
    if (victim) {
        forget(f, victim);
    }
}

static struct incident *add(struct failures *f, str id, enum incident_scope scope)
{
    struct incident *i = malloc(sizeof(*i) + id.n + 1);
    if (!i) {
        return NULL;
    }
    make_room(f);
    *i = (struct incident){.scope = scope, .id_len = id.n};
    memcpy(i->id, id.p, id.n);
    i->id[id.n] = '\0';
    list_append(&f->incidents, &i->link);
    f->count++;
    return i;
}

/* The incident of an id, made when there is none; NULL when memory is out. */
static struct incident *need(struct failures *f, const struct buf *id, enum incident_scope scope)
{
    if (!buf_ok(id)) {
        return NULL;
    }
    struct incident *i = find(f, buf_str(id));
    return i ? i : add(f, buf_str(id), scope);
}

static void forget_notice(struct failures *f)
{
    buf_clear(&f->notice);
    f->notices = NULL;
}

/* A new incident with the session's next number. */
static struct incident *add_numbered(struct failures *f, const char *what, enum incident_scope scope)
{
    AUTO_BUF(id);
    buf_put(&id, f->session_id, f->session_id_len);
    buf_printf(&id, ":%s:%s:%llu", what, f->epoch, (unsigned long long)f->number + 1);
    struct incident *i = need(f, &id, scope);
    f->number += i != NULL;
    return i;
}

/* The next revision of the incident, which becomes the newest one. */
static bool record(struct failures *f, struct incident *i, struct failure_record *out)
{
    if (!i) {
        return false;
    }
    i->kind = out->kind;
    i->severity = out->severity;
    i->active = true;
    out->revision = ++i->revision;
    out->id = incident_id(i);
    list_remove(&i->link);
    list_append(&f->incidents, &i->link);
    if (i->scope != SCOPE_NOTICE) {
        forget_notice(f);
    }
    return true;
}

bool failures_turn(struct failures *f, str prompt_uuid, enum failure_kind kind,
                   enum failure_severity severity, str title, struct failure_record *out)
{
    if (kind == FAILURE_AUTH_REQUIRED) {
        return false;
    }
    AUTO_BUF(id);
    buf_put_str(&id, prompt_uuid);
    buf_put_c(&id, ":error");
    *out = (struct failure_record){.kind = kind, .severity = severity, .title = title};
    return record(f, need(f, &id, SCOPE_TURN), out);
}

bool failures_session(struct failures *f, enum failure_kind kind, enum failure_severity severity, str title,
                      struct failure_record *out)
{
    if (kind == FAILURE_AUTH_REQUIRED) {
        return false;
    }
    struct incident *i = newest(f);
    if (!i || i->scope != SCOPE_SESSION || i->severity != FAILURE_WARNING || !i->active) {
        i = add_numbered(f, "session-error", SCOPE_SESSION);
    }
    *out = (struct failure_record){.kind = kind, .severity = severity, .title = title};
    return record(f, i, out);
}

bool failures_notice(struct failures *f, str title, str details, struct failure_record *out)
{
    struct incident *i = f->notices;
    if (!i || !str_eq(title, buf_str(&f->notice))) {
        i = add_numbered(f, "notice", SCOPE_NOTICE);
    }
    *out = (struct failure_record){.kind = FAILURE_ADVISORY,
                                   .severity = FAILURE_WARNING,
                                   .title = title,
                                   .details = details};
    if (!record(f, i, out)) {
        return false;
    }
    buf_clear(&f->notice);
    buf_put_str(&f->notice, title);
    f->notices = buf_ok(&f->notice) ? i : NULL;
    return true;
}

bool failures_replayed(struct failures *f, str user_uuid, str message_uuid, str title,
                       struct failure_record *out)
{
    AUTO_BUF(id);
    if (user_uuid.n) {
        buf_put_str(&id, user_uuid);
        buf_put_c(&id, ":error");
    } else {
        buf_put(&id, f->session_id, f->session_id_len);
        buf_put_c(&id, ":history-error:");
        buf_put_str(&id, message_uuid);
    }
    /* Only the latest replayed limit can still hold. */
    LIST_EACH(i, &f->incidents, struct incident, link) {
        i->active &= i->scope != SCOPE_REPLAYED;
    }
    *out =
        (struct failure_record){.kind = FAILURE_QUOTA_EXHAUSTED, .severity = FAILURE_ERROR, .title = title};
    return record(f, need(f, &id, SCOPE_REPLAYED), out);
}

/* ---- Recovery ------------------------------------------------------------------------------------- */

static bool of_turn(const struct incident *i, str prompt_uuid)
{
    return i->scope == SCOPE_TURN && str_starts(incident_id(i), prompt_uuid) &&
           str_eq(str_from(incident_id(i), prompt_uuid.n), STR(":error"));
}

/* Which event ends an active incident of a kind; the default is a later turn's result for a turn's
 * failure and a model's success for a session's. */
static bool recovers(const struct incident *i, enum failure_event event, str prompt_uuid)
{
    if (i->kind == FAILURE_ADVISORY) {
        return false;
    }
    if (i->severity == FAILURE_WARNING) { /* a retry is over when what it retried succeeded */
        if (event == FAILURE_ON_TURN_SUCCESS && of_turn(i, prompt_uuid)) {
            return true;
        }
        if (event == FAILURE_ON_MODEL_SUCCESS && i->scope == SCOPE_SESSION) {
            return true;
        }
    }
    switch (i->kind) {
    case FAILURE_TRANSPORT_LOST:
    case FAILURE_WORKER_SHUTDOWN:
        return event == FAILURE_ON_RUNTIME;
    case FAILURE_QUOTA_EXHAUSTED:
        return event == FAILURE_ON_MODEL_SUCCESS;
    default:
        return i->scope == SCOPE_TURN ? event == FAILURE_ON_TURN_RESULT && !of_turn(i, prompt_uuid)
                                      : event == FAILURE_ON_MODEL_SUCCESS;
    }
}

void failures_recover(struct failures *f, enum failure_event event, str prompt_uuid)
{
    LIST_EACH(i, &f->incidents, struct incident, link) {
        if (i->active && recovers(i, event, prompt_uuid)) {
            i->active = false;
            forget_notice(f);
        }
    }
}

bool failures_active(const struct failures *f, str id)
{
    const struct incident *i = find(f, id);
    return i && i->active;
}
