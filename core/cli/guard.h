/* The last line against orphans: a tiny process beside each CLI that outlives Herald just long enough.
 *
 * The kernel's parent-death signal asks a CLI to go when Herald is gone, however it went; a CLI that hangs,
 * is stopped or ignores the request would stay. The guard waits for either of the two to end. When the CLI
 * ends it goes as well; when Herald ends it gives the CLI GUARD_GRACE_MS and then kills it with its
 * descendants. It holds no descriptor of theirs, is in a session of its own and needs next to no memory of
 * its own. */
#ifndef HERALD_CLI_GUARD_H
#define HERALD_CLI_GUARD_H

enum { GUARD_GRACE_MS = 1000 };

/* Starts a guard for the calling process, which is about to become the CLI, against the end of `herald` (a
 * process id). Called by the launcher, before any thread. A guard that cannot be started is done without. */
void guard_start(int herald);

#endif
