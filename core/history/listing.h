/* A page of the stored sessions, newest first.
 *
 * Candidates are all files that are named as a session; they are sorted by modification time, and summaries
 * are read from the newest on only until the page is full. What was read is remembered by file, size and
 * time, so that the next page or a repeat costs one stat for each file. One listing runs at a time for each
 * cache; all of it waits for the disk. A row has the id that means its conversation. */
#ifndef HERALD_HISTORY_LISTING_H
#define HERALD_HISTORY_LISTING_H

#include "base/map.h"
#include "history/conversations.h"

enum {
    LISTING_PAGE = 1000,
    LISTING_CACHE_MAX = 20000, /* files that are remembered */
};

struct listing_cache {
    struct map files; /* path → struct known_file */
};
#define LISTING_CACHE_INIT ((struct listing_cache){MAP_INIT})
void listing_cache_free(struct listing_cache *c);

struct listing_request {
    struct conversation_place place;
    str cwd; /* absolute; absent: all sessions */
    uint64_t offset;
    bool hide_archived;
};

/* Appends {"sessions":[…],"nextCursor"?} to `out`. */
void listing_put(struct buf *out, struct listing_cache *c, const struct listing_request *rq);

#endif
