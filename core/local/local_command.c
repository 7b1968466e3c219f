#include "local/local_command.h"

#include <stdlib.h>

#include "base/js_space.h"
#include "base/map.h"
#include "base/uuid.h"
#include "cli/cli_request.h"
#include "extension/session_failure.h"
#include "local/mcp_sign_in.h"
#include "prompt/mcp_text.h"
#include "prompt/prompt_content.h"
#include "prompt/usage_text.h"

enum {
    STATUS_LIMIT_MS = 5000,
    ACTION_LIMIT_MS = 30000,
};

enum local_state {
    LOCAL_SILENT,  /* the CLI has printed nothing yet */
    LOCAL_KEPT,    /* it has; the frame waits for the prompt to become active */
    LOCAL_ASKING,  /* the CLI is asked, the frames are held */
    LOCAL_MADE,    /* our text is there, for when the CLI's comes again */
    LOCAL_TOLD,    /* it was shown */
    LOCAL_LEFT,    /* there is none: the CLI's stays */
    LOCAL_STOPPED, /* it was cancelled */
};

struct local_command {
    struct list link;
    struct local_work *w;
    char uuid[UUID_SIZE]; /* of the prompt */
    enum local_state state;
    bool mcp;              /* it is /mcp, else /usage */
    char *prompt;          /* what `command` borrows from */
    struct buf printed;    /* the CLI's text */
    struct buf own;        /* ours */
    struct json_doc *kept; /* the frame that waits, if any */

    struct cli_request question; /* LOCAL_ASKING: to whom */
    struct mcp_command command;
    struct json_doc *status; /* the answer that the targets are of */
    str target;              /* the present one */
    size_t next_target;
    struct map tried;
    struct buf outcomes;
};

static struct cli_control *cli_of(const struct local_work *w)
{
    return w->host.calls->cli(w->host.user);
}

static void free_command(struct local_command *lc)
{
    list_remove(&lc->link);
    json_unref(lc->kept);
    json_unref(lc->status);
    map_free(&lc->tried, NULL);
    buf_free(&lc->printed);
    buf_free(&lc->own);
    buf_free(&lc->outcomes);
    free(lc->prompt);
    free(lc);
}

void local_command_sent(struct local_work *w, json blocks, const char *uuid)
{
    struct mcp_command command;
    str text = prompt_sole_text(blocks);
    bool mcp = mcp_command_read(text, &command);
    struct local_command *lc = mcp || str_is(text, "/usage") ? calloc(1, sizeof(*lc)) : NULL;
    if (!lc) {
        return;
    }
    list_append(&w->commands, &lc->link);
    lc->w = w;
    lc->mcp = mcp;
    memcpy(lc->uuid, uuid, sizeof(lc->uuid) - 1);
    lc->prompt = str_dup(text);
    if (!lc->prompt || (mcp && !mcp_command_read(str_of(lc->prompt), &lc->command))) {
        free_command(lc);
    }
}

static struct local_command *find(const struct local_work *w, const char *uuid)
{
    LIST_EACH(lc, &w->commands, struct local_command, link) {
        if (strcmp(lc->uuid, uuid) == 0) {
            return lc;
        }
    }
    return NULL;
}

static bool is_active(const struct turn *t)
{
    return t->state == TURN_ACTIVE || t->state == TURN_STEERED;
}

/* The command that the CLI is running. */
static struct local_command *running(struct local_work *w)
{
    LIST_EACH(lc, &w->commands, struct local_command, link) {
        const struct turn *t = turns_find(w->host.turns, str_of(lc->uuid));
        if (t && (is_active(t) || (t->state == TURN_QUEUED && t->started && !t->finished))) {
            return lc;
        }
    }
    return NULL;
}

/* ---- The end of the asking ---- */

static void stop_asking(struct local_command *lc)
{
    cli_request_drop(&lc->question);
    if (lc->state == LOCAL_ASKING && cli_of(lc->w) == lc->question.cli) {
        lc->w->host.calls->release(lc->w->host.user);
    }
}

