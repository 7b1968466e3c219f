/* The border between a session and the protocol that a client speaks: what a session has to say, as a table
 * of callbacks, and what it asks the client.
 *
 * A session knows no message shapes. An ACP surface (acp_v1, acp_v2) fills in the table and shapes the
 * messages; the sessions of one connection share it. JSON arguments are texts that are valid during the call.
 */
#ifndef HERALD_SURFACE_SURFACE_H
#define HERALD_SURFACE_SURFACE_H

#include "report/report.h"
#include "turn/turn.h"
#include "json/json.h"

enum message_role { MESSAGE_AGENT, MESSAGE_THOUGHT, MESSAGE_USER };

/* The client's answer to a request of ours. Both are missing when there is none: the connection closed, or
 * the answer was malformed. */
typedef void surface_answer_cb(void *user, json result, json error);

/* May this tool call run? */
struct permission_request {
    str session;              /* of the call: the root, or a subagent's */
    str title;                /* what is asked, in a line */
    str description;          /* why it is asked; may be absent */
    struct tool_report *call; /* all that is to be seen of it */
    str options;              /* an array */
    str meta;                 /* of the request, an object; may be absent */
};

struct surface {
    /* A piece of a message. `message_id` may be absent; `meta` (here and below) is a JSON object or absent.
     */
    void (*text)(void *self, str session, enum message_role role, str message_id, str text, str meta);
    /* A content block that is not text: {"type":"image",…}. */
    void (*block)(void *self, str session, enum message_role role, str message_id, str block, str meta);
    void (*tool)(void *self, str session, struct tool_report *report);
    /* The plan's entries, an array. */
    void (*plan)(void *self, str session, str entries, str meta);
    void (*commands)(void *self, str session, str commands);
    void (*mode)(void *self, str session, str mode);
    void (*options)(void *self, str session, str options);
    /* The members of a usage update, without braces. */
    void (*usage)(void *self, str session, str members);
    /* The members of a session info update, without braces (title, updatedAt, _meta). */
    void (*info)(void *self, str session, str members);
    /* `severity` is "info" or "warning"; `description` may be absent. */
    void (*notice)(void *self, str session, const char *severity, str title, str description);
    /* The members of any other update of the session, with its name ("compaction_update"). */
    void (*update)(void *self, str session, const char *name, str members);
    /* The session's foreground work, apart from what answers a prompt; `end` only with FOREGROUND_ENDED.
     * NULL: the protocol has no word for it. */
    void (*foreground)(void *self, str session, enum foreground what, const struct turn_end *end);
    /* A raw message of the CLI, for a client that asked for them. */
    void (*raw)(void *self, str session, json message);
    /* What the connection knows of the account; the whole status object. */
    void (*auth_status)(void *self, str status);

    /* Requests to the client. A number for withdraw(), or 0 when the request could not be made (then the
     * callback does not come). `params` is the whole object. */
    uint64_t (*ask_permission)(void *self, const struct permission_request *rq, surface_answer_cb *cb,
                               void *user);
    uint64_t (*ask_elicitation)(void *self, str params, surface_answer_cb *cb, void *user);
    /* The question no longer matters; its callback does not come. */
    void (*withdraw)(void *self, uint64_t request);
    /* A notification outside of sessions: elicitation/complete and the like. */
    void (*notify)(void *self, const char *method, str params);
};

#endif
