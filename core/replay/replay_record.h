/* What each stored record is to the client: the rules of a replay, without the reading. */
#ifndef HERALD_REPLAY_REPLAY_RECORD_H
#define HERALD_REPLAY_REPLAY_RECORD_H

#include "history/records.h"
#include "replay/replay_children.h"
#include "replay/replay_target.h"
#include "replay/replay_tasks.h"
#include "tool/tool_calls.h"
#include "tool/tool_host.h"

/* One record of the conversation. */
struct replay_item {
    json root;
    json boundary; /* of a compaction, when this is the summary that it left */
    enum record_type type;
    str uuid;  /* of the message */
    str wire;  /* what the client knows an assistant's message by */
    str call;  /* the launch of the subagent whose transcript it is from; absent: the root's */
    bool told; /* another agent said this to it, */
    str by;    /* by this call, when that is known */
};

struct replay_view {
    const struct replay_target *to;
    struct tool_host tools; /* what they use of this */
    struct tool_calls calls;
    struct replay_children children;
    struct replay_child *child; /* whose record is shown; NULL: the root's */
    bool shows_children;        /* subagents are sessions of their own */
    struct replay_tasks tasks;
    struct buf prompt_uuid; /* of the last prompt, by which its turn is known; empty: none */
    struct buf text;        /* scratch */
    bool limited;           /* the last usage limit still holds */
};

/* The target outlives it; its plan is forgotten, since it is shown again. False: memory is out;
 * replay_view_free() is due either way. */
bool replay_view_init(struct replay_view *v, const struct replay_target *to,
                      const struct child_files *files) WARN_UNUSED;
void replay_view_free(struct replay_view *v);
/* Its tool calls, by replay_view_init(). */
bool replay_tools_init(struct replay_view *v) WARN_UNUSED;
/* Everything was shown: a call without a result failed, unless it still runs in the session. */
void replay_tools_end(struct replay_view *v);
/* Shows one record. */
void replay_item(struct replay_view *v, const struct replay_item *item);
/* All were shown. */
void replay_view_end(struct replay_view *v);

#endif
