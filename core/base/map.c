#include "base/map.h"

#include <stdlib.h>
#include <xxhash.h>

static char gone; /* marks a removed slot; never written to */
#define MAP_GONE (&gone)

uint64_t map_hash(str key)
{
    return XXH3_64bits(key.p ? key.p : "", key.n);
}

static struct map_slot *find(const struct map *m, str key, uint64_t hash)
{
    if (!m->cap) {
        return NULL;
    }
    for (size_t i = hash & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
        struct map_slot *s = &m->slots[i];
        if (!s->key) {
            return NULL;
        }
        if (s->key != MAP_GONE && s->hash == hash && str_eq((str){s->key, s->key_len}, key)) {
            return s;
        }
    }
}

static bool grow(struct map *m)
{
    size_t cap = 16;
    while (cap < (m->used + 1) * 2) {
        cap *= 2;
    }
    struct map_slot *slots = calloc(cap, sizeof(*slots));
    if (!slots) {
        return false;
    }
    for (size_t i = 0; i < m->cap; i++) {
        struct map_slot *s = &m->slots[i];
        if (!s->key || s->key == MAP_GONE) {
            continue;
        }
        size_t at = s->hash & (cap - 1);
        while (slots[at].key) {
            at = (at + 1) & (cap - 1);
        }
        slots[at] = *s;
    }
    free(m->slots);
    m->slots = slots;
    m->cap = cap;
    m->full = m->used;
    return true;
}

void map_free(struct map *m, void (*free_value)(void *))
{
    for (size_t i = 0; i < m->cap; i++) {
        struct map_slot *s = &m->slots[i];
        if (!s->key || s->key == MAP_GONE) {
            continue;
        }
        free(s->key);
        if (free_value) {
            free_value(s->value);
        }
    }
    free(m->slots);
    *m = MAP_INIT;
}

void *map_get(const struct map *m, str key)
{
    struct map_slot *s = find(m, key, map_hash(key));
    return s ? s->value : NULL;
}

bool map_put(struct map *m, str key, void *value, void **old)
{
    uint64_t hash = map_hash(key);
    struct map_slot *s = find(m, key, hash);
    if (old) {
        *old = s ? s->value : NULL;
    }
    if (s) {
        s->value = value;
        return true;
    }
    char *copy = str_dup((str){key.p ? key.p : "", key.n});
    if (!copy || ((m->full + 1) * 4 > m->cap * 3 && !grow(m))) {
        free(copy);
        return false;
    }
    size_t at = hash & (m->cap - 1);
    while (m->slots[at].key && m->slots[at].key != MAP_GONE) {
        at = (at + 1) & (m->cap - 1);
    }
    if (!m->slots[at].key) {
        m->full++;
    }
    m->slots[at] = (struct map_slot){copy, key.n, hash, value};
    m->used++;
    return true;
}

void *map_remove(struct map *m, str key)
{
    struct map_slot *s = find(m, key, map_hash(key));
    if (!s) {
        return NULL;
    }
    void *value = s->value;
    free(s->key);
    *s = (struct map_slot){.key = MAP_GONE};
    m->used--;
    return value;
}

bool map_next(const struct map *m, size_t *at, str *key, void **value)
{
    while (*at < m->cap) {
        struct map_slot *s = &m->slots[(*at)++];
        if (!s->key || s->key == MAP_GONE) {
            continue;
        }
        if (key) {
            *key = (str){s->key, s->key_len};
        }
        if (value) {
            *value = s->value;
        }
        return true;
    }
    return false;
}

bool set_add(struct map *set, str key)
{
    static char there; /* never written to */
    return map_put(set, key, &there, NULL);
}

bool set_has(const struct map *set, str key)
{
    return map_get(set, key) != NULL;
}
