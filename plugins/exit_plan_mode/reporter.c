/* ExitPlanMode: a plan to approve.
 *
 * The input names the plan and the file that holds it; Herald shows the one or the other. The approval text
 * repeats the plan. The reason of a rejection has no form of its own; it comes in a code fence, which is
 * taken off. */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    h->set_title(facts, HERALD_BOTH, HERALD_STRING("Approve Plan"));
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_SWITCH_MODE);
    h->set_plan_keys(facts, HERALD_STRING("plan"), HERALD_STRING("planFilePath"));
    return HERALD_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* What one code fence around the whole text holds; no text when there is none. */
static herald_string unfenced(herald_string s)
{
    static const herald_string none = {NULL, 0}, fence = {"```", 3};
    const char *lf;
    while (s.size && is_blank(s.data[s.size - 1])) {
        s.size--;
    }
    while (s.size && is_blank(*s.data)) {
        s.data++;
        s.size--;
    }
    if (!herald_string_starts(s, fence) || !(lf = (const char *)memchr(s.data, '\n', s.size))) {
        return none;
    }
    size_t head = (size_t)(lf - s.data) + 1;
    const char *cr = (const char *)memchr(s.data, '\r', head);
    if ((cr && cr != lf - 1) || s.size < head + fence.size + 1 || !herald_string_ends(s, fence)) {
        return none;
    }
    size_t end = s.size - fence.size - 1;
    if (s.data[end] != '\n') {
        return none;
    }
    if (end > head && s.data[end - 1] == '\r') {
        end--;
    }
    return (herald_string){s.data + head, end - head};
}

/* States the text without its fence as the raw output; the result as it came needs no word. */
static void set_unfenced_output(const herald_call *call, herald_facts *facts, herald_form form)
{
    const herald_host *h = call->host;
    herald_string text = h->text(call->result);
    herald_string inner = text.data ? unfenced(text) : text;
    if (inner.data) {
        herald_text json = herald_text_begin(h, facts);
        herald_text_add_json_string(&json, inner);
        h->set_raw_output(facts, form, herald_text_end(&json));
    }
}

static herald_status result(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string file = herald_member_text(h, call->structured, HERALD_STRING("filePath"));
    bool has_text =
        h->text(call->result).size || (h->type(call->result) == HERALD_ARRAY && h->count(call->result));
    if (file.size) {
        h->set_plan_file(facts, file);
    }
    if (call->is_error && has_text) {
        h->add_result(facts, HERALD_PLAIN, call->result, true);
        set_unfenced_output(call, facts, HERALD_BOTH);
        return HERALD_OK;
    }
    h->set_title(facts, HERALD_BOTH, HERALD_STRING("Exited Plan Mode"));
    h->set_raw_output(facts, HERALD_FACT, (herald_string){NULL, 0});
    set_unfenced_output(call, facts, HERALD_PLAIN);
    return HERALD_OK;
}

static const char *const tools[] = {"ExitPlanMode", NULL};
static const herald_reporter plan_mode = {.struct_size = sizeof(plan_mode),
                                          .name = "exit_plan_mode",
                                          .tools = tools,
                                          .use = use,
                                          .result = result};
static const herald_reporter *const reporters[] = {&plan_mode, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.exit_plan_mode",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
