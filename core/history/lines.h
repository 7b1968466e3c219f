/* A file read line by line, in order, with bounded memory.
 *
 * The reader takes the file's size when it is opened and ignores what is appended meanwhile. A line longer
 * than LINES_LINE_MAX is passed over without being kept. Nothing here is for the loop thread: it waits for
 * the disk. */
#ifndef HERALD_HISTORY_LINES_H
#define HERALD_HISTORY_LINES_H

#include <stdint.h>

#include "base/str.h"

enum { LINES_LINE_MAX = 64 * 1024 * 1024 };

struct lines {
    int fd;        /* -1: not open */
    uint64_t size; /* of the file when it was opened */
    uint64_t read; /* how far the file is in the buffer */
    struct buf data;
    size_t at;     /* where the next line begins in the buffer */
    bool overlong; /* what is in the buffer belongs to a line that is passed over */
};

/* False when there is no such regular file, or it cannot be read. lines_close() is due only after success. */
bool lines_open(struct lines *l, const char *path) WARN_UNUSED;
void lines_close(struct lines *l);
/* The next line without its line break, and where it begins in the file; both are valid until the next call.
 * The last line comes also without a line break. False at the end, and when memory is out. */
bool lines_next(struct lines *l, str *line, uint64_t *offset);
/* Reads exactly `n` bytes at `offset` into the emptied buffer. */
bool lines_read_at(int fd, uint64_t offset, size_t n, struct buf *out) WARN_UNUSED;

#endif
