#include "session/agent.h"

#include <stdlib.h>

#include "cli/locate.h"
#include "history/history.h"
#include "session/internal.h"
#include "session/routes.h"

bool agent_init(struct agent *a)
{
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
    providers_free(a->providers);
}

struct session *agent_session(struct agent *a, str id)
{
    return map_get(&a->sessions, id);
}

void agent_use_client(struct agent *a, int protocol_version, json capabilities)
{
    a->client.protocol_version = protocol_version;
    client_capabilities_read(&a->client, capabilities);
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

/* ---- Who is signed in ---- */

static void take_status(struct agent *a, struct auth_status *next, bool merge)
{
    if (!auth_status_update(&a->auth, next, merge)) {
        return;
    }
    AUTO_BUF(b);
    auth_put_status(&b, &a->auth);
    a->surface->auth_status(a->surface_self, buf_str(&b));
}

void agent_note_account(struct agent *a, json account, str api_key_helper)
{
    AUTO_AUTH_STATUS(next);
    if (!providers_active(a->providers) && auth_status_from_account(&next, account, api_key_helper)) {
        take_status(a, &next, false);
    }
}

void agent_note_gateway(struct agent *a, str base_url)
{
    AUTO_AUTH_STATUS(next);
    if (auth_status_from_gateway(&next, base_url)) {
        take_status(a, &next, false);
    }
}

static void take_probe(struct agent *a, struct json_doc *doc)
{
    AUTO_AUTH_STATUS(next);
    if (doc && auth_status_from_probe(&next, json_root(doc), STR_ABSENT)) {
        take_status(a, &next, true);
    }
}

static bool probe(struct agent *a, str cwd, auth_probe_cb *cb, void *user)
{
    AUTO_ARENA(mem);
    struct cli_location cli = cli_locate(&mem, str_of(a->executable), str_of(a->dirs->home));
    str folder = cwd.p ? arena_str(&mem, cwd) : str_of(a->dirs->cwd ? a->dirs->cwd : "/");
    if (!cli.path.p || !folder.p) {
        return false;
    }
    struct cli_spawn spawn = {.executable = cli.path.p,
                              .env = a->env,
                              .cwd = folder.p,
                              .launcher = a->executable};
    if (!auth_probe_run(a->probe, &spawn, cb, user)) {
        log_write(a->log, LOG_DEBUG, "the sign-in state could not be asked");
        return false;
    }
    return true;
}

static void probed(void *user, struct json_doc *doc)
{
    struct agent *a = user;
    if (!a->closing && !providers_gateway(a->providers)) {
        take_probe(a, doc);
    }
}

void agent_probe_auth(struct agent *a, str cwd)
{
    if (!providers_gateway(a->providers) && !auth_probe_running(a->probe)) {
        (void)probe(a, cwd, probed, a);
    }
}

struct forgetting {
    struct agent *agent;
    void (*done)(void *user);
    void *user;
};

static void looked_again(void *user, struct json_doc *doc)
{
    struct forgetting *f = user;
    struct agent *a = f->agent;
    AUTO_AUTH_STATUS(nobody);
    if (doc) {
        take_probe(a, doc);
    } else if (!a->closing && auth_status_not_logged_in(&nobody)) {
        take_status(a, &nobody, false);
    }
    f->done(f->user);
    free(f);
}

void agent_forget_account(struct agent *a, void (*done)(void *user), void *user)
{
    struct forgetting *f = malloc(sizeof(*f));
    if (!f) {
        done(user);
        return;
    }
    *f = (struct forgetting){a, done, user};
    auth_probe_cancel(a->probe); /* what it would say is from before */
    if (!probe(a, STR_ABSENT, looked_again, f)) {
        looked_again(f, NULL);
    }
}
