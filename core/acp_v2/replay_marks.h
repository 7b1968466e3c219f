/* Which messages of a session's history have been begun while it is sent again.
 *
 * A client may hold a message already, and chunks append to it. So the first chunk of each replayed message
 * comes behind an update that empties it. Texts, thoughts and the person's messages have ids of their own
 * each. A session is replayed from the request to its answer, and so are the subagents' sessions that are
 * announced meanwhile. */
#ifndef HERALD_ACP_V2_REPLAY_MARKS_H
#define HERALD_ACP_V2_REPLAY_MARKS_H

#include "surface/surface.h"

struct replay_marks;
struct replay_marks *replay_marks_new(void);
void replay_marks_free(struct replay_marks *m);

/* A request for the history of this session came, and was answered. Each begin has its end. */
void replay_marks_begin(struct replay_marks *m, str session);
void replay_marks_end(struct replay_marks *m, str session);
/* A subagent's session was announced on `parent`. */
void replay_marks_child(struct replay_marks *m, str parent, str child);
/* True for the first chunk of a message of a session that is being replayed. */
bool replay_marks_first(struct replay_marks *m, str session, enum message_role role, str message_id);

#endif
