/* The general reporter: what is said of a tool that nobody speaks for. */
#ifndef HERALD_REPORTER_HOST_GENERAL_H
#define HERALD_REPORTER_HOST_GENERAL_H

#include "reporter_host/reporter_host.h"

/* Begins `f` anew, in its phase, and fills it in. */
void general_report(const struct reporter_call *call, struct facts *f);
/* States that the call goes to an MCP server when the tool's name says so and the facts do not yet. */
void general_mcp(const struct reporter_call *call, struct facts *f);

#endif
