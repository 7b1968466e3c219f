#include "history/resume_state.h"

#include "base/js_space.h"
#include "history/backwards.h"
#include "json/json.h"

struct search {
    struct resume_state *h;
    struct arena *a;
    bool mode_done, plan_left;
};

static bool done(const struct search *s)
{
    return s->mode_done && s->h->model.p;
}

static void look_for_model(struct search *s, json root)
{
    str model = json_str(json_path(root, "message", "model", NULL));
    if (space_trim(model).n && model.p[0] != '<') {
        s->h->model = arena_str(s->a, model);
    }
}

static void look_for_mode(struct search *s, json root)
{
    str mode = json_text(json_get(root, "permissionMode"));
    if (mode.p) {
        s->h->mode = mode_of_id(mode);
        if (s->h->mode == MODE_PLAN && s->plan_left) {
            s->h->mode = MODE_NONE;
        }
        s->mode_done = true;
    } else if (str_is(json_str(json_path(root, "origin", "kind", NULL)), "human")) {
        s->mode_done = true;
    }
}

/* The lines come from the last to the first. */
static bool look_at(void *user, str line)
{
    struct search *s = user;
    bool model = !s->h->model.p && str_has(line, STR("\"assistant\""));
    bool mode = !s->mode_done && (str_has(line, STR("\"user\"")) || str_has(line, STR("\"plan_mode_exit\"")));
    AUTO_JSON(doc) = model || mode ? json_parse(line, NULL) : NULL;
    json root = json_root(doc);
    str type = json_str(json_get(root, "type"));
    if (json_is_true(json_get(root, "isSidechain"))) {
        return false;
    }
    if (model && str_is(type, "assistant")) {
        look_for_model(s, root);
    } else if (mode && str_is(type, "user")) {
        look_for_mode(s, root);
    } else if (mode && str_is(type, "attachment") &&
               str_is(json_str(json_path(root, "attachment", "type", NULL)), "plan_mode_exit")) {
        s->plan_left = true;
    }
    return done(s);
}

void resume_state_read(struct resume_state *h, struct arena *a, const char *path)
{
    struct search s = {.h = h, .a = a};
    *h = (struct resume_state){.mode = MODE_NONE};
    (void)lines_backwards(path, look_at, &s);
}
