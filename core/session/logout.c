/* Signing out: `claude auth logout`. */
#include <stdlib.h>

#include "cli/locate.h"
#include "session/agent.h"

struct logout {
    session_done_cb *done;
    void *user;
    struct buf message, data; /* of the failure, if it failed */
};

static void note_failure(struct logout *l, str why, str stderr_tail)
{
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
        .code = -32603,
        .message = buf_str(&l->message),
        .data = l->data.n ? buf_str(&l->data) : STR_ABSENT,
    };
    l->done(l->user, l->message.n ? &error : NULL);
    buf_free(&l->message);
    buf_free(&l->data);
    free(l);
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
    answer(l);
}

void agent_sign_out(struct agent *a, session_done_cb *done, void *user)
{
    static const struct cli_process_events events = {.line = on_line, .ended = on_ended};
    static const char *const argv[] = {"auth", "logout", NULL};
    AUTO_ARENA(mem);
    struct logout *l = calloc(1, sizeof(*l));
    struct cli_location cli = cli_locate(&mem, str_of(a->executable), str_of(a->dirs->home));
    if (!l) {
        done(user, &(struct session_error){.message = STR("Internal error: out of memory")});
        return;
    }
    *l = (struct logout){.done = done, .user = user};
    if (!cli.path.p) {
        note_failure(l, STR("the CLI was not found"), STR_ABSENT);
        answer(l);
        return;
    }
    struct cli_spawn spawn = {.executable = cli.path.p,
                              .argv = argv,
                              .env = a->env,
                              .cwd = a->dirs->cwd ? a->dirs->cwd : "/",
                              .launcher = a->executable};
    struct cli_process *p = cli_process_start(a->loop, a->log, &spawn, &events, l);
    if (!p) {
        note_failure(l, STR("out of memory"), STR_ABSENT);
        answer(l);
        return;
    }
    cli_process_close_input(p);
}
