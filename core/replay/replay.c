#include "replay/replay.h"

#include <stdlib.h>

#include "history/branch.h"
#include "history/child_files.h"
#include "replay/replay_record.h"
#include "replay/sent_messages.h"

enum {
    BATCH_RECORDS = 256,
    BATCH_BYTES = 1024 * 1024, /* of stored text; a batch holds at least one record */
    DEPTH_MAX = 32,            /* transcripts that are read at a time, each within the one before */
};

/* One transcript: the session's, or that of a subagent. */
struct transcript {
    struct list link;
    str call;         /* the launch; absent: the session's */
    const char *path; /* NULL: it is open */
    struct records records;
    struct branch branch;
    size_t next; /* in the branch */
};

/*     READING --batch--> (sent at once) READING ... --the end--> gone
 *     READING --batch, the client is slow--> WAITING --replay_wake--> READING
 * A replay that was stopped goes when its worker thread is back.
 *
 * Transcripts are a stack: where a record launches subagents whose transcripts are there, those are read
 * whole before the record that follows. */
struct replay {
    uv_work_t work;
    struct replay_target target; /* which is kept */
    char *path;
    replay_done_cb *done; /* NULL: stopped */
    void *user;
    bool waiting;
    struct replay_view view;

    /* The worker thread's. */
    struct arena mem;         /* ids of launches */
    struct list stack;        /* struct transcript; the last one is read */
    unsigned depth;           /* of them are open */
    struct child_files files; /* the loop thread looks into it too, between batches */
    struct sent_messages sent;
    bool loaded, failed;
    struct arena batch_mem; /* a transcript may go before the batch does */
    struct json_doc *batch[BATCH_RECORDS];
    struct json_doc *boundaries[BATCH_RECORDS]; /* beside the records; NULL: none */
    struct replay_item items[BATCH_RECORDS];
    size_t n;
};

static void drop_batch(struct replay *r)
{
    for (size_t i = 0; i < r->n; i++) {
        json_unref(r->batch[i]);
        json_unref(r->boundaries[i]);
    }
    r->n = 0;
    arena_reset(&r->batch_mem);
}

static void drop_transcript(struct replay *r, struct transcript *t)
{
    list_remove(&t->link);
    if (!t->path) {
        r->depth--;
        branch_free(&t->branch);
        records_free(&t->records);
    }
    free(t);
}

static void free_replay(struct replay *r)
{
    struct replay_target target = r->target;
    drop_batch(r);
    replay_view_free(&r->view);
    LIST_EACH(t, &r->stack, struct transcript, link) {
        drop_transcript(r, t);
    }
    child_files_free(&r->files);
    sent_messages_free(&r->sent);
    arena_free(&r->mem);
    arena_free(&r->batch_mem);
    free(r->path);
    free(r);
    target.does->drop(target.user);
}

/* ---- On a worker thread ---- */

/* Puts a transcript on the stack, below the ones that `above` leads to. */
static void stack_transcript(struct list *above, str call, const char *path)
{
    struct transcript *t = calloc(1, sizeof(*t));
    if (t) {
        t->call = call;
        t->path = path;
        t->records.file.fd = -1;
        list_append(above, &t->link);
    }
}

static bool open_transcript(struct replay *r, struct transcript *t)
{
    const char *path = t->path;
    if (r->depth >= DEPTH_MAX) {
        return false;
    }
    t->path = NULL;
    r->depth++;
    return records_load(&t->records, path) && branch_select(&t->branch, &t->records, t->call.p != NULL);
}

/* The transcript that is to be read, which has a record left; NULL: all were. */
static struct transcript *reading(struct replay *r)
{
    while (!list_empty(&r->stack)) {
        struct transcript *t = LIST_ENTRY(r->stack.prev, struct transcript, link);
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the one before it left the list
        bool ok = !t->path || open_transcript(r, t);
        if (ok && t->next < t->branch.n) {
            return t;
        }
        r->failed = r->failed || (!ok && !t->call.p);
        drop_transcript(r, t);
    }
    return NULL;
}

/* The transcripts of the subagents that a record launches come next, the first one first. */
static void stack_children(struct replay *r, json root)
{
    struct list *below = r->stack.prev;
    for (struct json_iter it = json_each(record_content(root)); json_next(&it);) {
        bool launch = tool_block_is_use(json_str(json_get(it.value, "type"))) &&
                      subagents_is_launch(json_str(json_get(it.value, "name")));
        str call = launch ? json_text(json_get(it.value, "id")) : STR_ABSENT;
        const char *path = child_files_take(&r->files, call);
        str kept = path ? arena_str(&r->mem, call) : STR_ABSENT;
        if (kept.p) {
            stack_transcript(below->next, kept, path);
        }
    }
}

