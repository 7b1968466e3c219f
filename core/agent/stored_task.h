/* The inside of the stored sessions, which stored_sessions.c (lists, lanes, requests), stored_opening.c
 * (load, resume, fork), stored_removal.c (delete, archive) and stored_claim.c (one writer for each
 * conversation) share. */
#ifndef HERALD_AGENT_STORED_TASK_H
#define HERALD_AGENT_STORED_TASK_H

#include "agent/agent.h"
#include "agent/stored_sessions.h"
#include "history/conversations.h"
#include "history/listing.h"
#include "history/removal.h"

struct replay;

enum task_kind { TASK_OPEN, TASK_FORK, TASK_DELETE };

/* One request about a session. */
struct task {
    struct list link; /* of the history's tasks, in the order in which they came */
    uv_work_t work;
    struct gate_waiter waiter;
    struct gone_waiter gone;
    struct stored_sessions *h;
    enum task_kind kind;
    bool begun;
    struct arena mem;
    str id, cwd;
    struct json_doc *doc;
    struct session_params params;
    bool replay;
    struct fork_point point;
    session_ready_cb *ready;
    session_done_cb *done; /* of a removal */
    void *user;

    /* What the worker is told. */
    struct conversation_place place;
    char was[UUID_SIZE]; /* the conversation of the live session that was closed for the request; empty: none
                          */

    /* What it found. */
    bool no_folder, not_a_folder, archive;
    struct conversation found; /* what goes on under the id */
    enum fork_result forked;
    enum removal removed;
    char other_id[UUID_SIZE]; /* of the copy, or of a live session's conversation */
    str why;

    /* While it is claimed, and from then on. */
    void (*claimed)(struct task *t);
    bool waiting, locked;
    unsigned round;    /* of the timer, in which it was looked at last */
    uint64_t deadline; /* on the loop's clock; 0: it has not waited yet */

    /* While it starts. */
    struct session *session; /* a reference, with a replay or when it is ready */
    struct replay *running;
    bool is_ready;
    enum mode mode; /* of the live session that was closed for it */
};

struct stored_sessions {
    struct agent *agent;
    struct list tasks;
    uv_mutex_t cache_lock;
    struct listing_cache cache;
    uv_timer_t timer; /* looks again at the tasks that wait for another process */
    bool has_timer;
    unsigned round;
};

/* The task is over: its request is answered (NULL: a removal is done), unless the agent closes, and the next
 * one of its session begins. */
void stored_fail(struct task *t, const struct session_error *error);
void stored_fail_text(struct task *t, str details);
void stored_end(struct task *t);
/* The id is no UUID: the task is over. */
bool stored_refuse_id(struct task *t);

/* For a worker: fills in `place` with the sessions that are open at this moment. */
void stored_put_place(struct task *t);
/* In a worker: what goes on under the id. */
void stored_find(struct task *t);

/* stored_claim.c: `claimed` follows when no session of this process and no other process writes the
 * conversation that was found; else the task is over. */
void stored_claim(struct task *t, void (*claimed)(struct task *t));
void stored_unclaim(struct task *t);

/* The requests, whose turn it is. */
void stored_begin_opening(struct task *t);
void stored_begin_removal(struct task *t);

#endif
