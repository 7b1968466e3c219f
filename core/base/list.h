/* An intrusive doubly linked list with a sentinel, in the manner of the BSD and Linux lists. */
#ifndef HERALD_BASE_LIST_H
#define HERALD_BASE_LIST_H

#include <stdbool.h>

#include "base/macros.h"

struct list {
    struct list *prev, *next;
};

static inline void list_init(struct list *head)
{
    head->prev = head->next = head;
}
static inline bool list_empty(const struct list *head)
{
    return head->next == head;
}
static inline void list_append(struct list *head, struct list *item)
{
    item->prev = head->prev;
    item->next = head;
    head->prev->next = item;
    head->prev = item;
}
/* Removes the item; it may be removed again without harm. */
static inline void list_remove(struct list *item)
{
    item->prev->next = item->next;
    item->next->prev = item->prev;
    list_init(item);
}
#define LIST_ENTRY(item, type, member) CONTAINER_OF(item, type, member)
#define LIST_FIRST(head, type, member) (list_empty(head) ? NULL : LIST_ENTRY((head)->next, type, member))
/* The current item may be removed inside the loop. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type */
#define LIST_EACH(var, head, type, member)                                                                   \
    for (type *var = LIST_ENTRY((head)->next, type, member),                                                 \
              *next_##var = LIST_ENTRY(var->member.next, type, member);                                      \
         &var->member != (head);                                                                             \
         var = next_##var, next_##var = LIST_ENTRY(next_##var->member.next, type, member))
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
