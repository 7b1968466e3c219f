/* The tool calls of a session: from the CLI's blocks, questions, hooks and results to reports for the client.
 *
 * A call is known from its first block (or question) until its result, and its hook 30 s longer. Each step
 * runs the reporter, lets the renderer make reports of the facts, takes out what the client knows and hands
 * them to the surface. What needs the disk (an edited file, a plan file, a skill) is looked up on a worker
 * thread; the CLI's frames are held meanwhile, so that nothing overtakes it.
 *
 * Calls of tools that are shown as a plan are not announced, unless a person must allow them.
 *
 * Providers use ids again, also for calls that are open at once: a call is known by the conversation that it
 * is in (the main one, or that of the subagent of a launch) and its id. Each has a key, one of its own in the
 * session: the CLI's id, or "<launch>:<id>" ("main:<id>") while another conversation has an open call of that
 * id. A client that would see both in one session is told the key in place of the id. */
#ifndef HERALD_TOOL_TOOL_CALLS_H
#define HERALD_TOOL_TOOL_CALLS_H

#include "base/list.h"
#include "base/map.h"
#include "permission/offer.h"
#include "report/tracker.h"
#include "reporter_host/reporter_host.h"
#include "json/json.h"

struct live_task;
struct permission_request;
struct tool_host;

/* The conversation that a call is in. */
struct call_place {
    str parent;  /* the launch of the subagent; absent: the main conversation */
    bool unsure; /* a subagent's whose launch is not known */
};

struct tool_call {
    struct list link;         /* of the calls whose key is not their id */
    char *key;                /* of this call alone */
    char *id, *name, *parent; /* parent: NULL at top level */
    bool unplaced;            /* a subagent's, it is not known which one's */
    bool tells_key;           /* the client is told the key for an id */
    const struct reporter *reporter;
    struct json_doc *input; /* the latest complete input; NULL before it */
    bool announced;         /* the client got its tool_call and no result yet */
    bool dispatched;        /* it reached a complete message or a question */
    bool hook;              /* a PostToolUse callback of it is expected */
    bool command;           /* it runs a shell command */
    bool succeeded;         /* a subagent's: its hook said so */
    bool ended;             /* its result came; only the hook may still come */
    bool cleared_plan;      /* a plan that was accepted with a cleared context */
    bool asked;             /* a question told its input */
    bool answered;          /* Herald has added a person's answers to its input */
    bool described;         /* the client holds a description of the command */
    bool had_cr;            /* the file held a CR before the edit, of which the CLI's report keeps nothing */
    int64_t forget_at;      /* monotonic ms; with `ended` */
    char *looked_at;        /* the file that was looked at before the edit; NULL: none was */
    char *shown;            /* the session where a question announced it; NULL: none did */
};

struct tool_calls {
    const struct tool_host *host;
    bool replay; /* of a stored conversation: whole reports, no hooks, nothing is remembered of what was sent
                  */
    struct map by_key;
    struct list keyed;   /* struct tool_call whose key is not its id */
    struct map scanners; /* "parent\nindex" → struct scanner */
    struct field_tracker *tracker;
    struct buf scratch;
};

/* The host outlives them. False: memory is out. */
bool tool_calls_init(struct tool_calls *tc, const struct tool_host *host, bool replay) WARN_UNUSED;
void tool_calls_free(struct tool_calls *tc);

/* stream_event frames. `parent` is absent at top level. */
void tool_calls_block_start(struct tool_calls *tc, str parent, int64_t index, json block);
void tool_calls_input_delta(struct tool_calls *tc, str parent, int64_t index, str fragment);
void tool_calls_block_stop(struct tool_calls *tc, str parent, int64_t index);
void tool_calls_message_edge(struct tool_calls *tc, str parent);

/* A tool_use block of a complete message, and a result block of the message `m`. */
void tool_calls_use(struct tool_calls *tc, str parent, json block);
void tool_calls_result(struct tool_calls *tc, str parent, json block, json message);
/* The block's type is one of a tool use, or of a tool result. */
bool tool_block_is_use(str type);
bool tool_block_is_result(str type);

void tool_calls_denied(struct tool_calls *tc, json message);
void tool_calls_progress(struct tool_calls *tc, json beat);

/* A question about a call: announces it when that is due, then calls `ready` with the request or, when that
 * cannot be done, NULL. `ready` may come before this returns, or after the disk was read. `options` are those
 * of the request. */
typedef void tool_calls_ready_cb(void *user, const struct permission_request *rq);
void tool_calls_ask(struct tool_calls *tc, json request, str options, tool_calls_ready_cb *ready, void *user);

/* A hook's request. Each calls `done` once: before this returns, or after the disk was read; also when there
 * is nothing to show or the session has ended meanwhile. */
typedef void tool_calls_shown_cb(void *user);
/* PreToolUse of a client that gets patches: notes whether there can be one, and shows a v2 client what the
 * edit is about to change, as far as it can be told. */
void tool_calls_preview(struct tool_calls *tc, json request, tool_calls_shown_cb *done, void *user);
/* PostToolUse: shows what the tool has done. The CLI must not go on before `done`: the next edit of the same
 * file would be read as part of this one. */
void tool_calls_hook(struct tool_calls *tc, json request, tool_calls_shown_cb *done, void *user);
/* PostToolUseFailure: shows with what input the tool has failed, when that is another one than was shown. */
void tool_calls_failed(struct tool_calls *tc, json request, tool_calls_shown_cb *done, void *user);

/* A cancel begins: nothing counts as told any more, so that the ends of the calls are told whole, and no hook
 * is waited for. */
void tool_calls_cancelling(struct tool_calls *tc);

/* Every call that the client knows and that has no result gets its end. `*lost` becomes true when one of them
 * had been dispatched and was not cancelled. */
void tool_calls_close(struct tool_calls *tc, bool cancelled, bool died, bool *lost);
/* The same for one call, which is forgotten; one that has its result keeps it. */
void tool_calls_close_one(struct tool_calls *tc, struct tool_call *call, bool cancelled);
/* This background command of a call is over: the client hears that its terminal ended. */
void tool_calls_terminal_ended(struct tool_calls *tc, const struct live_task *task);

/* The conversation of a frame (`parent` absent: the main one), and of a hook, a question or a denial (`agent`
 * absent: the main one). */
struct call_place call_place_of_parent(str parent);
struct call_place call_place_of_agent(const struct tool_calls *tc, str agent);
/* NULL: there is none. The second finds by key; the third takes whichever conversation's call there is, first
 * one that begins subagents or first one that does not. */
struct tool_call *tool_calls_find(const struct tool_calls *tc, struct call_place at, str id);
struct tool_call *tool_calls_of_key(const struct tool_calls *tc, str key);
struct tool_call *tool_calls_any(const struct tool_calls *tc, str id, bool launch);
/* The id that the client is told. */
str tool_call_told_id(const struct tool_call *call);

#endif
