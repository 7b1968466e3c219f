/* One report of a tool call: the ACP fields of a `tool_call` or `tool_call_update`, before a surface
 * shapes the message.
 *
 * Fields are JSON texts, ready to be written; an absent one is not part of the report. The renderer makes
 * reports from facts, the field tracker and the AIR meta filter take out what the client knows already.
 * Texts live in the arena of the message at hand. */
#ifndef HERALD_REPORT_REPORT_H
#define HERALD_REPORT_REPORT_H

#include "base/arena.h"
#include "json/json.h"

/* The tracked fields, in the order in which they are written. */
enum report_field {
    REPORT_STATUS,
    REPORT_TITLE,
    REPORT_KIND,
    REPORT_CONTENT,
    REPORT_LOCATIONS,
    REPORT_RAW_INPUT,
    REPORT_RAW_OUTPUT,
    REPORT_FIELDS,
};

enum meta_space {
    META_TOP,         /* _meta.<key> */
    META_CLAUDE_CODE, /* _meta.claudeCode.<key> */
    META_AIR,         /* _meta.jetbrains.air.<key>; the version member is written by itself */
};

struct meta_entry {
    enum meta_space space;
    str key;
    str json;
};

enum { REPORT_META_MAX = 48 };

struct tool_report {
    bool first; /* a tool_call; else a tool_call_update */
    str id;
    str key;  /* what the call is known by in Herald, where that is not the id; else absent */
    str name; /* of the tool; only in a first report, and in a permission request */
    str field[REPORT_FIELDS];
    struct meta_entry meta[REPORT_META_MAX];
    size_t meta_count;
    bool air_version;     /* _meta.jetbrains.air carries version: 1 (set when a META_AIR entry is added) */
    bool replaces_pinned; /* may replace content that a preview pinned */
    bool untracked;       /* does not pass the field tracker */
};

/* Adds an entry; one with an absent `text` (JSON), or beyond the limit, is left out. */
void tool_report_add_meta(struct tool_report *r, enum meta_space space, str key, str text);
/* What the call is known by in Herald. */
static inline str tool_report_key(const struct tool_report *r)
{
    return r->key.p ? r->key : r->id;
}
/* True when the report says nothing beyond its id. */
bool tool_report_empty(const struct tool_report *r);
/* Writes the value of `_meta`, an object; nothing and false when there are no entries. */
bool tool_report_put_meta(struct buf *b, const struct tool_report *r);
/* Writes the members of a tool call as a permission request shows it: toolCallId, name, the fields, _meta. */
void tool_report_put_call(struct buf *b, const struct tool_report *r);
/* Writes the fields alone; with `skip_null` those that are null are left out. */
void tool_report_put_fields(struct buf *b, const struct tool_report *r, bool skip_null);
/* Writes the members of an ACP v1 update object: sessionUpdate, toolCallId, name, the fields, _meta. */
void tool_report_put_v1(struct buf *b, const struct tool_report *r);

#endif
