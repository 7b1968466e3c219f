#include "history/record_tree.h"

#include <stdlib.h>

enum { KEPT_MAX = 64 }; /* compactions whose kept part is put in its place: the last ones */

/* ---- What compactions kept ---- */

/* Hangs the rows of the anchor below `tail` instead, but for `head`, which hangs below the anchor. */
static void insert_part(struct record_tree *t, size_t anchor, size_t head, size_t tail)
{
    for (size_t i = 0; i < t->r->n; i++) {
        if (t->up[i] == anchor && i != head) {
            t->up[i] = tail;
        }
    }
    t->up[head] = anchor;
}

static void insert_kept(struct record_tree *t, const struct preserved *p)
{
    const struct records *r = t->r;
    size_t anchor = records_find(r, p->anchor), head = records_find(r, p->head),
           tail = records_find(r, p->tail);
    if (p->list) {
        head = p->n ? records_find(r, p->list[0]) : RECORD_NONE;
        for (size_t i = 0; i < p->n; i++) { /* one that is not there makes the list worth nothing */
            tail = records_find(r, p->list[i]);
            if (tail == RECORD_NONE) {
                return;
            }
        }
    }
    if (anchor == RECORD_NONE || head == RECORD_NONE || tail == RECORD_NONE) {
        return;
    }
    for (size_t i = 1; p->list && i < p->n; i++) {
        t->up[records_find(r, p->list[i])] = records_find(r, p->list[i - 1]);
    }
    insert_part(t, anchor, head, tail);
}

static const struct preserved *kept_by(const struct record *rec)
{
    return record_counts(rec) && (rec->flags & RECORD_BOUNDARY) ? rec->preserved : NULL;
}

bool record_tree_make(struct record_tree *t, const struct records *r, bool child)
{
    size_t parts = 0, seen = 0;
    *t = (struct record_tree){.r = r, .child = child, .up = calloc(r->n + 1, sizeof(*t->up))};
    if (!t->up) {
        return false;
    }
    for (size_t i = 0; i < r->n; i++) {
        t->up[i] = r->rows[i].parent;
        parts += kept_by(&r->rows[i]) != NULL;
    }
    for (size_t i = 0; parts && i < r->n; i++) {
        const struct preserved *p = kept_by(&r->rows[i]);
        if (p && ++seen + KEPT_MAX > parts) {
            insert_kept(t, p);
        }
    }
    return true;
}

void record_tree_free(struct record_tree *t)
{
    free(t->up);
    *t = (struct record_tree){0};
}

bool record_tree_up(const struct record_tree *t, size_t *row, size_t *steps)
{
    *row = ++*steps > t->r->n ? RECORD_NONE : t->up[*row];
    return *row != RECORD_NONE;
}

/* ---- The leaf ---- */

bool record_tree_is_main(const struct record_tree *t, size_t row)
{
    const struct record *rec = &t->r->rows[row];
    bool side = (rec->flags & RECORD_SIDECHAIN) && !t->child;
    return record_counts(rec) && !side && !(rec->flags & RECORD_TEAM);
}

/* Its branch may be the active one. */
static bool counts(const struct record_tree *t, size_t row)
{
    const struct record *rec = &t->r->rows[row];
    return record_tree_is_main(t, row) && rec->type != RECORD_PROGRESS && !(rec->flags & RECORD_BRIEFING);
}

static bool is_live(const struct record_tree *t, size_t row)
{
    return record_counts(&t->r->rows[row]);
}

