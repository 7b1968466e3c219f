/* The CLI's permission suggestions: a bundle that is valid as a whole, or nothing.
 *
 * A change set owns a copy of the suggestions as they came. Labels are made from it and the very same text
 * goes back to the CLI, so what a person agreed to is what is applied, however late the answer comes. Members
 * that are not known stay in the copy. */
#ifndef HERALD_PERMISSION_SUGGESTIONS_H
#define HERALD_PERMISSION_SUGGESTIONS_H

#include "json/json.h"

enum {
    SUGGESTIONS_MAX = 100,
    SUGGESTION_RULES_MAX = 100,
    SUGGESTION_DIRECTORIES_MAX = 100,
    SUGGESTION_TOOL_NAME_MAX = 512,
    SUGGESTION_RULE_MAX = 10000,
    SUGGESTION_DIRECTORY_MAX = 4096,
};

struct change_set {
    struct json_doc *doc; /* the suggestions, an array; NULL when there is no change set */
    bool plain;           /* every tool name, rule and directory can stand in a label honestly */
};
#define CHANGE_SET_NONE ((struct change_set){NULL, false})

/* Reads `permission_suggestions`. None when one entry is not valid, the list is empty or too long, or memory
 * is out. */
struct change_set change_set_read(json suggestions);
void change_set_free(struct change_set *c);
static inline bool change_set_present(const struct change_set *c)
{
    return c->doc != NULL;
}
static inline json change_set_updates(const struct change_set *c)
{
    return c->doc ? json_root(c->doc) : JSON_NONE;
}
/* A mode id of the CLI's. */
bool permission_mode_known(str mode);

#endif
