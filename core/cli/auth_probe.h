/* Asks the CLI whether the user is signed in: `claude auth status --json`.
 *
 * One probe object lives as long as the agent and has at most one run at a time. A run takes at most
 * AUTH_PROBE_TIMEOUT_MS, then its process group is killed. The answer counts whatever the exit code is:
 * signed out is told with exit code 1. */
#ifndef HERALD_CLI_AUTH_PROBE_H
#define HERALD_CLI_AUTH_PROBE_H

#include "cli/process.h"
#include "json/json.h"

enum { AUTH_PROBE_TIMEOUT_MS = 5000, AUTH_PROBE_OUTPUT_MAX = 1024 * 1024 };

struct auth_probe;

/* What the CLI said, an object, valid during the call (json_ref() keeps it); NULL when it said nothing
 * usable: what was known before stays true. Comes once for each run, from the loop or from a cancel. May
 * start the next run or free the probe. */
typedef void auth_probe_cb(void *user, struct json_doc *status);

/* NULL when memory is out. */
struct auth_probe *auth_probe_new(uv_loop_t *loop, const struct log *log) WARN_UNUSED;
/* Starts a run; argv of `spawn` is not looked at. False when one is under way or memory is out: then `cb` is
 * not called. */
bool auth_probe_run(struct auth_probe *probe, const struct cli_spawn *spawn, auth_probe_cb *cb, void *user);
bool auth_probe_running(const struct auth_probe *probe);
/* Kills the run, if any, at once; its callback comes from within this call, and the next run may start. */
void auth_probe_cancel(struct auth_probe *probe);
/* Cancels and frees; NULL is fine. */
void auth_probe_free(struct auth_probe *probe);

#endif
