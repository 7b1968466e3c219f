#include "acp/request.h"
#include "acp_v1/internal.h"

static void put_empty(struct buf *b, const char *key)
{
    json_key(b, key);
    json_open_object(b);
    json_close_object(b);
}

static void put_capabilities(struct buf *b)
{
    static const char *const session_abilities[] =
        {"additionalDirectories", "close", "delete", "fork", "list", "resume", "subagents"};
    json_key(b, "agentCapabilities");
    json_open_object(b);
    json_key(b, "_meta");
    json_open_object(b);
    json_member_raw(b, "claudeCode", STR("{\"promptQueueing\":true}"));
    put_empty(b, "authStatus");
    json_close_object(b);
    json_member_raw(b, "promptCapabilities", STR("{\"image\":true,\"embeddedContext\":true}"));
    json_member_raw(b, "mcpCapabilities", STR("{\"http\":true,\"sse\":true}"));
    json_member_raw(b, "auth", STR("{\"logout\":{}}"));
    put_empty(b, "providers");
    json_member_bool(b, "loadSession", true);
    json_key(b, "sessionCapabilities");
    json_open_object(b);
    for (size_t i = 0; i < ARRAY_LEN(session_abilities); i++) {
        put_empty(b, session_abilities[i]);
    }
    json_close_object(b);
    json_close_object(b);
}

static void put_answer(struct connection *c, struct buf *b)
{
    json_open_object(b);
    json_member_int(b, "protocolVersion", 1);
    put_capabilities(b);
    json_key(b, "agentInfo");
    acp_put_info(b);
    json_key(b, "authMethods");
    acp_put_auth_methods(c, b);
    json_key(b, "_meta");
    json_open_object(b);
    if (c->agent.host.client.air) {
        acp_put_air(b, true);
    }
    json_member_raw(b, "steering", STR("{\"supported\":true}"));
    json_close_object(b);
    json_close_object(b);
}

struct initialize_params {
    json version, capabilities, v2_capabilities;
};

static const char *check_version(json v)
{
    int64_t n;
    return json_int(v, &n) && n >= 0 && n <= 65535 ? NULL : "expected an integer from 0 to 65535";
}

bool acp_v1_initialize(struct connection *c, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        CHECKED(initialize_params, "protocolVersion", version, FIELD_REQUIRED, check_version),
        ROW(initialize_params, "clientCapabilities", capabilities, FIELD_OBJECT, FIELD_LENIENT),
        ROW(initialize_params, "capabilities", v2_capabilities, FIELD_OBJECT, FIELD_LENIENT),
    };
    struct initialize_params p = {0};
    if (!READ(req, rows, &p)) {
        return false;
    }
    bool v2_form = !json_present(p.capabilities) && json_present(p.v2_capabilities) &&
                   json_int_or(p.version, 1) >= 2; /* a client that is spoken to in its older version */
    agent_use_client(&c->agent, 1, v2_form ? 2 : 1, v2_form ? p.v2_capabilities : p.capabilities);
    AUTO_BUF(b);
    put_answer(c, &b);
    acp_reply_initialize(c, req, &b);
    return true;
}
