/* Glob: finds files by a pattern. The list of files is the general result. */
#include <herald/reporter.h>
#include <herald/text.h>

static void add_quoted(herald_text *title, herald_string s)
{
    if (s.size) {
        herald_text_add(title, HERALD_STRING(" `"));
        herald_text_add(title, s);
        herald_text_add(title, HERALD_STRING("`"));
    }
}

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string path = herald_member_text(h, call->input, HERALD_STRING("path"));
    herald_text title = herald_text_begin(h, facts);
    herald_text_add(&title, HERALD_STRING("Find"));
    add_quoted(&title, path);
    add_quoted(&title, herald_member_text(h, call->input, HERALD_STRING("pattern")));
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_SEARCH);
    h->set_locations(facts, HERALD_BOTH);
    if (path.size) {
        h->add_location(facts, HERALD_BOTH, path, HERALD_NO_LINE);
    }
    return HERALD_OK;
}

static const char *const tools[] = {"Glob", NULL};
static const herald_reporter glob = {.struct_size = sizeof(glob), .name = "glob", .tools = tools, .use = use};
static const herald_reporter *const reporters[] = {&glob, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.glob",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
