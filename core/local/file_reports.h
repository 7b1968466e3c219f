/* The reports of the files that a turn has changed, when the client asked for one with its prompt: the CLI
 * says what a rewind would restore, the disk what of it is in the session's folders. A report holds the CLI's
 * frames and the turn's answer until then, or until a cancel or the CLI's end overtakes it. */
#ifndef HERALD_LOCAL_FILE_REPORTS_H
#define HERALD_LOCAL_FILE_REPORTS_H

#include "local/local_host.h"

/* The turn is about to be answered so. True when the answer must wait for turns_settled(), which follows;
 * only with `may_wait`. */
bool file_reports_before_answer(struct local_work *lw, const struct turn *t, const struct turn_end *end,
                                bool may_wait);
/* What waits is overtaken: it is told now, and its turn is answered by whoever overtakes it. */
void file_reports_overtake(struct local_work *lw, enum file_report_reason reason);

#endif
