/* The CLI of the fuzz targets; see fake_cli.c. The newest process is the one that is meant. */
#ifndef HERALD_FUZZ_FAKE_CLI_H
#define HERALD_FUZZ_FAKE_CLI_H

#include <stdio.h>
#include <stdlib.h>

#include "cli/control.h"

/* A rule that every input must keep. */
#define FUZZ_CHECK(condition, rule)                                                                          \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "broken rule: %s (%s)\n", rule, #condition);                                     \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* Answers one request, or ends one process that should end; false when there is nothing to do. */
bool fake_cli_step(void);
/* The frames are held. */
bool fake_cli_holds(void);
/* Delivers a frame; false when there is no process that could have sent it. */
bool fake_cli_frame(struct json_doc *doc);
void fake_cli_withdraw(str request_id);
void fake_cli_die(void);
bool fake_cli_gone(void);

#endif
