/* A byte stream to read and write in a libuv loop, over whatever kind of descriptor a client started us with.
 */
#ifndef HERALD_RPC_CHANNEL_H
#define HERALD_RPC_CHANNEL_H

#include <uv.h>

#include "base/str.h"

struct channel_in;
struct channel_out;

/* `data` gets bytes, valid during the call; n == 0 is the end (or an error), once. */
typedef void channel_data_cb(void *user, char *bytes, size_t n);

/* Takes `fd`. NULL when it cannot be read or memory is out. */
struct channel_in *channel_in_new(uv_loop_t *loop, int fd, channel_data_cb *data, void *user);
void channel_in_start(struct channel_in *in);
void channel_in_stop(struct channel_in *in);
/* No callback comes any more; freed from the loop. */
void channel_in_free(struct channel_in *in);

/* `progress` is called after queued bytes were taken, and with `broken` once when the output cannot be
 * written, or its reader is gone; that is noticed without a write where the system tells it of the kind of
 * descriptor. */
typedef void channel_progress_cb(void *user, bool broken);

struct channel_out *channel_out_new(uv_loop_t *loop, int fd, channel_progress_cb *progress, void *user);
/* Writes what is possible now, queues the rest and leaves `b` empty. While earlier bytes are queued, fewer
 * than CHANNEL_BLOCK stay in `b` instead, to be given again at the next `progress`: many small messages make
 * few blocks. */
enum { CHANNEL_BLOCK = 64 * 1024 };
void channel_out_write(struct channel_out *out, struct buf *b);
/* Bytes that the other side has not taken. */
size_t channel_out_queued(const struct channel_out *out);
/* Bytes that are still queued are lost, unless the other side takes them at once. */
void channel_out_free(struct channel_out *out);

#endif
