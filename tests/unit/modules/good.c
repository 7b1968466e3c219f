/* A reporter of the plainest kind. What makes it differ from its siblings is given on the command line. */
#include <herald/reporter.h>
#include <herald/text.h>

#ifndef ID
#define ID "org.example.good"
#endif
#ifndef TOOLS
#define TOOLS "Weather"
#endif
#ifndef TITLE
#define TITLE "good"
#endif
#ifndef MAJOR
#define MAJOR HERALD_ABI_MAJOR
#endif
#ifndef MINOR
#define MINOR HERALD_ABI_MINOR
#endif

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_text t = herald_text_begin(h, facts);
    herald_string city = h->text(h->member(call->input, HERALD_STRING("city")));
    herald_text_add(&t, HERALD_STRING(TITLE));
    if (city.size) {
        herald_text_add(&t, HERALD_STRING(" "));
        herald_text_add(&t, city);
    }
    h->set_title(facts, HERALD_BOTH, herald_text_end(&t));
    return h->set_kind(facts, HERALD_BOTH, HERALD_KIND_FETCH);
}

static herald_status result(const herald_call *call, herald_facts *facts)
{
    return call->is_error
               ? HERALD_GENERAL
               : call->host->add_text(facts, HERALD_BOTH, call->host->result_text(facts, call->result));
}

static const char *const tools[] = {TOOLS, NULL};
static const herald_reporter reporter = {.struct_size = sizeof(reporter),
                                         .name = "good",
                                         .tools = tools,
                                         .use = use,
                                         .result = result};
static const herald_reporter *const reporters[] = {&reporter, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = MAJOR,
                                                            .abi_minor = MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = ID,
                                                            .version = "1.2",
                                                            .license = "MIT",
                                                            .reporters = reporters};
