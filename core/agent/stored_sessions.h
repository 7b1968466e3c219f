/* What a client asks about stored sessions: list, load, resume, fork, delete.
 *
 * The disk is read and written on worker threads. All that is asked of one session id (load, resume, delete)
 * goes through one lane: it begins when what came before it is done. What the id means is looked up
 * (history/conversations.h), and the conversation is claimed, so that there are never two CLIs, or a CLI and
 * a removal, on one transcript, whatever id and whatever process they have it from (history/writers.h):
 *
 *     WAITING --its turn--> PROBING --live, equal parameters--> REPLAYING? --> done
 *                                   --live, other parameters--> CLOSING --> PROBING
 *                                   --not live--> CLAIMING --> STARTING (and replaying) --> done
 *
 * There is one object for each agent. Everything but the workers runs on the loop thread; no callback comes
 * after the agent began to close. */
#ifndef HERALD_AGENT_STORED_SESSIONS_H
#define HERALD_AGENT_STORED_SESSIONS_H

#include "history/fork.h"
#include "session/session.h"

struct agent;
struct stored_sessions;

/* NULL when memory is out. */
struct stored_sessions *stored_sessions_new(struct agent *agent);
/* No request is waited for any more. */
void stored_sessions_close(struct stored_sessions *h);
/* A replay that waits goes on: the client takes output again, or this session (NULL: all) is leaving. */
void stored_sessions_wake(struct stored_sessions *h, const struct session *s);
/* After the loop has ended. */
void stored_sessions_free(struct stored_sessions *h);

/* session/list. `json` is the result, valid during the call; absent when memory ran out. */
typedef void stored_sessions_list_cb(void *user, str json);
/* `cwd` may be absent; a relative one is resolved against the process's folder. False: memory is out. */
bool stored_sessions_list(struct stored_sessions *h, str cwd, uint64_t offset, stored_sessions_list_cb *done,
                          void *user) WARN_UNUSED;

/* session/load (`replay`) and session/resume. `params` is valid during the call, `doc` the document that it
 * lives in. The updates of a replay come before `ready`. False: memory is out, and `ready` does not come. */
bool stored_sessions_open(struct stored_sessions *h, const struct session_params *params,
                          struct json_doc *doc, str id, bool replay, session_ready_cb *ready,
                          void *user) WARN_UNUSED;
/* session/fork: copies the session and goes on with the copy, without a replay. */
bool stored_sessions_fork(struct stored_sessions *h, const struct session_params *params,
                          struct json_doc *doc, str id, const struct fork_point *point,
                          session_ready_cb *ready, void *user) WARN_UNUSED;
/* session/delete: an open session is closed first. For AIR the session is archived, not removed. */
bool stored_sessions_delete(struct stored_sessions *h, str id, session_done_cb *done, void *user) WARN_UNUSED;

#endif
