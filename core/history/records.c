#include "history/records.h"

#include <stdlib.h>

static const struct {
    const char *name;
    str quoted;
} types[] = {
    [RECORD_USER] = {"user", STR_INIT("\"user\"")},
    [RECORD_ASSISTANT] = {"assistant", STR_INIT("\"assistant\"")},
    [RECORD_ATTACHMENT] = {"attachment", STR_INIT("\"attachment\"")},
    [RECORD_SYSTEM] = {"system", STR_INIT("\"system\"")},
    [RECORD_PROGRESS] = {"progress", STR_INIT("\"progress\"")},
};

static const str absorbed_reason = STR_INIT("absorbed_mid_turn"); /* why the queue let go of a prompt */

/* Most of a file can be lines of other types, some of them huge: they are told apart without being parsed. */
static bool may_matter(str line)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (str_has(line, types[i].quoted)) {
            return true;
        }
    }
    return str_has(line, absorbed_reason);
}

static bool type_of(str name, unsigned char *type)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (str_is(name, types[i].name)) {
            *type = (unsigned char)i;
            return true;
        }
    }
    return false;
}

static str keep_id(struct records *r, json v)
{
    str id = json_text(v);
    return id.n <= RECORD_ID_MAX ? arena_str(&r->mem, id) : STR_ABSENT;
}

static bool holds_result(json content)
{
    for (struct json_iter it = json_each(content); json_next(&it);) {
        if (str_is(json_str(json_get(it.value, "type")), "tool_result")) {
            return true;
        }
    }
    return false;
}

/* The list of records that were kept: all of them, or none when one of them is no id. */
static void read_list(struct records *r, json uuids, struct preserved *p)
{
    p->list = arena_alloc(&r->mem, (json_count(uuids) + 1) * sizeof(*p->list));
    for (struct json_iter it = json_each(uuids); p->list && json_next(&it);) {
        str id = keep_id(r, it.value);
        if (!id.p) {
            p->n = 0;
            return;
        }
        p->list[p->n++] = id;
    }
}

static struct preserved *read_preserved(struct records *r, json boundary)
{
    json meta = json_get(boundary, "compactMetadata");
    json chain = json_get(meta, "preservedSegment"), list = json_get(meta, "preservedMessages");
    bool listed = json_is(list, JSON_OBJECT);
    json from = listed ? list : chain;
    struct preserved *p = json_is(from, JSON_OBJECT) ? arena_alloc(&r->mem, sizeof(*p)) : NULL;
    if (!p) {
        return NULL;
    }
    *p = (struct preserved){.anchor = keep_id(r, json_get(from, "anchorUuid"))};
    if (listed) {
        read_list(r, json_get(from, "uuids"), p);
    } else {
        p->head = keep_id(r, json_get(from, "headUuid"));
        p->tail = keep_id(r, json_get(from, "tailUuid"));
    }
    return p;
}

static bool read_attachment(struct records *r, json root, struct record *row)
{
    json attachment = json_get(root, "attachment");
    str type = json_str(json_get(attachment, "type"));
    row->aside = arena_alloc(&r->mem, sizeof(*row->aside));
    if (!row->aside) {
        return false;
    }
    *row->aside = (struct aside){.time = keep_id(r, json_get(root, "timestamp"))};
    if (str_is(type, "fork_briefing")) {
        row->flags |= RECORD_BRIEFING;
    } else if (str_is(type, "queued_command")) {
        row->flags |= RECORD_QUEUED;
        row->source = keep_id(r, json_get(attachment, "source_uuid"));
        row->aside->delivery = keep_id(r, json_get(attachment, "delivery_id"));
        row->aside->body = map_hash(json_raw(attachment));
        if (json_truthy(json_get(attachment, "isMeta")) ||
            json_truthy(json_get(attachment, "forwardedIntent"))) {
            row->flags |= RECORD_META;
        }
    }
    return true;
}

