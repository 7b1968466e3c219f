/* What a list of sessions says of one, from the two ends of its transcript.
 *
 * Only the first and the last SUMMARY_WINDOW bytes are read, so that a list of thousands of files stays
 * cheap. Keys are looked for in the text of the windows; a line is parsed only for the first prompt. Titles
 * come from many places, of which the first in a fixed order counts. */
#ifndef HERALD_HISTORY_SUMMARY_H
#define HERALD_HISTORY_SUMMARY_H

#include "base/arena.h"
#include "base/uuid.h"

enum {
    SUMMARY_WINDOW = 64 * 1024,
    SIDECAR_TITLE_MAX = 200, /* UTF-16 units */
};

struct summary {
    bool session; /* the file can be a person's session; a title is still needed */
    str custom; /* the title that a person gave, from the tail; absent or a text that is not empty, as all of
                   these */
    str custom_head;           /* ... from the head */
    str generated;             /* the model's title */
    str first_prompt;          /* or its command, or the name of its first picture */
    str fallback;              /* the last prompt, an old summary, or the first prompt */
    str cwd;                   /* the recorded working folder; absent: none */
    str name;                  /* the name that archiving changes */
    char continued[UUID_SIZE]; /* the session that took this one's place, if that has a history; "": none */
};

/* What the windows of a file hold, reused for many files. */
struct summary_windows {
    struct buf head, tail;
};
#define SUMMARY_WINDOWS_INIT ((struct summary_windows){BUF_INIT, BUF_INIT})
void summary_windows_free(struct summary_windows *w);
/* False when the file is empty or cannot be read. */
bool summary_windows_read(struct summary_windows *w, const char *path) WARN_UNUSED;
/* Texts are copies in `a`. */
void summary_read(struct summary *s, struct arena *a, const struct summary_windows *w);

/* The title, with that of the custom-title.json beside the transcript at `path`; absent when there is none:
 * then it is no session. */
str summary_title(const struct summary *s, struct arena *a, str path);
/* The part of it that a person (or a fork, or archiving) gave; absent: none. */
str summary_given_title(const struct summary *s, struct arena *a, str path);
/* The title as it goes out: white space squeezed, cut to 256 UTF-16 units. */
void title_sanitize(struct buf *out, str title);
/* The title begins with the archive's mark, and what follows it. */
bool title_is_archived(str title);
str title_without_mark(str title);

/* Appends at most `max` UTF-16 units of `s`; true when something was cut off. */
bool utf16_cut(struct buf *out, str s, size_t max);

#endif
