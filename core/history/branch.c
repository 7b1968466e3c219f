#include "history/branch.h"

#include <stdlib.h>

#include "history/queued_prompts.h"
#include "history/record_tree.h"

/* What one assistant message has beside the path: its other blocks, then results of its calls. */
struct message {
    size_t last; /* the step of its last record on the path */
    size_t *rows[2];
    size_t n[2], cap[2];
};

struct weaving {
    const struct records *r;
    struct record_tree tree;
    bool *taken;  /* rows that are part of the conversation */
    size_t *path; /* from the root to the leaf */
    size_t n;
    struct map messages; /* wire id → struct message */
    size_t *told;        /* the path with what was put back, then the queued prompts after it */
    size_t told_n;
    size_t trailing;    /* where these begin */
    struct map sources; /* uuids of the messages that queued prompts became */
};

bool branch_up(const struct records *r, size_t *row, size_t *steps)
{
    *row = ++*steps > r->n ? RECORD_NONE : r->rows[*row].parent;
    return *row != RECORD_NONE;
}

/* Puts the rows of the chain from the leaf into the path, root first. */
static bool walk(struct weaving *w, size_t leaf)
{
    size_t n = 0, at = leaf, steps = 0;
    w->path = calloc(w->r->n + 1, sizeof(*w->path));
    w->taken = calloc(w->r->n + 1, sizeof(*w->taken));
    if (!w->path || !w->taken) {
        return false;
    }
    do {
        if (w->taken[at]) {
            break;
        }
        w->taken[at] = true;
        w->path[n++] = at;
    } while (record_tree_up(&w->tree, &at, &steps));
    for (size_t i = 0; i < n / 2; i++) {
        size_t other = w->path[n - 1 - i];
        w->path[n - 1 - i] = w->path[i];
        w->path[i] = other;
    }
    w->n = n;
    return true;
}

/* ---- Parallel calls ---- */

static void free_message(void *p)
{
    struct message *m = p;
    free(m->rows[0]);
    free(m->rows[1]);
    free(m);
}

static bool message_add(struct message *m, int which, size_t row)
{
    if (m->n[which] == m->cap[which]) {
        size_t cap = m->cap[which] ? m->cap[which] * 2 : 4;
        size_t *rows = realloc(m->rows[which], cap * sizeof(*rows));
        if (!rows) {
            return false;
        }
        m->rows[which] = rows;
        m->cap[which] = cap;
    }
    m->rows[which][m->n[which]++] = row;
    return true;
}

static bool note_messages(struct weaving *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct record *rec = &w->r->rows[w->path[i]];
        if (rec->type != RECORD_ASSISTANT) {
            continue;
        }
        struct message *m = map_get(&w->messages, rec->wire);
        if (!m) {
            m = calloc(1, sizeof(*m));
            if (!m || !map_put(&w->messages, rec->wire, m, NULL)) {
                free(m);
                return false;
            }
        }
        m->last = i;
    }
    return true;
}

static struct message *message_of(const struct weaving *w, size_t row)
{
    return row != RECORD_NONE && w->r->rows[row].type == RECORD_ASSISTANT
               ? map_get(&w->messages, w->r->rows[row].wire)
               : NULL;
}

static bool find_strays(struct weaving *w)
{
    for (size_t i = 0; i < w->r->n; i++) {
        const struct record *rec = &w->r->rows[i];
        if (w->taken[i] || !record_tree_is_main(&w->tree, i)) {
            continue;
        }
        struct message *m = NULL;
        int which = 0;
        if (rec->type == RECORD_ASSISTANT) {
            m = message_of(w, i);
        } else if (rec->flags & RECORD_RESULT) {
            which = 1;
            m = message_of(w, rec->parent);
            if (!m) {
                m = message_of(w, records_find(w->r, rec->source));
            }
        }
        if (m && !message_add(m, which, i)) {
            return false;
        }
    }
    return true;
}

