#include "acp_v1/internal.h"

#include "client/air_meta.h"
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

static void put_air(struct buf *b)
{
    static const char *const abilities[] = {"sessionFailure",
                                            "agentFileChangeReport",
                                            "nativeSubagentSessions",
                                            "asyncTasks",
                                            "recommendedValue",
                                            "diffPatch",
                                            "planFile"};
    air_meta_open(b);
    json_key(b, "capabilities");
    json_open_array(b);
    for (size_t i = 0; i < ARRAY_LEN(abilities); i++) {
        json_put_c(b, abilities[i]);
    }
    json_close_array(b);
    json_member_raw(
        b, "goal",
        STR("{\"version\":1,\"controlMethod\":\"_session/goal\",\"actions\":[\"set\",\"clear\"]}"));
    air_meta_close(b);
}

void acp_v1_put_initialize(struct buf *b, struct acp_v1 *v)
{
    const struct acp_v1_setup *setup = &v->setup;
    json_open_object(b);
    json_member_int(b, "protocolVersion", 1);
    put_capabilities(b);
    json_key(b, "agentInfo");
    json_open_object(b);
    json_member_c(b, "name", "herald");
    json_member_c(b, "title", "Herald");
    json_member_c(b, "version", HERALD_VERSION);
    json_close_object(b);
    json_key(b, "authMethods");
    auth_put_methods(b, &(struct auth_options){
                            .client = &v->agent.client,
                            .remote = auth_environment_is_remote((char *const *)(uintptr_t)setup->env),
                            .hide_claude = setup->hide_claude_auth,
                            .command = str_of(setup->dirs->executable ? setup->dirs->executable : "herald"),
                            .args = setup->args,
                            .n_args = setup->n_args,
                        });
    json_key(b, "_meta");
    json_open_object(b);
    if (v->agent.client.air) {
        put_air(b);
    }
    json_member_raw(b, "steering", STR("{\"supported\":true}"));
    json_close_object(b);
    json_close_object(b);
}
