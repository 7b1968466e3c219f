/* What an ACP v2 client has stored of each tool call.
 *
 * A v2 client keeps a tool call's `_meta`: a report that carries `_meta` replaces all of it, one without
 * leaves it as it is. So what the reports tell one by one is gathered here, and goes out whole when it
 * changes. Keys of claudeCode are merged one by one, every other key is replaced. The name of the tool goes
 * out once, and claudeCode.toolName, which repeats it, never.
 *
 * Also here: the terminal of a command that runs, which v2 updates beside the tool call.
 *
 * Keeps the TOOL_STORE_MAX calls that were used last, each with its own memory. */
#ifndef HERALD_ACP_V2_TOOL_STORE_H
#define HERALD_ACP_V2_TOOL_STORE_H

#include "base/list.h"
#include "report/report.h"

enum { TOOL_STORE_MAX = 2048 };

struct stored_meta {
    enum meta_space space;
    char *key, *json;
};

struct stored_call {
    struct list link; /* of all, the one used last at the end */
    char *session, *id;
    bool named;
    struct stored_meta meta[REPORT_META_MAX];
    size_t meta_count;
    bool air_version;
    bool terminal; /* its command runs in a terminal */
    char *command; /* that the terminal was last given; NULL: none */
};

struct tool_store;
struct tool_store *tool_store_new(void);
void tool_store_free(struct tool_store *ts);

/* The call's record, made when there is none. `starts`: the call begins, and what was stored of an earlier
 * one of this id counts no more. NULL when memory is out. */
struct stored_call *tool_store_open(struct tool_store *ts, str session, str id, bool starts);
/* The session is closed. */
void tool_store_forget(struct tool_store *ts, str session);

/* Takes over the report's `_meta`. True when the stored one is another one than before and must be sent. */
bool stored_call_take_meta(struct stored_call *call, const struct tool_report *r);
/* Writes the member `name`, unless the report has none that the client lacks. */
void stored_call_put_name(struct buf *b, struct stored_call *call, const struct tool_report *r);
/* Writes the member `_meta`, unless there is nothing in it. */
void stored_call_put_meta(struct buf *b, const struct stored_call *call);

#endif
