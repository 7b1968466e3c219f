#include "provider/environment.h"

#include <stdint.h>

static str name_of(const char *entry)
{
    const char *equals = strchr(entry, '=');
    return equals ? (str){entry, (size_t)(equals - entry)} : STR_ABSENT;
}

str env_get(const char *const *env, const char *name)
{
    size_t n = strlen(name);

    for (; env && *env; env++) {
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=') {
            return (*env)[n + 1] ? str_of(*env + n + 1) : STR_ABSENT;
        }
    }
    return STR_ABSENT;
}

void env_put_backend(struct buf *b, const char *const *env)
{
    static const char *const names[] = {
        "ANTHROPIC_BASE_URL",        "ANTHROPIC_BEDROCK_BASE_URL",
        "ANTHROPIC_VERTEX_BASE_URL", "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",    "ANTHROPIC_VERTEX_PROJECT_ID",
        "CLOUD_ML_REGION",           "AWS_REGION",
        "ANTHROPIC_CUSTOM_HEADERS",  "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",      "CLAUDE_CODE_OAUTH_TOKEN",
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        buf_put_str(b, env_get(env, names[i]));
        buf_put_byte(b, '\0');
    }
}

static struct env_change *place_of(const struct env_changes *c, str name)
{
    size_t at = (size_t)(uintptr_t)map_get(&c->at, name);
    return at ? &c->list[at - 1] : NULL;
}

static void put(struct env_changes *c, str name, str value)
{
    struct env_change *have = place_of(c, name);

    if (have) {
        have->value = arena_str(c->a, value);
        return;
    }
    if (c->n == c->cap) {
        size_t cap = c->cap ? c->cap * 2 : 32;
        struct env_change *list = arena_alloc(c->a, cap * sizeof *list);
        if (!list) {
            return;
        }
        if (c->n) {
            memcpy(list, c->list, c->n * sizeof *list);
        }
        c->list = list;
        c->cap = cap;
    }
    c->list[c->n] = (struct env_change){arena_str(c->a, name), arena_str(c->a, value)};
    /* The place is the value: an index, not an address. */
    void *place = (void *)(uintptr_t)(c->n + 1); /* NOLINT(performance-no-int-to-ptr) */
    if (map_put(&c->at, name, place, NULL)) {
        c->n++;
    } else {
        c->a->failed = true;
    }
}

void env_set(struct env_changes *c, str name, str value)
{
    if (name.n && value.p && str_find_byte(name, '=', 0) == SIZE_MAX &&
        str_find_byte(name, '\0', 0) == SIZE_MAX && str_find_byte(value, '\0', 0) == SIZE_MAX) {
        put(c, name, value);
    }
}

void env_remove(struct env_changes *c, str name)
{
    put(c, name, STR_ABSENT);
}

str env_will_be(const struct env_changes *c, const char *const *inherited, const char *name)
{
    const struct env_change *have = place_of(c, str_of(name));
    return !have ? env_get(inherited, name) : have->value.n ? have->value : STR_ABSENT;
}

const char *const *env_build(struct env_changes *c, const char *const *inherited)
{
    size_t max = c->n, n = 0;

    for (const char *const *e = inherited; e && *e; e++) {
        max++;
    }
    const char **out = arena_alloc(c->a, (max + 1) * sizeof *out);
    for (const char *const *e = inherited; out && e && *e; e++) {
        str name = name_of(*e);
        if (name.n && !place_of(c, name)) {
            out[n++] = *e;
        }
    }
    for (size_t i = 0; out && i < c->n; i++) {
        AUTO_BUF(b);
        if (c->list[i].value.p) {
            buf_put_str(&b, c->list[i].name);
            buf_put_byte(&b, '=');
            buf_put_str(&b, c->list[i].value);
            out[n++] = arena_buf(c->a, &b).p;
        }
    }
    return c->a->failed ? NULL : out;
}

void env_changes_free(struct env_changes *c)
{
    map_free(&c->at, NULL);
}
