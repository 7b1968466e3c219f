/* A hash table from text to a pointer (open addressing, XXH3). Keys are copied; values are the
 * caller's. Iteration is in no order: keep a list beside it where order matters. */
#ifndef HERALD_BASE_MAP_H
#define HERALD_BASE_MAP_H

#include <stdint.h>

#include "base/str.h"

struct map_slot {
    char *key; /* NULL: never used; MAP_GONE: removed */
    size_t key_len;
    uint64_t hash;
    void *value;
};

struct map {
    struct map_slot *slots;
    size_t cap;  /* a power of two, or 0 */
    size_t used; /* live entries */
    size_t full; /* live and removed ones */
};
#define MAP_INIT ((struct map){0})

/* The hash that the table uses of a text. */
uint64_t map_hash(str key);
/* Frees the table; `free_value` may be NULL. */
void map_free(struct map *m, void (*free_value)(void *));
void *map_get(const struct map *m, str key);
/* Adds or replaces; the old value comes back in `*old` when `old` is not NULL. False: memory is out
 * and nothing changed. */
bool map_put(struct map *m, str key, void *value, void **old) WARN_UNUSED;
/* Removes the entry and returns its value; NULL when there was none. */
void *map_remove(struct map *m, str key);
/* Start with *at = 0; false at the end. Removing the entry just returned is allowed. */
bool map_next(const struct map *m, size_t *at, str *key, void **value);

/* A set of texts: a map whose values say nothing but that the key is there. False: memory is out; who can
 * live without the key ignores it. */
bool set_add(struct map *set, str key);
bool set_has(const struct map *set, str key);

#endif
