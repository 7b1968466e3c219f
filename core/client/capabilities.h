/* What the client declared in `initialize`, read once and asked by name.
 *
 * Follows the ACP `ClientCapabilities` (v1) and `capabilities` (v2) and the AIR extension contract. A
 * malformed part counts as absent and does not disturb its neighbours. */
#ifndef HERALD_CLIENT_CAPABILITIES_H
#define HERALD_CLIENT_CAPABILITIES_H

#include "json/json.h"

struct client_capabilities {
    int protocol_version; /* 1 or 2 */

    /* JetBrains AIR: whether the client is AIR at all, and the capabilities that only AIR can declare. */
    bool air;
    bool air_diff_patch;
    bool air_raw_input_rendering;
    bool air_session_failure;
    bool air_recommended_value;
    bool air_async_tasks;
    bool air_file_change_report;
    bool air_native_subagents; /* by the AIR capability alone; see subagents */
    bool air_plan_file;

    bool terminal_output;       /* _meta.terminal_output */
    bool terminal_output_delta; /* _meta.terminal_output_delta */
    bool terminal_auth_meta;    /* _meta["terminal-auth"] */
    bool subagent_transcript;   /* _meta["subagent-transcript"] */
    bool auth_terminal;
    bool auth_gateway;
    bool auth_status; /* _meta.authStatus, or authStatus */
    bool elicitation_form;
    bool elicitation_url;
    bool subagents_field; /* the draft field clientCapabilities.subagents */
    bool boolean_options; /* session.configOptions.boolean */
    bool session_notices;
    bool session_compaction;
    bool plan_operations;
};

/* Reads what an initialize request declared: `clientCapabilities` in the form of v1, `capabilities` in that
 * of v2 (`form`), for a connection that speaks version `spoken`. Anything but an object declares nothing. */
void client_capabilities_read(struct client_capabilities *c, int spoken, int form, json caps);

/* The client keeps a tool call's _meta by itself, so that nothing needs to be repeated to it. */
bool client_keeps_meta(const struct client_capabilities *c);
/* The client keeps what a tool call showed when its work is cancelled; to others its end is told whole. */
bool client_keeps_cancelled_calls(const struct client_capabilities *c);
/* The client shows command output in a terminal. */
bool client_has_terminal(const struct client_capabilities *c);
/* Exact patches in place of file texts. */
bool client_wants_patches(const struct client_capabilities *c);
/* The client knows _auth/status_update. */
bool client_takes_auth_status(const struct client_capabilities *c);
/* Subagents are child sessions of their own. */
bool client_has_subagent_sessions(const struct client_capabilities *c);
/* With these: AIR's form of them, instead of the draft's. */
bool client_has_air_subagents(const struct client_capabilities *c);
/* Which form of a two-form fact the client gets: true for the fact, false for its plain form. */
bool client_takes_facts(const struct client_capabilities *c);

#endif