/* What a user record says by its last text. */
static enum record_voice read_voice(json root)
{
    static const struct {
        str start;
        enum record_voice voice;
        bool own; /* only in a record that the CLI made by itself */
    } voices[] = {
        {STR_INIT("[Request interrupted by user"), VOICE_INTERRUPTION, false},
        {STR_INIT("<local-command-caveat>"), VOICE_CAVEAT, true},
        {STR_INIT("<command-name>"), VOICE_COMMAND, true},
        {STR_INIT("<local-command-stdout>"), VOICE_OUTPUT, true},
        {STR_INIT("<local-command-stderr>"), VOICE_OUTPUT, true},
    };
    json content = record_content(root);
    str text = json_str(content);
    bool own = !json_present(json_get(root, "promptSource"));
    for (struct json_iter it = json_each(content); json_is(content, JSON_ARRAY) && json_next(&it);) {
        str said = json_str(json_get(it.value, "text"));
        text = said.p ? said : text;
    }
    for (size_t i = 0; i < ARRAY_LEN(voices); i++) {
        if (str_starts(text, voices[i].start) && (own || !voices[i].own)) {
            return voices[i].voice;
        }
    }
    return VOICE_OTHER;
}

static void read_user(struct records *r, json root, struct record *row)
{
    row->voice = (unsigned char)read_voice(root);
    if (json_is_true(json_get(root, "isCompactSummary"))) {
        row->flags |= RECORD_SUMMARY;
    }
    if (row->flags & RECORD_META &&
        str_is(json_str(json_path(root, "origin", "kind", NULL)), "coordinator")) {
        row->flags |= RECORD_TOLD;
    } else if (holds_result(record_content(root))) {
        row->flags |= RECORD_RESULT;
        row->source = keep_id(r, json_get(root, "sourceToolAssistantUUID"));
    }
}

static bool sends_message(json content)
{
    for (struct json_iter it = json_each(content); json_is(content, JSON_ARRAY) && json_next(&it);) {
        if (str_is(json_str(json_get(it.value, "name")), "SendMessage")) {
            return true;
        }
    }
    return false;
}

/* Fills in the row of a record; false when it is none of the tree. */
static bool read_row(struct records *r, json root, struct record *row)
{
    if (!json_is(root, JSON_OBJECT) || !type_of(json_str(json_get(root, "type")), &row->type)) {
        return false;
    }
    row->uuid = keep_id(r, json_get(root, "uuid"));
    if (!row->uuid.p) {
        return false;
    }
    row->wire = row->uuid;
    row->parent = RECORD_NONE;
    row->parent_id = keep_id(r, json_get(root, "parentUuid"));
    row->flags = (uint16_t)((json_is_true(json_get(root, "isSidechain")) ? RECORD_SIDECHAIN : 0) |
                            (json_text(json_get(root, "teamName")).p ? RECORD_TEAM : 0) |
                            (json_is_true(json_get(root, "isMeta")) ? RECORD_META : 0));
    if (row->type == RECORD_ASSISTANT) {
        str id = keep_id(r, json_path(root, "message", "id", NULL));
        row->wire = id.p ? id : row->uuid;
        row->flags |= sends_message(record_content(root)) ? RECORD_SENDS : 0;
    } else if (row->type == RECORD_USER) {
        read_user(r, root, row);
    } else if (row->type == RECORD_ATTACHMENT) {
        return read_attachment(r, root, row);
    } else if (row->type == RECORD_SYSTEM &&
               str_is(json_str(json_get(root, "subtype")), "compact_boundary")) {
        row->flags |= RECORD_BOUNDARY;
        row->preserved = read_preserved(r, root);
    }
    return arena_ok(&r->mem);
}

static void put_absorbed_key(struct buf *b, char kind, str id)
{
    buf_put_byte(b, kind);
    buf_put_str(b, id);
}

