#include <stdlib.h>

#include "options/options_state.h"
#include "settings/model_text.h"

enum { AGENTS_MAX = 1024 };

/* Agents that are not for the person to pick. */
static const char *const hidden_agents[] = {
    "claude", "general-purpose", "Explore", "Plan", "statusline-setup", "default",
};

static const struct fast_reason reasons[] = {
    {"free", "the free plan does not include it.", false},
    {"extra_usage_disabled", "extra usage is turned off for this account.", false},
    {"model_not_allowed", "it is not allowed for this model.", true},
    {"not_first_party", "only Anthropic's own API offers it.", false},
    {"disabled_by_env", "the environment turns it off.", false},
    {"network_error", "its availability could not be checked.", false},
};

const struct fast_reason *options_fast_reason(str id)
{
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
        if (str_is(id, reasons[i].id)) {
            return &reasons[i];
        }
    }
    return NULL;
}

bool options_reason_of_model(const struct fast_reason *reason)
{
    return reason->of_model;
}

int options_agent(const struct session_options *o, str name)
{
    for (size_t i = 0; i < o->n_agents; i++) {
        if (str_eq(o->agents[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

static bool hidden_agent(str name)
{
    for (size_t i = 0; i < ARRAY_LEN(hidden_agents); i++) {
        if (str_is(name, hidden_agents[i])) {
            return true;
        }
    }
    return false;
}

static void read_agents(struct session_options *o, json list)
{
    size_t count = json_is(list, JSON_ARRAY) ? json_count(list) : 0;
    size_t max = count < AGENTS_MAX ? count : AGENTS_MAX;
    struct agent_choice *agents = arena_alloc(&o->mem, (max + 1) * sizeof *agents);

    o->agents = agents;
    for (struct json_iter it = json_each(list); agents && o->n_agents < max && json_next(&it);) {
        str name = json_text(json_get(it.value, "name"));
        if (name.p && !hidden_agent(name) && options_agent(o, name) < 0) {
            agents[o->n_agents] = (struct agent_choice){
                arena_str(&o->mem, name),
                arena_str(&o->mem, json_text(json_get(it.value, "description"))),
            };
            o->n_agents++;
        }
    }
}

/* The current model of a new process. Returns the row that the CLI must be told of, or MODEL_NOT_FOUND. */
static int choose_model(struct session_options *o, const struct session_options_setup *setup)
{
    str forced = env_get(setup->env, "ANTHROPIC_MODEL");
    str wanted = forced.p ? forced : settings_model(setup->settings);
    int found = wanted.n ? models_match(&o->models, wanted) : MODEL_NOT_FOUND;

    o->model = 0;
    if (wanted.n) {
        o->model = found >= 0 ? found : 0;
        const struct model_row *row = &o->models.rows[o->model];
        bool resolved = found >= 0 && (!str_eq(row->value, wanted) || row->synthesized);
        return resolved || setup->resumed ? o->model : MODEL_NOT_FOUND;
    }
    if (setup->resumed && setup->transcript_model.n) {
        /* Which of the two the person had picked is not stored when the default resolves to the same model.
         */
        bool is_default = model_same(o->models.rows[0].resolved, setup->transcript_model);
        o->model = is_default ? 0 : models_match(&o->models, setup->transcript_model);
        buf_put_str(&o->model_id, setup->transcript_model);
    }
    return MODEL_NOT_FOUND;
}

/* A process that replaces another was started with its model; the row is the one of the same value. */
static void carry_over(struct session_options *o, const struct session_options *old)
{
    const struct model_row *row = session_options_model_row(old);
    str id = row ? row->value : buf_str(&old->model_id);

    o->model = models_find(&o->models, id);
    if (o->model < 0) {
        buf_put_str(&o->model_id, id);
    }
    o->model_picked = old->model_picked;
    o->wanted_effort = arena_str(&o->mem, old->pinned_effort);
    o->agent = old->agent >= 0 ? options_agent(o, old->agents[old->agent].name) : -1;
    o->agent_picked = old->agent_picked;
    o->fast_carried = true;
    o->fast_wanted = old->fast;
    o->picked = old->picked;
    o->auto_warned = old->auto_warned;
    o->auto_warning_due = old->auto_warning_due;
}

/* What the person picked before Herald was restarted. Returns the row that the CLI must be told of, as
 * choose_model() does, which has chosen the present one. */
static int take_picks(struct session_options *o, const struct option_picks *p, int set_model)
{
    int row = p->picked & PICKED_MODEL ? models_find(&o->models, p->model) : MODEL_NOT_FOUND;
    if (row >= 0 && row != o->model) {
        o->model = set_model = row;
    }
    o->model_picked = row >= 0;
    if (p->picked & PICKED_EFFORT) {
        o->effort_wanted = true;
        o->wanted_effort = str_is(p->effort, "default") ? STR_ABSENT : arena_str(&o->mem, p->effort);
    }
    if (p->picked & PICKED_FAST) {
        o->fast_carried = true;
        o->fast_wanted = p->fast;
    }
    if (p->picked & PICKED_AGENT) {
        o->agent_picked = true;
        o->agent = -1;
        o->wanted_agent = options_agent(o, p->agent);
    }
    o->picked = p->picked;
    return set_model;
}

static bool fill(struct session_options *o, const struct session_options_setup *setup, int *set_model)
{
    json options = session_params_options(setup->params);
    str custom = env_get(setup->env, "ANTHROPIC_CUSTOM_MODEL_OPTION");
    str fast = json_text(json_get(setup->initialize, "fast_mode_state"));

    o->settings = setup->settings;
    o->client = *setup->client;
    o->mode = setup->launch->mode;
    o->first_mode = setup->mode ? *setup->mode : o->mode;
    o->bypass = setup->launch->bypass;
    o->wanted_agent = MODEL_NOT_FOUND;
    if (setup->launch->settings.p) {
        o->over = json_parse(setup->launch->settings, NULL);
    }
    if (!models_build(&o->mem, &o->models, json_get(setup->initialize, "models"), o->settings, custom)) {
        return false;
    }
    read_agents(o, json_get(setup->initialize, "agents"));
    o->fast = fast.p && !str_is(fast, "off");
    o->fast_reason =
        o->fast ? NULL
                : options_fast_reason(json_str(json_get(setup->initialize, "fast_mode_disabled_reason")));
    if (setup->carry) {
        carry_over(o, setup->carry);
        *set_model = MODEL_NOT_FOUND;
    } else {
        *set_model = choose_model(o, setup);
        o->wanted_effort = arena_str(&o->mem, json_text(json_get(options, "effort")));
        o->agent = options_agent(o, json_str(json_get(options, "agent")));
        if (setup->picks) {
            *set_model = take_picks(o, setup->picks, *set_model);
        }
    }
    return arena_ok(&o->mem) && buf_ok(&o->model_id);
}

struct session_options *session_options_new(const struct session_options_setup *setup,
                                            struct options_change *start)
{
    struct session_options *o = calloc(1, sizeof *o);
    int set_model = MODEL_NOT_FOUND;

    if (o && !fill(o, setup, &set_model)) {
        session_options_free(o);
        return NULL;
    }
    if (o) {
        options_start(o, start, set_model);
    }
    return o;
}

void session_options_free(struct session_options *o)
{
    if (o) {
        json_unref(o->over);
        buf_free(&o->model_id);
        arena_free(&o->mem);
        free(o);
    }
}
