/* AskUserQuestion: questions for the person. They are readable input; a client that knows only plain fields
 * also has a single question as the title. The answers are the general result. */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_status use(const herald_call *call, herald_facts *facts)
{
    static const herald_string title = {"Asking for your input", 21};
    const herald_host *h = call->host;
    herald_value questions = h->member(call->input, HERALD_STRING("questions"));
    uint64_t cursor = 0;
    herald_value item;
    bool single = h->type(questions) == HERALD_ARRAY && h->count(questions) == 1;
    h->set_title(facts, HERALD_BOTH, title);
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_OTHER);
    if (h->type(questions) != HERALD_ARRAY) {
        return HERALD_OK;
    }
    while (h->next(questions, &cursor, NULL, &item)) {
        herald_string question = herald_member_text(h, item, HERALD_STRING("question"));
        if (question.data) {
            h->add_display(facts, HERALD_BOTH, question);
        }
        if (question.size && single) {
            h->set_title(facts, HERALD_PLAIN, question);
        }
    }
    return HERALD_OK;
}

static const char *const tools[] = {"AskUserQuestion", NULL};
static const herald_reporter question = {.struct_size = sizeof(question),
                                         .name = "question",
                                         .tools = tools,
                                         .use = use};
static const herald_reporter *const reporters[] = {&question, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.question",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
