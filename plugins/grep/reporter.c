/* Grep: the title is the command line of grep that would do the same. The hits are the general result. */
#include <herald/reporter.h>
#include <herald/text.h>

/* How a member of the input becomes a part of the command line. */
enum part_rule {
    PART_FLAG,   /* `before`, when the value is truthy */
    PART_SCALAR, /* `before` and the value, when it is there */
    PART_TEXT,   /* `before`, the text and `after`, when it is not empty */
};
struct part {
    herald_string key;
    herald_string before, after;
    enum part_rule rule;
};
#define TEXT(literal)                                                                                        \
    {                                                                                                        \
        literal, sizeof(literal) - 1                                                                         \
    }

static const struct part options[] = {
    {TEXT("-i"), TEXT(" -i"), TEXT(""), PART_FLAG},    {TEXT("-n"), TEXT(" -n"), TEXT(""), PART_FLAG},
    {TEXT("-A"), TEXT(" -A "), TEXT(""), PART_SCALAR}, {TEXT("-B"), TEXT(" -B "), TEXT(""), PART_SCALAR},
    {TEXT("-C"), TEXT(" -C "), TEXT(""), PART_SCALAR},
};
/* What follows the output mode. */
static const struct part operands[] = {
    {TEXT("head_limit"), TEXT(" | head -"), TEXT(""), PART_SCALAR},
    {TEXT("glob"), TEXT(" --include=\""), TEXT("\""), PART_TEXT},
    {TEXT("type"), TEXT(" --type="), TEXT(""), PART_TEXT},
    {TEXT("multiline"), TEXT(" -P"), TEXT(""), PART_FLAG},
    {TEXT("pattern"), TEXT(" \""), TEXT("\""), PART_TEXT},
};

static bool part_applies(const herald_host *h, const struct part *p, herald_value value)
{
    herald_type type = h->type(value);
    switch (p->rule) {
    case PART_FLAG:
        return h->truthy(value);
    case PART_SCALAR:
        return type != HERALD_MISSING && type != HERALD_ARRAY && type != HERALD_OBJECT;
    case PART_TEXT:
        return h->text(value).size != 0;
    }
    return false;
}

static void add_parts(herald_text *title, const herald_call *call, const struct part *parts, size_t count)
{
    const herald_host *h = call->host;
    for (size_t i = 0; i < count; i++) {
        herald_value value = h->member(call->input, parts[i].key);
        if (part_applies(h, &parts[i], value)) {
            herald_text_add(title, parts[i].before);
            if (parts[i].rule != PART_FLAG) {
                herald_text_add_scalar(title, value);
            }
            herald_text_add(title, parts[i].after);
        }
    }
}

/* The member is true, as a boolean or as the word. */
static bool is_set(const herald_call *call, herald_string key)
{
    const herald_host *h = call->host;
    herald_value value = h->member(call->input, key);
    return h->is_true(value) || herald_string_equal(h->text(value), HERALD_STRING("true"));
}

/* " -l", " -c" or nothing: a stated output mode counts before the flags. */
static herald_string output_flag(const herald_call *call)
{
    herald_string mode = herald_member_text(call->host, call->input, HERALD_STRING("output_mode"));
    bool files = mode.data ? herald_string_equal(mode, HERALD_STRING("files_with_matches"))
                           : is_set(call, HERALD_STRING("-l"));
    bool count =
        mode.data ? herald_string_equal(mode, HERALD_STRING("count")) : is_set(call, HERALD_STRING("-c"));
    if (files) {
        return HERALD_STRING(" -l");
    }
    return count ? HERALD_STRING(" -c") : HERALD_STRING("");
}

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string path = herald_member_text(h, call->input, HERALD_STRING("path"));
    herald_text title = herald_text_begin(h, facts);
    if (!path.data) {
        path = herald_member_text(h, call->input, HERALD_STRING("file_path"));
    }
    herald_text_add(&title, HERALD_STRING("grep"));
    add_parts(&title, call, options, sizeof(options) / sizeof(options[0]));
    herald_text_add(&title, output_flag(call));
    add_parts(&title, call, operands, sizeof(operands) / sizeof(operands[0]));
    if (path.size) {
        herald_text_add(&title, HERALD_STRING(" "));
        herald_text_add(&title, path);
    }
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_SEARCH);
    return HERALD_OK;
}

static const char *const tools[] = {"Grep", NULL};
static const herald_reporter grep = {.struct_size = sizeof(grep), .name = "grep", .tools = tools, .use = use};
static const herald_reporter *const reporters[] = {&grep, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.grep",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
