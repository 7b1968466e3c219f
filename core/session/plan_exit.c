#include "session/plan_exit.h"

#include <stdlib.h>

#include "prompt/prompt_content.h"
#include "session/internal.h"

void session_plan_exit_forget(struct session *s)
{
    struct plan_exit *pe = &s->planning.exit;
    free(pe->call);
    buf_free(&pe->plan);
    buf_free(&pe->message);
    *pe = (struct plan_exit){0};
}

void session_plan_exit_answered(struct session *s, str call, bool of_agent,
                                const struct permission_decision *d)
{
    struct plan_exit *pe = &s->planning.exit;
    if ((!d->keep_planning && !d->clear_context) || pe->state == PLAN_EXIT_CONTINUING) {
        return;
    }
    session_plan_exit_forget(s);
    pe->call = str_dup(call);
    if (!pe->call) {
        return; /* the diagnostic then ends the turn as an error */
    }
    pe->state = PLAN_EXIT_ANSWERED;
    pe->of_agent = of_agent;
    pe->clear = d->clear_context;
    pe->mode = d->mode ? mode_of_id(str_of(d->mode)) : MODE_NONE;
    pe->warn_auto = d->auto_fell_back;
    buf_put_str(&pe->plan, buf_str(&d->plan));
}

void session_plan_exit_result(struct session *s, str call, json m)
{
    struct plan_exit *pe = &s->planning.exit;
    bool of_agent = json_text(json_get(m, "parent_tool_use_id")).p;
    if (pe->state != PLAN_EXIT_ANSWERED || pe->of_agent != of_agent) {
        return;
    }
    bool seen = str_is(call, pe->call);
    for (struct json_iter it = json_each(json_get(m, "tool_result_meta")); json_next(&it);) {
        seen = seen || (str_is(json_str(json_get(it.value, "id")), pe->call) &&
                        str_is(json_str(json_get(it.value, "non_execution_kind")), "user-rejected"));
    }
    if (seen) {
        pe->state = PLAN_EXIT_SEEN;
    }
}

/* ---- The diagnostic ---- */

static bool is_interruption(str text)
{
    return str_starts(text, STR("[ede_diagnostic]")) && str_has(text, STR("result_type=user")) &&
           str_has(text, STR("stop_reason=tool_use"));
}

static bool is_diagnostic(json result)
{
    bool is = is_interruption(json_str(json_get(result, "result")));
    json errors = json_get(result, "errors");
    if (json_is(errors, JSON_ARRAY)) {
        for (struct json_iter it = json_each(errors); json_next(&it);) {
            is = is || is_interruption(json_str(it.value));
        }
    }
    return is && json_is_true(json_get(result, "is_error")) &&
           str_is(json_str(json_get(result, "subtype")), "error_during_execution");
}

/* ---- The plan as such ---- */

static void publish_plan(struct session *s, str plan)
{
    AUTO_BUF(b);
    json_key(&b, "plan");
    json_open_object(&b);
    json_member_c(&b, "type", "markdown");
    json_member_c(&b, "planId", "plan-mode");
    json_member_str(&b, "content", plan);
    json_close_object(&b);
    s->host->surface->update(s->host->surface_self, str_of(s->id), "plan_update", buf_str(&b));
}

void session_plan_approved(struct session *s, json input, json structured)
{
    json said = json_get(structured, "plan");
    str plan = str_trim(json_str(json_is(said, JSON_STRING) ? said : json_get(input, "plan")));
    if (s->host->client.plan_operations && plan.n && !json_is_true(json_get(structured, "isAgent")) &&
        !json_is_true(json_get(structured, "awaitingLeaderApproval"))) {
        publish_plan(s, plan);
    }
}

/* ---- Going on in a fresh context ---- */

static void restarted(struct session *s, str why)
{
    struct plan_exit *pe = &s->planning.exit;
    bool goes_on = pe->state == PLAN_EXIT_CONTINUING; /* it was not cancelled meanwhile */
    if (!why.p) {
        if (goes_on && pe->warn_auto) {
            (void)session_options_effective_mode(s->options, MODE_AUTO); /* makes the warning due */
        }
        session_apply_effects(s, OPTIONS_MODE | OPTIONS_LIST);
    }
    if (!why.p && goes_on) {
        if (s->host->client.plan_operations) {
            publish_plan(s, buf_str(&pe->plan));
        }
        cli_control_send(s->process.cli, buf_str(&pe->message));
    }
    session_plan_exit_forget(s);
}

static bool continue_plan(struct session *s, const struct turn *t)
{
    struct plan_exit *pe = &s->planning.exit;
    char uuid[UUID_SIZE]; /* the message takes the place of the prompt's */
    AUTO_BUF(text);
    if (t) {
        memcpy(uuid, t->uuid, sizeof(uuid));
    } else if (!uuid_v4(uuid)) {
        return false;
    }
    buf_put_c(&text, "Implement the following plan:\n\n");
    buf_put_str(&text, buf_str(&pe->plan));
    prompt_put_user_text(&pe->message, buf_str(&text), str_of(s->id), str_of(uuid), STR_ABSENT);
    return buf_ok(&pe->plan) && buf_ok(&text) && buf_ok(&pe->message) &&
           session_restart(s, &(struct restart_request){.fresh = true, .mode = pe->mode}, restarted);
}

enum turn_verdict session_plan_exit_verdict(struct session *s, const struct turn *t, json result)
{
    struct plan_exit *pe = &s->planning.exit;
    if (pe->state == PLAN_EXIT_NONE || pe->state == PLAN_EXIT_CONTINUING) {
        return TURN_ENDS;
    }
    bool ours = pe->state == PLAN_EXIT_SEEN && is_diagnostic(result), clear = pe->clear;
    if (ours) {
        s->process.error_result_last = false; /* it is no error that the client is shown */
    }
    if (ours && clear && continue_plan(s, t)) {
        pe->state = PLAN_EXIT_CONTINUING;
        return TURN_GOES_ON;
    }
    session_plan_exit_forget(s);
    return ours && !clear ? TURN_CANCELLED : TURN_ENDS;
}
