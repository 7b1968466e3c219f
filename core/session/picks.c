/* What the person picked of the session's options is kept in <state>/picks/<session id>, so that it holds
 * when Herald is restarted. */
#include <stdlib.h>

#include "base/path.h"
#include "base/state_file.h"
#include "session/internal.h"

struct saving {
    uv_work_t work;
    struct session *s; /* a reference: the session is not gone before all is written */
    struct arena mem;
    str folder, id, text;
    int error;
};

static str folder_of(struct arena *a, str state)
{
    return state.n ? path_join(a, state, STR("picks")) : STR_ABSENT;
}

void session_picks_find(struct buf *out, str state, str id)
{
    AUTO_ARENA(mem);
    str folder = folder_of(&mem, state);
    if (uuid_valid(id) && !state_file_read(out, folder, id, PICKS_MAX)) {
        buf_clear(out);
    }
}

void session_picks_forget(str state, str id)
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
    struct session *s = p->s;
    if (status == 0 && p->error) {
        log_write(s->host->log, LOG_WARN, "the options of session %s could not be kept: %s", s->id,
                  strerror(p->error));
    }
    arena_free(&p->mem);
    free(p);
    s->keeping.saving = false;
    session_save_picks(s);
    session_unref(s);
}

void session_save_picks(struct session *s)
{
    AUTO_BUF(text);
    struct session_host *a = s->host;
    if (s->keeping.saving || !s->options || !a->dirs->state) {
        return; /* what changes meanwhile follows */
    }
    option_picks_put(&text, s->options, &s->setup.params);
    if (!text.n || text.n > PICKS_MAX || str_eq(buf_str(&text), buf_str(&s->keeping.picks))) {
        return;
    }
    struct saving *p = calloc(1, sizeof(*p));
    if (!p) {
        return;
    }
    p->s = s;
    p->folder = folder_of(&p->mem, str_of(a->dirs->state));
    p->id = str_of(s->id);
    p->text = arena_buf(&p->mem, &text);
    if (!buf_ok(&text) || !arena_ok(&p->mem) || uv_queue_work(a->loop, &p->work, save, saved) != 0) {
        arena_free(&p->mem);
        free(p);
        return;
    }
    session_ref(s);
    s->keeping.saving = true;
    buf_clear(&s->keeping.picks);
    buf_put_str(&s->keeping.picks, buf_str(&text));
}
