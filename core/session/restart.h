/* Another CLI process under a live session: the client keeps its session, and the mode, model, agent, effort
 * and fast mode stay, while the process, and with a fresh start the conversation in it, is replaced.
 *
 *     CLOSING --the old process is gone--> STARTING --initialize is answered--> TUNING --the options are in
 * line--> done
 *
 * From the first moment nothing of the old process reaches anybody: its questions are withdrawn, its open
 * tool calls are closed, its messages are dropped. The two never run side by side. An active turn stays
 * active. Prompts that the old process had not taken in, and those that come meanwhile, are written to the
 * new one at the end; option changes of the client wait as long. A conversation of which nothing is stored
 * begins anew under its id. A failure ends the turns with its reason, and the session becomes a husk; so does
 * a new process that does not answer in time (agent_limits). */
#ifndef HERALD_SESSION_RESTART_H
#define HERALD_SESSION_RESTART_H

#include "session/session.h"

struct cli_exit;
struct options_change;
struct restart;

struct restart_request {
    bool fresh;     /* a new conversation; else the present one is resumed */
    bool tell;      /* the client is told what became of the options, where they differ */
    enum mode mode; /* of the new process; MODE_NONE: the mode stays */
};

/* The new process serves the session; what was kept for it is written after this returns. Or `why` is the
 * reason of a failure, else absent; the turns were ended with it, and the session may be closed. Does not
 * come when the session is closed meanwhile. */
typedef void session_restarted_cb(struct session *s, str why);

/* False when this cannot be begun: the session is not open, is being restarted already, or memory is out. */
bool session_restart(struct session *s, const struct restart_request *rq,
                     session_restarted_cb *done) WARN_UNUSED;

/* For session.c: a process of a session that restarts has ended; the change that tunes the new one is done;
 * the session closes. */
void session_restart_ended(struct session *s, const struct cli_exit *how);
void session_restart_tuned(struct session *s, const struct options_change *c);
/* Why a process that took too long was given up. */
extern const str session_restart_late;
/* How long the process that starts may still take, in ms: at least 1, and 0 when none starts. */
unsigned session_restart_time_left(const struct session *s);
void session_restart_drop(struct session *s);

#endif
