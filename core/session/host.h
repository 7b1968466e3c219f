/* What a session uses of whoever owns it, the agent of a connection: the loop, the client, the surface and
 * what else all sessions share, and the few things that it asks for. */
#ifndef HERALD_SESSION_HOST_H
#define HERALD_SESSION_HOST_H

#include <uv.h>

#include "base/dirs.h"
#include "base/log.h"
#include "client/capabilities.h"
#include "history/writers.h"
#include "launch/launch_gate.h"
#include "reporter_host/reporter_host.h"
#include "surface/surface.h"
#include "turn/usage.h"
#include "json/json.h"

struct providers;
struct session;
struct session_host;

/* How long what says nothing is waited for, in ms. */
struct session_limits {
    unsigned restart;   /* a CLI that takes another's place: until it serves the session */
    unsigned change;    /* an option change that keeps a change of the provider waiting */
    unsigned elsewhere; /* another process of Herald that has the conversation which is to be opened */
};

struct session_host_calls {
    /* The session is known by its id from now on. False: memory is out. */
    bool (*enter)(struct session_host *h, struct session *s);
    /* It is so no more; it may never have been. */
    void (*leave)(struct session_host *h, struct session *s);
    /* Something is over that a change of the provider may wait for. Comes in the midst of the session's work:
     * to be looked at from the loop. */
    void (*idle)(struct session_host *h);
    /* A CLI told the account that it uses, at its start. */
    void (*account)(struct session_host *h, json account, str api_key_helper);
};

struct session_host {
    uv_loop_t *loop;
    const struct log *log;
    const struct standard_dirs *dirs;
    const struct surface *surface;
    void *surface_self;
    const char *const *env; /* of this process */
    const char *executable; /* ours, for the launcher; NULL when it is not known */
    bool hide_claude_auth;  /* --hide-claude-auth */

    const struct session_host_calls *calls;
    struct client_capabilities client;
    struct reporter_host *reporters; /* there from the first session on */
    struct usage_windows windows;
    struct providers *providers;
    struct launch_gate gate; /* closed while the provider changes */
    struct session_limits limits;
    struct writers writers;
    bool replaying; /* what is told at this moment is stored history */
    bool congested; /* the client is slow: no CLI is read */
    bool closing;   /* all sessions end */
};

#endif
