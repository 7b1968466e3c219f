/* What Herald does by itself beside the conversation: commands that it answers in its own words, the sign-in
 * to MCP servers, the reports of changed files. What they use of their session. */
#ifndef HERALD_LOCAL_LOCAL_HOST_H
#define HERALD_LOCAL_LOCAL_HOST_H

#include <uv.h>

#include "base/list.h"
#include "base/log.h"
#include "cli/control.h"
#include "client/capabilities.h"
#include "extension/file_change_report.h"
#include "launch/launch.h"
#include "surface/surface.h"
#include "turn/turn.h"

struct local_host_calls {
    /* The CLI of the open session; NULL: there is none. */
    struct cli_control *(*cli)(const void *user);
    /* The client's MCP servers, as it named them; any JSON. */
    json (*servers)(const void *user);
    /* The client is still told something. */
    bool (*alive)(const void *user);
    /* The CLI's frames wait until the release. */
    void (*hold)(void *user);
    void (*release)(void *user);
    /* The host lives until it is dropped as often. */
    void (*keep)(void *user);
    void (*drop)(void *user);
};

struct local_host {
    uv_loop_t *loop;
    const struct log *log;
    const struct client_capabilities *client;
    const struct surface *surface;
    void *surface_self;
    str session; /* its id */
    const struct session_params *params;
    struct turns *turns;
    const struct local_host_calls *calls;
    void *user;
};

/* What a session keeps of all this; its host outlives it. */
struct local_work {
    struct local_host host;
    struct list commands;        /* prompts that are answered in our own words: struct local_command */
    struct mcp_sign_in *sign_in; /* the run that goes on; NULL: none */
    struct file_reports reports; /* that the client asked for */
    struct list reports_waiting; /* for the CLI or the disk */
};

#endif
