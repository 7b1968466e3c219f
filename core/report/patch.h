/* Exact patches of files: sources from the disk, line diffs, Git's text of them, previews and final changes.
 *
 * Follows the contract's "Diff patch". Functions named read_ touch the disk and may run on a worker thread;
 * they use nothing but their arguments. The others are pure. */
#ifndef HERALD_REPORT_PATCH_H
#define HERALD_REPORT_PATCH_H

#include "client/capabilities.h"
#include "report/facts.h"

enum { PATCH_TEXT_MAX = 1024 * 1024, PATCH_TIME_MS = 100 };

/* The text of a file as a patch can use it. */
enum source_state {
    SOURCE_MISSING,  /* no such file */
    SOURCE_TEXT,     /* its text, valid UTF-8 without CR, at most PATCH_TEXT_MAX bytes */
    SOURCE_UNUSABLE, /* not readable, not a regular file, too large, binary, not UTF-8, or with a CR */
};
struct file_source {
    enum source_state state;
    bool has_cr; /* why it is unusable */
    struct buf text;
};
/* Never blocks on a FIFO or device. The caller frees source->text. `path` is absolute. */
void read_file_source(const char *path, struct file_source *source);
void file_source_free(struct file_source *source);

/* Where a hunk begins in the new file. */
struct patch_line {
    struct patch_line *next;
    int64_t line;
};

struct patch {
    str text;                 /* the whole patch */
    struct patch_line *lines; /* newStart of each hunk */
};

/* The patch that makes `new_text` of `old_text` (absent: the file is created). False when there is no
 * difference, it takes too long, or memory is out. `path` is written by Git's rules; with `prefixes` as a/…
 * and b/… */
bool patch_make(struct arena *a, str path, bool prefixes, str old_text, str new_text, struct patch *out);

/* The content (a JSON array) that shows an edit before it is approved, from the file as it is now; absent
 * when there is no preview. `path` is the edit's path, resolved. `textless` becomes true when neither the
 * content nor what the call shows already holds the new text of a file. */
str preview_content(struct arena *a, const struct client_capabilities *c, const struct fact_edit *edit,
                    str path, const struct file_source *source, bool *textless);

/* The content and locations (JSON arrays, each absent when there is none) of a change that has happened.
 * `source` is the file as it is now, read only for a client that wants patches (else NULL). `path` is the
 * change's path, resolved. */
void final_change(struct arena *a, const struct client_capabilities *c, const struct fact_file_change *change,
                  str path, const struct file_source *source, str *content, str *locations);
/* Whether final_change() needs the file for this client. */
bool final_change_needs_source(const struct client_capabilities *c, const struct fact_file_change *change);

/* The diff block of an edit that is not a patch: {"type":"diff","path":…,"oldText":…,"newText":…}. */
void put_edit_diff(struct buf *b, const struct fact_edit *edit);

#endif
