#include "history/project_folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/utf8.h"
#include "history/lines.h"

enum {
    POINTER_FILE_MAX = 8192, /* bytes of a .git file, commondir or gitdir */
    WORKTREES_MAX = 1024,
    FOLDERS_MAX = 100000,
};

/* ---- Slugs ---- */

/* Appends `n` in base 36. */
static void put_base36(struct buf *b, uint32_t n)
{
    char digits[8];
    size_t at = sizeof(digits);
    do {
        digits[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[n % 36];
        n /= 36;
    } while (n);
    buf_put(b, digits + at, sizeof(digits) - at);
}

/* The path is counted, replaced and hashed by UTF-16 units, as Claude does it. */
bool slug_put(struct buf *out, str path)
{
    AUTO_BUF(valid);
    utf8_repair(&valid, path);
    str s = buf_str(&valid);
    uint32_t hash = 0;
    size_t start = out->n;
    for (size_t at = 0; at < s.n;) {
        uint32_t cp = utf8_next(s, &at);
        bool plain = (cp >= '0' && cp <= '9') || (cp >= 'A' && cp <= 'Z') || (cp >= 'a' && cp <= 'z');
        if (cp > 0xFFFF) {
            hash = hash * 31 + (0xD800 + ((cp - 0x10000) >> 10));
            hash = hash * 31 + (0xDC00 + ((cp - 0x10000) & 0x3FF));
            buf_put_c(out, "--");
        } else {
            hash = hash * 31 + cp;
            char c = '-';
            if (plain) {
                c = (char)cp;
            }
            buf_put_byte(out, c);
        }
    }
    if (out->n - start <= SLUG_MAX) {
        return false;
    }
    buf_truncate(out, start + SLUG_MAX);
    buf_put_byte(out, '-');
    put_base36(out, hash & 0x80000000U ? 0 - hash : hash);
    return true;
}

/* ---- Worktrees ---- */

/* The text of a small file, trimmed, from behind `prefix`; absent when there is none. */
static str read_pointer(struct arena *a, str path, str prefix)
{
    struct lines file;
    AUTO_BUF(text);
    if (!path.p || !lines_open(&file, path.p)) {
        return STR_ABSENT;
    }
    bool ok = file.size <= POINTER_FILE_MAX && lines_read_at(file.fd, 0, (size_t)file.size, &text);
    lines_close(&file);
    str s = str_trim(buf_str(&text));
    if (!ok || !str_starts(s, prefix) || str_find_byte(s, '\0', 0) != SIZE_MAX) {
        return STR_ABSENT;
    }
    s = str_trim(str_from(s, prefix.n));
    return s.n ? arena_str(a, s) : STR_ABSENT;
}

static bool is_folder(str path)
{
    struct stat st;
    return path.p && stat(path.p, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The common folder of the repository around `cwd`; absent when there is none. */
static str common_folder(struct arena *a, str cwd)
{
    for (str at = cwd; at.n;) {
        str git = path_join(a, at, STR(".git"));
        if (is_folder(git)) {
            return git;
        }
        str folder = read_pointer(a, git, STR("gitdir:"));
        if (folder.p) {
            folder = path_resolve(a, at, folder);
            str common = read_pointer(a, path_join(a, folder, STR("commondir")), STR(""));
            return common.p ? path_resolve(a, folder, common) : folder;
        }
        str up = path_dirname(at);
        if (str_eq(up, at) || !path_is_absolute(up)) {
            break;
        }
        at = up;
    }
    return STR_ABSENT;
}

static void add_root(str *roots, size_t *n, str root)
{
    for (size_t i = 0; i < *n; i++) {
        if (str_eq(roots[i], root)) {
            return;
        }
    }
    if (*n < WORKTREES_MAX && is_folder(root)) {
        roots[(*n)++] = root;
    }
}

static str real_path(struct arena *a, str path)
{
    char real[PATH_MAX];
    return path.p && realpath(path.p, real) ? arena_str(a, str_of(real)) : path;
}

size_t worktree_roots(struct arena *a, str cwd, str **roots)
{
    size_t n = 0;
    str common = common_folder(a, cwd);
    str list = common.p ? path_join(a, common, STR("worktrees")) : STR_ABSENT;
    DIR *dir = list.p ? opendir(list.p) : NULL;
    *roots = dir ? arena_alloc(a, WORKTREES_MAX * sizeof(**roots)) : NULL;
    if (*roots && str_is(path_basename(common), ".git")) {
        add_root(*roots, &n, real_path(a, arena_str(a, path_dirname(common))));
    }
    for (struct dirent *e; *roots && n < WORKTREES_MAX && (e = readdir(dir));) {
        if (e->d_name[0] == '.') {
            continue;
        }
        str folder = path_join(a, list, str_of(e->d_name));
        str file = read_pointer(a, path_join(a, folder, STR("gitdir")), STR(""));
        if (file.p) {
            add_root(*roots, &n, real_path(a, arena_str(a, path_dirname(path_resolve(a, folder, file)))));
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
    return n > 1 ? n : 0;
}

/* ---- Folders ---- */

static bool same_folder(const struct project_folders *f, str path)
{
    for (size_t i = 0; i < f->n; i++) {
        if (str_eq(f->list[i].path, path)) {
            return true;
        }
    }
    return false;
}

struct folder_list {
    struct arena *a;
    struct project_folders f;
    size_t cap;
};

static void add_folder(struct folder_list *l, str path, str cwd, bool shared)
{
    if (l->f.n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 64;
        struct project_folder *list = l->cap < FOLDERS_MAX ? arena_alloc(l->a, cap * sizeof(*list)) : NULL;
        if (!list) {
            return;
        }
        if (l->f.n) {
            memcpy(list, l->f.list, l->f.n * sizeof(*list));
        }
        l->f.list = list;
        l->cap = cap;
    }
    l->f.list[l->f.n++] = (struct project_folder){path, cwd, shared};
}

/* Every folder of `projects` whose name starts so. */
static void add_matching(struct folder_list *l, str projects, str prefix, str cwd)
{
    DIR *dir = projects.p ? opendir(projects.p) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        str name = str_of(e->d_name);
        if (e->d_name[0] == '.' || !str_starts(name, prefix)) {
            continue;
        }
        str path = path_join(l->a, projects, name);
        if (!prefix.n || !same_folder(&l->f, path)) {
            add_folder(l, path, cwd, prefix.n != 0);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
}

static void add_cwd(struct folder_list *l, str projects, str cwd)
{
    AUTO_BUF(slug);
    bool cut = slug_put(&slug, cwd);
    if (!buf_ok(&slug)) {
        return;
    }
    if (cut) { /* Claude itself may hash the rest in another way */
        add_matching(l, projects, str_first(buf_str(&slug), SLUG_MAX + 1), cwd);
        return;
    }
    str path = path_join(l->a, projects, buf_str(&slug));
    if (path.p && !same_folder(&l->f, path)) {
        add_folder(l, path, cwd, false);
    }
}

struct project_folders project_folders(struct arena *a, str config, str cwd)
{
    struct folder_list l = {.a = a};
    str projects = config.p ? path_join(a, config, STR("projects")) : STR_ABSENT;
    if (!projects.p) {
        return l.f;
    }
    if (!cwd.p) {
        add_matching(&l, projects, STR(""), STR_ABSENT);
        return l.f;
    }
    if (str_find_byte(cwd, '\0', 0) != SIZE_MAX) {
        return l.f;
    }
    str *roots = NULL;
    str real = real_path(a, arena_str(a, cwd));
    add_cwd(&l, projects, real);
    size_t n = worktree_roots(a, real, &roots);
    str *cwds = arena_alloc(a, (n + 1) * sizeof(*cwds));
    for (size_t i = 0; i < n; i++) {
        add_cwd(&l, projects, roots[i]);
    }
    if (cwds) {
        cwds[0] = real;
        if (n) {
            memcpy(cwds + 1, roots, n * sizeof(*cwds));
        }
        l.f.cwds = cwds;
        l.f.n_cwds = n + 1;
    }
    return l.f;
}

str find_transcript(struct arena *a, const struct project_folders *in, str id)
{
    str name = arena_printf(a, "%.*s.jsonl", STR_ARG(id));
    for (size_t i = 0; i < in->n; i++) {
        struct stat st;
        str path = path_join(a, in->list[i].path, name);
        if (path.p && stat(path.p, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
            return path;
        }
    }
    return STR_ABSENT;
}