static void tell(struct weaving *w, size_t row)
{
    w->taken[row] = true;
    w->told[w->told_n++] = row;
}

/* Puts the path, with what branches off it, in its order. */
static bool weave(struct weaving *w)
{
    w->told = calloc(w->r->n + 1, sizeof(*w->told));
    for (size_t i = 0; w->told && i < w->n; i++) {
        tell(w, w->path[i]);
        const struct message *m = message_of(w, w->path[i]);
        for (int which = 0; m && m->last == i && which < 2; which++) {
            for (size_t k = 0; k < m->n[which]; k++) {
                tell(w, m->rows[which][k]);
            }
        }
    }
    w->trailing = w->told_n;
    return w->told != NULL;
}

/* Queued prompts that hang after the leaf are part of the conversation. */
static bool add_trailing(struct weaving *w, size_t leaf)
{
    bool any = false;
    for (size_t i = 0; i < w->r->n && !any; i++) {
        any = (w->r->rows[i].flags & RECORD_QUEUED) && !w->taken[i];
    }
    if (!any) {
        return true;
    }
    size_t n = 0, *rows = record_tree_trailing(&w->tree, leaf, w->taken, &n);
    for (size_t i = 0; i < n; i++) {
        tell(w, rows[i]);
    }
    free(rows);
    return rows != NULL;
}

/* ---- What is seen ---- */

/* A queued prompt is a message of its own, but for one that the file has elsewhere. *ok becomes false when
 * memory is out. */
static bool is_first_of_source(struct weaving *w, const struct record *rec, bool *ok)
{
    str uuid = rec->source.p ? rec->source : rec->uuid;
    size_t same = str_eq(uuid, rec->uuid) ? RECORD_NONE : records_find(w->r, uuid);
    if ((same != RECORD_NONE && w->taken[same]) || set_has(&w->sources, uuid)) {
        return false;
    }
    *ok = set_add(&w->sources, uuid) && *ok;
    return true;
}

static bool is_shown(struct weaving *w, size_t row, bool delivered, bool *ok)
{
    const struct record *rec = &w->r->rows[row];
    bool told = w->tree.child && (rec->flags & RECORD_TOLD);
    if (!record_tree_is_main(&w->tree, row) || ((rec->flags & RECORD_META) && !told)) {
        return false;
    }
    if (rec->flags & RECORD_QUEUED) {
        return delivered && is_first_of_source(w, rec, ok);
    }
    return record_is_message(rec);
}

static bool collect(struct weaving *w, struct branch *b)
{
    bool *delivered = calloc(w->told_n + 1, sizeof(*delivered));
    b->rows = calloc(w->told_n + 1, sizeof(*b->rows));
    bool ok =
        delivered && b->rows && queued_prompts_delivered(w->r, w->told, w->told_n, w->trailing, delivered);
    for (size_t i = 0; ok && i < w->told_n; i++) {
        if (is_shown(w, w->told[i], delivered[i], &ok)) {
            b->rows[b->n++] = w->told[i];
        }
    }
    free(delivered);
    return ok;
}

bool branch_select(struct branch *b, const struct records *r, bool child)
{
    struct weaving w = {.r = r};
    size_t leaf = RECORD_NONE;
    *b = (struct branch){0};
    bool ok = record_tree_make(&w.tree, r, child) && record_tree_leaf(&w.tree, &leaf);
    if (ok && leaf != RECORD_NONE) {
        ok = walk(&w, leaf) && note_messages(&w) && find_strays(&w) && weave(&w) && add_trailing(&w, leaf) &&
             collect(&w, b);
    }
    record_tree_free(&w.tree);
    map_free(&w.messages, free_message);
    map_free(&w.sources, NULL);
    free(w.path);
    free(w.taken);
    free(w.told);
    return ok;
}

void branch_free(struct branch *b)
{
    free(b->rows);
    *b = (struct branch){0};
}
