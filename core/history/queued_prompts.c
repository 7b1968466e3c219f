#include "history/queued_prompts.h"

#include <stdlib.h>

static bool is_queued(const struct record *rec)
{
    return record_counts(rec) && (rec->flags & RECORD_QUEUED);
}

/* ---- What follows them ---- */

/* Which records of the conversation are a command that ran without the model, or what it printed. */
static void find_commands(const struct records *r, const size_t *rows, size_t n, bool *command)
{
    enum { NONE, CAVEAT, COMMAND } after = NONE;
    for (size_t i = 0; i < n; i++) {
        const struct record *rec = &r->rows[rows[i]];
        bool meta = rec->flags & RECORD_META;
        if (rec->type == RECORD_ASSISTANT) {
            after = NONE;
        } else if (rec->type == RECORD_USER && meta) {
            after = rec->voice == VOICE_CAVEAT ? CAVEAT : after;
        } else if (rec->type == RECORD_USER) {
            command[i] = (after == CAVEAT && rec->voice == VOICE_COMMAND) ||
                         (after == COMMAND && rec->voice == VOICE_OUTPUT);
            after = command[i] ? COMMAND : NONE;
        }
    }
}

/* A prompt was delivered when an answer comes before the next prompt does. */
static void look_ahead(const struct records *r, const size_t *rows, size_t n, const bool *command,
                       bool *delivered)
{
    bool answered = false;
    for (size_t i = n; i-- > 0;) {
        const struct record *rec = &r->rows[rows[i]];
        delivered[i] = answered;
        if (rec->type == RECORD_ASSISTANT || (rec->flags & RECORD_RESULT) ||
            rec->voice == VOICE_INTERRUPTION) {
            answered = true;
        } else if (rec->type == RECORD_USER && !(rec->flags & (RECORD_META | RECORD_SUMMARY)) &&
                   !command[i]) {
            answered = false;
        }
    }
}

/* ---- What the queue says ---- */

/* What is known of the copies of one delivery, or of one source. */
struct copies {
    size_t left; /* of the last copies, how many more were delivered */
    uint64_t body;
    bool mixed; /* of one source, and not the same: the queue's number says nothing */
};

static struct copies *copies_of(struct map *m, const struct records *r, char kind, str id)
{
    AUTO_BUF(key);
    size_t times = records_absorbed(r, kind, id);
    if (!times) {
        return NULL;
    }
    buf_put_byte(&key, kind);
    buf_put_str(&key, id);
    struct copies *c = map_get(m, buf_str(&key));
    if (!c && (c = calloc(1, sizeof(*c)))) {
        c->left = times;
        if (!buf_ok(&key) || !map_put(m, buf_str(&key), c, NULL)) {
            free(c);
            return NULL;
        }
    }
    return c;
}

static struct copies *copies_of_row(struct map *m, const struct records *r, const struct record *rec)
{
    return rec->aside->delivery.p ? copies_of(m, r, 'd', rec->aside->delivery)
                                  : copies_of(m, r, 'c', rec->source);
}

/* Finds the sources whose copies differ, and of the deliveries, whose copies count in the whole file, those
 * that came true: the rows in `came`. */
static void read_copies(struct map *m, const struct records *r, bool *came)
{
    for (size_t i = r->n; i-- > 0;) {
        const struct record *rec = &r->rows[i];
        struct copies *c = is_queued(rec) ? copies_of_row(m, r, rec) : NULL;
        if (!c) {
            continue;
        }
        if (rec->aside->delivery.p) {
            came[i] = c->left > 0;
            c->left -= c->left > 0;
        } else {
            c->mixed = c->mixed || (c->body && c->body != rec->aside->body);
            c->body = rec->aside->body;
        }
    }
}

static bool ask_queue(const struct records *r, const size_t *rows, size_t n, bool *delivered)
{
    struct map m = MAP_INIT;
    bool *came = calloc(r->n + 1, sizeof(*came));
    if (!came) {
        return false;
    }
    read_copies(&m, r, came);
    for (size_t i = n; i-- > 0;) {
        const struct record *rec = &r->rows[rows[i]];
        struct copies *c = is_queued(rec) ? copies_of_row(&m, r, rec) : NULL;
        if (c && rec->aside->delivery.p) {
            delivered[i] = came[rows[i]];
        } else if (c && !c->mixed) {
            delivered[i] = c->left > 0;
            c->left -= c->left > 0;
        }
    }
    map_free(&m, free);
    free(came);
    return true;
}

bool queued_prompts_delivered(const struct records *r, const size_t *rows, size_t n, size_t trailing,
                              bool *delivered)
{
    bool *command = calloc(n + 1, sizeof(*command));
    if (!command) {
        return false;
    }
    find_commands(r, rows, n, command);
    look_ahead(r, rows, n, command, delivered);
    for (size_t i = trailing; i < n; i++) {
        delivered[i] = true;
    }
    free(command);
    return !r->absorbed.used || ask_queue(r, rows, n, delivered);
}
