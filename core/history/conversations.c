#include "history/conversations.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/path.h"
#include "base/state_file.h"

enum {
    NOTE_MAX = UUID_LENGTH + 64, /* bytes of a file */
    NOTES_MAX = 100000,
    NAMES_MAX = 1000, /* of one conversation */
};

static const char REMOVED[] = "-";

struct conversation_note {
    char id[UUID_SIZE];
    char conversation[UUID_SIZE]; /* empty: the session was removed */
    bool open;
};

static str folder_of(struct arena *a, str state)
{
    return state.n ? path_join(a, state, STR("conversations")) : STR_ABSENT;
}

static bool read_note(str folder, str session, struct conversation_note *out)
{
    AUTO_BUF(text);
    *out = (struct conversation_note){.open = false};
    if (!uuid_valid(session) || !state_file_read(&text, folder, session, NOTE_MAX)) {
        return false;
    }
    str line = buf_str(&text);
    line = str_first(line, str_find_byte(line, '\n', 0));
    memcpy(out->id, session.p, UUID_LENGTH);
    if (uuid_valid(line)) {
        memcpy(out->conversation, line.p, UUID_LENGTH);
    }
    return out->conversation[0] || str_is(line, REMOVED);
}

/* ---- Names ---- */

/* The name in place of the conversation's own id, number `n` from zero on: a UUID of version 8. */
static void made_name(str conversation, unsigned n, char out[UUID_SIZE])
{
    enum { VERSION_AT = 6, VERSION = 0x80, VARIANT_AT = 8, VARIANT = 0x80, VARIANT_BITS = 0x3F };
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits_withSeed(conversation.p, conversation.n, n));
    unsigned char *d = hash.digest;
    char *at = out;
    d[VERSION_AT] = (unsigned char)(VERSION | (d[VERSION_AT] & 0x0F));
    d[VARIANT_AT] = (unsigned char)(VARIANT | (d[VARIANT_AT] & VARIANT_BITS));
    for (size_t i = 0; i < sizeof(hash.digest); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *at++ = '-';
        }
        *at++ = "0123456789abcdef"[d[i] >> 4];
        *at++ = "0123456789abcdef"[d[i] & 0x0F];
    }
    *at = '\0';
}

static str stored(struct conversation_names *n, str conversation)
{
    if (!n->looked) {
        n->folders = project_folders(n->mem, n->config, STR_ABSENT);
        n->looked = true;
    }
    return find_transcript(n->mem, &n->folders, conversation);
}

/* The id means something else than the conversation of that id. */
static bool is_taken(struct conversation_names *n, str id)
{
    const struct conversation_note *note = map_get(&n->notes, id);
    if (!note || str_eq(str_of(note->conversation), id)) {
        return false;
    }
    return note->open || !note->conversation[0] || stored(n, str_of(note->conversation)).p;
}

static void add_note(struct conversation_names *n, const struct conversation_note *note)
{
    struct conversation_note *kept = arena_alloc(n->mem, sizeof(*kept));
    if (kept) {
        *kept = *note;
        if (!map_put(&n->notes, str_of(kept->id), kept, NULL)) {
            n->mem->failed = true;
        }
    }
}

