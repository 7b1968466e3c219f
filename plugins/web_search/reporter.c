/* WebSearch: the hits are read from the structured result, one a line; the text result is written for Claude.
 */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string query = herald_member_text(h, call->input, HERALD_STRING("query"));
    if (query.size) {
        herald_text title = herald_text_begin(h, facts);
        herald_text_add(&title, HERALD_STRING("Search \""));
        herald_text_add(&title, query);
        herald_text_add(&title, HERALD_STRING("\""));
        h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
    } else {
        h->set_title(facts, HERALD_BOTH, HERALD_STRING("Web search"));
    }
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_FETCH);
    return HERALD_OK;
}

struct lines {
    herald_text text;
    bool any;
};

static void begin_line(struct lines *l)
{
    if (l->any) {
        herald_text_add(&l->text, HERALD_STRING("\n"));
    }
    l->any = true;
}

/* "Title (url)" for each hit that has both. */
static void add_hits(struct lines *l, const herald_host *h, herald_value hits)
{
    uint64_t cursor = 0;
    herald_value hit;
    while (h->next(hits, &cursor, NULL, &hit)) {
        herald_string title = herald_member_text(h, hit, HERALD_STRING("title"));
        herald_string url = herald_member_text(h, hit, HERALD_STRING("url"));
        if (title.data && url.data) {
            begin_line(l);
            herald_text_add(&l->text, title);
            herald_text_add(&l->text, HERALD_STRING(" ("));
            herald_text_add(&l->text, url);
            herald_text_add(&l->text, HERALD_STRING(")"));
        }
    }
}

static herald_status result(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_value results = h->member(call->structured, HERALD_STRING("results"));
    struct lines l = {herald_text_begin(h, facts), false};
    uint64_t cursor = 0;
    herald_value entry;
    if (call->is_error || h->type(results) != HERALD_ARRAY) {
        return HERALD_GENERAL;
    }
    while (h->next(results, &cursor, NULL, &entry)) {
        herald_value hits = h->member(entry, HERALD_STRING("content"));
        if (h->type(entry) == HERALD_TEXT) {
            begin_line(&l);
            herald_text_add(&l.text, h->text(entry));
        } else if (h->type(hits) == HERALD_ARRAY) {
            add_hits(&l, h, hits);
        }
    }
    if (!l.any) {
        return HERALD_GENERAL;
    }
    return h->add_text(facts, HERALD_BOTH, herald_text_end(&l.text));
}

static const char *const tools[] = {"WebSearch", NULL};
static const herald_reporter search = {.struct_size = sizeof(search),
                                       .name = "web_search",
                                       .tools = tools,
                                       .use = use,
                                       .result = result};
static const herald_reporter *const reporters[] = {&search, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.web_search",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
