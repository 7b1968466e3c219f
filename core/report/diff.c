#include "report/diff.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/clock.h"

/* ---- The clock --------------------------------------------------------------------------------------- */

enum { STEPS_PER_LOOK = 1 << 16 };

struct budget {
    int64_t end; /* in milliseconds of the monotonic clock */
    unsigned steps;
};

/* Counts work that was done and looks at the clock now and then. */
static bool budget_left(struct budget *b, size_t work)
{
    if (work < STEPS_PER_LOOK && b->steps + work < STEPS_PER_LOOK) {
        b->steps += (unsigned)work;
        return true;
    }
    b->steps = 0;
    return clock_monotonic_ms() <= b->end;
}

/* ---- Cutting and splitting --------------------------------------------------------------------------- */

static size_t count_lines(str s)
{
    size_t n = 0, at = 0;
    while (at < s.n) {
        size_t nl = str_find_byte(s, '\n', at);
        at = nl == SIZE_MAX ? s.n : nl + 1;
        n++;
    }
    return n;
}

/* The start of the line that ends before `at`, which is the start of a line itself. */
static size_t line_before(str s, size_t at)
{
    if (at == 0) {
        return 0;
    }
    const char *nl = at > 1 ? memrchr(s.p, '\n', at - 1) : NULL;
    return nl ? (size_t)(nl - s.p) + 1 : 0;
}

/* The bytes of whole lines that both texts begin with. */
static size_t common_start(str a, str b)
{
    size_t most = a.n < b.n ? a.n : b.n, n = 0;
    while (n < most && a.p[n] == b.p[n]) {
        n++;
    }
    const char *nl = n ? memrchr(a.p, '\n', n) : NULL;
    return nl ? (size_t)(nl - a.p) + 1 : 0;
}

static bool starts_line(str s, size_t at)
{
    return at == 0 || s.p[at - 1] == '\n';
}

/* The bytes of whole lines that both texts end with, `start` bytes at the beginning left aside. */
static size_t common_end(str a, str b, size_t start)
{
    size_t most = (a.n < b.n ? a.n : b.n) - start, n = 0;
    while (n < most && a.p[a.n - 1 - n] == b.p[b.n - 1 - n]) {
        n++;
    }
    if (starts_line(a, a.n - n) && starts_line(b, b.n - n)) {
        return n;
    }
    size_t nl = str_find_byte(a, '\n', a.n - n);
    return nl == SIZE_MAX ? 0 : a.n - nl - 1;
}

static bool split(struct diff_side *side, str text)
{
    side->n = count_lines(text);
    side->lines = calloc(side->n + 1, sizeof(*side->lines));
    side->number = calloc(side->n + 1, sizeof(*side->number));
    side->changed = calloc(side->n + 1, sizeof(*side->changed));
    if (!side->lines || !side->number || !side->changed) {
        return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < side->n; i++) {
        size_t nl = str_find_byte(text, '\n', at);
        size_t end = nl == SIZE_MAX ? text.n : nl + 1;
        side->lines[i] = (str){text.p + at, end - at};
        at = end;
    }
    return true;
}

/* Moves the end of the middle part behind one more line that both texts have. */
static size_t shorten_end(str text, size_t end)
{
    size_t nl = end ? str_find_byte(text, '\n', text.n - end) : SIZE_MAX;
    return nl == SIZE_MAX ? 0 : text.n - nl - 1;
}

/* Cuts off what is common but for the context, and splits the rest. */
static bool cut_and_split(struct diff *d, str old_text, str new_text)
{
    size_t start = common_start(old_text, new_text);
    size_t end = common_end(old_text, new_text, start);
    for (int i = 0; i < DIFF_CONTEXT; i++) {
        start = line_before(old_text, start);
        end = shorten_end(old_text, end);
    }
    for (int i = 0; i < DIFF_CONTEXT && end; i++) {
        end = shorten_end(old_text, end);
        d->tail++;
    }
    d->skipped = count_lines(str_first(old_text, start));
    return split(&d->old_side, (str){old_text.p + start, old_text.n - end - start}) &&
           split(&d->new_side, (str){new_text.p + start, new_text.n - end - start});
}

/* ---- Numbering --------------------------------------------------------------------------------------- */

/* An open-addressing table of lines; a slot holds 1 + the index of the line's first occurrence, counted over
 * both sides. */
struct line_table {
    uint32_t *slots;
    size_t mask;
    uint64_t *hashes; /* by occurrence */
};

static str line_at(const struct diff *d, size_t i)
{
    return i < d->old_side.n ? d->old_side.lines[i] : d->new_side.lines[i - d->old_side.n];
}

