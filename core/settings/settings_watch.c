#include "settings/settings_watch.h"

#include <stdlib.h>

enum { FOLDERS = 4 };

struct settings_watch {
    uv_fs_event_t folders[FOLDERS];
    uv_timer_t quiet;
    uv_work_t work;
    struct arena mem;
    struct settings_place place;
    struct settings *found;
    settings_changed_cb *changed; /* NULL: nobody wants to know any more */
    void *user;
    unsigned open; /* handles, and the work while it goes on */
    bool reading;
    bool again; /* something was touched while they were read */
};

static void release(struct settings_watch *w)
{
    if (--w->open == 0) {
        arena_free(&w->mem);
        free(w);
    }
}

static void on_closed(uv_handle_t *h)
{
    release(h->data);
}

static void read_settings(uv_work_t *work)
{
    struct settings_watch *w = CONTAINER_OF(work, struct settings_watch, work);
    w->found = settings_load(&w->place);
}

static void on_quiet(uv_timer_t *timer);

static void on_read(uv_work_t *work, int status)
{
    struct settings_watch *w = CONTAINER_OF(work, struct settings_watch, work);
    struct settings *found = w->found;
    (void)status;
    w->reading = false;
    w->found = NULL;
    if (w->changed && w->again) {
        w->again = false;
        uv_timer_start(&w->quiet, on_quiet, SETTINGS_QUIET_MS, 0);
    }
    if (w->changed && found) {
        w->changed(w->user, found);
    } else {
        settings_free(found);
    }
    release(w);
}

static void on_quiet(uv_timer_t *timer)
{
    struct settings_watch *w = timer->data;
    if (w->reading) {
        w->again = true;
    } else if (uv_queue_work(timer->loop, &w->work, read_settings, on_read) == 0) {
        w->reading = true;
        w->open++;
    }
}

/* Of all that Claude keeps in these folders only the settings matter. */
static bool is_settings_file(const char *name)
{
    str file = str_of(name);
    return !file.p || (str_has(file, STR("settings")) && str_ends(file, STR(".json")));
}

static bool is_json_file(const char *name)
{
    str file = str_of(name);
    return !file.p || str_ends(file, STR(".json"));
}

static void on_touched(uv_fs_event_t *event, const char *name, int events, int status)
{
    struct settings_watch *w = event->data;
    (void)events;
    bool dropins = event == &w->folders[FOLDERS - 1];
    if (w->changed && status == 0 && (dropins ? is_json_file(name) : is_settings_file(name))) {
        uv_timer_start(&w->quiet, on_quiet, SETTINGS_QUIET_MS, 0);
    }
}

static const struct settings_ignored *copy_ignored(struct arena *a, const struct settings_place *place)
{
    struct settings_ignored *copy = arena_alloc(a, (place->n_ignored + 1) * sizeof *copy);

    for (size_t i = 0; copy && i < place->n_ignored; i++) {
        copy[i] = place->ignored[i];
        copy[i].path = arena_str(a, copy[i].path);
    }
    return copy;
}

struct settings_watch *settings_watch_new(uv_loop_t *loop, const struct settings_place *place,
                                          settings_changed_cb *changed, void *user)
{
    struct settings_watch *w = calloc(1, sizeof(*w));
    str folders[FOLDERS];
    if (!w) {
        return NULL;
    }
    w->changed = changed;
    w->user = user;
    w->place = (struct settings_place){
        .config_dir = arena_str(&w->mem, place->config_dir),
        .home = arena_str(&w->mem, place->home),
        .cwd = arena_str(&w->mem, place->cwd),
        .managed_dir = arena_str(&w->mem, place->managed_dir),
        .left_out = place->left_out,
        .ignored = copy_ignored(&w->mem, place),
        .n_ignored = place->n_ignored,
    };
    size_t n = settings_folders(&w->mem, &w->place, folders);
    if (!arena_ok(&w->mem)) {
        arena_free(&w->mem);
        free(w);
        return NULL;
    }
    uv_timer_init(loop, &w->quiet);
    w->quiet.data = w;
    w->open = 1;
    for (size_t i = 0; i < n; i++) {
        /* The last of them holds the managed drop-ins, wherever others are missing. */
        uv_fs_event_t *event = &w->folders[FOLDERS - n + i];
        if (uv_fs_event_init(loop, event) == 0) {
            event->data = w;
            w->open++;
            (void)uv_fs_event_start(event, on_touched, folders[i].p, 0);
        }
    }
    return w;
}

void settings_watch_free(struct settings_watch *w)
{
    if (!w) {
        return;
    }
    w->changed = NULL;
    uv_close((uv_handle_t *)&w->quiet, on_closed);
    for (size_t i = 0; i < FOLDERS; i++) {
        if (w->folders[i].data) {
            uv_close((uv_handle_t *)&w->folders[i], on_closed);
        }
    }
}