/* For each row the nearest message at or above it; RECORD_NONE: there is none. */
static size_t *nearest_messages(const struct record_tree *t)
{
    enum { UNKNOWN = 0 };
    const struct records *r = t->r;
    size_t *near = calloc(r->n + 1, sizeof(*near)); /* row + 2; 1: none */
    for (size_t i = 0; near && i < r->n; i++) {
        size_t at = i, steps = 0, found = 1;
        while (at != RECORD_NONE && near[at] == UNKNOWN && !record_is_message(&r->rows[at])) {
            if (!record_tree_up(t, &at, &steps)) {
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
            if (record_is_message(&r->rows[at]) || !record_tree_up(t, &at, &steps)) {
                break;
            }
        }
    }
    for (size_t i = 0; near && i < r->n; i++) {
        near[i] = near[i] < 2 ? RECORD_NONE : near[i] - 2;
    }
    return near;
}

/* Which rows are an end among those of this sort. */
static void find_ends(const struct record_tree *t, bool (*sort)(const struct record_tree *, size_t),
                      bool *ends)
{
    for (size_t i = 0; i < t->r->n; i++) {
        ends[i] = sort(t, i);
    }
    for (size_t i = 0; i < t->r->n; i++) {
        if (sort(t, i) && t->up[i] != RECORD_NONE) {
            ends[t->up[i]] = false;
        }
    }
}

/* The message of the end that was written last. */
static size_t last_end(const struct record_tree *t, const bool *ends, const size_t *near)
{
    for (size_t i = t->r->n; i-- > 0;) {
        if (ends[i] && near[i] != RECORD_NONE) {
            return near[i];
        }
    }
    return RECORD_NONE;
}

/* When no record counts: the last message of any branch, rather none of a side chain, a team or the model's.
 */
static size_t last_of_any(const struct record_tree *t, const bool *ends, const size_t *near)
{
    size_t best = RECORD_NONE, poor = RECORD_NONE;
    for (size_t i = 0; i < t->r->n; i++) {
        size_t at = ends[i] ? near[i] : RECORD_NONE;
        if (at == RECORD_NONE) {
            continue;
        }
        bool good = record_tree_is_main(t, at) && !(t->r->rows[at].flags & RECORD_META);
        size_t *slot = good ? &best : &poor;
        if (*slot == RECORD_NONE || at > *slot) {
            *slot = at;
        }
    }
    return best != RECORD_NONE ? best : poor;
}

bool record_tree_leaf(const struct record_tree *t, size_t *leaf)
{
    size_t *near = nearest_messages(t);
    bool *ends = calloc(t->r->n + 1, sizeof(*ends));
    bool ok = near && ends;
    *leaf = RECORD_NONE;
    if (ok) {
        find_ends(t, counts, ends);
        *leaf = last_end(t, ends, near);
    }
    if (ok && *leaf == RECORD_NONE) {
        find_ends(t, is_live, ends);
        *leaf = last_of_any(t, ends, near);
    }
    free(near);
    free(ends);
    return ok;
}

/* ---- What follows the leaf ---- */

struct below {
    size_t up, row;
    str time;
};

static int compare_below(const void *pa, const void *pb)
{
    const struct below *a = pa, *b = pb;
    if (a->up != b->up) {
        return a->up < b->up ? -1 : 1;
    }
    int by_time = str_cmp(a->time, b->time);
    return by_time ? by_time : a->row < b->row ? -1 : a->row > b->row;
}

/* The rows that are no message and hang on another one, sorted by that and by time. */
static struct below *find_links(const struct record_tree *t, size_t *n)
{
    const struct records *r = t->r;
    struct below *links = calloc(r->n + 1, sizeof(*links));
    *n = 0;
    for (size_t i = 0; links && i < r->n; i++) {
        const struct record *rec = &r->rows[i];
        if (record_counts(rec) && !record_is_message(rec) && t->up[i] != RECORD_NONE) {
            str time = rec->type == RECORD_ATTACHMENT ? rec->aside->time : STR_ABSENT;
            links[(*n)++] = (struct below){t->up[i], i, time};
        }
    }
    if (links) {
        qsort(links, *n, sizeof(*links), compare_below);
    }
    return links;
}

/* Marks the rows on the way to a message that the conversation does not have. */
static void mark_ways(const struct record_tree *t, const bool *taken, bool *way)
{
    for (size_t i = 0; i < t->r->n; i++) {
        if (!record_is_message(&t->r->rows[i]) || !record_tree_is_main(t, i) || taken[i]) {
            continue;
        }
        size_t at = i, steps = 0;
        while (record_tree_up(t, &at, &steps) && !taken[at] && !way[at]) {
            way[at] = true;
        }
    }
}

/* The first of the links on `row`. */
static size_t first_link(const struct below *links, size_t n, size_t row)
{
    size_t from = 0, to = n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (links[middle].up < row) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/* Collects the queued prompts of the links below the leaf, the first child and what is below it first. `way`
 * becomes true of what was seen. */
static size_t collect_below(const struct record_tree *t, size_t leaf, const bool *taken, bool *way,
                            const struct below *links, size_t n, size_t *stack, size_t *out)
{
    size_t found = 0, depth = 0;
    bool *seen = calloc(t->r->n + 1, sizeof(*seen));
    if (!seen) {
        return RECORD_NONE;
    }
    stack[depth++] = leaf;
    while (depth) {
        size_t at = stack[--depth], first = first_link(links, n, at), end = first;
        if (at != leaf && !way[at] && (t->r->rows[at].flags & RECORD_QUEUED)) {
            out[found++] = at;
        }
        while (end < n && links[end].up == at) {
            end++;
        }
        while (end-- > first) {
            size_t row = links[end].row;
            if (!taken[row] && !seen[row]) {
                seen[row] = true; /* each row is on the stack once */
                stack[depth++] = row;
            }
        }
    }
    free(seen);
    return found;
}

size_t *record_tree_trailing(const struct record_tree *t, size_t leaf, const bool *taken, size_t *n)
{
    size_t links_n = 0, rows = t->r->n + 1;
    struct below *links = find_links(t, &links_n);
    bool *way = calloc(rows, sizeof(*way));
    size_t *stack = calloc(rows, sizeof(*stack)), *out = calloc(rows, sizeof(*out));
    *n = RECORD_NONE;
    if (links && way && stack && out) {
        mark_ways(t, taken, way);
        *n = collect_below(t, leaf, taken, way, links, links_n, stack, out);
    }
    free(links);
    free(way);
    free(stack);
    if (*n == RECORD_NONE) {
        *n = 0;
        free(out);
        return NULL;
    }
    return out;
}
