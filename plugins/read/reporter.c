/* Read: shows the text of a file, with line numbers.
 *
 * The structured result holds the text as it is in the file. The text result is what Claude reads, with
 * reminders for Claude in it, so it serves only where there is no structured text: an image, a notebook, an
 * empty file, an old transcript. */
#include <herald/reporter.h>
#include <herald/text.h>

/* Beyond this a number of JSON is no exact line number any more. */
#define LINE_MAX_EXACT ((int64_t)1 << 53)

static bool line_number(const herald_host *h, herald_value v, int64_t *out)
{
    int64_t n;
    if (!h->integer(v, &n) || n > LINE_MAX_EXACT || n < -LINE_MAX_EXACT) {
        return false;
    }
    *out = n;
    return true;
}

/* " (11 - 20)", " (from line 11)", or nothing. */
static void add_range(herald_text *title, const herald_call *call)
{
    const herald_host *h = call->host;
    int64_t offset = 0, limit = 0;
    bool has_offset = line_number(h, h->member(call->input, HERALD_STRING("offset")), &offset);
    if (line_number(h, h->member(call->input, HERALD_STRING("limit")), &limit) && limit > 0) {
        int64_t first = has_offset ? offset : 1;
        herald_text_add(title, HERALD_STRING(" ("));
        herald_text_add_integer(title, first);
        herald_text_add(title, HERALD_STRING(" - "));
        herald_text_add_integer(title, first + limit - 1);
        herald_text_add(title, HERALD_STRING(")"));
    } else if (offset != 0) {
        herald_text_add(title, HERALD_STRING(" (from line "));
        herald_text_add_integer(title, offset);
        herald_text_add(title, HERALD_STRING(")"));
    }
}

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string path = herald_member_text(h, call->input, HERALD_STRING("file_path"));
    herald_text title = herald_text_begin(h, facts);
    int64_t line = 1;
    herald_text_add(&title, HERALD_STRING("Read "));
    herald_text_add(&title, path.size ? h->display_path(facts, path) : HERALD_STRING("File"));
    add_range(&title, call);
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_READ);
    h->set_locations(facts, HERALD_BOTH);
    if (path.size) {
        if (!line_number(h, h->member(call->input, HERALD_STRING("offset")), &line) || line < 0) {
            line = 1;
        }
        h->add_location(facts, HERALD_BOTH, path, line);
    }
    return HERALD_OK;
}

/* "[File truncated: showing 10 of 25 lines]" */
static void add_cut_note(herald_text *t, const herald_call *call, herald_value file)
{
    const herald_host *h = call->host;
    herald_value shown = h->member(file, HERALD_STRING("numLines"));
    herald_value total = h->member(file, HERALD_STRING("totalLines"));
    herald_text_add(t, HERALD_STRING("\n[File truncated"));
    if (h->type(shown) == HERALD_NUMBER && h->type(total) == HERALD_NUMBER) {
        herald_text_add(t, HERALD_STRING(": showing "));
        herald_text_add_scalar(t, shown);
        herald_text_add(t, HERALD_STRING(" of "));
        herald_text_add_scalar(t, total);
        herald_text_add(t, HERALD_STRING(" lines"));
    }
    herald_text_add(t, HERALD_STRING("]"));
}

/* The lines of the file with their numbers. The line break at the end of the text ends its last line and
 * begins no other. */
static herald_string numbered(const herald_call *call, herald_facts *facts, herald_value file,
                              herald_string text)
{
    const herald_host *h = call->host;
    herald_text t = herald_text_begin(h, facts);
    int64_t line;
    size_t end = text.data[text.size - 1] == '\n' ? text.size - 1 : text.size;
    size_t at = 0;
    if (!line_number(h, h->member(file, HERALD_STRING("startLine")), &line) &&
        !line_number(h, h->member(call->input, HERALD_STRING("offset")), &line)) {
        line = 1;
    }
    for (;;) {
        const char *lf = (const char *)(at < end ? memchr(text.data + at, '\n', end - at) : NULL);
        size_t to = lf ? (size_t)(lf - text.data) : end;
        herald_text_add_integer(&t, line++);
        herald_text_add(&t, HERALD_STRING("\t"));
        herald_text_add(&t, (herald_string){text.data + at, to - at});
        if (!lf) {
            break;
        }
        herald_text_add(&t, HERALD_STRING("\n"));
        at = to + 1;
    }
    if (h->truthy(h->member(file, HERALD_STRING("truncatedByTokenCap")))) {
        add_cut_note(&t, call, file);
    }
    return herald_text_end(&t);
}

static void add_fenced(const herald_call *call, herald_facts *facts, herald_string text)
{
    call->host->add_text(facts, HERALD_BOTH, call->host->fence(facts, (herald_string){NULL, 0}, text));
}

static void add_blocks(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    uint64_t cursor = 0;
    herald_value block;
    while (h->next(call->result, &cursor, NULL, &block)) {
        herald_string text = herald_member_text(h, block, HERALD_STRING("text"));
        herald_string type = herald_member_text(h, block, HERALD_STRING("type"));
        if (text.data && herald_string_equal(type, HERALD_STRING("text"))) {
            add_fenced(call, facts, text);
        } else {
            h->add_block(facts, HERALD_BOTH, block, false);
        }
    }
}

static herald_status result(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_value file = h->member(call->structured, HERALD_STRING("file"));
    herald_string kind = herald_member_text(h, call->structured, HERALD_STRING("type"));
    herald_string text = herald_member_text(h, file, HERALD_STRING("content"));
    if (call->is_error) {
        return HERALD_GENERAL;
    }
    if (text.size && herald_string_equal(kind, HERALD_STRING("text"))) {
        add_fenced(call, facts, numbered(call, facts, file, text));
    } else if (h->type(call->result) == HERALD_ARRAY) {
        add_blocks(call, facts);
    } else if (h->text(call->result).size) {
        add_fenced(call, facts, h->text(call->result));
    }
    return HERALD_OK;
}

static const char *const tools[] = {"Read", NULL};
static const herald_reporter reader = {.struct_size = sizeof(reader),
                                       .name = "read",
                                       .tools = tools,
                                       .use = use,
                                       .result = result};
static const herald_reporter *const reporters[] = {&reader, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.read",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
