/* The summary that a compaction leaves, without what is meant for the model alone. */
#ifndef HERALD_EXTENSION_COMPACTION_SUMMARY_H
#define HERALD_EXTENSION_COMPACTION_SUMMARY_H

#include "base/str.h"

/* Appends the summary in `text`: without its <analysis>, the inside of its <summary>; or what stands in the
 * message with which a compacted conversation goes on. False, and nothing is appended, when there is none:
 * the text is empty, or a continuation message of a form that is not known. */
bool compaction_summary_put(struct buf *out, str text);

#endif
