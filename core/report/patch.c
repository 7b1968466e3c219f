#include "report/patch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "report/diff.h"
#include "report/patch_text.h"

/* ---- Sources ----------------------------------------------------------------------------------------- */

enum { BINARY_SNIFF = 8000 }; /* the bytes in which Git looks for a NUL */

/* Reads the file, of which `size` bytes are expected; false when it fails or there are more. */
static bool read_all(int fd, size_t size, struct buf *text)
{
    if (!buf_reserve(text, size + 1)) {
        return false;
    }
    while (text->n <= size) {
        ssize_t got = read(fd, text->p + text->n, size + 1 - text->n);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            text->p[text->n] = '\0';
            return got == 0;
        }
        text->n += (size_t)got;
    }
    text->p[size] = '\0';
    return false;
}

static bool is_text(str text)
{
    return str_find_byte(str_first(text, BINARY_SNIFF), '\0', 0) == SIZE_MAX &&
           utf8_valid_until(text) == text.n;
}

void read_file_source(const char *path, struct file_source *source)
{
    *source = (struct file_source){.state = SOURCE_UNUSABLE};
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        source->state = errno == ENOENT ? SOURCE_MISSING : SOURCE_UNUSABLE;
        return;
    }
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= PATCH_TEXT_MAX &&
        read_all(fd, (size_t)st.st_size, &source->text)) {
        source->has_cr = str_find_byte(buf_str(&source->text), '\r', 0) != SIZE_MAX;
        source->state = !source->has_cr && is_text(buf_str(&source->text)) ? SOURCE_TEXT : SOURCE_UNUSABLE;
    }
    if (source->state == SOURCE_UNUSABLE) {
        buf_free(&source->text);
    }
    close(fd);
}

void file_source_free(struct file_source *source)
{
    buf_free(&source->text);
}

/* ---- Patches ----------------------------------------------------------------------------------------- */

/* A list in the order of its making; one for each hunk. */
struct line_list {
    struct arena *arena;
    struct patch_line *first, *last;
};

static void add_line(struct line_list *list, size_t line)
{
    struct patch_line *item = arena_alloc(list->arena, sizeof(*item));
    if (!item) {
        return;
    }
    item->line = (int64_t)line;
    if (list->last) {
        list->last->next = item;
    } else {
        list->first = item;
    }
    list->last = item;
}

static void put_line(struct buf *b, char mark, str line)
{
    buf_put_byte(b, mark);
    buf_put_str(b, line);
    if (line.p[line.n - 1] != '\n') {
        buf_put_c(b, "\n" PATCH_NO_NEWLINE "\n");
    }
}

static void put_hunk(struct buf *b, const struct diff *d, const struct diff_hunk *h)
{
    const struct diff_side *old_side = &d->old_side, *new_side = &d->new_side;
    patch_put_hunk_header(b, (int64_t)(d->skipped + h->old_at + 1), (int64_t)h->old_n,
                          (int64_t)(d->skipped + h->new_at + 1), (int64_t)h->new_n);
    size_t x = h->old_at, y = h->new_at;
    while (x < h->old_at + h->old_n || y < h->new_at + h->new_n) {
        if (x < h->old_at + h->old_n && old_side->changed[x]) {
            put_line(b, '-', old_side->lines[x++]);
        } else if (y < h->new_at + h->new_n && new_side->changed[y]) {
            put_line(b, '+', new_side->lines[y++]);
        } else {
            put_line(b, ' ', old_side->lines[x++]);
            y++;
        }
    }
}

static bool put_hunks(struct buf *b, str old_text, str new_text, struct line_list *lines)
{
    struct diff d;
    bool ok = diff_make(&d, old_text, new_text, PATCH_TIME_MS);
    if (ok) {
        for (struct diff_hunk h = {0}; diff_next_hunk(&d, &h);) {
            put_hunk(b, &d, &h);
            add_line(lines, d.skipped + h.new_at + 1);
        }
    }
    diff_free(&d);
    return ok;
}

bool patch_make(struct arena *a, str path, bool prefixes, str old_text, str new_text, struct patch *out)
{
    *out = (struct patch){0};
    bool created = !old_text.p;
    if (created ? new_text.n == 0 : str_eq(old_text, new_text)) {
        return false;
    }
    if (str_find_byte(old_text, '\r', 0) != SIZE_MAX || str_find_byte(new_text, '\r', 0) != SIZE_MAX) {
        return false; /* a patch never holds a CR */
    }
    AUTO_BUF(text);
    struct line_list lines = {.arena = a};
    patch_put_header(&text, path, prefixes, created);
    if (created) {
        patch_put_whole_file(&text, new_text);
        add_line(&lines, 1);
    } else if (!put_hunks(&text, old_text, new_text, &lines)) {
        return false;
    }
    out->text = arena_buf(a, &text);
    out->lines = lines.first;
    return out->text.p && out->lines && arena_ok(a);
}
