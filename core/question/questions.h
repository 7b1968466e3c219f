/* The CLI's questions: may a tool run, what does the person answer, what does an MCP server want to know.
 *
 * Any number can be open at once. Each is answered exactly once, or not at all when its CLI is gone. */
#ifndef HERALD_QUESTION_QUESTIONS_H
#define HERALD_QUESTION_QUESTIONS_H

#include "base/list.h"
#include "question/question_host.h"

/* Those of a session that are not over; a question keeps the host until it is freed. */
struct questions {
    struct question_host host;
    struct list list;
};

void questions_init(struct questions *qs, const struct question_host *host);

/* A control_request of the CLI at hand: can_use_tool, elicitation or request_user_dialog. Another one, or one
 * that cannot be read or kept, is refused. */
void questions_ask(struct questions *qs, json frame);
/* The CLI withdraws the question of this id, if it is there. */
void questions_withdraw(struct questions *qs, str request_id);
/* All end without an answer of the client's: the session or its CLI ends. */
void questions_drop(struct questions *qs);

/* Calls `visit` for each question that the client is asked and has not answered, with the subagent that asks
 * (absent: the main conversation), until it says true. Whether one did. */
bool questions_any(const struct questions *qs, bool (*visit)(str agent_id, void *user), void *user);

#endif
