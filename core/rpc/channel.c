#include "rpc/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CHUNK = 64 * 1024,
    BLOCKS = 24, /* more than RPC_OUTPUT_HIGH fills; then the caller keeps its bytes */
    KEPT = 2,    /* blocks of memory that stay while nothing is queued */
};

/* ---- Descriptors ---- */

/* A descriptor and the handle that fits it. */
struct end {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
        uv_tty_t tty;
        uv_idle_t idle; /* of a file, which needs none: it is read chunk by chunk, and written at once */
    } h;
    uv_file fd;
    bool is_file;
};

/* False when no handle fits. */
static bool open_end(struct end *e, uv_loop_t *loop, int fd, void *owner)
{
    bool open = false;
    e->fd = fd;
    switch (uv_guess_handle(fd)) {
    case UV_NAMED_PIPE:
        open = uv_pipe_init(loop, &e->h.pipe, 0) == 0 && uv_pipe_open(&e->h.pipe, fd) == 0;
        break;
    case UV_TCP:
        open = uv_tcp_init(loop, &e->h.tcp) == 0 && uv_tcp_open(&e->h.tcp, fd) == 0;
        break;
    case UV_TTY:
        open = uv_tty_init(loop, &e->h.tty, fd, 0) == 0;
        break;
    case UV_FILE:
        e->is_file = true;
        open = uv_idle_init(loop, &e->h.idle) == 0;
        break;
    default:
        break;
    }
    e->h.handle.data = owner;
    return open;
}

/* ---- Reading ---- */

struct channel_in {
    struct end end;
    bool started;
    channel_data_cb *data;
    void *user;
    char chunk[CHUNK];
};

struct channel_in *channel_in_new(uv_loop_t *loop, int fd, channel_data_cb *data, void *user)
{
    struct channel_in *in = calloc(1, sizeof(*in));
    if (!in || !open_end(&in->end, loop, fd, in)) {
        free(in);
        return NULL;
    }
    in->data = data;
    in->user = user;
    return in;
}

static void on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
    struct channel_in *in = h->data;
    (void)suggested;
    *b = uv_buf_init(in->chunk, CHUNK);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct channel_in *in = s->data;
    if (n > 0) {
        in->data(in->user, b->base, (size_t)n);
    } else if (n < 0) {
        channel_in_stop(in);
        in->data(in->user, NULL, 0);
    }
}

static void on_idle(uv_idle_t *h)
{
    struct channel_in *in = h->data;
    ssize_t n = read(in->end.fd, in->chunk, CHUNK);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (n <= 0) {
        channel_in_stop(in);
    }
    in->data(in->user, in->chunk, n > 0 ? (size_t)n : 0);
}

void channel_in_start(struct channel_in *in)
{
    if (in->started) {
        return;
    }
    in->started = true;
    if (in->end.is_file) {
        uv_idle_start(&in->end.h.idle, on_idle);
    } else {
        uv_read_start(&in->end.h.stream, on_alloc, on_read);
    }
}

void channel_in_stop(struct channel_in *in)
{
    if (!in->started) {
        return;
    }
    in->started = false;
    if (in->end.is_file) {
        uv_idle_stop(&in->end.h.idle);
    } else {
        uv_read_stop(&in->end.h.stream);
    }
}

static void free_in(uv_handle_t *h)
{
    free(h->data);
}

void channel_in_free(struct channel_in *in)
{
    if (in) {
        channel_in_stop(in);
        uv_close(&in->end.h.handle, free_in);
    }
}

/* ---- Writing ---- */

struct channel_out {
    struct end end;
    uv_poll_t watch; /* tells when the reader is gone; over a copy of the descriptor */
    int watched;     /* that copy; -1: nothing is watched */
    bool broken, closing;
    uv_write_t write; /* at most one is under way */
    bool busy;
    /* The bytes of that write, those that wait for the next, then memory to reuse. */
    struct buf blocks[BLOCKS];
    size_t writing, waiting;
    size_t queued; /* bytes of the first two */
    channel_progress_cb *progress;
    void *user;
};

static void break_down(struct channel_out *out)
{
    if (!out->broken) {
        out->broken = true;
        out->progress(out->user, true);
    }
}

/* Something is with the other side: it is gone, or only says that it will not write to us, which it need not.
 * The latter would be told again and again. */
static void on_watch(uv_poll_t *watch, int status, int events)
{
    struct channel_out *out = watch->data;
    struct pollfd now = {.fd = out->watched, .events = POLLOUT};
    (void)status;
    (void)events;
    uv_poll_stop(watch);
    if (poll(&now, 1, 0) > 0 && (now.revents & (POLLERR | POLLHUP | POLLNVAL))) {
        break_down(out);
    }
}

/* Without it a reader that goes is noticed at the next write only. Files have no reader, and a terminal that
 * goes sends a signal. */
