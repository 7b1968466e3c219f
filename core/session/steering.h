/* Steering: a message of the person's for the turn that is running, rather than a prompt of its own.
 *
 * A steer is written to the CLI at once, with a uuid of its own and a priority: "now" makes the CLI stop
 * generating and read it, "later" (while a question to the person is open) lets it wait for the next pause.
 * It belongs to the first unsettled turn, which is answered once, after the steered answer. */
#ifndef HERALD_SESSION_STEERING_H
#define HERALD_SESSION_STEERING_H

#include "session/session.h"

enum steer_outcome {
    STEER_INJECTED,
    STEER_NO_TURN, /* and the caller wanted nothing then */
    STEER_STARTED, /* there was no turn: it became a prompt of its own, whose end nobody waits for */
};

/* The blocks passed prompt_check() and are not empty. With `prompt_required`, nothing is done when no turn is
 * unsettled. False: refused with `*error`. */
bool session_steer(struct session *s, json blocks, bool prompt_required, enum steer_outcome *outcome,
                   struct session_error *error);

#endif
