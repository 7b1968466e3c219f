/* The records of subagents.h, for its files: subagents.c keeps them, subagents_runs.c follows the runs of
 * agents, subagents_route.c sends updates to them, subagents_air.c and subagents_draft.c tell of them, each
 * in its form. */
#ifndef HERALD_SUBAGENT_SUBAGENTS_STATE_H
#define HERALD_SUBAGENT_SUBAGENTS_STATE_H

#include <stdlib.h>

#include "subagent/subagents.h"

struct subagent {
    struct list link; /* of all children, oldest first */
    char *session;
    char *agent;       /* the agent's id, the same for all its runs */
    char *parent;      /* the session where it is announced; NULL: the root */
    char *call;        /* the tool call that began this run, which names it; NULL: not known */
    char *description; /* what the CLI said of the task, each may be NULL */
    char *type;
    char *prompt;
    char *name, *task; /* what the client is told; set when it is */
    char *message;     /* the last one that was sent to the agent, and its call; each may be NULL */
    char *message_call;
    struct buf plan; /* the entries that the client has */
    unsigned run;    /* from 1 */
    bool announced, ended;
    bool awaiting;             /* it waits for an answer, and the client was told so */
    enum subagent_state state; /* with `ended` */
    char *error;               /* with SUBAGENT_FAILED: what went wrong; NULL: not known */
};

/* What the input of a launch says of the child. */
struct subagent_identity {
    char *name, *description, *prompt, *type;
};

struct subagent_launch {
    struct list link; /* of all launches, oldest first */
    char *id;
    struct subagent *child; /* the newest run of the agent that it began; NULL: none is known */
    bool used;              /* its tool call was seen */
    bool called;            /* and so its session is known: */
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

struct subagents_form {
    bool child_per_run;  /* else one child, with one session id, for all runs of an agent */
    bool shows_launches; /* and children are announced where theirs was shown, or never */
    bool takes_late;     /* a child that has ended takes updates */
    bool ended_by_cli;   /* by its word alone, no cancel ends a child */
    /* A run begins; `again`: of a child that the client knows. */
    void (*started)(struct subagents *sa, struct subagent *c, const struct subagent_identity *who,
                    bool again);
    /* The run is over; once more when its error became known later. */
    void (*ended)(struct subagents *sa, const struct subagent *c);
    /* `awaiting` changed. NULL: the client is not told. */
    void (*awaits)(struct subagents *sa, const struct subagent *c);
};

/* A copy without what a C string cannot hold, or NULL. */
char *subagents_copy(str text);
static inline void subagents_replace(char **to, char *text)
{
    free(*to);
    *to = text;
}
/* The first of these texts that is not blank, trimmed; absent when all are. */
str subagents_first_said(const char *const *texts, size_t n);

struct subagent_launch *subagents_launch(const struct subagents *sa, str id);
/* The launch of this id, made when there is none; NULL when that cannot be done. */
struct subagent_launch *subagents_open_launch(struct subagents *sa, str id);
void subagents_drop_launch(struct subagents *sa, struct subagent_launch *l);
/* Forgets what is known of the call of a launch. The way to its child stays. */
void subagents_forget_call(struct subagents *sa, struct subagent_launch *l);
/* What its call says of the child; nothing when `l` is NULL. */
const struct subagent_identity *subagents_identity(const struct subagent_launch *l);
/* Forgets a child, and one that is in no list yet. */
void subagents_drop_child(struct subagents *sa, struct subagent *c);
void subagent_free(struct subagent *c);
/* Tells the client of the child, once, and delivers what was held for it. Where launches are shown nothing
 * happens until that of the child was. */
void subagents_announce(struct subagents *sa, struct subagent *c);
void subagents_own(struct subagents *sa, str call, struct subagent *c);

/* subagents_route.c. */
void subagents_to_child(struct subagents *sa, struct subagent *c, str call, const struct subagent_update *u);
void subagents_deliver_held(struct subagents *sa, struct subagent_launch *l);
void subagents_discard_held(struct subagents *sa, struct subagent_launch *l);
void subagent_held_free(struct subagent_held *h);

#endif
