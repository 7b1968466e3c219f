/* The label of a lasting choice for the tools that read and write files.
 *
 * The choice is offered only for a bundle that lasts for the session, holds nothing but grants of the tool's
 * own kind and covers the very file that is asked about. */
#ifndef HERALD_PERMISSION_FILE_GRANT_H
#define HERALD_PERMISSION_FILE_GRANT_H

#include "permission/offer.h"

/* Appends the label for `updates` (of a change set). False when there is none, the tool is no file tool or
 * memory is out; what was appended then has no meaning. */
bool file_grant_label(struct arena *a, json updates, const struct permission_question *q,
                      const struct permission_setting *at, struct buf *label);

#endif
