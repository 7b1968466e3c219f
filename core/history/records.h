/* A stored session as a table of its records: what each is, where it is in the file and what it hangs on.
 *
 * A transcript is JSONL, one record a line, and may be huge. It is read once, line by line; of each record
 * that is part of the conversation's tree only a row is kept. The record itself is read again when it is
 * needed. Lines that are no record (broken, torn, of another type, without a uuid) are passed over. When a
 * uuid comes twice the later record takes the place of the earlier one.
 *
 * A `parent` that the file does not hold is RECORD_NONE. Parents may form a cycle: whoever walks up looks out
 * for it. */
#ifndef HERALD_HISTORY_RECORDS_H
#define HERALD_HISTORY_RECORDS_H

#include "base/map.h"
#include "history/lines.h"
#include "json/json.h"

enum {
    RECORDS_MAX = 4000000, /* rows; what follows is ignored */
    RECORD_ID_MAX = 256,   /* bytes of a uuid or message id; a longer one is none */
};
#define RECORD_NONE SIZE_MAX

enum record_type { RECORD_USER, RECORD_ASSISTANT, RECORD_ATTACHMENT, RECORD_SYSTEM, RECORD_PROGRESS };

enum record_flag {
    RECORD_SIDECHAIN = 1,
    RECORD_TEAM = 2,        /* carries a team's name */
    RECORD_META = 4,        /* written for the model */
    RECORD_QUEUED = 8,      /* an attachment that is a prompt sent while a turn ran */
    RECORD_RESULT = 16,     /* a user record that holds a tool result */
    RECORD_BOUNDARY = 32,   /* the compact_boundary of a compaction */
    RECORD_REPLACED = 64,   /* a later record has its uuid: it does not count */
    RECORD_TOLD = 128,      /* what another agent said to the one whose transcript this is */
    RECORD_SENDS = 256,     /* an assistant's that holds a use of SendMessage */
    RECORD_SUMMARY = 512,   /* a user record: what a compaction left of the conversation */
    RECORD_BRIEFING = 1024, /* an attachment that briefs a fork: it is no end of a branch */
};

/* What a user record says, as far as that tells whether a queued prompt before it was delivered. */
enum record_voice {
    VOICE_OTHER,
    VOICE_INTERRUPTION, /* the CLI's words about one */
    VOICE_CAVEAT,       /* a command that ran without the model follows: */
    VOICE_COMMAND,      /* it, */
    VOICE_OUTPUT,       /* and what it printed */
};

struct record {
    str uuid;
    str wire;      /* what the client knows it by: the message id of an assistant's, else its uuid */
    str source;    /* a result's sourceToolAssistantUUID, a queued prompt's source_uuid; absent: none */
    str parent_id; /* parentUuid; absent: none */
    size_t parent; /* its row */
    uint64_t offset;
    uint32_t length;
    unsigned char type;
    unsigned char voice;
    uint16_t flags;
    union {
        struct preserved *preserved; /* of a boundary: what the compaction kept; NULL: nothing */
        struct aside *aside;         /* of an attachment; never NULL */
    };
};

/* What is known of an attachment. */
struct aside {
    str time;
    str delivery;  /* of a queued prompt: the delivery that its queue speaks of; absent: none */
    uint64_t body; /* a hash of it whole */
};

/* The older records that a compaction kept, and the one that they follow. */
struct preserved {
    str anchor;
    str head, tail; /* a chain, from the tail up to the head; or */
    str *list;      /* single records; NULL: a chain */
    size_t n;
};

struct records {
    struct arena mem;
    struct lines file; /* open for record_read() */
    struct record *rows;
    size_t n, cap;
    struct map by_uuid; /* uuid → its row's number + 1 */
    /* How many prompts the queue says were taken in during a turn: 'd' and a delivery, or 'c' and a source's
     * uuid → that number. */
    struct map absorbed;
    struct buf line; /* scratch of record_read() */
};

/* Not on the loop thread. False when there is no such file or memory is out; records_free() is due either
 * way. */
bool records_load(struct records *r, const char *path) WARN_UNUSED;
void records_free(struct records *r);
/* How many prompts of this delivery ('d') or source ('c') the queue says were taken in; 0: it says nothing.
 */
size_t records_absorbed(const struct records *r, char kind, str id);
/* The row of a uuid, or RECORD_NONE. */
size_t records_find(const struct records *r, str uuid);
/* Reads the record of a row again; NULL when it cannot be read any more. */
struct json_doc *record_read(struct records *r, size_t row) WARN_UNUSED;
static inline bool record_counts(const struct record *r)
{
    return !(r->flags & RECORD_REPLACED);
}
/* The content of a user or assistant record, or the prompt of a queued one. */
json record_content(json root);

#endif
