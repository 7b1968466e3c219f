/* The methods about accounts: authenticate, logout, providers. */
#include "acp/request.h"
#include "acp/version.h"
#include "agent/provider_switch.h"
#include "json/fields.h"

static void reply_refused(struct rpc_request *req, struct provider_error *e)
{
    if (e->message) {
        rpc_reply_error(req, RPC_INVALID_PARAMS, str_of(e->message),
                        e->data.n ? buf_str(&e->data) : STR_ABSENT);
    } else {
        reply_details(req, "out of memory");
    }
    provider_error_free(e);
}

struct method_params {
    str method_id;
    json meta;
};

void acp_authenticate(struct connection *c, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(method_params, "methodId", method_id, FIELD_STRING, FIELD_REQUIRED),
        ROW(method_params, "_meta", meta, FIELD_OBJECT, FIELD_LENIENT | FIELD_NULLABLE),
    };
    struct method_params p = {0};
    enum provider_api api;
    struct provider_error e = {0};
    if (!READ(req, rows, &p)) {
        return;
    }
    if (!provider_gateway_method(p.method_id, &api)) {
        reply_details(req, "Method not implemented.");
    } else if (!providers_authenticate(c->agent.host.providers, api, p.meta, &e)) {
        reply_refused(req, &e);
    } else {
        agent_note_gateway(&c->agent, json_str(json_path(p.meta, "gateway", "baseUrl", NULL)));
        reply_empty(req);
    }
}

void acp_logout(struct connection *c, struct rpc_request *req)
{
    provider_switch_logout(c->agent.provider_switch, reply_done, req);
}

void acp_providers_list(struct connection *c, struct rpc_request *req)
{
    if (!READ_OBJECT(req)) {
        return;
    }
    AUTO_BUF(b);
    providers_put_list(c->agent.host.providers, &b, c->agent.host.env);
    rpc_reply_built(req, &b);
}

void acp_providers_set(struct connection *c, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(provider_params, "providerId", provider_id, FIELD_STRING, FIELD_REQUIRED),
        ROW(provider_params, "apiType", api_type, FIELD_STRING, FIELD_REQUIRED),
        ROW(provider_params, "baseUrl", base_url, FIELD_STRING, FIELD_REQUIRED),
        ROW(provider_params, "headers", headers, FIELD_OBJECT, FIELD_NULLABLE),
        ROW(provider_params, "_meta", meta, FIELD_OBJECT, FIELD_LENIENT),
    };
    struct provider_params p = {0};
    struct provider_error e = {0};
    if (!READ(req, rows, &p)) {
        return;
    }
    struct provider_route *route = provider_route_check(&p, &e);
    if (route) {
        provider_switch_set(c->agent.provider_switch, route, reply_done, req);
    } else {
        reply_refused(req, &e);
    }
}

struct provider_id_params {
    str provider_id;
};

void acp_providers_disable(struct connection *c, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        ROW(provider_id_params, "providerId", provider_id, FIELD_STRING, FIELD_REQUIRED),
    };
    struct provider_id_params p = {0};
    if (!READ(req, rows, &p)) {
        return;
    }
    if (provider_id_known(p.provider_id)) {
        provider_switch_set(c->agent.provider_switch, NULL, reply_done, req);
    } else {
        reply_empty(req);
    }
}
