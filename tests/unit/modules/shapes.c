/* A module whose structures are of another version's size, or make no sense. */
#include <herald/reporter.h>

static herald_status use(const herald_call *call, herald_facts *facts)
{
    return call->host->set_title(facts, HERALD_BOTH, HERALD_STRING("shaped"));
}

static herald_status must_not_run(const herald_call *call, herald_facts *facts)
{
    call->host->set_content(facts, HERALD_BOTH);
    return HERALD_OK;
}

/* The structures as a later minor version has them: what is new stands at the end. */
struct newer_reporter {
    herald_reporter known;
    herald_status (*dreamt)(const herald_call *call, herald_facts *facts);
};
struct newer_module {
    herald_module known;
    const char *motto;
};

#ifndef REPORTER_SIZE
#define REPORTER_SIZE sizeof(herald_reporter)
#endif
#ifndef MODULE_SIZE
#define MODULE_SIZE sizeof(herald_module)
#endif
#ifndef ID
#define ID "org.example.shapes"
#endif
#ifndef VERSION
#define VERSION "1"
#endif
#ifndef NAME
#define NAME "shapes"
#endif
#ifndef TOOLS
#define TOOLS "Shape",
#endif
#ifndef PRESENTATION
#define PRESENTATION HERALD_SHOW_CALL
#endif
#ifndef REPORTERS
#define REPORTERS &reporter.known,
#endif

static const char *const tools[] = {TOOLS NULL};
static const struct newer_reporter reporter = {.known = {.struct_size = REPORTER_SIZE,
                                                         .name = NAME,
                                                         .tools = tools,
                                                         .presentation = PRESENTATION,
                                                         .use = use,
                                                         .finished = must_not_run},
                                               .dreamt = must_not_run};
static const herald_reporter *const reporters[] = {REPORTERS NULL};

__attribute__((visibility("default"))) const struct newer_module
    shaped_module __asm__("herald_reporter_module") = {.known = {.abi_major = HERALD_ABI_MAJOR,
                                                                 .abi_minor = HERALD_ABI_MINOR + 1,
                                                                 .struct_size = MODULE_SIZE,
                                                                 .id = ID,
                                                                 .version = VERSION,
                                                                 .reporters = reporters},
                                                       .motto = "later"};
const void *keep_reporter(void);
const void *keep_reporter(void)
{
    return &reporter;
}
