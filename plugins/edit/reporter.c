/* Edit: replaces a text in a file. The edit is stated before it happens, the change when it has. The result
 * text only confirms, so a result states nothing. */
#include <herald/reporter.h>
#include <herald/text.h>

static void set_title(const herald_call *call, herald_facts *facts, herald_string path)
{
    const herald_host *h = call->host;
    herald_string shown = path.size ? h->display_path(facts, path) : path;
    herald_text title = herald_text_begin(h, facts);
    herald_text_add(&title, HERALD_STRING("Edit"));
    if (shown.size) {
        herald_text_add(&title, HERALD_STRING(" "));
        herald_text_add(&title, shown);
    }
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
}

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_edit edit = {
        .struct_size = sizeof(edit),
        .kind = HERALD_EDIT_REPLACE,
        .replace_all = h->is_true(h->member(call->input, HERALD_STRING("replace_all"))),
        .path = herald_member_text(h, call->input, HERALD_STRING("file_path")),
        .old_text = herald_member_text(h, call->input, HERALD_STRING("old_string")),
        .new_text = herald_member_text(h, call->input, HERALD_STRING("new_string")),
    };
    set_title(call, facts, edit.path);
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_EDIT);
    h->set_locations(facts, HERALD_BOTH);
    if (!edit.path.size) {
        return HERALD_OK;
    }
    h->add_location(facts, HERALD_BOTH, edit.path, HERALD_NO_LINE);
    /* With two empty texts there is nothing to show, and the input stays whole. */
    if (edit.old_text.size || edit.new_text.size) {
        if (!edit.new_text.data) {
            edit.new_text = HERALD_STRING("");
        }
        h->add_edit(facts, &edit);
        h->add_file_text_key(facts, HERALD_STRING("old_string"));
        h->add_file_text_key(facts, HERALD_STRING("new_string"));
    }
    return HERALD_OK;
}

static herald_status result(const herald_call *call, herald_facts *facts)
{
    (void)facts;
    return call->is_error ? HERALD_GENERAL : HERALD_OK;
}

static herald_status finished(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_file_change change = {
        .struct_size = sizeof(change),
        .kind = HERALD_CHANGE_EDITED,
        .path = herald_member_text(h, call->response, HERALD_STRING("filePath")),
        .old_text = herald_member_text(h, call->response, HERALD_STRING("originalFile")),
        .hunks = h->member(call->response, HERALD_STRING("structuredPatch")),
    };
    if (change.path.size) {
        h->set_file_change(facts, &change);
    }
    return HERALD_OK;
}

static const char *const tools[] = {"Edit", NULL};
static const herald_reporter editor = {.struct_size = sizeof(editor),
                                       .name = "edit",
                                       .tools = tools,
                                       .use = use,
                                       .result = result,
                                       .finished = finished};
static const herald_reporter *const reporters[] = {&editor, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.edit",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
