/* The turn engine: which prompt the CLI is working on, and when and how each is answered.
 *
 * A prompt becomes a turn at once and is written to the CLI at once, which queues by itself. The engine matches what comes
 * back to turns: by the uuids that a result names, else by the echo of the prompt, else by its lifecycle frames, else by
 * position. States of a turn:
 *
 *     QUEUED --echo, or a result that belongs to it--> ACTIVE --result, failure, cancel, end of the CLI--> SETTLED
 *     QUEUED --cancel, end of the CLI--> SETTLED
 *
 * At most one turn is active. Invariants: every turn is answered exactly once; answers come in the order of the prompts,
 * except that queued turns that are cancelled answer before the active one; a result that is not the user's (a cycle that
 * the CLI starts by itself) never answers a prompt; an idle that belongs to a result that was handled already never fails
 * the next turn (owed_idles).
 *
 * The engine knows nothing of ACP and does no I/O: it asks its hooks. It follows the stated rules of the CLI's stream-json
 * protocol 2.1 (lifecycle frames, prompt uuids in results and model requests). */
#ifndef HERALD_SESSION_TURN_H
#define HERALD_SESSION_TURN_H

#include "base/list.h"
#include "base/map.h"
#include "json/json.h"

enum turn_state { TURN_QUEUED, TURN_ACTIVE, TURN_SETTLED };

/* How a turn ended: a stop reason, or an error. */
struct turn_end {
    const char *stop_reason; /* NULL: an error */
    int code;                /* of the error */
    str message;
    str data;    /* JSON, or absent */
    str members; /* members of the answer beside the stop reason (usage, _meta), without braces; absent for none */
};

/* Answers one prompt. */
struct turn_observer {
    /* The CLI has taken the prompt in. At most once, never after the end. */
    void (*inserted)(void *user);
    /* The end; exactly once. The observer forgets the turn. */
    void (*ended)(void *user, const struct turn_end *end);
};

struct turn {
    struct list link;
    char uuid[37];
    enum turn_state state;
    const struct turn_observer *observer;
    void *user;
    bool inserted;
    bool started;      /* lifecycle `started` came */
    bool finished;     /* a terminal lifecycle state came */
    bool finished_cancelled; /* and it was `cancelled` */
    bool result_seen;  /* a user result came after `started` */
    bool local_only;   /* a local command whose result text is the answer */
    uint64_t cancel_timer; /* of the hooks; 0: none */
};

/* What the engine needs done. `turn` may be NULL where a hook says so. */
struct turn_hooks {
    /* Withdraw a prompt that waits in the CLI's queue; stop the running work. */
    void (*cancel_queued)(void *user, const char *uuid);
    void (*interrupt)(void *user);
    /* A turn became the active one: per-turn state starts afresh. */
    void (*activated)(void *user, struct turn *t);
    /* Close what the turn left open. Before its answer, always. `cancelled`: its work was stopped. `lost` comes back true
     * when a call that the CLI had really begun has no result although the turn ended normally. */
    void (*close_calls)(void *user, struct turn *t, bool cancelled, bool *lost);
    /* The answer to a result of the user's: fill in the end. The result may be missing (a turn that ends without one). */
    void (*finish)(void *user, struct turn *t, json result, struct turn_end *end);
    /* The answer members for a turn that was cancelled after it was active. */
    void (*finish_cancelled)(void *user, struct turn *t, struct turn_end *end);
    /* Every result, before a turn is settled by it: usage. `own`: it is the user's, not a cycle's. */
    void (*result)(void *user, json result, bool own);
    /* The session's foreground work: it runs (`end` is NULL), or it ended so. What a client would wait for before its next
     * prompt; apart from what answers a prompt. */
    void (*foreground)(void *user, const struct turn_end *end);
    /* Starts a timer of `ms` that calls turns_cancel_timeout(); its number (not 0), or stops one. */
    uint64_t (*start_timer)(void *user, unsigned ms, struct turn *t);
    void (*stop_timer)(void *user, uint64_t timer);
};

enum turn_orphan { ORPHAN_PENDING = 1, ORPHAN_STARTED, ORPHAN_ZOMBIE };

struct turns {
    const struct turn_hooks *hooks;
    void *user;
    struct list queue; /* unsettled turns in the order of the prompts, the active one included */
    struct turn *active;
    bool cancelled;               /* the session's work was cancelled and the next has not begun */
    struct map cancelled_prompts; /* uuids of the work that was cancelled */
    struct map withdrawn;         /* of those, the ones that were still queued */
    struct map orphans;           /* uuid → an enum turn_orphan: settled, but the CLI may still run it */
    unsigned owed_idles;
    bool running; /* the last state that the CLI told is `running` */
    bool ended;   /* the CLI is gone */
    /* The owner of the foreground work: a turn, a cycle of the CLI's own, or nobody. */
    struct turn *work;
    bool cycle;
};

void turns_init(struct turns *ts, const struct turn_hooks *hooks, void *user);
/* Forgets everything; open turns end cancelled first. */
void turns_free(struct turns *ts);

/* A prompt of this uuid (which the engine copies) goes to the CLI now. NULL: memory is out. */
struct turn *turns_add(struct turns *ts, const char *uuid, const struct turn_observer *observer, void *user);
bool turns_busy(const struct turns *ts);
struct turn *turns_find(struct turns *ts, str uuid);

/* session/cancel. */
void turns_cancel(struct turns *ts);
/* The CLI's answer to interrupt: the prompts that are still in its queue (an array of uuids). */
void turns_still_queued(struct turns *ts, json uuids);
void turns_cancel_timeout(struct turns *ts, struct turn *t);

/* Frames. */
void turns_on_lifecycle(struct turns *ts, str uuid, str state);
/* A user message with this uuid came back. True when it is the echo of a prompt. */
bool turns_on_echo(struct turns *ts, str uuid);
/* A model request that serves these prompts begins. */
void turns_on_request(struct turns *ts, json uuids);
void turns_on_result(struct turns *ts, json result);
void turns_on_state(struct turns *ts, str state);
/* Output of the main conversation came. */
void turns_on_output(struct turns *ts);
/* The CLI is gone. `active` answers the active turn, `queued` the others. */
void turns_on_end(struct turns *ts, const struct turn_end *active, const struct turn_end *queued);
/* The result tells of work that the CLI started by itself, and names no open prompt. */
bool turns_result_is_autonomous(struct turns *ts, json result);
/* True while the output of stopped work must not reach the client any more. */
bool turns_mute(const struct turns *ts);

#endif
