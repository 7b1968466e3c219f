#include "rpc/endpoint.h"

#include <stdlib.h>

#include "base/list.h"
#include "rpc/channel.h"

/* Lines are cut out of the bytes as they come; a line that lies within one chunk is parsed where it is, and
 * only the pieces of a longer one are collected in `partial`. Output is collected in `out`; the prepare and
 * check handles write it before and after the loop waits, and a burst is written piece by piece, so that its
 * bytes are still in the processor's cache and few pages serve for all of it. */
struct rpc_endpoint {
    const struct log *log;
    const struct rpc_events *events;
    void *user;
    struct channel_in *in;
    struct channel_out *output;
    uv_prepare_t before_wait;
    uv_check_t after_wait;
    unsigned handles; /* of ours that are still open */

    struct buf partial;
    struct json_doc *spare; /* reused from line to line */
    bool closed;            /* `closed` was told, or the owner let go */
    bool paused;
    bool handling; /* inside the handling of a chunk */

    struct buf out;
    size_t message_at; /* where the message being written begins in `out` */
    bool congested;

    struct list requests; /* of the other side, open */
    struct list calls;    /* ours, open */
    uint64_t next_call;
};

struct rpc_request {
    struct list link;
    struct rpc_endpoint *ep;
    struct json_doc *doc;
    void *data;
};

struct rpc_call {
    struct list link;
    uint64_t id;
    rpc_answer_cb *cb;
    void *user;
};

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
        close_down(ep);
    } else if (!ep->closed) {
        rpc_flush(ep);
        update_congestion(ep);
    }
}

void rpc_flush(struct rpc_endpoint *ep)
{
    channel_out_write(ep->output, &ep->out);
}

static void on_before_wait(uv_prepare_t *h)
{
    rpc_flush(h->data);
}

static void on_after_wait(uv_check_t *h)
{
    rpc_flush(h->data);
}

static struct buf *begin(struct rpc_endpoint *ep)
{
    ep->message_at = ep->out.n;
    buf_put_c(&ep->out, "{\"jsonrpc\":\"2.0\"");
    return &ep->out;
}

