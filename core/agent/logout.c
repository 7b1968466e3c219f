/* Signing out: `claude auth logout`. */
#include <stdlib.h>

#include "agent/agent.h"
#include "cli/locate.h"

/* A run outlives its logout: it is freed when its timer is gone. */
struct logout {
    struct agent *agent;
    struct cli_process *process;
    uv_timer_t limit;
    session_done_cb *done;
    void *user;
    bool failed;
    struct buf message, data; /* of the failure */
};

static void note_failure(struct logout *l, str why, str stderr_tail)
{
    l->failed = true;
    buf_put_c(&l->message, "Internal error: claude auth logout failed: ");
    buf_put_str(&l->message, why);
    if (stderr_tail.n) {
        json_open_object(&l->data);
        json_member_str(&l->data, "stderr", stderr_tail);
        json_close_object(&l->data);
    }
}

static void answer(struct logout *l)
{
    struct session_error error = {
        .code = RPC_INTERNAL_ERROR,
        .message = l->message.n ? buf_str(&l->message) : STR_ABSENT,
        .data = l->data.n ? buf_str(&l->data) : STR_ABSENT,
    };
    l->done(l->user, l->failed ? &error : NULL);
}

static void free_logout(struct logout *l)
{
    buf_free(&l->message);
    buf_free(&l->data);
    free(l);
}

static void on_timer_closed(uv_handle_t *handle)
{
    free_logout(handle->data);
}

/* It is no longer the one under way. */
static void leave(struct logout *l)
{
    l->agent->logout = NULL;
    uv_close((uv_handle_t *)&l->limit, on_timer_closed);
}

static void end_process(struct logout *l)
{
    cli_process_kill(l->process);
    cli_process_abandon(l->process);
}

static void on_line(void *user, str line)
{
    (void)user; /* what it prints is for a person at a terminal */
    (void)line;
}

static void on_ended(void *user, const struct cli_exit *how)
{
    struct logout *l = user;
    if (how->spawn_failed || how->signal || how->status) {
        note_failure(l, how->message, how->stderr_tail);
    }
    leave(l);
    answer(l);
}

static void on_limit(uv_timer_t *timer)
{
    struct logout *l = timer->data;
    end_process(l);
    note_failure(l, STR("no answer in time"), STR_ABSENT);
    leave(l);
    answer(l);
}

static bool start(struct logout *l, const char *executable)
{
    static const struct cli_process_events events = {.line = on_line, .ended = on_ended};
    static const char *const argv[] = {"auth", "logout", NULL};
    struct agent *a = l->agent;
    struct cli_spawn spawn = {.executable = executable,
                              .argv = argv,
                              .env = a->host.env,
                              .cwd = a->host.dirs->cwd ? a->host.dirs->cwd : "/",
                              .launcher = a->host.executable};
    l->process = cli_process_start(a->host.loop, a->host.log, &spawn, &events, l);
    if (!l->process) {
        return false;
    }
    cli_process_close_input(l->process);
    uv_timer_init(a->host.loop, &l->limit);
    l->limit.data = l;
    uv_timer_start(&l->limit, on_limit, a->logout_limit, 0);
    a->logout = l;
    return true;
}

void agent_sign_out(struct agent *a, session_done_cb *done, void *user)
{
    AUTO_ARENA(mem);
    struct logout *l = calloc(1, sizeof(*l));
    struct cli_location cli = cli_locate(&mem, str_of(a->host.executable), str_of(a->host.dirs->home));
    if (!l) {
        done(user, &(struct session_error){.message = STR("Internal error: out of memory")});
        return;
    }
    *l = (struct logout){.agent = a, .done = done, .user = user};
    if (cli.path.p && start(l, cli.path.p)) {
        return;
    }
    note_failure(l, cli.path.p ? STR("out of memory") : cli.problem, STR_ABSENT);
    answer(l);
    free_logout(l);
}

void agent_drop_sign_out(struct agent *a)
{
    if (a->logout) {
        end_process(a->logout);
        leave(a->logout);
    }
}
