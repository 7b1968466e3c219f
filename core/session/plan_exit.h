/* Answers to ExitPlanMode that interrupt the CLI: "keep planning", and going on with the plan in a fresh
 * context.
 *
 * After such an answer the CLI sends the refused call's result and then a result with a diagnostic, which
 * says nothing of its own: it means what the person chose.
 *
 *     NONE --answer--> ANSWERED --the call's result--> SEEN --the diagnostic--> NONE: the prompt ends as
 * cancelled, or
 *                                                                          --> CONTINUING --a new process-->
 * NONE
 *
 * Any other result that ends the turn, and a cancel, lead back to NONE. While CONTINUING the turn stays open:
 * the CLI is replaced by one with an empty conversation (restart.h), which gets the plan as the prompt's own
 * message. */
#ifndef HERALD_SESSION_PLAN_EXIT_H
#define HERALD_SESSION_PLAN_EXIT_H

#include "base/uuid.h"
#include "permission/offer.h"
#include "settings/modes.h"
#include "turn/turn.h"

struct session;

enum plan_exit_state { PLAN_EXIT_NONE, PLAN_EXIT_ANSWERED, PLAN_EXIT_SEEN, PLAN_EXIT_CONTINUING };

struct plan_exit {
    enum plan_exit_state state;
    char *call;         /* the tool use id; NULL in NONE */
    bool of_agent;      /* a subagent's call */
    bool clear;         /* a fresh context */
    enum mode mode;     /* its mode */
    bool warn_auto;     /* ... which takes the place of auto */
    struct buf plan;    /* trimmed */
    struct buf message; /* CONTINUING: for the new process */
};

/* The answer `d` about this call is written now. Any answer replaces what was remembered before. */
void session_plan_exit_answered(struct session *s, str call, bool of_agent,
                                const struct permission_decision *d);
/* A result of this call came, in the user message `m`. */
void session_plan_exit_result(struct session *s, str call, json m);
/* An ExitPlanMode call of the main conversation has succeeded: a client that keeps plans gets this one. */
void session_plan_approved(struct session *s, json input, json structured);
/* What this result does to the turn (NULL: it belongs to none). */
enum turn_verdict session_plan_exit_verdict(struct session *s, const struct turn *t, json result);
/* session/cancel, or the end of the session: nothing is continued any more. */
void session_plan_exit_forget(struct session *s);

#endif
