/* The host: scans the folders, knows which reporter speaks for a tool, and calls it.
 *
 * Modules are kept in one list, in the order in which they win a tie. From it come the exact names, a table
 * in which the first one to claim a name has it, and the patterns, an array in that same order that is
 * searched for the longest match. The answer for a tool is remembered. Nothing changes after the host was
 * made but that memory. */
#include "reporter_host/host_functions.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/path.h"
#include "reporter_host/general.h"
#include "reporter_host/module.h"

#ifdef __APPLE__
#define PLUGIN_SUFFIX ".dylib"
#else
#define PLUGIN_SUFFIX ".so"
#endif

enum {
    FILES_MAX = 1024, /* in all folders */
    CACHE_MAX = 512,  /* tools whose reporter is remembered */
    FOLDERS_MAX = 64,
    LIMIT_MS = 50, /* of one callback */
};

struct pattern {
    str prefix;
    struct reporter *reporter;
};

/* What a callback has cost: the time on the clock, that on the processor, and whether it ever waited. */
struct cost {
    int64_t clock_ms, cpu_ms;
    long waits;
};

struct reporter_host {
    const struct log *log;
    struct arena arena;
    struct module_loader loader;
    bool ltdl; /* lt_dlinit() has succeeded */
    struct module *modules;
    size_t module_count;
    struct map exact;
    struct pattern *patterns;
    size_t pattern_count;
    struct map cache;
    struct reporter general;
    herald_host table;
    struct herald_facts context;
    /* Folders that were scanned, so that one that goes by two names is scanned once. */
    struct {
        dev_t dev;
        ino_t ino;
    } folders[FOLDERS_MAX];
    size_t folder_count;
    struct cost cost; /* the latest reading */
};

/* ---- Scanning ------------------------------------------------------------------------------------ */

/* Puts a module in its place in the list. */
static void insert_module(struct reporter_host *h, struct module *m)
{
    struct module **at = &h->modules;
    while (*at && module_order(*at, m) <= 0) {
        at = &(*at)->next;
    }
    m->next = *at;
    *at = m;
    h->module_count++;
}

/* A system folder may hold an installed copy of what stands beside our executable, of another version even;
 * the one that came with us is the one to use. */
static bool superseded(const struct reporter_host *h, const struct module *m)
{
    for (const struct module *other = h->modules; m->origin == ORIGIN_SYSTEM && other; other = other->next) {
        if (other->origin == ORIGIN_BUILTIN && !other->refused && strcmp(other->id, m->id) == 0) {
            return true;
        }
    }
    return false;
}

static void take_file(struct reporter_host *h, enum module_origin origin, size_t folder, str dir,
                      const char *name)
{
    struct module *m = module_found(&h->arena, origin, folder, dir, name);
    if (!m) {
        return;
    }
    if (!h->ltdl) {
        m->refused = "the library that opens plugins does not start";
    } else if (module_open(m, &h->loader) && superseded(h, m)) {
        m->refused = "the built-in module of the same id is used";
        m->superseded = true;
        module_close(m);
    }
    if (m->refused) {
        log_write(h->log, m->superseded ? LOG_INFO : LOG_ERROR, "the reporter plugin %s is left out: %s",
                  m->site.shown ? m->site.shown : m->file, m->refused);
    } else {
        log_write(h->log, LOG_DEBUG, "the reporter plugin %s is loaded: %s %s", m->site.shown, m->id,
                  m->version);
    }
    insert_module(h, m);
}

static int is_plugin(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && str_ends(str_of(entry->d_name), STR(PLUGIN_SUFFIX));
}

