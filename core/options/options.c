#include "options/options.h"

#include <stdlib.h>

#include "options/options_state.h"

const char session_options_auto_title[] = "Auto mode unavailable";
const char session_options_auto_text[] =
    "the selected model does not support Auto mode; using Accept edits instead.";

/* ---- Changes --------------------------------------------------------------------------------- */

const struct options_request *options_change_next(const struct options_change *c)
{
    return c->at < c->n ? &c->requests[c->at] : NULL;
}

void options_change_free(struct options_change *c)
{
    arena_free(&c->mem);
}

/* ---- Mode ------------------------------------------------------------------------------------ */

bool session_options_auto_supported(const struct session_options *o)
{
    const struct model_row *row = session_options_model_row(o);
    return !row || row->auto_mode;
}

bool session_options_offers(const struct session_options *o, enum mode mode)
{
    return mode < MODE_NONE && mode_info(mode)->kind && (mode != MODE_BYPASS || o->bypass);
}

static enum mode clamp(const struct session_options *o, enum mode mode)
{
    return mode == MODE_AUTO && !session_options_auto_supported(o) ? MODE_ACCEPT_EDITS : mode;
}

static void warn_of_auto(struct session_options *o)
{
    o->auto_warning_due = !o->auto_warned;
}

enum mode session_options_effective_mode(struct session_options *o, enum mode mode)
{
    enum mode effective = clamp(o, mode);
    if (effective != mode) {
        warn_of_auto(o);
    }
    return effective;
}

unsigned session_options_note_mode(struct session_options *o, enum mode mode)
{
    if (mode >= MODE_NONE) {
        return 0;
    }
    o->mode = mode;
    return OPTIONS_MODE | OPTIONS_LIST;
}

bool session_options_take_auto_warning(struct session_options *o)
{
    bool due = o->auto_warning_due;
    o->auto_warned = o->auto_warned || due;
    o->auto_warning_due = false;
    return due;
}

/* Asks for a mode that is offered, or for what takes its place. */
static void pick_mode(struct session_options *o, struct options_change *c, enum mode mode)
{
    enum mode effective = clamp(o, mode);
    c->clamped = effective != mode;
    options_ask_mode(c, STEP_MODE, effective);
}

void session_options_set_mode(struct session_options *o, struct options_change *c, str mode_id)
{
    enum mode mode = mode_of_id(mode_id);

    options_begin(c);
    if (mode == MODE_NONE) {
        options_fail(c, STR("Invalid Mode"));
    } else if (!session_options_offers(o, mode)) {
        options_fail(c,
                     arena_printf(&c->mem, "Mode %s is not available in this session", mode_info(mode)->id));
    } else {
        pick_mode(o, c, mode);
        c->picks = PICKED_MODE;
        c->effects = OPTIONS_LIST | (c->clamped ? OPTIONS_MODE : 0U);
    }
}

/* ---- Effort ---------------------------------------------------------------------------------- */

/* The level as the row has it; absent when the row does not offer it. */
static str offered(const struct model_row *row, str level)
{
    for (size_t i = 0; row && level.p && i < row->n_efforts; i++) {
        if (str_eq(row->efforts[i], level)) {
            return row->efforts[i];
        }
    }
    return STR_ABSENT;
}

str options_recommended_effort(const struct model_row *row)
{
    str medium = offered(row, STR("medium"));
    return medium.p ? medium : row->efforts[0];
}

/* What is shown for a model when nothing is pinned. */
static str unpinned_effort(const struct session_options *o, const struct model_row *row, str id)
{
    const str names[] = {row->resolved, row->value, id};
    str level = offered(row, settings_effort(o->settings, json_root(o->over), names, ARRAY_LEN(names)));

    if (level.p) {
        return level;
    }
    return o->client.air_recommended_value ? options_recommended_effort(row) : STR("default");
}

/* What the CLI is known to use, when the row offers it; else the option is left out. */
static void show_applied(struct session_options *o, const struct model_row *row)
{
    o->effort = offered(row, o->applied_effort);
    o->effort_hidden = !o->effort.p;
}

