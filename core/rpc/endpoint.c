#include <stdlib.h>

#include "rpc/endpoint_state.h"

/* ---- Output ---- */

static void close_down(struct rpc_endpoint *ep)
{
    if (ep->closed) {
        return;
    }
    ep->closed = true;
    channel_in_stop(ep->in);
    ep->events->closed(ep->user);
}

static void update_congestion(struct rpc_endpoint *ep)
{
    size_t queued = ep->out.n + channel_out_queued(ep->output);
    if (!ep->congested && queued > RPC_OUTPUT_HIGH) {
        ep->congested = true;
        ep->events->congested(ep->user, true);
    } else if (ep->congested && queued < RPC_OUTPUT_LOW) {
        ep->congested = false;
        ep->events->congested(ep->user, false);
    }
}

static void on_progress(void *user, bool broken)
{
    struct rpc_endpoint *ep = user;
    if (broken) {
        ep->broken = true;
    } else if (!ep->closed) {
        rpc_flush(ep);
        update_congestion(ep);
    }
}

void rpc_flush(struct rpc_endpoint *ep)
{
    channel_out_write(ep->output, &ep->out);
}

/* Once a round, before and after the loop waits. That the output broke is told here alone: whoever was
 * writing then may still need what the owner lets go of. */
static void end_round(struct rpc_endpoint *ep)
{
    rpc_flush(ep);
    if (ep->broken) {
        close_down(ep);
    }
}

static void on_before_wait(uv_prepare_t *h)
{
    end_round(h->data);
}

static void on_after_wait(uv_check_t *h)
{
    end_round(h->data);
}

struct buf *rpc_begin_line(struct rpc_endpoint *ep)
{
    ep->message_at = ep->out.n;
    buf_put_c(&ep->out, "{\"jsonrpc\":\"2.0\"");
    return &ep->out;
}

void rpc_end_line(struct rpc_endpoint *ep)
{
    buf_put(&ep->out, "\n", 1);
    if (!buf_ok(&ep->out)) { /* this message is lost, those before it are not */
        ep->out.failed = false;
        buf_truncate(&ep->out, ep->message_at);
        log_write(ep->log, LOG_ERROR, "out of memory: a message to the client was dropped");
        return;
    }
    if (ep->out.n >= CHANNEL_BLOCK) {
        rpc_flush(ep);
    }
    update_congestion(ep);
}

void rpc_end(struct rpc_endpoint *ep)
{
    buf_put(&ep->out, "}", 1);
    rpc_end_line(ep);
}

struct buf *rpc_begin_notification(struct rpc_endpoint *ep, const char *method)
{
    struct buf *b = rpc_begin_line(ep);
    json_member_c(b, "method", method);
    json_key(b, "params");
    return b;
}

struct buf *rpc_begin_call(struct rpc_endpoint *ep, const char *method, rpc_answer_cb *cb, void *user,
                           uint64_t *id)
{
    struct rpc_call *call = calloc(1, sizeof(*call));
    if (!call) {
        return NULL;
    }
    *call = (struct rpc_call){.id = ep->next_call++, .cb = cb, .user = user};
    list_append(&ep->calls, &call->link);
    *id = call->id;
    struct buf *b = rpc_begin_line(ep);
    json_member_int(b, "id", (int64_t)call->id);
    json_member_c(b, "method", method);
    json_key(b, "params");
    return b;
}

static struct rpc_call *find_call(struct rpc_endpoint *ep, uint64_t id)
{
    LIST_EACH(call, &ep->calls, struct rpc_call, link) {
        if (call->id == id) {
            return call;
        }
    }
    return NULL;
}

void rpc_cancel(struct rpc_endpoint *ep, uint64_t id)
{
    struct rpc_call *call = find_call(ep, id);
    if (!call) {
        return;
    }
    list_remove(&call->link);
    free(call);
    struct buf *b = rpc_begin_notification(ep, "$/cancel_request");
    json_open_object(b);
    json_member_int(b, "requestId", (int64_t)id);
    json_close_object(b);
    rpc_end(ep);
}

/* ---- Input ---- */

void rpc_handle_response(struct rpc_endpoint *ep, json message)
{
    int64_t id;
    struct rpc_call *call =
        json_int(json_get(message, "id"), &id) && id >= 0 ? find_call(ep, (uint64_t)id) : NULL;
    if (!call) {
        log_write(ep->log, LOG_DEBUG, "a response to no request of ours was dropped");
        return;
    }
    json result = json_get(message, "result"), error = json_get(message, "error");
    int64_t code;
    bool bad = json_present(result) == json_present(error) ||
               (json_present(error) && (!json_int(json_get(error, "code"), &code) ||
                                        !json_is(json_get(error, "message"), JSON_STRING)));
    list_remove(&call->link);
    struct rpc_call done = *call;
    free(call);
    done.cb(done.user, bad ? JSON_NONE : result, bad ? JSON_NONE : error);
}