static bool seen_before(struct reporter_host *h, DIR *dir)
{
    struct stat st;
    if (fstat(dirfd(dir), &st) != 0) {
        return false;
    }
    for (size_t i = 0; i < h->folder_count; i++) {
        if (h->folders[i].dev == st.st_dev && h->folders[i].ino == st.st_ino) {
            return true;
        }
    }
    if (h->folder_count < FOLDERS_MAX) {
        h->folders[h->folder_count].dev = st.st_dev;
        h->folders[h->folder_count++].ino = st.st_ino;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void scan_open_folder(struct reporter_host *h, enum module_origin origin, size_t folder, str path,
                             DIR *dir)
{
    const char *names[FILES_MAX] = {0};
    size_t n = 0, room = FILES_MAX - h->module_count;
    for (struct dirent *entry; n < room && (entry = readdir(dir));) {
        if (is_plugin(entry)) {
            names[n] = arena_str(&h->arena, str_of(entry->d_name)).p;
            n += names[n] != NULL;
        }
    }
    if (n == room) {
        log_write(h->log, LOG_ERROR, "more than %d reporter plugins; what is beyond that is left out",
                  FILES_MAX);
    }
    qsort(names, n, sizeof(*names), by_name);
    for (size_t i = 0; i < n; i++) {
        take_file(h, origin, folder, path, names[i]);
    }
}

static void scan_folder(struct reporter_host *h, enum module_origin origin, size_t folder, str path)
{
    if (!path_is_absolute(
            path)) { /* it would depend on where we were started, and that is an editor's matter */
        log_write(h->log, LOG_ERROR,
                  "the reporter folder %.*s is not an absolute path, so it is not looked into",
                  STR_ARG(path));
        return;
    }
    char *c = str_dup(path);
    DIR *dir = c ? opendir(c) : NULL;
    if (dir) {
        if (!seen_before(h, dir)) {
            scan_open_folder(h, origin, folder, path, dir);
        }
        closedir(dir);
    } else if (errno != ENOENT || origin == ORIGIN_PATH) {
        log_write(h->log, LOG_WARN, "the reporter folder %.*s cannot be read: %s", STR_ARG(path),
                  strerror(errno));
    }
    free(c);
}

static void scan_folders(struct reporter_host *h, enum module_origin origin, const char *list, bool split)
{
    str rest = str_of(list);
    for (size_t folder = 0; rest.n; folder++) {
        size_t colon = split ? str_find_byte(rest, ':', 0) : (size_t)-1;
        str path = colon == (size_t)-1 ? rest : str_first(rest, colon);
        rest = colon == (size_t)-1 ? STR("") : str_from(rest, colon + 1);
        if (path.n) {
            scan_folder(h, origin, folder, path);
        }
    }
}

/* ---- Who speaks for a tool ----------------------------------------------------------------------- */

static bool index_reporter(struct reporter_host *h, struct reporter *r)
{
    for (const char *const *t = r->tools; *t; t++) {
        str tool = str_of(*t);
        if (str_ends(tool, STR("*"))) {
            h->patterns[h->pattern_count++] = (struct pattern){str_first(tool, tool.n - 1), r};
        } else if (!map_get(&h->exact, tool) && !map_put(&h->exact, tool, r, NULL)) {
            return false;
        }
    }
    return true;
}

static bool index_tools(struct reporter_host *h)
{
    size_t tools = 1;
    for (struct module *m = h->modules; m; m = m->next) {
        for (size_t i = 0; !m->refused && m->tools[i]; i++) {
            tools++;
        }
    }
    h->patterns = arena_alloc(&h->arena, tools * sizeof(*h->patterns));
    bool ok = h->patterns != NULL;
    for (struct module *m = h->modules; m && ok; m = m->next) {
        for (size_t i = 0; i < m->reporter_count && ok; i++) {
            ok = index_reporter(h, &m->reporters[i]);
        }
    }
    return ok;
}

static const struct reporter *find_reporter(struct reporter_host *h, str tool)
{
    struct reporter *found = map_get(&h->exact, tool);
    if (found) {
        return found;
    }
    const struct pattern *best = NULL;
    for (size_t i = 0; i < h->pattern_count; i++) {
        const struct pattern *p = &h->patterns[i];
        if (str_starts(tool, p->prefix) && (!best || p->prefix.n > best->prefix.n)) {
            best = p;
        }
    }
    return best ? best->reporter : &h->general;
}

const struct reporter *reporter_for(struct reporter_host *h, str tool)
{
    enum { KEY_MAX = 256 };
    if (!tool.p || tool.n > KEY_MAX) {
        return tool.p ? find_reporter(h, tool) : &h->general;
    }
    const struct reporter *r = map_get(&h->cache, tool);
    if (r) {
        return r;
    }
    r = find_reporter(h, tool);
    if (h->cache.used >= CACHE_MAX) { /* names are the model's, who may make them up without end */
        map_free(&h->cache, NULL);
        h->cache = MAP_INIT;
    }
    union {
        const struct reporter *in;
        void *out;
    } value = {.in = r};
    bool kept = map_put(&h->cache, tool, value.out, NULL);
    (void)kept; /* memory is short: it is looked up again the next time */
    return r;
}

bool reporter_shows_plan(const struct reporter *r)
{
    return r->shows_plan;
}

/* ---- Life ---------------------------------------------------------------------------------------- */

static void open_ltdl(struct reporter_host *h)
{
    h->ltdl = lt_dlinit() == 0;
    if (h->ltdl && (lt_dladvise_init(&h->loader.advise) != 0 || lt_dladvise_local(&h->loader.advise) != 0)) {
        lt_dladvise_destroy(&h->loader.advise);
        lt_dlexit();
        h->ltdl = false;
    }
}

static void fill_table(herald_host *table)
{
    table->struct_size = sizeof(*table);
    table->abi_major = HERALD_ABI_MAJOR;
    table->abi_minor = HERALD_ABI_MINOR;
    host_functions_reading(table);
    host_functions_use(table);
    host_functions_result(table);
}

struct reporter_host *reporter_host_new(const struct reporter_dirs *dirs, const struct log *log)
{
    struct reporter_host *h = calloc(1, sizeof(*h));
    if (!h) {
        return NULL;
    }
    h->log = log;
    h->general.name = "general";
    fill_table(&h->table);
    h->loader.arena = &h->arena;
    h->loader.state_dir = arena_str(&h->arena, str_of(dirs->state)).p;
    struct stat self;
    h->loader.builtin_owner = stat("/proc/self/exe", &self) == 0 ? self.st_uid : 0;
    open_ltdl(h);
    scan_folders(h, ORIGIN_BUILTIN, dirs->builtin, false);
    scan_folders(h, ORIGIN_SYSTEM, dirs->system, true);
    scan_folders(h, ORIGIN_USER, dirs->user, false);
    scan_folders(h, ORIGIN_PATH, dirs->extra, true);
    if (!index_tools(h) || !arena_ok(&h->arena)) {
        reporter_host_free(h);
        return NULL;
    }
    return h;
}

void reporter_host_free(struct reporter_host *h)
{
    if (!h) {
        return;
    }
    for (struct module *m = h->modules; m; m = m->next) {
        module_close(m);
    }
    if (h->ltdl) {
        lt_dladvise_destroy(&h->loader.advise);
        lt_dlexit();
    }
    map_free(&h->exact, NULL);
    map_free(&h->cache, NULL);
    arena_free(&h->context.scratch);
    arena_free(&h->arena);
    free(h);
}

/* ---- Calls --------------------------------------------------------------------------------------- */

static const char *const callback_names[CALLBACK_COUNT] = {
    [CALL_USE] = "use",
    [CALL_RESULT] = "result",
    [CALL_FINISHED] = "finished",
};

static int64_t thread_cpu_ms(void)
{
    struct timespec t;
    bool known = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0;
    return known ? (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 : 0;
}

static struct cost cost_at(int64_t clock_ms)
{
    struct cost c = {.clock_ms = clock_ms, .cpu_ms = thread_cpu_ms()};
#ifdef RUSAGE_THREAD
    struct rusage usage;
    c.waits = getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
#endif
    return c;
}

/* The cost before a callback. Only the clock can be read without a system call, so that the callbacks of one
 * millisecond share a reading. */
static const struct cost *cost_before(struct reporter_host *h)
{
    int64_t now = clock_monotonic_ms();
    if (now != h->cost.clock_ms) {
        h->cost = cost_at(now);
    }
    return &h->cost;
}

/* Over the limit by the clock, and by its own doing: a machine that is too busy to let the callback run says
 * nothing about the callback, which then neither waited nor worked for long. */
static bool too_slow(const struct cost *before)
{
    int64_t clock_ms = clock_monotonic_ms();
    if (clock_ms - before->clock_ms <= LIMIT_MS) {
        return false;
    }
    struct cost now = cost_at(clock_ms);
#ifdef RUSAGE_THREAD
    return now.waits != before->waits || now.cpu_ms - before->cpu_ms > LIMIT_MS / 2;
#else
    return true;
#endif
}

static herald_call make_call(const struct reporter_host *h, const struct reporter_call *call)
{
    return (herald_call){
        .struct_size = sizeof(herald_call),
        .host = &h->table,
        .tool = string_of_str(call->tool),
        .id = string_of_str(call->id),
        .cwd = string_of_str(call->cwd),
        .home = string_of_str(call->home),
        .replay = call->replay,
        .is_error = call->is_error,
        .input_state = (uint32_t)call->input_state,
        .input = value_of_json(call->input),
        .result = value_of_json(call->result),
        .structured = value_of_json(call->structured),
        .response = value_of_json(call->response),
    };
}

/* The first complaint about a reporter is logged. */
static void blame(struct reporter_host *h, struct reporter *r, enum reporter_callback which, const char *what)
{
    if (!r->blamed) {
        r->blamed = true;
        log_write(h->log, LOG_WARN,
                  "reporter %s of %s: %s %s; the general report is used instead (told once)", r->name,
                  r->module->site.shown, callback_names[which], what);
    }
}

/* True when the facts that the callback stated are the report. */
static bool call_plugin(struct reporter_host *h, struct reporter *r, enum reporter_callback which,
                        const struct reporter_call *call, struct facts *f)
{
    struct herald_facts *x = &h->context;
    struct arena scratch = x->scratch;
    *x = (struct herald_facts){
        .active = true,
        .facts = f,
        .call = call,
        .shows_plan = r->shows_plan,
        .scratch = scratch,
        .log = h->log,
        .file = r->module->site.shown,
        .reporter = r->name,
        .callback = callback_names[which],
        .refusal_logged = &r->module->refusal_logged,
    };
    herald_call view = make_call(h, call);
    const struct cost *before = cost_before(h);
    crash_enter(&r->module->site, r->name, callback_names[which]);
    herald_status status = r->callbacks[which](&view, x);
    crash_leave();
    bool slow = too_slow(before);
    x->active = false;
    while (x->parsed_count) {
        json_unref(x->parsed[--x->parsed_count]);
    }
    arena_reset(&x->scratch);
    if (status < 0 || status > HERALD_GENERAL) {
        blame(h, r, which, status < 0 ? "failed" : "gave an answer that is none");
    } else if (slow) {
        blame(h, r, which, "took more than 50 ms");
    }
    return status == HERALD_OK && !slow;
}

static void report(struct reporter_host *h, const struct reporter *r, enum reporter_callback which,
                   const struct reporter_call *call, struct facts *f)
{
    /* Reporters belong to the host; callers have them for reading only. */
    union {
        const struct reporter *in;
        struct reporter *out;
    } own = {.in = r};
    if (!r->callbacks[which] || !call_plugin(h, own.out, which, call, f)) {
        general_report(call, f);
    }
    general_mcp(call, f);
}

void reporter_use(struct reporter_host *h, const struct reporter *r, const struct reporter_call *call,
                  struct facts *f)
{
    report(h, r, CALL_USE, call, f);
}

void reporter_result(struct reporter_host *h, const struct reporter *r, const struct reporter_call *call,
                     struct facts *f)
{
    report(h, r, CALL_RESULT, call, f);
}

void reporter_finished(struct reporter_host *h, const struct reporter *r, const struct reporter_call *call,
                       struct facts *f)
{
    report(h, r, CALL_FINISHED, call, f);
}

/* ---- Listing ------------------------------------------------------------------------------------- */

void reporter_host_list(const struct reporter_host *h,
                        void (*each)(void *user, const struct reporter_row *row), void *user)
{
    for (const struct module *m = h->modules; m; m = m->next) {
        struct reporter_row row = {
            .file = m->file,
            .origin = module_origin_name(m->origin),
            .id = m->id,
            .version = m->version,
            .tools = m->refused ? NULL : m->tools,
            .refused = m->refused,
            .superseded = m->superseded,
            .crashed = m->crashed,
        };
        each(user, &row);
    }
}

static bool is_file(const struct module *m, str name, const char *real)
{
    if (str_is(name, m->file) || str_is(name, m->base)) {
        return true;
    }
    char *own = real ? realpath(m->file, NULL) : NULL;
    bool same = own && strcmp(own, real) == 0;
    free(own);
    return same;
}

bool reporter_host_enable(struct reporter_host *h, str file, const char **why)
{
    *why = "no reporter plugin of that name has a crash mark";
    char *c = str_dup(file), *real = c ? realpath(c, NULL) : NULL;
    bool done = false;
    for (const struct module *m = h->modules; m; m = m->next) {
        if (m->crashed && is_file(m, file, real)) {
            done = crash_site_clear(&m->site);
            *why = "its crash mark cannot be removed";
        }
    }
    free(c);
    free(real);
    return done;
}
