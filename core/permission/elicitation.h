/* Questions of MCP servers and of the CLI itself that are neither tool permissions nor AskUserQuestion.
 *
 * Both become elicitation/create and both are answered with a control response. The functions map one message
 * to the other and keep nothing. What cannot be shown is answered at once, and never with an acceptance. */
#ifndef HERALD_PERMISSION_ELICITATION_H
#define HERALD_PERMISSION_ELICITATION_H

#include "client/capabilities.h"
#include "json/json.h"

/* Responses (JSON) for questions that nobody answers. */
#define ELICITATION_DECLINE                                                                                  \
    "{\"action\":\"decline\"}" /* cannot be shown, or the client answered with an error */
#define ELICITATION_CANCEL    "{\"action\":\"cancel\"}"      /* aborted */
#define USER_DIALOG_CANCELLED "{\"behavior\":\"cancelled\"}" /* cannot be shown, client error, aborted */

/* The parameters of elicitation/create for an MCP server's `request` (subtype elicitation). `fallback_id` is
 * the elicitation id of a url request that has none. False, and nothing is written, when this client cannot
 * show it: decline. */
bool elicitation_put_request(struct buf *b, json request, const struct client_capabilities *client,
                             str session_id, str fallback_id);
/* The control response for the client's result, {action, content?}. */
void elicitation_put_answer(struct buf *b, json result);

/* The parameters of elicitation/create for a request_user_dialog. False, and nothing is written, for a dialog
 * that is not known or malformed: USER_DIALOG_CANCELLED. */
bool user_dialog_put_request(struct buf *b, json request, str session_id);
/* The control response for the client's result. */
void user_dialog_put_answer(struct buf *b, json result);

#endif
