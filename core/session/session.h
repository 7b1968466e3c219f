/* A session: one conversation with one `claude` process, as the client knows it by its session id.
 *
 * Life: session_new() → STARTING → (the CLI is ready) OPEN → session_close(), or the CLI ends → the object
 * goes when its last reference does. A CLI that ends by itself without an error leaves the session as an
 * ENDED husk that refuses prompts in words; one that died takes the session with it. Everything runs on the
 * loop thread. */
#ifndef HERALD_SESSION_SESSION_H
#define HERALD_SESSION_SESSION_H

#include "base/list.h"
#include "launch/launch.h"
#include "provider/auth.h"
#include "rpc/request_error.h"
#include "turn/turn.h"

struct replay_target;
struct session_host;
struct session;

/* The session is ready (`error` is NULL), or could not be started; then it is gone when this returns. */
typedef void session_ready_cb(void *user, struct session *s, const struct session_error *error);
/* Starts a session. `params` is valid during the call; `doc` is the document it lives in. NULL only when
 * memory is out. */
struct session *session_new(struct session_host *host, const struct session_params *params,
                            struct json_doc *doc, session_ready_cb *ready, void *user);
/* What a stored session goes on with. */
struct session_past {
    str id;           /* of the session, which it keeps; a UUID */
    str conversation; /* the stored conversation; a UUID */
    enum mode mode;   /* to start in; MODE_NONE: what was picked before, else the transcript's */
    str picks;        /* the session whose picks of options count; its own id, or that of its source */
};
struct session *session_resume(struct session_host *host, const struct session_params *params,
                               struct json_doc *doc, const struct session_past *past, session_ready_cb *ready,
                               void *user);
/* `gone` comes when nothing is left of the session, its process neither. The waiter is the caller's and must
 * be there until then. */
struct gone_waiter {
    struct list link;
    void (*gone)(void *user);
    void *user;
};
void session_on_gone(struct session *s, struct gone_waiter *w, void (*gone)(void *user), void *user);
/* The object lives as long as somebody has a reference to it. */
void session_ref(struct session *s);
void session_unref(struct session *s);
/* The session still talks to the client. */
bool session_live(const struct session *s);
/* It is open, and its CLI is there. */
bool session_serves(const struct session *s);
str session_id(const struct session *s);
/* The CLI's id of the conversation; it differs after a cleared context. */
str session_conversation(const struct session *s);
const struct session_params *session_params(const struct session *s);
/* Of an open session; else MODE_NONE. */
enum mode session_mode(const struct session *s);
/* What a replay of its stored conversation uses of it. */
void session_replay_target(struct session *s, struct replay_target *target);
str session_cwd(const struct session *s);
/* What decides which account its CLI uses: `env` of its options (any JSON, or missing), and the API key
 * helper of its settings (absent: none). Borrowed. */
json session_environment(const struct session *s);
str session_api_key_helper(const struct session *s);
/* A probe told who is signed in: with another account than its CLI's it gets another CLI, with the next
 * prompt. */
void session_account_probed(struct session *s, enum auth_kind kind);
/* The CLI has ended, without having died. */
bool session_ended(const struct session *s);

/* What session/new answers beside the id. */
void session_put_modes(struct session *s, struct buf *b);
void session_put_options(struct session *s, struct buf *b);
/* The commands, an array; and an update with them. */
void session_put_commands(struct session *s, struct buf *b);
void session_send_commands(struct session *s);
/* The client has the answer, so that what needs it can begin: the sign-in to MCP servers, and the question
 * for the context window's size. */
void session_answered(struct session *s);

/* session/prompt. The prompt's blocks passed prompt_check(); `meta` is its _meta, or missing. False: it was
 * refused with `*error`, and no observer is called. */
bool session_prompt(struct session *s, json blocks, json meta, const struct turn_observer *observer,
                    void *user, struct session_error *error);
/* Sets the goal, or clears it when `objective` is absent: as a message for the running turn, or as a prompt
 * whose end is the answer. */
void session_goal(struct session *s, str objective, session_done_cb *done, void *user);
/* The session in which this one announced a background task: itself, or one of a subagent; absent when it
 * announced none of that id. */
str session_of_task(const struct session *s, str task);
/* Stops a background task. `stopped` is false when there is nothing to stop. */
typedef void session_stopped_cb(void *user, const struct session_error *error, bool stopped);
void session_stop_task(struct session *s, str task, session_stopped_cb *done, void *user);
void session_cancel(struct session *s);
void session_set_mode(struct session *s, str mode, session_done_cb *done, void *user);
void session_set_option(struct session *s, str id, json value, session_done_cb *done, void *user);

/* Ends the session: its turns are answered as cancelled, the CLI is asked to go. `done` (may be NULL) comes
 * when the turns are answered. The session leaves the agent's table at once. */
void session_close(struct session *s, session_done_cb *done, void *user);

/* For a change of the provider. The session works: on a prompt, on an option change that its CLI may still
 * answer, or it gets another CLI. */
bool session_works(const struct session *s);
/* It works on such an option change. */
bool session_changes_options(const struct session *s);
/* It gets another CLI. */
bool session_restarts(const struct session *s);
/* Prompts that wait do not wait for subagents in the background first. */
void session_release_held(struct session *s);
/* Writes the prompts that waited to the CLI, when it may be given them. */
void session_send_unsent(struct session *s);
/* Gives an open session another CLI under the present provider, in the same conversation. When it cannot come
 * back it is closed with a word about it. */
void session_change_provider(struct session *s);

/* The client was initialized again. */
void session_use_client(struct session *s);
/* Reading the CLI stops while the client is slow. */
void session_pause(struct session *s, bool paused);

#endif