static uint32_t number_line(const struct diff *d, struct line_table *t, size_t i)
{
    str line = line_at(d, i);
    t->hashes[i] = XXH3_64bits(line.p, line.n);
    for (size_t at = t->hashes[i] & t->mask;; at = (at + 1) & t->mask) {
        if (!t->slots[at]) {
            t->slots[at] = (uint32_t)i + 1;
            return (uint32_t)i;
        }
        uint32_t first = t->slots[at] - 1;
        if (t->hashes[first] == t->hashes[i] && str_eq(line_at(d, first), line)) {
            return first;
        }
    }
}

static bool number_lines(struct diff *d)
{
    size_t n = d->old_side.n + d->new_side.n, cap = 16;
    if (n >= UINT32_MAX / 2) {
        return false;
    }
    while (cap < n * 2) {
        cap *= 2;
    }
    struct line_table t = {calloc(cap, sizeof(*t.slots)), cap - 1, calloc(n + 1, sizeof(*t.hashes))};
    bool ok = t.slots && t.hashes;
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t number = number_line(d, &t, i);
        if (i < d->old_side.n) {
            d->old_side.number[i] = number;
        } else {
            d->new_side.number[i - d->old_side.n] = number;
        }
    }
    free(t.slots);
    free(t.hashes);
    return ok;
}

/* ---- The search --------------------------------------------------------------------------------------
 * A point (x, y) says that x old and y new lines are consumed; its diagonal is k = x - y. Round d holds for
 * each diagonal the furthest x that d changes reach. A round keeps one bit for each of its diagonals, whether
 * the last change was an insertion: since equal lines are always taken greedily, the bits are enough to walk
 * the way again. */

struct round {
    size_t first_bit;
    int64_t first_k;
};

struct search {
    const uint32_t *a, *b;
    int64_t n, m;
    int64_t min_k, max_k; /* diagonals beyond have hit an edge: nothing shorter comes from there */
    int32_t *reach;       /* x by diagonal, from -m - 1 to n + 1; NOWHERE when no way leads there */
    struct round *rounds;
    size_t rounds_n, rounds_cap;
    unsigned char *bits;
    size_t bits_n, bits_cap; /* cap in bytes */
    struct budget budget;
};

enum { NOWHERE = -1 };

static int32_t *reach_at(struct search *s, int64_t k)
{
    return &s->reach[k + s->m + 1];
}

static bool begin_round(struct search *s, int64_t first_k, int64_t last_k)
{
    if (s->rounds_n == s->rounds_cap) {
        size_t cap = s->rounds_cap ? s->rounds_cap * 2 : 64;
        struct round *rounds = realloc(s->rounds, cap * sizeof(*rounds));
        if (!rounds) {
            return false;
        }
        s->rounds = rounds;
        s->rounds_cap = cap;
    }
    s->rounds[s->rounds_n++] = (struct round){s->bits_n, first_k};
    size_t need = (s->bits_n + (last_k >= first_k ? (size_t)(last_k - first_k) / 2 + 1 : 0)) / 8 + 1;
    if (need > s->bits_cap) {
        size_t cap = need + s->bits_cap;
        unsigned char *bits = realloc(s->bits, cap);
        if (!bits) {
            return false;
        }
        memset(bits + s->bits_cap, 0, cap - s->bits_cap);
        s->bits = bits;
        s->bits_cap = cap;
    }
    return true;
}

static bool was_insertion(const struct search *s, size_t round, int64_t k)
{
    size_t bit = s->rounds[round].first_bit + (size_t)(k - s->rounds[round].first_k) / 2;
    return s->bits[bit / 8] >> bit % 8 & 1;
}

static int64_t skip_equal(struct search *s, int64_t x, int64_t k)
{
    while (x < s->n && x - k < s->m && s->a[x] == s->b[x - k]) {
        x++;
    }
    return x;
}

static void note_reach(struct search *s, int64_t k, int64_t x)
{
    *reach_at(s, k) = (int32_t)x;
    if (x >= s->n && k - 1 < s->max_k) {
        s->max_k = k - 1;
    }
    if (x - k >= s->m && k + 1 > s->min_k) {
        s->min_k = k + 1;
    }
}

/* One diagonal of a round: 1 when the end is reached, 0 when not, -1 when time is up. */
static int step(struct search *s, int64_t k)
{
    int32_t *from_delete = reach_at(s, k - 1), by_delete = *from_delete, by_insert = *reach_at(s, k + 1);
    *from_delete = NOWHERE; /* no later diagonal comes from there */
    bool can_delete = by_delete != NOWHERE && by_delete < s->n;
    bool can_insert = by_insert != NOWHERE && by_insert >= k + 1 && by_insert - k <= s->m;
    size_t bit = s->bits_n++;
    if (!can_delete && !can_insert) {
        *reach_at(s, k) = NOWHERE;
        return 0;
    }
    int64_t x = (int64_t)by_delete + 1;
    if (!can_delete || (can_insert && by_delete < by_insert)) {
        x = by_insert;
        s->bits[bit / 8] |= (unsigned char)(1U << bit % 8);
    }
    int64_t end = skip_equal(s, x, k);
    if (!budget_left(&s->budget, (size_t)(end - x) + 1)) {
        return -1;
    }
    if (end >= s->n && end - k >= s->m) {
        return 1;
    }
    note_reach(s, k, end);
    return 0;
}

