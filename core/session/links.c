/* What the rooms that serve a session use of it. */
#include "replay/replay_target.h"
#include "session/internal.h"

/* ---- Tool calls ---- */

static void send_report(void *user, struct tool_report *r)
{
    struct session *s = user;
    children_tool(&s->children, r);
}

static void plan(void *user, str parent, const struct fact_plan_entry *entries)
{
    session_publish_plan_entries(user, parent, entries);
}

static void tasks(void *user, str parent, const struct fact_task_change *changes)
{
    session_change_tasks(user, parent, changes);
}

static void plan_approved(void *user, json input, json structured)
{
    session_plan_approved(user, input, structured);
}

static bool alive(const void *user)
{
    return session_live(user);
}

static void hold(void *user)
{
    session_ref(user);
    session_hold_frames(user);
}

static void release(void *user)
{
    session_release_frames(user);
    session_unref(user);
}

static bool stopped(const void *user)
{
    const struct session *s = user;
    return s->turns.cancelled;
}

static void result(void *user, str id, json frame)
{
    session_plan_exit_result(user, id, frame);
}

static bool background(void *user, const struct tool_call *call, json block, json frame)
{
    return extensions_result_of_call(user, call, block, frame);
}

static const struct tool_host_calls tool_calls = {
    .send = send_report,
    .plan = plan,
    .tasks = tasks,
    .plan_approved = plan_approved,
    .alive = alive,
    .hold = hold,
    .release = release,
    .stopped = stopped,
    .result = result,
    .background = background,
};

static bool link_tool_calls(struct session *s)
{
    struct session_host *h = s->host;
    s->tooling.host = (struct tool_host){
        .loop = h->loop,
        .log = h->log,
        .dirs = h->dirs,
        .client = &h->client,
        .reporters = &h->reporters,
        .cwd = str_of(s->setup.cwd),
        .live = &s->live,
        .children = &s->children,
        .calls = &tool_calls,
        .user = s,
    };
    return tool_calls_init(&s->tooling.calls, &s->tooling.host, false);
}

/* ---- The work of Herald's own ---- */

static struct cli_control *cli(const void *user)
{
    const struct session *s = user;
    return s->state == SESSION_OPEN ? s->process.cli : NULL;
}

static json servers(const void *user)
{
    const struct session *s = user;
    return s->setup.params.mcp_servers;
}

static void hold_frames(void *user)
{
    session_hold_frames(user);
}

static void release_frames(void *user)
{
    session_release_frames(user);
}

static void keep(void *user)
{
    session_ref(user);
}

static void drop(void *user)
{
    session_unref(user);
}

static const struct local_host_calls local_calls = {
    .alive = alive,
    .cli = cli,
    .servers = servers,
    .hold = hold_frames,
    .release = release_frames,
    .keep = keep,
    .drop = drop,
};

static void link_local(struct session *s)
{
    struct session_host *h = s->host;
    list_init(&s->local.commands);
    list_init(&s->local.reports_waiting);
    s->local.host = (struct local_host){
        .loop = h->loop,
        .log = h->log,
        .client = &h->client,
        .surface = h->surface,
        .surface_self = h->surface_self,
        .session = str_of(s->id),
        .params = &s->setup.params,
        .turns = &s->turns,
        .calls = &local_calls,
        .user = s,
    };
}

void session_save_picks(struct session *s)
{
    picks_file_save(&s->keeping.picks);
}

static void link_picks(struct session *s)
{
    s->keeping.picks = (struct picks_file){
        .loop = s->host->loop,
        .log = s->host->log,
        .state = s->host->dirs->state,
        .id = s->id,
        .keep = keep,
        .drop = drop,
        .user = s,
        .options = &s->options,
        .params = &s->setup.params,
    };
}

/* ---- The CLI's questions ---- */

static struct cli_control *process(const void *user)
{
    const struct session *s = user;
    return s->process.cli;
}

static bool offers(const void *user, enum mode mode)
{
    const struct session *s = user;
    return session_options_offers(s->options, mode);
}

static bool auto_supported(const void *user)
{
    const struct session *s = user;
    return session_options_auto_supported(s->options);
}

static void answered(void *user, str call, bool of_agent, const struct permission_decision *d)
{
    session_plan_exit_answered(user, call, of_agent, d);
}

