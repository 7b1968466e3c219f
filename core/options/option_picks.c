#include "options/option_picks.h"

#include "options/options_state.h"

/* Options that the parameters of a session can ask for, too. */
static const struct {
    const char *key;
    unsigned picked;
} texts[] = {{"model", PICKED_MODEL}, {"effort", PICKED_EFFORT}, {"agent", PICKED_AGENT}};

static str value_of(const struct session_options *o, unsigned picked)
{
    const struct model_row *row = session_options_model_row(o);
    str none = STR("default");
    switch (picked) {
    case PICKED_MODEL:
        return row ? row->value : buf_str(&o->model_id);
    case PICKED_EFFORT:
        return o->pinned_effort.p ? o->pinned_effort : none;
    default:
        return o->agent >= 0 ? o->agents[o->agent].name : none;
    }
}

void option_picks_put(struct buf *b, const struct session_options *o, const struct session_params *params)
{
    json options = session_params_options(params);
    if (!o->picked) {
        return;
    }
    json_open_object(b);
    if (o->picked & PICKED_MODE) {
        json_member_c(b, "mode", mode_info(o->mode)->id);
    }
    if (o->picked & PICKED_FAST) {
        json_member_bool(b, "fast", o->fast);
    }
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (o->picked & texts[i].picked) {
            json_member_str(b, texts[i].key, value_of(o, texts[i].picked));
        }
    }
    json_key(b, "asked");
    json_open_object(b);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        str asked = json_text(json_get(options, texts[i].key));
        if (asked.p) {
            json_member_str(b, texts[i].key, asked);
        }
    }
    json_close_object(b);
    json_close_object(b);
}

static void read_texts(struct option_picks *out, struct arena *a, json root, json options)
{
    str *const places[] = {&out->model, &out->effort, &out->agent};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        str value = json_text(json_get(root, texts[i].key));
        str asked = json_text(json_get(options, texts[i].key));
        str before = json_text(json_path(root, "asked", texts[i].key, NULL));
        if (value.n && (!asked.p || str_eq(asked, before))) {
            *places[i] = arena_str(a, value);
            out->picked |= texts[i].picked;
        }
    }
}

void option_picks_read(struct option_picks *out, struct arena *a, str text,
                       const struct session_params *params)
{
    struct json_doc *doc = text.n <= PICKS_MAX ? json_parse(text, NULL) : NULL;
    json root = json_root(doc), fast = json_get(root, "fast");
    *out = (struct option_picks){.mode = MODE_NONE};
    read_texts(out, a, root, session_params_options(params));
    enum mode mode = mode_of_id(json_str(json_get(root, "mode")));
    if (mode != MODE_NONE && mode_info(mode)->kind) {
        out->mode = mode;
        out->picked |= PICKED_MODE;
    }
    if (json_is_bool(fast)) {
        out->fast = json_is_true(fast);
        out->picked |= PICKED_FAST;
    }
    json_unref(doc);
}
