#include "history/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "history/summary.h"
#include "json/json.h"

enum { CANDIDATES_MAX = 2000000 };

struct candidate {
    char id[UUID_SIZE];
    const struct project_folder *folder;
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec mtime;
};

/* A file whose summary was read. */
struct known_file {
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec mtime;
    struct arena mem;
    struct summary summary;
};

struct listing {
    struct arena mem;
    struct listing_cache *cache;
    const struct listing_request *rq;
    struct project_folders folders;
    struct conversation_names names;
    struct candidate *all;
    size_t n, cap;
    struct summary_windows windows;
};

static void free_known(void *p)
{
    struct known_file *k = p;
    arena_free(&k->mem);
    free(k);
}

void listing_cache_free(struct listing_cache *c)
{
    map_free(&c->files, free_known);
}

/* ---- Candidates ---- */

static bool add_candidate(struct listing *l, const struct candidate *c)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 256;
        struct candidate *all = cap <= CANDIDATES_MAX ? realloc(l->all, cap * sizeof(*all)) : NULL;
        if (!all) {
            return false;
        }
        l->all = all;
        l->cap = cap;
    }
    l->all[l->n++] = *c;
    return true;
}

static void scan_folder(struct listing *l, const struct project_folder *folder)
{
    DIR *dir = folder->path.p ? opendir(folder->path.p) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        str name = str_of(e->d_name);
        struct stat st;
        if (name.n != UUID_LENGTH + 6 || !str_ends(name, STR(".jsonl")) ||
            !uuid_valid(str_first(name, UUID_LENGTH)) || fstatat(dirfd(dir), e->d_name, &st, 0) != 0 ||
            !S_ISREG(st.st_mode) || st.st_size == 0) {
            continue;
        }
        struct candidate c = {
            .folder = folder,
            .dev = st.st_dev,
            .ino = st.st_ino,
            .size = st.st_size,
            .mtime = st.st_mtim,
        };
        memcpy(c.id, name.p, UUID_LENGTH);
        if (!add_candidate(l, &c)) {
            break;
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
}

static int newest_first(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;
    if (a->mtime.tv_sec != b->mtime.tv_sec) {
        return a->mtime.tv_sec > b->mtime.tv_sec ? -1 : 1;
    }
    if (a->mtime.tv_nsec != b->mtime.tv_nsec) {
        return a->mtime.tv_nsec > b->mtime.tv_nsec ? -1 : 1;
    }
    return strcmp(a->id, b->id);
}

/* ---- Summaries ---- */

static bool is_same_file(const struct known_file *k, const struct candidate *c)
{
    return k->dev == c->dev && k->ino == c->ino && k->size == c->size && k->mtime.tv_sec == c->mtime.tv_sec &&
           k->mtime.tv_nsec == c->mtime.tv_nsec;
}

static const struct summary *summary_of(struct listing *l, const struct candidate *c, str path)
{
    struct known_file *k = map_get(&l->cache->files, path);
    if (k && is_same_file(k, c)) {
        return &k->summary;
    }
    if (l->cache->files.used >= LISTING_CACHE_MAX) {
        listing_cache_free(l->cache);
        k = NULL;
    }
    if (k) {
        map_remove(&l->cache->files, path);
        free_known(k);
    }
    k = summary_windows_read(&l->windows, path.p) ? calloc(1, sizeof(*k)) : NULL;
    if (!k) {
        return NULL;
    }
    k->dev = c->dev;
    k->ino = c->ino;
    k->size = c->size;
    k->mtime = c->mtime;
    summary_read(&k->summary, &k->mem, &l->windows);
    if (!arena_ok(&k->mem) || !map_put(&l->cache->files, path, k, NULL)) {
        free_known(k);
        return NULL;
    }
    return &k->summary;
}

/* The session of this id is there and has a conversation. */
static bool has_history(struct listing *l, const char *id)
{
    AUTO_ARENA(a);
    struct summary_windows w = SUMMARY_WINDOWS_INIT;
    struct project_folders all = project_folders(&a, l->rq->place.config, STR_ABSENT);
    str path = find_transcript(&a, &all, str_of(id));
    bool yes =
        path.p && summary_windows_read(&w, path.p) && str_has(buf_str(&w.head), STR("\"parentUuid\":"));
    summary_windows_free(&w);
    return yes;
}

/* The folder that the session recorded is one of those that are asked for. */
static bool of_these_folders(const struct listing *l, str recorded)
{
    for (size_t i = 0; i < l->folders.n_cwds; i++) {
        if (str_eq(l->folders.cwds[i], recorded)) {
            return true;
        }
    }
    return false;
}

/* The session is another folder's that has the same slug. A folder that is gone may have been renamed to the
 * one that is asked for, so its sessions stay. */
static bool of_another_folder(const struct listing *l, const struct candidate *c, str recorded)
{
    char real[PATH_MAX];
    struct stat st;
    AUTO_BUF(path);
    AUTO_BUF(slug);
    buf_put_str(&path, recorded);
    if (!l->rq->cwd.p || !recorded.n || of_these_folders(l, recorded) ||
        str_find_byte(recorded, '\0', 0) != SIZE_MAX || !realpath(buf_c(&path), real) ||
        stat(real, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return false;
    }
    slug_put(&slug, str_of(real));
    return str_eq(buf_str(&slug), path_basename(c->folder->path)) && !of_these_folders(l, str_of(real));
}

struct row {
    char id[UUID_SIZE];
    str title, cwd;
    bool archived;
};

/* What the candidate's row says; false when it is no session. */
static bool examine(struct listing *l, const struct candidate *c, struct row *row)
{
    str path = arena_printf(&l->mem, "%.*s/%s.jsonl", STR_ARG(c->folder->path), c->id);
    const struct summary *s = path.p ? summary_of(l, c, path) : NULL;
    if (!s || !s->session) {
        return false;
    }
    str given = summary_given_title(s, &l->mem, path);
    row->title = arena_str(&l->mem, given.n ? given : s->generated.n ? s->generated : s->fallback);
    row->cwd = s->cwd.n ? arena_str(&l->mem, s->cwd) : c->folder->cwd;
    row->archived = title_is_archived(given);
    bool elsewhere = c->folder->shared ? !of_these_folders(l, s->cwd) : of_another_folder(l, c, s->cwd);
    if (!row->title.n || elsewhere || !conversation_name(&l->names, str_of(c->id), row->id)) {
        return false;
    }
    char continued[UUID_SIZE];
    memcpy(continued, s->continued, sizeof(continued)); /* the cache may let the summary go */
    return !continued[0] || strcmp(continued, c->id) == 0 || !has_history(l, continued);
}

/* ---- The page ---- */

static void put_row(struct buf *out, const struct candidate *c, const struct row *row)
{
    char when[CLOCK_ISO_SIZE];
    AUTO_BUF(clean);
    title_sanitize(&clean, row->title);
    clock_iso8601_ms(when, (int64_t)c->mtime.tv_sec * 1000 + c->mtime.tv_nsec / 1000000);
    json_open_object(out);
    json_member_c(out, "sessionId", row->id);
    json_member_str(out, "cwd", row->cwd);
    json_member_str(out, "title", buf_str(&clean));
    json_member_c(out, "updatedAt", when);
    json_close_object(out);
}

static void put_page(struct buf *out, struct listing *l)
{
    struct map seen = MAP_INIT;
    uint64_t found = 0, end = l->rq->offset + LISTING_PAGE;
    json_open_array(out);
    for (size_t i = 0; i < l->n && found <= end; i++) {
        const struct candidate *c = &l->all[i];
        struct row row;
        if (set_has(&seen, str_of(c->id)) || !examine(l, c, &row)) {
            continue;
        }
        if (!set_add(&seen, str_of(c->id))) {
            break;
        }
        found++;
        bool hidden = l->rq->hide_archived && row.archived;
        if (found > l->rq->offset && found <= end && row.cwd.n && !hidden) {
            put_row(out, c, &row);
        }
    }
    json_close_array(out);
    if (found > end) {
        json_key(out, "nextCursor");
        AUTO_BUF(cursor);
        buf_printf(&cursor, "offset:%llu", (unsigned long long)end);
        json_put_str(out, buf_str(&cursor));
    }
    map_free(&seen, NULL);
}

void listing_put(struct buf *out, struct listing_cache *cache, const struct listing_request *rq)
{
    struct listing l = {.cache = cache, .rq = rq, .windows = SUMMARY_WINDOWS_INIT};
    l.folders = project_folders(&l.mem, rq->place.config, rq->cwd);
    for (size_t i = 0; i < l.folders.n; i++) {
        scan_folder(&l, &l.folders.list[i]);
    }
    if (l.n) {
        qsort(l.all, l.n, sizeof(*l.all), newest_first);
    }
    conversation_names_read(&l.names, &l.mem, &rq->place);
    json_open_object(out);
    json_key(out, "sessions");
    put_page(out, &l);
    json_close_object(out);
    conversation_names_free(&l.names);
    summary_windows_free(&l.windows);
    free(l.all);
    arena_free(&l.mem);
}