void rpc_end(struct rpc_endpoint *ep)
{
    buf_put(&ep->out, "}\n", 2);
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

struct buf *rpc_begin_notification(struct rpc_endpoint *ep, const char *method)
{
    struct buf *b = begin(ep);
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
    struct buf *b = begin(ep);
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

/* ---- Requests of the other side ---- */

str rpc_request_method(const struct rpc_request *req)
{
    return json_str(json_get(json_root(req->doc), "method"));
}

json rpc_request_params(const struct rpc_request *req)
{
    return json_get(json_root(req->doc), "params");
}

struct json_doc *rpc_request_doc(const struct rpc_request *req)
{
    return req->doc;
}

void rpc_request_set_data(struct rpc_request *req, void *data)
{
    req->data = data;
}

void *rpc_request_data(const struct rpc_request *req)
{
    return req->data;
}

static json request_id(const struct rpc_request *req)
{
    return json_get(json_root(req->doc), "id");
}

struct rpc_request *rpc_request_find(struct rpc_endpoint *ep, json id)
{
    LIST_EACH(req, &ep->requests, struct rpc_request, link) {
        json own = request_id(req);
        if (json_type(own) == json_type(id) &&
            (json_is(id, JSON_STRING) ? str_eq(json_str(own), json_str(id))
                                      : str_eq(json_raw(own), json_raw(id)))) {
            return req;
        }
    }
    return NULL;
}

static void free_request(struct rpc_request *req)
{
    list_remove(&req->link);
    json_unref(req->doc);
    free(req);
}

void rpc_reply(struct rpc_request *req, str result)
{
    struct rpc_endpoint *ep = req->ep;
    struct buf *b = begin(ep);
    json_member(b, "id", request_id(req));
    json_member_raw(b, "result", result.p ? result : STR("null"));
    rpc_end(ep);
    free_request(req);
}

static void put_error(struct rpc_endpoint *ep, json id, int code, str message, str data)
{
    struct buf *b = begin(ep);
    json_key(b, "id");
    json_put(b, id);
    json_key(b, "error");
    json_open_object(b);
    json_member_int(b, "code", code);
    json_member_str(b, "message", message);
    json_member_raw(b, "data", data);
    json_close_object(b);
    rpc_end(ep);
}

void rpc_reply_error(struct rpc_request *req, int code, str message, str data)
{
    put_error(req->ep, request_id(req), code, message, data);
    free_request(req);
}

/* ---- Input ---- */

static void handle_response(struct rpc_endpoint *ep, json message)
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

static void handle_request(struct rpc_endpoint *ep, struct json_doc *doc)
{
    struct rpc_request *req = calloc(1, sizeof(*req));
    if (!req) {
        put_error(ep, json_get(json_root(doc), "id"), RPC_INTERNAL_ERROR, STR("Internal error"), STR_ABSENT);
        return;
    }
    req->ep = ep;
    req->doc = json_ref(doc);
    list_append(&ep->requests, &req->link);
    ep->events->request(ep->user, req);
}

static void handle_message(struct rpc_endpoint *ep, struct json_doc *doc)
{
    json m = json_root(doc), method = json_get(m, "method"), id = json_get(m, "id");
    if (json_is(m, JSON_OBJECT) && !json_present(method) &&
        (json_present(id) || json_present(json_get(m, "result")) || json_present(json_get(m, "error")))) {
        handle_response(ep, m);
        return;
    }
    bool id_fits =
        !json_present(id) || json_is(id, JSON_STRING) || json_is(id, JSON_NUMBER) || json_is(id, JSON_NULL);
    if (!json_is(m, JSON_OBJECT) || !str_is(json_str(json_get(m, "jsonrpc")), "2.0") ||
        !json_is(method, JSON_STRING) || !id_fits) {
        put_error(ep, JSON_NONE, RPC_INVALID_REQUEST, STR("Invalid request"), json_raw(m));
    } else if (json_present(id)) {
        handle_request(ep, doc);
    } else {
        ep->events->notification(ep->user, json_str(method), json_get(m, "params"));
    }
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
        put_error(ep, JSON_NONE, RPC_PARSE_ERROR, STR("Parse error"), STR_ABSENT);
        return;
    }
    handle_message(ep, doc);
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
    while (bytes.n && !ep->closed && !ep->paused) {
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
            struct buf line = ep->partial; /* handling may bring more bytes */
            ep->partial = BUF_INIT;
            handle_line(ep, buf_str(&line));
            buf_free(&line);
        }
    }
    if (bytes.n && !ep->closed) { /* paused in the middle: the rest waits, whole lines and all */
        buf_put_str(&ep->partial, bytes);
    }
}

static void on_data(void *user, char *bytes, size_t n)
{
    struct rpc_endpoint *ep = user;
    if (ep->closed) {
        return;
    }
    ep->handling = true;
    if (n) {
        handle_bytes(ep, (str){bytes, n});
    } else {
        struct buf last = ep->partial;
        ep->partial = BUF_INIT;
        handle_line(ep, buf_str(&last)); /* an unterminated last line counts */
        buf_free(&last);
        close_down(ep);
    }
    ep->handling = false;
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

void rpc_endpoint_pause(struct rpc_endpoint *ep, bool paused)
{
    if (ep->paused == paused || ep->closed) {
        return;
    }
    ep->paused = paused;
    if (paused) {
        channel_in_stop(ep->in);
        return;
    }
    channel_in_start(ep->in);
    if (!ep->handling && ep->partial.n) {
        struct buf waiting = ep->partial;
        ep->partial = BUF_INIT;
        ep->handling = true;
        handle_bytes(ep, buf_str(&waiting));
        ep->handling = false;
        buf_free(&waiting);
    }
}

bool rpc_endpoint_congested(const struct rpc_endpoint *ep)
{
    return ep->congested;
}

static void on_handle_closed(uv_handle_t *h)
{
    struct rpc_endpoint *ep = h->data;
    if (--ep->handles == 0) {
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
    LIST_EACH(req, &ep->requests, struct rpc_request, link) {
        free_request(req);
    }
    LIST_EACH(call, &ep->calls, struct rpc_call, link) {
        list_remove(&call->link);
        free(call);
    }
    uv_close((uv_handle_t *)&ep->before_wait, on_handle_closed);
    uv_close((uv_handle_t *)&ep->after_wait, on_handle_closed);
}
