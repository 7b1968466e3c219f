/* What the sessions of one connection share: the client's capabilities, the surface, the reporters, the
 * account.
 *
 * There is one agent for each connection. It knows the sessions by their ids and starts and ends them; the
 * protocol surface calls it, and gets told through the surface table. */
#ifndef HERALD_AGENT_AGENT_H
#define HERALD_AGENT_AGENT_H

#include "cli/auth_probe.h"
#include "provider/auth.h"
#include "session/host.h"
#include "session/session.h"

struct stored_sessions;
struct logout;
struct provider_switch;

struct agent {
    struct session_host host;           /* what the sessions use of it; the reporters come with the first */
    struct reporter_dirs reporter_dirs; /* initialize needs no reporter */
    struct map sessions;                /* id → struct session */
    struct provider_switch *provider_switch; /* changes of the provider */
    struct logout *logout;                   /* the one under way, or NULL */
    unsigned logout_limit;                   /* how long `claude auth logout` is waited for, in ms */

    struct auth_status auth;
    struct auth_probe *probe;
    struct buf probe_key;            /* what the last probe depended on */
    struct buf probe_helper;         /* the API key helper that counted for it */
    bool forgetting;                 /* after a logout: the probe that runs is the one that counts */
    struct stored_sessions *history; /* the stored sessions */
};

/* The caller filled in the host down to hide_claude_auth, and reporter_dirs. False: memory is out. */
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
/* The session that runs this task, which it announced in the session `id`: its own, or one of a subagent. */
struct session *agent_session_of_task(struct agent *a, str id, str task);
/* The client takes output too slowly, or again. */
void agent_set_congested(struct agent *a, bool congested);

#endif
