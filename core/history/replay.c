#include "history/replay.h"

#include <stdlib.h>

#include "history/branch.h"
#include "history/replay_record.h"
#include "session/internal.h"

enum {
    BATCH_RECORDS = 256,
    BATCH_BYTES = 1024 * 1024, /* of stored text; a batch holds at least one record */
};

/*     READING --batch--> (sent at once) READING ... --the end--> gone
 *     READING --batch, the client is slow--> WAITING --replay_wake--> READING
 * A replay that was stopped goes when its worker thread is back. */
struct replay {
    uv_work_t work;
    struct session *s; /* a reference */
    char *path;
    replay_done_cb *done; /* NULL: stopped */
    void *user;
    bool waiting;
    struct replay_view view;

    /* The worker thread's. */
    struct records records;
    struct branch branch;
    bool loaded, failed;
    size_t next; /* in the branch */
    struct json_doc *batch[BATCH_RECORDS];
    struct replay_item items[BATCH_RECORDS];
    size_t n;
};

static void drop_batch(struct replay *r)
{
    for (size_t i = 0; i < r->n; i++) {
        json_unref(r->batch[i]);
    }
    r->n = 0;
}

static void free_replay(struct replay *r)
{
    struct session *s = r->s;
    if (s->replay == r) {
        s->replay = NULL;
    }
    drop_batch(r);
    replay_view_free(&r->view);
    branch_free(&r->branch);
    records_free(&r->records);
    free(r->path);
    free(r);
    session_unref(s);
}

/* ---- On a worker thread ---- */

static void read_batch(uv_work_t *work)
{
    struct replay *r = CONTAINER_OF(work, struct replay, work);
    size_t bytes = 0;
    if (!r->loaded) {
        r->loaded = true;
        r->failed = !records_load(&r->records, r->path) || !branch_select(&r->branch, &r->records, false);
    }
    while (!r->failed && r->next < r->branch.n && r->n < BATCH_RECORDS && bytes < BATCH_BYTES) {
        size_t row = r->branch.rows[r->next++];
        const struct record *rec = &r->records.rows[row];
        struct json_doc *doc = record_read(&r->records, row);
        bytes += rec->length;
        if (doc) {
            r->items[r->n] = (struct replay_item){
                .root = json_root(doc),
                .type = (enum record_type)rec->type,
                .uuid = (rec->flags & RECORD_QUEUED) && rec->source.p ? rec->source : rec->uuid,
                .wire = rec->wire,
            };
            r->batch[r->n++] = doc;
        }
    }
}

/* ---- On the loop thread ---- */

static void go_on(struct replay *r);

static void end(struct replay *r)
{
    replay_done_cb *done = r->done;
    void *user = r->user;
    free_replay(r);
    if (done) {
        done(user);
    }
}

static void batch_read(uv_work_t *work, int status)
{
    struct replay *r = CONTAINER_OF(work, struct replay, work);
    struct session *s = r->s;
    if (status != 0 || r->failed || !r->done || !session_live(s)) {
        end(r);
        return;
    }
    for (size_t i = 0; i < r->n; i++) {
        replay_item(&r->view, &r->items[i]);
    }
    drop_batch(r);
    if (r->next >= r->branch.n) {
        end(r);
    } else if (s->agent->congested) {
        r->waiting = true;
    } else {
        go_on(r);
    }
}

static void go_on(struct replay *r)
{
    r->waiting = false;
    if (uv_queue_work(r->s->agent->loop, &r->work, read_batch, batch_read) != 0) {
        end(r);
    }
}

struct replay *replay_start(struct session *s, str path, replay_done_cb *done, void *user)
{
    struct replay *r = calloc(1, sizeof(*r));
    if (!r) {
        return NULL;
    }
    r->s = s;
    session_ref(s);
    r->records.file.fd = -1;
    r->path = str_dup(path);
    r->done = done;
    r->user = user;
    if (!r->path || !replay_view_init(&r->view, s) ||
        uv_queue_work(s->agent->loop, &r->work, read_batch, batch_read) != 0) {
        free_replay(r);
        return NULL;
    }
    s->replay = r;
    return r;
}

void replay_stop(struct replay *r)
{
    r->done = NULL;
    if (r->waiting) {
        end(r);
    }
}

void replay_wake(struct replay *r)
{
    if (r->waiting) {
        go_on(r);
    }
}
