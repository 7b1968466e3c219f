#include "reporter_host/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <link.h>
#endif

#include "base/path.h"

const char *module_origin_name(enum module_origin origin)
{
    static const char *const names[] = {
        [ORIGIN_BUILTIN] = "built-in",
        [ORIGIN_SYSTEM] = "system",
        [ORIGIN_USER] = "user",
        [ORIGIN_PATH] = "path",
    };
    return names[origin];
}

int module_order(const struct module *a, const struct module *b)
{
    if (a->origin != b->origin) {
        return a->origin > b->origin ? -1 : 1;
    }
    if (a->folder != b->folder) {
        return a->folder < b->folder ? -1 : 1;
    }
    return strcmp(a->base, b->base);
}

struct module *module_found(struct arena *a, enum module_origin origin, size_t folder, str dir,
                            const char *name)
{
    struct module *m = arena_alloc(a, sizeof(*m));
    str file = path_join(a, dir, str_of(name));
    if (!m || !file.p) {
        return NULL;
    }
    m->origin = origin;
    m->folder = folder;
    m->file = file.p;
    m->base = file.p + file.n - strlen(name);
    return m;
}

/* ---- Who may have written it --------------------------------------------------------------------- */

static const char *trust(const struct module *m, const struct module_loader *loader, const char *what,
                         const char *path, const struct stat *st)
{
    bool owner_fits = st->st_uid == 0 || st->st_uid == geteuid() ||
                      (m->origin == ORIGIN_BUILTIN && st->st_uid == loader->builtin_owner);
    if (!owner_fits) {
        return arena_printf(loader->arena, "%s belongs to user %lu, who is neither root nor you%s%s", what,
                            (unsigned long)st->st_uid, *path ? ": " : "", path)
            .p;
    }
    if (st->st_mode & (S_IWGRP | S_IWOTH)) {
        return arena_printf(loader->arena, "%s can be written by other users (mode %04o); run: chmod go-w %s",
                            what, (unsigned)st->st_mode & 07777U, path)
            .p;
    }
    return NULL;
}

static const char *trust_folder(const struct module *m, const struct module_loader *loader, const char *file)
{
    char folder[PATH_MAX];
    str dir = path_dirname(str_of(file));
    if (dir.n >= sizeof(folder)) {
        return "its path is too long";
    }
    memcpy(folder, dir.p, dir.n);
    folder[dir.n] = '\0';
    struct stat st;
    if (stat(folder, &st) != 0) {
        return arena_printf(loader->arena, "its folder cannot be looked at: %s", strerror(errno)).p;
    }
    return trust(m, loader, "its folder", folder, &st);
}

/* Looks at the file and its folder, and when the file is reached through a link at both ends of it. */
static const char *check_file(struct module *m, const struct module_loader *loader)
{
    char real[PATH_MAX];
    struct stat st;
    if (!realpath(m->file, real) || stat(real, &st) != 0) {
        int error = errno;
        return arena_printf(loader->arena, "it cannot be read: %s", strerror(error)).p;
    }
    if (!S_ISREG(st.st_mode)) {
        return "it is not a regular file";
    }
    const char *why = trust(m, loader, "it", real, &st);
    why = why ? why : trust_folder(m, loader, m->file);
    why = why ? why : trust_folder(m, loader, real);
    if (!why && !crash_site_init(&m->site, loader->arena, m->file, &st, loader->state_dir)) {
        why = "memory is out";
    }
    return why;
}

static const char *check_mark(struct module *m, const struct module_loader *loader)
{
    str how;
    if (!crash_site_marked(&m->site, loader->arena, &how)) {
        return NULL;
    }
    m->crashed = true;
    return arena_printf(
               loader->arena,
               "it crashed in %.*s and is left out until it changes; to try it again as it is, run: herald "
               "reporters --enable %s",
               STR_ARG(how), m->site.shown)
        .p;
}

/* ---- Opening ------------------------------------------------------------------------------------- */

/* libltdl gives no usable reason, and binds lazily, so that a missing function would end the process much
 * later. Hence the dynamic linker is asked directly first. */
