/* Subagents in a replay, for a client that is shown them as sessions: what the launch says of each, and how
 * it ended as far as the transcript tells.
 *
 * In AIR's form every launch has a child, with an id of the replay's own. In the draft's form a child has the
 * agent's id, which its stored transcript names; a launch without one has no child. */
#ifndef HERALD_REPLAY_REPLAY_CHILDREN_H
#define HERALD_REPLAY_REPLAY_CHILDREN_H

#include "base/list.h"
#include "base/map.h"
#include "subagent/subagents.h"

struct child_files;
struct replay_target;

struct replay_child {
    struct list link; /* in the order of their launches */
    char *call;       /* the launch */
    char *session;
    char *parent; /* the session where it is announced; NULL: the root */
    enum subagent_state state;
    bool noticed; /* a notification told the state: it counts more than the launch's result */
    bool asked;   /* its prompt was shown */
};

struct replay_children {
    const struct replay_target *to;
    bool draft;                      /* in the draft's form, with */
    const struct child_files *files; /* the stored transcripts */
    unsigned missing;                /* launches without one */
    struct map by_call, by_session;
    struct list list;
};

/* `files` outlives it. */
void replay_children_init(struct replay_children *rc, const struct replay_target *to,
                          const struct child_files *files);
void replay_children_free(struct replay_children *rc);
/* A launch in the conversation of `around` (NULL: the root): tells the client of the child. */
void replay_children_launch(struct replay_children *rc, const struct replay_child *around, json block);
struct replay_child *replay_children_find(const struct replay_children *rc, str call);
/* The child that a notification is about: that of the call, or (the draft's form) of the agent. */
struct replay_child *replay_children_told_of(const struct replay_children *rc, str call, str agent);
/* In the draft's form: what the child was asked, by this call, or (absent) in a message of this id: its
 * prompt, when that was not shown yet. */
void replay_child_asked(struct replay_children *rc, struct replay_child *c, str call, str id, str text);
/* The launch's result, and a notification about its task. */
void replay_child_result(struct replay_child *c, json block);
void replay_child_notice(struct replay_child *c, str status);
/* Everything was shown: tells how each one ended, the last one first. */
void replay_children_end(struct replay_children *rc);

#endif
