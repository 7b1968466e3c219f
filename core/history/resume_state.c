#include "history/resume_state.h"

#include "base/js_space.h"
#include "history/lines.h"
#include "json/json.h"

enum { STEP = 64 * 1024 };

struct search {
    struct hints *h;
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
static void look_at(struct search *s, str line)
{
    bool model = !s->h->model.p && str_has(line, STR("\"assistant\""));
    bool mode = !s->mode_done && (str_has(line, STR("\"user\"")) || str_has(line, STR("\"plan_mode_exit\"")));
    AUTO_JSON(doc) = model || mode ? json_parse(line, NULL) : NULL;
    json root = json_root(doc);
    str type = json_str(json_get(root, "type"));
    if (json_is_true(json_get(root, "isSidechain"))) {
        return;
    }
    if (model && str_is(type, "assistant")) {
        look_for_model(s, root);
    } else if (mode && str_is(type, "user")) {
        look_for_mode(s, root);
    } else if (mode && str_is(type, "attachment") &&
               str_is(json_str(json_path(root, "attachment", "type", NULL)), "plan_mode_exit")) {
        s->plan_left = true;
    }
}

/* Looks at the whole lines of the window from the last one on; how many bytes at its start are not looked at
 * yet. */
static size_t look_backwards(struct search *s, str window, bool from_start)
{
    while (window.n && !done(s)) {
        str rest = str_first(window, window.n - (window.p[window.n - 1] == '\n'));
        size_t at = str_rfind(rest, STR("\n"));
        if (at == SIZE_MAX && !from_start) {
            break;
        }
        look_at(s, at == SIZE_MAX ? rest : str_from(rest, at + 1));
        window = str_first(window, at == SIZE_MAX ? 0 : at + 1);
    }
    return window.n;
}

void hints_read(struct hints *h, struct arena *a, const char *path)
{
    struct search s = {.h = h, .a = a};
    struct lines file;
    AUTO_BUF(window);
    *h = (struct hints){.mode = MODE_NONE};
    if (!lines_open(&file, path)) {
        return;
    }
    uint64_t end = file.size; /* what is behind it was looked at */
    for (uint64_t step = STEP; end && !done(&s) && step <= LINES_LINE_MAX;) {
        uint64_t n = end < step ? end : step;
        if (!lines_read_at(file.fd, end - n, (size_t)n, &window)) {
            break;
        }
        size_t left = look_backwards(&s, buf_str(&window), n == end);
        /* A window without a whole line must grow until it holds one. */
        step = left == n ? step * 2 : STEP;
        end = end - n + left;
    }
    lines_close(&file);
}
