/* The session's steps in the log, so that one run can be read there. */
#include <stdarg.h>
#include <stdio.h>

#include "session/internal.h"

void session_step(const struct session *s, const char *fmt, ...)
{
    enum { STEP_MAX = 512 };
    char text[STEP_MAX];
    va_list args;
    if (!log_enabled(s->host->log, LOG_DEBUG)) {
        return;
    }
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    log_write(s->host->log, LOG_DEBUG, "session %s: %s", s->id, text);
}
