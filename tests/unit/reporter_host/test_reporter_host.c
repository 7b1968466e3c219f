/* The reporter host with real plugins: each is built here from the public headers alone, into a folder of its
 * own. */
#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "reporter_host/reporter_host.h"

/* The signals are the subject here. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0";
}

/* ---- A world of folders -------------------------------------------------------------------------- */

struct world {
    char root[64];
    char builtin[96], system[96], user[96], extra[96], state[96];
    struct reporter_dirs dirs;
    struct log log;
    struct reporter_host *host;
    struct arena arena;
    struct facts facts;
    char text[16384]; /* of the last read_log() or list_rows() */
};

static void shell(const char *fmt, ...) PRINTF_LIKE(1, 2);
static void shell(const char *fmt, ...)
{
    AUTO_BUF(b);
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    if (system(buf_c(&b)) != 0) { // NOLINT(cert-env33-c): a test may use the compiler of the machine
        fail_msg("%s", buf_c(&b));
    }
}

/* Where plugins are kept that were built already: many tests want the same ones. */
static char built[] = "/tmp/herald-built-XXXXXX";

static int built_setup(void **state)
{
    (void)state;
    return mkdtemp(built) ? 0 : -1;
}

static int built_teardown(void **state)
{
    (void)state;
    shell("rm -rf '%s'", built);
    return 0;
}

/* Builds tests/unit/modules/SOURCE.c with more options into `target`. */
static void build(const char *source, const char *target, const char *options)
{
    const char *headers = getenv("HERALD_SDK_HEADERS");
    assert_non_null(headers);
    AUTO_BUF(kept);
    buf_printf(&kept, "%s/%s-%zx", built, source, (size_t)XXH3_64bits(options, strlen(options)));
    if (access(buf_c(&kept), R_OK) != 0) {
        shell("cc -shared -fPIC -O1 -w -I'%s' %s -o '%s' '%s/../tests/unit/modules/%s.c'", headers, options,
              buf_c(&kept), headers, source);
    }
    shell("rm -f '%s'; cp '%s' '%s'", target, buf_c(&kept), target);
}

static const char *at(const char *folder, const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

static int world_setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    assert_non_null(w);
    strcpy(w->root, "/tmp/herald-host-XXXXXX");
    assert_non_null(mkdtemp(w->root));
    const struct {
        char *path;
        const char *name;
    } folders[] = {{w->builtin, "builtin"}, {w->system, "system"}, {w->user, "user"}, {w->extra, "extra"}};
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        snprintf(folders[i].path, sizeof(w->builtin), "%s/%s", w->root, folders[i].name);
        assert_int_equal(mkdir(folders[i].path, 0755), 0);
    }
    snprintf(w->state, sizeof(w->state), "%s/new/state", w->root);
    w->dirs = (struct reporter_dirs){w->builtin, w->system, w->user, w->extra, w->state};
    w->log.level = LOG_WARN;
    w->log.file = open(at(w->root, "log"), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(w->log.file > 0);
    *state = w;
    return 0;
}

static int world_teardown(void **state)
{
    struct world *w = *state;
    reporter_host_free(w->host);
    arena_free(&w->arena);
    close(w->log.file);
    shell("rm -rf '%s'", w->root);
    free(w);
    return 0;
}

static void start(struct world *w)
{
    reporter_host_free(w->host);
    w->host = reporter_host_new(&w->dirs, &w->log);
    assert_non_null(w->host);
}

static const char *read_log(struct world *w)
{
    ssize_t n = pread(w->log.file, w->text, sizeof(w->text) - 1, 0);
    assert_true(n >= 0);
    w->text[n] = '\0';
    return w->text;
}

static size_t occurrences(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p++) {
        n++;
    }
    return n;
}

static void add_row(void *user, const struct reporter_row *row)
{
    struct world *w = user;
    size_t n = strlen(w->text);
    snprintf(w->text + n, sizeof(w->text) - n, "%s %s %s %s\n", row->origin, strrchr(row->file, '/') + 1,
             row->id ? row->id : "-", row->refused ? row->refused : "loaded");
}

