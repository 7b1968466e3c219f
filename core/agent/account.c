/* Who is signed in: what the client is told of it, and how the CLI is asked. */
#include <stdlib.h>

#include "agent/agent.h"
#include "cli/locate.h"
#include "provider/environment.h"
#include "provider/providers.h"
#include "settings/settings.h"

/* ---- The status ---- */

/* A client that cannot use a status is not told: it would show the notification as an error. What it was not
 * told is not kept either, so that it is told when it declares so later. */
static void take_status(struct agent *a, struct auth_status *next, bool merge)
{
    if (!client_takes_auth_status(&a->host.client) || !auth_status_update(&a->auth, next, merge)) {
        return;
    }
    AUTO_BUF(b);
    auth_put_status(&b, &a->auth);
    a->host.surface->auth_status(a->host.surface_self, buf_str(&b));
}

void agent_note_account(struct agent *a, json account, str api_key_helper)
{
    AUTO_AUTH_STATUS(next);
    if (!providers_active(a->host.providers) && auth_status_from_account(&next, account, api_key_helper)) {
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
    struct probe_context c = {.cwd = str_of(a->host.dirs->cwd ? a->host.dirs->cwd : "/")};
    if (s) {
        json env = session_environment(s);
        c.cwd = session_cwd(s);
        c.helper = session_api_key_helper(s);
        c.env = json_is(env, JSON_OBJECT) ? env : JSON_NONE;
    } else {
        struct settings *settings =
            settings_load(&(struct settings_place){.config_dir = str_of(a->host.dirs->claude_config),
                                                   .home = str_of(a->host.dirs->home),
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
    struct cli_location cli = cli_locate(&mem, str_of(a->host.executable), str_of(a->host.dirs->home));
    for (struct json_iter it = json_each(c->env); json_present(c->env) && json_next(&it);) {
        if (!json_iter_shadowed(&it)) {
            env_set(&changes, json_iter_key(&it), json_str(it.value));
        }
    }
    struct cli_spawn spawn = {.executable = cli.path.p,
                              .env = env_build(&changes, a->host.env),
                              .cwd = arena_str(&mem, c->cwd).p,
                              .launcher = a->host.executable};
    env_changes_free(&changes);
    if (!cli.path.p || !spawn.env || !spawn.cwd || !auth_probe_run(a->probe, &spawn, cb, user)) {
        log_write(a->host.log, LOG_DEBUG, "the sign-in state could not be asked%s%.*s",
                  cli.problem.p ? ": " : "", STR_ARG(cli.problem));
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
    while (a->host.hide_claude_auth && map_next(&a->sessions, &at, NULL, &s)) {
        session_account_probed(s, next.kind);
    }
    take_status(a, &next, true);
}

static void probed(void *user, struct json_doc *doc)
{
    struct agent *a = user;
    if (!a->host.closing && !providers_gateway(a->host.providers)) {
        take_probe(a, doc);
    }
}

void agent_probe_auth(struct agent *a, const struct session *s)
{
    bool of_use = client_takes_auth_status(&a->host.client) || a->host.hide_claude_auth;
    if (!of_use || providers_gateway(a->host.providers) || a->forgetting) {
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
    } else if (!a->host.closing && auth_status_not_logged_in(&nobody)) {
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
