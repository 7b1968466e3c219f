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

/* A transcript, and what its meta file says of the subagent; each text may be absent but the first two. */
struct child_file {
    const char *path;
    str agent; /* its id */
    str name, type, description;
    bool taken;
};

struct child_files {
    struct arena mem;
    struct map by_call; /* tool call id → struct child_file, in `mem` */
};

/* Looks for the files of the session whose transcript this is. child_files_free() is due. */
void child_files_find(struct child_files *cf, const char *transcript);
void child_files_free(struct child_files *cf);
/* That of the subagent which this call began, or NULL. Lives as long as the table. */
const struct child_file *child_files_of(const struct child_files *cf, str call);
/* Its path, once; NULL when there is none, or no longer. */
const char *child_files_take(struct child_files *cf, str call);

#endif
