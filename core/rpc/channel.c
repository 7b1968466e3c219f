#include "rpc/channel.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Reading ---- */

enum { CHUNK = 64 * 1024 };

struct channel_in {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
        uv_tty_t tty;
        uv_idle_t idle; /* for a file: reads it chunk by chunk, one for each round of the loop */
    } h;
    uv_file file;
    bool is_file, started;
    channel_data_cb *data;
    void *user;
    char chunk[CHUNK];
};

/* Opens the handle that fits the descriptor; false when none does. */
static bool open_stream(uv_loop_t *loop, int fd, uv_pipe_t *pipe, uv_tcp_t *tcp, uv_tty_t *tty)
{
    switch (uv_guess_handle(fd)) {
    case UV_NAMED_PIPE:
        return uv_pipe_init(loop, pipe, 0) == 0 && uv_pipe_open(pipe, fd) == 0;
    case UV_TCP:
        return uv_tcp_init(loop, tcp) == 0 && uv_tcp_open(tcp, fd) == 0;
    case UV_TTY:
        return uv_tty_init(loop, tty, fd, 0) == 0;
    default:
        return false;
    }
}

struct channel_in *channel_in_new(uv_loop_t *loop, int fd, channel_data_cb *data, void *user)
{
    struct channel_in *in = calloc(1, sizeof(*in));
    if (!in) {
        return NULL;
    }
    in->data = data;
    in->user = user;
    in->is_file = uv_guess_handle(fd) == UV_FILE;
    in->file = fd;
    if (in->is_file ? uv_idle_init(loop, &in->h.idle) != 0
                    : !open_stream(loop, fd, &in->h.pipe, &in->h.tcp, &in->h.tty)) {
        free(in);
        return NULL;
    }
    in->h.handle.data = in;
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
    ssize_t n = read(in->file, in->chunk, CHUNK);
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
    if (in->is_file) {
        uv_idle_start(&in->h.idle, on_idle);
    } else {
        uv_read_start(&in->h.stream, on_alloc, on_read);
    }
}

void channel_in_stop(struct channel_in *in)
{
    if (!in->started) {
        return;
    }
    in->started = false;
    if (in->is_file) {
        uv_idle_stop(&in->h.idle);
    } else {
        uv_read_stop(&in->h.stream);
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
        uv_close(&in->h.handle, free_in);
    }
}

/* ---- Writing ---- */

struct channel_out {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
        uv_tty_t tty;
        uv_check_t none; /* for a file, which is written at once */
    } h;
    uv_file file;
    bool is_file, broken, closing;
    channel_progress_cb *progress;
    void *user;
};

struct pending_write {
    uv_write_t req;
    struct buf bytes;
};

struct channel_out *channel_out_new(uv_loop_t *loop, int fd, channel_progress_cb *progress, void *user)
{
    struct channel_out *out = calloc(1, sizeof(*out));
    if (!out) {
        return NULL;
    }
    out->progress = progress;
    out->user = user;
    out->is_file = uv_guess_handle(fd) == UV_FILE;
    out->file = fd;
    if (out->is_file ? uv_check_init(loop, &out->h.none) != 0
                     : !open_stream(loop, fd, &out->h.pipe, &out->h.tcp, &out->h.tty)) {
        free(out);
        return NULL;
    }
    out->h.handle.data = out;
    return out;
}

static void break_down(struct channel_out *out)
{
    if (!out->broken) {
        out->broken = true;
        out->progress(out->user, true);
    }
}

static void write_file(struct channel_out *out, struct buf *b)
{
    for (size_t at = 0; at < b->n;) {
        ssize_t n = write(out->file, b->p + at, b->n - at);
        if (n < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = out->file, .events = POLLOUT}, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            break_down(out);
            break;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    buf_clear(b);
}

static void on_written(uv_write_t *req, int status)
{
    struct pending_write *w = CONTAINER_OF(req, struct pending_write, req);
    struct channel_out *out = req->handle->data;
    buf_free(&w->bytes);
    free(w);
    if (out->closing) {
        return;
    }
    if (status < 0) {
        break_down(out);
    } else {
        out->progress(out->user, false);
    }
}

void channel_out_write(struct channel_out *out, struct buf *b)
{
    if (out->broken || out->is_file || b->n == 0) {
        if (out->broken) {
            buf_clear(b);
        } else {
            write_file(out, b);
        }
        return;
    }
    size_t done = 0;
    if (uv_stream_get_write_queue_size(&out->h.stream) == 0) {
        uv_buf_t now = uv_buf_init(b->p, (unsigned)b->n);
        int n = uv_try_write(&out->h.stream, &now, 1);
        if (n < 0 && n != UV_EAGAIN) {
            buf_clear(b);
            break_down(out);
            return;
        }
        done = n > 0 ? (size_t)n : 0;
    }
    if (done == b->n) {
        buf_clear(b);
        return;
    }
    struct pending_write *w = calloc(1, sizeof(*w));
    if (!w) {
        buf_clear(b);
        break_down(out);
        return;
    }
    w->bytes = *b;
    *b = BUF_INIT;
    uv_buf_t rest = uv_buf_init(w->bytes.p + done, (unsigned)(w->bytes.n - done));
    if (uv_write(&w->req, &out->h.stream, &rest, 1, on_written) < 0) {
        buf_free(&w->bytes);
        free(w);
        break_down(out);
    }
}

size_t channel_out_queued(const struct channel_out *out)
{
    return out->is_file ? 0 : uv_stream_get_write_queue_size(&out->h.stream);
}

static void free_out(uv_handle_t *h)
{
    free(h->data);
}

void channel_out_free(struct channel_out *out)
{
    if (out) {
        out->closing = true;
        uv_close(&out->h.handle, free_out);
    }
}
