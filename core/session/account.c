/* Who is signed in: what the client is told of it, and what --hide-claude-auth makes of it. */
#include <stdlib.h>

#include "agent/provider_switch.h"
#include "cli/locate.h"
#include "session/internal.h"

/* ---- The status ---- */

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
    auth_probe_cancel(a->probe); /* what it would say is from before */
    if (auth_status_from_gateway(&next, base_url)) {
        take_status(a, &next, false);
    }
}

/* ---- Probes ---- */

/* What a probe depends on. */
struct probe_context {
    struct arena mem;
    str cwd, helper;
    json env; /* of the session's options */
};

static struct probe_context context_of(const struct agent *a, const struct session *s)
{
    struct probe_context c = {.cwd = str_of(a->dirs->cwd ? a->dirs->cwd : "/")};
    if (s) {
        json env = json_get(session_params_options(&s->params), "env");
        c.cwd = str_of(s->cwd);
        c.helper = s->settings ? settings_api_key_helper(s->settings) : STR_ABSENT;
        c.env = json_is(env, JSON_OBJECT) ? env : JSON_NONE;
    } else {
        struct settings *settings =
            settings_load(&(struct settings_place){.config_dir = str_of(a->dirs->claude_config),
                                                   .home = str_of(a->dirs->home),
                                                   .cwd = c.cwd});
        c.helper = settings ? arena_str(&c.mem, settings_api_key_helper(settings)) : STR_ABSENT;
        settings_free(settings);
    }
    return c;
}

static bool start_probe(struct agent *a, const struct probe_context *c, auth_probe_cb *cb, void *user)
{
    AUTO_ARENA(mem);
    struct env_changes changes = {.a = &mem};
    struct cli_location cli = cli_locate(&mem, str_of(a->executable), str_of(a->dirs->home));
    for (struct json_iter it = json_each(c->env); json_present(c->env) && json_next(&it);) {
        if (!json_iter_shadowed(&it)) {
            env_set(&changes, json_iter_key(&it), json_str(it.value));
        }
    }
    struct cli_spawn spawn = {.executable = cli.path.p,
                              .env = env_build(&changes, a->env),
                              .cwd = arena_str(&mem, c->cwd).p,
                              .launcher = a->executable};
    env_changes_free(&changes);
    if (!cli.path.p || !spawn.env || !spawn.cwd || !auth_probe_run(a->probe, &spawn, cb, user)) {
        log_write(a->log, LOG_DEBUG, "the sign-in state could not be asked");
        return false;
    }
    buf_clear(&a->probe_helper);
    buf_put_str(&a->probe_helper, c->helper);
    return true;
}

static void take_probe(struct agent *a, struct json_doc *doc)
{
    AUTO_AUTH_STATUS(next);
    if (!doc || !auth_status_from_probe(&next, json_root(doc), buf_str(&a->probe_helper))) {
        return;
    }
    size_t at = 0;
    void *s;
    while (a->hide_claude_auth && map_next(&a->sessions, &at, NULL, &s)) {
        session_account_probed(s, next.kind);
    }
    take_status(a, &next, true);
}

static void probed(void *user, struct json_doc *doc)
{
    struct agent *a = user;
    if (!a->closing && !providers_gateway(a->providers)) {
        take_probe(a, doc);
    }
}

void agent_probe_auth(struct agent *a, const struct session *s)
{
    if (providers_gateway(a->providers) || a->forgetting) {
        return;
    }
    struct probe_context c = context_of(a, s);
    AUTO_BUF(key);
    buf_put_str(&key, c.cwd);
    buf_put_byte(&key, '\0');
    buf_put_str(&key, c.helper);
    buf_put_byte(&key, '\0');
    buf_put_str(&key, json_raw(c.env));
    bool same = str_eq(buf_str(&key), buf_str(&a->probe_key));
    if (!auth_probe_running(a->probe) || !same) {
        auth_probe_cancel(a->probe);
        buf_clear(&a->probe_key);
        buf_put_str(&a->probe_key, buf_str(&key));
        (void)start_probe(a, &c, probed, a);
    }
    arena_free(&c.mem);
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
    a->forgetting = false;
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
    a->forgetting = true;
    struct probe_context c = context_of(a, NULL);
    if (!start_probe(a, &c, looked_again, f)) {
        looked_again(f, NULL);
    }
    arena_free(&c.mem);
}

/* ---- --hide-claude-auth ---- */

static json account_of(const struct session *s)
{
    return json_get(json_root(s->initialized), "account");
}

bool session_refused_account(struct session *s, struct session_error *error)
{
    struct agent *a = s->agent;
    json account = account_of(s);
    enum auth_guard guard =
        a->hide_claude_auth && !providers_active(a->providers) ? auth_guard(account) : AUTH_GUARD_ALLOW;
    if (guard == AUTH_GUARD_NO_ACCOUNT && !s->warned_account) {
        s->warned_account = true;
        log_write(a->log, LOG_WARN, "the CLI does not say which account it uses");
    }
    *error = (struct session_error){.code = -32000};
    if (guard == AUTH_GUARD_SUBSCRIPTION) {
        error->data = STR("{\"reason\":\"claude_subscription_not_supported\"}");
    }
    return guard == AUTH_GUARD_SUBSCRIPTION || guard == AUTH_GUARD_NO_CREDENTIAL;
}

void session_account_probed(struct session *s, enum auth_kind kind)
{
    AUTO_AUTH_STATUS(begun);
    if (s->state != SESSION_OPEN || providers_active(s->agent->providers)) {
        return;
    }
    bool known = auth_status_from_account(&begun, account_of(s), settings_api_key_helper(s->settings));
    s->renew = (known ? begun.kind : AUTH_NONE) != kind;
}

static void renewed(struct session *s, str why)
{
    (void)s; /* whoever waits for it was told */
    (void)why;
}

void session_renew_account(struct session *s)
{
    if (s->renew && s->agent->hide_claude_auth && !turns_busy(&s->turns) &&
        !routes_pending(s->agent->routes) &&
        session_restart(s, &(struct restart_request){.tell = true, .mode = MODE_NONE}, renewed)) {
        s->renew = false;
    }
}