static const char *list_rows(struct world *w)
{
    w->text[0] = '\0';
    reporter_host_list(w->host, add_row, w);
    return w->text;
}

static void assert_has(const char *text, const char *what)
{
    if (!strstr(text, what)) {
        fail_msg("no \"%s\" in: %s", what, text);
    }
}

/* The use of a tool, with an input; the title that came of it. */
static str use(struct world *w, const char *tool, const char *input)
{
    struct json_doc *doc = parse_or_fail(input);
    struct reporter_call call = {.tool = str_of(tool),
                                 .id = STR("t1"),
                                 .cwd = STR("/work"),
                                 .process_cwd = STR("/"),
                                 .input_state = INPUT_COMPLETE,
                                 .input = json_root(doc)};
    facts_begin(&w->facts, &w->arena, PHASE_USE);
    reporter_use(w->host, reporter_for(w->host, call.tool), &call, &w->facts);
    json_unref(doc);
    return w->facts.title[FORM_FACT];
}

/* ---- Loading ------------------------------------------------------------------------------------- */

static void test_good_plugin_reports(void **state)
{
    struct world *w = *state;
    build("good", at(w->user, "good.so"), "-Wall");
    start(w);
    assert_has(list_rows(w), "user good.so org.example.good loaded\n");
    assert_str(use(w, "Weather", "{\"city\":\"Ulm\"}"), "good Ulm");
    assert_int_equal(w->facts.kind[FORM_PLAIN], KIND_FETCH);
    assert_false(w->facts.general);

    AUTO_JSON(doc) =
        parse_or_fail("[{\"type\":\"text\",\"text\":\"sun\"},{\"type\":\"text\",\"text\":\"rain\"}]");
    struct reporter_call call = {.tool = STR("Weather"), .result = json_root(doc)};
    facts_begin(&w->facts, &w->arena, PHASE_RESULT);
    reporter_result(w->host, reporter_for(w->host, call.tool), &call, &w->facts);
    assert_str(w->facts.content[FORM_FACT].first->text, "sun\nrain");
    assert_null(w->facts.content[FORM_FACT].first->next);

    call.is_error = true;
    facts_begin(&w->facts, &w->arena, PHASE_RESULT);
    reporter_result(w->host, reporter_for(w->host, call.tool), &call, &w->facts);
    assert_true(w->facts.general);
    assert_str(w->facts.content[FORM_PLAIN].first->text, "```\nsun\n```");
    assert_string_equal(read_log(w), "");
}

static void test_tool_without_a_reporter(void **state)
{
    struct world *w = *state;
    start(w);
    assert_str(use(w, "Anything", "{}"), "Anything");
    assert_int_equal(w->facts.kind[FORM_FACT], KIND_OTHER);
    assert_false(w->facts.locations[FORM_FACT].stated);
    assert_false(w->facts.mcp);
    assert_true(w->facts.general);
    use(w, "mcp__a_server__do__it", "{}");
    assert_true(w->facts.mcp);
    assert_str(w->facts.mcp_server, "a_server");
    assert_str(w->facts.mcp_tool, "do__it");
    use(w, "mcp__", "{}");
    assert_true(w->facts.mcp);
    assert_str(w->facts.mcp_server, "");
    assert_str(use(w, "", "{}"), "");
    struct reporter_call none = {.tool = STR_ABSENT};
    facts_begin(&w->facts, &w->arena, PHASE_FINISHED);
    reporter_finished(w->host, reporter_for(w->host, none.tool), &none, &w->facts);
    assert_false(w->facts.change.stated);
}

