/* Whether a tool's input is another one than the client was shown.
 *
 * Claude tells the input of a call several times: in the message, in a question about it and in the hooks
 * around it. These differ also when nobody has touched it, because Claude fills in defaults, turns "5" into
 * 5 and "true" into true, gives a key its proper name, makes a path absolute, leaves out what the tool does
 * not know. A hook of the user's that rewrites the input is told apart from that by the values alone. */
#ifndef HERALD_TOOL_INPUT_CHANGE_H
#define HERALD_TOOL_INPUT_CHANGE_H

#include "json/json.h"

struct input_setting {
    str cwd, home; /* what a relative path and "~" mean */
    bool exact;    /* Claude passes the input on as it is: of an MCP tool */
    bool added;    /* keys at the top that were not there are no change: Herald itself has added some */
};

enum input_change {
    INPUT_SAME,
    INPUT_FILLED, /* a number was added, which can be a default: what the tool makes of it decides */
    INPUT_CHANGED,
};
enum input_change input_compare(json shown, json given, const struct input_setting *at);

#endif
