/* One JSON-RPC 2.0 endpoint over a byte stream: one message a line, requests both ways.
 *
 * Lines are handled strictly in the order in which they come; a request may be answered at any later time and
 * in any order. What is sent is collected and written once for each round of the loop, so that a burst of
 * notifications costs one system call. When the other side reads too slowly the endpoint says so
 * (`congested`), and whoever makes the output is expected to stop its source; nothing that was handed over is
 * dropped.
 *
 * It knows nothing of ACP. Its input and output may be pipes, sockets, terminals or files. */
#ifndef HERALD_RPC_ENDPOINT_H
#define HERALD_RPC_ENDPOINT_H

#include <uv.h>

#include "base/log.h"
#include "rpc/request_error.h"
#include "json/json.h"

enum {
    RPC_LINE_MAX = 32 * 1024 * 1024, /* bytes; a longer line ends the connection */
    RPC_OUTPUT_HIGH = 1024 * 1024,
    RPC_OUTPUT_LOW = 256 * 1024,
};

struct rpc_endpoint;
struct rpc_request; /* a request of the other side that is not answered yet */

struct rpc_events {
    /* Anything that is JSON came: a message, an array of messages, or neither. False: it was dealt with. May
     * be NULL. */
    bool (*message)(void *user, json message);
    /* A request came. It stays open until rpc_reply() or rpc_reply_error(); when the connection closes first
     * it is freed with the endpoint, and answering it before that does no harm. */
    void (*request)(void *user, struct rpc_request *req);
    /* A notification; `params` is valid during the call. */
    void (*notification)(void *user, str method, json params);
    /* The input ended, a line was too long, or the output broke. Once, and never from inside a call of this
     * module; nothing comes after it. */
    void (*closed)(void *user);
    /* Output is piling up beyond RPC_OUTPUT_HIGH, or has drained below RPC_OUTPUT_LOW again. */
    void (*congested)(void *user, bool yes);
};

/* Takes over the two descriptors (which may be equal). NULL when one of them cannot be used or memory is out.
 */
struct rpc_endpoint *rpc_endpoint_new(uv_loop_t *loop, const struct log *log, int in, int out,
                                      const struct rpc_events *events, void *user);
/* Starts reading. */
void rpc_endpoint_start(struct rpc_endpoint *ep);
/* Writes what is left if the other side takes it without waiting, drops open requests and calls (without
 * their callbacks), and frees the endpoint from the loop. */
void rpc_endpoint_free(struct rpc_endpoint *ep);
/* Whether a line may be an array of messages, each of which is then handled as if it had come alone; the
 * answers to its requests go out as one array when all are there. Without, an array is no valid message. */
void rpc_endpoint_allow_batches(struct rpc_endpoint *ep, bool allowed);

/* ---- Requests of the other side ---- */
str rpc_request_method(const struct rpc_request *req);
/* Missing when the request had none. Valid as long as the request is open. */
json rpc_request_params(const struct rpc_request *req);
/* The document that the parameters live in, for json_ref(). */
struct json_doc *rpc_request_doc(const struct rpc_request *req);
/* A place for the handler's own pointer. */
void rpc_request_set_data(struct rpc_request *req, void *data);
void *rpc_request_data(const struct rpc_request *req);
/* The open request of this id (a JSON value), or NULL. */
struct rpc_request *rpc_request_find(struct rpc_endpoint *ep, json id);
/* Answer and free the request. `result` and `data` are JSON texts; `data` may be absent. */
void rpc_reply(struct rpc_request *req, str result);
/* The same with a result that was built; one that failed for want of memory is answered as an error. */
void rpc_reply_built(struct rpc_request *req, const struct buf *result);
void rpc_reply_error(struct rpc_request *req, int code, str message, str data);
/* A message that is a request, as JSON-RPC has it. */
bool rpc_is_request(json message);
/* An error for a message that is no open request; a missing `id` is written as null. */
void rpc_refuse(struct rpc_endpoint *ep, json id, int code, str message, str data);

/* ---- Messages to the other side ----
 * The caller writes the value of `params` into the returned buffer, between begin and end. */
struct buf *rpc_begin_notification(struct rpc_endpoint *ep, const char *method);
/* `result` or `error` is missing; both are when the answer was malformed or the connection closed. */
typedef void rpc_answer_cb(void *user, json result, json error);
/* `*id` gets the number of the call, for rpc_cancel(). NULL when memory is out: then the call is not made and
 * there is no rpc_end(). */
struct buf *rpc_begin_call(struct rpc_endpoint *ep, const char *method, rpc_answer_cb *cb, void *user,
                           uint64_t *id);
void rpc_end(struct rpc_endpoint *ep);
/* The answer is no longer wanted: tells the other side with $/cancel_request, and the callback is not called.
 */
void rpc_cancel(struct rpc_endpoint *ep, uint64_t id);
/* Writes what is collected now, not at the end of the round. */
void rpc_flush(struct rpc_endpoint *ep);

#endif