static void test_what_cannot_be_opened(void **state)
{
    struct world *w = *state;
    shell("echo 'not a library' > '%s'", at(w->user, "text.so"));
    shell("mkdir '%s'; mkfifo '%s'; ln -s /nowhere/x.so '%s'", at(w->user, "dir.so"), at(w->user, "fifo.so"),
          at(w->user, "dangling.so"));
    shell("touch '%s' '%s' '%s'", at(w->user, "notes.txt"), at(w->user, "libtool.la"),
          at(w->user, ".hidden.so"));
    build("no_symbol", at(w->user, "no_symbol.so"), "");
    build("function_symbol", at(w->user, "function.so"), "");
    build("undefined", at(w->user, "undefined.so"), "");
    start(w);
    const char *rows = list_rows(w);
    assert_has(rows, "text.so - it cannot be opened: ");
    assert_has(rows, "dir.so - it is not a regular file");
    assert_has(rows, "fifo.so - it is not a regular file");
    assert_has(rows, "dangling.so - it cannot be read: ");
    assert_has(rows, "no_symbol.so - it does not export a herald_reporter_module");
    assert_has(rows, "function.so - it does not export a herald_reporter_module");
    assert_has(rows, "undefined.so - it cannot be opened: ");
    assert_has(rows, "undefined symbol: function_that_is_nowhere");
    assert_int_equal(occurrences(rows, "\n"), 7);
    assert_int_equal(occurrences(read_log(w), "herald: error: the reporter plugin "), 7);
    assert_str(use(w, "Weather", "{}"), "Weather");
}

static void test_symbol_of_a_library_is_not_the_plugins(void **state)
{
    struct world *w = *state;
    build("good", at(w->root, "libgood.so"), "");
    AUTO_BUF(options);
    buf_printf(&options, "-Wl,--no-as-needed -L'%s' -lgood -Wl,-rpath,'%s'", w->root, w->root);
    build("no_symbol", at(w->user, "no_symbol.so"), "");
    shell("cc -shared -o '%s' '%s' %s", at(w->user, "linked.so"), at(w->user, "no_symbol.so"),
          buf_c(&options));
    start(w);
    assert_has(list_rows(w), "linked.so - it does not export a herald_reporter_module");
}

static void test_abi_versions(void **state)
{
    struct world *w = *state;
    build("good", at(w->user, "major.so"), "-DMAJOR=2");
    build("good", at(w->user, "minor.so"), "-DMINOR=99 -DTITLE='\"minor\"'");
    start(w);
    assert_has(list_rows(w), "major.so - it is built for reporter ABI 2 and this herald has ABI 1");
    assert_has(list_rows(w), "minor.so org.example.good loaded");
    assert_str(use(w, "Weather", "{}"), "minor");
}

static void test_structures_of_other_versions(void **state)
{
    struct world *w = *state;
    build("shapes", at(w->user, "older.so"),
          "-DREPORTER_SIZE='offsetof(herald_reporter,result)' -DTOOLS='\"Old\",'");
    build("shapes", at(w->user, "newer.so"),
          "-DREPORTER_SIZE='sizeof(struct newer_reporter)' -DMODULE_SIZE='sizeof(struct newer_module)' "
          "-DTOOLS='\"New\",'");
    start(w);
    assert_has(list_rows(w), "older.so org.example.shapes loaded");
    assert_has(list_rows(w), "newer.so org.example.shapes loaded");
    assert_str(use(w, "Old", "{}"), "shaped");
    assert_str(use(w, "New", "{}"), "shaped");
    /* The older one has no `finished` by its size, whatever stands there. */
    struct reporter_call call = {.tool = STR("Old")};
    facts_begin(&w->facts, &w->arena, PHASE_FINISHED);
    reporter_finished(w->host, reporter_for(w->host, call.tool), &call, &w->facts);
    assert_false(w->facts.content[FORM_FACT].stated);
    call.tool = STR("New");
    facts_begin(&w->facts, &w->arena, PHASE_FINISHED);
    reporter_finished(w->host, reporter_for(w->host, call.tool), &call, &w->facts);
    assert_true(w->facts.content[FORM_FACT].stated);
}

