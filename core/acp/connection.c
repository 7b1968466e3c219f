#include "acp/connection.h"

#include <stdlib.h>

#include "acp/request.h"
#include "acp/version.h"

bool acp_served_parse(const char *text, struct acp_served *served)
{
    str name = str_of(text);
    bool any = !name.n || str_is(name, "auto");
    *served = (struct acp_served){.v1 = any || str_is(name, "v1"), .v2 = any || str_is(name, "v2")};
    return served->v1 || served->v2;
}

/* ---- Which version ---- */

/* No way to go on: what is written goes out, and the connection ends. */
static void turn_away(struct connection *c)
{
    rpc_flush(c->rpc);
    c->setup.closed(c->setup.user);
}

/* False: memory is out. */
static bool select_version(struct connection *c, const struct acp_version *version)
{
    c->state = version->open();
    if (!c->state) {
        return false;
    }
    c->version = version;
    c->agent.host.surface = version->surface;
    rpc_endpoint_allow_batches(c->rpc, version->batches);
    return true;
}

static bool is_initialize(json message)
{
    return rpc_is_request(message) && str_is(json_str(json_get(message, "method")), "initialize");
}

static bool any_request(json batch)
{
    for (struct json_iter it = json_each(batch); json_next(&it);) {
        if (rpc_is_request(it.value)) {
            return true;
        }
    }
    return false;
}

/* The first message must be `initialize`; alone in a batch will do. */
static bool on_message(void *user, json message)
{
    struct connection *c = user;
    if (c->version) {
        return true;
    }
    bool batch = json_is(message, JSON_ARRAY);
    if (is_initialize(batch && json_count(message) == 1 ? json_nth(message, 0) : message)) {
        return true;
    }
    if (rpc_is_request(message)) {
        rpc_refuse(c->rpc, json_get(message, "id"), RPC_INVALID_REQUEST, STR("Invalid request"),
                   STR("\"the first request must be initialize\""));
    } else if (batch && any_request(message)) {
        rpc_refuse(c->rpc, JSON_NONE, RPC_INVALID_REQUEST, STR("Invalid request"),
                   STR("\"the first message must be an initialize request\""));
    }
    turn_away(c);
    return false;
}

static void refuse_version(struct connection *c, struct rpc_request *req, int64_t n)
{
    const struct acp_served *served = &c->setup.served;
    AUTO_BUF(words);
    AUTO_BUF(data);
    buf_printf(&words, "protocol version %d is not supported; this agent speaks %s", (int)n,
               served->v1 ? "versions 1 and 2" : "version 2");
    json_put_str(&data, buf_str(&words));
    rpc_reply_error(req, RPC_INVALID_REQUEST, STR("Invalid request"), buf_str(&data));
    turn_away(c);
}

static void begin(struct connection *c, struct rpc_request *req)
{
    const struct acp_served *served = &c->setup.served;
    int64_t n;
    if (!json_int(json_get(rpc_request_params(req), "protocolVersion"), &n) || n < 0 || n > 65535) {
        rpc_reply_error(req, RPC_INVALID_PARAMS, STR("Invalid params"),
                        STR("\"protocolVersion must be an integer from 0 to 65535\""));
        turn_away(c);
    } else if (n == 0 || (n == 1 && !served->v1)) {
        refuse_version(c, req, n);
    } else {
        bool selected = select_version(c, n == 1 ? &acp_v1 : &acp_v2);
        if (!selected) {
            rpc_reply_error(req, RPC_INTERNAL_ERROR, STR("Internal error"), STR_ABSENT);
        }
        if (!selected || !c->version->initialize(c, req)) {
            turn_away(c);
        }
    }
}

/* ---- Messages ---- */

static void on_request(void *user, struct rpc_request *req)
{
    struct connection *c = user;
    str name = rpc_request_method(req);
    if (!c->version) {
        begin(c, req);
        return;
    }
    for (size_t i = 0; i < c->version->method_count; i++) {
        if (str_is(name, c->version->methods[i].name)) {
            c->version->methods[i].handle(c, req);
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
    struct connection *c = user;
    for (size_t i = 0; c->version && i < c->version->notification_count; i++) {
        if (str_is(method, c->version->notifications[i].name)) {
            c->version->notifications[i].handle(c, params);
            return;
        }
    }
    log_write(c->setup.log, LOG_DEBUG, "a notification is not known: %.*s",
              (int)(method.n < 100 ? method.n : 100), method.p);
}

static void on_closed(void *user)
{
    struct connection *c = user;
    c->setup.closed(c->setup.user);
}

static void on_congested(void *user, bool yes)
{
    struct connection *c = user;
    agent_set_congested(&c->agent, yes);
}

static const struct rpc_events rpc_events = {
    .message = on_message,
    .request = on_request,
    .notification = on_notification,
    .closed = on_closed,
    .congested = on_congested,
};

/* ---- What the versions share ---- */

void acp_cancel(struct connection *c, json params)
{
    struct session *s = agent_session(&c->agent, json_str(json_get(params, "sessionId")));
    if (s) {
        session_cancel(s);
    }
}

/* ---- Life ---- */

static void free_connection(struct connection *c)
{
    if (c->version) {
        c->version->close(c->state);
    }
    free(c);
}

struct connection *connection_new(const struct connection_setup *setup)
{
    struct connection *c = calloc(1, sizeof(*c));
    if (!c) {
        return NULL;
    }
    c->setup = *setup;
    c->agent = (struct agent){
        .host.loop = setup->loop,
        .host.log = setup->log,
        .host.dirs = setup->dirs,
        .reporter_dirs = setup->reporters,
        .host.surface_self = c,
        .host.env = setup->env,
        .host.executable = setup->dirs->executable,
        .host.hide_claude_auth = setup->hide_claude_auth,
    };
    c->rpc = rpc_endpoint_new(setup->loop, setup->log, setup->in, setup->out, &rpc_events, c);
    bool v1_only = !setup->served.v2; /* which asks for no `initialize` first */
    if (!c->rpc || (v1_only && !select_version(c, &acp_v1)) || !agent_init(&c->agent)) {
        rpc_endpoint_free(c->rpc);
        free_connection(c);
        return NULL;
    }
    if (!v1_only) {
        rpc_endpoint_allow_batches(c->rpc, true); /* `initialize` may come in one */
    }
    rpc_endpoint_start(c->rpc);
    return c;
}

void connection_close(struct connection *c)
{
    agent_close(&c->agent);
    c->closed = true;
    rpc_endpoint_free(c->rpc);
    c->rpc = NULL;
}
