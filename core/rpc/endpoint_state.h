/* The endpoint, for its two files: endpoint.c has the bytes, our own calls and the life, requests.c what the
 * other side asks. */
#ifndef HERALD_RPC_ENDPOINT_STATE_H
#define HERALD_RPC_ENDPOINT_STATE_H

#include "base/list.h"
#include "rpc/channel.h"
#include "rpc/endpoint.h"

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
    bool broken;            /* the output; `closed` is told at the end of the round */
    bool batches;

    struct buf out;
    size_t message_at; /* where the message being written begins in `out` */
    bool congested;

    struct list requests;     /* of the other side, open */
    struct list open_batches; /* arrays of them */
    struct list calls;        /* ours, open */
    uint64_t next_call;
};

/* The answers to the requests of one array. Goes when it is written. */
struct rpc_batch {
    struct list link;
    unsigned open; /* requests without an answer, and 1 while the array is being handled */
    struct buf answers;
};

struct rpc_request {
    struct list link;
    struct rpc_endpoint *ep;
    struct rpc_batch *batch; /* NULL: it came alone */
    struct json_doc *doc;
    json message; /* in `doc` */
    void *data;
};

struct rpc_call {
    struct list link;
    uint64_t id;
    rpc_answer_cb *cb;
    void *user;
};

/* endpoint.c. Begins a message, an object that is open; ends a line that is written up to its last byte. */
struct buf *rpc_begin_line(struct rpc_endpoint *ep);
void rpc_end_line(struct rpc_endpoint *ep);
void rpc_handle_response(struct rpc_endpoint *ep, json message);

/* requests.c. A message that came, in `batch` or alone (NULL); an array of them; the end of all requests that
 * are open, and of what is left of arrays that were not handled to their end. */
void rpc_handle_message(struct rpc_endpoint *ep, struct json_doc *doc, json m, struct rpc_batch *batch);
void rpc_handle_batch(struct rpc_endpoint *ep, struct json_doc *doc, json list);
void rpc_drop_requests(struct rpc_endpoint *ep);
void rpc_drop_batches(struct rpc_endpoint *ep);

#endif
