/* The AIR extension sessionFailure: warnings and errors as records of the transcript.
 *
 * A record describes one incident by an id; the same id with a higher revision updates it in place. The
 * id tells the incident's kind: a turn's failure has the prompt's uuid in it, so that retries and the final
 * error of one turn are one entry; an incident of the session and a notice have a number, which both share.
 * `struct failures` belongs to one session object, hands out ids and revisions, and remembers which incidents
 * are still active. Recovery ends that and is never sent.
 *
 * Kinds also name failures for clients without the extension, which get JSON-RPC errors. */
#ifndef HERALD_EXTENSION_SESSION_FAILURE_H
#define HERALD_EXTENSION_SESSION_FAILURE_H

#include "base/list.h"
#include "base/uuid.h"
#include "json/json.h"

enum failure_kind {
    FAILURE_ACCESS_DENIED,
    FAILURE_QUOTA_EXHAUSTED,
    FAILURE_RATE_LIMITED,
    FAILURE_CONTEXT_EXHAUSTED,
    FAILURE_BUDGET_EXHAUSTED,
    FAILURE_BAD_REQUEST,
    FAILURE_OVERLOADED,
    FAILURE_PROVIDER_ERROR,
    FAILURE_INTERNAL_ERROR,
    FAILURE_TRANSPORT_LOST,
    FAILURE_WORKER_SHUTDOWN,
    FAILURE_ADVISORY,
    FAILURE_AUTH_REQUIRED, /* never a record: the prompt ends with RPC_AUTH_REQUIRED */
};

enum failure_severity {
    FAILURE_WARNING,
    FAILURE_ERROR,
};

/* ---- What the CLI said ---------------------------------------------------------------------------- */

/* The kind of an assistant message's `error` (or of a retry's); absent and unknown ones are provider errors.
 */
enum failure_kind failure_kind_of_error(str error);
/* The kind of a result's subtype: the limits on turns, budget and structured output; false for others. */
bool failure_kind_of_subtype(str subtype, enum failure_kind *kind);
/* The text starts as one of the CLI's usage-limit messages does. */
bool failure_is_usage_limit(str text);
/* The text asks to sign in. */
bool failure_is_login(str text);
/* The same two of an assistant message (its `message` object): a synthetic one whose first text is a
 * usage limit; a synthetic one that is exactly one text block and asks to sign in. */
bool failure_is_usage_limit_message(json message);
bool failure_is_login_message(json message);
/* The text of an assistant message's text blocks, joined by line feeds. */
void failure_message_text(struct buf *b, json message);

/* ---- Titles --------------------------------------------------------------------------------------- */

/* Herald's own text for a kind. */
str failure_fallback_title(enum failure_kind kind);
/* Appends the title of a failure: the assistant's error text, else what the result says, as far as they are
 * for people, else the fallback; always the fallback when the connection is lost, so that no raw text gets
 * out. Either may be absent. */
void failure_title(struct buf *b, enum failure_kind kind, str assistant_text, json result);
/* Appends what a result says for itself: `result`, or the errors joined by ", ", or the subtype. */
void failure_result_text(struct buf *b, json result);
/* A system/api_retry frame: its kind and its title; false when it is not shown (a sign-in failure). */
bool failure_retry(json frame, enum failure_kind *kind, struct buf *title);
/* The model fallback notice: title and details (which stays empty when all fits in the title). */
void failure_advisory(struct buf *title, struct buf *details, str sentence, str explanation);

/* ---- Records -------------------------------------------------------------------------------------- */

struct failure_record {
    str id;
    int64_t revision;
    enum failure_kind kind;
    enum failure_severity severity;
    str title;
    str details; /* or absent */
};

/* Writes the record object. */
void failure_put(struct buf *b, const struct failure_record *r);
/* Writes the member "jetbrains":{"air":{"version":1,"sessionFailure":…}} of an open _meta object. */
void failure_put_air(struct buf *b, const struct failure_record *r);
/* Writes a _meta object with nothing else in it. */
void failure_put_meta(struct buf *b, const struct failure_record *r);
/* Writes the `data` of a JSON-RPC error, {"errorKind":…}; the caller leaves it out when the kind is absent.
 */
void failure_put_error_data(struct buf *b, str error_kind);

struct failures {
    struct list incidents; /* newest last; ended ones stay for their revisions, up to a limit */
    size_t count;
    char *session_id;
    size_t session_id_len;
    char epoch[UUID_SIZE];
    uint64_t number;          /* of the last session incident or notice */
    struct buf notice;        /* the text of the last notice, while nothing else came after it */
    struct incident *notices; /* that notice's incident */
};

/* False when memory or randomness is out; failures_free() is due either way. */
bool failures_init(struct failures *f, str session_id) WARN_UNUSED;
void failures_free(struct failures *f);

/* Each makes the next record of an incident. `title` and `details` are borrowed by the record; its id lives
 * as long as the incident is remembered (until after the record is written). False when memory is out or the
 * kind is FAILURE_AUTH_REQUIRED: nothing is to be sent. */
/* The failure of a turn, or a retry in it (a warning). */
bool failures_turn(struct failures *f, str prompt_uuid, enum failure_kind kind,
                   enum failure_severity severity, str title, struct failure_record *out);
/* An incident outside of any turn. One that follows an active warning of that sort updates it. */
bool failures_session(struct failures *f, enum failure_kind kind, enum failure_severity severity, str title,
                      struct failure_record *out);
/* A notice (FAILURE_ADVISORY, a warning). The same title again, with nothing between, updates it. */
bool failures_notice(struct failures *f, str title, str details, struct failure_record *out);
/* A stored usage-limit message; `user_uuid` is of the stored user message before it, or absent. */
bool failures_replayed(struct failures *f, str user_uuid, str message_uuid, str title,
                       struct failure_record *out);

enum failure_event {
    FAILURE_ON_MODEL_SUCCESS, /* a real model answered without an error, also in a replay */
    FAILURE_ON_RUNTIME,       /* the CLI process was replaced */
    FAILURE_ON_TURN_RESULT,   /* a result of the turn: failures of earlier turns end */
    FAILURE_ON_TURN_SUCCESS,  /* the turn succeeded: its warnings end */
};
/* Ends what the event recovers. `prompt_uuid` is of the turn for the turn's events, else absent. */
void failures_recover(struct failures *f, enum failure_event event, str prompt_uuid);
/* True when the incident was recorded and has not recovered. */
bool failures_active(const struct failures *f, str id);

#endif
