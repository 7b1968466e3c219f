/* Claude Code's stream-json control protocol over one process.
 *
 * Every line of the CLI is parsed once. Answers to our requests and withdrawals of the CLI's are handled as
 * they come; all other messages, the CLI's own requests among them, are frames and are delivered strictly in
 * their order. The user can hold the frames while it waits for something (the disk, an answer): what comes
 * meanwhile is kept, and reading stops when it takes more than CONTROL_HELD_MAX bytes of memory.
 *
 * All callbacks come from the loop, never from inside a call of this module (but see cli_control_request()
 * for lack of memory), and may call any function of it. */
#ifndef HERALD_CLI_CONTROL_H
#define HERALD_CLI_CONTROL_H

#include "cli/control_error.h"
#include "cli/process.h"
#include "json/json.h"

enum {
    CONTROL_HELD_MAX = 8 * 1024 * 1024,
    CONTROL_OPEN_MAX = 4096, /* requests of the CLI's that may be open at a time; more are refused */
};

struct cli_control;

struct cli_control_events {
    /* A message that is no answer and no withdrawal, always an object. Valid during the call; json_ref()
     * keeps it. A "control_request" of the CLI is answered by cli_control_answer() or cli_control_refuse(),
     * in the call or later. */
    void (*frame)(void *user, struct json_doc *doc);
    /* The CLI withdrew its request of this id, which was delivered and is not answered. An answer may still
     * be sent. (One that waits among the held frames is taken out and answered here; nobody hears of it.) */
    void (*withdrawn)(void *user, str request_id);
    /* The process is gone. All open requests of ours have failed before, and all frames were delivered. The
     * object is freed after this returns. */
    void (*ended)(void *user, const struct cli_exit *how);
    /* What was written has drained below CLI_WRITE_LOW again; may be NULL. */
    void (*drained)(void *user);
};

/* NULL when memory is out. A start that fails is told by `ended`. `events` and `log` outlive the object. */
struct cli_control *cli_control_start(uv_loop_t *loop, const struct log *log, const struct cli_spawn *spawn,
                                      const struct cli_control_events *events, void *user) WARN_UNUSED;

/* The answer to a request of ours. `error` is NULL on success; `payload` may be missing then. Of a refusal
 * `payload` is the CLI's whole error answer (with its error_code). Both are valid during the call. */
typedef void control_answer_cb(void *user, const struct control_error *error, json payload);
/* Sends {subtype, …members}; `members` is JSON text of further members without braces, or absent. A
 * `timeout_ms` of 0 waits without limit. `cb` may be NULL. An id of the request for cli_control_forget(); 0
 * when memory is out: then `cb` was called already, with that error. */
uint64_t cli_control_request(struct cli_control *c, const char *subtype, str members, unsigned timeout_ms,
                             control_answer_cb *cb, void *user);
/* The answer of this request no longer matters: its callback is not called. */
void cli_control_forget(struct cli_control *c, uint64_t request);
/* Answers a request of the CLI's: `response` is a JSON value, absent for none. */
void cli_control_answer(struct cli_control *c, str request_id, str response);
void cli_control_refuse(struct cli_control *c, str request_id, str error);
/* A line that is neither, such as a user message. JSON without line breaks. */
void cli_control_send(struct cli_control *c, str line);

/* Stops and goes on delivering frames; nests. */
void cli_control_hold(struct cli_control *c);
void cli_control_release(struct cli_control *c);
/* Makes a frame that was delivered, and is no request, the next one to be delivered. False: memory is out. */
bool cli_control_put_back(struct cli_control *c, struct json_doc *doc) WARN_UNUSED;
/* Stops and goes on reading the process and delivering frames, for back-pressure of the client's. */
void cli_control_pause(struct cli_control *c, bool paused);

/* See cli_process_end(). It is read from then on, whatever was paused. */
void cli_control_end(struct cli_control *c, bool now);

#endif
