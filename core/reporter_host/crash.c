#include "reporter_host/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/path.h"
#include "reporter_host/reporter_host.h"

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

#define MARK_MAGIC "herald-crash-mark 1\n"

/* What a signal handler needs has to be found without an argument, hence this one note, for each thread its
 * own: a fault is delivered to the thread that made it. */
static _Thread_local const struct crash_site *volatile running;
static _Thread_local const char *volatile running_reporter;
static _Thread_local const char *volatile running_callback;

static const struct crash_signal {
    int number;
    const char *name;
} signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"},
};
/* What was in force before; written once, before any handler can run. */
static struct sigaction before[ARRAY_LEN(signals)];

void crash_enter(const struct crash_site *site, const char *reporter, const char *callback)
{
    running_reporter = reporter;
    running_callback = callback;
    running = site;
}

void crash_leave(void)
{
    running = NULL;
}

/* ---- Marks -------------------------------------------------------------------------------------- */

bool crash_site_init(struct crash_site *site, struct arena *a, const char *path, const struct stat *st,
                     const char *state_dir)
{
    *site = (struct crash_site){.path = path};
    AUTO_BUF(shown);
    for (const char *p = path; *p; p++) { /* a name must not play tricks on a terminal */
        bool control = (unsigned char)*p < 0x20 || *p == 0x7F;
        buf_put(&shown, control ? "?" : p, 1);
    }
    site->shown = arena_buf(a, &shown).p;
    site->stamp = arena_printf(a, "%lld.%09ld %lld\n", (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
                               (long long)st->st_size)
                      .p;
    if (state_dir && *state_dir) {
        site->state_dir = state_dir;
        site->mark = arena_printf(a, "%s/crash-%016llx", state_dir,
                                  (unsigned long long)XXH3_64bits(path, strlen(path)))
                         .p;
    }
    return arena_ok(a);
}

bool crash_site_marked(const struct crash_site *site, struct arena *a, str *how)
{
    if (!site->mark) {
        return false;
    }
    int fd = open(site->mark, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    char text[PATH_MAX + 512];
    size_t n = 0;
    for (ssize_t got; n < sizeof(text) && (got = read(fd, text + n, sizeof(text) - n)) > 0;) {
        n += (size_t)got;
    }
    close(fd);
    str rest = {text, n}, head = STR(MARK_MAGIC), stamp = str_of(site->stamp);
    if (!str_starts(rest, head) || !str_starts(str_from(rest, head.n), stamp)) {
        return false;
    }
    rest = str_from(rest, head.n + stamp.n);
    size_t line = str_find_byte(rest, '\n', 0);
    if (line == SIZE_MAX || !str_is(str_from(rest, line + 1), site->path)) {
        return false;
    }
    *how = arena_str(a, str_first(rest, line));
    return true;
}

bool crash_site_clear(const struct crash_site *site)
{
    return site->mark && unlink(site->mark) == 0;
}

/* ---- The handler: async-signal-safe calls only -------------------------------------------------- */

static void put(int fd, const char *text)
{
    size_t n = strlen(text);
    while (n) {
        ssize_t w = write(fd, text, n);
        if (w <= 0) {
            return;
        }
        text += w;
        n -= (size_t)w;
    }
}

static bool write_mark(const struct crash_site *site, const char *callback, const char *signal_name)
{
    char path[PATH_MAX];
    size_t n = strlen(site->state_dir);
    if (n >= sizeof(path)) {
        return false;
    }
    memcpy(path, site->state_dir, n + 1);
    path_make_folders(path);
    int fd = open(site->mark, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return false;
    }
    const char *const pieces[] = {MARK_MAGIC, site->stamp, callback, " (", signal_name, ")\n", site->path};
    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        put(fd, pieces[i]);
    }
    return close(fd) == 0;
}

static void tell(const struct crash_site *site, const char *signal_name)
{
    const char *callback = running_callback, *reporter = running_reporter;
    bool marked = site->mark && write_mark(site, callback, signal_name);
    const char *const story[] = {"herald: error: the reporter plugin ",
                                 site->shown,
                                 " crashed (",
                                 signal_name,
                                 ") in ",
                                 callback,
                                 reporter ? " of its reporter " : "",
                                 reporter ? reporter : "",
                                 ".\n"};
    for (size_t i = 0; i < ARRAY_LEN(story); i++) {
        put(STDERR_FILENO, story[i]);
    }
    if (marked) {
        put(STDERR_FILENO,
            "herald: error: it is left out from the next start on, until its file changes; to try it "
            "again as it is, run: herald reporters --enable ");
        put(STDERR_FILENO, site->shown);
        put(STDERR_FILENO, "\n");
    } else {
        put(STDERR_FILENO,
            "herald: error: no mark could be kept of that; to go on without it, remove the file.\n");
    }
}

static void on_signal(int number)
{
    size_t i = 0;
    while (i + 1 < ARRAY_LEN(signals) && signals[i].number != number) {
        i++;
    }
    const struct crash_site *site = running;
    running = NULL; /* a fault in here is not told again */
    if (site) {
        tell(site, signals[i].name);
    }
    /* The signal is blocked in here, so what was in force before gets it as soon as this returns. */
    sigaction(number, &before[i], NULL);
    raise(number);
}

void reporter_host_install_crash_handler(void)
{
    /* Endless recursion in a plugin leaves no stack to run a handler on. */
    enum { STACK_SIZE = 64 * 1024 };
    static _Alignas(16) char stack[STACK_SIZE];
    stack_t old;
    if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE)) {
        stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
        (void)sigaltstack(&own, NULL);
    }
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        struct sigaction now;
        if (sigaction(signals[i].number, NULL, &now) == 0 && now.sa_handler != on_signal) {
            before[i] = now;
            (void)sigaction(signals[i].number, &action, NULL);
        }
    }
}
