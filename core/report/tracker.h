/* What the client knows of each open tool call, so that an update carries only what changed.
 *
 * The field tracker is the session's: it remembers a hash of each top-level field that was sent and takes
 * equal ones out of later updates. A call is known by the key of its reports. The meta filter is the
 * connection's, for AIR only, and does the same for the _meta keys that AIR merges. Both keep XXH3-128
 * hashes, never the texts. */
#ifndef HERALD_REPORT_TRACKER_H
#define HERALD_REPORT_TRACKER_H

#include "report/report.h"

struct field_tracker;
struct field_tracker *field_tracker_new(void);
void field_tracker_free(struct field_tracker *t);
/* Takes out what the client has; false when nothing is left to send. A report that the tracker cannot
 * remember (memory is out) passes whole. */
bool field_tracker_pass(struct field_tracker *t, struct tool_report *r);
/* The content that a permission request showed stays until a report that may replace it. Only for a tracked
 * call. */
void field_tracker_pin(struct field_tracker *t, str key, str content);
/* Forgets the call: later updates pass unchanged. */
void field_tracker_end(struct field_tracker *t, str key);

struct meta_filter;
/* Remembers the last 2048 calls, each by its session and id: providers use ids again. */
struct meta_filter *meta_filter_new(void);
void meta_filter_free(struct meta_filter *f);
bool meta_filter_pass(struct meta_filter *f, str session, struct tool_report *r);

#endif
