/* The methods that a client can call. */
#include <stdlib.h>

#include "acp_v1/internal.h"
#include "acp_v1/params.h"
#include "session/prompt_content.h"
#include "session/steering.h"
#include "json/fields.h"

/* ---- Answers ---- */

void reply_empty(struct rpc_request *req)
{
    rpc_reply(req, STR("{}"));
}

static str standard_text(int code)
{
    switch (code) {
    case RPC_INVALID_PARAMS:
        return STR("Invalid params");
    case RPC_AUTH_REQUIRED:
        return STR("Authentication required");
    case RPC_RESOURCE_NOT_FOUND:
        return STR("Resource not found");
    default:
        return STR("Internal error");
    }
}

void reply_error(struct rpc_request *req, const struct session_error *e)
{
    AUTO_BUF(data);
    if (e->data.p) {
        buf_put_str(&data, e->data);
    } else if (e->details.p) {
        json_open_object(&data);
        json_member_str(&data, "details", e->details);
        json_close_object(&data);
    }
    rpc_reply_error(req, e->code, e->message.p ? e->message : standard_text(e->code),
                    data.n ? buf_str(&data) : STR_ABSENT);
}

void reply_no_session(struct rpc_request *req)
{
    reply_error(req,
                &(struct session_error){.code = RPC_INTERNAL_ERROR, .details = STR("Session not found")});
}

void reply_details(struct rpc_request *req, const char *details)
{
    reply_error(req, &(struct session_error){.code = RPC_INTERNAL_ERROR, .details = str_of(details)});
}

void reply_done(void *user, const struct session_error *error)
{
    struct rpc_request *req = user;
    if (error) {
        reply_error(req, error);
    } else {
        reply_empty(req);
    }
}

static void reply_problems(struct rpc_request *req, const struct json_problems *p)
{
    AUTO_BUF(data);
    AUTO_BUF(message);
    json_put_problems(&data, p);
    buf_put_c(&message, "Invalid params: ");
    buf_put_str(&message, buf_str(&p->first));
    rpc_reply_error(req, RPC_INVALID_PARAMS, buf_str(&message), buf_str(&data));
}

bool read_params(struct rpc_request *req, const struct json_field *rows, size_t n, void *out)
{
    struct json_problems p = JSON_PROBLEMS_INIT;
    bool ok = json_fields(rpc_request_params(req), rows, n, out, &p);
    if (!ok) {
        reply_problems(req, &p);
    }
    json_problems_free(&p);
    return ok;
}

/* ---- Connection ---- */

struct initialize_params {
    json version, capabilities;
};

static const char *check_version(json v)
{
    int64_t n;
    return json_int(v, &n) && n >= 0 && n <= 65535 ? NULL : "expected an integer from 0 to 65535";
}

static void do_initialize(struct acp_v1 *v, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        CHECKED(initialize_params, "protocolVersion", version, FIELD_REQUIRED, check_version),
        ROW(initialize_params, "clientCapabilities", capabilities, FIELD_OBJECT, FIELD_LENIENT),
    };
    struct initialize_params p = {0};
    if (!READ(req, rows, &p)) {
        return;
    }
    agent_use_client(&v->agent, 1, p.capabilities);
    AUTO_BUF(b);
    acp_v1_put_initialize(&b, v);
    rpc_reply(req, buf_str(&b));
    rpc_flush(v->rpc); /* the client waits for this, not for the process that starts now */
    agent_probe_auth(&v->agent, NULL);
}

/* ---- Sessions ---- */

struct session_ref_params {
    str session_id;
};

