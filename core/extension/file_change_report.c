#include "extension/file_change_report.h"

#include "client/air_meta.h"
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/js_space.h"
#include "base/path.h"
#include "base/utf8.h"

enum {
    ID_MAX = 128,
    SEEN_MAX = 65536, /* ids of a session; further requests are ignored */
};

/* ---- Requests ---- */

static void free_id(void *p)
{
    free(p);
}

void file_reports_free(struct file_reports *fr)
{
    map_free(&fr->seen, NULL);
    map_free(&fr->open, free_id);
}

static bool is_id(str id)
{
    if (id.n < 1 || id.n > ID_MAX) {
        return false;
    }
    for (size_t i = 0; i < id.n; i++) {
        char c = id.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '.' && c != '_' && c != ':' && c != '-') {
            return false;
        }
    }
    return true;
}

/* The id of a request with exactly its two keys; absent for any other value. */
static str request_id(json request)
{
    int64_t version = 0;
    for (struct json_iter it = json_each(request); it.object && json_next(&it);) {
        str key = json_iter_key(&it);
        if (!str_is(key, "version") && !str_is(key, "requestId")) {
            return STR_ABSENT;
        }
    }
    str id = json_str(json_get(request, "requestId"));
    bool right = json_int(json_get(request, "version"), &version) && version == 1 && is_id(id);
    return right ? id : STR_ABSENT;
}

void file_reports_accept(struct file_reports *fr, json meta, str uuid)
{
    str id = request_id(json_path(meta, "jetbrains", "air", "agentFileChangeReportRequest", NULL));
    if (!id.p || set_has(&fr->seen, id) || fr->seen.used >= SEEN_MAX) {
        return;
    }
    char *copy = str_dup(id);
    if (!copy || !map_put(&fr->open, uuid, copy, NULL)) {
        free(copy);
        return;
    }
    set_add(&fr->seen, id); /* without memory a repetition of it would be answered again */
}

char *file_reports_take(struct file_reports *fr, str uuid)
{
    return map_remove(&fr->open, uuid);
}

/* ---- Paths ---- */

bool file_report_readable(json answer)
{
    return json_is_true(json_get(answer, "canRewind")) &&
           json_is(json_get(answer, "filesChanged"), JSON_ARRAY);
}

static bool has_control(str path)
{
    for (size_t at = 0; at < path.n;) {
        uint32_t c = utf8_next(path, &at);
        if (c < 0x20 || (c >= 0x7f && c <= 0x9f)) {
            return true;
        }
    }
    return false;
}

static bool is_tellable(str path)
{
    return space_trim(path).n && utf16_length(path) <= FILE_REPORT_PATH_MAX && !has_control(path);
}

/* The folder with its links resolved; of one that is not there, its nearest ancestor that is. */
static str canonical_folder(struct arena *a, str folder)
{
    char real[PATH_MAX];
    for (str there = folder;; there = path_dirname(there)) {
        str name = arena_str(a, there);
        if (!name.p) {
            return STR_ABSENT;
        }
        if (realpath(name.p, real)) {
            str rest = str_from(folder, there.n);
            bool root = str_is(str_of(real), "/");
            return arena_printf(a, "%s%s%.*s", root ? "" : real, root && !rest.n ? "/" : "", STR_ARG(rest));
        }
        if (str_is(there, "/")) {
            return arena_str(a, folder);
        }
    }
}

/* The file's folder resolved, its own name as it is: a link that was made counts where it stands. */
static str canonical_file(struct arena *a, str cwd, str path)
{
    str whole = path_resolve(a, cwd, path);
    if (!whole.p || str_is(whole, "/")) {
        return whole;
    }
    str folder = canonical_folder(a, path_dirname(whole));
    return folder.p ? path_join(a, folder, path_basename(whole)) : STR_ABSENT;
}

