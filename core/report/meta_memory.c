#include "report/meta_memory.h"

static struct meta_memory_row *add_row(struct meta_memory *m)
{
    if (m->n == META_MEMORY_MAX) {
        return NULL;
    }
    if (m->n == m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 8;
        struct meta_memory_row *rows = realloc(m->rows, cap * sizeof(*rows));
        if (!rows) {
            return NULL;
        }
        m->rows = rows;
        m->cap = cap;
    }
    return &m->rows[m->n++];
}

bool meta_memory_note(struct meta_memory *m, enum meta_space space, str key, str text)
{
    XXH128_hash_t name = XXH3_128bits_withSeed(key.p, key.n, (XXH64_hash_t)space);
    XXH128_hash_t value = XXH3_128bits(text.p, text.n);
    for (size_t i = 0; i < m->n; i++) {
        if (XXH128_isEqual(m->rows[i].key, name)) {
            bool changed = !XXH128_isEqual(m->rows[i].value, value);
            m->rows[i].value = value;
            return changed;
        }
    }
    struct meta_memory_row *row = add_row(m);
    if (row) {
        *row = (struct meta_memory_row){name, value};
    }
    return true;
}
