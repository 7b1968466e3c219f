/* The methods that a client can call. */
#include "acp/sessions.h"
#include "acp_v1/internal.h"
#include "prompt/prompt_content.h"
#include "session/steering.h"

/* ---- Modes and options ---- */

struct mode_params {
    str session_id, mode_id;
};

static void do_set_mode(struct connection *c, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(mode_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
        ROW(mode_params, "modeId", mode_id, FIELD_STRING, FIELD_REQUIRED),
    };
    struct mode_params p = {0};
    if (!READ(req, rows, &p)) {
        return;
    }
    struct session *s = agent_session(&c->agent, p.session_id);
    if (s) {
        session_set_mode(s, p.mode_id, reply_done, req);
    } else {
        reply_no_session(req);
    }
}

static void do_set_option(struct connection *c, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(option_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
        ROW(option_params, "configId", config_id, FIELD_STRING, FIELD_REQUIRED),
        ROW(option_params, "type", type, FIELD_STRING, FIELD_LENIENT),
        CHECKED(option_params, "value", value, FIELD_REQUIRED, acp_check_option_value),
    };
    struct option_params p = {0};
    if (!READ(req, rows, &p)) {
        return;
    }
    if (json_is_bool(p.value) && !str_is(p.type, "boolean")) {
        rpc_reply_error(req, RPC_INVALID_PARAMS,
                        STR("Invalid params: a boolean value needs type \"boolean\""),
                        STR("{\"_errors\":[],\"value\":{\"_errors\":[\"expected a string\"]}}"));
        return;
    }
    acp_set_option(c, req, &p);
}

static void do_session_close(struct connection *c, struct rpc_request *req)
{
    acp_close(c, req, reply_done);
}

/* ---- Prompts ---- */

static void prompt_inserted(void *user, const char *uuid)
{
    (void)user;
    (void)uuid; /* v1 answers at the end */
}

static void prompt_ended(void *user, const struct turn_end *end)
{
    struct rpc_request *req = user;
    if (!end->stop_reason) {
        rpc_reply_error(req, end->code, end->message, end->data);
        return;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_c(&b, "stopReason", end->stop_reason);
    if (end->members.n) {
        json_put_raw(&b, end->members);
    }
    json_close_object(&b);
    rpc_reply_built(req, &b);
}

static const struct turn_observer prompt_observer = {.inserted = prompt_inserted, .ended = prompt_ended};

static void do_prompt(struct connection *c, struct rpc_request *req)
{
    struct prompt_params p = {0};
    struct session_error error;
    if (!READ(req, prompt_rows, &p) || !acp_takes_prompt(req, p.prompt)) {
        return;
    }
    struct session *s = agent_session(&c->agent, p.session_id);
    if (!s) {
        reply_no_session(req);
        return;
    }
    if (!session_prompt(s, p.prompt, p.meta, &prompt_observer, req, &error)) {
        reply_error(req, &error);
    }
    agent_probe_auth(&c->agent, s);
}

/* ---- Steering ---- */

static const char *check_steer(json v)
{
    const char *why = prompt_check(v);
    return why ? why : json_count(v) == 0 ? "expected at least one block" : NULL;
}

static const char *check_idle_behavior(json v)
{
    return str_is(json_str(v), "promptRequired") ? NULL : "expected \"promptRequired\"";
}

static const char *check_session_id(json v)
{
    return json_text(v).p ? NULL : "expected a string that is not empty";
}

struct steer_params {
    json session_id, prompt, meta;
};

struct steer_meta {
    json idle_behavior;
};

/* _meta.steering.idleBehavior, which may be missing. False: it is something else, and the request is
 * answered. */
static bool read_idle_behavior(struct rpc_request *req, json meta, bool *prompt_required)
{
    static const struct json_field rows[] = {
        CHECKED(steer_meta, "idleBehavior", idle_behavior, 0, check_idle_behavior),
    };
    struct steer_meta p = {0};
    json steering = json_get(meta, "steering");
    struct json_problems problems = JSON_PROBLEMS_INIT;
    bool fits =
        !json_is(steering, JSON_OBJECT) || json_fields(steering, rows, ARRAY_LEN(rows), &p, &problems);
    if (!fits) {
        reply_problems(req, &problems);
    }
    json_problems_free(&problems);
    if (!fits) {
        return false;
    }
    *prompt_required = json_present(p.idle_behavior);
    return true;
}

static void do_steering(struct connection *c, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        CHECKED(steer_params, "sessionId", session_id, FIELD_REQUIRED, check_session_id),
        CHECKED(steer_params, "prompt", prompt, FIELD_REQUIRED, check_steer),
        ROW(steer_params, "_meta", meta, FIELD_OBJECT, FIELD_LENIENT),
    };
    static const char *const answers[] = {
        [STEER_INJECTED] = "{\"outcome\":\"injected\"}",
        [STEER_NO_TURN] = "{\"outcome\":\"promptRequired\",\"reason\":\"noRunningTurn\"}",
        [STEER_STARTED] = "{\"outcome\":\"startedNewTurn\"}",
    };
    struct steer_params p = {0};
    struct session_error error;
    enum steer_outcome outcome = STEER_INJECTED;
    bool prompt_required = false;
    if (!READ(req, rows, &p) || !read_idle_behavior(req, p.meta, &prompt_required) ||
        !acp_takes_prompt(req, p.prompt)) {
        return;
    }
    struct session *s = agent_session(&c->agent, json_str(p.session_id));
    if (!s) {
        reply_no_session(req);
    } else if (!session_steer(s, p.prompt, prompt_required, &outcome, &error)) {
        reply_error(req, &error);
    } else {
        rpc_reply(req, str_of(answers[outcome]));
    }
}

