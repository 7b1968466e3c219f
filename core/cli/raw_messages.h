/* Raw messages of the CLI, for a client that asked for them in `_meta.claudeCode.emitRawSDKMessages`. */
#ifndef HERALD_CLI_RAW_MESSAGES_H
#define HERALD_CLI_RAW_MESSAGES_H

#include "json/json.h"

/* Whether the client wants the message. `wanted` is what it asked for: true, or an array of filters
 * {type, subtype?, origin?}, of which one must fit. What belongs to the control protocol is nobody's. */
bool raw_message_wanted(json wanted, json message);

#endif