static void watch_reader(struct channel_out *out, uv_loop_t *loop)
{
    uv_handle_type type = out->end.h.handle.type;
    out->watched = -1;
    if (type != UV_NAMED_PIPE && type != UV_TCP) {
        return;
    }
    int copy = fcntl(out->end.fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        return;
    }
    if (uv_poll_init(loop, &out->watch, copy) != 0) {
        close(copy);
        return;
    }
    out->watched = copy;
    out->watch.data = out;
    uv_unref((uv_handle_t *)&out->watch);
    uv_poll_start(&out->watch, UV_READABLE | UV_DISCONNECT, on_watch);
}

struct channel_out *channel_out_new(uv_loop_t *loop, int fd, channel_progress_cb *progress, void *user)
{
    struct channel_out *out = calloc(1, sizeof(*out));
    if (!out || !open_end(&out->end, loop, fd, out)) {
        free(out);
        return NULL;
    }
    out->progress = progress;
    out->user = user;
    watch_reader(out, loop);
    return out;
}

static void write_file(struct channel_out *out, struct buf *b)
{
    for (size_t at = 0; at < b->n;) {
        ssize_t n = write(out->end.fd, b->p + at, b->n - at);
        if (n < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = out->end.fd, .events = POLLOUT}, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            break_down(out);
            break;
        }
        at += n > 0 ? (size_t)n : 0;
    }
}

/* Empties a block for its next use. One that a huge message has made large is not kept. */
static void reuse(struct buf *b)
{
    if (b->cap > 4 * (size_t)CHANNEL_BLOCK) {
        buf_free(b);
    } else {
        buf_clear(b);
    }
}

static void write_waiting(struct channel_out *out, size_t already);

static void on_written(uv_write_t *req, int status)
{
    struct channel_out *out = req->handle->data;
    struct buf done[BLOCKS];
    size_t n = out->writing;
    memcpy(done, out->blocks, n * sizeof(*done));
    memmove(out->blocks, out->blocks + n, (BLOCKS - n) * sizeof(*done));
    for (size_t i = 0; i < n; i++) {
        out->queued -= done[i].n;
        reuse(&done[i]);
        out->blocks[BLOCKS - n + i] = done[i];
    }
    out->busy = false;
    out->writing = 0;
    if (out->closing) {
        return;
    }
    if (status < 0) {
        break_down(out);
        return;
    }
    if (out->waiting) {
        write_waiting(out, 0);
    }
    for (size_t i = KEPT; !out->busy && i < BLOCKS; i++) {
        buf_free(&out->blocks[i]);
    }
    out->progress(out->user, false);
}

/* Hands all waiting blocks to libuv, but for the first `already` bytes, which are out. */
static void write_waiting(struct channel_out *out, size_t already)
{
    uv_buf_t parts[BLOCKS];
    for (size_t i = 0; i < out->waiting; i++) {
        size_t skip = i == 0 ? already : 0;
        parts[i] = uv_buf_init(out->blocks[i].p + skip, (unsigned)(out->blocks[i].n - skip));
    }
    out->writing = out->waiting;
    out->waiting = 0;
    out->busy = true;
    if (uv_write(&out->write, &out->end.h.stream, parts, (unsigned)out->writing, on_written) < 0) {
        out->busy = false;
        break_down(out);
    }
}

void channel_out_write(struct channel_out *out, struct buf *b)
{
    size_t used = out->writing + out->waiting, already = 0;
    if (b->n == 0 || (out->busy && (b->n < CHANNEL_BLOCK || used == BLOCKS))) {
        return;
    }
    if (out->broken || out->end.is_file) {
        if (!out->broken) {
            write_file(out, b);
        }
        reuse(b);
        return;
    }
    if (!out->busy) {
        uv_buf_t all = uv_buf_init(b->p, (unsigned)b->n);
        int n = uv_try_write(&out->end.h.stream, &all, 1);
        if (n == (int)b->n) {
            reuse(b);
            return;
        }
        if (n < 0 && n != UV_EAGAIN) {
            reuse(b);
            break_down(out);
            return;
        }
        already = n > 0 ? (size_t)n : 0;
    }
    struct buf next = out->blocks[used];
    out->blocks[used] = *b;
    *b = next;
    out->queued += out->blocks[used].n;
    out->waiting++;
    if (!out->busy) {
        write_waiting(out, already);
    }
}

size_t channel_out_queued(const struct channel_out *out)
{
    return out->queued;
}

static void free_out(uv_handle_t *h)
{
    struct channel_out *out = h->data;
    for (size_t i = 0; i < BLOCKS; i++) {
        buf_free(&out->blocks[i]);
    }
    free(out);
}

static void unwatched(uv_handle_t *h)
{
    struct channel_out *out = h->data;
    close(out->watched);
    uv_close(&out->end.h.handle, free_out);
}

void channel_out_free(struct channel_out *out)
{
    if (out) {
        out->closing = true;
        if (out->watched >= 0) {
            uv_close((uv_handle_t *)&out->watch, unwatched);
        } else {
            uv_close(&out->end.h.handle, free_out);
        }
    }
}
