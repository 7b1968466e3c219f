/* The session object, for the files that make it up:
 *
 *     session.c           life: prompts, cancel, end, close
 *     host.h              what it uses of its owner; launch_gate.h: what holds it while the provider changes
 *     start.c             how it starts
 *     account.c           who is signed in in its CLI
 *     option_changes.c    its options: what the client asks for, and what it is told
 *     frames.c            the CLI's messages, dispatched by a table
 *     messages.c          assistant and user messages, streamed text
 *     answer.c            how a result answers a prompt; failures
 *     settings_faults.c  settings files that the CLI ignores
 *     notices.c           what the CLI has to say beside the answer
 *     steering.c          messages for the running turn
 *     goal.c              the goal: its commands, and what is stored of it
 *     extensions.c        async tasks, compaction, the report of changed files
 *     titling.c           its title
 *     plan_exit.c         answers to ExitPlanMode that interrupt the CLI
 *     restart.c           another CLI process under the same session; provider_change.c: when all get one
 *
 *     links.c             what the rooms that serve it (tool, question, local) use of it
 *
 * What it is made of has rooms of its own: turn, options, subagent, tool, question, local, extension.
 */
#ifndef HERALD_SESSION_INTERNAL_H
#define HERALD_SESSION_INTERNAL_H

#include "base/list.h"
#include "base/uuid.h"
#include "extension/session_failure.h"
#include "local/local_host.h"
#include "question/questions.h"
#include "report/facts.h"
#include "session/extensions.h"
#include "session/host.h"
#include "session/parts.h"
#include "session/restart.h"
#include "session/settings_check.h"
#include "subagent/live_tasks.h"
#include "tool/child_sessions.h"

enum session_state {
    SESSION_STARTING,
    SESSION_OPEN,
    SESSION_ENDED, /* the CLI is gone, the session is a husk */
    SESSION_GONE,  /* closed: it waits for its last reference */
};

struct session {
    struct session_host *host;
    unsigned refs;
    enum session_state state;
    char id[UUID_SIZE];
    char conversation[UUID_SIZE]; /* the CLI's id of it; it differs from `id` after a cleared context */
    struct session_setup setup;
    struct session_configuration configured;
    struct session_start start; /* while it starts */
    struct session_process process;
    struct restart *restart; /* the CLI is being replaced; NULL: no */
    struct list gone_waiters;
    struct session_account account;
    struct session_keeping keeping;

    struct session_options *options;
    struct option_queue changes; /* of them: those that wait or run */

    struct turns turns;
    struct session_answer answer;
    struct failures failures;
    struct session_titling titling;
    struct map noticed; /* tool use ids that a notice was about */

    struct message_stream stream;
    struct live_tasks live;
    struct child_sessions children;
    struct session_tooling tooling;
    struct session_planning planning;
    struct extensions ext;
    struct questions questions;
    struct local_work local; /* commands in our own words, the sign-in to MCP servers */
    struct command_list commands;
};

