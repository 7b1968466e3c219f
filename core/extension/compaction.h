/* Context compaction, as the client is told about it: as the ACP session compaction draft has it
 * (compaction_update, compaction_summary_chunk) for a client that declares session.compaction, else as a tool
 * call of Herald's own making.
 *
 * A compaction begins with a status of the CLI, whose uuid names it, and ends with another; a boundary that
 * follows adds what is known about it:
 *
 *     NONE --compacting--> RUNNING --success, failure, boundary--> ENDED --boundary--> ENDED (its facts)
 *     NONE --success, failure, boundary--> ENDED, told in one message
 *     ENDED --compacting--> RUNNING, another one
 *     RUNNING, ENDED --the end of the turn, a cancel--> NONE
 *
 * Invariants: a compaction has one ending, which only a boundary repeats; one that the turn leaves running is
 * ended with it; after a cancel nothing is told until the next prompt begins. */
#ifndef HERALD_EXTENSION_COMPACTION_H
#define HERALD_EXTENSION_COMPACTION_H

#include "client/capabilities.h"
#include "report/report.h"

enum compaction_state { COMPACTION_NONE, COMPACTION_RUNNING, COMPACTION_ENDED };

/* Where the messages go. The texts live during the call. */
struct compaction_sink {
    void (*tool)(void *user, struct tool_report *report);
    void (*update)(void *user, const char *name, str members);
};

struct compaction {
    const struct client_capabilities *client;
    const struct compaction_sink *sink;
    void *user;
    enum compaction_state state;
    bool entity;    /* the form of the compaction at hand: compaction_update, else a tool call */
    bool text_told; /* a tool call was told, once, that text comes */
    bool stopped;   /* a cancel came: nothing is told until the next prompt */
    bool output;    /* a compaction was completed since the last result */
    struct buf id;
    struct buf chunks;  /* the summary as it was streamed */
    struct buf summary; /* the summary that the CLI's hook told */
    struct buf error;   /* of a failed one, while the CLI may still print it */
};

/* `client` and `sink` outlive the object. */
void compaction_init(struct compaction *c, const struct client_capabilities *client,
                     const struct compaction_sink *sink, void *user);
void compaction_free(struct compaction *c);

/* Frames: system/status, system/compact_boundary; a streamed piece of the summary in the message `uuid`; the
 * input of the PostCompact hook. */
void compaction_on_status(struct compaction *c, json frame);
void compaction_on_boundary(struct compaction *c, json frame);
void compaction_on_text(struct compaction *c, str uuid, str text);
void compaction_on_hook(struct compaction *c, json input);

/* session/cancel; then nothing is told of compactions until the work of another prompt begins. */
void compaction_interrupt(struct compaction *c);
void compaction_accept(struct compaction *c);
/* The turn ends, or the CLI is idle: one that still runs will not end by itself. */
void compaction_close(struct compaction *c);
/* A result was handled. */
void compaction_on_result(struct compaction *c);

/* A compaction was shown since the last result: what the CLI prints about it is not. */
bool compaction_has_output(const struct compaction *c);
/* The text is the error of the last failed compaction, which was shown; true only once for each failure. */
bool compaction_take_error(struct compaction *c, str text);

#endif
