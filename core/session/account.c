/* The account of the CLI, and what --hide-claude-auth makes of it. */
#include "session/internal.h"

json session_environment(const struct session *s)
{
    return json_get(session_params_options(&s->setup.params), "env");
}

str session_api_key_helper(const struct session *s)
{
    return s->configured.settings ? settings_api_key_helper(s->configured.settings) : STR_ABSENT;
}

static json account_of(const struct session *s)
{
    return json_get(json_root(s->process.initialized), "account");
}

bool session_refused_account(struct session *s, struct session_error *error)
{
    struct session_host *a = s->host;
    json account = account_of(s);
    enum auth_guard guard =
        a->hide_claude_auth && !providers_active(a->providers) ? auth_guard(account) : AUTH_GUARD_ALLOW;
    if (guard == AUTH_GUARD_NO_ACCOUNT && !s->account.warned) {
        s->account.warned = true;
        log_write(a->log, LOG_WARN, "the CLI does not say which account it uses");
    }
    *error = (struct session_error){.code = RPC_AUTH_REQUIRED};
    if (guard == AUTH_GUARD_SUBSCRIPTION) {
        error->data = STR("{\"reason\":\"claude_subscription_not_supported\"}");
    }
    return guard == AUTH_GUARD_SUBSCRIPTION || guard == AUTH_GUARD_NO_CREDENTIAL;
}

void session_account_probed(struct session *s, enum auth_kind kind)
{
    AUTO_AUTH_STATUS(begun);
    if (s->state != SESSION_OPEN || providers_active(s->host->providers)) {
        return;
    }
    bool known =
        auth_status_from_account(&begun, account_of(s), settings_api_key_helper(s->configured.settings));
    s->account.renew = (known ? begun.kind : AUTH_NONE) != kind;
}

static void renewed(struct session *s, str why)
{
    (void)s; /* whoever waits for it was told */
    (void)why;
}

void session_renew_account(struct session *s)
{
    if (s->account.renew && s->host->hide_claude_auth && !turns_busy(&s->turns) && !s->host->gate.closed &&
        session_restart(s, &(struct restart_request){.tell = true, .mode = MODE_NONE}, renewed)) {
        s->account.renew = false;
    }
}