/* Finds the diagonal of the last change; s->rounds_n tells how many changes there are. */
static bool find_way(struct search *s, int64_t *last_k)
{
    int64_t start = skip_equal(s, 0, 0);
    if (start == s->n && s->n == s->m) {
        return true;
    }
    note_reach(s, 0, start);
    for (int64_t d = 1; d <= s->n + s->m; d++) {
        int64_t first = s->min_k > -d ? s->min_k : -d;
        if (!begin_round(s, first, s->max_k < d ? s->max_k : d)) {
            return false;
        }
        for (int64_t k = first; k <= (s->max_k < d ? s->max_k : d); k += 2) {
            int done = step(s, k);
            if (done) {
                *last_k = k;
                return done > 0;
            }
        }
    }
    return false;
}

/* Walks the way back to know its changes in order, and then forwards to mark the changed lines. */
static bool mark_changes(struct search *s, int64_t k, struct diff *d)
{
    size_t changes = s->rounds_n;
    bool *inserted = malloc(changes + 1);
    if (!inserted) {
        return false;
    }
    for (size_t r = changes; r-- > 0;) {
        inserted[r] = was_insertion(s, r, k);
        k += inserted[r] ? 1 : -1;
    }
    int64_t x = skip_equal(s, 0, 0), y = x;
    for (size_t r = 0; r < changes; r++) {
        if (inserted[r]) {
            d->new_side.changed[y++] = true;
        } else {
            d->old_side.changed[x++] = true;
        }
        int64_t end = skip_equal(s, x, x - y);
        y += end - x;
        x = end;
    }
    free(inserted);
    return true;
}

static bool search(struct diff *d, unsigned budget_ms)
{
    struct search s = {.a = d->old_side.number,
                       .b = d->new_side.number,
                       .n = (int64_t)(d->old_side.n - d->tail),
                       .m = (int64_t)(d->new_side.n - d->tail),
                       .budget = {clock_monotonic_ms() + budget_ms, 0}};
    s.min_k = -s.m;
    s.max_k = s.n;
    size_t diagonals = (size_t)(s.n + s.m) + 3;
    s.reach = malloc(diagonals * sizeof(*s.reach));
    bool ok = s.reach != NULL;
    if (ok) {
        memset(s.reach, 0xFF, diagonals * sizeof(*s.reach)); /* NOWHERE */
        int64_t k = 0;
        ok = find_way(&s, &k) && mark_changes(&s, k, d);
    }
    free(s.reach);
    free(s.rounds);
    free(s.bits);
    return ok;
}

/* ---- The whole --------------------------------------------------------------------------------------- */

bool diff_make(struct diff *d, str old_text, str new_text, unsigned budget_ms)
{
    *d = (struct diff){0};
    if (str_eq(old_text, new_text)) {
        return true;
    }
    return cut_and_split(d, old_text, new_text) && number_lines(d) && search(d, budget_ms);
}

static void side_free(struct diff_side *side)
{
    free(side->lines);
    free(side->number);
    free(side->changed);
}

void diff_free(struct diff *d)
{
    side_free(&d->old_side);
    side_free(&d->new_side);
    *d = (struct diff){0};
}

static bool changed(const struct diff_side *side, size_t at)
{
    return at < side->n && side->changed[at];
}

bool diff_next_hunk(const struct diff *d, struct diff_hunk *h)
{
    const struct diff_side *a = &d->old_side, *b = &d->new_side;
    size_t x = h->old_at + h->old_n, y = h->new_at + h->new_n, equal = 0;
    while (x < a->n && y < b->n && !a->changed[x] && !b->changed[y]) {
        x++;
        y++;
        equal++;
    }
    if (!changed(a, x) && !changed(b, y)) {
        return false;
    }
    size_t lead = equal < DIFF_CONTEXT ? equal : DIFF_CONTEXT;
    h->old_at = x - lead;
    h->new_at = y - lead;
    for (;;) {
        while (changed(a, x)) {
            x++;
        }
        while (changed(b, y)) {
            y++;
        }
        size_t gap = 0;
        while (x + gap < a->n - d->tail && !changed(a, x + gap) && !changed(b, y + gap)) {
            gap++;
        }
        bool more = changed(a, x + gap) || changed(b, y + gap);
        if (!more || gap > 2 * (size_t)DIFF_CONTEXT) {
            gap = gap == 0 ? d->tail : gap < DIFF_CONTEXT ? gap : DIFF_CONTEXT;
            h->old_n = x + gap - h->old_at;
            h->new_n = y + gap - h->new_at;
            return true;
        }
        x += gap;
        y += gap;
    }
}
