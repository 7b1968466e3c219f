/* The records of subagents.h, for its two files: subagents.c keeps them and tells of starts and ends,
 * subagents_route.c sends updates to them. */
#ifndef HERALD_SESSION_SUBAGENTS_STATE_H
#define HERALD_SESSION_SUBAGENTS_STATE_H

#include "session/subagents.h"

struct subagent {
    struct list link; /* of all children, oldest first */
    char *session;
    char *agent;       /* the agent's id, the same for all its runs */
    char *parent;      /* the session where it is announced; NULL: the root */
    char *call;        /* the tool call that began this run; NULL: not known */
    char *description; /* what the CLI said of the task, each may be NULL */
    char *type;
    char *prompt;
    char *name, *task; /* what the client is told; set when it is */
    char *message;     /* the last one that was sent to the agent */
    struct buf plan;   /* the entries that the client has */
    unsigned run;      /* from 1 */
    bool announced, ended;
};

/* What the input of a launch says of the child. */
struct subagent_identity {
    char *name, *description, *prompt, *type;
};

struct subagent_launch {
    struct list link; /* of all launches, oldest first */
    char *id;
    struct subagent *child; /* the newest run of the agent that it began; NULL: none is known */
    bool called;            /* its tool call was seen, so that its session is known: */
    char *session;          /* NULL: the root */
    struct subagent_identity identity;
    struct subagent_held *first; /* its last tool_call; NULL: none */
    struct list held;            /* struct subagent_held */
    size_t held_count;
};

/* A copy of an update. */
struct subagent_held {
    struct list link;
    struct arena mem;
    str call; /* the tool call that it is about, or absent */
    struct subagent_update update;
    struct tool_report report;
};

struct subagent_owner {
    struct list link;
    char *call;
    struct subagent *child;
};

struct subagent_launch *subagents_launch(const struct subagents *sa, str id);
/* The launch of this id, made when there is none; NULL when that cannot be done. */
struct subagent_launch *subagents_open_launch(struct subagents *sa, str id);
void subagents_drop_launch(struct subagents *sa, struct subagent_launch *l);
/* Tells the client of the child, once, and delivers what was held for it. */
void subagents_announce(struct subagents *sa, struct subagent *c);
void subagents_own(struct subagents *sa, str call, struct subagent *c);

/* subagents_route.c. */
void subagents_to_child(struct subagents *sa, struct subagent *c, str call, const struct subagent_update *u);
void subagents_deliver_held(struct subagents *sa, struct subagent_launch *l);
void subagents_discard_held(struct subagents *sa, struct subagent_launch *l);
void subagent_held_free(struct subagent_held *h);

#endif