/* steps.c: one step of the session's life, at level debug: what, and why. */
void session_step(const struct session *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

void session_hold_frames(struct session *s);
void session_release_frames(struct session *s);
/* A control request, when the CLI is there. */
void session_control(struct session *s, const char *subtype, str members);

/* Something is over that a change of the provider may wait for. */
void session_say_idle(struct session *s);

/* The CLI writes another conversation, of this id. */
void session_take_conversation(struct session *s, str id);
/* The same; and it is what the session's id means from now on. */
void session_conversation_changed(struct session *s, str id);

/* links.c: keeps what the person has picked, when it has changed. */
void session_save_picks(struct session *s);

/* Stops the running work; false when there is no process, or none yet. */
bool session_interrupt(struct session *s);

extern const struct session_error session_error_ended;

/* start.c: other settings count from now on, which were read there; theirs is the session. */
void session_use_settings(struct session *s, struct settings *settings, const struct settings_place *place);
/* start.c: the first change is through; the start failed because the CLI ended with this message; whoever
 * waits for the start is told (once). */
void session_started(struct session *s, const struct options_change *c);
void session_fail_start_ended(struct session *s, const struct cli_exit *how);
void session_fail_start(struct session *s, const struct session_error *error);
/* The message of a CLI that was to resume a conversation of which nothing is stored. */
bool session_message_is_unknown(str message);
void session_tell_ready(struct session *s, const struct session_error *error);

/* account.c, of --hide-claude-auth: the account must not be used, and why; a prompt begins, for which the CLI
 * is replaced when it may have another account than is signed in now. */
bool session_refused_account(struct session *s, struct session_error *error);
void session_renew_account(struct session *s);

/* The CLI has ended; session.c. */
void session_on_ended(struct session *s, const struct cli_exit *how);

/* option_changes.c: the auto mode warning, when it is due; what the client is told of options. */
void session_warn_auto(struct session *s);

/* frames.c */
void session_on_frame(struct session *s, struct json_doc *doc);
/* The tasks beside the conversation are over (live_tasks_clear()), and so are the terminals of commands among
 * them. Due before calls are closed: those of tasks that live on stay open. */
void session_end_tasks(struct session *s, bool reset);

/* titling.c: a turn is over */
void session_update_title(struct session *s);

/* messages.c */
void session_on_stream_event(struct session *s, json frame);
void session_on_assistant(struct session *s, json frame);
void session_on_user(struct session *s, json frame);
/* A text of the agent's (or the CLI's) own. */
void session_say(struct session *s, str message_id, str text, str meta);
void session_clear_streams(struct session *s);
/* The subagent of this launch is over: so is what it streamed. */
void session_drop_stream(struct session *s, str parent);

/* Warns the person: as a notice where the client takes them, else as a text. */
void session_warn(struct session *s, const char *title, const char *text);

/* answer.c */
extern const struct turn_hooks session_turn_hooks;
void session_scratch_free(struct session *s);
/* How the CLI's end answers the active turn and the waiting ones. */
void session_end_turns(struct session *s, bool died);
void session_send_failure(struct session *s, const struct failure_record *record);

/* notices.c */
void session_on_informational(struct session *s, json frame);
void session_on_fallback(struct session *s, json frame);
void session_on_no_fallback(struct session *s, json frame);
void session_on_retry(struct session *s, json frame);
/* The text was just given as a notice. */
bool session_was_notice(const struct session *s, str text);

/* steering.c: tells the turn engine whether a question is open that the foreground work waits for. Due when a
 * question opens or ends, and when a task starts, moves to the background or ends. */
void session_sync_waiting(struct session *s);

/* session.c: nobody is asked anything any more, by the CLI at hand or on its behalf. */
void session_drop_questions(struct session *s);

/* The process: start.c, session.c. Starts the CLI; `cb` gets the answer to initialize, with the session as
 * its user and a reference to it, which `cb` gives back; within `limit_ms`, where 0 is no limit. False:
 * memory is out. */
bool session_spawn(struct session *s, const struct launch *launch, unsigned limit_ms,
                   control_answer_cb *cb) WARN_UNUSED;
/* Takes the CLI away from the session: nothing of it reaches the session any more, but its end. NULL when
 * there is none. */
struct cli_control *session_let_go(struct session *s);

void session_apply_effects(struct session *s, unsigned effects);
void session_change_mode(struct session *s, enum mode mode);
/* The current model's window, learned or guessed; asks the CLI for it in the background. */
void session_select_model(struct session *s);

/* links.c: fills in what other rooms use of the session, which has its id and folder by then. False: memory
 * is out. */
bool session_link(struct session *s) WARN_UNUSED;

/* plan_list.c through these: the plan goes to the client. `parent` is the launch of the subagent whose it is,
 * or absent. */
void session_publish_plan_entries(struct session *s, str parent, const struct fact_plan_entry *entries);
void session_change_tasks(struct session *s, str parent, const struct fact_task_change *changes);

#endif
