/* The AIR extension agentFileChangeReport: the files that a prompt's turn changed, as one list before its
 * answer.
 *
 * A prompt asks for it with an id of its own. At the turn's normal end the CLI is asked which files a rewind
 * to the prompt would restore; any other end tells that there is no list, and why. Exactly one report goes
 * out for each accepted request.
 *
 * The paths are made canonical on the disk (for a worker thread); all else is text. */
#ifndef HERALD_EXTENSION_FILE_CHANGE_REPORT_H
#define HERALD_EXTENSION_FILE_CHANGE_REPORT_H

#include "base/map.h"
#include "json/json.h"

enum {
    FILE_REPORT_LIMIT_MS = 2000, /* for the CLI's answer */
    FILE_REPORT_PATHS_MAX = 1024,
    FILE_REPORT_PATH_MAX = 4096, /* UTF-16 units */
    FILE_REPORT_BYTES_MAX = 256 * 1024,
};

struct file_reports {
    struct map seen; /* request ids of the session */
    struct map open; /* prompt uuid → request id, an owned C string */
};
void file_reports_free(struct file_reports *fr);

/* The request of a prompt's `_meta`, when it is well-formed and its id new: it is remembered under the
 * prompt's uuid. */
void file_reports_accept(struct file_reports *fr, json meta, str uuid);
/* The prompt's open request is taken out: its id, which the caller frees; NULL when there is none. */
char *file_reports_take(struct file_reports *fr, str uuid);

/* Why there is no list. */
enum file_report_reason {
    FILE_REPORT_CANCELLED,
    FILE_REPORT_TIMEOUT,
    FILE_REPORT_INVALID,
    FILE_REPORT_PROVIDER
};

/* Which paths may be told. */
struct file_report_places {
    str cwd;
    const str *roots; /* the cwd and the additional folders */
    size_t n;
};
/* The list that the CLI's answer gives: canonical paths below the roots, without repetition. */
struct file_report_list {
    struct arena mem;
    const str *paths;
    size_t n;
    bool truncated;
};
/* True when the CLI's answer has a list; else the reason is FILE_REPORT_INVALID. */
bool file_report_readable(json answer);
/* Fills the list from `filesChanged`; looks at the disk. The list is freed with its arena. */
void file_report_list(struct file_report_list *list, json files, const struct file_report_places *places);

/* Write the `_meta` member of the session info update. */
void file_report_put(struct buf *b, str request, const struct file_report_list *list);
void file_report_put_unavailable(struct buf *b, str request, enum file_report_reason reason);

#endif
