#include "agent/provider_switch.h"

#include <stdlib.h>

#include "agent/agent.h"

enum change_state { WAITING, SIGNING_OUT, QUIETING, REPLACING, LOOKING, DONE };

struct provider_change {
    struct list link;
    enum change_state state;
    bool logout;
    bool replaces;                /* open sessions get other processes, as far as is known yet */
    struct provider_route *route; /* to set; NULL: none */
    bool failed;                  /* a logout did */
    struct buf message, data;     /* and why */
    session_done_cb *done;
    void *user;
};

struct provider_switch {
    struct agent *agent;
    struct list changes; /* the first one is under way */
    uv_timer_t timer;    /* looks again */
};

static void look(uv_timer_t *timer);

struct provider_switch *provider_switch_new(struct agent *a)
{
    struct provider_switch *r = calloc(1, sizeof(*r));
    if (r) {
        r->agent = a;
        list_init(&r->changes);
        uv_timer_init(a->host.loop, &r->timer);
        r->timer.data = r;
    }
    return r;
}

static void free_change(struct provider_change *c)
{
    list_remove(&c->link);
    provider_route_free(c->route);
    buf_free(&c->message);
    buf_free(&c->data);
    free(c);
}

void provider_switch_close(struct provider_switch *r)
{
    LIST_EACH(c, &r->changes, struct provider_change, link) {
        free_change(c);
    }
    uv_close((uv_handle_t *)&r->timer, NULL);
    launch_gate_open(&r->agent->host.gate);
}

void provider_switch_free(struct provider_switch *r)
{
    free(r);
}

static bool pending(const struct provider_switch *r)
{
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed was taken out of the list before
    LIST_EACH(c, &r->changes, struct provider_change, link) {
        if (c->replaces) {
            return true;
        }
    }
    return false;
}

void provider_switch_look_again(struct provider_switch *r)
{
    if (!list_empty(&r->changes)) {
        uv_timer_start(&r->timer, look, 0, 0);
    }
}

/* ---- The sessions ---- */

static bool any_session(const struct agent *a, bool (*is)(const struct session *s))
{
    size_t at = 0;
    void *s;
    while (map_next(&a->sessions, &at, NULL, &s)) {
        if (is(s)) {
            return true;
        }
    }
    return false;
}

static void each_session(struct agent *a, void (*visit)(struct session *s))
{
    size_t at = 0;
    void *s;
    while (map_next(&a->sessions, &at, NULL, &s)) {
        visit(s);
    }
}

/* ---- The steps of a change ---- */

/* `error` is NULL, or why the CLI did not sign out. */
static void signed_out(void *user, const struct session_error *error)
{
    struct provider_switch *r = user;
    struct provider_change *c = LIST_FIRST(&r->changes, struct provider_change, link);
    if (r->agent->host.closing || !c) {
        return;
    }
    if (error) {
        c->failed = true;
        buf_put_str(&c->message, error->message);
        buf_put_str(&c->data, error->data);
    }
    c->state = QUIETING;
    provider_switch_look_again(r);
}

static void looked(void *user)
{
    struct provider_switch *r = user;
    struct provider_change *c = LIST_FIRST(&r->changes, struct provider_change, link);
    if (!r->agent->host.closing && c) {
        c->state = DONE;
        provider_switch_look_again(r);
    }
}

static void begin(struct provider_switch *r, struct provider_change *c)
{
    struct agent *a = r->agent;
    if (!c->logout) {
        c->replaces = c->route || providers_set_by_client(a->host.providers); /* else it changes nothing */
        c->state = QUIETING;
        return;
    }
    c->replaces = providers_logout(a->host.providers);
    usage_windows_clear(&a->host.windows);
    c->state = SIGNING_OUT;
    agent_sign_out(a, signed_out, r);
}

static void take_effect(struct provider_switch *r, struct provider_change *c)
{
    if (!c->logout) {
        providers_set(r->agent->host.providers, c->route);
        c->route = NULL;
    }
    c->state = REPLACING;
    if (c->replaces) {
        r->agent->host.gate.generation++;
        each_session(r->agent, session_change_provider);
    }
}

static void finish(struct provider_change *c)
{
    struct session_error error = {
        .code = RPC_INTERNAL_ERROR,
        .message = c->message.n ? buf_str(&c->message) : STR_ABSENT,
        .data = c->data.n ? buf_str(&c->data) : STR_ABSENT,
    };
    list_remove(&c->link); /* the agent may be closed by the answer */
    c->done(c->user, c->failed ? &error : NULL);
    free_change(c);
}

/* False: it waits for something. */
static bool go_on(struct provider_switch *r, struct provider_change *c)
{
    switch (c->state) {
    case WAITING:
        begin(r, c);
        return true;
    case QUIETING:
        if (c->replaces && any_session(r->agent, session_works)) {
            if (any_session(r->agent, session_changes_options)) {
                uv_timer_start(&r->timer, look, r->agent->host.limits.change, 0);
            }
            return false;
        }
        take_effect(r, c);
        return true;
    case REPLACING:
        if (c->replaces && any_session(r->agent, session_restarts)) {
            return false;
        }
        c->state = c->logout ? LOOKING : DONE;
        if (c->logout) {
            agent_forget_account(r->agent, looked, r);
        }
        return true;
    case DONE:
        finish(c);
        return true;
    case SIGNING_OUT:
    case LOOKING:
        break;
    }
    return false;
}

static void advance(struct provider_switch *r)
{
    bool goes_on = true;
    if (pending(r)) {
        each_session(r->agent, session_release_held); /* the agent may be closed by the answers */
    }
    while (goes_on && !list_empty(&r->changes)) {
        struct provider_change *c = LIST_ENTRY(r->changes.next, struct provider_change, link);
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): one that is done was taken out of the list
        goes_on = go_on(r, c);
    }
    if (!pending(r)) {
        launch_gate_open(&r->agent->host.gate);
        each_session(r->agent, session_send_unsent);
    }
}

static void look(uv_timer_t *timer)
{
    advance(timer->data);
}

/* ---- New changes ---- */

static void add(struct provider_switch *r, const struct provider_change *what)
{
    struct provider_change *c = malloc(sizeof(*c));
    if (!c) {
        provider_route_free(what->route);
        what->done(what->user, &session_error_memory);
        return;
    }
    *c = *what;
    list_append(&r->changes, &c->link);
    if (c->replaces) {
        launch_gate_close(&r->agent->host.gate);
    }
    provider_switch_look_again(r);
}

void provider_switch_set(struct provider_switch *r, struct provider_route *route, session_done_cb *done,
                         void *user)
{
    add(r, &(struct provider_change){.replaces = true, .route = route, .done = done, .user = user});
}

void provider_switch_logout(struct provider_switch *r, session_done_cb *done, void *user)
{
    bool replaces = providers_active(r->agent->host.providers);
    add(r, &(struct provider_change){.logout = true, .replaces = replaces, .done = done, .user = user});
}
