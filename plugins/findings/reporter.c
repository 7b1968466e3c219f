/* ReportFindings: the findings of a review, which are readable input. The answer is the general result. */
#include <herald/reporter.h>
#include <herald/text.h>

/* "Report 2 findings" */
static void set_title(const herald_call *call, herald_facts *facts, size_t count)
{
    const herald_host *h = call->host;
    herald_text title = herald_text_begin(h, facts);
    if (count == 0) {
        herald_text_add(&title, HERALD_STRING("Report findings: none found"));
    } else {
        herald_text_add(&title, HERALD_STRING("Report "));
        herald_text_add_integer(&title, (int64_t)count);
        herald_text_add(&title, count == 1 ? HERALD_STRING(" finding") : HERALD_STRING(" findings"));
    }
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
}

/* "**src/a.c:12** — what is wrong" */
static void add_finding(const herald_call *call, herald_facts *facts, herald_value finding)
{
    const herald_host *h = call->host;
    herald_string file = herald_member_text(h, finding, HERALD_STRING("file"));
    herald_string summary = herald_member_text(h, finding, HERALD_STRING("summary"));
    herald_value line = h->member(finding, HERALD_STRING("line"));
    herald_text t = herald_text_begin(h, facts);
    if (file.size) {
        herald_text_add(&t, HERALD_STRING("**"));
        herald_text_add(&t, file);
        if (h->truthy(line) && (h->type(line) == HERALD_NUMBER || h->type(line) == HERALD_TEXT)) {
            herald_text_add(&t, HERALD_STRING(":"));
            herald_text_add_scalar(&t, line);
        }
        herald_text_add(&t, summary.size ? HERALD_STRING("** — ") : HERALD_STRING("**"));
    }
    herald_text_add(&t, summary);
    if (t.size) {
        h->add_display(facts, HERALD_BOTH, herald_text_end(&t));
    }
}

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_value findings = h->member(call->input, HERALD_STRING("findings"));
    uint64_t cursor = 0;
    herald_value finding;
    bool list = h->type(findings) == HERALD_ARRAY;
    set_title(call, facts, list ? h->count(findings) : 0);
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_THINK);
    while (list && h->next(findings, &cursor, NULL, &finding)) {
        add_finding(call, facts, finding);
    }
    return HERALD_OK;
}

static const char *const tools[] = {"ReportFindings", NULL};
static const herald_reporter findings_tool = {.struct_size = sizeof(findings_tool),
                                              .name = "findings",
                                              .tools = tools,
                                              .use = use};
static const herald_reporter *const reporters[] = {&findings_tool, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.findings",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
