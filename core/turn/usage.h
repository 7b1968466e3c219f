/* Token figures: what fills the context window, what a turn cost, and what a session has learned.
 *
 * `struct usage` belongs to a session. It follows the latest top-level API message (the window's fill),
 * knows the window's size and keeps the last reading of the CLI's running totals for each model, so that
 * a result yields the growth since the result before. `struct usage_turn` belongs to one prompt and adds
 * up its results. `struct usage_windows` belongs to the agent: the window sizes that results have told,
 * for each backend and model; sessions that start later begin with them.
 *
 * The caller passes only frames of the main conversation. Frames of synthetic messages are recognised
 * here and change nothing. Counters are whole numbers between 0 and 2^53; what is missing, not a number or
 * outside is brought within, and sums stop at the upper end. */
#ifndef HERALD_TURN_USAGE_H
#define HERALD_TURN_USAGE_H

#include "base/map.h"
#include "json/json.h"

struct usage_tokens {
    int64_t input, output, cache_read, cache_write;
};

/* Growth or reading of one model. */
struct usage_row {
    char *model; /* owned, model_len bytes */
    size_t model_len;
    struct usage_tokens tokens;
};

struct usage_rows {
    struct usage_row *rows;
    size_t n, cap;
};

/* Window sizes by backend and model. */
struct usage_windows {
    struct map sizes;
};
#define USAGE_WINDOWS_INIT ((struct usage_windows){MAP_INIT})
/* Forgets all (logout); the structure can be used on, and needs no other free. */
void usage_windows_clear(struct usage_windows *w);

struct usage_turn {
    struct usage_tokens sum;
    struct usage_rows models;
};
#define USAGE_TURN_INIT ((struct usage_turn){0})
void usage_turn_free(struct usage_turn *t);

struct usage {
    struct usage_tokens latest; /* of the latest top-level message */
    int64_t used;               /* what the last update said */
    int64_t size;               /* the context window */
    bool known;                 /* a real message was seen in this session */
    bool answered;              /* ... since the last result */
    bool streamed;              /* ... and its figures came as stream events */
    bool told;                  /* the total was told since the turn began */
    bool resumed;               /* the next reading of the totals is only a base line */
    struct buf model;           /* of the last real top-level message; empty before one */
    struct buf backend;         /* names the backend in the windows' keys */
    struct buf selected;        /* the id of the model the session uses */
    struct usage_rows reading;  /* the last modelUsage */
};
#define USAGE_INIT ((struct usage){.size = 200000})
void usage_free(struct usage *u);

/* The model that the session uses now, by its row of the model list; sets the size by what was learned
 * for it or by its texts. `backend` is any name that tells providers apart. All but `id` may be absent. */
struct usage_model {
    str id, resolved, name, description;
};
void usage_select_model(struct usage *u, const struct usage_windows *w, str backend,
                        const struct usage_model *model);
/* The CLI process is a resumed one: its first totals include what was spent before. */
void usage_resumed(struct usage *u);
/* Another prompt's turn begins: its first total is told again, and a result tells only what the turn brought.
 */
void usage_turn_began(struct usage *u);
/* The CLI process was replaced by one with an empty conversation. */
void usage_begin_anew(struct usage *u);
/* The answer of get_context_usage that was asked while `model_id` was selected; true when the size
 * changed. */
bool usage_context_answer(struct usage *u, json answer, str model_id);

/* `message` of a message_start, `usage` of a message_delta. True: the total changed, send an update. */
bool usage_message_start(struct usage *u, json message);
bool usage_message_delta(struct usage *u, json usage);
/* The `message` of a complete assistant frame: counts only when nothing was streamed since the last result,
 * so that an answer that came without stream events is not missed. The result's update tells it. */
void usage_assistant(struct usage *u, json message);
/* A `result`: adds to `turn` (NULL for an autonomous cycle, which only advances the reading), learns the
 * window. True: a real answer was seen since the last result, send an update. */
bool usage_result(struct usage *u, struct usage_turn *turn, struct usage_windows *w, json result);
/* A compact_boundary; an update is due. */
void usage_compacted(struct usage *u, json boundary);

/* Writes the members of a usage_update: used, size, cost?, _meta?. `result` (missing when the update is
 * not for one) gives cost and origin, `rate_limit` its rate_limit_info. */
void usage_put_update(struct buf *b, const struct usage *u, json result, json rate_limit);
/* Writes the member "usage" of a prompt response. */
void usage_put_response(struct buf *b, const struct usage_turn *t);
/* Writes the member "quota" of its _meta. */
void usage_put_quota(struct buf *b, const struct usage_turn *t);

#endif