static const struct json_field session_ref_rows[] = {
    ROW(session_ref_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
};

static void do_session_close(struct acp_v1 *v, struct rpc_request *req)
{
    struct session_ref_params p = {0};
    if (!READ(req, session_ref_rows, &p)) {
        return;
    }
    struct session *s = agent_session(&v->agent, p.session_id);
    if (s) {
        session_close(s, reply_done, req);
    } else {
        reply_empty(req);
    }
}

struct mode_params {
    str session_id, mode_id;
};

static void do_set_mode(struct acp_v1 *v, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(mode_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
        ROW(mode_params, "modeId", mode_id, FIELD_STRING, FIELD_REQUIRED),
    };
    struct mode_params p = {0};
    if (!READ(req, rows, &p)) {
        return;
    }
    struct session *s = agent_session(&v->agent, p.session_id);
    if (s) {
        session_set_mode(s, p.mode_id, reply_done, req);
    } else {
        reply_no_session(req);
    }
}

struct option_params {
    str session_id, config_id, type;
    json value;
};

static void reply_options(void *user, const struct session_error *error)
{
    struct rpc_request *req = user;
    struct acp_v1 *v = rpc_request_data(req);
    struct session *s = agent_session(&v->agent, json_str(json_get(rpc_request_params(req), "sessionId")));
    if (error || !s) {
        reply_done(req, error);
        return;
    }
    AUTO_BUF(b);
    json_open_object(&b);
    json_key(&b, "configOptions");
    session_put_options(s, &b);
    json_close_object(&b);
    rpc_reply(req, buf_str(&b));
}

static const char *check_option_value(json v)
{
    return json_is(v, JSON_STRING) || json_is_bool(v) ? NULL : "expected a string or a boolean";
}

static void do_set_option(struct acp_v1 *v, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(option_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
        ROW(option_params, "configId", config_id, FIELD_STRING, FIELD_REQUIRED),
        ROW(option_params, "type", type, FIELD_STRING, FIELD_LENIENT),
        CHECKED(option_params, "value", value, FIELD_REQUIRED, check_option_value),
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
    struct session *s = agent_session(&v->agent, p.session_id);
    if (s) {
        rpc_request_set_data(req, v);
        session_set_option(s, p.config_id, p.value, reply_options, req);
    } else {
        reply_no_session(req);
    }
}

/* ---- Prompts ---- */

struct prompt_params {
    str session_id;
    json prompt, meta;
};

static void prompt_inserted(void *user)
{
    (void)user; /* v1 answers at the end */
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
    rpc_reply(req, buf_str(&b));
}

static const struct turn_observer prompt_observer = {.inserted = prompt_inserted, .ended = prompt_ended};

static void do_prompt(struct acp_v1 *v, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(prompt_params, "sessionId", session_id, FIELD_STRING, FIELD_REQUIRED),
        CHECKED(prompt_params, "prompt", prompt, FIELD_REQUIRED, prompt_check),
        ROW(prompt_params, "_meta", meta, FIELD_OBJECT, FIELD_LENIENT),
    };
    struct prompt_params p = {0};
    struct session_error error;
    if (!READ(req, rows, &p)) {
        return;
    }
    struct session *s = agent_session(&v->agent, p.session_id);
    if (!s) {
        reply_no_session(req);
        return;
    }
    if (!session_prompt(s, p.prompt, p.meta, &prompt_observer, req, &error)) {
        reply_error(req, &error);
    }
    agent_probe_auth(&v->agent, s);
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

static void do_steering(struct acp_v1 *v, struct rpc_request *req)
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
    if (!READ(req, rows, &p) || !read_idle_behavior(req, p.meta, &prompt_required)) {
        return;
    }
    struct session *s = agent_session(&v->agent, json_str(p.session_id));
    if (!s) {
        reply_no_session(req);
    } else if (!session_steer(s, p.prompt, prompt_required, &outcome, &error)) {
        reply_error(req, &error);
    } else {
        rpc_reply(req, str_of(answers[outcome]));
    }
}

/* ---- Notifications ---- */

static void on_cancel(struct acp_v1 *v, json params)
{
    struct session *s = agent_session(&v->agent, json_str(json_get(params, "sessionId")));
    if (s) {
        session_cancel(s);
    }
}

/* $/cancel_request of a running prompt cancels its session's work; any other request completes. */
static void on_cancel_request(struct acp_v1 *v, json params)
{
    struct rpc_request *req = rpc_request_find(v->rpc, json_get(params, "requestId"));
    if (req && str_is(rpc_request_method(req), "session/prompt")) {
        on_cancel(v, rpc_request_params(req));
    }
}

/* ---- Dispatch ---- */

struct method_row {
    const char *name;
    void (*handle)(struct acp_v1 *v, struct rpc_request *req);
};

static const struct method_row methods[] = {
    {"initialize", do_initialize},
    {"authenticate", acp_v1_authenticate},
    {"logout", acp_v1_logout},
    {"providers/list", acp_v1_providers_list},
    {"providers/set", acp_v1_providers_set},
    {"providers/disable", acp_v1_providers_disable},
    {"session/new", acp_v1_session_new},
    {"session/load", acp_v1_session_load},
    {"session/resume", acp_v1_session_resume},
    {"session/fork", acp_v1_session_fork},
    {"session/list", acp_v1_session_list},
    {"session/delete", acp_v1_session_delete},
    {"session/prompt", do_prompt},
    {"session/set_mode", do_set_mode},
    {"session/set_config_option", do_set_option},
    {"session/close", do_session_close},
    {"_session/steering", do_steering},
    {"_session/goal", acp_v1_session_goal},
    {"_session/async_task/stop", acp_v1_async_task_stop},
};

struct notification_row {
    const char *name;
    void (*handle)(struct acp_v1 *v, json params);
};

static const struct notification_row notifications[] = {
    {"session/cancel", on_cancel},
    {"$/cancel_request", on_cancel_request},
};

static void on_request(void *user, struct rpc_request *req)
{
    struct acp_v1 *v = user;
    str name = rpc_request_method(req);
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        if (str_is(name, methods[i].name)) {
            methods[i].handle(v, req);
            return;
        }
    }
    AUTO_BUF(message);
    AUTO_BUF(data);
    buf_put_c(&message, "\"Method not found\": ");
    buf_put_str(&message, name);
    json_open_object(&data);
    json_member_str(&data, "method", name);
    json_close_object(&data);
    rpc_reply_error(req, RPC_METHOD_NOT_FOUND, buf_str(&message), buf_str(&data));
}