/* The frame that waits comes again; its text is replaced when ours was made. */
static void finish(struct local_command *lc, bool made)
{
    made = made && buf_ok(&lc->own);
    if (lc->kept && !cli_control_put_back(lc->question.cli, lc->kept)) {
        log_write(lc->w->host.log, LOG_ERROR, "out of memory: the answer to a command is lost");
    }
    json_unref(lc->kept);
    lc->kept = NULL;
    stop_asking(lc);
    lc->state = made ? LOCAL_MADE : LOCAL_LEFT;
}

/* ---- /usage ---- */

static void usage_answered(void *user, const struct control_error *error, json payload)
{
    struct local_command *lc = user;
    cli_request_over(&lc->question);
    finish(lc, !error && usage_text_put(&lc->own, payload));
}

/* ---- /mcp ---- */

static void answer_mcp(struct local_command *lc, json status)
{
    mcp_put_answer(&lc->own, &lc->command, buf_str(&lc->printed), buf_str(&lc->outcomes), status);
    finish(lc, buf_ok(&lc->outcomes));
}

static void listed_again(void *user, const struct control_error *error, json payload)
{
    struct local_command *lc = user;
    cli_request_over(&lc->question);
    answer_mcp(lc, !error && mcp_status_readable(payload) ? payload : JSON_NONE);
}

static void act_on_next(struct local_command *lc);

static void acted(void *user, const struct control_error *error, json payload)
{
    struct local_command *lc = user;
    (void)payload;
    cli_request_over(&lc->question);
    if (control_ended(error, CONTROL_CLOSED)) {
        finish(lc, false);
        return;
    }
    const char *why = control_ended(error, CONTROL_TIMED_OUT) ? "no answer within 30 seconds"
                      : error                                 ? error->text
                                                              : NULL;
    mcp_put_outcome(&lc->outcomes, lc->command.action, lc->target, why);
    act_on_next(lc);
}

static void act_on_next(struct local_command *lc)
{
    AUTO_BUF(members);
    lc->target = mcp_next_target(json_root(lc->status), &lc->command, &lc->next_target, &lc->tried);
    if (!lc->target.p) {
        cli_request_ask(&lc->question, "mcp_status", STR_ABSENT, STATUS_LIMIT_MS, listed_again, lc);
        return;
    }
    json_member_str(&members, "serverName", lc->target);
    if (lc->command.action == MCP_RECONNECT) {
        cli_request_ask(&lc->question, "mcp_reconnect", buf_str(&members), ACTION_LIMIT_MS, acted, lc);
    } else {
        json_member_bool(&members, "enabled", lc->command.action == MCP_ENABLE);
        cli_request_ask(&lc->question, "mcp_toggle", buf_str(&members), ACTION_LIMIT_MS, acted, lc);
    }
}

static void listed(void *user, const struct control_error *error, json payload)
{
    struct local_command *lc = user;
    cli_request_over(&lc->question);
    bool readable = !error && mcp_status_readable(payload);
    if (readable && lc->command.action == MCP_LIST) {
        answer_mcp(lc, payload);
    } else if (readable && (lc->status = json_detach(payload))) {
        act_on_next(lc);
    } else {
        finish(lc, false);
    }
}

/* ---- The frames ---- */

static void begin_asking(struct local_command *lc)
{
    lc->state = LOCAL_ASKING;
    lc->question.cli = cli_of(lc->w);
    lc->w->host.calls->hold(lc->w->host.user);
    if (lc->mcp) {
        cli_request_ask(&lc->question, "mcp_status", STR_ABSENT, STATUS_LIMIT_MS, listed, lc);
    } else {
        cli_request_ask(&lc->question, "get_usage", STR_ABSENT, STATUS_LIMIT_MS, usage_answered, lc);
    }
}

