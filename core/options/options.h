/* What can be chosen in a session: mode, model, effort, fast mode and agent.
 *
 * The object holds the choices as the client sees them and knows which control requests carry a change to the
 * CLI. It does no I/O. A change goes in steps, so that what is shown is what the CLI has taken:
 *
 *     struct options_change c;
 *     session_options_set(o, &c, id, value);         (or another one that begins a change)
 *     while ((rq = options_change_next(&c)))
 *         send rq; await the answer; options_change_answered(o, &c, error or NULL);
 *     if (c.code) answer the request with c.code and c.error, else look at c.effects
 *     options_change_free(&c);
 *
 * One change at a time for each object: the session queues them. A refusal by a check leaves no requests.
 * What the CLI reports by itself (session_options_note_*) is taken at once and may come in the middle of a
 * change.
 *
 * The warning about auto mode comes once for a session: session_options_take_auto_warning() says when. */
#ifndef HERALD_OPTIONS_OPTIONS_H
#define HERALD_OPTIONS_OPTIONS_H

#include "client/capabilities.h"
#include "launch/launch.h"
#include "options/models.h"
#include "options/option_picks.h"
#include "settings/modes.h"

struct session_options;

/* What to tell the client after a change. Order of sending: warning, OPTIONS_MODE, OPTIONS_LIST. */
enum options_effect {
    OPTIONS_MODE = 1,  /* current_mode_update with session_options_mode() */
    OPTIONS_LIST = 2,  /* config_option_update with the whole list */
    OPTIONS_MODEL = 4, /* the model changed: seed the context window, ask for it again in the background */
};

struct options_request {
    const char *subtype; /* static */
    str members;         /* JSON members without braces, for cli_control_request() */
};

struct options_change {
    int code;  /* 0, or the JSON-RPC code of the refusal */
    str error; /* its text, which goes to data.details; in the change's own memory */
    unsigned effects;
    /* Private. */
    struct options_request requests[6];
    int steps[6]; /* what the answer of each request means */
    unsigned n, at;
    int model; /* the row to switch to; MODEL_NOT_FOUND: `model_id`. Of an agent: its place */
    str model_id;
    str effort; /* what the effort request applies; absent: the option is left out or cleared */
    str effort_shown;
    enum mode mode;
    bool clamped;   /* `mode` takes the place of another */
    bool flag;      /* fast mode */
    unsigned picks; /* what the person picks with it (option_picks.h) */
    struct arena mem;
};

struct session_options_setup {
    const struct client_capabilities *client;
    const struct settings *settings; /* must outlive the object, or be replaced first */
    const struct launch *launch;
    const enum mode *mode; /* to begin in, where it is not that of `launch`: the CLI is told. NULL: it is */
    const struct session_params *params;
    json initialize;                  /* the CLI's answer */
    const char *const *env;           /* of the agent: ANTHROPIC_MODEL, ANTHROPIC_CUSTOM_MODEL_OPTION */
    bool resumed;                     /* the CLI was started with --resume */
    str transcript_model;             /* of a resumed session; may be absent */
    const struct option_picks *picks; /* of the session before the restart of Herald; NULL: none */
    /* The options of the process that this one replaces within a live session (cleared context, changed
     * route): model, effort, agent, fast mode and the once-only warning carry over. NULL: a new start. */
    const struct session_options *carry;
};

/* Reads everything it needs; only `settings` is kept. `start` is the change that brings the CLI in line: run
 * it before the session is answered; its refusal fails the session. NULL when memory is out (`start` needs no
 * free then). */
struct session_options *session_options_new(const struct session_options_setup *setup,
                                            struct options_change *start) WARN_UNUSED;
void session_options_free(struct session_options *o);
/* The settings were read again. */
void session_options_use_settings(struct session_options *o, const struct settings *settings);
/* The client was initialized again. */
void session_options_use_client(struct session_options *o, const struct client_capabilities *client);

/* The request to send now; NULL when there is none (left). */
const struct options_request *options_change_next(const struct options_change *c);
/* Its answer: NULL, or the CLI's error text. */
void options_change_answered(struct session_options *o, struct options_change *c, const char *error);
/* Refuses the change with RPC_INTERNAL_ERROR and this reason, which must outlive it. An absent one: memory is
 * out. */
void options_fail(struct options_change *c, str text);
void options_change_free(struct options_change *c);
/* A change that the client asked for is through: what it picked is the person's choice. */
void session_options_note_picks(struct session_options *o, const struct options_change *c);

/* session/set_mode. */
void session_options_set_mode(struct session_options *o, struct options_change *c, str mode_id);
/* session/set_config_option; `value` is a string or a boolean. */
void session_options_set(struct session_options *o, struct options_change *c, str id, json value);
/* The CLI switched the model by itself (the PostModelSwitch hook): no request asks for the model, the rest
 * follows. Errors of this change are only logged. */
void session_options_model_switched(struct session_options *o, struct options_change *c, str to_model);

/* The mode changed with the CLI's knowledge (EnterPlanMode, an approved plan). `mode` should be what
 * session_options_effective_mode() gave. Returns the effects. */
unsigned session_options_note_mode(struct session_options *o, enum mode mode);
/* `mode`, or acceptEdits in place of an auto mode that the model lacks (the warning is due then). */
enum mode session_options_effective_mode(struct session_options *o, enum mode mode);
/* A fast-mode report (system/init, results of user turns); absent texts where it says nothing. Returns the
 * effects. `*warning` is the description of a warning to give first, a static text "<reason>." titled "Fast
 * mode turned off"; NULL for none. */
unsigned session_options_note_fast(struct session_options *o, str state, str disabled_reason,
                                   const char **warning);
/* True once when the auto mode warning is due. Ask after each change but the first, and when a prompt begins.
 */
bool session_options_take_auto_warning(struct session_options *o);
/* The warning's parts. The text begins in lower case, as it stands after "**title:** ". */
extern const char session_options_auto_title[];
extern const char session_options_auto_text[];

enum mode session_options_mode(const struct session_options *o);
/* The mode can be chosen. */
bool session_options_offers(const struct session_options *o, enum mode mode);
/* False only when the current model is known and lacks auto mode. */
bool session_options_auto_supported(const struct session_options *o);
/* The current model's id as the client sees it. */
str session_options_model(const struct session_options *o);
/* The row of the current model; NULL when it is not among the rows. */
const struct model_row *session_options_model_row(const struct session_options *o);
/* For a process that replaces this one: what launch_request keeps (mode, model, agent, effort). The texts
 * live as long as `o`. */
void session_options_keep(const struct session_options *o, struct launch_request *rq);

/* The `modes` object: {currentModeId, availableModes}. */
void session_options_put_modes(const struct session_options *o, struct buf *b);
/* The configOptions array. `v2`: the members are named as ACP v2 has them. */
void session_options_put(const struct session_options *o, struct buf *b, bool v2);

#endif