static void on_notification(void *user, str method, json params)
{
    struct acp_v1 *v = user;
    for (size_t i = 0; i < ARRAY_LEN(notifications); i++) {
        if (str_is(method, notifications[i].name)) {
            notifications[i].handle(v, params);
            return;
        }
    }
    log_write(v->setup.log, LOG_DEBUG, "a notification is not known: %.*s",
              (int)(method.n < 100 ? method.n : 100), method.p);
}

static void on_closed(void *user)
{
    struct acp_v1 *v = user;
    v->setup.closed(v->setup.user);
}

static void on_congested(void *user, bool yes)
{
    struct acp_v1 *v = user;
    agent_set_congested(&v->agent, yes);
}

static const struct rpc_events rpc_events = {
    .request = on_request,
    .notification = on_notification,
    .closed = on_closed,
    .congested = on_congested,
};

/* ---- Life ---- */

struct acp_v1 *acp_v1_new(const struct acp_v1_setup *setup)
{
    struct acp_v1 *v = calloc(1, sizeof(*v));
    if (!v) {
        return NULL;
    }
    v->setup = *setup;
    v->agent = (struct agent){
        .loop = setup->loop,
        .log = setup->log,
        .dirs = setup->dirs,
        .reporter_dirs = setup->reporters,
        .surface = &acp_v1_surface,
        .surface_self = v,
        .env = setup->env,
        .executable = setup->dirs->executable,
        .hide_claude_auth = setup->hide_claude_auth,
    };
    v->meta = meta_filter_new();
    v->rpc =
        v->meta ? rpc_endpoint_new(setup->loop, setup->log, setup->in, setup->out, &rpc_events, v) : NULL;
    if (!v->rpc || !agent_init(&v->agent)) {
        rpc_endpoint_free(v->rpc);
        meta_filter_free(v->meta);
        free(v);
        return NULL;
    }
    rpc_endpoint_start(v->rpc);
    return v;
}

void acp_v1_close(struct acp_v1 *v)
{
    agent_close(&v->agent);
    v->closed = true;
    rpc_endpoint_free(v->rpc);
    v->rpc = NULL;
}

void acp_v1_free(struct acp_v1 *v)
{
    agent_free(&v->agent);
    meta_filter_free(v->meta);
    free(v);
}
