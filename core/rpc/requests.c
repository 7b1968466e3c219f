/* What the other side asks: its requests, alone or several in one array, and their answers. */
#include <stdlib.h>

#include "rpc/endpoint_state.h"

str rpc_request_method(const struct rpc_request *req)
{
    return json_str(json_get(req->message, "method"));
}

json rpc_request_params(const struct rpc_request *req)
{
    return json_get(req->message, "params");
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
    return json_get(req->message, "id");
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

/* ---- Answers ---- */

static void free_batch(struct rpc_batch *batch)
{
    list_remove(&batch->link);
    buf_free(&batch->answers);
    free(batch);
}

void rpc_drop_batches(struct rpc_endpoint *ep)
{
    LIST_EACH(batch, &ep->open_batches, struct rpc_batch, link) {
        free_batch(batch);
    }
}

/* One of the things that a batch waits for is done, or is not waited for any more. */
static void leave_batch(struct rpc_endpoint *ep, struct rpc_batch *batch)
{
    if (!batch || --batch->open) {
        return;
    }
    if (batch->answers.failed && !ep->closed) {
        log_write(ep->log, LOG_ERROR, "out of memory: the answers to a batch of the client were dropped");
        rpc_refuse(ep, JSON_NONE, RPC_INTERNAL_ERROR, STR("Internal error"), STR_ABSENT);
    } else if (batch->answers.n && !ep->closed) {
        json_close_array(&batch->answers);
        ep->message_at = ep->out.n;
        buf_put_str(&ep->out, buf_str(&batch->answers));
        ep->out.failed = ep->out.failed || batch->answers.failed;
        rpc_end_line(ep);
    }
    free_batch(batch);
}

static struct buf *begin_answer(struct rpc_endpoint *ep, struct rpc_batch *batch)
{
    if (!batch) {
        return rpc_begin_line(ep);
    }
    if (!batch->answers.n) {
        json_open_array(&batch->answers);
    }
    json_open_object(&batch->answers);
    json_member_c(&batch->answers, "jsonrpc", "2.0");
    return &batch->answers;
}

static void end_answer(struct rpc_endpoint *ep, struct rpc_batch *batch)
{
    if (batch) {
        json_close_object(&batch->answers);
    } else {
        rpc_end(ep);
    }
}

static void put_error(struct rpc_endpoint *ep, struct rpc_batch *batch, json id, int code, str message,
                      str data)
{
    struct buf *b = begin_answer(ep, batch);
    json_key(b, "id");
    json_put(b, id);
    json_key(b, "error");
    json_open_object(b);
    json_member_int(b, "code", code);
    json_member_str(b, "message", message);
    json_member_raw(b, "data", data);
    json_close_object(b);
    end_answer(ep, batch);
}

void rpc_refuse(struct rpc_endpoint *ep, json id, int code, str message, str data)
{
    put_error(ep, NULL, id, code, message, data);
}

static void close_request(struct rpc_request *req)
{
    struct rpc_endpoint *ep = req->ep;
    struct rpc_batch *batch = req->batch;
    list_remove(&req->link);
    json_unref(req->doc);
    free(req);
    leave_batch(ep, batch);
}

void rpc_drop_requests(struct rpc_endpoint *ep)
{
    LIST_EACH(req, &ep->requests, struct rpc_request, link) {
        close_request(req);
    }
}

void rpc_reply(struct rpc_request *req, str result)
{
    struct buf *b = begin_answer(req->ep, req->batch);
    json_member(b, "id", request_id(req));
    json_member_raw(b, "result", result.p ? result : STR("null"));
    end_answer(req->ep, req->batch);
    close_request(req);
}

void rpc_reply_built(struct rpc_request *req, const struct buf *result)
{
    if (buf_ok(result)) {
        rpc_reply(req, buf_str(result));
    } else {
        rpc_reply_error(req, RPC_INTERNAL_ERROR, STR("Internal error"),
                        STR("{\"details\":\"out of memory\"}"));
    }
}

void rpc_reply_error(struct rpc_request *req, int code, str message, str data)
{
    put_error(req->ep, req->batch, request_id(req), code, message, data);
    close_request(req);
}

/* ---- Messages as they come ---- */

static void handle_request(struct rpc_endpoint *ep, struct json_doc *doc, json m, struct rpc_batch *batch)
{
    /* Whoever keeps the document of a request does not keep a whole batch. */
    struct json_doc *own = batch ? json_detach(m) : json_ref(doc);
    struct rpc_request *req = own ? calloc(1, sizeof(*req)) : NULL;
    if (!req) {
        json_unref(own);
        put_error(ep, batch, json_get(m, "id"), RPC_INTERNAL_ERROR, STR("Internal error"), STR_ABSENT);
        leave_batch(ep, batch);
        return;
    }
    req->ep = ep;
    req->batch = batch;
    req->doc = own;
    req->message = json_root(own);
    list_append(&ep->requests, &req->link);
    ep->events->request(ep->user, req);
}

static bool is_response(json m)
{
    return json_is(m, JSON_OBJECT) && !json_present(json_get(m, "method")) &&
           (json_present(json_get(m, "id")) || json_present(json_get(m, "result")) ||
            json_present(json_get(m, "error")));
}

/* A request or a notification. */
static bool is_call(json m)
{
    json id = json_get(m, "id");
    bool id_fits =
        !json_present(id) || json_is(id, JSON_STRING) || json_is(id, JSON_NUMBER) || json_is(id, JSON_NULL);
    return json_is(m, JSON_OBJECT) && str_is(json_str(json_get(m, "jsonrpc")), "2.0") &&
           json_is(json_get(m, "method"), JSON_STRING) && id_fits;
}

void rpc_handle_message(struct rpc_endpoint *ep, struct json_doc *doc, json m, struct rpc_batch *batch)
{
    if (is_response(m)) {
        rpc_handle_response(ep, m);
    } else if (!is_call(m)) {
        put_error(ep, batch, JSON_NONE, RPC_INVALID_REQUEST, STR("Invalid request"), json_raw(m));
    } else if (json_present(json_get(m, "id"))) {
        handle_request(ep, doc, m, batch);
    } else {
        ep->events->notification(ep->user, json_str(json_get(m, "method")), json_get(m, "params"));
    }
}

bool rpc_is_request(json message)
{
    return is_call(message) && json_present(json_get(message, "id"));
}

/* What is no message is answered before all else. */
void rpc_handle_batch(struct rpc_endpoint *ep, struct json_doc *doc, json list)
{
    struct rpc_batch *batch = calloc(1, sizeof(*batch));
    if (!batch) {
        put_error(ep, NULL, JSON_NONE, RPC_INTERNAL_ERROR, STR("Internal error"), STR_ABSENT);
        return;
    }
    list_append(&ep->open_batches, &batch->link);
    batch->open = 1; /* until the others are begun */
    unsigned requests = 0;
    for (struct json_iter it = json_each(list); json_next(&it);) {
        requests += rpc_is_request(it.value);
        if (!is_response(it.value) && !is_call(it.value)) {
            rpc_handle_message(ep, doc, it.value, batch);
        }
    }
    batch->open += requests;
    leave_batch(ep, batch); /* which frees it when there is none; else the last answer does */
    for (struct json_iter it = json_each(list); !ep->closed && json_next(&it);) {
        if (rpc_is_request(it.value)) {
            rpc_handle_message(ep, doc, it.value, batch);
        } else if (is_response(it.value) || is_call(it.value)) {
            rpc_handle_message(ep, doc, it.value, NULL);
        }
    }
}
