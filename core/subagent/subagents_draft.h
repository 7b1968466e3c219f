/* The updates of the draft's form of subagents, as members: what a live child and a replayed one have alike.
 */
#ifndef HERALD_SUBAGENT_SUBAGENTS_DRAFT_H
#define HERALD_SUBAGENT_SUBAGENTS_DRAFT_H

#include "subagent/subagents.h"

/* subagent_update. A run begins: with who it is when the client does not know the child yet. `name`, `type`
 * and `description` may be absent. */
void draft_put_running(struct buf *b, str session);
void draft_put_announced(struct buf *b, str session, str name, str type, str description);
/* A request of it waits for the person. */
void draft_put_awaiting(struct buf *b, str session);
/* A run is over; `error` may be absent. */
void draft_put_over(struct buf *b, str session, enum subagent_state state, str error);

/* session_message. */
void draft_put_message(struct buf *b, str id, str from, str to, str text);

#endif
