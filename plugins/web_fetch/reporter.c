/* WebFetch: asks a question about a page. The prompt is readable input, the answer the general result. */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string url = herald_member_text(h, call->input, HERALD_STRING("url"));
    herald_string prompt = herald_member_text(h, call->input, HERALD_STRING("prompt"));
    herald_value offset = h->member(call->input, HERALD_STRING("offset"));
    herald_text title = herald_text_begin(h, facts);
    herald_text_add(&title, HERALD_STRING("Fetch"));
    if (url.size) {
        herald_text_add(&title, HERALD_STRING(" "));
        herald_text_add(&title, url);
        /* A page that is too long for one call is read on from where the last one ended. */
        if (h->type(offset) == HERALD_NUMBER && h->truthy(offset)) {
            herald_text_add(&title, HERALD_STRING(" (from char "));
            herald_text_add_scalar(&title, offset);
            herald_text_add(&title, HERALD_STRING(")"));
        }
    }
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_FETCH);
    if (prompt.size) {
        h->add_display(facts, HERALD_BOTH, prompt);
    }
    return HERALD_OK;
}

static const char *const tools[] = {"WebFetch", NULL};
static const herald_reporter fetch = {.struct_size = sizeof(fetch),
                                      .name = "web_fetch",
                                      .tools = tools,
                                      .use = use};
static const herald_reporter *const reporters[] = {&fetch, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.web_fetch",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
