#include "cli/process.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/kill_tree.h"
#include "cli/launcher.h"
#include "cli/process_internal.h"
#include "cli/spawn.h"

enum {
    TERM_AFTER = 2000,
    KILL_AFTER = 5000,
    GIVE_UP_AFTER = 2000,
    ERR_GRACE = 200,
    OUT_GRACE = 2000,
    READ_SIZE = 64 * 1024,
    KEEP_SIZE = 1024 * 1024, /* a larger empty buffer is given back */
    HANDLES = 6,
};

static void on_timer(uv_timer_t *timer);
static void on_pump(uv_idle_t *idle);

static void set_life(struct cli_process *p, enum life life, unsigned timeout)
{
    p->life = life;
    if (timeout) {
        uv_timer_start(&p->timer, on_timer, timeout, 0);
    } else {
        uv_timer_stop(&p->timer);
    }
}

/* ---- The end ------------------------------------------------------------------------------------ */

/* The launcher could not become the CLI: that is a start that failed, not an exit. */
static void recognise_failed_launch(struct cli_process *p, str tail)
{
    if (p->launched && !p->had_output && p->status >= 125 && p->status <= 127 &&
        str_starts(tail, STR(LAUNCHER_COMPLAINT)) && !p->problem.n) {
        p->spawn_failed = true;
        str reason = str_from(tail, sizeof(LAUNCHER_COMPLAINT) - 1);
        str named = str_of(p->path);
        spawn_launch_failure(&p->problem, p->path,
                             str_starts(reason, named) ? str_from(reason, named.n + 2) : reason);
    }
}

static void tell_end(struct cli_process *p)
{
    AUTO_BUF(tail);
    AUTO_BUF(message);
    tail_text(&p->err_tail, &tail);
    recognise_failed_launch(p, buf_str(&tail));
    struct cli_exit how = {.spawn_failed = p->spawn_failed,
                           .status = p->status,
                           .signal = p->signal,
                           .stderr_tail = buf_str(&tail)};
    exit_message(&message, &how);
    how.message = p->problem.n ? buf_str(&p->problem) : buf_str(&message);
    p->events->ended(p->user, &how);
}

static void on_closed(uv_handle_t *handle)
{
    struct cli_process *p = handle->data;
    if (--p->open) {
        return;
    }
    if (p->events) {
        tell_end(p);
    }
    buf_free(&p->out_text);
    buf_free(&p->problem);
    free(p->path);
    free(p);
}

static void close_all(struct cli_process *p)
{
    uv_handle_t *const handles[HANDLES] = {
        (uv_handle_t *)&p->in,    (uv_handle_t *)&p->out,  (uv_handle_t *)&p->err,
        (uv_handle_t *)&p->timer, (uv_handle_t *)&p->pump, (uv_handle_t *)&p->process,
    };
    set_life(p, CLOSING, 0);
    for (size_t i = 0; i < HANDLES; i++) {
        if (handles[i]->type != UV_UNKNOWN_HANDLE) {
            p->open++;
        }
    }
    for (size_t i = 0; i < HANDLES; i++) {
        if (handles[i]->type != UV_UNKNOWN_HANDLE) {
            uv_close(handles[i], on_closed);
        }
    }
}

static void finish_if_done(struct cli_process *p)
{
    if (p->life == EXITED && p->out_told && p->err_end) {
        close_all(p);
    }
}

static void signal_group(struct cli_process *p, int signal)
{
    if (p->process.pid > 0 && p->life < EXITED) {
        kill(-p->process.pid, signal);
    }
}

static void terminate(struct cli_process *p)
{
    if (p->life < TERMINATED) {
        signal_group(p, SIGTERM);
        signal_group(p, SIGCONT); /* a stopped process must run to heed it */
        set_life(p, TERMINATED, KILL_AFTER);
    }
}

void cli_process_kill(struct cli_process *p)
{
    if (p->life < KILLED && p->process.pid > 0) {
        kill_tree(p->process.pid);
        set_life(p, KILLED, GIVE_UP_AFTER);
    }
}

static void on_exit_status(uv_process_t *process, int64_t status, int signal)
{
    struct cli_process *p = process->data;
    if (p->life >= EXITED) {
        return;
    }
    p->status = status;
    p->signal = signal;
    if (p->life != RUNNING) {
        signal_group(p, SIGTERM); /* what it left behind in its group goes too */
    }
    set_life(p, EXITED, ERR_GRACE);
    finish_if_done(p);
}

void cli_process_end(struct cli_process *p, bool now)
{
    if (p->life >= EXITED) {
        return;
    }
    cli_process_close_input(p);
    if (now) {
        terminate(p);
    } else if (p->life == RUNNING) {
        set_life(p, LEAVING, TERM_AFTER);
    }
}

