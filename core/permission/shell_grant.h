/* The label of a lasting choice for Bash and PowerShell.
 *
 * A shell bundle can name command rules, folders to read and folders to work in. The label names every part
 * of it; a bundle with anything else in it has no label, and so no lasting choice. */
#ifndef HERALD_PERMISSION_SHELL_GRANT_H
#define HERALD_PERMISSION_SHELL_GRANT_H

#include "json/json.h"

/* Appends the label for `updates` (of a change set) and the shell tool `tool`. False when there is none or
 * memory is out; what was appended then has no meaning. */
bool shell_grant_label(struct arena *a, json updates, str tool, struct buf *label);

#endif
