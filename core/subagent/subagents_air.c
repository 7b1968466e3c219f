/* How AIR is told of subagents: subagent_spawned, and subagent_state_update at the end. */
#include "subagent/subagents_state.h"

static void name_child(struct subagent *c, const struct subagent_identity *who)
{
    const char *names[] = {who->name, who->description, c->description, who->type, c->type};
    const char *tasks[] = {who->prompt, c->prompt, who->description, c->description};
    str name = subagents_first_said(names, ARRAY_LEN(names)),
        task = subagents_first_said(tasks, ARRAY_LEN(tasks));
    AUTO_BUF(numbered);
    if (!name.p) {
        str agent = str_of(c->agent);
        buf_put_c(&numbered, "Agent ");
        buf_put_str(&numbered, str_from(agent, agent.n > 8 ? agent.n - 8 : 0));
        name = buf_str(&numbered);
    }
    if (!c->name) {
        c->name = str_dup(name);
    }
    if (!c->task) {
        c->task = str_dup(task.p ? task : STR("Delegated task"));
    }
    if (!str_trim(str_of(c->prompt)).n) {
        subagents_replace(&c->prompt, subagents_copy(str_of(who->prompt)));
    }
}

static void tell_spawned(struct subagents *sa, struct subagent *c, const struct subagent_identity *who,
                         bool again)
{
    (void)again; /* each run is a child of its own */
    name_child(c, who);
    AUTO_BUF(b);
    json_member_c(&b, "subagentSessionId", c->session);
    json_member_c(&b, "name", c->name ? c->name : "");
    json_member_c(&b, "task", c->task ? c->task : "");
    if (str_trim(str_of(c->prompt)).n) {
        json_member_c(&b, "prompt", c->prompt);
    }
    json_member_raw(&b, "capabilities", STR("{}"));
    sa->sink->state(sa->user, str_of(c->parent), "subagent_spawned", buf_str(&b));
}

const char *subagent_state_word(enum subagent_state state)
{
    static const char *const words[] = {
        [SUBAGENT_COMPLETED] = "completed", [SUBAGENT_FAILED] = "failed",
        [SUBAGENT_CANCELLED] = "cancelled", [SUBAGENT_DISCONNECTED] = "disconnected",
        [SUBAGENT_LOST] = "disconnected",
    };
    return words[state];
}

static void tell_over(struct subagents *sa, const struct subagent *c)
{
    AUTO_BUF(b);
    json_member_c(&b, "subagentSessionId", c->session);
    json_member_c(&b, "state", subagent_state_word(c->state));
    sa->sink->state(sa->user, str_of(c->parent), "subagent_state_update", buf_str(&b));
}

const struct subagents_form subagents_air = {
    .child_per_run = true,
    .started = tell_spawned,
    .ended = tell_over,
};
