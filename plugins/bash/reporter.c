/* Bash and PowerShell: a command, whose output belongs into a terminal.
 *
 * The title is the command itself. What it is for comes twice, as the command's description and as
 * readable input; the host shows one of them. The output is read from the structured result where
 * there is one, since the text that Claude reads carries hints for Claude. */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_string description_of(const herald_call *call)
{
    const herald_host *h = call->host;
    herald_string s = herald_member_text(h, call->input, HERALD_STRING("description"));
    return s.data ? s : herald_member_text(h, call->input, HERALD_STRING("command_description"));
}

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string command = herald_member_text(h, call->input, HERALD_STRING("command"));
    herald_string description = description_of(call);
    h->set_title(facts, HERALD_BOTH, command.size ? command : HERALD_STRING("Terminal"));
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_EXECUTE);
    if (description.size) {
        h->add_display(facts, HERALD_BOTH, description);
        h->set_command(facts, description);
    } else {
        h->set_command(facts, (herald_string){NULL, 0});
    }
    return HERALD_OK;
}

/* What is known of a command that has ended. */
struct outcome {
    herald_string output;
    bool exit_known;
    int32_t exit_code;
    bool interrupted;
};

/* Both texts, a line break between them when neither is empty. */
static herald_string join_lines(const herald_call *call, herald_facts *facts, herald_string a,
                                herald_string b)
{
    if (!a.size) {
        return b;
    }
    if (!b.size) {
        return a;
    }
    herald_text t = herald_text_begin(call->host, facts);
    herald_text_add(&t, a);
    herald_text_add(&t, HERALD_STRING("\n"));
    herald_text_add(&t, b);
    return herald_text_end(&t);
}

static herald_string joined_streams(const herald_call *call, herald_facts *facts, herald_value from)
{
    const herald_host *h = call->host;
    return join_lines(call, facts, herald_member_text(h, from, HERALD_STRING("stdout")),
                      herald_member_text(h, from, HERALD_STRING("stderr")));
}

/* The note that the output was cut, when all of it was saved to a file. */
static herald_string cut_note(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string path = herald_member_text(h, call->structured, HERALD_STRING("persistedOutputPath"));
    herald_value size = h->member(call->structured, HERALD_STRING("persistedOutputSize"));
    herald_text t = herald_text_begin(h, facts);
    if (path.data) {
        herald_text_add(&t, HERALD_STRING("[Output truncated"));
        if (h->type(size) == HERALD_NUMBER) {
            herald_text_add(&t, HERALD_STRING(" ("));
            herald_text_add_scalar(&t, size);
            herald_text_add(&t, HERALD_STRING(" bytes total)"));
        }
        herald_text_add(&t, HERALD_STRING(": full output saved to "));
        herald_text_add(&t, path);
        herald_text_add(&t, HERALD_STRING("]"));
    }
    return herald_text_end(&t);
}

static bool is_present(const herald_host *h, herald_value v)
{
    herald_type type = h->type(v);
    return type != HERALD_MISSING && type != HERALD_NULL;
}

static bool is_in_background(const herald_call *call)
{
    return is_present(call->host, call->host->member(call->structured, HERALD_STRING("backgroundTaskId")));
}

/* The structured result tells of a command that has ended with text. */
static bool has_structured_output(const herald_call *call)
{
    const herald_host *h = call->host;
    herald_value s = call->structured;
    return herald_member_text(h, s, HERALD_STRING("stdout")).data &&
           herald_member_text(h, s, HERALD_STRING("stderr")).data &&
           !h->truthy(h->member(s, HERALD_STRING("isImage"))) && !is_in_background(call);
}

static void read_structured(const herald_call *call, herald_facts *facts, struct outcome *o)
{
    const herald_host *h = call->host;
    herald_value s = call->structured;
    o->output = joined_streams(call, facts, s);
    if (h->truthy(h->member(s, HERALD_STRING("interrupted")))) {
        o->interrupted = true;
        o->exit_known = false;
        o->output =
            join_lines(call, facts, o->output, HERALD_STRING("[Command was aborted before completion]"));
    }
    /* A success with another code than 0, such as that of a grep that found nothing. */
    if (is_present(h, h->member(s, HERALD_STRING("returnCodeInterpretation")))) {
        o->exit_known = false;
    }
    o->output = join_lines(call, facts, o->output, cut_note(call, facts));
}

/* The texts of a list of text blocks; false when something else is among them. */
static bool read_blocks(const herald_call *call, herald_facts *facts, struct outcome *o)
{
    const herald_host *h = call->host;
    herald_text t = herald_text_begin(h, facts);
    uint64_t cursor = 0;
    herald_value block;
    bool first = true;
    while (h->next(call->result, &cursor, NULL, &block)) {
        herald_string text = herald_member_text(h, block, HERALD_STRING("text"));
        if (!text.data) {
            return false;
        }
        if (!first) {
            herald_text_add(&t, HERALD_STRING("\n"));
        }
        first = false;
        herald_text_add(&t, text);
    }
    o->output = herald_text_end(&t);
    return true;
}

/* The code in "Exit code 2\n…", with which the text of a failed command begins. */
static bool stated_exit_code(herald_string output, int32_t *code)
{
    static const herald_string lead = {"Exit code ", 10};
    size_t at = lead.size;
    int64_t n = 0;
    if (!herald_string_starts(output, lead)) {
        return false;
    }
    for (; at < output.size && output.data[at] >= '0' && output.data[at] <= '9'; at++) {
        n = n * 10 + (output.data[at] - '0');
        if (n > INT32_MAX) {
            return false;
        }
    }
    if (at == lead.size || (at < output.size && output.data[at] != '\n')) {
        return false;
    }
    *code = (int32_t)n;
    return true;
}

/* False when the result is no command output. */
static bool read_outcome(const herald_call *call, herald_facts *facts, struct outcome *o)
{
    const herald_host *h = call->host;
    int64_t code;
    if (has_structured_output(call)) {
        read_structured(call, facts, o);
    } else if (herald_string_equal(herald_member_text(h, call->result, HERALD_STRING("type")),
                                   HERALD_STRING("bash_code_execution_result"))) {
        o->output = joined_streams(call, facts, call->result);
        o->exit_known = h->integer(h->member(call->result, HERALD_STRING("return_code")), &code) &&
                        code >= INT32_MIN && code <= INT32_MAX;
        o->exit_code = o->exit_known ? (int32_t)code : 0;
    } else if (h->type(call->result) == HERALD_ARRAY) {
        if (!read_blocks(call, facts, o)) {
            return false;
        }
    } else {
        o->output = h->text(call->result);
    }
    if (!o->output.data) {
        o->output = HERALD_STRING("");
    }
    return true;
}

static herald_status result(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    struct outcome o = {.exit_known = !call->is_error};
    if (!read_outcome(call, facts, &o)) {
        return HERALD_GENERAL;
    }
    if (call->is_error && !o.exit_known) {
        o.exit_known = stated_exit_code(o.output, &o.exit_code);
    }
    if (is_in_background(call)) {
        o.exit_known = false;
        h->set_background_task(facts,
                               herald_member_text(h, call->structured, HERALD_STRING("backgroundTaskId")));
    }
    h->set_command_output(facts, o.output, o.exit_known ? &o.exit_code : NULL, o.interrupted);
    return HERALD_OK;
}

static const char *const tools[] = {"Bash", "PowerShell", NULL};
static const herald_reporter shell = {.struct_size = sizeof(shell),
                                      .name = "shell",
                                      .tools = tools,
                                      .use = use,
                                      .result = result};
static const herald_reporter *const reporters[] = {&shell, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.bash",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
