#include "cli/exit_report.h"

#include <signal.h>

#include "base/utf8.h"
#include "cli/control_error.h"

static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
    {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},
};

const char *signal_name(int signal)
{
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        if (signals[i].number == signal) {
            return signals[i].name;
        }
    }
    return NULL;
}

void tail_add(struct tail *t, const char *bytes, size_t n)
{
    if (n > CLI_STDERR_TAIL) {
        bytes += n - CLI_STDERR_TAIL;
        n = CLI_STDERR_TAIL;
        t->n = 0;
        t->cut = true;
    }
    if (t->n + n > sizeof(t->bytes)) {
        memmove(t->bytes, t->bytes + t->n - CLI_STDERR_TAIL, CLI_STDERR_TAIL);
        t->n = CLI_STDERR_TAIL;
        t->cut = true;
    }
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
}

/* The end of `s` of at most `max` bytes that does not begin inside a character. */
static str last_bytes(str s, size_t max, bool cut)
{
    if (s.n > max) {
        s = str_from(s, s.n - max);
        cut = true;
    }
    for (int i = 0; cut && i < 3 && s.n && ((unsigned char)s.p[0] & 0xC0) == 0x80; i++) {
        s = str_from(s, 1);
    }
    return s;
}

void tail_text(const struct tail *t, struct buf *out)
{
    AUTO_BUF(valid);
    utf8_repair(&valid, last_bytes((str){t->bytes, t->n}, CLI_STDERR_TAIL, t->cut));
    buf_put_str(out, str_trim(last_bytes(buf_str(&valid), CLI_STDERR_TAIL, false)));
}

void exit_message(struct buf *out, const struct cli_exit *how)
{
    const char *name = signal_name(how->signal);
    if (name) {
        buf_printf(out, "Claude Code process terminated by signal %s", name);
    } else if (how->signal) {
        buf_printf(out, "Claude Code process terminated by signal %d", how->signal);
    } else if (how->status) {
        buf_printf(out, "Claude Code process exited with code %lld", (long long)how->status);
    } else {
        buf_put_c(out, control_closed.text);
    }
    if (how->stderr_tail.n) {
        buf_put_c(out, ". stderr: ");
        buf_put_str(out, how->stderr_tail);
    }
}
