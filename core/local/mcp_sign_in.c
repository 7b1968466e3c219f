#include "local/mcp_sign_in.h"

#include <stdlib.h>

#include "base/markdown.h"
#include "base/uuid.h"
#include "cli/cli_request.h"
#include "prompt/mcp_text.h"

enum {
    STATUS_LIMIT_MS = 5000,
    POLL_MS = 1000,
    SIGN_IN_LIMIT_MS = 10 * 60 * 1000,
};

struct mcp_sign_in {
    struct local_work *w; /* whose host is kept */
    struct cli_request question;
    struct arena mem;
    str *servers;
    size_t n, at;   /* how many, and which one it is about */
    uint64_t asked; /* of the client; 0: nothing, or it has answered */
    struct buf id;  /* of the elicitation; empty: the present server has none */
    uint64_t deadline;
    uv_timer_t timer;
};

static void next_server(struct mcp_sign_in *si);

static void note(const struct mcp_sign_in *si, str why)
{
    AUTO_BUF(line);
    markdown_put_code(&line, si->servers[si->at]);
    buf_put_c(&line, ": ");
    markdown_put_text(&line, why);
    log_write(si->w->host.log, LOG_WARN, "no sign-in to the MCP server %s", buf_c(&line));
}

/* ---- The end ---- */

static void timer_closed(uv_handle_t *h)
{
    struct mcp_sign_in *si = h->data;
    struct local_host *host = &si->w->host;
    arena_free(&si->mem);
    buf_free(&si->id);
    free(si);
    host->calls->drop(host->user);
}

/* What was asked of the client is over: its page may go, and so may a request that is still open. */
static void settle(struct mcp_sign_in *si)
{
    const struct local_host *h = &si->w->host;
    AUTO_BUF(params);
    if (si->id.n) {
        json_open_object(&params);
        json_member_str(&params, "elicitationId", buf_str(&si->id));
        json_close_object(&params);
        h->surface->notify(h->surface_self, "elicitation/complete", buf_str(&params));
    }
    if (si->asked) {
        h->surface->withdraw(h->surface_self, si->asked);
        si->asked = 0;
    }
    buf_clear(&si->id);
}

static void end_run(struct mcp_sign_in *si)
{
    si->w->sign_in = NULL;
    uv_close((uv_handle_t *)&si->timer, timer_closed);
}

void mcp_sign_in_drop(struct local_work *w)
{
    struct mcp_sign_in *si = w->sign_in;
    if (si) {
        cli_request_drop(&si->question);
        settle(si);
        end_run(si);
    }
}

static void go_on(struct mcp_sign_in *si)
{
    si->at++;
    next_server(si);
}

/* ---- Until the person is done ---- */

static void polled(void *user, const struct control_error *error, json payload);

static void poll_status(uv_timer_t *timer)
{
    struct mcp_sign_in *si = timer->data;
    cli_request_ask(&si->question, "mcp_status", STR_ABSENT, STATUS_LIMIT_MS, polled, si);
}

static void polled(void *user, const struct control_error *error, json payload)
{
    struct mcp_sign_in *si = user;
    str state = error ? STR_ABSENT : mcp_status_of(payload, si->servers[si->at]);
    bool waits = str_is(state, "needs-auth") || str_is(state, "pending");
    cli_request_over(&si->question);
    if (waits && uv_now(si->w->host.loop) < si->deadline) {
        uv_timer_start(&si->timer, poll_status, POLL_MS, 0);
        return;
    }
    if (!str_is(state, "connected")) {
        note(si, error     ? str_of(error->text)
                 : waits   ? STR("the time is over")
                 : state.p ? state
                           : STR("it is gone"));
    }
    if (error) {
        buf_clear(&si->id); /* nobody knows whether it is complete */
    }
    settle(si);
    go_on(si);
}

static void client_answered(void *user, json result, json error)
{
    struct mcp_sign_in *si = user;
    (void)error;
    si->asked = 0;
    if (str_is(json_str(json_get(result, "action")), "accept")) {
        return; /* the page is open */
    }
    cli_request_drop(&si->question);
    uv_timer_stop(&si->timer);
    buf_clear(&si->id);
    go_on(si);
}