void cli_process_abandon(struct cli_process *p)
{
    p->events = NULL;
    cli_process_resume(p);
    cli_process_end(p, false);
}

int cli_process_pid(const struct cli_process *p)
{
    return p->life < EXITED ? p->process.pid : 0;
}

/* ---- stdout ------------------------------------------------------------------------------------- */

static void give_line(struct cli_process *p, str line)
{
    if (p->skipping) {
        p->skipping = false; /* this is the end of the line that was too much for memory */
        return;
    }
    if (line.n && line.p[line.n - 1] == '\r') {
        line.n--;
    }
    if (p->events) {
        p->events->line(p->user, line);
    }
}

static void drop_taken(struct cli_process *p)
{
    buf_drop_front(&p->out_text, p->taken);
    p->scanned -= p->taken < p->scanned ? p->taken : p->scanned;
    p->taken = 0;
    if (p->out_text.n == 0 && p->out_text.cap > KEEP_SIZE) {
        buf_free(&p->out_text);
    }
}

static void too_long(struct cli_process *p)
{
    buf_printf(&p->problem, "Claude Code wrote a line of more than %d MiB", CLI_LINE_MAX / (1024 * 1024));
    buf_free(&p->out_text);
    p->taken = p->scanned = 0;
    uv_read_stop((uv_stream_t *)&p->out);
    p->out_end = p->out_told = true;
    cli_process_kill(p);
    finish_if_done(p);
}

/* Hands out the lines that are there, until the user pauses. */
static void give_lines(struct cli_process *p)
{
    while (!p->paused && p->life != CLOSING && !p->out_told) {
        str all = buf_str(&p->out_text);
        size_t from = p->scanned > p->taken ? p->scanned : p->taken;
        size_t end = str_find_byte(all, '\n', from);
        if (end == (size_t)-1) {
            p->scanned = all.n;
            break;
        }
        str line = {all.p + p->taken, end - p->taken};
        p->taken = end + 1;
        give_line(p, line);
    }
    if (p->out_end && !p->paused && p->life != CLOSING && !p->out_told) {
        p->out_told = true;
        if (p->taken < p->out_text.n) {
            give_line(p, str_from(buf_str(&p->out_text), p->taken));
            p->taken = p->out_text.n;
        }
        cli_process_end(p, false); /* without stdout it is of no use */
    }
    drop_taken(p);
    if (p->out_text.n > CLI_LINE_MAX && !p->paused) {
        too_long(p);
    } else {
        finish_if_done(p);
    }
}

static void on_out_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    (void)suggested;
    struct cli_process *p = handle->data;
    if (!p->skipping && buf_reserve(&p->out_text, READ_SIZE)) {
        *room = uv_buf_init(p->out_text.p + p->out_text.n, (unsigned)(p->out_text.cap - p->out_text.n - 1));
    } else {
        *room = uv_buf_init(p->out_spare, sizeof(p->out_spare));
    }
}

/* Memory was out: the rest of this line is dropped. What is behind it is small enough to keep. */
static void skip_line(struct cli_process *p, const char *bytes, size_t n)
{
    if (!p->skipping) {
        log_write(p->log, LOG_ERROR, "out of memory for a line of claude's; it is dropped");
        p->skipping = true;
        buf_free(&p->out_text);
        p->taken = p->scanned = 0;
    }
    size_t end = str_find_byte((str){bytes, n}, '\n', 0);
    if (end != (size_t)-1) {
        buf_put(&p->out_text, bytes + end, n - end);
        if (!buf_ok(&p->out_text)) {
            buf_free(&p->out_text);
        }
    }
}

static void take_out(struct cli_process *p, const char *base, size_t n)
{
    p->had_output = true;
    if (base == p->out_spare) {
        skip_line(p, base, n);
    } else {
        p->out_text.n += n;
        p->out_text.p[p->out_text.n] = '\0';
    }
}

static void on_out(uv_stream_t *stream, ssize_t n, const uv_buf_t *room)
{
    struct cli_process *p = stream->data;
    if (n > 0) {
        take_out(p, room->base, (size_t)n);
    } else if (n < 0) {
        uv_read_stop(stream);
        p->out_end = true;
    } else {
        return;
    }
    give_lines(p);
}

static void start_reading(struct cli_process *p)
{
    if (!p->out_end) {
        uv_read_start((uv_stream_t *)&p->out, on_out_room, on_out);
    }
}

void cli_process_pause(struct cli_process *p)
{
    if (p->paused || p->life == CLOSING || !p->events) {
        return;
    }
    p->paused = true;
    if (!p->out_end) {
        uv_read_stop((uv_stream_t *)&p->out);
    }
}

