/* The turn engine: which prompt the CLI is working on, and when and how each is answered.
 *
 * A prompt becomes a turn at once and is written to the CLI at once, which queues by itself; unless the CLI
 * is to be replaced first: such turns are `unsent` and come after all others. The engine matches what comes
 * back to turns: by the uuids that a result names, else by the echo of the prompt, else by its lifecycle
 * frames, else by position. States of a turn:
 *
 *     QUEUED       -> ACTIVE    its echo came, or a result that belongs to it
 *     ACTIVE       -> SETTLED   a result, a failure, a cancel, the end of the CLI
 *     ACTIVE       -> HELD      a result, but subagents that it started still run
 *     HELD         -> SETTLED   their end, a cancel, the next prompt
 *     ACTIVE, HELD -> STEERED   a steering message
 *     STEERED      -> ACTIVE    the answer to it; it then ends as ever
 *     any of them  -> SETTLING  its end, but something must still come before the answer
 *     SETTLING     -> SETTLED   that is done
 *     QUEUED       -> SETTLED   a cancel, the end of the CLI
 *
 * A cancel or the CLI's end overtakes what a settling turn waits for; the caller delivers no frames
 * meanwhile.
 *
 * At most one turn is active (held and steered ones are, a settling one is not any more). Invariants: every
 * turn is answered exactly once; answers come in the order of the prompts, except that queued turns that are
 * cancelled answer before the active one; a result that is not the user's (a cycle that the CLI starts by
 * itself) never answers a prompt; an idle that belongs to a result that was handled already never fails the
 * next turn (owed_idles).
 *
 * Two kinds of observers are told: each prompt's own, which answers it, and the session's foreground, which
 * tells what a client would wait for before its next prompt. The foreground work belongs to a turn or to the
 * one nameless cycle of the CLI's own; an end that its owner does not report is nothing. A held turn's
 * foreground work is over, its answer is not.
 *
 * The engine knows nothing of ACP and does no I/O: it asks its hooks. It follows the stated rules of the
 * CLI's stream-json protocol 2.1 (lifecycle frames, prompt uuids in results and model requests). */
#ifndef HERALD_TURN_TURN_H
#define HERALD_TURN_TURN_H

#include "base/list.h"
#include "base/map.h"
#include "json/json.h"

enum turn_state { TURN_QUEUED, TURN_ACTIVE, TURN_HELD, TURN_STEERED, TURN_SETTLING, TURN_SETTLED };

/* "queued", "active", ... */
const char *turn_state_name(enum turn_state state);

/* How a turn ended: a stop reason, or an error. */
struct turn_end {
    const char *stop_reason; /* NULL: an error */
    bool failed; /* it failed, though the answer may name a stop reason and tell the failure in its members */
    int code;    /* of the error */
    str message;
    str data;    /* JSON, or absent */
    str members; /* members of the answer beside the stop reason (usage, _meta), without braces; absent for
                    none */
};

/* Answers one prompt. */
struct turn_observer {
    /* The CLI has taken the prompt in, under this uuid. At most once, never after the end. */
    void (*inserted)(void *user, const char *uuid);
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
    bool started;            /* lifecycle `started` came */
    bool finished;           /* a terminal lifecycle state came */
    bool finished_cancelled; /* and it was `cancelled` */
    bool result_seen;        /* a user result came after `started` */
    bool local_only;         /* a local command whose result text is the answer */
    bool folded;             /* the CLI answered it together with an earlier one */
    bool unsent;             /* QUEUED, and the CLI was not given it yet */
    uint64_t cancel_timer;   /* of the hooks; 0: none */
    struct buf line;         /* the message as it is written to the CLI, until it is active */

    /* The outcome that waits to be told: of a held or settling turn, or the last one of a steered turn. */
    bool recorded;
    const char *recorded_reason;
    struct buf recorded_members;

    struct map spawned;      /* ids of the subagents that it started or resumed */
    struct list steers;      /* the steers whose answer is outstanding: struct turn_steer */
    bool result_since_steer; /* a result came since the last echo of a steer */
};