static void test_modules_that_make_no_sense(void **state)
{
    static const struct {
        const char *options, *reason;
    } rows[] = {
        {"-DMODULE_SIZE=0", "its module states a size of 0 bytes"},
        {"-DMODULE_SIZE='(size_t)-1'", "its module states a size of 18446744073709551615 bytes"},
        {"-DREPORTER_SIZE=16", "its reporter number 1 states a size of 16 bytes"},
        {"-DID=NULL", "its module has no id"},
        {"-DID='\"nodots\"'", "its module has no id"},
        {"-DID='\"org.exa mple\"'", "its module has no id"},
        {"-DVERSION=NULL", "its module has no version"},
        {"-DVERSION='\"1\\033[2J\"'", "its module has no version"},
        {"-DNAME=NULL", "its reporter number 1 has no name"},
        {"-DNAME='\"a/b\"'", "its reporter number 1 has no name"},
        {"-DTOOLS=", "names no tools"},
        {"-DTOOLS='\"\",'", "a tool name of its reporter \"shapes\" is empty"},
        {"-DTOOLS='\"\\xff\",'", "a tool name of its reporter \"shapes\" is empty, too long or not readable"},
        {"-DPRESENTATION=7", "asks for a presentation"},
        {"-DREPORTERS=", "its module has no reporters"},
    };
    struct world *w = *state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        build("shapes", at(w->user, "shape.so"), rows[i].options);
        start(w);
        assert_has(list_rows(w), rows[i].reason);
    }
}

/* ---- Trust --------------------------------------------------------------------------------------- */

static void test_files_that_others_can_write(void **state)
{
    struct world *w = *state;
    build("good", at(w->user, "world.so"), "");
    shell("cp '%s' '%s'", at(w->user, "world.so"), at(w->user, "group.so"));
    shell("chmod 0646 '%s'; chmod 0664 '%s'", at(w->user, "world.so"), at(w->user, "group.so"));
    start(w);
    assert_has(list_rows(w), "world.so - it can be written by other users (mode 0646); run: chmod go-w ");
    assert_has(list_rows(w), "group.so - it can be written by other users (mode 0664)");
    if (geteuid() == 0) {
        shell("chmod 0644 '%s'; chown 4321 '%s'", at(w->user, "world.so"), at(w->user, "world.so"));
        start(w);
        assert_has(list_rows(w), "world.so - it belongs to user 4321, who is neither root nor you");
    }
}

static void test_folders_that_others_can_write(void **state)
{
    struct world *w = *state;
    build("good", at(w->user, "good.so"), "");
    assert_int_equal(chmod(w->user, 0777), 0);
    start(w);
    assert_has(list_rows(w), "good.so - its folder can be written by other users (mode 0777)");
    assert_str(use(w, "Weather", "{}"), "Weather");
}

static void test_links_are_followed_with_the_same_eyes(void **state)
{
    struct world *w = *state;
    build("good", at(w->root, "target.so"), "");
    shell("mkdir '%s'; cp '%s' '%s'", at(w->root, "open"), at(w->root, "target.so"),
          at(w->root, "open/target.so"));
    shell("ln -s '%s' '%s'", at(w->root, "target.so"), at(w->user, "fine.so"));
    shell("ln -s '%s' '%s'; chmod 0777 '%s'", at(w->root, "open/target.so"), at(w->user, "unsafe.so"),
          at(w->root, "open"));
    start(w);
    assert_has(list_rows(w), "fine.so org.example.good loaded");
    assert_has(list_rows(w), "unsafe.so - its folder can be written by other users");
}

static void test_folders_are_absolute_and_taken_once(void **state)
{
    struct world *w = *state;
    build("good", at(w->extra, "good.so"), "");
    AUTO_BUF(path);
    buf_printf(&path, ":relative/folder::%s/../extra:%s:/nowhere/at/all", w->user, w->extra);
    w->dirs.extra = buf_c(&path);
    w->dirs.builtin = NULL;
    w->dirs.system = "";
    w->dirs.state = NULL;
    start(w);
    assert_int_equal(occurrences(list_rows(w), "good.so"), 1);
    const char *log = read_log(w);
    assert_has(log, "relative/folder is not an absolute path");
    assert_has(log, "/nowhere/at/all cannot be read");
}

