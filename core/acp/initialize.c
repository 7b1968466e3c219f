/* What the answers to `initialize` have in common. */
#include "acp/version.h"
#include "client/air_meta.h"

void acp_put_info(struct buf *b)
{
    json_open_object(b);
    json_member_c(b, "name", "herald");
    json_member_c(b, "title", "Herald");
    json_member_c(b, "version", HERALD_VERSION);
    json_close_object(b);
}

/* Goals, async tasks and AIR's own form of subagent sessions have no place in v2. */
static const struct {
    const char *name;
    bool v1_only;
} air_abilities[] = {
    {"sessionFailure", false}, {"agentFileChangeReport", false}, {"nativeSubagentSessions", true},
    {"asyncTasks", true},      {"recommendedValue", false},      {"diffPatch", false},
    {"planFile", false},
};

void acp_put_air(struct buf *b, bool v1)
{
    air_meta_open(b);
    json_key(b, "capabilities");
    json_open_array(b);
    for (size_t i = 0; i < ARRAY_LEN(air_abilities); i++) {
        if (v1 || !air_abilities[i].v1_only) {
            json_put_c(b, air_abilities[i].name);
        }
    }
    json_close_array(b);
    if (v1) {
        json_member_raw(
            b, "goal",
            STR("{\"version\":1,\"controlMethod\":\"_session/goal\",\"actions\":[\"set\",\"clear\"]}"));
    }
    air_meta_close(b);
}

void acp_put_auth_methods(struct connection *c, struct buf *b)
{
    const struct connection_setup *setup = &c->setup;
    auth_put_methods(b, &(struct auth_options){
                            .client = &c->agent.host.client,
                            .remote = auth_environment_is_remote((char *const *)(uintptr_t)setup->env),
                            .hide_claude = setup->hide_claude_auth,
                            .command = str_of(setup->dirs->executable ? setup->dirs->executable : "herald"),
                            .args = setup->args,
                            .n_args = setup->n_args,
                        });
}

void acp_reply_initialize(struct connection *c, struct rpc_request *req, const struct buf *result)
{
    rpc_reply_built(req, result);
    rpc_flush(c->rpc); /* the client waits for this, not for the process that starts now */
    agent_probe_auth(&c->agent, NULL);
}
