/* Whether a text that came with a failure was written for people.
 *
 * What the CLI says of a failure is mostly a sentence for its user, but it can be what a program says to its
 * programmers: an exception with its stack, an address, a path of the machine, the name of an error, a key.
 * Such a text is shown to nobody. */
#ifndef HERALD_EXTENSION_FAILURE_TEXT_H
#define HERALD_EXTENSION_FAILURE_TEXT_H

#include "base/str.h"

bool failure_text_is_for_people(str text);

#endif
