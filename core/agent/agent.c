#include "agent/agent.h"

#include <stdlib.h>

#include "agent/provider_switch.h"
#include "agent/stored_sessions.h"
#include "session/internal.h"

static const struct agent_limits limits = {.logout = 30000, .restart = 60000, .change = 30000};

bool agent_init(struct agent *a)
{
    a->limits = limits;
    a->client = (struct client_capabilities){.protocol_version = 1};
    a->sessions = MAP_INIT;
    a->windows = USAGE_WINDOWS_INIT;
    a->auth = AUTH_STATUS_INIT;
    a->providers = providers_new();
    a->routes = routes_new(a);
    a->probe = auth_probe_new(a->loop, a->log);
    a->history = history_new(a);
    return a->providers && a->routes && a->probe && a->history;
}

void agent_close(struct agent *a)
{
    a->closing = true;
    auth_probe_free(a->probe);
    a->probe = NULL;
    agent_drop_sign_out(a);
    size_t at = 0;
    void *s;
    while (map_next(&a->sessions, &at, NULL, &s)) {
        session_close(s, NULL, NULL);
    }
    routes_close(a->routes);
}

void agent_free(struct agent *a)
{
    history_free(a->history);
    map_free(&a->sessions, NULL);
    reporter_host_free(a->reporters);
    usage_windows_clear(&a->windows);
    auth_status_free(&a->auth);
    routes_free(a->routes);
    buf_free(&a->probe_key);
    buf_free(&a->probe_helper);
    providers_free(a->providers);
}

struct session *agent_session(struct agent *a, str id)
{
    return map_get(&a->sessions, id);
}

void agent_use_client(struct agent *a, int spoken, int form, json capabilities)
{
    client_capabilities_read(&a->client, spoken, form, capabilities);
    size_t at = 0;
    void *s;
    while (map_next(&a->sessions, &at, NULL, &s)) {
        session_use_client(s);
    }
}

void agent_set_congested(struct agent *a, bool congested)
{
    a->congested = congested;
    size_t at = 0;
    void *s;
    while (map_next(&a->sessions, &at, NULL, &s)) {
        session_pause(s, congested);
    }
}
