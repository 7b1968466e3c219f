#include "history/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "history/branch.h"
#include "history/fork_point.h"
#include "history/project_folders.h"
#include "history/summary.h"

enum { FLUSH_BYTES = 1024 * 1024 };

/* The copy in the making. */
struct copy {
    struct records r;
    const struct fork_request *rq;
    char (*ids)[UUID_SIZE]; /* the new uuid of each row; "": it is not copied */
    const char *id;         /* of the new session */
    size_t end;             /* the row behind the last one */
    size_t last;            /* the last row that is copied */
    struct buf out;
    int fd;
    bool failed;
};

static void flush(struct copy *c, bool all)
{
    if (c->out.n < FLUSH_BYTES && !all) {
        return;
    }
    c->failed |= !buf_ok(&c->out);
    for (size_t at = 0; !c->failed && at < c->out.n;) {
        ssize_t n = write(c->fd, c->out.p + at, c->out.n - at);
        if (n > 0) {
            at += (size_t)n;
        } else {
            c->failed = n == 0 || errno != EINTR;
        }
    }
    buf_clear(&c->out);
}

/* ---- Records ---- */

static bool is_copied(const struct copy *c, size_t row)
{
    const struct record *rec = &c->r.rows[row];
    return row < c->end && record_counts(rec) && !(rec->flags & RECORD_SIDECHAIN) &&
           rec->type != RECORD_PROGRESS;
}

static bool name_rows(struct copy *c)
{
    c->ids = calloc(c->r.n + 1, sizeof(*c->ids));
    c->last = RECORD_NONE;
    for (size_t i = 0; c->ids && i < c->r.n; i++) {
        if (is_copied(c, i)) {
            if (!uuid_v4(c->ids[i])) {
                return false;
            }
            c->last = i;
        }
    }
    return c->ids != NULL;
}

/* The new uuid of a row that is copied; absent for any other. */
static str new_id(const struct copy *c, size_t row)
{
    return row != RECORD_NONE && c->ids[row][0] ? str_of(c->ids[row]) : STR_ABSENT;
}

/* The new uuid of the record that `old` names; null when it is not copied. */
static void put_mapped(struct copy *c, str old)
{
    json_put_str(&c->out, new_id(c, records_find(&c->r, old)));
}

/* The nearest record above that is copied. */
static void put_parent(struct copy *c, size_t row)
{
    size_t steps = 0;
    while (branch_up(&c->r, &row, &steps) && !c->ids[row][0]) {
    }
    json_put_str(&c->out, new_id(c, row));
}

/* An object in which uuids of records stand under these keys; `parts`: also in its members of these names. */
static void put_references(struct copy *c, json v, bool parts)
{
    json_open_object(&c->out);
    for (struct json_iter it = json_each(v); json_next(&it);) {
        str key = json_iter_key(&it);
        if (json_iter_shadowed(&it)) {
            continue;
        }
        json_key_str(&c->out, key);
        if (str_is(key, "headUuid") || str_is(key, "anchorUuid") || str_is(key, "tailUuid")) {
            put_mapped(c, json_str(it.value));
        } else if (str_is(key, "uuids") && json_is(it.value, JSON_ARRAY)) {
            json_open_array(&c->out);
            for (struct json_iter id = json_each(it.value); json_next(&id);) {
                put_mapped(c, json_str(id.value));
            }
            json_close_array(&c->out);
        } else if (parts && json_is(it.value, JSON_OBJECT) &&
                   (str_is(key, "preservedSegment") || str_is(key, "preservedMessages"))) {
            put_references(c, it.value, false);
        } else {
            json_put(&c->out, it.value);
        }
    }
    json_close_object(&c->out);
}

static bool is_dropped(str key)
{
    static const char *const dropped[] =
        {"teamName",    "agentName",  "sessionKind", "slug", "sourceToolAssistantUUID",
         "isSidechain", "forkedFrom", "sessionId"};
    for (size_t i = 0; i < ARRAY_LEN(dropped); i++) {
        if (str_is(key, dropped[i])) {
            return true;
        }
    }
    return false;
}

