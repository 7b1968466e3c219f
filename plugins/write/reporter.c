/* Write: the whole text of a file, as an edit before it happens and as a change when it has.
 *
 * Claude may spell the members in more than one way; the first that is there counts. The result text only
 * confirms, so a result states nothing. */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_string path_of(const herald_call *call)
{
    herald_string path = herald_member_text(call->host, call->input, HERALD_STRING("file_path"));
    return path.data ? path : herald_member_text(call->host, call->input, HERALD_STRING("path"));
}

/* The text to write and the member that holds it; both without text when it is not there. */
static herald_string content_of(const herald_call *call, herald_string *key)
{
    static const herald_string keys[] = {{"content", 7}, {"file_text", 9}, {"file_content", 12}};
    const herald_host *h = call->host;
    *key = (herald_string){NULL, 0};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        herald_value value = h->member(call->input, keys[i]);
        herald_type type = h->type(value);
        if (type != HERALD_MISSING && type != HERALD_NULL) {
            if (type == HERALD_TEXT) {
                *key = keys[i];
            }
            return h->text(value);
        }
    }
    return (herald_string){NULL, 0};
}

static void set_title(const herald_call *call, herald_facts *facts, herald_string path)
{
    const herald_host *h = call->host;
    herald_string shown = path.size ? h->display_path(facts, path) : path;
    if (!shown.size) {
        h->set_title(facts, HERALD_BOTH, HERALD_STRING("Preparing file…"));
        return;
    }
    herald_text title = herald_text_begin(h, facts);
    herald_text_add(&title, HERALD_STRING("Write "));
    herald_text_add(&title, shown);
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
}

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string key;
    herald_string path = path_of(call);
    herald_string content = content_of(call, &key);
    set_title(call, facts, path);
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_EDIT);
    h->set_locations(facts, HERALD_BOTH);
    if (path.size) {
        const herald_edit edit = {.struct_size = sizeof(edit),
                                  .kind = HERALD_EDIT_WRITE,
                                  .path = path,
                                  .new_text = content};
        h->add_location(facts, HERALD_BOTH, path, HERALD_NO_LINE);
        h->add_edit(facts, &edit);
        if (key.data) {
            h->add_file_text_key(facts, key);
        }
    } else if (content.size) {
        h->add_display(facts, HERALD_BOTH, content);
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
    herald_string type = herald_member_text(h, call->response, HERALD_STRING("type"));
    herald_file_change change = {
        .struct_size = sizeof(change),
        .kind = HERALD_CHANGE_EDITED,
        .path = herald_member_text(h, call->response, HERALD_STRING("filePath")),
        .old_text = herald_member_text(h, call->response, HERALD_STRING("originalFile")),
        .new_text = herald_member_text(h, call->response, HERALD_STRING("content")),
        .hunks = h->member(call->response, HERALD_STRING("structuredPatch")),
    };
    if (herald_string_equal(type, HERALD_STRING("create"))) {
        change.kind = HERALD_CHANGE_CREATED;
    } else if (herald_string_equal(type, HERALD_STRING("update"))) {
        change.kind = HERALD_CHANGE_UPDATED;
    }
    if (change.path.size) {
        h->set_file_change(facts, &change);
    }
    return HERALD_OK;
}

static const char *const tools[] = {"Write", NULL};
static const herald_reporter writer = {.struct_size = sizeof(writer),
                                       .name = "write",
                                       .tools = tools,
                                       .use = use,
                                       .result = result,
                                       .finished = finished};
static const herald_reporter *const reporters[] = {&writer, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.write",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