/* ---- Who speaks for a tool ----------------------------------------------------------------------- */

static void test_precedence(void **state)
{
    struct world *w = *state;
    build("good", at(w->builtin, "a.so"),
          "-DID='\"org.x.builtin\"' -DTITLE='\"builtin\"' -DTOOLS='\"A\",\"B\",\"C\",\"mcp__git__*\"'");
    build("good", at(w->system, "b.so"),
          "-DID='\"org.x.system\"' -DTITLE='\"system\"' -DTOOLS='\"B\",\"C\",\"*\"'");
    build("good", at(w->user, "b.so"),
          "-DID='\"org.x.user-b\"' -DTITLE='\"user-b\"' -DTOOLS='\"C\",\"mcp__*\"'");
    build("good", at(w->user, "a.so"), "-DID='\"org.x.user-a\"' -DTITLE='\"user-a\"' -DTOOLS='\"C\",\"D*\"'");
    build("good", at(w->extra, "z.so"), "-DID='\"org.x.path\"' -DTITLE='\"path\"' -DTOOLS='\"A\",\"D*\"'");
    start(w);
    static const struct {
        const char *tool, *title;
    } rows[] = {
        {"A", "path"},        {"B", "system"},        {"C", "user-a"},
        {"D", "path"},        {"Dx", "path"},         {"mcp__git__x", "builtin"},
        {"mcp__x", "user-b"}, {"Anything", "system"}, {"", "system"},
    };
    for (int round = 0; round < 2; round++) { /* the second one is answered from memory */
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            assert_str(use(w, rows[i].tool, "{}"), rows[i].title);
        }
    }
    for (int i = 0; i < 3000; i++) { /* names without end */
        char name[32];
        snprintf(name, sizeof(name), "Made%d", i);
        reporter_for(w->host, str_of(name));
    }
    assert_str(use(w, "A", "{}"), "path");
}

static void test_installed_copy_of_a_builtin_gives_way(void **state)
{
    struct world *w = *state;
    build("good", at(w->builtin, "good.so"), "-DTITLE='\"new\"'");
    build("good", at(w->system, "good.so"), "-DTITLE='\"old\"'");
    start(w);
    assert_str(use(w, "Weather", "{}"), "new");
    assert_has(list_rows(w), "system good.so org.example.good the built-in module of the same id is used");
    assert_string_equal(read_log(w), "");
    build("good", at(w->user, "good.so"), "-DTITLE='\"own\"'");
    start(w);
    assert_str(use(w, "Weather", "{}"), "own");
}

static void test_presentation(void **state)
{
    struct world *w = *state;
    build("shapes", at(w->user, "plan.so"), "-DPRESENTATION=HERALD_SHOW_PLAN");
    start(w);
    assert_true(reporter_shows_plan(reporter_for(w->host, STR("Shape"))));
    assert_false(reporter_shows_plan(reporter_for(w->host, STR("Other"))));
}

/* ---- Misbehaviour -------------------------------------------------------------------------------- */

static void test_answers_that_cost_the_report(void **state)
{
    static const char *const tools[] = {"Fails", "Answers42", "General", "Waits", "Spins", "PlanInCall"};
    struct world *w = *state;
    build("misbehaving", at(w->user, "bad.so"), "");
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        start(w);
        assert_str(use(w, tools[i], "{}"), tools[i]);
        assert_true(w->facts.general);
        use(w, tools[i], "{}");
    }
    const char *log = read_log(w);
    assert_int_equal(occurrences(log, "use failed; the general report"), 2); /* Fails and PlanInCall */
    assert_int_equal(occurrences(log, "use gave an answer that is none"), 1);
    assert_int_equal(occurrences(log, "use took more than 50 ms"), 2);
    assert_int_equal(occurrences(log, "add_plan_entry in use was refused: the fact does not belong"), 1);
    assert_has(log, "reporter misbehaving of ");
}

