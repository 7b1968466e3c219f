#include "turn/usage.h"

#include <math.h>
#include <stdlib.h>

#define COUNT_MAX (INT64_C(1) << 53) /* what a JavaScript number holds exactly */

enum {
    WINDOW_DEFAULT = 200000,
    WINDOW_LARGE = 1000000,
    MODELS_MAX = 256,   /* rows of a reading that are looked at */
    WINDOWS_MAX = 1024, /* window sizes that are kept */
};

/* ---- Counters ------------------------------------------------------------------------------------ */

static int64_t count_of(json v)
{
    double d;
    if (!json_double(v, &d) || !isfinite(d) || d <= 0) {
        return 0;
    }
    return d >= (double)COUNT_MAX ? COUNT_MAX : (int64_t)d;
}

static int64_t plus(int64_t a, int64_t b)
{
    return a > COUNT_MAX - b ? COUNT_MAX : a + b;
}

static int64_t total(const struct usage_tokens *t)
{
    return plus(plus(t->input, t->output), plus(t->cache_read, t->cache_write));
}

static void add_tokens(struct usage_tokens *to, const struct usage_tokens *more)
{
    to->input = plus(to->input, more->input);
    to->output = plus(to->output, more->output);
    to->cache_read = plus(to->cache_read, more->cache_read);
    to->cache_write = plus(to->cache_write, more->cache_write);
}

/* The names of the four counters, in the API's usage and in the CLI's modelUsage. */
struct counter_names {
    const char *input, *output, *cache_read, *cache_write;
};
static const struct counter_names api_names = {
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
};
static const struct counter_names model_names = {
    "inputTokens",
    "outputTokens",
    "cacheReadInputTokens",
    "cacheCreationInputTokens",
};

static struct usage_tokens read_tokens(json v, const struct counter_names *names)
{
    return (struct usage_tokens){
        .input = count_of(json_get(v, names->input)),
        .output = count_of(json_get(v, names->output)),
        .cache_read = count_of(json_get(v, names->cache_read)),
        .cache_write = count_of(json_get(v, names->cache_write)),
    };
}

/* ---- Rows ---------------------------------------------------------------------------------------- */

static str row_model(const struct usage_row *row)
{
    return (str){row->model, row->model_len};
}

static struct usage_row *find_row(const struct usage_rows *r, str model)
{
    for (size_t i = 0; i < r->n; i++) {
        if (str_eq(row_model(&r->rows[i]), model)) {
            return &r->rows[i];
        }
    }
    return NULL;
}

/* The model's row, made when there is none; NULL when memory is out or there are too many. */
static struct usage_row *need_row(struct usage_rows *r, str model)
{
    struct usage_row *row = find_row(r, model);
    if (row || r->n >= MODELS_MAX) {
        return row;
    }
    if (r->n == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : 4;
        struct usage_row *rows = realloc(r->rows, cap * sizeof(*rows));
        if (!rows) {
            return NULL;
        }
        r->rows = rows;
        r->cap = cap;
    }
    char *name = str_dup(model);
    if (!name) {
        return NULL;
    }
    r->rows[r->n] = (struct usage_row){.model = name, .model_len = model.n};
    return &r->rows[r->n++];
}

static void free_rows(struct usage_rows *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->rows[i].model);
    }
    free(r->rows);
    *r = (struct usage_rows){0};
}

void usage_turn_free(struct usage_turn *t)
{
    free_rows(&t->models);
    *t = USAGE_TURN_INIT;
}

void usage_free(struct usage *u)
{
    buf_free(&u->model);
    buf_free(&u->backend);
    buf_free(&u->selected);
    free_rows(&u->reading);
    *u = USAGE_INIT;
}

static void remember(struct buf *place, str text)
{
    buf_clear(place);
    buf_put_str(place, text);
}

/* ---- The window ----------------------------------------------------------------------------------- */

void usage_windows_clear(struct usage_windows *w)
{
    map_free(&w->sizes, free);
    w->sizes = MAP_INIT;
}

static void window_key(struct buf *key, str backend, str model)
{
    buf_put_str(key, backend);
    buf_put_byte(key, '\0');
    buf_put_str(key, model);
}

/* The size that was learned; 0 when none was. */
static int64_t learned(const struct usage_windows *w, str backend, str model)
{
    AUTO_BUF(key);
    if (!w || !model.n) {
        return 0;
    }
    window_key(&key, backend, model);
    const int64_t *size = buf_ok(&key) ? map_get(&w->sizes, buf_str(&key)) : NULL;
    return size ? *size : 0;
}

