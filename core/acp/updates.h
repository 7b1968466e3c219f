/* What sessions have to say, as far as all versions write it alike. Every message is written straight into
 * the connection's output. The functions fit into a surface table; `self` is the connection. */
#ifndef HERALD_ACP_UPDATES_H
#define HERALD_ACP_UPDATES_H

#include "acp/version.h"

/* Begins {"sessionId":…,"update":{"sessionUpdate":kind of a session/update; without a kind the caller writes
 * it. The members follow, and then the end. */
struct buf *acp_begin_update(struct connection *c, str session, const char *kind);
void acp_end_update(struct connection *c, struct buf *b);

void acp_say_text(void *self, str session, enum message_role role, str message_id, str text, str meta);
void acp_say_block(void *self, str session, enum message_role role, str message_id, str block, str meta);
void acp_say_commands(void *self, str session, str commands);
void acp_say_options(void *self, str session, str options);
void acp_say_usage(void *self, str session, str members);
void acp_say_info(void *self, str session, str members);
void acp_say_notice(void *self, str session, const char *severity, str title, str description);
void acp_say_update(void *self, str session, const char *name, str members);
void acp_say_raw(void *self, str session, json message);
void acp_say_auth_status(void *self, str status);
/* A request to the client, whose parameters are ready. */
uint64_t acp_ask(struct connection *c, const char *method, str params, surface_answer_cb *cb, void *user);
uint64_t acp_ask_elicitation(void *self, str params, surface_answer_cb *cb, void *user);
void acp_withdraw(void *self, uint64_t request);
void acp_notify(void *self, const char *method, str params);

#endif
