/* A made-up configuration folder with stored sessions, for the tests of history/. */
#ifndef HERALD_TESTS_HISTORY_FIXTURE_H
#define HERALD_TESTS_HISTORY_FIXTURE_H

#include "history/project_folders.h"
#include "session_fixture.h"

#define SESSION_A "11111111-1111-4111-8111-111111111111"
#define SESSION_B "22222222-2222-4222-8222-222222222222"

struct stored {
    struct home home;
    struct arena mem;
    str config, path; /* of the last session that was written */
};

static inline void stored_make(struct stored *f)
{
    *f = (struct stored){.mem = ARENA_INIT};
    home_make(&f->home);
    f->config = arena_str(&f->mem, str_of(f->home.dir));
}

static inline void stored_end(struct stored *f)
{
    home_remove(&f->home);
    arena_free(&f->mem);
}

static inline void stored_write(struct stored *f, const char *folder, const char *id, const char *text)
{
    char name[200];
    (void)snprintf(name, sizeof name, "projects/%s/%s.jsonl", folder, id);
    home_write(&f->home, name, text);
    f->path = arena_printf(&f->mem, "%s/%s", f->home.dir, name);
}

/* A whole file; the caller frees it. */
static inline char *stored_read(str path)
{
    AUTO_BUF(b);
    FILE *f = fopen(path.p, "re");
    char part[4096];
    size_t n;
    assert_non_null(f);
    while ((n = fread(part, 1, sizeof part, f)) > 0) {
        buf_put(&b, part, n);
    }
    (void)fclose(f);
    char *text = buf_take(&b);
    assert_non_null(text);
    return text;
}

#define USER(id, parent, text)                                                                               \
    "{\"type\":\"user\",\"uuid\":\"" id "\",\"parentUuid\":" parent ",\"cwd\":\"/w\",\"message\":{"          \
    "\"role\":\"user\",\"content\":\"" text "\"}}\n"
#define ASSISTANT(id, parent, message, text)                                                                 \
    "{\"type\":\"assistant\",\"uuid\":\"" id "\",\"parentUuid\":" parent ",\"message\":{\"id\":\"" message   \
    "\",\"model\":\"claude-opus-5-5\",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}\n"
#define CALL(id, parent, message, call)                                                                      \
    "{\"type\":\"assistant\",\"uuid\":\"" id "\",\"parentUuid\":" parent ",\"message\":{\"id\":\"" message   \
    "\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" call "\",\"name\":\"Read\",\"input\":{}}]}}\n"
#define RESULT(id, parent, call)                                                                             \
    "{\"type\":\"user\",\"uuid\":\"" id "\",\"parentUuid\":" parent ",\"message\":{\"content\":[{"           \
    "\"type\":\"tool_result\",\"tool_use_id\":\"" call "\",\"content\":\"r\"}]}}\n"
#define ATTACHMENT(id, parent)                                                                               \
    "{\"type\":\"attachment\",\"uuid\":\"" id "\",\"parentUuid\":" parent                                    \
    ",\"attachment\":{\"type\":\"date\"}}\n"

#endif