static void test_refused_fact_leaves_the_rest(void **state)
{
    struct world *w = *state;
    build("misbehaving", at(w->user, "bad.so"), "");
    start(w);
    assert_str(use(w, "ResultInUse", "{}"), "mine");
    assert_str(use(w, "ResultInUse", "{}"), "mine");
    assert_false(w->facts.general);
    assert_int_equal(occurrences(read_log(w), "add_text in use was refused"), 1);
}

static void test_context_outlives_the_callback(void **state)
{
    struct world *w = *state;
    build("misbehaving", at(w->user, "bad.so"), "");
    start(w);
    use(w, "Late", "{}");
    use(w, "Late", "{}"); /* the pointer of the first call is that of the second; nothing is freed */
    assert_str(w->facts.title[FORM_FACT], "same context");
}

/* Runs one use in a child that may crash; its stderr goes to w->text. */
static int crash(struct world *w, const char *tool)
{
    const char *file = at(w->root, "stderr");
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGSEGV, SIG_DFL); /* cmocka has handlers of its own */
        signal(SIGABRT, SIG_DFL);
        int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(fd, STDERR_FILENO);
        reporter_host_install_crash_handler();
        reporter_host_install_crash_handler(); /* twice is once */
        struct reporter_host *host = reporter_host_new(&w->dirs, NULL);
        struct reporter_call call = {.tool = str_of(tool)};
        struct arena arena = ARENA_INIT;
        facts_begin(&w->facts, &arena, PHASE_USE);
        reporter_use(host, reporter_for(host, call.tool), &call, &w->facts);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    int fd = open(file, O_RDONLY);
    ssize_t n = read(fd, w->text, sizeof(w->text) - 1);
    close(fd);
    assert_true(n >= 0);
    w->text[n] = '\0';
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void test_crash_leaves_a_mark(void **state)
{
    struct world *w = *state;
    build("misbehaving", at(w->user, "bad.so"), "");
    assert_int_equal(crash(w, "Segv"), SIGSEGV);
    assert_has(w->text, "/user/bad.so crashed (SIGSEGV) in use of its reporter misbehaving.\n");
    assert_has(w->text, "herald reporters --enable ");
    start(w);
    assert_has(list_rows(w), "bad.so - it crashed in use (SIGSEGV) and is left out until it changes");
    assert_has(read_log(w), "herald: error: the reporter plugin ");
    assert_str(use(w, "Segv", "{}"), "Segv");

    /* Another file takes its place. */
    shell("touch -d '2001-01-01' '%s'", at(w->user, "bad.so"));
    start(w);
    assert_has(list_rows(w), "bad.so org.example.misbehaving loaded");
}

static void test_crashed_plugin_is_enabled_again(void **state)
{
    struct world *w = *state;
    const char *why;
    build("misbehaving", at(w->user, "bad.so"), "");
    start(w);
    assert_false(reporter_host_enable(w->host, STR("bad.so"), &why));
    assert_has(why, "no reporter plugin of that name has a crash mark");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(crash(w, "Abort"), SIGABRT);
        start(w);
        AUTO_BUF(crooked);
        buf_printf(&crooked, "%s/../user/bad.so", w->extra);
        str names[] = {STR("bad.so"), str_of(at(w->user, "bad.so")), buf_str(&crooked)};
        assert_false(reporter_host_enable(w->host, STR("other.so"), &why));
        assert_true(reporter_host_enable(w->host, names[i], &why));
        start(w);
        assert_has(list_rows(w), "bad.so org.example.misbehaving loaded");
    }
}

