/* The goal of a session, tied to it: the commands that set and clear it, what the CLI reports of it, and what
 * is stored of it. The rules are extension/goal.h's.
 *
 * A CLI that has ended a goal, or taken one up again with a stored session, notes so in the transcript and
 * says nothing. So the transcript is read, on a worker: when the CLI goes idle while a goal is active, and
 * when a stored session was opened. Only a client that is told of goals costs this. */
#ifndef HERALD_SESSION_GOAL_H
#define HERALD_SESSION_GOAL_H

#include "session/session.h"

/* A message with this first text was written to the CLI. */
void session_goal_sent(struct session *s, str first_text, str uuid);
/* A message with this first text must not wait for the work that runs: it clears a goal that would keep that
 * going. */
bool session_goal_is_urgent(const struct session *s, str first_text);
/* An active_goal frame; a result of the user's; the CLI is idle. */
void session_goal_reported(struct session *s, json frame);
void session_goal_on_result(struct session *s, json result);
void session_goal_idle(struct session *s);
/* A client has opened a session that was there before: it is told of an active goal. */
void session_goal_opened(struct session *s);

#endif