static void ask_client(struct mcp_sign_in *si, str url)
{
    const struct local_host *h = &si->w->host;
    char uuid[UUID_SIZE];
    AUTO_BUF(message);
    AUTO_BUF(params);
    if (!uuid_v4(uuid)) {
        go_on(si);
        return;
    }
    buf_printf(&si->id, "mcp-oauth-%s", uuid);
    buf_put_c(&message, "Authenticate with MCP server ");
    buf_put_str(&message, si->servers[si->at]);
    json_open_object(&params);
    json_member_c(&params, "mode", "url");
    json_member_str(&params, "sessionId", h->session);
    json_member_str(&params, "message", buf_str(&message));
    json_member_str(&params, "url", url);
    json_member_str(&params, "elicitationId", buf_str(&si->id));
    json_close_object(&params);
    bool ok = buf_ok(&params) && buf_ok(&message) && buf_ok(&si->id);
    si->asked = ok ? h->surface->ask_elicitation(h->surface_self, buf_str(&params), client_answered, si) : 0;
    if (si->asked) {
        si->deadline = uv_now(h->loop) + SIGN_IN_LIMIT_MS;
        poll_status(&si->timer);
    } else {
        buf_clear(&si->id);
        go_on(si);
    }
}

/* ---- One server after another ---- */

static bool is_page(str url)
{
    return str_eq_nocase(str_first(url, 8), STR("https://")) ||
           str_eq_nocase(str_first(url, 7), STR("http://"));
}

static void begun(void *user, const struct control_error *error, json payload)
{
    struct mcp_sign_in *si = user;
    str url = json_str(json_get(payload, "authUrl"));
    cli_request_over(&si->question);
    if (error) {
        note(si, str_of(error->text));
    } else if (json_is_true(json_get(payload, "requiresUserAction"))) {
        if (is_page(url)) {
            ask_client(si, url);
            return;
        }
        note(si, STR("the CLI named no page"));
    }
    go_on(si);
}

static void next_server(struct mcp_sign_in *si)
{
    AUTO_BUF(members);
    if (si->at == si->n) {
        end_run(si);
        return;
    }
    json_member_str(&members, "serverName", si->servers[si->at]);
    cli_request_ask(&si->question, "mcp_authenticate", buf_str(&members), SIGN_IN_LIMIT_MS, begun, si);
}

static void looked(void *user, const struct control_error *error, json payload)
{
    struct mcp_sign_in *si = user;
    size_t kept = 0;
    cli_request_over(&si->question);
    for (size_t i = 0; !error && i < si->n; i++) {
        if (str_is(mcp_status_of(payload, si->servers[i]), "needs-auth")) {
            si->servers[kept++] = si->servers[i];
        }
    }
    si->n = kept;
    next_server(si);
}

/* The names of the client's servers that the run is about. */
static void choose_servers(struct mcp_sign_in *si, const struct map *only)
{
    json list = si->w->host.calls->servers(si->w->host.user);
    si->servers = arena_alloc(&si->mem, (json_count(list) + 1) * sizeof(*si->servers));
    for (struct json_iter it = json_each(list); si->servers && json_next(&it);) {
        str name = json_str(json_get(it.value, "name"));
        if (name.p && (!only || set_has(only, name))) {
            si->servers[si->n++] = arena_str(&si->mem, name);
        }
    }
}

void mcp_sign_in_begin(struct local_work *w, const struct map *only)
{
    struct local_host *h = &w->host;
    struct cli_control *cli = h->calls->cli(h->user);
    if (!h->client->elicitation_url || w->sign_in || !cli ||
        !json_is(h->calls->servers(h->user), JSON_ARRAY)) {
        return;
    }
    struct mcp_sign_in *si = calloc(1, sizeof(*si));
    if (!si) {
        return;
    }
    si->w = w;
    si->question.cli = cli;
    h->calls->keep(h->user);
    uv_timer_init(h->loop, &si->timer);
    si->timer.data = si;
    w->sign_in = si;
    choose_servers(si, only);
    if (si->n && arena_ok(&si->mem)) {
        cli_request_ask(&si->question, "mcp_status", STR_ABSENT, STATUS_LIMIT_MS, looked, si);
    } else {
        end_run(si);
    }
}
