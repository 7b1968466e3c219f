/* A process's environment: an array of "NAME=value", ended by NULL; and one that is made out of another. */
#ifndef HERALD_PROVIDER_ENVIRONMENT_H
#define HERALD_PROVIDER_ENVIRONMENT_H

#include "base/arena.h"
#include "base/map.h"

/* The value of a variable; absent when it is unset or empty. */
str env_get(const char *const *env, const char *name);

/* Appends what tells apart where the CLI's calls go and who pays for them. It holds secrets and is never
 * logged. */
void env_put_backend(struct buf *b, const char *const *env);

/* Changes to an inherited environment. The last word about a name counts. */
struct env_change {
    str name;
    str value; /* absent: the variable is removed */
};
struct env_changes {
    struct arena *a;
    struct env_change *list;
    size_t n, cap;
    struct map at; /* from a name to its place + 1 */
};

/* Texts are copied into the arena. A name or value that an environment cannot hold is passed over. */
void env_set(struct env_changes *c, str name, str value);
void env_remove(struct env_changes *c, str name);
/* What a variable will be; absent when it will be unset or empty. */
str env_will_be(const struct env_changes *c, const char *const *inherited, const char *name);
/* The inherited variables in their order, then those that were set. NULL when memory is out. */
const char *const *env_build(struct env_changes *c, const char *const *inherited);
void env_changes_free(struct env_changes *c);

#endif
