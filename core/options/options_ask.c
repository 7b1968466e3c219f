#include "options/options_state.h"
#include "rpc/request_error.h"

void options_begin(struct options_change *c)
{
    *c = (struct options_change){.model = MODEL_NOT_FOUND, .mode = MODE_NONE};
}

void options_fail(struct options_change *c, str text)
{
    c->code = RPC_INTERNAL_ERROR;
    c->error = text.p ? text : STR("Out of memory");
    c->at = c->n;
}

static void ask(struct options_change *c, enum step step, const char *subtype, const struct buf *members)
{
    if (c->n < ARRAY_LEN(c->requests)) {
        str text = arena_buf(&c->mem, members);
        if (!text.p) {
            options_fail(c, STR_ABSENT);
            return;
        }
        c->steps[c->n] = (int)step;
        c->requests[c->n++] = (struct options_request){subtype, text};
    }
}

void options_ask_model(struct options_change *c, enum step step, str value)
{
    AUTO_BUF(b);
    json_member_str(&b, "model", value);
    ask(c, step, "set_model", &b);
}

void options_ask_mode(struct options_change *c, enum step step, enum mode mode)
{
    AUTO_BUF(b);
    json_member_c(&b, "mode", mode_info(mode)->id);
    c->mode = mode;
    ask(c, step, "set_permission_mode", &b);
}

/* An absent level takes the override away. */
void options_ask_effort(const struct session_options *o, struct options_change *c, enum step step, str level)
{
    AUTO_BUF(b);
    json_key(&b, "settings");
    json_open_object(&b);
    json_key(&b, "effortLevel");
    json_put_str(&b, level);
    if (settings_ultracode(o->settings, json_root(o->over))) {
        json_member_bool(&b, "ultracode", true);
    }
    json_close_object(&b);
    c->effort = level;
    ask(c, step, "apply_flag_settings", &b);
}

void options_ask_fast(struct options_change *c, enum step step, bool on)
{
    AUTO_BUF(b);
    json_key(&b, "settings");
    json_open_object(&b);
    json_member_bool(&b, "fastMode", on);
    json_close_object(&b);
    c->flag = on;
    ask(c, step, "apply_flag_settings", &b);
}

void options_ask_agent(const struct session_options *o, struct options_change *c, enum step step, int agent)
{
    AUTO_BUF(b);
    json_key(&b, "settings");
    json_open_object(&b);
    json_key(&b, "agent");
    json_put_str(&b, agent < 0 ? STR_ABSENT : o->agents[agent].name);
    json_close_object(&b);
    c->model = agent;
    ask(c, step, "apply_flag_settings", &b);
}
