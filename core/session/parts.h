/* What a session is made of beside the rooms that serve it, each part for the file that it is named after. */
#ifndef HERALD_SESSION_PARTS_H
#define HERALD_SESSION_PARTS_H

#include "cli/control.h"
#include "options/option_picks.h"
#include "options/option_queue.h"
#include "options/picks_file.h"
#include "prompt/stream_text.h"
#include "prompt/title.h"
#include "session/plan_exit.h"
#include "session/session.h"
#include "settings/settings_faults.h"
#include "settings/settings_watch.h"
#include "tool/plan_list.h"
#include "tool/tool_calls.h"
#include "tool/tool_host.h"
#include "turn/usage.h"

struct title_look;

/* What the client asked for when it began the session. */
struct session_setup {
    char *cwd;
    struct json_doc *doc; /* what the parameters borrow from */
    struct session_params params;
};

struct session_configuration {
    struct settings *settings;
    struct settings_watch *watch;  /* replaces them when the files change */
    struct settings_faults faults; /* of which the person is to be told */
};

/* start.c: what only a start needs. */
struct session_start {
    struct launch launch;
    struct arena mem; /* of `launch` and `picks` */
    struct option_picks picks;
    session_ready_cb *ready;
    void *user;
    enum mode mode;              /* of a resumed session; MODE_NONE: what the settings say */
    struct buf transcript_model; /* of a resumed session; empty: not known */
};

/* The CLI at hand. */
struct session_process {
    struct cli_control *cli; /* NULL before the start and after the end */
    unsigned count;          /* of the processes that were started */
    char *executable;        /* where the CLI was found */
    unsigned generation;     /* of the provider that it was started with: launch_gate.h */
    unsigned holds;          /* of its frames */
    bool paused;             /* reading is stopped for the client's sake */
    bool used;               /* a prompt was written to a CLI: something may be stored */
    bool file_checkpoints;
    bool error_result_last;       /* the last result was an error: an exit with a code follows from it */
    bool shutting_down;           /* it announced its end */
    struct buf backend;           /* env_put_backend() */
    struct json_doc *initialized; /* its answer to initialize */
};

/* messages.c: what was streamed of the present messages. */
struct message_stream {
    struct stream_text main;
    struct map children;   /* parent tool use id → struct stream_text */
    struct map torn;       /* streams (by parent, "" for the main one) that lost a piece */
    struct buf message_id; /* of the last top-level message_start */
};

/* What the turn at hand has shown so far, for the answer of its prompt. */
struct turn_scratch {
    bool text_delivered;   /* assistant text reached the client since the last result */
    bool failed;           /* an assistant message carried an error */
    bool usage_limit;      /* and it is a usage limit */
    bool login;            /* or asks to sign in */
    struct buf error;      /* its kind, in the CLI's words */
    struct buf error_text; /* its text */
    struct buf refusal;    /* the explanation of a refusal */
    struct buf notice;     /* the last notice, white space collapsed */
    struct buf local_text; /* the last text that was not the model's */
    bool real_answer;      /* a real model message came in this turn */
};

/* answer.c */
struct session_answer {
    struct turn_scratch scratch;
    struct usage usage;
    struct usage_turn tally;
    struct usage_turn cycle_tally; /* of the last result that was no prompt's */
    struct buf text;               /* the texts of the answer that is being made */
};

/* titling.c */
struct session_titling {
    struct title title;
    struct title_look *look; /* what is stored is being read; NULL: it is not */
    struct buf first_prompt; /* the stored summary of the conversation */
};

/* The list of commands, frames.c. */
struct command_list {
    struct json_doc *terminal; /* the last terminal_slash_commands, an array; NULL: none */
    struct json_doc *changed;  /* the last commands_changed list; NULL: that of initialize */
};

struct session_tooling {
    struct tool_host host; /* what the calls use of the session */
    struct tool_calls calls;
};

struct session_planning {
    struct plan_list list;
    struct plan_exit exit;
};

/* account.c */
struct session_account {
    bool warned; /* once a session */
    bool renew;  /* another account may be signed in than that of the CLI */
};

/* What is written to the state folder. */
struct session_keeping {
    bool noting, note_again; /* which conversation it is: it is being noted, and has changed since */
    struct picks_file picks;
};

#endif
