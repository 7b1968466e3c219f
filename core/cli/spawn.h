/* What a process is started with, and what can be wrong with it beforehand. */
#ifndef HERALD_CLI_SPAWN_H
#define HERALD_CLI_SPAWN_H

#include "cli/process.h"

/* The arguments as uv_spawn() takes them, {launcher, its flag, our process id,} path, arguments…, NULL, and
 * in `*env` the environment. One block that the caller frees; the texts are borrowed, and that of our id is
 * in the block. */
char **spawn_vectors(const struct cli_spawn *spawn, const char *path, char ***env) WARN_UNUSED;
/* Looks at what can be wrong before it is tried, since the kernel has one word for all of it: false and a
 * sentence. A relative executable is refused: it would be one of the folder in which the process runs. */
bool spawn_check(const struct cli_spawn *spawn, struct buf *out);
/* The sentence for an executable that is there but could not be started. */
void spawn_launch_failure(struct buf *out, const char *path, str reason);

#endif
