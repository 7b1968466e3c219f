#include "history/branch.h"

#include <stdlib.h>

/* What one assistant message has beside the path: its other blocks, then results of its calls. */
struct message {
    size_t last; /* the step of its last record on the path */
    size_t *rows[2];
    size_t n[2], cap[2];
};

struct weaving {
    const struct records *r;
    bool child;
    bool *on_path;
    size_t *path; /* from the root to the leaf */
    size_t n;
    struct map messages; /* wire id → struct message */
};

bool branch_up(const struct records *r, size_t *row, size_t *steps)
{
    *row = ++*steps > r->n ? RECORD_NONE : r->rows[*row].parent;
    return *row != RECORD_NONE;
}

static bool is_message(const struct record *rec)
{
    return rec->type == RECORD_USER || rec->type == RECORD_ASSISTANT;
}

/* For each row the nearest message at or above it; RECORD_NONE: there is none. */
static size_t *nearest_messages(const struct records *r)
{
    enum { UNKNOWN = 0 };
    size_t *near = calloc(r->n + 1, sizeof(*near)); /* row + 2; 1: none */
    for (size_t i = 0; near && i < r->n; i++) {
        size_t at = i, steps = 0, found = 1;
        while (at != RECORD_NONE && near[at] == UNKNOWN && !is_message(&r->rows[at])) {
            if (!branch_up(r, &at, &steps)) {
                break;
            }
        }
        if (at != RECORD_NONE) {
            found = near[at] != UNKNOWN ? near[at] : at + 2;
        }
        at = i;
        steps = 0;
        while (at != RECORD_NONE && near[at] == UNKNOWN) {
            near[at] = found;
            if (is_message(&r->rows[at]) || !branch_up(r, &at, &steps)) {
                break;
            }
        }
    }
    for (size_t i = 0; near && i < r->n; i++) {
        near[i] = near[i] < 2 ? RECORD_NONE : near[i] - 2;
    }
    return near;
}

/* The leaf of the active branch; RECORD_NONE when there is none. False: memory is out. */
static bool choose_leaf(const struct records *r, bool child, size_t *leaf)
{
    size_t *near = nearest_messages(r);
    bool *has_child = calloc(r->n + 1, sizeof(*has_child));
    size_t best = RECORD_NONE, poor = RECORD_NONE;
    bool ok = near && has_child;
    for (size_t i = 0; ok && i < r->n; i++) {
        if (record_counts(&r->rows[i]) && r->rows[i].parent != RECORD_NONE) {
            has_child[r->rows[i].parent] = true;
        }
    }
    for (size_t i = 0; ok && i < r->n; i++) {
        if (!record_counts(&r->rows[i]) || has_child[i] || near[i] == RECORD_NONE) {
            continue;
        }
        unsigned flags = r->rows[near[i]].flags;
        bool side = (flags & RECORD_SIDECHAIN) && !child;
        if (side || (flags & (RECORD_TEAM | RECORD_META))) {
            poor = near[i];
        } else {
            best = near[i]; /* rows are in the order of the file */
        }
    }
    *leaf = best != RECORD_NONE ? best : poor;
    free(near);
    free(has_child);
    return ok;
}

/* Puts the rows of the chain from the leaf into the path, root first. */
static bool walk(struct weaving *w, size_t leaf)
{
    size_t n = 0, at = leaf, steps = 0;
    w->path = calloc(w->r->n + 1, sizeof(*w->path));
    w->on_path = calloc(w->r->n + 1, sizeof(*w->on_path));
    if (!w->path || !w->on_path) {
        return false;
    }
    do {
        if (w->on_path[at]) {
            break;
        }
        w->on_path[at] = true;
        w->path[n++] = at;
    } while (branch_up(w->r, &at, &steps));
    for (size_t i = 0; i < n / 2; i++) {
        size_t other = w->path[n - 1 - i];
        w->path[n - 1 - i] = w->path[i];
        w->path[i] = other;
    }
    w->n = n;
    return true;
}