static void read_notes(struct conversation_names *n, str folder)
{
    DIR *dir = folder.p ? opendir(folder.p) : NULL;
    for (struct dirent *e; dir && n->notes.used < NOTES_MAX && (e = readdir(dir));) {
        struct conversation_note note;
        if (read_note(folder, str_of(e->d_name), &note)) {
            add_note(n, &note);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
}

/* An open session comes first; of stored ones any, but always the same. */
static bool goes_first(const struct conversation_note *a, const struct conversation_note *b)
{
    return a->open != b->open ? a->open : strcmp(a->id, b->id) < 0;
}

static void find_holders(struct conversation_names *n)
{
    size_t at = 0;
    void *value;
    while (map_next(&n->notes, &at, NULL, &value)) {
        struct conversation_note *note = value;
        str conversation = str_of(note->conversation);
        const struct conversation_note *other = map_get(&n->holders, conversation);
        if (conversation.n && (!other || goes_first(note, other)) &&
            !map_put(&n->holders, conversation, note, NULL)) {
            n->mem->failed = true;
        }
    }
}

void conversation_names_read(struct conversation_names *n, struct arena *a,
                             const struct conversation_place *place)
{
    *n = (struct conversation_names){.mem = a, .config = place->config};
    read_notes(n, folder_of(a, place->state));
    for (size_t i = 0; place->open && i < place->n_open; i++) {
        struct conversation_note note = {.open = true};
        memcpy(note.id, place->open[i].id, sizeof(note.id));
        memcpy(note.conversation, place->open[i].conversation, sizeof(note.conversation));
        add_note(n, &note);
    }
    find_holders(n);
}

void conversation_names_free(struct conversation_names *n)
{
    map_free(&n->notes, NULL);
    map_free(&n->holders, NULL);
}

bool conversation_name(struct conversation_names *n, str conversation, char out[UUID_SIZE])
{
    const struct conversation_note *holder = map_get(&n->holders, conversation);
    if (!uuid_valid(conversation)) {
        return false;
    }
    if (holder || !is_taken(n, conversation)) {
        memmove(out, holder ? holder->id : conversation.p, UUID_LENGTH);
        out[UUID_LENGTH] = '\0';
        return true;
    }
    for (unsigned i = 0; i < NAMES_MAX; i++) {
        made_name(conversation, i, out);
        if (!is_taken(n, str_of(out))) {
            return true;
        }
    }
    return false;
}

/* ---- From an id to a file ---- */

static void take(struct conversation *out, str id, str transcript)
{
    if (id.p && id.n == UUID_LENGTH) {
        memmove(out->id, id.p, UUID_LENGTH);
        out->id[UUID_LENGTH] = '\0';
    }
    out->transcript = transcript;
}

/* One of the made names of a conversation whose own id has another meaning now. */
static bool find_named(struct conversation_names *n, str session, struct conversation *out)
{
    size_t at = 0;
    void *value;
    while (map_next(&n->notes, &at, NULL, &value)) {
        const struct conversation_note *note = value;
        char name[UUID_SIZE];
        bool more = true;
        for (unsigned i = 0; more && i < NAMES_MAX; i++) {
            made_name(str_of(note->id), i, name);
            if (str_is(session, name)) {
                str transcript = stored(n, str_of(note->id));
                take(out, str_of(note->id), transcript);
                return transcript.p;
            }
            more = map_get(&n->notes, str_of(name)) != NULL;
        }
    }
    return false;
}

void conversation_find(struct arena *a, const struct conversation_place *place, str session,
                       struct conversation *out)
{
    struct conversation_names n = {.mem = a, .config = place->config};
    struct conversation_note note;
    str folder = folder_of(a, place->state), path;
    *out = (struct conversation){.transcript = STR_ABSENT};
    for (size_t i = 0; place->open && i < place->n_open; i++) {
        if (str_is(session, place->open[i].id)) {
            str id = str_of(place->open[i].conversation);
            take(out, id, stored(&n, id));
            return;
        }
    }
    if (read_note(folder, session, &note)) {
        if (!note.conversation[0]) {
            return;
        }
        if ((path = stored(&n, str_of(note.conversation))).p) {
            take(out, str_of(note.conversation), path);
            state_file_touch(folder, session);
            return;
        }
    }
    take(out, session, stored(&n, session));
    if (!out->transcript.p) {
        struct conversation named = {.transcript = STR_ABSENT};
        conversation_names_read(&n, a, place);
        if (find_named(&n, session, &named)) {
            *out = named;
        }
        conversation_names_free(&n);
    }
}

/* ---- Removals ---- */

static void forget(struct conversation_names *n, str folder, str session)
{
    /* nobody hears of a failure: the talk itself is gone */
    if (!stored(n, session).p || state_file_write(folder, session, str_of(REMOVED)) != 0) {
        state_file_remove(folder, session);
    }
}

void conversation_removed(const struct conversation_place *place, str session, str conversation)
{
    AUTO_ARENA(mem);
    struct conversation_names n;
    str folder = folder_of(&mem, place->state);
    size_t at = 0;
    void *value;
    if (!folder.p) {
        return;
    }
    conversation_names_read(&n, &mem,
                            &(struct conversation_place){.config = place->config, .state = place->state});
    while (map_next(&n.notes, &at, NULL, &value)) {
        const struct conversation_note *note = value;
        bool of_it = str_is(conversation, note->conversation) || str_is(session, note->id);
        if (of_it || (!note->conversation[0] && str_is(conversation, note->id))) {
            forget(&n, folder, str_of(note->id));
        }
    }
    conversation_names_free(&n);
}

/* ---- Noting ---- */

struct noting {
    uv_work_t work;
    const struct log *log;
    struct arena mem;
    str state;
    struct open_conversation now;
    conversation_noted_cb *done;
    void *user;
    int error;
};

static void write_note(uv_work_t *work)
{
    struct noting *n = CONTAINER_OF(work, struct noting, work);
    str folder = folder_of(&n->mem, n->state);
    AUTO_BUF(line);
    buf_printf(&line, "%s\n", n->now.conversation);
    state_folder_sweep(folder);
    n->error = state_file_write(folder, str_of(n->now.id), buf_str(&line));
}

static void noted(uv_work_t *work, int status)
{
    struct noting *n = CONTAINER_OF(work, struct noting, work);
    if (status == 0 && n->error) {
        log_write(
            n->log, LOG_WARN,
            "the conversation %s of session %s could not be noted in %.*s: %s; a later load of the session "
            "opens the one before",
            n->now.conversation, n->now.id, STR_ARG(n->state), strerror(n->error));
    }
    n->done(n->user);
    arena_free(&n->mem);
    free(n);
}

bool conversation_note(uv_loop_t *loop, const struct log *log, str state, const struct open_conversation *now,
                       conversation_noted_cb *done, void *user)
{
    bool kept = state.n && uuid_valid(str_of(now->id)) && uuid_valid(str_of(now->conversation));
    struct noting *n = kept ? calloc(1, sizeof(*n)) : NULL;
    if (!n) {
        return false;
    }
    n->log = log;
    n->state = arena_str(&n->mem, state);
    n->now = *now;
    n->done = done;
    n->user = user;
    if (!arena_ok(&n->mem) || uv_queue_work(loop, &n->work, write_note, noted) != 0) {
        arena_free(&n->mem);
        free(n);
        return false;
    }
    return true;
}
