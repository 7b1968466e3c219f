/* NotebookEdit: changes a cell of a notebook.
 *
 * Only clients that render each fact from its own field get the edit; the others know the tool by its name,
 * with its result text. A cell's source is readable input and no diff, since a diff of the notebook's file
 * would have to show its JSON. */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_string mode_of(const herald_call *call)
{
    return herald_member_text(call->host, call->input, HERALD_STRING("edit_mode"));
}

/* The new source of the cell; no text when there is none. */
static herald_string source_of(const herald_call *call)
{
    if (herald_string_equal(mode_of(call), HERALD_STRING("delete"))) {
        return (herald_string){NULL, 0};
    }
    return herald_member_text(call->host, call->input, HERALD_STRING("new_source"));
}

static void set_title(const herald_call *call, herald_facts *facts, herald_string path)
{
    const herald_host *h = call->host;
    herald_string shown = path.size ? h->display_path(facts, path) : path;
    herald_string cell = herald_member_text(h, call->input, HERALD_STRING("cell_id"));
    herald_string mode = mode_of(call);
    herald_string verb = HERALD_STRING("Edit");
    if (!shown.size) {
        h->set_title(facts, HERALD_FACT, HERALD_STRING("Edit notebook"));
        return;
    }
    if (herald_string_equal(mode, HERALD_STRING("insert"))) {
        verb = HERALD_STRING("Insert");
    } else if (herald_string_equal(mode, HERALD_STRING("delete"))) {
        verb = HERALD_STRING("Delete");
    }
    herald_text title = herald_text_begin(h, facts);
    herald_text_add(&title, verb);
    herald_text_add(&title, HERALD_STRING(" cell"));
    if (cell.size) {
        herald_text_add(&title, HERALD_STRING(" "));
        herald_text_add(&title, cell);
    }
    herald_text_add(&title, HERALD_STRING(" in "));
    herald_text_add(&title, shown);
    h->set_title(facts, HERALD_FACT, herald_text_end(&title));
}

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string path = herald_member_text(h, call->input, HERALD_STRING("notebook_path"));
    herald_string source = source_of(call);
    h->set_title(facts, HERALD_PLAIN, call->tool);
    h->set_kind(facts, HERALD_PLAIN, HERALD_KIND_OTHER);
    set_title(call, facts, path);
    h->set_kind(facts, HERALD_FACT, HERALD_KIND_EDIT);
    h->set_locations(facts, HERALD_FACT);
    if (path.size) {
        h->add_location(facts, HERALD_FACT, path, HERALD_NO_LINE);
    }
    if (source.data) {
        h->add_display(facts, HERALD_FACT, h->fence(facts, (herald_string){NULL, 0}, source));
    }
    return HERALD_OK;
}

/* The result text repeats the source, which the input shows already. */
static herald_status result(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    if (call->is_error || !source_of(call).data) {
        return HERALD_GENERAL;
    }
    h->add_result(facts, HERALD_PLAIN, call->result, false);
    h->set_raw_output(facts, HERALD_FACT, (herald_string){NULL, 0});
    return HERALD_OK;
}

static const char *const tools[] = {"NotebookEdit", NULL};
static const herald_reporter notebook = {.struct_size = sizeof(notebook),
                                         .name = "notebook_edit",
                                         .tools = tools,
                                         .use = use,
                                         .result = result};
static const herald_reporter *const reporters[] = {&notebook, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.notebook_edit",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
