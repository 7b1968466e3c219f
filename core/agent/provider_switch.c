#include "agent/provider_switch.h"

#include <stdlib.h>

#include "session/internal.h"

enum change_state { WAITING, SIGNING_OUT, QUIETING, REPLACING, LOOKING, DONE };

struct route_change {
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

struct routes {
    struct agent *agent;
    struct list changes; /* the first one is under way */
    struct list waiters;
    unsigned number;
    uv_timer_t timer; /* looks again */
};

static void look(uv_timer_t *timer);

struct routes *routes_new(struct agent *a)
{
    struct routes *r = calloc(1, sizeof(*r));
    if (r) {
        r->agent = a;
        list_init(&r->changes);
        list_init(&r->waiters);
        uv_timer_init(a->loop, &r->timer);
        r->timer.data = r;
    }
    return r;
}

static void free_change(struct route_change *c)
{
    list_remove(&c->link);
    provider_route_free(c->route);
    buf_free(&c->message);
    buf_free(&c->data);
    free(c);
}

static void let_waiters_go_on(struct routes *r)
{
    for (struct route_waiter *w; (w = LIST_FIRST(&r->waiters, struct route_waiter, link));) {
        list_remove(&w->link);
        w->go_on(w);
    }
}

void routes_close(struct routes *r)
{
    LIST_EACH(c, &r->changes, struct route_change, link) {
        free_change(c);
    }
    uv_close((uv_handle_t *)&r->timer, NULL);
    let_waiters_go_on(r);
}

void routes_free(struct routes *r)
{
    free(r);
}

bool routes_pending(const struct routes *r)
{
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed was taken out of the list before
    LIST_EACH(c, &r->changes, struct route_change, link) {
        if (c->replaces) {
            return true;
        }
    }
    return false;
}

unsigned routes_number(const struct routes *r)
{
    return r->number;
}

void routes_look_again(struct routes *r)
{
    if (!list_empty(&r->changes)) {
        uv_timer_start(&r->timer, look, 0, 0);
    }
}

void routes_when_settled(struct routes *r, struct route_waiter *w, void (*go_on)(struct route_waiter *w))
{
    w->go_on = go_on;
    if (routes_pending(r)) {
        list_append(&r->waiters, &w->link);
    } else {
        go_on(w);
    }
}

/* ---- The sessions ---- */

static bool changes(const struct session *s)
{
    return s->state == SESSION_OPEN && !list_empty(&s->changes) &&
           !session_change_is_stuck(s, s->agent->limits.change);
}

static bool works(const struct session *s)
{
    return s->state == SESSION_OPEN && (s->restart || changes(s) || turns_working(&s->turns));
}

static bool restarts(const struct session *s)
{
    return s->restart != NULL;
}

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

/* It cannot come back. */
static void lose(struct session *s, str why)
{
    struct failure_record record;
    if (s->ready) {
        session_fail_start(s, &(struct session_error){.code = -32603, .details = why});
        return;
    }
    if (s->agent->client.air_session_failure && !failure_is_login(why) &&
        failures_session(&s->failures, FAILURE_INTERNAL_ERROR, FAILURE_ERROR,
                         STR("This session could not go on with another provider. Start a new one."),
                         &record)) {
        session_send_failure(s, &record);
    } else if (!s->agent->client.air_session_failure) {
        session_warn(s, "Session closed", "it could not go on with another provider. Start a new one.");
    }
    session_close(s, NULL, NULL);
}

static void came_back(struct session *s, str why)
{
    if (why.p) {
        lose(s, why);
    } else if (s->ready) {
        session_tell_ready(s, NULL);
    }
}

static void replace(struct session *s)
{
    if (!session_restart(s, &(struct restart_request){.tell = !s->ready, .mode = MODE_NONE}, came_back)) {
        lose(s, STR("out of memory"));
    }
}

bool routes_outdated(struct routes *r, struct session *s)
{
    if (s->route == r->number) {
        return false;
    }
    replace(s);
    return true;
}

static void replace_all(struct routes *r)
{
    size_t at = 0;
    void *p;
    r->number++;
    while (map_next(&r->agent->sessions, &at, NULL, &p)) {
        struct session *s = p;
        if (s->state == SESSION_OPEN) {
            replace(s);
        }
    }
}

/* Prompts that wait for the change do not wait for subagents in the background first. */
static void release_held(struct routes *r)
{
    size_t at = 0;
    void *p;
    while (map_next(&r->agent->sessions, &at, NULL, &p)) {
        struct session *s = p;
        session_ref(s);
        turns_release(&s->turns);
        session_unref(s);
    }
}

static void send_unsent(struct routes *r)
{
    size_t at = 0;
    void *s;
    while (map_next(&r->agent->sessions, &at, NULL, &s)) {
        session_send_unsent(s);
    }
}

/* ---- The steps of a change ---- */

/* `error` is NULL, or why the CLI did not sign out. */
static void signed_out(void *user, const struct session_error *error)
{
    struct routes *r = user;
    struct route_change *c = LIST_FIRST(&r->changes, struct route_change, link);
    if (r->agent->closing || !c) {
        return;
    }
    if (error) {
        c->failed = true;
        buf_put_str(&c->message, error->message);
        buf_put_str(&c->data, error->data);
    }
    c->state = QUIETING;
    routes_look_again(r);
}

static void looked(void *user)
{
    struct routes *r = user;
    struct route_change *c = LIST_FIRST(&r->changes, struct route_change, link);
    if (!r->agent->closing && c) {
        c->state = DONE;
        routes_look_again(r);
    }
}

static void begin(struct routes *r, struct route_change *c)
{
    struct agent *a = r->agent;
    if (!c->logout) {
        c->replaces = c->route || providers_set_by_client(a->providers); /* else it changes nothing */
        c->state = QUIETING;
        return;
    }
    c->replaces = providers_logout(a->providers);
    usage_windows_clear(&a->windows);
    c->state = SIGNING_OUT;
    agent_sign_out(a, signed_out, r);
}

static void take_effect(struct routes *r, struct route_change *c)
{
    if (!c->logout) {
        providers_set(r->agent->providers, c->route);
        c->route = NULL;
    }
    c->state = REPLACING;
    if (c->replaces) {
        replace_all(r);
    }
}

static void finish(struct route_change *c)
{
    struct session_error error = {
        .code = -32603,
        .message = c->message.n ? buf_str(&c->message) : STR_ABSENT,
        .data = c->data.n ? buf_str(&c->data) : STR_ABSENT,
    };
    list_remove(&c->link); /* the agent may be closed by the answer */
    c->done(c->user, c->failed ? &error : NULL);
    free_change(c);
}

/* False: it waits for something. */
static bool go_on(struct routes *r, struct route_change *c)
{
    switch (c->state) {
    case WAITING:
        begin(r, c);
        return true;
    case QUIETING:
        if (c->replaces && any_session(r->agent, works)) {
            if (any_session(r->agent, changes)) {
                uv_timer_start(&r->timer, look, r->agent->limits.change, 0);
            }
            return false;
        }
        take_effect(r, c);
        return true;
    case REPLACING:
        if (c->replaces && any_session(r->agent, restarts)) {
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

static void advance(struct routes *r)
{
    bool goes_on = true;
    if (routes_pending(r)) {
        release_held(r); /* the agent may be closed by the answers */
    }
    while (goes_on && !list_empty(&r->changes)) {
        struct route_change *c = LIST_ENTRY(r->changes.next, struct route_change, link);
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): one that is done was taken out of the list
        goes_on = go_on(r, c);
    }
    if (!routes_pending(r)) {
        let_waiters_go_on(r);
        send_unsent(r);
    }
}

static void look(uv_timer_t *timer)
{
    advance(timer->data);
}

/* ---- New changes ---- */

static void add(struct routes *r, const struct route_change *what)
{
    struct route_change *c = malloc(sizeof(*c));
    if (!c) {
        provider_route_free(what->route);
        what->done(what->user, &session_error_memory);
        return;
    }
    *c = *what;
    list_append(&r->changes, &c->link);
    routes_look_again(r);
}

void routes_set(struct routes *r, struct provider_route *route, session_done_cb *done, void *user)
{
    add(r, &(struct route_change){.replaces = true, .route = route, .done = done, .user = user});
}

void routes_logout(struct routes *r, session_done_cb *done, void *user)
{
    bool replaces = providers_active(r->agent->providers);
    add(r, &(struct route_change){.logout = true, .replaces = replaces, .done = done, .user = user});
}
