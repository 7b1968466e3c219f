#include "history/removal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/js_space.h"
#include "base/path.h"
#include "history/project_folders.h"
#include "history/summary.h"
#include "json/json.h"

enum {
    TITLE_MAX = 200, /* UTF-16 units, with the mark */
    WALK_FDS = 16,
};

static enum removal refused(struct arena *a, str path, str *why)
{
    *why = arena_printf(a, "%.*s: %s", STR_ARG(path), strerror(errno));
    return REMOVAL_FAILED;
}

/* ---- Removing ---- */

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

enum removal session_remove(struct arena *a, str config, str id, str *why)
{
    struct project_folders all = project_folders(a, config, STR_ABSENT);
    str path = find_transcript(a, &all, id);
    struct stat st;
    if (!path.p) {
        return REMOVAL_UNKNOWN;
    }
    if (unlink(path.p) != 0 && errno != ENOENT) {
        return refused(a, path, why);
    }
    str folder = arena_str(a, str_first(path, path.n - strlen(".jsonl")));
    if (folder.p && lstat(folder.p, &st) == 0 && S_ISDIR(st.st_mode) &&
        nftw(folder.p, remove_entry, WALK_FDS, FTW_DEPTH | FTW_PHYS) != 0) {
        return refused(a, folder, why);
    }
    return REMOVAL_DONE;
}

/* ---- Archiving ---- */

/* The title that the copy has now, without a mark, and with one. */
static void put_archived_title(struct buf *out, struct arena *a, const struct summary *s, str path, str id)
{
    str title = title_without_mark(s->name.n ? s->name : summary_title(s, a, path));
    AUTO_BUF(whole);
    buf_put_c(&whole, "[archived] ");
    if (title.n) {
        space_squeeze(&whole, title);
    } else {
        buf_put_c(&whole, "Session ");
        buf_put_str(&whole, str_first(id, 8));
    }
    utf16_cut(out, buf_str(&whole), TITLE_MAX);
}

static void put_title_line(struct buf *b, const char *type, const char *key, str title, str id)
{
    json_open_object(b);
    json_member_c(b, "type", type);
    json_member_str(b, key, title);
    json_member_str(b, "sessionId", id);
    json_close_object(b);
    buf_put_byte(b, '\n');
}

/* Appends whole lines with one write, on a line of their own. */
static bool append_lines(str path, str lines)
{
    AUTO_BUF(b);
    char last = '\n';
    int fd = open(path.p, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return false;
    }
    off_t end = lseek(fd, 0, SEEK_END);
    if (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n') {
        buf_put_byte(&b, '\n');
    }
    buf_put_str(&b, lines);
    errno = ENOMEM;
    bool ok = buf_ok(&b) && write(fd, b.p, b.n) == (ssize_t)b.n;
    int error = errno;
    (void)close(fd);
    errno = error;
    return ok;
}

/* The title beside a transcript, when there is one, says the same. */
static void rewrite_sidecar(struct arena *a, str path, str title)
{
    AUTO_BUF(b);
    struct stat st;
    str folder = str_first(path, path.n - strlen(".jsonl"));
    str side = path_join(a, folder, STR("custom-title.json"));
    str fresh = path_join(a, folder, STR(".custom-title.json.herald"));
    if (!side.p || !fresh.p || lstat(side.p, &st) != 0 || !S_ISREG(st.st_mode)) {
        return;
    }
    json_open_object(&b);
    json_member_str(&b, "customTitle", title);
    json_close_object(&b);
    (void)unlink(fresh.p);
    int fd = open(fresh.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return;
    }
    bool ok = buf_ok(&b) && write(fd, b.p, b.n) == (ssize_t)b.n;
    ok = close(fd) == 0 && ok;
    if (!ok || rename(fresh.p, side.p) != 0) {
        (void)unlink(fresh.p);
    }
}

static bool archive_copy(struct arena *a, struct summary_windows *w, str path, str id)
{
    struct summary s;
    summary_read(&s, a, w);
    if (title_is_archived(s.name.n ? s.name : summary_given_title(&s, a, path))) {
        return true;
    }
    AUTO_BUF(title);
    AUTO_BUF(lines);
    put_archived_title(&title, a, &s, path, id);
    put_title_line(&lines, "custom-title", "customTitle", buf_str(&title), id);
    put_title_line(&lines, "agent-name", "agentName", buf_str(&title), id);
    errno = ENOMEM;
    if (!buf_ok(&title) || !buf_ok(&lines) || !append_lines(path, buf_str(&lines))) {
        return false;
    }
    rewrite_sidecar(a, path, buf_str(&title));
    return true;
}

enum removal session_archive(struct arena *a, str config, str id, str *why)
{
    struct project_folders all = project_folders(a, config, STR_ABSENT);
    struct summary_windows w = SUMMARY_WINDOWS_INIT;
    enum removal result = REMOVAL_UNKNOWN;
    for (size_t i = 0; i < all.n && result != REMOVAL_FAILED; i++) {
        struct project_folders one = {.list = &all.list[i], .n = 1};
        str path = find_transcript(a, &one, id);
        if (path.p && summary_windows_read(&w, path.p)) {
            result = archive_copy(a, &w, path, id) ? REMOVAL_DONE : refused(a, path, why);
        }
    }
    summary_windows_free(&w);
    return result;
}
