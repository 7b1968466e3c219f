/* What the sessions of one connection share: the client's capabilities, the surface, the reporters, the
 * account.
 *
 * There is one agent for each connection. It knows the sessions by their ids and starts and ends them; the
 * protocol surface calls it, and gets told through the surface table. */
#ifndef HERALD_SESSION_AGENT_H
#define HERALD_SESSION_AGENT_H

#include <uv.h>

#include "base/dirs.h"
#include "base/log.h"
#include "cli/auth_probe.h"
#include "client/capabilities.h"
#include "provider/auth.h"
#include "reporter_host/reporter_host.h"
#include "session/session.h"
#include "surface/surface.h"
#include "turn/usage.h"

struct history;
struct logout;
struct routes;

/* How long a CLI that says nothing is waited for, in ms; agent_init() sets them. */
struct agent_limits {
    unsigned logout;  /* `claude auth logout` */
    unsigned restart; /* a CLI that takes another's place: until it serves the session */
    unsigned change;  /* an option change that keeps a change of the route waiting */
};

struct agent {
    uv_loop_t *loop;
    const struct log *log;
    const struct standard_dirs *dirs;
    struct reporter_dirs reporter_dirs;
    struct reporter_host *reporters; /* made with the first session: initialize needs none */
    const struct surface *surface;
    void *surface_self;
    const char *const *env; /* of this process */
    const char *executable; /* ours, for the launcher; NULL when it is not known */
    bool hide_claude_auth;  /* --hide-claude-auth */

    struct client_capabilities client;
    struct map sessions; /* id → struct session */
    struct usage_windows windows;
    struct providers *providers;
    struct routes *routes; /* changes of them */
    struct logout *logout; /* the one under way, or NULL */
    struct agent_limits limits;

    struct auth_status auth;
    struct auth_probe *probe;
    struct buf probe_key;    /* what the last probe depended on */
    struct buf probe_helper; /* the API key helper that counted for it */
    bool forgetting;         /* after a logout: the probe that runs is the one that counts */
    struct history *history; /* the stored sessions */
    bool replaying;          /* what is told at this moment is stored history */
    bool congested;
    bool closing;
};

/* `a` was filled in down to hide_claude_auth by the caller. False: memory is out. */
bool agent_init(struct agent *a) WARN_UNUSED;
/* Ends every session without waiting for its CLI: each gets SIGTERM, and SIGKILL if it does not go. */
void agent_close(struct agent *a);
/* After the loop has ended. */
void agent_free(struct agent *a);

/* initialize: takes over what the client declared, for open sessions too; see client_capabilities_read(). */
void agent_use_client(struct agent *a, int spoken, int form, json capabilities);
/* Asks the CLI in the background who is signed in, for a session or (NULL) for none, unless it is being asked
 * the same. */
void agent_probe_auth(struct agent *a, const struct session *s);
/* The account that a CLI told at its start. */
void agent_note_account(struct agent *a, json account, str api_key_helper);

/* The client authenticated with a gateway; `base_url` is absent when it gave none. */
void agent_note_gateway(struct agent *a, str base_url);

/* Runs `claude auth logout` (logout.c), one at a time. `done` may come at once. */
void agent_sign_out(struct agent *a, session_done_cb *done, void *user);
/* Ends the one that runs, if any; its `done` does not come. */
void agent_drop_sign_out(struct agent *a);
/* What was known counts no more: a fresh probe says who is signed in, and when it says nothing, nobody is.
 * `done` comes after the client was told. */
void agent_forget_account(struct agent *a, void (*done)(void *user), void *user);

struct session *agent_session(struct agent *a, str id);
/* The client takes output too slowly, or again. */
void agent_set_congested(struct agent *a, bool congested);

#endif
