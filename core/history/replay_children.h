/* Subagents in a replay, for a client that is shown them as sessions: what the launch says of each, and how
 * it ended as far as the transcript tells. */
#ifndef HERALD_HISTORY_REPLAY_CHILDREN_H
#define HERALD_HISTORY_REPLAY_CHILDREN_H

#include "base/list.h"
#include "base/map.h"
#include "session/subagents.h"

struct session;

struct replay_child {
    struct list link; /* in the order of their launches */
    char *call;       /* the launch */
    char *session;
    char *parent; /* the session where it is announced; NULL: the root */
    enum subagent_state state;
    bool noticed; /* a notification told the state: it counts more than the launch's result */
};

struct replay_children {
    struct session *s;
    struct map by_call;
    struct list list;
};

void replay_children_init(struct replay_children *rc, struct session *s);
void replay_children_free(struct replay_children *rc);
/* A launch in the conversation of `around` (NULL: the root): tells the client of the child. */
void replay_children_launch(struct replay_children *rc, const struct replay_child *around, json block);
struct replay_child *replay_children_find(const struct replay_children *rc, str call);
/* The launch's result, and a notification about its task. */
void replay_child_result(struct replay_child *c, json block);
void replay_child_notice(struct replay_child *c, str status);
/* Everything was shown: tells how each one ended, the last one first. */
void replay_children_end(struct replay_children *rc);

#endif
