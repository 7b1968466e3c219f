/* Signing out: `claude auth logout`, and a fresh look at who is signed in. */
#include <stdlib.h>

#include "cli/locate.h"
#include "session/agent.h"

struct logout {
    struct agent *agent;
    session_done_cb *done;
    void *user;
};

static void fail(struct logout *l, str why, str stderr_tail)
{
    AUTO_BUF(message);
    AUTO_BUF(data);
    buf_put_c(&message, "Internal error: claude auth logout failed: ");
    buf_put_str(&message, why);
    if (stderr_tail.n) {
        json_open_object(&data);
        json_member_str(&data, "stderr", stderr_tail);
        json_close_object(&data);
    }
    l->done(l->user, &(struct session_error){
                         .code = -32603,
                         .message = buf_str(&message),
                         .data = data.n ? buf_str(&data) : STR_ABSENT,
                     });
}

static void on_line(void *user, str line)
{
    (void)user; /* what it prints is for a person at a terminal */
    (void)line;
}

static void on_ended(void *user, const struct cli_exit *how)
{
    struct logout *l = user;
    struct agent *a = l->agent;
    if (!a->closing) {
        agent_forget_account(a);
        if (how->spawn_failed || how->signal || how->status) {
            fail(l, how->message, how->stderr_tail);
        } else {
            l->done(l->user, NULL);
        }
    }
    free(l);
}

void agent_logout(struct agent *a, session_done_cb *done, void *user)
{
    static const struct cli_process_events events = {.line = on_line, .ended = on_ended};
    static const char *const argv[] = {"auth", "logout", NULL};
    AUTO_ARENA(mem);
    struct logout *l = calloc(1, sizeof(*l));
    struct cli_location cli = cli_locate(&mem, str_of(a->executable), str_of(a->dirs->home));
    providers_logout(a->providers);
    usage_windows_clear(&a->windows);
    if (!l || !cli.path.p) {
        struct logout none = {.done = done, .user = user};
        fail(&none, l ? STR("the CLI was not found") : STR("out of memory"), STR_ABSENT);
        free(l);
        return;
    }
    *l = (struct logout){.agent = a, .done = done, .user = user};
    struct cli_spawn spawn = {.executable = cli.path.p,
                              .argv = argv,
                              .env = a->env,
                              .cwd = a->dirs->cwd ? a->dirs->cwd : "/",
                              .launcher = a->executable};
    struct cli_process *p = cli_process_start(a->loop, a->log, &spawn, &events, l);
    if (!p) {
        fail(l, STR("out of memory"), STR_ABSENT);
        free(l);
        return;
    }
    cli_process_close_input(p);
}
