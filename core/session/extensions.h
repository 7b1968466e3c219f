/* The session-level extensions, tied to a session: async tasks, file-change report, context compaction.
 *
 * Each is a module of its own in extension/, without I/O; here they meet the CLI's frames, the turns and the
 * client. */
#ifndef HERALD_SESSION_EXTENSIONS_H
#define HERALD_SESSION_EXTENSIONS_H

#include "extension/async_tasks.h"
#include "extension/compaction.h"
#include "extension/goal.h"
#include "session/session.h"

struct goal_look;
struct tool_call;

struct extensions {
    struct goal goal;
    struct goal_look *goal_look; /* what is stored of it is being read; NULL: it is not */
    struct async_tasks tasks;
    struct compaction compaction;
};

void extensions_init(struct session *s);
void extensions_free(struct session *s);

/* A prompt or a steer was written to the CLI under this uuid. `meta` is the prompt's, missing for a steer. */
void extensions_sent(struct session *s, json blocks, json meta, str uuid);

/* The turns. */
void extensions_cancelling(struct session *s);
void extensions_activated(struct session *s, const struct turn *t);
/* True when the answer must wait for turns_settled(). */
bool extensions_before_answer(struct session *s, const struct turn *t, const struct turn_end *end,
                              bool may_wait);
/* A result, before turns are settled by it, and after. `over`: nothing that it could have to do with is left.
 */
void extensions_result(struct session *s, json result, bool own);
void extensions_result_done(struct session *s, bool over);
/* The CLI is gone, or another takes its place; before the turns are told. */
void extensions_ended(struct session *s);

/* Frames. */
void extensions_lifecycle(struct session *s, str uuid, str state);
void extensions_echo(struct session *s, str uuid);
void extensions_idle(struct session *s);
void extensions_status(struct session *s, json frame);
void extensions_task(struct session *s, json frame, void (*step)(struct async_tasks *at, json frame));
void extensions_task_list(struct session *s, json tasks);
void extensions_task_progress(struct session *s, json frame);
/* A block or delta of the type compaction in the stream of the main conversation. */
void extensions_compaction_text(struct session *s, str frame_uuid, json block);

/* The result of a call, before its report. True when the call goes on in the background. */
bool extensions_result_of_call(struct session *s, const struct tool_call *call, json block, json message);
/* What the CLI prints by itself is already told by a compaction. */
bool extensions_hide_local(struct session *s, str text);

#endif
