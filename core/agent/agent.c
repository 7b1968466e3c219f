#include "agent/agent.h"

#include <stdlib.h>

#include "agent/provider_switch.h"
#include "agent/stored_sessions.h"
#include "provider/providers.h"

/* ---- What sessions ask for ---- */

static bool enter(struct session_host *h, struct session *s)
{
    struct agent *a = CONTAINER_OF(h, struct agent, host);
    if (!h->reporters) {
        h->reporters = reporter_host_new(&a->reporter_dirs, h->log);
    }
    return h->reporters && map_put(&a->sessions, session_id(s), s, NULL);
}

static void leave(struct session_host *h, struct session *s)
{
    struct agent *a = CONTAINER_OF(h, struct agent, host);
    if (map_get(&a->sessions, session_id(s)) == s) {
        map_remove(&a->sessions, session_id(s));
    }
    stored_sessions_wake(a->history, s); /* a replay of it ends */
}

static void idle(struct session_host *h)
{
    provider_switch_look_again(CONTAINER_OF(h, struct agent, host)->provider_switch);
}

static void account(struct session_host *h, json account, str api_key_helper)
{
    agent_note_account(CONTAINER_OF(h, struct agent, host), account, api_key_helper);
}

static const struct session_host_calls calls = {
    .enter = enter,
    .leave = leave,
    .idle = idle,
    .account = account,
};

/* ---- Life ---- */

bool agent_init(struct agent *a)
{
    enum { LOGOUT_MS = 30000, RESTART_MS = 60000, CHANGE_MS = 30000, ELSEWHERE_MS = 10000 };
    struct session_host *h = &a->host;
    h->calls = &calls;
    h->client = (struct client_capabilities){.protocol_version = 1};
    h->windows = USAGE_WINDOWS_INIT;
    h->providers = providers_new();
    h->limits =
        (struct session_limits){.restart = RESTART_MS, .change = CHANGE_MS, .elsewhere = ELSEWHERE_MS};
    launch_gate_init(&h->gate);
    writers_init(&h->writers, h->log, h->dirs->state);
    a->sessions = MAP_INIT;
    a->logout_limit = LOGOUT_MS;
    a->auth = AUTH_STATUS_INIT;
    a->provider_switch = provider_switch_new(a);
    a->probe = auth_probe_new(h->loop, h->log);
    a->history = stored_sessions_new(a);
    return h->providers && a->provider_switch && a->probe && a->history;
}

void agent_close(struct agent *a)
{
    a->host.closing = true;
    stored_sessions_close(a->history);
    auth_probe_free(a->probe);
    a->probe = NULL;
    agent_drop_sign_out(a);
    size_t at = 0;
    void *s;
    while (map_next(&a->sessions, &at, NULL, &s)) {
        session_close(s, NULL, NULL);
    }
    provider_switch_close(a->provider_switch);
}

void agent_free(struct agent *a)
{
    stored_sessions_free(a->history);
    map_free(&a->sessions, NULL);
    writers_free(&a->host.writers);
    reporter_host_free(a->host.reporters);
    usage_windows_clear(&a->host.windows);
    auth_status_free(&a->auth);
    provider_switch_free(a->provider_switch);
    buf_free(&a->probe_key);
    buf_free(&a->probe_helper);
    providers_free(a->host.providers);
}

struct session *agent_session(struct agent *a, str id)
{
    return map_get(&a->sessions, id);
}

struct session *agent_session_of_task(struct agent *a, str id, str task)
{
    struct session *own = agent_session(a, id);
    size_t at = 0;
    void *s;
    while (!own && map_next(&a->sessions, &at, NULL, &s)) {
        own = str_eq(session_of_task(s, task), id) ? s : NULL;
    }
    return own;
}

void agent_use_client(struct agent *a, int spoken, int form, json capabilities)
{
    client_capabilities_read(&a->host.client, spoken, form, capabilities);
    size_t at = 0;
    void *s;
    while (map_next(&a->sessions, &at, NULL, &s)) {
        session_use_client(s);
    }
}

void agent_set_congested(struct agent *a, bool congested)
{
    a->host.congested = congested;
    size_t at = 0;
    void *s;
    while (map_next(&a->sessions, &at, NULL, &s)) {
        session_pause(s, congested);
    }
    if (!congested) {
        stored_sessions_wake(a->history, NULL);
    }
}
