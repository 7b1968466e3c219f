/* The choices of one permission question, and what the chosen one means.
 *
 * An offer is made from the CLI's question when it arrives. It owns everything that the answer needs: the
 * ordered options with their effects, the whole tool input and the exact suggestions. The client sees only
 * ids, names and kinds. Its answer is looked up among the options of this very offer; whatever is not found
 * there becomes an error for the CLI. No path leads from an unknown, late or malformed answer to an allow.
 *
 * An offer knows no session: what the session has to do besides writing the answer stands in the decision. */
#ifndef HERALD_PERMISSION_OFFER_H
#define HERALD_PERMISSION_OFFER_H

#include "json/json.h"

#define PERMISSION_ABORTED       "Tool use aborted"
#define PERMISSION_REFUSED       "User refused permission to run tool"
#define PERMISSION_KEEP_PLANNING "User chose to keep planning"
#define PERMISSION_FRESH_CONTEXT "User accepted the plan and requested a fresh context"

/* The `request` of a can_use_tool control request, decoded. Borrows from its document. */
struct permission_question {
    str tool_use_id;
    str tool_name;
    str display_name; /* absent when there is none */
    json input;       /* an object; missing when the CLI sent none */
    json suggestions;
    json mcp_server;     /* {name, source, …}; missing when there is none */
    str decision_reason; /* absent when there is none */
    str blocked_path;
    str agent_id; /* the subagent that asks */
    bool matched_ask_rule;
    bool suppress_lasting; /* suppress_always_allow_rule */
    bool default_to_no;
};
/* Reads the question; a member of another type counts as absent. False when it has no tool name or no tool
 * use id: such a question cannot be shown, and is answered with an error. */
bool permission_question_read(struct permission_question *q, json request);

/* What the choices depend on besides the question. */
struct permission_setting {
    str cwd;             /* the session's working directory, absolute */
    str home;            /* the user's home; absent when it is not known */
    bool auto_offered;   /* the session offers the mode auto */
    bool bypass_offered; /* and bypassPermissions */
    bool usage_known;    /* the last context figures that the client was told */
    double context_used, context_size;
};

struct permission_offer;

/* NULL when memory is out. The offer keeps nothing of `q` or `at`. An AskUserQuestion never becomes an offer
 * (question.h); one that is passed all the same is offered as an unknown tool without a lasting choice. */
struct permission_offer *permission_offer_new(const struct permission_question *q,
                                              const struct permission_setting *at) WARN_UNUSED;
void permission_offer_free(struct permission_offer *o);

/* The array of {optionId, name, kind}, in the order in which they are to be shown. */
void permission_offer_put_options(struct buf *b, const struct permission_offer *o);

enum permission_verdict {
    PERMISSION_ERROR, /* the control request is refused with the text */
    PERMISSION_DENY,  /* the text is the response, JSON */
    PERMISSION_ALLOW, /* the text is the response, JSON */
};

struct permission_decision {
    enum permission_verdict verdict;
    struct buf text;     /* use permission_decision_text() */
    const char *mode;    /* the mode that the session changes to (already clamped), a static id; NULL: none */
    bool auto_fell_back; /* auto was chosen without the model's support: tell the person once a session */
    bool keep_planning;  /* an interrupting refusal: the prompt ends as cancelled */
    bool
        clear_context; /* an interrupting refusal: restart with a fresh context in `mode` and send the plan */
    struct buf plan;   /* with clear_context: the trimmed plan, not empty */
};
#define PERMISSION_DECISION_INIT ((struct permission_decision){0})
void permission_decision_free(struct permission_decision *d);
#define AUTO_DECISION(name)                                                                                  \
    CLEANUP(permission_decision_free) struct permission_decision name = PERMISSION_DECISION_INIT
/* The response (JSON) or, for PERMISSION_ERROR, the error text. Lives as long as the decision. */
str permission_decision_text(const struct permission_decision *d);

/* Decides by the client's `result` of session/request_permission, that is {outcome: {outcome, optionId}}. `d`
 * is initialized. `auto_unsupported`: the current model is known not to support the mode auto. Memory that is
 * out makes an error. A client error is not passed here: its message is the error text; after an abort it is
 * PERMISSION_ABORTED, whatever the client said. */
void permission_offer_decide(const struct permission_offer *o, json result, bool auto_unsupported,
                             struct permission_decision *d);
/* {behavior: "deny", message, toolUseID}: a refusal that no person chose. */
void permission_put_deny(struct buf *b, str tool_use_id, const char *message);

#endif
