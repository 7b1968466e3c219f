/* TodoWrite: its input is the whole plan. The title serves where a person must allow the call. */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_plan_status status_of(const herald_host *h, herald_value todo)
{
    herald_string s = herald_member_text(h, todo, HERALD_STRING("status"));
    if (herald_string_equal(s, HERALD_STRING("in_progress"))) {
        return HERALD_PLAN_IN_PROGRESS;
    }
    return herald_string_equal(s, HERALD_STRING("completed")) ? HERALD_PLAN_COMPLETED : HERALD_PLAN_PENDING;
}

/* An entry that is being worked on is called by its active form. */
static void add_entry(const herald_host *h, herald_facts *facts, herald_value todo)
{
    herald_string content = herald_member_text(h, todo, HERALD_STRING("content"));
    herald_plan_status status = status_of(h, todo);
    if (status == HERALD_PLAN_IN_PROGRESS) {
        herald_string active = herald_member_text(h, todo, HERALD_STRING("activeForm"));
        content = active.size ? active : content;
    }
    if (content.data) {
        h->add_plan_entry(facts, content, status);
    }
}

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_value todos = h->member(call->input, HERALD_STRING("todos"));
    herald_text title = herald_text_begin(h, facts);
    uint64_t cursor = 0;
    herald_value todo;
    bool first = true;
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_THINK);
    if (h->type(todos) != HERALD_ARRAY) {
        return h->set_title(facts, HERALD_BOTH, HERALD_STRING("Update TODOs"));
    }
    h->set_plan(facts);
    herald_text_add(&title, HERALD_STRING("Update TODOs: "));
    while (h->next(todos, &cursor, NULL, &todo)) {
        if (!first) {
            herald_text_add(&title, HERALD_STRING(", "));
        }
        first = false;
        herald_text_add(&title, herald_member_text(h, todo, HERALD_STRING("content")));
        add_entry(h, facts, todo);
    }
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
    return HERALD_OK;
}

/* The plan went out with the use. */
static herald_status result(const herald_call *call, herald_facts *facts)
{
    (void)facts;
    return call->is_error ? HERALD_GENERAL : HERALD_OK;
}

static const char *const tools[] = {"TodoWrite", NULL};
static const herald_reporter todo_list = {.struct_size = sizeof(todo_list),
                                          .name = "todo",
                                          .tools = tools,
                                          .presentation = HERALD_SHOW_PLAN,
                                          .use = use,
                                          .result = result};
static const herald_reporter *const reporters[] = {&todo_list, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.todo",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