/* The effort follows a new model: decides what is shown and, if the CLI must be told, asks it. */
static void follow_effort(struct session_options *o, struct options_change *c, str id)
{
    const struct model_row *row = session_options_model_row(o);
    bool has = row && row->n_efforts;
    str pin = offered(row, o->pinned_effort);
    bool lost = o->pinned_effort.p && !pin.p;
    str shown = !has ? STR_ABSENT : pin.p ? pin : unpinned_effort(o, row, id);

    if (!o->client.air_recommended_value && !lost) {
        o->effort = shown;
        o->effort_hidden = false;
        return;
    }
    show_applied(o, row);
    c->effort_shown = shown;
    options_ask_effort(o, c, STEP_EFFORT_SYNC, o->client.air_recommended_value ? shown : STR_ABSENT);
}

static void effort_followed(struct session_options *o, const struct options_change *c)
{
    o->applied_effort = c->effort;
    if (!offered(session_options_model_row(o), o->pinned_effort).p) {
        o->pinned_effort = STR_ABSENT;
    }
    o->effort = c->effort_shown;
    o->effort_hidden = false;
}

static void effort_picked(struct session_options *o, const struct options_change *c)
{
    o->applied_effort = c->effort;
    o->pinned_effort = c->effort;
    o->effort = c->effort.p ? c->effort : STR("default");
    o->effort_hidden = false;
}

static bool pick_effort(struct session_options *o, struct options_change *c, str value)
{
    const struct model_row *row = session_options_model_row(o);
    str level = offered(row, value);

    if (!level.p && (!str_is(value, "default") || o->client.air_recommended_value)) {
        return false;
    }
    options_ask_effort(o, c, STEP_EFFORT, level);
    return true;
}

/* ---- Model ----------------------------------------------------------------------------------- */

str session_options_model(const struct session_options *o)
{
    const struct model_row *row = session_options_model_row(o);
    int best = options_recommended_model(o);

    if (!row) {
        return buf_str(&o->model_id);
    }
    return best >= 0 && str_is(row->value, "default") ? o->models.rows[best].value : row->value;
}

const struct model_row *session_options_model_row(const struct session_options *o)
{
    return o->model >= 0 ? &o->models.rows[o->model] : NULL;
}

int options_recommended_model(const struct session_options *o)
{
    return o->client.air_recommended_value ? models_recommended(&o->models) : MODEL_NOT_FOUND;
}

static void become_model(struct session_options *o, int model, str id)
{
    o->model = model;
    if (model < 0 && !str_eq(id, buf_str(&o->model_id))) {
        buf_clear(&o->model_id);
        buf_put_str(&o->model_id, id);
    }
    if (o->fast_reason && options_reason_of_model(o->fast_reason)) {
        o->fast_reason = NULL;
    }
}

/* The new model is current: what hangs on it follows. */
static void follow_model(struct session_options *o, struct options_change *c, str id)
{
    c->effects |= OPTIONS_MODEL;
    if (o->mode == MODE_AUTO && !session_options_auto_supported(o)) {
        o->mode = session_options_effective_mode(o, MODE_AUTO);
        c->effects |= OPTIONS_MODE;
        options_ask_mode(c, STEP_MODE_SYNC, o->mode);
    }
    follow_effort(o, c, id);
}

static bool pick_model(struct session_options *o, struct options_change *c, str value)
{
    int best = options_recommended_model(o);
    int model = models_find(&o->models, value);
    bool hidden = model >= 0 && best >= 0 && str_is(o->models.rows[model].value, "default");

    if (model < 0 || hidden) {
        model = models_match(&o->models, value);
        hidden = model >= 0 && best >= 0 && str_is(o->models.rows[model].value, "default");
    }
    if (hidden) {
        model = models_match_named(&o->models, value);
    }
    if (model < 0) {
        /* A current model outside the rows may be named again. */
        if (!str_eq(value, session_options_model(o))) {
            return false;
        }
        c->model_id = arena_str(&c->mem, value);
    }
    c->model = model;
    options_ask_model(c, STEP_MODEL, model < 0 ? c->model_id : o->models.rows[model].value);
    return true;
}

void session_options_model_switched(struct session_options *o, struct options_change *c, str to_model)
{
    int model = models_match(&o->models, to_model);

    options_begin(c);
    if (!to_model.n ||
        (model >= 0 ? model == o->model : o->model < 0 && str_eq(to_model, buf_str(&o->model_id)))) {
        return;
    }
    c->effects = OPTIONS_LIST;
    become_model(o, model, to_model);
    o->model_picked = true;
    follow_model(o, c, to_model);
}

/* ---- Fast mode and agent --------------------------------------------------------------------- */