/* ---- Notifications ---- */

/* $/cancel_request of a running prompt cancels its session's work; any other request completes. */
static void on_cancel_request(struct connection *c, json params)
{
    struct rpc_request *req = rpc_request_find(c->rpc, json_get(params, "requestId"));
    if (req && str_is(rpc_request_method(req), "session/prompt")) {
        acp_cancel(c, rpc_request_params(req));
    }
}

/* ---- The table ---- */

static void do_initialize(struct connection *c, struct rpc_request *req)
{
    (void)acp_v1_initialize(c, req); /* it may come again, and what it says then counts */
}

static const struct acp_method methods[] = {
    {"initialize", do_initialize},
    {"authenticate", acp_authenticate},
    {"logout", acp_logout},
    {"providers/list", acp_providers_list},
    {"providers/set", acp_providers_set},
    {"providers/disable", acp_providers_disable},
    {"session/new", acp_v1_session_new},
    {"session/load", acp_v1_session_load},
    {"session/resume", acp_v1_session_resume},
    {"session/fork", acp_v1_session_fork},
    {"session/list", acp_session_list},
    {"session/delete", acp_session_delete},
    {"session/prompt", do_prompt},
    {"session/set_mode", do_set_mode},
    {"session/set_config_option", do_set_option},
    {"session/close", do_session_close},
    {"_session/steering", do_steering},
    {"_session/goal", acp_v1_session_goal},
    {"_session/async_task/stop", acp_v1_async_task_stop},
};

static const struct acp_notification notifications[] = {
    {"session/cancel", acp_cancel},
    {"$/cancel_request", on_cancel_request},
};

/* What AIR knows of each tool call's _meta. */
static void *open_state(void)
{
    return meta_filter_new();
}

static void close_state(void *state)
{
    meta_filter_free(state);
}

const struct acp_version acp_v1 = {
    .surface = &acp_v1_surface,
    .open = open_state,
    .close = close_state,
    .methods = methods,
    .method_count = ARRAY_LEN(methods),
    .notifications = notifications,
    .notification_count = ARRAY_LEN(notifications),
    .initialize = acp_v1_initialize,
};
