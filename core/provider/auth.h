/* Signing in: the methods a client is offered, and who is signed in.
 *
 * A status comes from `claude auth status --json` (a probe), from the account in the CLI's initialize
 * answer, or from a gateway that the client set. The agent keeps the last one that it sent; a new one is
 * merged with it, compared, and sent when it differs. An absent status (kind AUTH_UNKNOWN) says nothing
 * and is never sent. */
#ifndef HERALD_PROVIDER_AUTH_H
#define HERALD_PROVIDER_AUTH_H

#include "client/capabilities.h"
#include "json/json.h"

/* ---- Methods ------------------------------------------------------------------------------------ */

struct auth_options {
    const struct client_capabilities *client;
    bool remote;      /* no browser on this machine; see auth_environment_is_remote() */
    bool hide_claude; /* --hide-claude-auth */
    str command;      /* the absolute path of this program */
    const str *args;  /* what it was started with, without the program itself */
    size_t n_args;
};

/* True when the environment (NAME=VALUE, ended by NULL) is that of a remote machine. */
bool auth_environment_is_remote(char *const *environment);
/* Writes the authMethods array. */
void auth_put_methods(struct buf *b, const struct auth_options *o);

/* ---- Status ------------------------------------------------------------------------------------- */

enum auth_kind {
    AUTH_UNKNOWN, /* nothing is known */
    AUTH_NONE,    /* not signed in */
    AUTH_GATEWAY,
    AUTH_EXTERNAL,
    AUTH_API_KEY,
    AUTH_ACCOUNT,
};

struct auth_status {
    enum auth_kind kind;
    str label;                     /* absent only when unknown */
    str detail;                    /* or absent */
    str email, organization, plan; /* of an account, or absent */
    struct arena mem;              /* holds the texts */
};
#define AUTH_STATUS_INIT ((struct auth_status){0})
void auth_status_free(struct auth_status *s);
#define AUTO_AUTH_STATUS(name) CLEANUP(auth_status_free) struct auth_status name = AUTH_STATUS_INIT

/* Each fills `out` (freed or initialised before) and says whether it tells anything. `api_key_helper` is the
 * helper's command line, or absent. */
bool auth_status_from_probe(struct auth_status *out, json probe, str api_key_helper);
bool auth_status_from_account(struct auth_status *out, json account, str api_key_helper);
/* A gateway that the client set; `base_url` is absent when it gave no payload. */
bool auth_status_from_gateway(struct auth_status *out, str base_url);
bool auth_status_not_logged_in(struct auth_status *out);

/* Takes `next` over into `last`; true when it must be sent. With `merge` (a probe) what `next` lacks is kept
 * from `last` when both describe the same identity. `next` is empty afterwards. When memory is out nothing
 * changes. */
bool auth_status_update(struct auth_status *last, struct auth_status *next, bool merge);
/* Writes the params of _auth/status_update. */
void auth_put_status(struct buf *b, const struct auth_status *s);

/* ---- The guard of --hide-claude-auth -------------------------------------------------------------- */

enum auth_guard {
    AUTH_GUARD_ALLOW,
    AUTH_GUARD_NO_ACCOUNT,    /* allowed, with one warning for each session */
    AUTH_GUARD_SUBSCRIPTION,  /* refuse: {"reason":"claude_subscription_not_supported"} */
    AUTH_GUARD_NO_CREDENTIAL, /* refuse, without data */
};
/* Judges the account of a CLI's initialize answer while no routing is active. */
enum auth_guard auth_guard(json account);

#endif
