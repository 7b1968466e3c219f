#include "options/picks_file.h"

#include <stdlib.h>

#include "base/path.h"
#include "base/state_file.h"
#include "base/uuid.h"

struct saving {
    uv_work_t work;
    struct picks_file *f; /* whose owner is kept: it is not gone before all is written */
    struct arena mem;
    str folder, id, text;
    int error;
};

static str folder_of(struct arena *a, str state)
{
    return state.n ? path_join(a, state, STR("picks")) : STR_ABSENT;
}

void picks_file_find(struct buf *out, str state, str id)
{
    AUTO_ARENA(mem);
    str folder = folder_of(&mem, state);
    if (uuid_valid(id) && !state_file_read(out, folder, id, PICKS_MAX)) {
        buf_clear(out);
    }
}

void picks_file_forget(str state, str id)
{
    AUTO_ARENA(mem);
    state_file_remove(folder_of(&mem, state), id);
}

static void save(uv_work_t *work)
{
    struct saving *p = CONTAINER_OF(work, struct saving, work);
    state_folder_sweep(p->folder);
    p->error = state_file_write(p->folder, p->id, p->text);
}

static void saved(uv_work_t *work, int status)
{
    struct saving *p = CONTAINER_OF(work, struct saving, work);
    struct picks_file *f = p->f;
    if (status == 0 && p->error) {
        log_write(f->log, LOG_WARN, "the options of session %s could not be kept: %s", f->id,
                  strerror(p->error));
    }
    arena_free(&p->mem);
    free(p);
    f->saving = false;
    picks_file_save(f);
    f->drop(f->user);
}

void picks_file_free(struct picks_file *f)
{
    buf_free(&f->saved);
}

void picks_file_save(struct picks_file *f)
{
    AUTO_BUF(text);
    if (f->saving || !*f->options || !f->state) {
        return; /* what changes meanwhile follows */
    }
    option_picks_put(&text, *f->options, f->params);
    if (!text.n || text.n > PICKS_MAX || str_eq(buf_str(&text), buf_str(&f->saved))) {
        return;
    }
    struct saving *p = calloc(1, sizeof(*p));
    if (!p) {
        return;
    }
    p->f = f;
    p->folder = folder_of(&p->mem, str_of(f->state));
    p->id = str_of(f->id);
    p->text = arena_buf(&p->mem, &text);
    if (!buf_ok(&text) || !arena_ok(&p->mem) || uv_queue_work(f->loop, &p->work, save, saved) != 0) {
        arena_free(&p->mem);
        free(p);
        return;
    }
    f->keep(f->user);
    f->saving = true;
    buf_clear(&f->saved);
    buf_put_str(&f->saved, buf_str(&text));
}
