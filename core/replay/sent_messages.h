/* The messages that a stored conversation sent to its subagents, by SendMessage: what a subagent's transcript
 * says that it was told has no word of the call that did so. */
#ifndef HERALD_REPLAY_SENT_MESSAGES_H
#define HERALD_REPLAY_SENT_MESSAGES_H

#include "base/list.h"
#include "history/records.h"

enum { SENT_MESSAGES_MAX = 4096 };

struct sent_messages {
    struct arena mem;
    struct list list; /* struct sent_message, the oldest first */
    bool read;
};

void sent_messages_init(struct sent_messages *sm);
void sent_messages_free(struct sent_messages *sm);
/* Reads the messages of a transcript, the first time. Not on the loop thread. */
void sent_messages_read(struct sent_messages *sm, struct records *r);
/* The call by which this text was sent to the agent of this id and name (may be absent), the first one that
 * was not taken yet; absent when there is none. */
str sent_messages_take(struct sent_messages *sm, str agent, str name, str text);

/* What was said, of the stored text that the agent was told. */
str told_text(str stored);

#endif