/* The rows that the boundary at the start of the path kept, in their order; a new array. */
static size_t *kept_rows(const struct weaving *w, const struct preserved *p, size_t *count)
{
    const struct records *r = w->r;
    size_t *rows = calloc(r->n + 1, sizeof(*rows));
    size_t n = 0, at = records_find(r, p->tail), steps = 0;
    *count = 0;
    if (!rows) {
        return NULL;
    }
    if (at != RECORD_NONE) {
        do {
            rows[n++] = at;
        } while (!str_eq(r->rows[at].uuid, p->head) && n < r->n && branch_up(r, &at, &steps));
        for (size_t i = 0; i < n / 2; i++) {
            size_t other = rows[n - 1 - i];
            rows[n - 1 - i] = rows[i];
            rows[i] = other;
        }
    }
    for (size_t i = 0; i < p->n && n < r->n; i++) {
        size_t row = records_find(r, p->list[i]);
        if (row != RECORD_NONE) {
            rows[n++] = row;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!w->on_path[rows[i]]) {
            w->on_path[rows[i]] = true;
            rows[(*count)++] = rows[i];
        }
    }
    return rows;
}

static bool put_back_kept(struct weaving *w)
{
    const struct records *r = w->r;
    const struct preserved *p = w->n ? r->rows[w->path[0]].preserved : NULL;
    if (!p) {
        return true;
    }
    size_t anchor = records_find(r, p->anchor), place = 0, n = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (w->path[i] == anchor) {
            place = i;
        }
    }
    size_t *rows = kept_rows(w, p, &n);
    if (!rows) {
        return false;
    }
    memmove(w->path + place + 1 + n, w->path + place + 1, (w->n - place - 1) * sizeof(*w->path));
    memcpy(w->path + place + 1, rows, n * sizeof(*rows));
    w->n += n;
    free(rows);
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
        bool side = (rec->flags & RECORD_SIDECHAIN) && !w->child;
        if (w->on_path[i] || !record_counts(rec) || side || (rec->flags & RECORD_TEAM)) {
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

/* ---- What is seen ---- */

static bool is_shown(const struct weaving *w, size_t row)
{
    const struct record *rec = &w->r->rows[row];
    bool side = (rec->flags & RECORD_SIDECHAIN) && !w->child;
    bool told = w->child && (rec->flags & RECORD_TOLD);
    if (side || (rec->flags & RECORD_TEAM) || ((rec->flags & RECORD_META) && !told)) {
        return false;
    }
    if (rec->flags & RECORD_QUEUED) {
        size_t same = records_find(w->r, rec->source);
        return same == RECORD_NONE || !w->on_path[same] || w->r->rows[same].type != RECORD_USER;
    }
    return is_message(rec);
}

static bool collect(struct weaving *w, struct branch *b)
{
    b->rows = calloc(w->r->n + 1, sizeof(*b->rows));
    for (size_t i = 0; b->rows && i < w->n; i++) {
        if (is_shown(w, w->path[i])) {
            b->rows[b->n++] = w->path[i];
        }
        const struct message *m = message_of(w, w->path[i]);
        for (int which = 0; m && m->last == i && which < 2; which++) {
            for (size_t k = 0; k < m->n[which]; k++) {
                if (is_shown(w, m->rows[which][k])) {
                    b->rows[b->n++] = m->rows[which][k];
                }
            }
        }
    }
    return b->rows != NULL;
}

bool branch_select(struct branch *b, const struct records *r, bool child)
{
    struct weaving w = {.r = r, .child = child};
    size_t leaf;
    *b = (struct branch){0};
    if (!choose_leaf(r, child, &leaf)) {
        return false;
    }
    if (leaf == RECORD_NONE) {
        return true;
    }
    bool ok = walk(&w, leaf) && put_back_kept(&w) && note_messages(&w) && find_strays(&w) && collect(&w, b);
    map_free(&w.messages, free_message);
    free(w.path);
    free(w.on_path);
    return ok;
}

void branch_free(struct branch *b)
{
    free(b->rows);
    *b = (struct branch){0};
}