static void learn(struct usage_windows *w, str backend, str model, int64_t size)
{
    AUTO_BUF(key);
    window_key(&key, backend, model);
    if (!w || !model.n || !buf_ok(&key)) {
        return;
    }
    int64_t *known = map_get(&w->sizes, buf_str(&key));
    if (!known) {
        known = w->sizes.used < WINDOWS_MAX ? malloc(sizeof(*known)) : NULL;
        if (!known || !map_put(&w->sizes, buf_str(&key), known, NULL)) {
            free(known);
            return;
        }
    }
    *known = size;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* True when the text has the word "1m", in either case. */
static bool says_1m(str s)
{
    for (size_t i = 0; i + 1 < s.n; i++) {
        if (s.p[i] == '1' && (s.p[i + 1] == 'm' || s.p[i + 1] == 'M') &&
            (i == 0 || !is_word_byte(s.p[i - 1])) && (i + 2 == s.n || !is_word_byte(s.p[i + 2]))) {
            return true;
        }
    }
    return false;
}

void usage_select_model(struct usage *u, const struct usage_windows *w, str backend,
                        const struct usage_model *model)
{
    remember(&u->backend, backend);
    remember(&u->selected, model->id);
    int64_t size = learned(w, backend, model->id);
    if (!size) {
        size = learned(w, backend, model->resolved);
    }
    if (!size) {
        bool large = says_1m(model->id) || says_1m(model->resolved) || says_1m(model->name) ||
                     says_1m(model->description);
        size = large ? WINDOW_LARGE : WINDOW_DEFAULT;
    }
    u->size = size;
}

bool usage_context_answer(struct usage *u, json answer, str model_id)
{
    int64_t size = count_of(json_get(answer, "rawMaxTokens"));
    if (size <= 0 || size == u->size || !str_eq(model_id, buf_str(&u->selected))) {
        return false;
    }
    u->size = size;
    return true;
}

static size_t common_prefix(str a, str b)
{
    size_t n = 0;
    while (n < a.n && n < b.n && a.p[n] == b.p[n]) {
        n++;
    }
    return n;
}

/* The window that the result tells for the model that answered last. */
static void learn_window(struct usage *u, struct usage_windows *w, json model_usage)
{
    str model = buf_str(&u->model), best = STR_ABSENT;
    size_t longest = 0;
    json row = JSON_NONE;
    if (!model.n) {
        return;
    }
    for (struct json_iter it = json_each(model_usage); json_next(&it);) {
        size_t n = common_prefix(json_iter_key(&it), model);
        if (n > longest || (n && n == longest && str_eq(json_iter_key(&it), best))) {
            longest = n;
            best = json_iter_key(&it);
            row = it.value;
        }
    }
    int64_t size = count_of(json_get(row, "contextWindow"));
    if (size > 0) {
        u->size = size;
        learn(w, buf_str(&u->backend), best, size);
    }
}

/* ---- Messages ------------------------------------------------------------------------------------- */

static bool set_latest(struct usage *u, struct usage_tokens latest)
{
    int64_t used = total(&latest);
    bool changed = !u->known || !u->told || used != u->used;
    u->told = true;
    u->latest = latest;
    u->used = used;
    u->known = true;
    return changed;
}

bool usage_message_start(struct usage *u, json message)
{
    str model = json_text(json_get(message, "model"));
    if (str_is(model, "<synthetic>") || !json_is(json_get(message, "usage"), JSON_OBJECT)) {
        return false;
    }
    if (model.p) {
        remember(&u->model, model);
    }
    u->answered = u->streamed = true;
    return set_latest(u, read_tokens(json_get(message, "usage"), &api_names));
}

void usage_assistant(struct usage *u, json message)
{
    str model = json_text(json_get(message, "model"));
    if (u->streamed || !model.p || str_is(model, "<synthetic>")) {
        return;
    }
    remember(&u->model, model);
    u->answered = true;
    if (json_is(json_get(message, "usage"), JSON_OBJECT)) {
        bool told = u->told;
        set_latest(u, read_tokens(json_get(message, "usage"), &api_names));
        u->told = told; /* nobody is told of it before the result */
    }
}

/* The counters of a delta are running totals; one that it lacks keeps its value. */
static int64_t updated(json usage, const char *name, int64_t before)
{
    json v = json_get(usage, name);
    return json_is(v, JSON_NUMBER) ? count_of(v) : before;
}

bool usage_message_delta(struct usage *u, json usage)
{
    if (!u->answered || !json_is(usage, JSON_OBJECT)) {
        return false;
    }
    return set_latest(u, (struct usage_tokens){
                             .input = updated(usage, api_names.input, u->latest.input),
                             .output = updated(usage, api_names.output, u->latest.output),
                             .cache_read = updated(usage, api_names.cache_read, u->latest.cache_read),
                             .cache_write = updated(usage, api_names.cache_write, u->latest.cache_write),
                         });
}

void usage_compacted(struct usage *u, json boundary)
{
    /* The counters of a message under way stay: what it still tells is added to them. */
    u->used = count_of(json_get(json_get(boundary, "compact_metadata"), "post_tokens"));
    u->known = true;
}

void usage_resumed(struct usage *u)
{
    u->resumed = true;
    free_rows(&u->reading);
}

void usage_turn_began(struct usage *u)
{
    u->answered = u->streamed = u->told = false;
}

void usage_begin_anew(struct usage *u)
{
    u->latest = (struct usage_tokens){0};
    u->used = 0;
    u->answered = u->streamed = u->resumed = false;
    free_rows(&u->reading);
}

/* ---- Results -------------------------------------------------------------------------------------- */

static struct usage_tokens growth(const struct usage_tokens *now, const struct usage_tokens *before)
{
    if (!before || now->input < before->input || now->output < before->output ||
        now->cache_read < before->cache_read || now->cache_write < before->cache_write) {
        return *now; /* the totals began anew */
    }
    return (struct usage_tokens){
        now->input - before->input,
        now->output - before->output,
        now->cache_read - before->cache_read,
        now->cache_write - before->cache_write,
    };
}

static void add_row(struct usage_turn *turn, str model, const struct usage_tokens *tokens)
{
    if (turn && total(tokens) > 0) {
        struct usage_row *row = need_row(&turn->models, model);
        if (row) {
            add_tokens(&row->tokens, tokens);
        }
    }
}

/* Takes the new reading in place of the last; the growth goes to `turn`, which may be NULL. */
static void advance_reading(struct usage *u, struct usage_turn *turn, json model_usage)
{
    struct usage_rows reading = {0};
    size_t n = 0;
    for (struct json_iter it = json_each(model_usage); n < MODELS_MAX && json_next(&it); n++) {
        if (!json_is(it.value, JSON_OBJECT)) {
            continue;
        }
        str model = json_iter_key(&it);
        struct usage_row *row = need_row(&reading, model);
        if (row) {
            row->tokens = read_tokens(it.value, &model_names); /* of equal keys the last one counts */
        }
    }
    for (size_t i = 0; turn && i < reading.n; i++) {
        str model = row_model(&reading.rows[i]);
        const struct usage_row *before = find_row(&u->reading, model);
        struct usage_tokens grown = growth(&reading.rows[i].tokens, before ? &before->tokens : NULL);
        add_row(turn, model, &grown);
    }
    free_rows(&u->reading);
    u->reading = reading;
}

bool usage_result(struct usage *u, struct usage_turn *turn, struct usage_windows *w, json result)
{
    struct usage_tokens spent = read_tokens(json_get(result, "usage"), &api_names);
    if (turn) {
        add_tokens(&turn->sum, &spent);
    }
    json model_usage = json_get(result, "modelUsage");
    bool readable = json_is(model_usage, JSON_OBJECT);
    if (u->resumed) {
        if (u->model.n) {
            add_row(turn, buf_str(&u->model), &spent);
        }
        turn = NULL;
        u->resumed = !readable;
    }
    if (readable) {
        advance_reading(u, turn, model_usage);
        learn_window(u, w, model_usage);
    }
    bool answered = u->answered;
    u->answered = u->streamed = false;
    return answered && u->known;
}

/* ---- Output --------------------------------------------------------------------------------------- */

void usage_put_update(struct buf *b, const struct usage *u, json result, json rate_limit)
{
    json_member_int(b, "used", u->used);
    json_member_int(b, "size", u->size);
    double cost;
    if (json_double(json_get(result, "total_cost_usd"), &cost) && isfinite(cost)) {
        json_key(b, "cost");
        json_open_object(b);
        json_member_double(b, "amount", cost);
        json_member_c(b, "currency", "USD");
        json_close_object(b);
    }
    json origin = json_get(result, "origin");
    bool has_origin = json_present(origin) && !json_is(origin, JSON_NULL);
    if (!u->model.n && !has_origin && !json_present(rate_limit)) {
        return;
    }
    json_key(b, "_meta");
    json_open_object(b);
    if (u->model.n) {
        json_member_str(b, "_claude/model", buf_str(&u->model));
    }
    if (has_origin) {
        json_member(b, "_claude/origin", origin);
    }
    json_member(b, "_claude/rateLimit", rate_limit);
    json_close_object(b);
}

void usage_put_response(struct buf *b, const struct usage_turn *t)
{
    json_key(b, "usage");
    json_open_object(b);
    json_member_int(b, "inputTokens", t->sum.input);
    json_member_int(b, "outputTokens", t->sum.output);
    json_member_int(b, "cachedReadTokens", t->sum.cache_read);
    json_member_int(b, "cachedWriteTokens", t->sum.cache_write);
    json_member_int(b, "totalTokens", total(&t->sum));
    json_close_object(b);
}

static void put_token_count(struct buf *b, const struct usage_tokens *t)
{
    json_key(b, "token_count");
    json_open_object(b);
    json_member_int(b, "totalTokens", total(t));
    json_member_int(b, "inputTokens", t->input);
    json_member_int(b, "cachedInputTokens", t->cache_read);
    json_member_int(b, "cachedWriteTokens", t->cache_write);
    json_member_int(b, "outputTokens", t->output);
    json_member_int(b, "reasoningOutputTokens", 0);
    json_close_object(b);
}

void usage_put_quota(struct buf *b, const struct usage_turn *t)
{
    json_key(b, "quota");
    json_open_object(b);
    put_token_count(b, &t->sum);
    json_key(b, "model_usage");
    json_open_array(b);
    for (size_t i = 0; i < t->models.n; i++) {
        json_open_object(b);
        json_member_str(b, "model", row_model(&t->models.rows[i]));
        put_token_count(b, &t->models.rows[i].tokens);
        json_close_object(b);
    }
    json_close_array(b);
    json_close_object(b);
}
