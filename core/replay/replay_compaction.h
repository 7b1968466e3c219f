/* A compaction that a stored conversation tells of: what it left, and the facts beside it. */
#ifndef HERALD_REPLAY_REPLAY_COMPACTION_H
#define HERALD_REPLAY_REPLAY_COMPACTION_H

#include "json/json.h"

struct replay_target;

/* Tells the client of it as of a live one, in the client's form. `uuid` is the summary record's, `content`
 * what it holds; `boundary` the record of the compaction before it, or missing. */
void replay_compaction(const struct replay_target *to, str uuid, json boundary, json content);

#endif