static bool has_fast(const struct session_options *o)
{
    const struct model_row *row = session_options_model_row(o);
    return row && row->fast;
}

unsigned session_options_note_fast(struct session_options *o, str state, str disabled_reason,
                                   const char **warning)
{
    bool on = !str_is(state, "off");
    const struct fast_reason *reason = on ? NULL : options_fast_reason(disabled_reason);
    bool was_on = o->fast;

    *warning = NULL;
    if (!state.n || str_is(state, "cooldown") || !has_fast(o) ||
        (on == o->fast && reason == o->fast_reason)) {
        return 0;
    }
    o->fast = on;
    o->fast_reason = reason;
    if (was_on && reason) {
        *warning = reason->text;
    }
    return OPTIONS_LIST;
}

static bool pick_fast(struct options_change *c, json value)
{
    str word = json_str(value);
    bool on = json_is_true(value) || str_is(word, "on");

    if (!json_is_bool(value) && !on && !str_is(word, "off")) {
        return false;
    }
    options_ask_fast(c, STEP_FAST, on);
    return true;
}

static bool pick_agent(struct session_options *o, struct options_change *c, str value)
{
    int agent = options_agent(o, value);

    if (agent < 0 && !str_is(value, "default")) {
        return false;
    }
    options_ask_agent(o, c, STEP_AGENT, agent);
    return true;
}

/* ---- session/set_config_option --------------------------------------------------------------- */

static bool pick_listed_mode(struct session_options *o, struct options_change *c, str value)
{
    enum mode mode = mode_of_id(value);

    if (!session_options_offers(o, mode)) {
        return false;
    }
    pick_mode(o, c, mode);
    c->effects = OPTIONS_MODE;
    return true;
}

static bool always(const struct session_options *o)
{
    return o != NULL;
}

static bool has_effort(const struct session_options *o)
{
    const struct model_row *row = session_options_model_row(o);
    return row && row->n_efforts && !o->effort_hidden;
}

static bool has_agents(const struct session_options *o)
{
    return o->n_agents > 0;
}

static const struct {
    const char *id;
    bool (*present)(const struct session_options *o);
    bool (*pick)(struct session_options *o, struct options_change *c, str value);
    unsigned picks;
} kinds[] = {
    {"mode", always, pick_listed_mode, PICKED_MODE},    {"model", always, pick_model, PICKED_MODEL},
    {"effort", has_effort, pick_effort, PICKED_EFFORT}, {"fast", has_fast, NULL, PICKED_FAST},
    {"agent", has_agents, pick_agent, PICKED_AGENT},
};

bool options_present(const struct session_options *o, const char *id)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strcmp(kinds[i].id, id) == 0) {
            return kinds[i].present(o);
        }
    }
    return false;
}

/* Text for a message: the client's own words, cut to a sane length. */
static void fail_naming(struct options_change *c, const char *what, str id, str value)
{
    AUTO_BUF(b);

    buf_put_c(&b, what);
    buf_put_str(&b, str_first(id, 256));
    if (value.p) {
        buf_put_c(&b, ": ");
        buf_put_str(&b, str_first(value, 256));
    }
    options_fail(c, arena_buf(&c->mem, &b));
}

void session_options_set(struct session_options *o, struct options_change *c, str id, json value)
{
    options_begin(c);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (!str_is(id, kinds[i].id) || !kinds[i].present(o)) {
            continue;
        }
        str word = json_str(value);
        bool taken = !kinds[i].pick ? pick_fast(c, value) : word.p && kinds[i].pick(o, c, word);
        c->picks = kinds[i].picks;
        if (!taken) {
            fail_naming(c, "Invalid value for config option ", id, word.p ? word : json_raw(value));
        }
        return;
    }
    fail_naming(c, "Unknown config option: ", id, STR_ABSENT);
}

