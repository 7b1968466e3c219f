/* Other: a tool that Claude cannot name. Its input, as JSON, is all there is to read. */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string json = h->json(facts, call->input, 2);
    herald_text display = herald_text_begin(h, facts);
    h->set_title(facts, HERALD_BOTH, call->tool);
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_OTHER);
    if (json.data) {
        herald_text_add(&display, HERALD_STRING("```json\n"));
        herald_text_add(&display, json);
        herald_text_add(&display, HERALD_STRING("```"));
        h->add_display(facts, HERALD_BOTH, herald_text_end(&display));
    }
    return HERALD_OK;
}

static const char *const tools[] = {"Other", NULL};
static const herald_reporter other = {.struct_size = sizeof(other),
                                      .name = "other",
                                      .tools = tools,
                                      .use = use};
static const herald_reporter *const reporters[] = {&other, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.other",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