static bool below_roots(str path, const str *roots, size_t n)
{
    bool below = false;
    for (size_t i = 0; i < n; i++) {
        if (str_eq(path, roots[i])) {
            return false;
        }
        below = below || path_within(path, roots[i]);
    }
    return below;
}

static const str *canonical_roots(struct arena *a, const struct file_report_places *places)
{
    str *roots = arena_alloc(a, (places->n + 1) * sizeof(*roots));
    for (size_t i = 0; roots && i < places->n; i++) {
        roots[i] = canonical_folder(a, path_resolve(a, places->cwd, places->roots[i]));
    }
    return roots;
}

void file_report_list(struct file_report_list *list, json files, const struct file_report_places *places)
{
    struct map known = MAP_INIT;
    struct arena *a = &list->mem;
    const str *roots = canonical_roots(a, places);
    size_t bytes = 0;
    str *paths = arena_alloc(a, FILE_REPORT_PATHS_MAX * sizeof(*paths));
    for (struct json_iter it = json_each(files); roots && paths && json_next(&it);) {
        str said = json_str(it.value);
        str path = said.p && is_tellable(said) ? canonical_file(a, places->cwd, said) : STR_ABSENT;
        if (!path.p || !is_tellable(path) || !below_roots(path, roots, places->n)) {
            list->truncated = true;
            continue;
        }
        if (set_has(&known, path)) {
            continue;
        }
        if (list->n >= FILE_REPORT_PATHS_MAX || bytes + path.n > FILE_REPORT_BYTES_MAX) {
            list->truncated = true;
            break;
        }
        if (!set_add(&known, path)) {
            list->truncated = true;
            break;
        }
        paths[list->n++] = path;
        bytes += path.n;
    }
    map_free(&known, NULL);
    list->paths = paths;
}

/* ---- Reports ---- */

static void put_head(struct buf *b, str request, const char *status)
{
    json_open_object(b);
    json_member_int(b, "version", 1);
    json_member_str(b, "requestId", request);
    json_member_c(b, "status", status);
}

/* The report with the first `n` paths. */
static void put_list(struct buf *b, str request, const struct file_report_list *list, size_t n)
{
    put_head(b, request, "reported");
    json_key(b, "paths");
    json_open_array(b);
    for (size_t i = 0; i < n; i++) {
        json_put_str(b, list->paths[i]);
    }
    json_close_array(b);
    json_member_bool(b, "declaredComplete", false);
    json_member_bool(b, "truncated", list->truncated || n < list->n);
    json_close_object(b);
}

static void put_meta(struct buf *b, str report)
{
    json_key(b, "_meta");
    json_open_object(b);
    air_meta_open(b);
    json_member_raw(b, "agentFileChangeReport", report);
    air_meta_close(b);
    json_close_object(b);
}

void file_report_put(struct buf *b, str request, const struct file_report_list *list)
{
    AUTO_BUF(report);
    size_t n = list->n;
    put_list(&report, request, list, n);
    while (report.n > FILE_REPORT_BYTES_MAX && n) {
        /* Escapes made it longer: a byte of the excess is at most six of a path's. */
        size_t excess = (report.n - FILE_REPORT_BYTES_MAX) / 6, dropped = 0;
        do {
            dropped += list->paths[--n].n;
        } while (n && dropped < excess);
        buf_clear(&report);
        put_list(&report, request, list, n);
    }
    put_meta(b, buf_str(&report));
}

void file_report_put_unavailable(struct buf *b, str request, enum file_report_reason reason)
{
    static const char *const words[] = {
        [FILE_REPORT_CANCELLED] = "cancelled",
        [FILE_REPORT_TIMEOUT] = "timeout",
        [FILE_REPORT_INVALID] = "invalidOutput",
        [FILE_REPORT_PROVIDER] = "providerError",
    };
    AUTO_BUF(report);
    put_head(&report, request, "unavailable");
    json_member_c(&report, "reason", words[reason]);
    json_close_object(&report);
    put_meta(b, buf_str(&report));
}
