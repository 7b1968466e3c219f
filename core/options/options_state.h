/* The inside of session_options, which options.c (changes), options_ask.c
 * (their requests), options_new.c (the start) and options_write.c
 * (what clients see) share. */
#ifndef HERALD_OPTIONS_OPTIONS_STATE_H
#define HERALD_OPTIONS_OPTIONS_STATE_H

#include "options/options.h"

/* Why the CLI turned fast mode off; only the reasons that a person can do something with. */
struct fast_reason {
    const char *id;
    const char *text; /* a sentence */
    bool of_model;    /* another model may have it */
};

struct agent_choice {
    str name, description;
};

/* All text but `model_id` is in `mem`, or static. */
struct session_options {
    struct arena mem;
    const struct settings *settings;
    struct client_capabilities client;
    struct json_doc *over; /* the --settings object; NULL when there is none */

    enum mode mode;
    enum mode first_mode; /* to begin in */
    bool bypass;
    bool auto_warning_due, auto_warned;

    struct model_list models;
    int model;           /* the current row, or MODEL_NOT_FOUND */
    struct buf model_id; /* its id when there is no row */
    bool model_picked;

    str effort; /* shown: a level of the current row, or "default"; absent when the row has none */
    bool effort_hidden;
    str pinned_effort;  /* stays across models that offer it */
    str applied_effort; /* what the CLI took last; absent for none */
    str wanted_effort;  /* asked for at the start */

    bool fast;
    const struct fast_reason *fast_reason;
    bool fast_carried, fast_wanted;

    unsigned picked;    /* by the person: option_picks.h */
    bool effort_wanted; /* `wanted_effort` is a pick: the CLI is not told of it at its start */
    int wanted_agent;   /* the same; MODEL_NOT_FOUND: none */

    const struct agent_choice *agents;
    size_t n_agents;
    int agent; /* -1: the default one */
    bool agent_picked;
};

/* What the answer of a request means for the change. */
enum step {
    STEP_MODEL,       /* a model that was picked: a refusal ends the change */
    STEP_START_MODEL, /* the same at the start: a hook may veto it */
    STEP_MODE,        /* a mode that was picked, or corrected at the start: a refusal ends the change */
    STEP_MODE_SYNC,   /* the mode follows the model: a refusal changes nothing */
    STEP_EFFORT,      /* an effort that was picked: a refusal ends the change */
    STEP_EFFORT_SYNC, /* the effort follows the model: a refusal shows what was applied last */
    STEP_FAST,
    STEP_FAST_SYNC, /* fast mode is carried over: a refusal leaves it off */
    STEP_AGENT,
    STEP_AGENT_SYNC, /* the agent is that of before: a refusal leaves the default one */
};

void options_begin(struct options_change *c);
void options_ask_model(struct options_change *c, enum step step, str value);
void options_ask_mode(struct options_change *c, enum step step, enum mode mode);
/* An absent level takes the override away. */
void options_ask_effort(const struct session_options *o, struct options_change *c, enum step step, str level);
void options_ask_fast(struct options_change *c, enum step step, bool on);
/* -1: the default one. */
void options_ask_agent(const struct session_options *o, struct options_change *c, enum step step, int agent);

/* The explained reason of that id, or NULL. */
const struct fast_reason *options_fast_reason(str id);
/* The reason goes with the model. */
bool options_reason_of_model(const struct fast_reason *reason);
/* The place of an agent, or -1. */
int options_agent(const struct session_options *o, str name);
/* The row that is recommended to a client that asks for it, or MODEL_NOT_FOUND. */
int options_recommended_model(const struct session_options *o);
/* Of a row that has efforts. */
str options_recommended_effort(const struct model_row *row);
/* The option of that id is there. */
bool options_present(const struct session_options *o, const char *id);
/* Begins the change that brings the CLI in line; `set_model` is the row that it must be told of, or
 * MODEL_NOT_FOUND. */
void options_start(struct session_options *o, struct options_change *c, int set_model);
void options_start_rest(struct session_options *o, struct options_change *c);

#endif