static void handle_line(struct rpc_endpoint *ep, str line)
{
    line = str_trim(line);
    if (!line.n) {
        return;
    }
    const char *why = NULL;
    AUTO_JSON(doc) = json_parse_reuse(&ep->spare, line, &why);
    if (!doc) {
        log_write(ep->log, LOG_WARN, "a line from the client is not JSON: %s", why);
        rpc_refuse(ep, JSON_NONE, RPC_PARSE_ERROR, STR("Parse error"), STR_ABSENT);
        return;
    }
    json m = json_root(doc);
    if (ep->events->message && !ep->events->message(ep->user, m)) {
        return;
    }
    if (ep->batches && json_count(m) && json_is(m, JSON_ARRAY)) {
        rpc_handle_batch(ep, doc, m);
    } else {
        rpc_handle_message(ep, doc, m, NULL);
    }
}

/* True when `line`, whole or not, is too long; the connection has ended then. */
static bool too_long(struct rpc_endpoint *ep, size_t n)
{
    if (n <= RPC_LINE_MAX + 1) { /* a CR does not count */
        return false;
    }
    log_write(ep->log, LOG_ERROR, "a message of the client is longer than %d bytes; the connection ends",
              RPC_LINE_MAX);
    close_down(ep);
    return true;
}

static void handle_bytes(struct rpc_endpoint *ep, str bytes)
{
    while (bytes.n && !ep->closed) {
        size_t lf = str_find_byte(bytes, '\n', 0);
        str piece = str_first(bytes, lf == SIZE_MAX ? bytes.n : lf);
        if (too_long(ep, ep->partial.n + piece.n)) {
            return;
        }
        bytes = str_from(bytes, lf == SIZE_MAX ? bytes.n : lf + 1);
        if (lf != SIZE_MAX && !ep->partial.n) {
            handle_line(ep, piece);
            continue;
        }
        buf_put_str(&ep->partial, piece);
        if (!buf_ok(&ep->partial)) {
            log_write(ep->log, LOG_ERROR, "out of memory: the connection ends");
            close_down(ep);
            return;
        }
        if (lf != SIZE_MAX) {
            struct buf line = ep->partial;
            ep->partial = BUF_INIT;
            handle_line(ep, buf_str(&line));
            buf_free(&line);
        }
    }
}

static void on_data(void *user, char *bytes, size_t n)
{
    struct rpc_endpoint *ep = user;
    if (ep->closed) {
        return;
    }
    if (n) {
        handle_bytes(ep, (str){bytes, n});
    } else {
        struct buf last = ep->partial;
        ep->partial = BUF_INIT;
        handle_line(ep, buf_str(&last)); /* an unterminated last line counts */
        buf_free(&last);
        close_down(ep);
    }
}

/* ---- Life ---- */

struct rpc_endpoint *rpc_endpoint_new(uv_loop_t *loop, const struct log *log, int in, int out,
                                      const struct rpc_events *events, void *user)
{
    struct rpc_endpoint *ep = calloc(1, sizeof(*ep));
    if (!ep) {
        return NULL;
    }
    ep->log = log;
    ep->events = events;
    ep->user = user;
    list_init(&ep->requests);
    list_init(&ep->open_batches);
    list_init(&ep->calls);
    ep->in = channel_in_new(loop, in, on_data, ep);
    ep->output = ep->in ? channel_out_new(loop, out, on_progress, ep) : NULL;
    if (!ep->output) {
        channel_in_free(ep->in);
        free(ep);
        return NULL;
    }
    uv_prepare_init(loop, &ep->before_wait);
    uv_check_init(loop, &ep->after_wait);
    ep->handles = 2;
    ep->before_wait.data = ep->after_wait.data = ep;
    uv_prepare_start(&ep->before_wait, on_before_wait);
    uv_check_start(&ep->after_wait, on_after_wait);
    uv_unref((uv_handle_t *)&ep->before_wait);
    uv_unref((uv_handle_t *)&ep->after_wait);
    return ep;
}

void rpc_endpoint_start(struct rpc_endpoint *ep)
{
    channel_in_start(ep->in);
}

void rpc_endpoint_allow_batches(struct rpc_endpoint *ep, bool allowed)
{
    ep->batches = allowed;
}

static void on_handle_closed(uv_handle_t *h)
{
    struct rpc_endpoint *ep = h->data;
    if (--ep->handles == 0) {
        rpc_drop_batches(ep);
        json_unref(ep->spare);
        buf_free(&ep->partial);
        buf_free(&ep->out);
        free(ep);
    }
}

void rpc_endpoint_free(struct rpc_endpoint *ep)
{
    if (!ep) {
        return;
    }
    ep->closed = true;
    rpc_flush(ep);
    channel_in_free(ep->in);
    channel_out_free(ep->output);
    rpc_drop_requests(ep);
    LIST_EACH(call, &ep->calls, struct rpc_call, link) {
        list_remove(&call->link);
        free(call);
    }
    uv_close((uv_handle_t *)&ep->before_wait, on_handle_closed);
    uv_close((uv_handle_t *)&ep->after_wait, on_handle_closed);
}