static const char *open_file(struct module *m, const struct module_loader *loader)
{
    m->probe = dlopen(m->file, RTLD_NOW | RTLD_LOCAL);
    if (!m->probe) {
        const char *reason = dlerror();
        return arena_printf(loader->arena, "it cannot be opened: %s", reason ? reason : "no reason is known")
            .p;
    }
    m->handle = lt_dlopenadvise(m->file, loader->advise);
    if (!m->handle) {
        const char *reason = lt_dlerror();
        return arena_printf(loader->arena, "it cannot be opened: %s", reason ? reason : "no reason is known")
            .p;
    }
    return NULL;
}

/* The module of an open file; NULL when there is none. */
static const herald_module *find_module(struct module *m)
{
    void *symbol = lt_dlsym(m->handle, HERALD_MODULE_SYMBOL);
#ifdef __GLIBC__
    /* The linker also finds what the file's own libraries export, and would take a function for a structure.
     */
    Dl_info info;
    void *entry = NULL;
    struct link_map *map = NULL;
    if (symbol && dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) && entry) {
        const ElfW(Sym) *sym = entry;
        if ((sym->st_info & 0xF) != STT_OBJECT || sym->st_size < offsetof(herald_module, id)) {
            return NULL;
        }
        if (dlinfo(m->probe, RTLD_DI_LINKMAP, &map) == 0 && strcmp(map->l_name, info.dli_fname) != 0) {
            return NULL;
        }
    }
#endif
    return symbol;
}

/* Makes the records of the reporters, reading only those members that the module's own version had. */
static bool take_reporters(struct module *m, const herald_module *module, struct arena *a)
{
    size_t n = 0, tools = 0;
    for (; module->reporters[n]; n++) {
        for (size_t i = 0; module->reporters[n]->tools[i]; i++) {
            tools++;
        }
    }
    m->reporters = arena_alloc(a, n * sizeof(*m->reporters));
    m->tools = arena_alloc(a, (tools + 1) * sizeof(*m->tools));
    m->id = arena_str(a, str_of(module->id)).p;
    m->version = arena_str(a, str_of(module->version)).p;
    if (!arena_ok(a)) {
        return false;
    }
    m->reporter_count = n;
    for (size_t i = 0, at = 0; i < n; i++) {
        const herald_reporter *from = module->reporters[i];
        struct reporter *r = &m->reporters[i];
        r->module = m;
        r->name = from->name;
        r->tools = from->tools;
        r->shows_plan = HERALD_HAS(from, presentation) && from->presentation == HERALD_SHOW_PLAN;
        r->callbacks[CALL_USE] = HERALD_HAS(from, use) ? from->use : NULL;
        r->callbacks[CALL_RESULT] = HERALD_HAS(from, result) ? from->result : NULL;
        r->callbacks[CALL_FINISHED] = HERALD_HAS(from, finished) ? from->finished : NULL;
        for (const char *const *tool = from->tools; *tool; tool++) {
            m->tools[at++] = arena_str(a, str_of(*tool)).p;
        }
    }
    return arena_ok(a);
}

static const char *read_module(struct module *m, const struct module_loader *loader)
{
    const herald_module *module = find_module(m);
    if (!module) {
        return "it does not export a " HERALD_MODULE_SYMBOL ", so it is no reporter plugin";
    }
    const char *why = module_check(module, loader->arena);
    if (!why && !take_reporters(m, module, loader->arena)) {
        why = "memory is out";
    }
    return why;
}

bool module_open(struct module *m, const struct module_loader *loader)
{
    const char *why = check_file(m, loader);
    why = why ? why : check_mark(m, loader);
    if (!why) {
        crash_enter(&m->site, NULL, "loading");
        why = open_file(m, loader);
        why = why ? why : read_module(m, loader);
        crash_leave();
    }
    if (why) {
        m->refused = why;
        module_close(m);
    }
    return !why;
}

void module_close(struct module *m)
{
    if (m->probe) {
        crash_enter(&m->site, NULL, "unloading");
    }
    if (m->handle) {
        lt_dlclose(m->handle);
    }
    if (m->probe) {
        dlclose(m->probe);
    }
    crash_leave();
    m->handle = NULL;
    m->probe = NULL;
    m->reporters = NULL;
    m->reporter_count = 0;
}
