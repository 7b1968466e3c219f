/* Finds, checks, opens and calls reporters.
 *
 * A host scans its folders once, when it is made: the built-in one beside the executable, the system's, the
 * user's and those of HERALD_REPORTER_PATH. A file is opened only when neither it nor its folder can be
 * written by others than root and the user, when it links (RTLD_NOW) and when its module fits the ABI. What
 * was refused is kept with the reason, for `herald reporters` and `herald doctor`. Calls never fail: a
 * reporter that is slow, fails or states nonsense costs its own report, and the general reporter, which is
 * part of the core, takes over. */
#ifndef HERALD_REPORTER_HOST_REPORTER_HOST_H
#define HERALD_REPORTER_HOST_REPORTER_HOST_H

#include "base/log.h"
#include "report/facts.h"

struct reporter_host;
struct reporter; /* one reporter of a loaded module, or the general one */

struct reporter_dirs {
    const char *builtin; /* beside the executable or compiled in; NULL: none */
    const char
        *system; /* the distribution's third-party folder and the administrator's; colon-separated; NULL */
    const char *user;  /* NULL when there is no home */
    const char *extra; /* HERALD_REPORTER_PATH, colon-separated; NULL or empty: none */
    const char *state; /* where crash marks are kept; NULL: they are not */
};

/* NULL only when memory is out. `log` (may be NULL) must outlive the host. */
struct reporter_host *reporter_host_new(const struct reporter_dirs *dirs, const struct log *log);
void reporter_host_free(struct reporter_host *h);

/* The reporter for a tool: the most specific match, else the general one. Never NULL. Answers are cached. */
const struct reporter *reporter_for(struct reporter_host *h, str tool);
/* The reporter's calls are shown as entries of the plan. */
bool reporter_shows_plan(const struct reporter *r);

/* What a call is, for a reporter. */
struct reporter_call {
    str tool, id, cwd, home, process_cwd;
    bool replay;
    bool is_error;
    enum { INPUT_START, INPUT_PARTIAL, INPUT_COMPLETE } input_state;
    json input, result, structured, response;
};

/* Fill `f`, which the caller began with facts_begin() in the right phase. When the reporter left the report
 * to the general rule or failed, the general reporter has filled it in and f->general is true. */
void reporter_use(struct reporter_host *h, const struct reporter *r, const struct reporter_call *call,
                  struct facts *f);
void reporter_result(struct reporter_host *h, const struct reporter *r, const struct reporter_call *call,
                     struct facts *f);
void reporter_finished(struct reporter_host *h, const struct reporter *r, const struct reporter_call *call,
                       struct facts *f);

/* Makes a crash inside a reporter name the file and the callback on stderr, and leave a mark in the state
 * folder by which the next start leaves that file out. Signals are the process's, so this is done once, by
 * main(), before a host is made. A crash anywhere else is not touched. */
void reporter_host_install_crash_handler(void);
/* Removes the crash mark of a file, named as it is listed, by another path to it, or by its bare name; it is
 * tried again at the next start. False, and *why a static text, when no listed file of that name has a mark
 * or it cannot be removed. */
bool reporter_host_enable(struct reporter_host *h, str file, const char **why);

/* One row of `herald reporters`. */
struct reporter_row {
    const char *file;
    const char *origin;       /* "built-in", "system", "user", "path" */
    const char *id;           /* of the module; NULL when it was refused before it was read */
    const char *version;      /* likewise */
    const char *const *tools; /* ended by NULL; NULL when refused */
    const char *refused;      /* why it was not loaded, in words; NULL when it was */
    bool superseded;          /* refused, but nothing is wrong: another copy of the module is used */
    bool crashed;             /* refused because of its crash mark */
};
/* Calls `each` for every file that was found. */
void reporter_host_list(const struct reporter_host *h,
                        void (*each)(void *user, const struct reporter_row *row), void *user);

#endif