/* What a result of the active turn means when a person's answer caused it. */
enum turn_verdict {
    TURN_ENDS,      /* nothing special: it ends by the result */
    TURN_CANCELLED, /* it ends as cancelled */
    TURN_GOES_ON,   /* it stays active: its work goes on in another process (turns_renewed() was called) */
};

/* What went wrong with a turn that has no proper end. */
enum turn_fault {
    TURN_NO_RESULT,       /* the CLI went idle without a result */
    TURN_INCOMPLETE_CALL, /* a tool call that had really begun has no result */
};

enum foreground {
    FOREGROUND_RUNNING,
    FOREGROUND_AWAITING_USER,
    FOREGROUND_ENDED,
};

/* What the engine needs done. */
struct turn_hooks {
    /* Withdraw a prompt that waits in the CLI's queue. */
    void (*cancel_queued)(void *user, const char *uuid);
    /* Stop the running work; false when there is no process that would report its end. */
    bool (*interrupt)(void *user);
    /* A cancel begins, before any turn is answered by it. */
    void (*cancelling)(void *user);
    /* A turn became the active one: per-turn state starts afresh. `by_result`: by its result, without an
     * echo, so that what came before is its own. */
    void (*activated)(void *user, struct turn *t, bool by_result);
    /* A subagent of this id still runs and holds the turn that started it. */
    bool (*task_holds)(void *user, str task_id);
    /* Close what the turn left open. Before its answer, when it was active. `cancelled`: its work was
     * stopped. `lost` comes back true when a call that the CLI had really begun has no result although the
     * turn ended normally. */
    void (*close_calls)(void *user, struct turn *t, bool cancelled, bool *lost);
    /* The turn is about to be answered so; comes for every turn, exactly once. True: the answer must wait for
     * turns_settled(), which comes later; only heeded when `may_wait`. */
    bool (*before_answer)(void *user, struct turn *t, const struct turn_end *end, bool may_wait);
    /* May be NULL. The verdict on a result of the active turn, or of a follow-up while it is held; `t` is
     * NULL for the result of a cycle. Only TURN_GOES_ON is heeded for the latter two. */
    enum turn_verdict (*verdict)(void *user, struct turn *t, json result);
    /* The answer to a result of the user's: fill in the end. The result may be missing (a turn that ends
     * without one). What the end points to lives until the next hook that fills one in. */
    void (*finish)(void *user, struct turn *t, json result, struct turn_end *end);
    /* The same for a turn that was cancelled after it was active, for a faulty one, and for a cycle's result.
     */
    void (*finish_cancelled)(void *user, struct turn *t, struct turn_end *end);
    void (*finish_faulty)(void *user, struct turn *t, enum turn_fault fault, struct turn_end *end);
    void (*finish_cycle)(void *user, json result, struct turn_end *end);
    /* A result that is no turn's own says that its work failed: a cycle's, or, with `held`, that of a
     * follow-up which the turn's answer waits for. True: `end` was filled in and answers the held turn at
     * once. */
    bool (*failed_beside)(void *user, struct turn *held, json result, struct turn_end *end);
    /* Every result, before a turn is settled by it: usage. `own`: it is the user's, not a cycle's. */
    void (*result)(void *user, json result, bool own);
    /* A result was handled to its end. `quiet`: no turn is left that it could belong to. */
    void (*result_done)(void *user, bool own, bool quiet);
    /* The session's foreground work; `end` only with FOREGROUND_ENDED. What a client would wait for before
     * its next prompt; apart from what answers a prompt. */
    void (*foreground)(void *user, enum foreground what, const struct turn_end *end);
    /* A turn was answered and is no more. */
    void (*gone)(void *user);
    /* May be NULL. The turn has passed to another state, for this reason: for a log. */
    void (*stepped)(void *user, const struct turn *t, const char *why);
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
    bool running;   /* the last state that the CLI told is `running` */
    bool busy;      /* ... or anything but `idle` */
    bool requested; /* a model request came since the last result */
    bool ended;     /* the CLI is gone */
    /* The owner of the foreground work: a turn, a cycle of the CLI's own, or nobody. */
    struct turn *work;
    bool cycle;
    struct json_doc *waiting_result; /* a result that came with others' settling; NULL: none */
    bool blocked;                    /* a question to the person is open that the foreground work waits for */
};

