/* A file read line by line from its end, for what was written last. Waits for the disk. */
#ifndef HERALD_HISTORY_BACKWARDS_H
#define HERALD_HISTORY_BACKWARDS_H

#include "history/lines.h"

/* Calls `visit` with each line, without its line break, from the last to the first, until it says true. The
 * line is valid during the call. False when not all of the file could be read: it is not there, or holds a
 * line longer than LINES_LINE_MAX, or memory is out. */
bool lines_backwards(const char *path, bool (*visit)(void *user, str line), void *user);

#endif
