/* The session's plan: whole plans (TodoWrite), and the task list that the Task tools and hooks change step by
 * step.
 *
 * Only the text of the last plan that was sent is kept, so that AIR does not get it twice. A list has at most
 * 2000 tasks; what is beyond is left out. */
#ifndef HERALD_TOOL_PLAN_LIST_H
#define HERALD_TOOL_PLAN_LIST_H

#include "base/list.h"
#include "report/facts.h"

struct plan_list {
    struct list tasks; /* struct plan_task, in the order in which they are shown */
    size_t count;
    struct buf sent; /* the entries that were sent last; empty: none */
};

void plan_list_init(struct plan_list *p);
void plan_list_free(struct plan_list *p);
/* Applies the changes in their order; one that memory does not suffice for is left out. */
void plan_list_change(struct plan_list *p, const struct fact_task_change *changes);
/* Adds a pending task of an id that is not known; true when it did. */
bool plan_list_created(struct plan_list *p, str id, str subject);
/* Completes a known task; true when it changed. */
bool plan_list_completed(struct plan_list *p, str id);
/* A task is not completed. */
bool plan_list_unfinished(const struct plan_list *p);
/* The entries as an ACP array. */
void plan_list_put(struct buf *b, const struct plan_list *p);
void plan_entries_put(struct buf *b, const struct fact_plan_entry *entries);
/* Remembers the entries as sent; false when they are the same as the last ones. */
bool plan_list_sent(struct plan_list *p, str entries);

#endif
