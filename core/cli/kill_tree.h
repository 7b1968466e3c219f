/* Ending a process with everything that it started. */
#ifndef HERALD_CLI_KILL_TREE_H
#define HERALD_CLI_KILL_TREE_H

/* SIGKILL to the process group of `leader`, which is also the leader of its session, and on Linux to all
 * other processes of that session and all descendants that have left it. The caller has not reaped `leader`
 * yet, so that the id is its own. */
void kill_tree(int leader);

#endif