static void choose_mode(void *user, enum mode mode)
{
    session_change_mode(user, mode);
}

static void waiting(void *user)
{
    session_sync_waiting(user);
}

static const struct question_host_calls question_calls = {
    .cli = process,
    .offers = offers,
    .auto_supported = auto_supported,
    .answered = answered,
    .choose_mode = choose_mode,
    .waiting = waiting,
    .keep = keep,
    .drop = drop,
};

static void link_questions(struct session *s)
{
    struct session_host *h = s->host;
    questions_init(&s->questions, &(struct question_host){
                                      .dirs = h->dirs,
                                      .client = &h->client,
                                      .surface = h->surface,
                                      .surface_self = h->surface_self,
                                      .session = str_of(s->id),
                                      .cwd = str_of(s->setup.cwd),
                                      .usage = &s->answer.usage,
                                      .tools = &s->tooling.calls,
                                      .children = &s->children,
                                      .calls = &question_calls,
                                      .user = s,
                                  });
}

/* ---- A replay ---- */

static void forget_plan(void *user)
{
    struct session *s = user;
    plan_list_free(&s->planning.list);
    plan_list_init(&s->planning.list);
}

static void replayed_plan(void *user, const struct fact_plan_entry *entries)
{
    session_publish_plan_entries(user, STR_ABSENT, entries);
}

static void replayed_tasks(void *user, const struct fact_task_change *changes)
{
    session_change_tasks(user, STR_ABSENT, changes);
}

static void replayed_failure(void *user, const struct failure_record *record)
{
    session_send_failure(user, record);
}

static const struct replay_target_calls replay_calls = {
    .alive = alive,
    .keep = keep,
    .drop = drop,
    .forget_plan = forget_plan,
    .plan = replayed_plan,
    .tasks = replayed_tasks,
    .plan_approved = plan_approved,
    .failure = replayed_failure,
};

void session_replay_target(struct session *s, struct replay_target *target)
{
    struct session_host *h = s->host;
    *target = (struct replay_target){
        .loop = h->loop,
        .log = h->log,
        .dirs = h->dirs,
        .client = &h->client,
        .reporters = &h->reporters,
        .surface = h->surface,
        .surface_self = h->surface_self,
        .congested = &h->congested,
        .replaying = &h->replaying,
        .session = str_of(s->id),
        .cwd = str_of(s->setup.cwd),
        .children = &s->children,
        .calls = &s->tooling.calls,
        .tasks = &s->ext.tasks,
        .failures = &s->failures,
        .does = &replay_calls,
        .user = s,
    };
}

/* ---- All of them ---- */

static void link_children(struct session *s)
{
    struct session_host *h = s->host;
    children_init(&s->children, &(struct children_setup){
                                    .client = &h->client,
                                    .surface = h->surface,
                                    .surface_self = h->surface_self,
                                    .log = h->log,
                                    .root = str_of(s->id),
                                    .calls = &s->tooling.calls,
                                    .live = &s->live,
                                });
}

/* ---- Changes of options ---- */

static struct session_options *options(const void *user)
{
    const struct session *s = user;
    return session_live(s) ? s->options : NULL;
}

static bool replacing(const void *user)
{
    const struct session *s = user;
    return s->restart != NULL;
}

static unsigned time_left(const void *user)
{
    return session_restart_time_left(user);
}

static void started(void *user, const struct options_change *c)
{
    session_started(user, c);
}

static void tuned(void *user, const struct options_change *c)
{
    session_restart_tuned(user, c);
}

static void changed(void *user, unsigned effects)
{
    session_apply_effects(user, effects);
}

static void idle(void *user)
{
    session_say_idle(user);
}

static const struct option_queue_host option_calls = {
    .options = options,
    .cli = process,
    .replacing = replacing,
    .time_left = time_left,
    .keep = keep,
    .drop = drop,
    .started = started,
    .tuned = tuned,
    .changed = changed,
    .idle = idle,
};

static void link_options(struct session *s)
{
    s->changes = (struct option_queue){
        .loop = s->host->loop,
        .log = s->host->log,
        .host = &option_calls,
        .user = s,
        .late = session_restart_late,
    };
    list_init(&s->changes.changes);
}

bool session_link(struct session *s)
{
    link_options(s);
    link_picks(s);
    link_children(s);
    link_questions(s);
    link_local(s);
    return link_tool_calls(s);
}
