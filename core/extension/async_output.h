/* Where the output of a background task goes, as the result of its tool call says; for async_tasks.c. */
#ifndef HERALD_EXTENSION_ASYNC_OUTPUT_H
#define HERALD_EXTENSION_ASYNC_OUTPUT_H

#include "extension/async_tasks.h"

/* Keeps the output paths in a result, for a task that is known by its call later. */
void async_output_remember(struct async_tasks *at, str call_id, str text);
/* Sets the task's output path when a result of its call named it and nothing did before. */
void async_output_of_call(struct async_tasks *at, struct async_task *t);
void async_outputs_free(struct async_tasks *at);

#endif
