#include "base/log.h"

#include <stdio.h>
#include <unistd.h>

static const char *const names[] = {"error", "warn", "info", "debug"};

bool log_level_parse(str name, enum log_level *level)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_eq_nocase(name, str_of(names[i]))) {
            *level = (enum log_level)i;
            return true;
        }
    }
    if (str_is(name, "1") || str_eq_nocase(name, STR("true")) || str_eq_nocase(name, STR("trace"))) {
        *level = LOG_DEBUG;
        return true;
    }
    return false;
}

static void write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t w = write(fd, p, n);
        if (w <= 0) {
            return; /* a diagnostic that cannot be written is lost */
        }
        p += w;
        n -= (size_t)w;
    }
}

void log_write(const struct log *log, enum log_level level, const char *fmt, ...)
{
    if (!log_enabled(log, level)) {
        return;
    }
    char line[4096];
    int head = snprintf(line, sizeof(line), "herald: %s: ", names[level]);
    va_list ap;
    va_start(ap, fmt);
    int body = vsnprintf(line + head, sizeof(line) - (size_t)head - 1, fmt, ap);
    va_end(ap);
    size_t n = strlen(line);
    if (body < 0 || n > sizeof(line) - 2) {
        n = sizeof(line) - 2;
    }
    line[n++] = '\n';
    write_all(STDERR_FILENO, line, n);
    if (log->file > 0) {
        write_all(log->file, line, n);
    }
}
