/* The methods that a client can call, in a table, and the smaller ones of them. */
#include <stdlib.h>

#include "acp/sessions.h"
#include "acp_v2/internal.h"

static void do_initialize(struct connection *c, struct rpc_request *req)
{
    (void)c;
    rpc_reply_error(req, RPC_INVALID_REQUEST, STR("Invalid request"),
                    STR("\"the connection is initialized already\""));
}

static const char *check_option_type(json v)
{
    return str_is(json_str(v), "id") || str_is(json_str(v), "boolean") ? NULL
                                                                       : "expected \"id\" or \"boolean\"";
}

static void do_set_option(struct connection *c, struct rpc_request *req)
{
    struct option_row {
        struct option_params common;
        json type;
    };
    static const struct json_field rows[] = {
        ROW(option_row, "sessionId", common.session_id, FIELD_STRING, FIELD_REQUIRED),
        ROW(option_row, "configId", common.config_id, FIELD_STRING, FIELD_REQUIRED),
        CHECKED(option_row, "type", type, FIELD_REQUIRED, check_option_type),
        CHECKED(option_row, "value", common.value, FIELD_REQUIRED, acp_check_option_value),
    };
    struct option_row p = {0};
    if (!READ(req, rows, &p)) {
        return;
    }
    if (json_is_bool(p.common.value) != str_is(json_str(p.type), "boolean")) {
        rpc_reply_error(req, RPC_INVALID_PARAMS, STR("Invalid params: value: expected what type says"),
                        STR_ABSENT);
        return;
    }
    acp_set_option(c, req, &p.common);
}

static void forget_closed(void *user, const struct session_error *error)
{
    struct rpc_request *req = user;
    struct connection *c = rpc_request_data(req);
    tool_store_forget(acp_v2_state(c)->tools, json_str(json_get(rpc_request_params(req), "sessionId")));
    reply_done(req, error);
}

static void do_session_close(struct connection *c, struct rpc_request *req)
{
    acp_close(c, req, forget_closed);
}

static const struct acp_method methods[] = {
    {"initialize", do_initialize},
    {"auth/login", acp_authenticate},
    {"auth/logout", acp_logout},
    {"providers/list", acp_providers_list},
    {"providers/set", acp_providers_set},
    {"providers/disable", acp_providers_disable},
    {"session/new", acp_v2_session_new},
    {"session/resume", acp_v2_session_resume},
    {"session/fork", acp_v2_session_fork},
    {"session/list", acp_session_list},
    {"session/delete", acp_session_delete},
    {"session/prompt", acp_v2_session_prompt},
    {"session/set_config_option", do_set_option},
    {"session/close", do_session_close},
};

/* Not $/cancel_request: every request here ends by itself, and a turn by session/cancel. */
static const struct acp_notification notifications[] = {
    {"session/cancel", acp_cancel},
};

static void close_state(void *state)
{
    struct acp_v2_state *v2 = state;
    tool_store_free(v2->tools);
    replay_marks_free(v2->replays);
    free(v2);
}

static void *open_state(void)
{
    struct acp_v2_state *v2 = malloc(sizeof(*v2));
    if (!v2) {
        return NULL;
    }
    *v2 = (struct acp_v2_state){tool_store_new(), replay_marks_new()};
    if (!v2->tools || !v2->replays) {
        close_state(v2);
        return NULL;
    }
    return v2;
}

const struct acp_version acp_v2 = {
    .surface = &acp_v2_surface,
    .open = open_state,
    .close = close_state,
    .methods = methods,
    .method_count = ARRAY_LEN(methods),
    .notifications = notifications,
    .notification_count = ARRAY_LEN(notifications),
    .initialize = acp_v2_initialize,
    .batches = true,
};