static bool add_row(struct records *r, const struct record *row)
{
    void *old = NULL;
    if (r->n == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : 256;
        struct record *rows = realloc(r->rows, cap * sizeof(*rows));
        if (!rows) {
            return false;
        }
        r->rows = rows;
        r->cap = cap;
    }
    r->rows[r->n] = *row;
    if (!map_put(&r->by_uuid, row->uuid, (void *)(uintptr_t)(r->n + 1), &old)) {
        return false;
    }
    if (old) {
        r->rows[(uintptr_t)old - 1].flags |= RECORD_REPLACED;
    }
    r->n++;
    return true;
}

/* The queue let go of a prompt, because a turn took it in. */
static bool note_absorbed(struct records *r, json root)
{
    str delivery = json_text(json_get(root, "deliveryId")), source = json_text(json_get(root, "commandUuid"));
    str id = delivery.p ? delivery : source;
    if (!str_is(json_str(json_get(root, "type")), "queue-operation") ||
        !str_is(json_str(json_get(root, "operation")), "remove") ||
        !str_eq(json_str(json_get(root, "reason")), absorbed_reason) || !id.p || id.n > RECORD_ID_MAX) {
        return true;
    }
    AUTO_BUF(key);
    put_absorbed_key(&key, delivery.p ? 'd' : 'c', id);
    uintptr_t times = (uintptr_t)map_get(&r->absorbed, buf_str(&key));
    return buf_ok(&key) && map_put(&r->absorbed, buf_str(&key), (void *)(times + 1), NULL);
}

size_t records_absorbed(const struct records *r, char kind, str id)
{
    AUTO_BUF(key);
    if (!r->absorbed.used || !id.p) {
        return 0;
    }
    put_absorbed_key(&key, kind, id);
    return (size_t)(uintptr_t)map_get(&r->absorbed, buf_str(&key));
}

static bool read_all(struct records *r)
{
    struct json_doc *spare = NULL;
    uint64_t offset;
    str line;
    bool ok = true;
    while (ok && r->n < RECORDS_MAX && lines_next(&r->file, &line, &offset)) {
        AUTO_JSON(doc) = may_matter(line) ? json_parse_reuse(&spare, line, NULL) : NULL;
        struct record row = {.offset = offset, .length = (uint32_t)line.n};
        if (doc && read_row(r, json_root(doc), &row)) {
            ok = add_row(r, &row);
        } else if (doc) {
            ok = note_absorbed(r, json_root(doc));
        }
        ok = ok && arena_ok(&r->mem);
    }
    json_unref(spare);
    return ok && buf_ok(&r->file.data);
}

bool records_load(struct records *r, const char *path)
{
    *r = (struct records){.file = {.fd = -1}};
    if (!lines_open(&r->file, path) || !read_all(r)) {
        return false;
    }
    buf_free(&r->file.data);
    for (size_t i = 0; i < r->n; i++) {
        r->rows[i].parent = records_find(r, r->rows[i].parent_id);
    }
    return true;
}

void records_free(struct records *r)
{
    lines_close(&r->file);
    map_free(&r->by_uuid, NULL);
    map_free(&r->absorbed, NULL);
    arena_free(&r->mem);
    free(r->rows);
    buf_free(&r->line);
    *r = (struct records){.file = {.fd = -1}};
}

size_t records_find(const struct records *r, str uuid)
{
    uintptr_t at = uuid.p ? (uintptr_t)map_get(&r->by_uuid, uuid) : 0;
    return at ? (size_t)at - 1 : RECORD_NONE;
}

struct json_doc *record_read(struct records *r, size_t row)
{
    const struct record *rec = &r->rows[row];
    if (!lines_read_at(r->file.fd, rec->offset, rec->length, &r->line)) {
        return NULL;
    }
    return json_parse(buf_str(&r->line), NULL);
}

json record_content(json root)
{
    json message = json_get(root, "message");
    return json_present(message) ? json_get(message, "content")
                                 : json_path(root, "attachment", "prompt", NULL);
}
