/* Subagents as sessions of their own, for a client that shows them so: who they are, when the client hears of
 * them, and to which session each update goes.
 *
 * A *child* is a subagent with an ACP session id. Its *launch* is the tool call that began it. The client is
 * told of it on its parent session:
 *
 *     KNOWN --the launch's session is known--> ANNOUNCED --its end--> ENDED --a later run--> ANNOUNCED
 *
 * A launch is remembered from its first sign: its tool call, its task, or an update of the child. What comes
 * for a child that is not announced is held at its launch, within limits, and delivered in order behind the
 * announcement. All launches of an agent lead to its newest run, since the messages of a resumed one go on
 * naming the call that began the first. A tool call stays with the child that it was first sent to.
 *
 * There are two forms of all this (the rows are in subagents_state.h):
 *
 * AIR's: each run of a subagent is a child of its own, with the agent's id, or from the second run on one
 * with the number of the run. subagent_spawned and subagent_state_update tell of it, and stand for the
 * launch, which is not shown. A child is announced at its end at the latest, and what comes after the end is
 * dropped.
 *
 * The draft's (the RFD): a subagent is one child with the agent's id, which runs and is idle by turns.
 * subagent_update tells its state, session_message what it was asked. The launch is shown like every tool
 * call, and the child's parent is the session where it was; a child whose launch is never shown is not shown
 * either. Only the CLI's word ends a run, and an idle child takes what comes late.
 *
 * The root session is an absent text here. Nothing here does I/O. */
#ifndef HERALD_SUBAGENT_SUBAGENTS_H
#define HERALD_SUBAGENT_SUBAGENTS_H

#include "base/list.h"
#include "base/map.h"
#include "surface/surface.h"

enum {
    SUBAGENTS_MAX = 1024,               /* children; the oldest one that has ended makes room */
    SUBAGENTS_LAUNCHES_MAX = 2048,      /* the oldest one without a child that runs makes room */
    SUBAGENTS_OWNED_MAX = 2048,         /* tool calls whose child is known, the newest ones */
    SUBAGENTS_HELD_MAX = 256,           /* updates that wait for an announcement: in all, */
    SUBAGENTS_HELD_OF_LAUNCH_MAX = 32,  /* of one launch, */
    SUBAGENTS_HOLDING_LAUNCHES_MAX = 64 /* and launches with such updates */
};

/* How a run ended. */
enum subagent_state {
    SUBAGENT_COMPLETED,
    SUBAGENT_FAILED,
    SUBAGENT_CANCELLED,
    SUBAGENT_DISCONNECTED,
    SUBAGENT_LOST, /* its process is gone, no more is known; AIR's form does not use it */
};

enum subagent_update_kind { SUBAGENT_TOOL, SUBAGENT_TEXT, SUBAGENT_BLOCK, SUBAGENT_PLAN };

/* What a child has to say. */
struct subagent_update {
    enum subagent_update_kind kind;
    struct tool_report *report; /* SUBAGENT_TOOL */
    str launch;                 /* the id of a call that begins subagents, as frames name it; else absent */
    enum message_role role;
    str message_id;
    str text; /* the text, or JSON: the block, the plan's entries */
    str meta;
};

struct subagents_sink {
    void (*deliver)(void *user, str session, const struct subagent_update *update);
    /* An update that tells of a child. */
    void (*state)(void *user, str session, const char *name, str members);
    /* What the child `to` was asked in the session `from`, by this call. */
    void (*message)(void *user, str from, str to, str call, str text);
    /* The child of this session is about to end: its open calls go with it. */
    void (*ending)(void *user, str session, enum subagent_state state);
    /* Something was not shown. */
    void (*dropped)(void *user, const char *why);
};

/* One of the two forms. */
struct subagents_form;
extern const struct subagents_form subagents_air, subagents_draft;

struct subagents {
    const struct subagents_form *form; /* NULL: subagents are no sessions, and nothing here is used */
    const struct subagents_sink *sink;
    void *user;
    struct map by_task;    /* agent id → its newest struct subagent */
    struct map by_session; /* session id → struct subagent */
    struct list children;  /* oldest first */
    struct map launches;   /* tool call id → struct subagent_launch */
    struct list launch_order;
    struct map owners; /* tool call id → struct subagent_owner */
    struct list owner_order;
    size_t held, holding; /* updates, and launches with some */
};

void subagents_init(struct subagents *sa, const struct subagents_form *form,
                    const struct subagents_sink *sink, void *user);
void subagents_free(struct subagents *sa);
/* Forgets everything, without a word. */
void subagents_clear(struct subagents *sa);

/* Frames of the CLI: task_started, task_updated, task_notification. Late ones of an older run are the
 * caller's to leave out. */
void subagents_started(struct subagents *sa, json frame);
void subagents_updated(struct subagents *sa, json frame);
void subagents_notified(struct subagents *sa, json frame);
/* A message to an agent is on its way, by this call. */
void subagents_addressed(struct subagents *sa, str agent, str call, str message);
/* Such a message woke the agent up; `call` and `message` may be absent. Nothing when the agent runs. */
void subagents_resumed(struct subagents *sa, str agent, str call, str message);

/* Their process is gone: ends every child that runs, the newest first. */
void subagents_finish(struct subagents *sa, enum subagent_state state);
/* The session's work is cancelled, which ends children in AIR's form alone. */
void subagents_cancel(struct subagents *sa);
/* A question of this agent's is open, or none is any more. */
void subagents_await(struct subagents *sa, str agent, bool awaits);

/* A tool call that a report is about. */
struct subagent_call {
    str id;     /* what it is known by: the key of its reports */
    str launch; /* the id by which frames name it as a launch, where that is another; else absent */
    str name;
    str parent; /* the call around it; absent at top level */
    str shown;  /* the session where a question showed it first (no child's: the root); absent: none did */
};
/* Sends the report where it belongs. False: it is that of a launch which the client is not shown. */
bool subagents_tool(struct subagents *sa, const struct subagent_call *call, struct tool_report *report);
/* A child that has ended takes what comes late. */
bool subagents_take_late(const struct subagents *sa);
/* What is no tool call, of the child that the call `launch` began. */
void subagents_say(struct subagents *sa, str launch, const struct subagent_update *update);

/* The call is one that begins subagents. */
bool subagents_is_launch(str tool_name);
/* What the CLI's status of a task is to the client; false when it is no end. And the word for it. */
bool subagent_state_of(str status, enum subagent_state *state);
const char *subagent_state_word(enum subagent_state state);
/* An id that can be kept as a C string. */
bool subagent_id_ok(str id);
/* The session of the announced child that runs as this agent, or takes what comes late. */
str subagents_session_of_agent(const struct subagents *sa, str agent);
/* The client was told anew that the agent's child runs: tells it if that waits for an answer. False: it does
 * not run. */
bool subagents_retell(struct subagents *sa, str agent);
/* The session of the child that owns this tool call, also when it has ended. */
str subagents_session_of_call(const struct subagents *sa, str call);

#endif
