#include "history/backwards.h"

enum { STEP = 64 * 1024 };

/* One window of the file. `left`: how many bytes at its start belong to a line that begins before it. */
struct window {
    str text;
    bool from_start; /* nothing is before it */
    bool done;
    size_t left;
};

static void visit_window(struct window *w, bool (*visit)(void *user, str line), void *user)
{
    str rest = w->text;
    while (rest.n && !w->done) {
        str whole = str_first(rest, rest.n - (rest.p[rest.n - 1] == '\n'));
        size_t at = str_rfind(whole, STR("\n"));
        if (at == SIZE_MAX && !w->from_start) {
            break;
        }
        w->done = visit(user, at == SIZE_MAX ? whole : str_from(whole, at + 1));
        rest = str_first(rest, at == SIZE_MAX ? 0 : at + 1);
    }
    w->left = rest.n;
}

bool lines_backwards(const char *path, bool (*visit)(void *user, str line), void *user)
{
    struct lines file;
    AUTO_BUF(bytes);
    if (!lines_open(&file, path)) {
        return false;
    }
    uint64_t end = file.size; /* what is behind it was visited */
    bool done = false;
    for (uint64_t step = STEP; end && !done && step <= LINES_LINE_MAX;) {
        uint64_t n = end < step ? end : step;
        if (!lines_read_at(file.fd, end - n, (size_t)n, &bytes)) {
            break;
        }
        struct window w = {.text = buf_str(&bytes), .from_start = n == end};
        visit_window(&w, visit, user);
        /* A window without a whole line must grow until it holds one. */
        step = w.left == n ? step * 2 : STEP;
        end = end - n + w.left;
        done = w.done;
    }
    lines_close(&file);
    return done || !end;
}
