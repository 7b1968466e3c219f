#include "acp/request.h"
#include "acp_v2/internal.h"

/* What this agent can do, but for AIR's extensions. */
#define CAPABILITIES                                                                                         \
    "\"session\":{\"prompt\":{\"image\":{},\"embeddedContext\":{}},\"mcp\":{\"stdio\":{},\"http\":{}},"      \
    "\"delete\":{},\"fork\":{},\"additionalDirectories\":{}},\"providers\":{},"                              \
    "\"_meta\":{\"claudeCode\":{\"promptQueueing\":true},\"authStatus\":{}}"

static void put_answer(struct connection *c, struct buf *b)
{
    json_open_object(b);
    json_member_int(b, "protocolVersion", 2);
    json_key(b, "info");
    acp_put_info(b);
    json_member_raw(b, "capabilities", STR("{" CAPABILITIES "}"));
    json_key(b, "authMethods");
    acp_put_auth_methods(c, b);
    if (c->agent.host.client.air) {
        json_key(b, "_meta");
        json_open_object(b);
        acp_put_air(b, false);
        json_close_object(b);
    }
    json_close_object(b);
}

struct initialize_params {
    json info, capabilities;
};

static const char *check_info(json v)
{
    return json_is(json_get(v, "name"), JSON_STRING) && json_is(json_get(v, "version"), JSON_STRING)
               ? NULL
               : "expected an object with a name and a version";
}

bool acp_v2_initialize(struct connection *c, struct rpc_request *req)
{
    static const struct json_field rows[] = {
        CHECKED(initialize_params, "info", info, FIELD_REQUIRED, check_info),
        ROW(initialize_params, "capabilities", capabilities, FIELD_OBJECT, FIELD_LENIENT),
    };
    struct initialize_params p = {0};
    if (!READ(req, rows, &p)) {
        return false;
    }
    agent_use_client(&c->agent, 2, 2, p.capabilities);
    AUTO_BUF(b);
    put_answer(c, &b);
    acp_reply_initialize(c, req, &b);
    return true;
}
