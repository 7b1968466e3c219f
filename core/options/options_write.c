#include "options/options_state.h"

#include "client/air_meta.h"
/* {"jetbrains":{"air":{"version":1,KEY:VALUE}}} as the member _meta. */
static void put_air(struct buf *b, const char *key, str value)
{
    json_key(b, "_meta");
    json_open_object(b);
    air_meta_open(b);
    json_member_str(b, key, value);
    air_meta_close(b);
    json_close_object(b);
}

/* The modes that can be chosen; `key` is what names one. */
static void put_mode_list(const struct session_options *o, struct buf *b, const char *key)
{
    json_open_array(b);
    for (int i = 0; i < MODE_NONE; i++) {
        const struct mode_info *info = mode_info((enum mode)i);
        if (!session_options_offers(o, (enum mode)i)) {
            continue;
        }
        json_open_object(b);
        json_member_c(b, key, info->id);
        json_member_c(b, "name", info->name);
        json_member_c(b, "description", info->description);
        if (o->client.air) {
            put_air(b, "kind", str_of(info->kind));
        }
        json_close_object(b);
    }
    json_close_array(b);
}

void session_options_put_modes(const struct session_options *o, struct buf *b)
{
    json_open_object(b);
    json_member_c(b, "currentModeId", mode_info(o->mode)->id);
    json_key(b, "availableModes");
    put_mode_list(o, b, "id");
    json_close_object(b);
}

/* ---- The options ----------------------------------------------------------------------------- */

struct heading {
    const char *id, *name, *description, *category; /* no category: NULL */
};

static void open_option(struct buf *b, bool v2, const struct heading *h, str description, const char *type)
{
    json_open_object(b);
    json_member_c(b, v2 ? "configId" : "id", h->id);
    json_member_c(b, "name", h->name);
    json_member_str(b, "description", description.p ? description : str_of(h->description));
    json_member_str(b, "category", str_of(h->category));
    json_member_c(b, "type", type);
}

static void open_select(struct buf *b, bool v2, const struct heading *h, str description, str current)
{
    open_option(b, v2, h, description, "select");
    json_member_str(b, "currentValue", current);
    json_key(b, "options");
}

static void put_choice(struct buf *b, str value, str name, str description)
{
    json_open_object(b);
    json_member_str(b, "value", value);
    json_member_str(b, "name", name);
    json_member_str(b, "description", description);
    json_close_object(b);
}

static void put_mode(const struct session_options *o, struct buf *b, bool v2)
{
    static const struct heading h = {"mode", "Mode", "What Claude may do without asking", "mode"};

    open_select(b, v2, &h, STR_ABSENT, str_of(mode_info(o->mode)->id));
    put_mode_list(o, b, "value");
    json_close_object(b);
}

static void put_model(const struct session_options *o, struct buf *b, bool v2)
{
    static const struct heading h = {"model", "Model", "The model that answers", "model"};
    int best = options_recommended_model(o);

    open_select(b, v2, &h, STR_ABSENT, session_options_model(o));
    json_open_array(b);
    for (size_t i = 0; i < o->models.n; i++) {
        const struct model_row *row = &o->models.rows[i];
        bool plain = str_is(row->value, "default");
        if (plain && best >= 0) {
            continue;
        }
        str explained = plain ? models_default_description(&o->models) : STR_ABSENT;
        put_choice(b, row->value, row->name, explained.p ? explained : row->description);
    }
    json_close_array(b);
    if (best >= 0) {
        put_air(b, "recommendedValue", o->models.rows[best].value);
    }
    json_close_object(b);
}

/* "xhigh" is "Xhigh", "extra_high" is "Extra High". */
static void effort_name(struct buf *b, str level)
{
    bool first = true;

    for (size_t i = 0; i < level.n; i++) {
        char c = level.p[i];
        if (c == '_' || c == '-') {
            first = true;
            continue;
        }
        if (first && b->n) {
            buf_put_byte(b, ' ');
        }
        unsigned char shown = (unsigned char)(first && c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        buf_put(b, &shown, 1);
        first = false;
    }
}

static void put_effort(const struct session_options *o, struct buf *b, bool v2)
{
    static const struct heading h = {"effort", "Effort", "How long the model thinks", "thought_level"};
    const struct model_row *row = session_options_model_row(o);
    bool recommended = o->client.air_recommended_value;

    if (!options_present(o, "effort")) {
        return;
    }
    open_select(b, v2, &h, STR_ABSENT, o->effort);
    json_open_array(b);
    if (!recommended) {
        put_choice(b, STR("default"), STR("Default"), STR_ABSENT);
    }
    for (size_t i = 0; i < row->n_efforts; i++) {
        AUTO_BUF(name);
        effort_name(&name, row->efforts[i]);
        put_choice(b, row->efforts[i], buf_str(&name), STR_ABSENT);
    }
    json_close_array(b);
    if (recommended) {
        put_air(b, "recommendedValue", options_recommended_effort(row));
    }
    json_close_object(b);
}

static void put_fast(const struct session_options *o, struct buf *b, bool v2)
{
    static const struct heading h = {"fast", "Fast mode", "Answers faster, at a higher price",
                                     "model_config"};
    AUTO_BUF(text);

    if (!options_present(o, "fast")) {
        return;
    }
    buf_put_c(&text, h.description);
    if (!o->fast && o->fast_reason) {
        buf_put_c(&text, ". Off: ");
        buf_put_c(&text, o->fast_reason->text);
    }
    if (v2 || o->client.boolean_options) {
        open_option(b, v2, &h, buf_str(&text), "boolean");
        json_member_bool(b, "currentValue", o->fast);
    } else {
        open_select(b, v2, &h, buf_str(&text), o->fast ? STR("on") : STR("off"));
        json_open_array(b);
        put_choice(b, STR("on"), STR("On"), STR_ABSENT);
        put_choice(b, STR("off"), STR("Off"), STR_ABSENT);
        json_close_array(b);
    }
    json_close_object(b);
}

static void put_agent(const struct session_options *o, struct buf *b, bool v2)
{
    static const struct heading h = {"agent", "Agent", "Who leads the conversation", NULL};

    if (!options_present(o, "agent")) {
        return;
    }
    open_select(b, v2, &h, STR_ABSENT, o->agent >= 0 ? o->agents[o->agent].name : STR("default"));
    json_open_array(b);
    put_choice(b, STR("default"), STR("Default"), STR_ABSENT);
    for (size_t i = 0; i < o->n_agents; i++) {
        put_choice(b, o->agents[i].name, o->agents[i].name, o->agents[i].description);
    }
    json_close_array(b);
    json_close_object(b);
}

void session_options_put(const struct session_options *o, struct buf *b, bool v2)
{
    json_open_array(b);
    put_mode(o, b, v2);
    put_model(o, b, v2);
    put_effort(o, b, v2);
    put_fast(o, b, v2);
    put_agent(o, b, v2);
    json_close_array(b);
}