/* The call by which the subagent whose transcript this is was told this; absent: it is not known. */
static str told_by(struct replay *r, const struct transcript *t, json root)
{
    const struct child_file *file = child_files_of(&r->files, t->call);
    struct transcript *first = LIST_ENTRY(r->stack.next, struct transcript, link);
    if (!file || first->call.p || first->path) {
        return STR_ABSENT;
    }
    sent_messages_read(&r->sent, &first->records);
    return sent_messages_take(&r->sent, file->agent, file->name, told_text(json_str(record_content(root))));
}

/* The record of the compaction that left this summary; NULL: it is not there. */
static struct json_doc *read_boundary(struct transcript *t, size_t row)
{
    const struct record *rec = &t->records.rows[row];
    size_t above = rec->flags & RECORD_SUMMARY ? rec->parent : RECORD_NONE;
    bool there = above != RECORD_NONE && (t->records.rows[above].flags & RECORD_BOUNDARY);
    return there ? record_read(&t->records, above) : NULL;
}

static size_t read_record(struct replay *r, struct transcript *t)
{
    size_t row = t->branch.rows[t->next++];
    const struct record *rec = &t->records.rows[row];
    struct json_doc *doc = record_read(&t->records, row);
    size_t length = rec->length;
    bool queued = rec->flags & RECORD_QUEUED, told = rec->flags & RECORD_TOLD;
    if (doc) {
        struct json_doc *boundary = read_boundary(t, row);
        r->boundaries[r->n] = boundary;
        r->items[r->n] = (struct replay_item){
            .root = json_root(doc),
            .boundary = boundary ? json_root(boundary) : JSON_NONE,
            .type = (enum record_type)rec->type,
            .uuid = arena_str(&r->batch_mem, queued && rec->source.p ? rec->source : rec->uuid),
            .wire = arena_str(&r->batch_mem, rec->wire),
            .call = t->call,
            .told = told,
            .by = told ? told_by(r, t, json_root(doc)) : STR_ABSENT,
        };
        r->batch[r->n++] = doc;
        if (rec->type == RECORD_ASSISTANT && r->view.shows_children) {
            stack_children(r, json_root(doc));
        }
    }
    return length;
}

static void read_batch(uv_work_t *work)
{
    struct replay *r = CONTAINER_OF(work, struct replay, work);
    struct transcript *t;
    size_t bytes = 0;
    if (!r->loaded) {
        r->loaded = true;
        stack_transcript(&r->stack, STR_ABSENT, r->path);
        if (r->view.shows_children) {
            child_files_find(&r->files, r->path);
        }
        r->failed = list_empty(&r->stack);
    }
    while (r->n < BATCH_RECORDS && bytes < BATCH_BYTES && (t = reading(r))) {
        bytes += read_record(r, t);
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
    const struct replay_target *target = &r->target;
    if (status != 0 || r->failed || !r->done || !target->does->alive(target->user)) {
        end(r);
        return;
    }
    for (size_t i = 0; i < r->n; i++) {
        replay_item(&r->view, &r->items[i]);
    }
    drop_batch(r);
    if (list_empty(&r->stack)) {
        replay_view_end(&r->view);
        end(r);
    } else if (*target->congested) {
        r->waiting = true;
    } else {
        go_on(r);
    }
}

static void go_on(struct replay *r)
{
    r->waiting = false;
    if (uv_queue_work(r->target.loop, &r->work, read_batch, batch_read) != 0) {
        end(r);
    }
}

struct replay *replay_start(const struct replay_target *target, str path, replay_done_cb *done, void *user)
{
    struct replay *r = calloc(1, sizeof(*r));
    if (!r) {
        return NULL;
    }
    r->target = *target;
    target->does->keep(target->user);
    list_init(&r->stack);
    sent_messages_init(&r->sent);
    r->path = str_dup(path);
    r->done = done;
    r->user = user;
    if (!r->path || !replay_view_init(&r->view, &r->target, &r->files) ||
        uv_queue_work(target->loop, &r->work, read_batch, batch_read) != 0) {
        free_replay(r);
        return NULL;
    }
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