/* May the output of the CLI still be shown? */
enum turn_output {
    TURN_OUTPUT_OPEN,
    TURN_OUTPUT_CLOSING, /* the work was cancelled, which the client was not told yet: streamed pieces and
                            results of known calls only */
    TURN_OUTPUT_MUTE,
};

void turns_init(struct turns *ts, const struct turn_hooks *hooks, void *user);
/* Forgets everything; open turns end cancelled first. */
void turns_free(struct turns *ts);

/* A prompt of this uuid (which the engine copies) goes to the CLI now. NULL: memory is out. */
struct turn *turns_add(struct turns *ts, const char *uuid, const struct turn_observer *observer, void *user);
/* Of a prompt whose outcome nobody waits for. */
extern const struct turn_observer turn_observer_nobody;
bool turns_busy(const struct turns *ts);
/* A prompt that the CLI was given is not answered yet, or the CLI works on something of its own. */
bool turns_working(const struct turns *ts);
/* Answers a held turn that a prompt which is not sent yet waits for: as the CLI's taking it in would. */
void turns_release(struct turns *ts);
/* Answers a prompt that was not given to the CLI. */
void turns_refuse(struct turns *ts, struct turn *t, const struct turn_end *end);
struct turn *turns_find(struct turns *ts, str uuid);

/* A turn can be steered. */
bool turns_steerable(const struct turns *ts);
/* A steer of this uuid goes to the CLI now, as `line`. False: no turn can be steered, or memory is out. */
bool turns_steer(struct turns *ts, const char *uuid, str line);
/* A subagent was started or resumed: the active turn waits for it. */
void turns_spawned(struct turns *ts, str task_id);
/* A question that the foreground work waits for is open, or none is any more. */
void turns_set_blocked(struct turns *ts, bool blocked);
/* What before_answer() waited for is done. Nothing happens when the turn was answered meanwhile. */
void turns_settled(struct turns *ts, str uuid);

/* session/cancel. */
void turns_cancel(struct turns *ts);
/* The CLI's answer to interrupt: the prompts that are still in its queue (an array of uuids). */
void turns_still_queued(struct turns *ts, json uuids);
void turns_cancel_timeout(struct turns *ts, struct turn *t);

/* Frames. */
void turns_on_lifecycle(struct turns *ts, str uuid, str state);
/* A user message with this uuid came back. True when it is the echo of a prompt or of a steer. */
bool turns_on_echo(struct turns *ts, str uuid);
/* A model request that serves these prompts begins. */
void turns_on_request(struct turns *ts, json uuids);
void turns_on_result(struct turns *ts, json result);
void turns_on_state(struct turns *ts, str state);
/* Output of the main conversation came. */
void turns_on_output(struct turns *ts);
/* Another process takes the CLI's place: what the old one owes is void, and waiting prompts go to it anew. A
 * turn that was held or steered is plainly active again; a steer that the old process had not taken in
 * becomes a waiting prompt, whose outcome nobody waits for. Those that wait are unsent again. */
void turns_renewed(struct turns *ts);
/* The CLI is gone. `active` answers the active turn, `queued` the others; a held one has its outcome. */
void turns_on_end(struct turns *ts, const struct turn_end *active, const struct turn_end *queued);
/* The result tells of work that the CLI started by itself, and names no open prompt. */
bool turns_result_is_autonomous(struct turns *ts, json result);
/* What of the CLI's output may still reach the client. The end of cancelled work is told to the client by the
 * answers of its prompts, or (`by_foreground`) by the foreground's events. */
enum turn_output turns_output(const struct turns *ts, bool by_foreground);

#endif
