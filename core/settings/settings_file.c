#include "settings/settings_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_STEP = 65536 };

/* O_NONBLOCK, so that a pipe in place of the file cannot hold us up. */
static bool read_bounded(const char *path, struct buf *out)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0) {
        return false;
    }
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SETTINGS_FILE_MAX;
    while (ok) {
        ok = buf_reserve(out, READ_STEP) && out->n <= SETTINGS_FILE_MAX;
        ssize_t got = ok ? read(fd, out->p + out->n, READ_STEP) : 0;
        if (got <= 0) {
            ok = ok && got == 0;
            break;
        }
        out->n += (size_t)got;
        out->p[out->n] = '\0';
    }
    close(fd);
    return ok;
}

struct json_doc *settings_read_file(str path, const char **why)
{
    AUTO_BUF(name);
    AUTO_BUF(text);
    const char *reason = "cannot be read";
    struct json_doc *doc = NULL;

    buf_put_str(&name, path);
    if (path.n && !str_has_nul(path) && buf_ok(&name) && read_bounded(buf_c(&name), &text)) {
        str body = buf_str(&text);
        doc = json_parse(str_starts(body, STR("\xef\xbb\xbf")) ? str_from(body, 3) : body, &reason);
    }
    if (doc && !json_is(json_root(doc), JSON_OBJECT)) {
        json_unref(doc);
        doc = NULL;
        reason = "does not hold an object";
    }
    if (!doc && why) {
        *why = reason;
    }
    return doc;
}

static bool look_at(str path, struct settings_ignored *out, struct stat *st)
{
    if (!path.n || str_has_nul(path) || stat(path.p, st) != 0) {
        return false;
    }
#ifdef __APPLE__
    struct timespec when = st->st_mtimespec;
#else
    struct timespec when = st->st_mtim;
#endif
    out->size = (long long)st->st_size;
    out->seconds = (long long)when.tv_sec;
    out->nanoseconds = when.tv_nsec;
    return true;
}

void settings_ignore(struct settings_ignored *file)
{
    struct stat st;

    if (!look_at(file->path, file, &st)) {
        file->size = -1;
    }
}

bool settings_is_ignored(const struct settings_place *place, str path)
{
    struct settings_ignored now = {.size = -1};
    struct stat st, other;

    if (!place->n_ignored || !look_at(path, &now, &st)) {
        return false;
    }
    for (size_t i = 0; i < place->n_ignored; i++) {
        const struct settings_ignored *f = &place->ignored[i];
        if (f->size == now.size && f->seconds == now.seconds && f->nanoseconds == now.nanoseconds &&
            (str_eq(f->path, path) ||
             (stat(f->path.p, &other) == 0 && other.st_dev == st.st_dev && other.st_ino == st.st_ino))) {
            return true;
        }
    }
    return false;
}