void session_options_note_picks(struct session_options *o, const struct options_change *c)
{
    o->picked |= c->code ? 0 : c->picks;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void model_answered(struct session_options *o, struct options_change *c, enum step step,
                           const char *error)
{
    str id = c->model >= 0 ? o->models.rows[c->model].value : c->model_id;

    if (step == STEP_MODEL) {
        become_model(o, c->model, id);
        o->model_picked = true;
        follow_model(o, c, id);
        return;
    }
    /* A hook of the user's may forbid what the settings ask for; the CLI then stays with its default. */
    become_model(o, error ? 0 : c->model, id);
    options_start_rest(o, c);
}

static void taken(struct session_options *o, struct options_change *c, enum step step)
{
    switch (step) {
    case STEP_MODE:
        if (c->clamped) {
            warn_of_auto(o);
        }
        o->mode = c->mode;
        break;
    case STEP_EFFORT:
        effort_picked(o, c);
        break;
    case STEP_EFFORT_SYNC:
        effort_followed(o, c);
        break;
    case STEP_FAST:
        o->fast_reason = c->flag ? NULL : o->fast_reason;
        o->fast = c->flag;
        break;
    case STEP_FAST_SYNC:
        o->fast = c->flag;
        break;
    case STEP_AGENT:
    case STEP_AGENT_SYNC:
        o->agent = c->model;
        o->agent_picked = true;
        break;
    default:
        break;
    }
}

void options_change_answered(struct session_options *o, struct options_change *c, const char *error)
{
    if (c->at >= c->n) {
        return;
    }
    enum step step = (enum step)c->steps[c->at++];
    bool veto =
        error && step == STEP_START_MODEL && str_has(str_of(error), STR("blocked by a PreModelSwitch hook"));

    if (step == STEP_EFFORT_SYNC && error) {
        show_applied(o, session_options_model_row(o));
    } else if (step == STEP_MODE_SYNC || ((step == STEP_FAST_SYNC || step == STEP_AGENT_SYNC) && error)) {
        return;
    } else if (error && !veto) {
        c->effects = 0;
        options_fail(c, arena_str(&c->mem, str_of(error)));
    } else if (step == STEP_MODEL || step == STEP_START_MODEL) {
        model_answered(o, c, step, error);
    } else {
        taken(o, c, step);
    }
}

/* ---- The start ------------------------------------------------------------------------------- */

/* What follows once the model is known: the mode, the effort, fast mode. */
void options_start_rest(struct session_options *o, struct options_change *c)
{
    const struct model_row *row = session_options_model_row(o);
    enum mode mode = clamp(o, o->first_mode);

    if (mode != o->first_mode) {
        warn_of_auto(o);
    }
    if (!session_options_offers(o, mode)) {
        mode = MODE_DEFAULT;
    }
    if (mode != o->mode) {
        o->mode = mode;
        options_ask_mode(c, STEP_MODE, mode);
    }
    if (row && row->n_efforts) {
        str pin = offered(row, o->wanted_effort);
        o->pinned_effort = pin;
        o->effort = pin.p ? pin : unpinned_effort(o, row, STR_ABSENT);
        if (o->client.air_recommended_value || (o->effort_wanted && pin.p)) {
            c->effort_shown = o->effort;
            options_ask_effort(o, c, STEP_EFFORT_SYNC, o->effort);
        }
    }
    if (has_fast(o) && o->fast_wanted != o->fast && o->fast_carried) {
        options_ask_fast(c, STEP_FAST_SYNC, o->fast_wanted);
    }
    if (o->wanted_agent >= 0) {
        options_ask_agent(o, c, STEP_AGENT_SYNC, o->wanted_agent);
    }
}

void options_start(struct session_options *o, struct options_change *c, int set_model)
{
    options_begin(c);
    if (set_model >= 0) {
        c->model = set_model;
        options_ask_model(c, STEP_START_MODEL, o->models.rows[set_model].value);
    } else {
        options_start_rest(o, c);
    }
}

/* ---- Queries --------------------------------------------------------------------------------- */

enum mode session_options_mode(const struct session_options *o)
{
    return o->mode;
}

void session_options_use_settings(struct session_options *o, const struct settings *settings)
{
    o->settings = settings;
}

void session_options_use_client(struct session_options *o, const struct client_capabilities *client)
{
    o->client = *client;
}

void session_options_keep(const struct session_options *o, struct launch_request *rq)
{
    const struct model_row *row = session_options_model_row(o);
    bool plain = row && str_is(row->value, "default");

    rq->mode = o->mode;
    rq->model = plain && !o->model_picked ? STR_ABSENT : row ? row->value : buf_str(&o->model_id);
    rq->agent = o->agent >= 0 ? o->agents[o->agent].name : o->agent_picked ? STR("") : STR_ABSENT;
    rq->effort = o->pinned_effort.p ? o->pinned_effort : STR("");
}
