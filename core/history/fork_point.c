#include "history/fork_point.h"

#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>

#include "history/branch.h"

/* The records of one assistant message. */
struct message {
    SHA2_CTX hash; /* of its text */
    size_t last;   /* its last record */
    bool matches;
};

struct messages {
    const struct records *r;
    struct map by_wire; /* wire id → struct message */
};

static bool is_top_assistant(const struct record *rec)
{
    return record_counts(rec) && rec->type == RECORD_ASSISTANT && !(rec->flags & RECORD_SIDECHAIN);
}

/* ---- By id ---- */

static size_t find_in_branch(const struct records *r, const struct branch *b, str id)
{
    for (size_t i = b->n; i-- > 0;) {
        if (str_eq(r->rows[b->rows[i]].wire, id)) {
            return b->rows[i];
        }
    }
    return RECORD_NONE;
}

static size_t find_anywhere(const struct records *r, str id)
{
    for (size_t i = r->n; i-- > 0;) {
        if (is_top_assistant(&r->rows[i]) && str_eq(r->rows[i].wire, id)) {
            return i;
        }
    }
    return RECORD_NONE;
}

/* The id without a final ":segment:<digits>"; absent when it has none. */
static str without_segment(str id)
{
    static const char word[] = ":segment:";
    size_t at = str_rfind(id, str_of(word)), digits = at + sizeof(word) - 1;
    if (at == SIZE_MAX || digits >= id.n) {
        return STR_ABSENT;
    }
    for (size_t i = digits; i < id.n; i++) {
        if (id.p[i] < '0' || id.p[i] > '9') {
            return STR_ABSENT;
        }
    }
    return str_first(id, at);
}

/* ---- By the text ---- */

static struct message *message_for(struct messages *ms, str wire)
{
    struct message *m = map_get(&ms->by_wire, wire);
    if (!m) {
        m = calloc(1, sizeof(*m));
        if (!m || !map_put(&ms->by_wire, wire, m, NULL)) {
            free(m);
            return NULL;
        }
        SHA256Init(&m->hash);
    }
    return m;
}

static void hash_text(struct message *m, json root)
{
    json content = json_path(root, "message", "content", NULL);
    for (struct json_iter it = json_each(content); json_is(content, JSON_ARRAY) && json_next(&it);) {
        str text = json_str(json_get(it.value, "text"));
        if (text.n && str_is(json_str(json_get(it.value, "type")), "text")) {
            SHA256Update(&m->hash, (const uint8_t *)text.p, text.n);
        }
    }
}

/* Marks the messages with this fingerprint; how many there are, the last one found in `*only`. */
static size_t match_texts(struct messages *ms, struct records *r, str fingerprint, size_t *only)
{
    size_t n = 0, at = 0;
    void *p;
    for (size_t i = 0; i < r->n; i++) {
        if (!is_top_assistant(&r->rows[i])) {
            continue;
        }
        struct message *m = message_for(ms, r->rows[i].wire);
        AUTO_JSON(doc) = m ? record_read(r, i) : NULL;
        if (!doc) {
            return 0;
        }
        hash_text(m, json_root(doc));
        m->last = i;
    }
    while (map_next(&ms->by_wire, &at, NULL, &p)) {
        struct message *m = p;
        uint8_t digest[SHA256_DIGEST_LENGTH];
        char text[7 + 2 * SHA256_DIGEST_LENGTH + 1] = "sha256:";
        SHA256Final(digest, &m->hash);
        for (size_t i = 0; i < sizeof(digest); i++) {
            (void)snprintf(text + 7 + 2 * i, 3, "%02x", digest[i]);
        }
        m->matches = str_is(fingerprint, text);
        if (m->matches) {
            n++;
            *only = m->last;
        }
    }
    return n;
}

/* How many different messages of the mark are on the way from this row to the root, itself included. */
static int64_t count_above(const struct messages *ms, size_t row)
{
    const struct records *r = ms->r;
    struct map seen = MAP_INIT;
    size_t steps = 0;
    do {
        const struct record *rec = &r->rows[row];
        struct message *m = is_top_assistant(rec) ? map_get(&ms->by_wire, rec->wire) : NULL;
        if (m && m->matches && !map_put(&seen, rec->wire, m, NULL)) {
            break;
        }
    } while (branch_up(r, &row, &steps));
    int64_t n = (int64_t)seen.used;
    map_free(&seen, NULL);
    return n;
}

static size_t find_by_text(struct records *r, const struct fork_point *point)
{
    struct messages ms = {.r = r};
    size_t found = RECORD_NONE, fits = 0, at = 0;
    void *p;
    size_t n = match_texts(&ms, r, point->fingerprint, &found);
    if (n > 1) {
        while (map_next(&ms.by_wire, &at, NULL, &p)) {
            const struct message *m = p;
            if (m->matches && count_above(&ms, m->last) == point->occurrence) {
                found = m->last;
                fits++;
            }
        }
    }
    map_free(&ms.by_wire, free);
    return n == 1 || fits == 1 ? found : RECORD_NONE;
}

size_t fork_point_find(struct records *r, const struct fork_point *point)
{
    str ids[2] = {point->message_id, without_segment(point->message_id)};
    struct branch active;
    size_t row = RECORD_NONE;
    if (branch_select(&active, r, false)) {
        for (size_t i = 0; i < 2 && row == RECORD_NONE; i++) {
            row = ids[i].n ? find_in_branch(r, &active, ids[i]) : RECORD_NONE;
        }
    }
    branch_free(&active);
    for (size_t i = 0; i < 2 && row == RECORD_NONE; i++) {
        row = ids[i].n ? find_anywhere(r, ids[i]) : RECORD_NONE;
    }
    if (row == RECORD_NONE && point->fingerprint.n && point->occurrence > 0) {
        row = find_by_text(r, point);
    }
    return row;
}
