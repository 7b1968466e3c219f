/* The text rules that reports share: code blocks, size labels, and how a block of a result is put into words.
 */
#ifndef HERALD_REPORT_BLOCKS_H
#define HERALD_REPORT_BLOCKS_H

#include "report/facts.h"

/* The text in a code block whose fence is longer than any that begins a line of it. */
str text_fence(struct arena *a, str language, str text);
/* The text in a code block of three backticks, whatever it holds. */
str text_error(struct arena *a, str text);
/* "512 B", "2.4 KB", "1.0 MB". */
str text_size(struct arena *a, uint64_t bytes);
/* The value as compact JSON text, however its sender laid it out; absent when it is missing. */
str text_json(struct arena *a, json v);

/* Adds one piece of content, and with it the list. The texts are not copied. */
void contents_add_text(struct arena *a, struct fact_contents *out, str text);
void contents_add_image(struct arena *a, struct fact_contents *out, str mime_type, str data);

/* The conversion of one block of a result, and of a whole one, into content; see the tool report rules. */
void facts_add_block(struct arena *a, struct fact_contents *out, json block, bool as_error);
void facts_add_result(struct arena *a, struct fact_contents *out, json result, bool as_error);

#endif
