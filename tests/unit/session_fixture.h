/* What the tests of the session's settings, models, options and launch share: a folder of their own with
 * settings files, and the models of a real CLI. */
#ifndef HERALD_TESTS_SESSION_FIXTURE_H
#define HERALD_TESTS_SESSION_FIXTURE_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/settings.h"
#include "unit.h"

struct home {
    char dir[64];
};

static inline void home_make(struct home *h)
{
    strcpy(h->dir, "/tmp/herald-settings-XXXXXX");
    assert_non_null(mkdtemp(h->dir));
}

static inline int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static inline void home_remove(struct home *h)
{
    (void)nftw(h->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file below the folder and makes the folders that it needs. */
static inline void home_write_bytes(struct home *h, const char *name, const char *text, size_t n)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", h->dir, name);
    for (char *slash = strchr(path + strlen(h->dir) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline void home_write(struct home *h, const char *name, const char *text)
{
    home_write_bytes(h, name, text, strlen(text));
}

/* user: DIR/.claude, project: DIR/work/.claude, managed: DIR/managed. */
static inline struct settings_place home_place(struct home *h, struct arena *a)
{
    return (struct settings_place){
        .home = str_of(h->dir),
        .cwd = arena_printf(a, "%s/work", h->dir),
        .managed_dir = arena_printf(a, "%s/managed", h->dir),
    };
}

static inline struct settings *home_load(struct home *h)
{
    AUTO_ARENA(a);
    struct settings_place place = home_place(h, &a);
    struct settings *s = settings_load(&place);
    assert_non_null(s);
    return s;
}

/* Settings whose user tier is this text. */
static inline struct settings *settings_of(const char *user)
{
    struct home h;
    home_make(&h);
    home_write(&h, ".claude/settings.json", user);
    struct settings *s = home_load(&h);
    home_remove(&h);
    return s;
}

#define LEVELS                                                                                               \
    "\"supportsEffort\":true,\"supportedEffortLevels\":[\"low\",\"medium\",\"high\",\"xhigh\",\"max\"]"
static const char cli_models[] =
    "[{\"value\":\"default\",\"resolvedModel\":\"claude-opus-5-5\",\"displayName\":\"Default (recommended)\","
    "\"description\":\"Use the default model (currently Opus 5.5)\"," LEVELS
    ",\"supportsFastMode\":true,\"supportsAutoMode\":true},"
    "{\"value\":\"opus\",\"resolvedModel\":\"claude-opus-5-5\",\"displayName\":\"Opus\","
    "\"description\":\"Opus 5.5 for complex tasks\"," LEVELS
    ",\"supportsFastMode\":true,\"supportsAutoMode\":true},"
    "{\"value\":\"fable\",\"resolvedModel\":\"claude-fable-5-2\",\"displayName\":\"Fable\","
    "\"description\":\"Fable 5.2 for the longest tasks\"," LEVELS
    ",\"supportsFastMode\":true,\"supportsAutoMode\":true},"
    "{\"value\":\"sonnet\",\"resolvedModel\":\"claude-sonnet-5-5\",\"displayName\":\"Sonnet\","
    "\"description\":\"Sonnet 5.5 for routine tasks\"," LEVELS ",\"supportsAutoMode\":true},"
    "{\"value\":\"haiku\",\"resolvedModel\":\"claude-haiku-5-5\",\"displayName\":\"Haiku\","
    "\"description\":\"Haiku 5.5 for quick answers\"," LEVELS ",\"supportsAutoMode\":true}]";

#endif
