/* The stored transcripts of a session's subagents, and the tool calls that began them.
 *
 * They lie beside the session's transcript, all in one folder, also those of subagents of subagents:
 * <session id>/subagents/agent-<agent id>.jsonl, each with a .meta.json that names its tool call. One without
 * it, or with a damaged one, belongs to no call. All of this waits for the disk and is not for the loop
 * thread. */
#ifndef HERALD_HISTORY_CHILD_FILES_H
#define HERALD_HISTORY_CHILD_FILES_H

#include "base/arena.h"
#include "base/map.h"

enum { CHILD_FILES_MAX = 16384, CHILD_META_MAX = 256 * 1024 };

struct child_files {
    struct arena mem;
    struct map by_call; /* tool call id → path, in `mem` */
};

/* Looks for the files of the session whose transcript this is. child_files_free() is due. */
void child_files_find(struct child_files *cf, const char *transcript);
void child_files_free(struct child_files *cf);
/* The transcript of the subagent that this call began, once; NULL when there is none, or no longer. Lives as
 * long as the table. */
const char *child_files_take(struct child_files *cf, str call);

#endif