static void put_now(struct copy *c)
{
    char now[CLOCK_ISO_SIZE];
    clock_iso8601_ms(now, clock_now_ms());
    json_put_c(&c->out, now);
}

static void put_record(struct copy *c, size_t row, json root)
{
    struct buf *b = &c->out;
    json_open_object(b);
    for (struct json_iter it = json_each(root); json_next(&it);) {
        str key = json_iter_key(&it);
        if (json_iter_shadowed(&it) || is_dropped(key)) {
            continue;
        }
        json_key_str(b, key);
        if (str_is(key, "uuid")) {
            json_put_c(b, c->ids[row]);
        } else if (str_is(key, "parentUuid")) {
            put_parent(c, row);
        } else if (str_is(key, "logicalParentUuid")) {
            put_mapped(c, json_str(it.value));
        } else if (str_is(key, "compactMetadata") && json_is(it.value, JSON_OBJECT)) {
            put_references(c, it.value, true);
        } else if (str_is(key, "timestamp") && row == c->last) {
            put_now(c);
        } else {
            json_put(b, it.value);
        }
    }
    json_member_c(b, "sessionId", c->id);
    json_member_bool(b, "isSidechain", false);
    json_key(b, "forkedFrom");
    json_open_object(b);
    json_member_str(b, "sessionId", c->rq->session_id);
    json_member_str(b, "messageUuid", c->r.rows[row].uuid);
    json_close_object(b);
    json_close_object(b);
    buf_put_byte(b, '\n');
}

static void put_records(struct copy *c)
{
    for (size_t i = 0; i < c->end && !c->failed; i++) {
        if (!c->ids[i][0]) {
            continue;
        }
        AUTO_JSON(doc) = record_read(&c->r, i);
        c->failed |= !doc;
        if (doc) {
            put_record(c, i, json_root(doc));
            flush(c, false);
        }
    }
}

/* ---- Metadata ---- */

/* A record with the new session's id. */
static void put_readdressed(struct copy *c, const struct buf *line)
{
    AUTO_JSON(doc) = line->n ? json_parse(buf_str(line), NULL) : NULL;
    if (!doc) {
        return;
    }
    json_open_object(&c->out);
    for (struct json_iter it = json_each(json_root(doc)); json_next(&it);) {
        if (!json_iter_shadowed(&it) && !str_is(json_iter_key(&it), "sessionId")) {
            json_key_str(&c->out, json_iter_key(&it));
            json_put(&c->out, it.value);
        }
    }
    json_member_c(&c->out, "sessionId", c->id);
    json_close_object(&c->out);
    buf_put_byte(&c->out, '\n');
}

/* What is kept of the metadata records: all replacements in one, and the last of two types. */
static void put_metadata(struct copy *c, const char *path)
{
    struct lines file;
    AUTO_BUF(replacements);
    AUTO_BUF(latch);
    AUTO_BUF(moved);
    uint64_t offset;
    str line;
    if (!lines_open(&file, path)) {
        return;
    }
    json_open_array(&replacements);
    while (lines_next(&file, &line, &offset)) {
        if (!str_has(line, STR("\"content-replacement\"")) && !str_has(line, STR("\"atis-latch\"")) &&
            !str_has(line, STR("\"relocated\""))) {
            continue;
        }
        AUTO_JSON(doc) = json_parse(line, NULL);
        str type = json_str(json_get(json_root(doc), "type"));
        struct buf *keep = str_is(type, "atis-latch") ? &latch : str_is(type, "relocated") ? &moved : NULL;
        if (keep) {
            buf_clear(keep);
            buf_put_str(keep, line);
        } else if (str_is(type, "content-replacement")) {
            for (struct json_iter it = json_each(json_get(json_root(doc), "replacements")); json_next(&it);) {
                json_put(&replacements, it.value);
            }
        }
    }
    lines_close(&file);
    json_close_array(&replacements);
    if (replacements.n > 2 && buf_ok(&replacements)) {
        json_open_object(&c->out);
        json_member_c(&c->out, "type", "content-replacement");
        json_member_c(&c->out, "sessionId", c->id);
        json_member_raw(&c->out, "replacements", buf_str(&replacements));
        json_close_object(&c->out);
        buf_put_byte(&c->out, '\n');
    }
    put_readdressed(c, &latch);
    put_readdressed(c, &moved);
}

