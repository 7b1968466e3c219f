#include <stdlib.h>

#include "cli/process_internal.h"

struct piece {
    uv_write_t req;
    char bytes[];
};

static void on_written(uv_write_t *req, int status)
{
    struct cli_process *p = req->handle->data;
    free(CONTAINER_OF(req, struct piece, req));
    if (status < 0) {
        p->in_closed = true; /* its exit says what is wrong */
        return;
    }
    if (p->in_above && cli_process_queued(p) <= CLI_WRITE_LOW) {
        p->in_above = false;
        if (p->events && p->events->drained && p->life != CLOSING) {
            p->events->drained(p->user);
        }
    }
}

/* Queues what is left of `line` and its LF behind the first `done` bytes. */
static void queue_rest(struct cli_process *p, str line, size_t done)
{
    size_t n = line.n + 1 - done;
    struct piece *piece = malloc(sizeof(*piece) + n);
    if (!piece) {
        log_write(p->log, LOG_ERROR, "out of memory for a message to claude");
        if (done) { /* half a line would spoil the next one */
            p->in_closed = true;
            cli_process_end(p, true);
        }
        return;
    }
    memcpy(piece->bytes, line.p + done, n - 1);
    piece->bytes[n - 1] = '\n';
    uv_buf_t b = uv_buf_init(piece->bytes, (unsigned)n);
    if (uv_write(&piece->req, (uv_stream_t *)&p->in, &b, 1, on_written) != 0) {
        free(piece);
        p->in_closed = true;
        return;
    }
    if (cli_process_queued(p) > CLI_WRITE_HIGH) {
        p->in_above = true;
    }
}

void cli_process_write(struct cli_process *p, str line)
{
    if (p->in_closed || p->life >= EXITED || !line.n) {
        return;
    }
    if (line.n >= UINT32_MAX - 1 || str_find_byte(line, '\n', 0) != (size_t)-1) {
        log_write(p->log, LOG_ERROR, "a message to claude is not one line; it is dropped");
        return;
    }
    size_t done = 0;
    if (!cli_process_queued(p)) {
        union { /* libuv writes from here, never to it */
            const char *from;
            char *p;
        } text = {line.p}, lf = {"\n"};
        uv_buf_t b[2] = {uv_buf_init(text.p, (unsigned)line.n), uv_buf_init(lf.p, 1)};
        int n = uv_try_write((uv_stream_t *)&p->in, b, 2);
        if (n < 0 && n != UV_EAGAIN) {
            log_write(p->log, LOG_DEBUG, "writing to claude: %s", uv_strerror(n));
            p->in_closed = true;
            return;
        }
        done = n > 0 ? (size_t)n : 0;
    }
    if (done <= line.n) {
        queue_rest(p, line, done);
    }
}

size_t cli_process_queued(const struct cli_process *p)
{
    return uv_stream_get_write_queue_size((const uv_stream_t *)&p->in);
}

static void on_shutdown(uv_shutdown_t *req, int status)
{
    (void)req;
    (void)status;
}

void cli_process_close_input(struct cli_process *p)
{
    if (!p->in_closed && p->life < EXITED) {
        uv_shutdown(&p->shutdown, (uv_stream_t *)&p->in, on_shutdown);
    }
    p->in_closed = true;
}
