/* From what the client asked for to how the CLI is started.
 *
 * A pure function: session/new parameters, client capabilities, settings, routing and environment go in; the
 * argument list, the whole environment and the members of the first control request come out, all in the
 * caller's arena.
 *
 * Options of `_meta.claudeCode.options` are read one by one; what has the wrong type counts as absent. What
 * the agent itself decides (folder, mode, session id, permission prompts, partial messages, executable)
 * cannot be overruled there. */
#ifndef HERALD_LAUNCH_LAUNCH_H
#define HERALD_LAUNCH_LAUNCH_H

#include "client/capabilities.h"
#include "provider/environment.h"
#include "provider/providers.h"
#include "settings/settings.h"

/* Parameters that session/new, load, resume and fork have in common. */
struct session_params {
    str cwd;
    json mcp_servers;            /* an array that mcp_servers_check() accepts, or missing */
    json additional_directories; /* an array of strings, or missing */
    json meta;                   /* an object, or missing */
};

/* For FIELD_CHECKED: NULL when `v` is an array of MCP servers in ACP form, else what was expected. */
const char *mcp_servers_check(json v);
/* The same in the form of ACP v2, which names every type and lets lists be absent. */
const char *mcp_servers_check_v2(json v);
/* _meta.claudeCode.options; missing when it is no object. */
json session_params_options(const struct session_params *p);
/* The stored session that `options.resume` names; absent when there is none. */
str session_params_resume(const struct session_params *p);

/* The tiers of settings that the client leaves out (`settingSources`), in bits of settings_source: what
 * Claude does not read must not count here either. */
unsigned session_params_left_out(const struct session_params *p);

struct launch_request {
    const struct session_params *params;
    const struct client_capabilities *client;
    const struct settings *settings;
    const struct providers *providers; /* NULL: none */
    const char *const *env;            /* what the CLI inherits, "NAME=value", ended by NULL */
    bool root;                         /* the effective user id is 0 */
    str session_id;                    /* --session-id; absent for a plain resume */
    str resume_id;                     /* --resume; absent for a new conversation */
    bool fork;                         /* --fork-session; needs both ids */
    /* The mode to start in: the transcript's, or that of the process that this one replaces. MODE_NONE: what
     * the settings say. */
    enum mode mode;
    /* What a process that replaces another one keeps. Absent: what the options say; empty: none. */
    str model, agent, effort;
};

struct launch {
    const char *const *argv; /* after argv[0], ended by NULL */
    const char *const *env;  /* ended by NULL */
    str initialize;          /* members of the `initialize` control request, without braces */
    str settings;            /* the --settings object; absent when there is none */
    enum mode mode;          /* what --permission-mode says */
    bool bypass;             /* Bypass permissions is available */
    bool subagent_text;      /* forwardSubagentText */
    bool file_checkpoints;   /* rewind_files can be asked */
    const char *notice;      /* something odd that is worth a line in the log; NULL for nothing */
};

/* NULL when all is well; else why the session cannot start (an internal error), a text in `a`. Reads the file
 * that `options.settings` names, if it names one. arena_ok() of `a` must be checked as well. */
const char *launch_build(struct arena *a, const struct launch_request *rq, struct launch *out) WARN_UNUSED;

/* The mode that a launch like this one starts in, with Bypass available or not. */
enum mode launch_mode(const struct launch_request *rq, bool bypass);

/* A text that is equal for two requests exactly when a live session that was started by the one serves the
 * other as it is. */
str launch_fingerprint(struct arena *a, const struct session_params *p);

#endif