static void put_title(struct copy *c, struct arena *a, str path)
{
    struct summary_windows w = SUMMARY_WINDOWS_INIT;
    struct summary s = {0};
    char uuid[UUID_SIZE];
    if (summary_windows_read(&w, path.p)) {
        summary_read(&s, a, &w);
    }
    str title = summary_given_title(&s, a, path);
    title = title.n            ? title
            : s.generated.n    ? s.generated
            : s.first_prompt.n ? s.first_prompt
                               : STR("Forked session");
    c->failed |= !uuid_v4(uuid);
    json_open_object(&c->out);
    json_member_c(&c->out, "type", "custom-title");
    json_member_c(&c->out, "sessionId", c->id);
    json_member_str(&c->out, "customTitle", arena_printf(a, "%.*s (fork)", STR_ARG(title)));
    json_member_c(&c->out, "uuid", uuid);
    json_key(&c->out, "timestamp");
    put_now(c);
    json_close_object(&c->out);
    buf_put_byte(&c->out, '\n');
    summary_windows_free(&w);
}

/* ---- The file ---- */

/* Writes the copy beside the source, first under a name that is no session's. */
static void write_copy(struct copy *c, struct arena *a, str path)
{
    str folder = path_dirname(path);
    str fresh = arena_printf(a, "%.*s/.%s.herald", STR_ARG(folder), c->id);
    str target = arena_printf(a, "%.*s/%s.jsonl", STR_ARG(folder), c->id);
    c->fd = fresh.p && target.p ? open(fresh.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (c->fd < 0) {
        c->failed = true;
        return;
    }
    put_records(c);
    put_metadata(c, path.p);
    put_title(c, a, path);
    flush(c, true);
    c->failed |= !arena_ok(a);
    c->failed |= close(c->fd) != 0;
    c->failed = c->failed || rename(fresh.p, target.p) != 0;
    if (c->failed) {
        int error = errno;
        (void)unlink(fresh.p);
        errno = error;
    }
}

static enum fork_result make_copy(struct copy *c, struct arena *a, str path, str *why)
{
    const struct fork_request *rq = c->rq;
    if (!records_load(&c->r, path.p)) {
        *why = STR("The session cannot be read");
        return FORK_FAILED;
    }
    c->end = c->r.n;
    if (rq->point.message_id.n) {
        size_t row = fork_point_find(&c->r, &rq->point);
        if (row == RECORD_NONE) {
            return FORK_NO_MESSAGE;
        }
        c->end = row + 1;
    }
    if (!name_rows(c)) {
        *why = STR("out of memory");
        return FORK_FAILED;
    }
    if (c->last == RECORD_NONE) {
        *why = arena_printf(a, "Session %.*s has no messages to fork", STR_ARG(rq->session_id));
        return FORK_NO_SESSION;
    }
    errno = ENOMEM;
    write_copy(c, a, path);
    if (c->failed) {
        *why = arena_printf(a, "The copy of the session cannot be written: %s", strerror(errno));
        return FORK_FAILED;
    }
    return FORK_DONE;
}

enum fork_result session_fork(struct arena *a, const struct fork_request *rq, char id[UUID_SIZE], str *why)
{
    struct copy c = {.rq = rq, .id = id, .fd = -1, .r = {.file = {.fd = -1}}};
    struct project_folders in = project_folders(a, rq->config, rq->cwd);
    str path = find_transcript(a, &in, rq->session_id);
    if (!path.p) {
        *why = arena_printf(a, "Session %.*s not found in project directory for %.*s",
                            STR_ARG(rq->session_id), STR_ARG(rq->cwd));
        return FORK_NO_SESSION;
    }
    if (!uuid_v4(id)) {
        *why = STR("out of random numbers");
        return FORK_FAILED;
    }
    enum fork_result result = make_copy(&c, a, path, why);
    records_free(&c.r);
    free(c.ids);
    buf_free(&c.out);
    return result;
}