void cli_process_resume(struct cli_process *p)
{
    if (p->paused && p->life != CLOSING) {
        p->paused = false;
        uv_idle_start(&p->pump, on_pump);
    }
}

static void on_pump(uv_idle_t *idle)
{
    struct cli_process *p = idle->data;
    uv_idle_stop(idle);
    if (p->paused) {
        return;
    }
    if (p->life == EXITED && p->err_time_over && !p->out_end) {
        set_life(p, EXITED, OUT_GRACE);
    }
    give_lines(p);
    if (p->life != CLOSING && !p->paused) {
        start_reading(p);
    }
}

/* ---- stderr and time ---------------------------------------------------------------------------- */

static void on_err_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    (void)suggested;
    struct cli_process *p = handle->data;
    *room = uv_buf_init(p->err_text, sizeof(p->err_text));
}

static void on_err(uv_stream_t *stream, ssize_t n, const uv_buf_t *room)
{
    struct cli_process *p = stream->data;
    if (n > 0) {
        tail_add(&p->err_tail, room->base, (size_t)n);
        log_write(p->log, LOG_DEBUG, "claude: %.*s", (int)n, room->base);
    } else if (n < 0) {
        uv_read_stop(stream);
        p->err_end = true;
        finish_if_done(p);
    }
}

/* An exited process: first the time of stderr is over, then that of stdout, unless the user holds it up. */
static void exited_time(struct cli_process *p)
{
    if (!p->err_time_over) {
        p->err_time_over = p->err_end = true;
        if (!p->out_end && !p->paused) {
            set_life(p, EXITED, OUT_GRACE - ERR_GRACE);
        }
        finish_if_done(p);
    } else if (!p->out_end && !p->paused) {
        uv_read_stop((uv_stream_t *)&p->out); /* what the process itself wrote was read long ago */
        p->out_end = true;
        give_lines(p);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct cli_process *p = timer->data;
    switch (p->life) {
    case LEAVING:
        terminate(p);
        break;
    case TERMINATED:
        cli_process_kill(p);
        break;
    case KILLED:
        log_write(p->log, LOG_ERROR, "process %d cannot be killed", p->process.pid);
        p->signal = SIGKILL;
        p->out_told = p->err_end = true;
        set_life(p, EXITED, 0);
        finish_if_done(p);
        break;
    case EXITED:
        exited_time(p);
        break;
    case RUNNING:
    case CLOSING:
        break;
    }
}

/* ---- The start ---------------------------------------------------------------------------------- */

static void spawn_it(struct cli_process *p, const struct cli_spawn *spawn)
{
    char **env = NULL;
    char **argv = spawn_vectors(spawn, p->path, &env);
    if (!argv) {
        buf_put_c(&p->problem, "out of memory");
        return;
    }
    uv_stdio_container_t stdio[3] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&p->in},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&p->out},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&p->err},
    };
    uv_process_options_t options = {
        .exit_cb = on_exit_status,
        .file = argv[0],
        .args = argv,
        .env = env,
        .cwd = spawn->cwd,
        .flags = UV_PROCESS_DETACHED,
        .stdio_count = 3,
        .stdio = stdio,
    };
    int rc = uv_spawn(p->loop, &p->process, &options);
    free(argv);
    if (rc != 0) {
        p->process.pid = 0;
        spawn_launch_failure(&p->problem, p->path, str_of(uv_strerror(rc)));
        return;
    }
    uv_read_start((uv_stream_t *)&p->err, on_err_room, on_err);
    start_reading(p);
}

struct cli_process *cli_process_start(uv_loop_t *loop, const struct log *log, const struct cli_spawn *spawn,
                                      const struct cli_process_events *events, void *user)
{
    struct cli_process *p = calloc(1, sizeof(*p));
    if (!p) {
        return NULL;
    }
    p->path = str_dup(str_of(spawn->executable));
    if (!p->path) {
        free(p);
        return NULL;
    }
    p->loop = loop;
    p->log = log;
    p->events = events;
    p->user = user;
    p->launched = spawn->launcher != NULL;
    uv_pipe_init(loop, &p->in, 0);
    uv_pipe_init(loop, &p->out, 0);
    uv_pipe_init(loop, &p->err, 0);
    uv_timer_init(loop, &p->timer);
    uv_idle_init(loop, &p->pump);
    p->in.data = p->out.data = p->err.data = p->timer.data = p->pump.data = p->process.data = p;
    if (spawn_check(spawn, &p->problem)) {
        spawn_it(p, spawn);
    }
    if (p->problem.n || p->problem.failed) {
        p->spawn_failed = p->in_closed = p->out_end = p->out_told = true;
        set_life(p, EXITED, 1);
    }
    return p;
}