static void test_endless_recursion_and_crash_at_load(void **state)
{
    struct world *w = *state;
    build("misbehaving", at(w->user, "bad.so"), "-O0");
    assert_int_equal(crash(w, "Recurses"), SIGSEGV);
    assert_has(w->text, "crashed (SIGSEGV) in use of its reporter misbehaving");
    build("misbehaving", at(w->extra, "load.so"), "-DCRASH_AT_LOAD");
    assert_int_equal(crash(w, "General"), SIGABRT);
    assert_has(w->text, "load.so crashed (SIGABRT) in loading.\n");
    start(w);
    assert_has(list_rows(w), "load.so - it crashed in loading (SIGABRT)");
    assert_int_equal(crash(w, "General"), 0); /* the start after that one lives */
}

static void test_crash_without_a_state_folder(void **state)
{
    struct world *w = *state;
    build("misbehaving", at(w->user, "bad.so"), "");
    w->dirs.state = NULL;
    assert_int_equal(crash(w, "Segv"), SIGSEGV);
    assert_has(w->text, "no mark could be kept");
    w->dirs.state = "/proc/no/such";
    assert_int_equal(crash(w, "Segv"), SIGSEGV);
    assert_has(w->text, "no mark could be kept");
}

static void test_spoilt_marks_mean_nothing(void **state)
{
    struct world *w = *state;
    build("misbehaving", at(w->user, "bad.so"), "");
    assert_int_equal(crash(w, "Segv"), SIGSEGV);
    shell("cd '%s' && for f in crash-*; do head -c 30 $f > x && mv x $f; done", w->state);
    start(w);
    assert_has(list_rows(w), "bad.so org.example.misbehaving loaded");
    shell("cd '%s' && for f in crash-*; do rm $f && mkfifo $f; done", w->state);
    start(w);
    assert_has(list_rows(w), "bad.so org.example.misbehaving loaded");
}

/* The recorded layout of the public structures, and plugins in C and C++ that follow the documentation. */
static void test_public_headers(void **state)
{
    (void)state;
    if (system("command -v c++ nm >/dev/null") != 0) { // NOLINT(cert-env33-c)
        skip();
    }
    shell("'%s/../tests/abi/run'", getenv("HERALD_SDK_HEADERS"));
}

static void test_two_hosts_live_side_by_side(void **state)
{
    struct world *w = *state;
    build("good", at(w->user, "good.so"), "");
    start(w);
    struct reporter_host *other = reporter_host_new(&w->dirs, NULL);
    assert_non_null(other);
    reporter_host_free(other);
    assert_str(use(w, "Weather", "{}"), "good");
}

#define WORLD_TEST(f) cmocka_unit_test_setup_teardown(f, world_setup, world_teardown)

int main(void)
{
    umask(022);
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_good_plugin_reports),
        WORLD_TEST(test_tool_without_a_reporter),
        WORLD_TEST(test_what_cannot_be_opened),
        WORLD_TEST(test_symbol_of_a_library_is_not_the_plugins),
        WORLD_TEST(test_abi_versions),
        WORLD_TEST(test_structures_of_other_versions),
        WORLD_TEST(test_modules_that_make_no_sense),
        WORLD_TEST(test_files_that_others_can_write),
        WORLD_TEST(test_folders_that_others_can_write),
        WORLD_TEST(test_links_are_followed_with_the_same_eyes),
        WORLD_TEST(test_folders_are_absolute_and_taken_once),
        WORLD_TEST(test_precedence),
        WORLD_TEST(test_installed_copy_of_a_builtin_gives_way),
        WORLD_TEST(test_presentation),
        WORLD_TEST(test_answers_that_cost_the_report),
        WORLD_TEST(test_refused_fact_leaves_the_rest),
        WORLD_TEST(test_context_outlives_the_callback),
        WORLD_TEST(test_crash_leaves_a_mark),
        WORLD_TEST(test_crashed_plugin_is_enabled_again),
        WORLD_TEST(test_endless_recursion_and_crash_at_load),
        WORLD_TEST(test_crash_without_a_state_folder),
        WORLD_TEST(test_spoilt_marks_mean_nothing),
        cmocka_unit_test(test_public_headers),
        WORLD_TEST(test_two_hosts_live_side_by_side),
    };
    return cmocka_run_group_tests(tests, built_setup, built_teardown);
}
