/* One plugin file: found, checked, opened, read.
 *
 * Life: module_found() makes the record of a file; module_open() either opens it, checks its module against
 * the ABI and makes its reporters, or leaves the reason in `refused`; module_close() gives the handles back.
 * A record that was refused stays, since it is listed. All texts of a record live in the arena of the host.
 */
#ifndef HERALD_REPORTER_HOST_MODULE_H
#define HERALD_REPORTER_HOST_MODULE_H

#include <herald/reporter.h>
#include <ltdl.h>
#include <sys/stat.h>

#include "reporter_host/crash.h"
#include "reporter_host/reporter_host.h"

/* Where a file comes from; the higher one wins a tie. */
enum module_origin { ORIGIN_BUILTIN, ORIGIN_SYSTEM, ORIGIN_USER, ORIGIN_PATH };

enum reporter_callback { CALL_USE, CALL_RESULT, CALL_FINISHED, CALLBACK_COUNT };
typedef herald_status reporter_function(const herald_call *call, herald_facts *facts);

struct module;

struct reporter {
    struct module *module; /* NULL: the general reporter */
    const char *name;
    const char *const *tools;
    bool shows_plan;
    reporter_function *callbacks[CALLBACK_COUNT];
    bool blamed; /* it was slow or failed, and that was logged */
};

struct module {
    struct module *next;
    const char *file; /* absolute */
    const char *base; /* its last part */
    enum module_origin origin;
    size_t folder; /* the place of its folder among those of its origin */
    const char *refused;
    bool superseded;
    bool crashed;

    void *probe; /* keeps the file bound at once while libltdl has it open */
    lt_dlhandle handle;
    const char *id, *version; /* copies: a module that was closed again is still listed */
    struct reporter *reporters;
    size_t reporter_count;
    const char **tools; /* of all reporters, ended by NULL */
    bool refusal_logged;
    struct crash_site site;
};

/* What opening a file takes beside the file. */
struct module_loader {
    struct arena *arena;
    lt_dladvise advise;
    const char *state_dir;
    uid_t builtin_owner; /* whoever owns our executable may own the built-in plugins */
};

/* NULL only when memory is out. */
struct module *module_found(struct arena *a, enum module_origin origin, size_t folder, str dir,
                            const char *name);
/* True when the module is open. */
bool module_open(struct module *m, const struct module_loader *loader);
void module_close(struct module *m);
/* The order in which modules are preferred at a tie: below zero when `a` comes first. */
int module_order(const struct module *a, const struct module *b);
const char *module_origin_name(enum module_origin origin);

/* Whether a module's identity and reporters make sense, checked in its own memory. NULL, or why not; texts
 * live in the arena. Made apart so that it can be tested without a file. */
const char *module_check(const herald_module *module, struct arena *a);

#endif
