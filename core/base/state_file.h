/* Small files that Herald keeps for itself in its state folder, for this user alone.
 *
 * A reader sees the old text or the new one, never a part. All of this waits for the disk and is not for the
 * loop thread. A name must be no path; an absent folder holds nothing. */
#ifndef HERALD_BASE_STATE_FILE_H
#define HERALD_BASE_STATE_FILE_H

#include "base/arena.h"

/* Appends what the file holds, `max` bytes at most. False when there is no such file, or it is longer. */
bool state_file_read(struct buf *out, str folder, str name, size_t max);
/* Makes the folder when it is not there. 0, or the errno. */
int state_file_write(str folder, str name, str text) WARN_UNUSED;
void state_file_remove(str folder, str name);
/* It is in use: the sweep lets it be for another year. */
void state_file_touch(str folder, str name);
/* Removes the files that nobody has changed or touched for a year. */
void state_folder_sweep(str folder);

#endif