/* The text of a message that the CLI wrote by itself, or of local_command_output; absent for other frames. */
static str printed_text(json m)
{
    json message = json_get(m, "message"), content = json_get(message, "content");
    str type = json_str(json_get(m, "type"));
    if (str_is(type, "system") && str_is(json_str(json_get(m, "subtype")), "local_command_output")) {
        return json_text(json_get(m, "content"));
    }
    if (!str_is(type, "assistant") || !str_is(json_str(json_get(message, "model")), "<synthetic>") ||
        json_text(json_get(m, "parent_tool_use_id")).p || json_truthy(json_get(m, "error")) ||
        failure_is_login_message(message) || failure_is_usage_limit_message(message) ||
        !json_is(content, JSON_ARRAY) || json_count(content) != 1) {
        return STR_ABSENT;
    }
    return json_text(json_get(json_nth(content, 0), "text"));
}

/* The text of a result that would be shown, because nothing else was. */
static str result_text(json m, bool told)
{
    bool plain =
        str_is(json_str(json_get(m, "subtype")), "success") && !json_is_true(json_get(m, "is_error"));
    int64_t output = json_int_or(json_path(m, "usage", "output_tokens", NULL), 0);
    return plain && !output && !told ? json_text(json_get(m, "result")) : STR_ABSENT;
}

static bool keep_result(struct local_work *w, struct local_command *lc, struct json_doc *doc, bool told)
{
    json m = json_root(doc);
    bool cancelled = w->host.turns->cancelled && w->host.turns->active;
    if (cancelled || turns_result_is_autonomous(w->host.turns, m)) {
        return false;
    }
    if (lc->state == LOCAL_SILENT) {
        buf_put_str(&lc->printed, result_text(m, told));
    }
    if (!lc->printed.n || !cli_control_put_back(cli_of(w), doc)) {
        return false;
    }
    begin_asking(lc);
    return true;
}

static bool keep_text(struct local_work *w, struct local_command *lc, struct json_doc *doc)
{
    str text = printed_text(json_root(doc));
    if (lc->state != LOCAL_SILENT || !text.n) {
        return false;
    }
    buf_put_str(&lc->printed, text);
    lc->kept = json_ref(doc);
    lc->state = LOCAL_KEPT;
    if (is_active(turns_find(w->host.turns, str_of(lc->uuid)))) {
        begin_asking(lc);
    }
    return true;
}

bool local_command_keeps(struct local_work *w, struct json_doc *doc, bool told)
{
    struct local_command *lc = cli_of(w) && !list_empty(&w->commands) ? running(w) : NULL;
    if (!lc || (lc->state != LOCAL_SILENT && lc->state != LOCAL_KEPT)) {
        return false;
    }
    bool result = str_is(json_str(json_get(json_root(doc), "type")), "result");
    return result ? keep_result(w, lc, doc, told) : keep_text(w, lc, doc);
}

str local_command_text(struct local_work *w, str text)
{
    struct local_command *lc = list_empty(&w->commands) ? NULL : running(w);
    if (!lc || lc->state == LOCAL_LEFT || lc->state == LOCAL_SILENT) {
        return text;
    }
    if (lc->state == LOCAL_STOPPED) {
        return STR_ABSENT;
    }
    if (!str_eq(space_trim(text), space_trim(buf_str(&lc->printed)))) {
        return text;
    }
    bool due = lc->state == LOCAL_MADE;
    lc->state = due ? LOCAL_TOLD : lc->state;
    return due ? buf_str(&lc->own) : STR_ABSENT;
}

/* ---- The turns ---- */

void local_command_activated(struct local_work *w, const struct turn *t)
{
    struct local_command *lc = find(w, t->uuid);
    if (lc && lc->state == LOCAL_KEPT && cli_of(w)) {
        begin_asking(lc);
    }
}

void local_command_cancel(struct local_work *w)
{
    LIST_EACH(lc, &w->commands, struct local_command, link) {
        stop_asking(lc);
        lc->state = LOCAL_STOPPED;
    }
}

void local_command_over(struct local_work *w, const struct turn *t, const struct turn_end *end)
{
    struct local_command *lc = find(w, t->uuid);
    if (!lc) {
        return;
    }
    bool ended_well = end->stop_reason && !end->failed && strcmp(end->stop_reason, "cancelled") != 0;
    if (ended_well && lc->command.action == MCP_RECONNECT && lc->tried.used) {
        mcp_sign_in_begin(w, &lc->tried);
    }
    stop_asking(lc);
    free_command(lc);
}
