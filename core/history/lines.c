#include "history/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 256 * 1024 };

bool lines_open(struct lines *l, const char *path)
{
    struct stat st;
    *l = (struct lines){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (l->fd < 0) {
        return false;
    }
    if (fstat(l->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        lines_close(l);
        return false;
    }
    l->size = (uint64_t)st.st_size;
    return true;
}

void lines_close(struct lines *l)
{
    if (l->fd >= 0) {
        (void)close(l->fd);
        l->fd = -1;
    }
    buf_free(&l->data);
}

/* Appends up to `n` bytes from `offset`; how many, 0 at the end of the file. */
static size_t read_some(int fd, uint64_t offset, size_t n, struct buf *out)
{
    if (!buf_reserve(out, n)) {
        return 0;
    }
    ssize_t got;
    do {
        got = pread(fd, out->p + out->n, n, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        return 0;
    }
    out->n += (size_t)got;
    out->p[out->n] = '\0';
    return (size_t)got;
}

bool lines_read_at(int fd, uint64_t offset, size_t n, struct buf *out)
{
    buf_clear(out);
    while (out->n < n) {
        if (!read_some(fd, offset + out->n, n - out->n, out)) {
            return false;
        }
    }
    return true;
}

/* Gets more of the file behind what is not consumed yet; false at its end. */
static bool fill(struct lines *l)
{
    uint64_t left = l->size - l->read;
    buf_drop_front(&l->data, l->at);
    l->at = 0;
    size_t got = left ? read_some(l->fd, l->read, left < STEP ? (size_t)left : STEP, &l->data) : 0;
    l->read += got;
    return got != 0;
}

bool lines_next(struct lines *l, str *line, uint64_t *offset)
{
    size_t seen = 0; /* of the line, without a line break in it */
    for (;;) {
        str rest = str_from(buf_str(&l->data), l->at);
        size_t end = str_find_byte(rest, '\n', seen);
        if (end != SIZE_MAX) {
            uint64_t from = l->read - rest.n;
            l->at += end + 1;
            seen = 0;
            if (l->overlong) {
                l->overlong = false;
                continue;
            }
            *line = str_first(rest, end);
            *offset = from;
            return true;
        }
        seen = rest.n;
        if (seen > LINES_LINE_MAX || l->overlong) {
            l->overlong = true;
            l->at = l->data.n;
            seen = 0;
        }
        if (!fill(l)) {
            break;
        }
    }
    str last = str_from(buf_str(&l->data), l->at);
    l->at = l->data.n;
    if (!last.n || l->overlong || !buf_ok(&l->data)) {
        return false;
    }
    *line = last;
    *offset = l->read - last.n;
    return true;
}
