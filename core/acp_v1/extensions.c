/* The methods of the extensions. Their parameters are refused without data. */
#include "acp/request.h"
#include "acp_v1/internal.h"
#include "base/js_space.h"

static void refuse(struct rpc_request *req, const char *why)
{
    AUTO_BUF(message);
    buf_put_c(&message, "Invalid params: ");
    buf_put_c(&message, why);
    rpc_reply_error(req, RPC_INVALID_PARAMS, buf_str(&message), STR_ABSENT);
}

void acp_v1_session_goal(struct connection *c, struct rpc_request *req)
{
    json params = rpc_request_params(req);
    str id = json_text(json_get(params, "sessionId")), action = json_str(json_get(params, "action"));
    str objective = space_trim(json_str(json_get(params, "objective")));
    bool set = str_is(action, "set");
    if (!id.p) {
        refuse(req, "sessionId must be a string that is not empty");
    } else if (!set && !str_is(action, "clear")) {
        refuse(req, "action must be \"set\" or \"clear\"");
    } else if (set && !objective.n) {
        refuse(req, "objective must not be blank");
    } else {
        struct session *s = agent_session(&c->agent, id);
        if (s) {
            session_goal(s, set ? objective : STR_ABSENT, reply_done, req);
        } else {
            reply_no_session(req);
        }
    }
}

static void reply_stopped(void *user, const struct session_error *error, bool stopped)
{
    struct rpc_request *req = user;
    if (error) {
        reply_error(req, error);
    } else {
        rpc_reply(req, stopped ? STR("{\"stopped\":true}") : STR("{\"stopped\":false}"));
    }
}

void acp_v1_async_task_stop(struct connection *c, struct rpc_request *req)
{
    json params = rpc_request_params(req);
    str id = space_trim(json_str(json_get(params, "sessionId")));
    str task = space_trim(json_str(json_get(params, "asyncTaskId")));
    if (!id.n || !task.n) {
        refuse(req, "sessionId and asyncTaskId must not be blank");
        return;
    }
    struct session *s = agent_session_of_task(&c->agent, id, task);
    if (s) {
        session_stop_task(s, task, reply_stopped, req);
    } else {
        reply_stopped(req, NULL, false);
    }
}
