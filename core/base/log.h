/* Diagnostics. Silent in normal operation: only what the user asked for (HERALD_LOG) or what is really
 * wrong is written, to stderr and, when set, to a file. */
#ifndef HERALD_BASE_LOG_H
#define HERALD_BASE_LOG_H

#include "base/str.h"

enum log_level {
    LOG_ERROR, /* something is really wrong; always written */
    LOG_WARN,
    LOG_INFO,
    LOG_DEBUG,
};

struct log {
    enum log_level level; /* what is more detailed is left out; LOG_ERROR when zeroed */
    int file;             /* a further descriptor, or 0 for none */
};

/* "error", "warn", "info", "debug" (any case); "1" means debug. False when it is none of them. */
bool log_level_parse(str name, enum log_level *level);
static inline bool log_enabled(const struct log *log, enum log_level level)
{
    return log && level <= log->level;
}
/* One line, without its line break. `log` may be NULL: nothing is written. Control characters of
 * arguments are the caller's business; the line is cut at 4 KiB. */
void log_write(const struct log *log, enum log_level level, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
