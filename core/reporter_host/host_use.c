/* Host functions that state facts of a use, and those that belong to more than one callback. */
#include "reporter_host/fact_checks.h"

static herald_status host_set_title(herald_facts *x, herald_form form, herald_string title)
{
    herald_status st = fact_belongs(x, IN_USE | IN_RESULT);
    st = st ? st : fact_form_ok(form);
    st = st ? st : fact_text_ok(title, LIMIT_TITLE);
    if (!st) {
        str text = fact_keep(x, title);
        for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
            x->facts->title[i] = text;
        }
    }
    return fact_answer(x, "set_title", st);
}

static herald_status host_set_kind(herald_facts *x, herald_form form, herald_kind kind)
{
    herald_status st = fact_belongs(x, IN_USE);
    st = st ? st : fact_form_ok(form);
    st = st ? st : (uint32_t)kind < KIND_COUNT ? HERALD_OK : HERALD_E_ARGUMENT;
    if (!st) {
        for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
            x->facts->kind[i] = (int)kind;
        }
    }
    return fact_answer(x, "set_kind", st);
}

static herald_status host_set_locations(herald_facts *x, herald_form form)
{
    herald_status st = fact_belongs(x, IN_USE | IN_RESULT | IN_FINISHED);
    st = st ? st : fact_form_ok(form);
    if (!st) {
        for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
            x->facts->locations[i].stated = true;
        }
    }
    return fact_answer(x, "set_locations", st);
}

static herald_status host_add_location(herald_facts *x, herald_form form, herald_string path, int64_t line)
{
    herald_status st = fact_belongs(x, IN_USE | IN_RESULT | IN_FINISHED);
    st = st ? st : fact_form_ok(form);
    st = st ? st : fact_name_ok(path, HERALD_MAX_PATH);
    st = st ? st : line >= HERALD_NO_LINE ? HERALD_OK : HERALD_E_ARGUMENT;
    st = st ? st : fact_room_in(x, LIST_LOCATIONS, form, 1);
    if (!st) {
        str text = fact_keep(x, path);
        for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
            struct fact_locations *list = &x->facts->locations[i];
            struct fact_location *item = arena_alloc(x->facts->arena, sizeof(*item));
            if (item) {
                item->path = text;
                item->line = line;
                list->stated = true;
                *(list->last ? &list->last->next : &list->first) = item;
                list->last = item;
                x->counts[LIST_LOCATIONS + i]++;
            }
        }
    }
    return fact_answer(x, "add_location", st);
}

static herald_status edit_ok(const herald_edit *edit)
{
    if (!edit || !HERALD_HAS(edit, new_text)) {
        return HERALD_E_ARGUMENT;
    }
    herald_status st = edit->kind <= HERALD_EDIT_WRITE ? HERALD_OK : HERALD_E_ARGUMENT;
    st = st ? st : fact_name_ok(edit->path, HERALD_MAX_PATH);
    st = st ? st : fact_text_optional(edit->old_text, LIMIT_TEXT);
    return st ? st : fact_text_optional(edit->new_text, LIMIT_TEXT);
}

static herald_status host_add_edit(herald_facts *x, const herald_edit *edit)
{
    herald_status st = fact_belongs(x, IN_USE);
    st = st ? st : edit_ok(edit);
    st = st ? st : fact_room(x, LIST_EDITS, 1);
    struct fact_edit *item = st ? NULL : arena_alloc(x->facts->arena, sizeof(*item));
    if (item) {
        item->write = edit->kind == HERALD_EDIT_WRITE;
        item->replace_all = edit->replace_all;
        item->path = fact_keep(x, edit->path);
        item->old_text = fact_keep(x, edit->old_text);
        item->new_text = fact_keep(x, edit->new_text);
        *(x->facts->last_edit ? &x->facts->last_edit->next : &x->facts->edits) = item;
        x->facts->last_edit = item;
        x->counts[LIST_EDITS]++;
    }
    return fact_answer(x, "add_edit", st);
}

static herald_status host_add_file_text_key(herald_facts *x, herald_string name)
{
    herald_status st = fact_belongs(x, IN_USE);
    st = st ? st : fact_text_ok(name, LIMIT_TEXT);
    st = st ? st : fact_room(x, LIST_TEXT_KEYS, 1);
    struct fact_text_key *item = st ? NULL : arena_alloc(x->facts->arena, sizeof(*item));
    if (item) { /* their order means nothing */
        item->name = fact_keep(x, name);
        item->next = x->facts->file_text_keys;
        x->facts->file_text_keys = item;
        x->counts[LIST_TEXT_KEYS]++;
    }
    return fact_answer(x, "add_file_text_key", st);
}

static herald_status host_add_display(herald_facts *x, herald_form form, herald_string markdown)
{
    herald_status st = fact_belongs(x, IN_USE);
    st = st ? st : fact_form_ok(form);
    st = st ? st : fact_text_ok(markdown, LIMIT_TEXT);
    st = st ? st : fact_room_in(x, LIST_DISPLAY, form, 1);
    if (!st) {
        fact_add_texts(x, x->facts->display, LIST_DISPLAY, form, markdown);
    }
    return fact_answer(x, "add_display", st);
}

static herald_status host_set_command(herald_facts *x, herald_string description)
{
    herald_status st = fact_belongs(x, IN_USE);
    st = st ? st : fact_text_optional(description, LIMIT_TEXT);
    if (!st) {
        x->facts->command = true;
        x->facts->command_title = fact_keep(x, description);
    }
    return fact_answer(x, "set_command", st);
}

static herald_status host_set_plan_keys(herald_facts *x, herald_string text_key, herald_string path_key)
{
    herald_status st = fact_belongs(x, IN_USE);
    st = st ? st : fact_text_ok(text_key, LIMIT_TEXT);
    st = st ? st : fact_text_ok(path_key, LIMIT_TEXT);
    if (!st) {
        x->facts->plan_text_key = fact_keep(x, text_key);
        x->facts->plan_path_key = fact_keep(x, path_key);
    }
    return fact_answer(x, "set_plan_keys", st);
}

static herald_status host_set_subagent(herald_facts *x)
{
    herald_status st = fact_belongs(x, IN_USE);
    if (!st) {
        x->facts->subagent = true;
    }
    return fact_answer(x, "set_subagent", st);
}

static herald_status host_set_skill(herald_facts *x, herald_string name)
{
    herald_status st = fact_belongs(x, IN_USE);
    st = st ? st : fact_text_ok(name, LIMIT_TEXT);
    if (!st) {
        x->facts->skill = fact_keep(x, name);
    }
    return fact_answer(x, "set_skill", st);
}

static herald_status host_set_mcp(herald_facts *x, herald_string server, herald_string tool)
{
    herald_status st = fact_belongs(x, IN_USE);
    st = st ? st : fact_text_ok(server, LIMIT_TEXT);
    st = st ? st : fact_text_ok(tool, LIMIT_TEXT);
    if (!st) {
        x->facts->mcp = true;
        x->facts->mcp_server = fact_keep(x, server);
        x->facts->mcp_tool = fact_keep(x, tool);
    }
    return fact_answer(x, "set_mcp", st);
}

/* ---- Free-form facts ----------------------------------------------------------------------------- */

/* What Herald itself puts into these spaces. */
static const char *const reserved_claude_code[] = {
    "emitRawSDKMessages", "mcpServer", "nonExecutionKind", "options",      "parentToolUseId",
    "promptQueueing",     "toolName",  "toolResponse",     "userFeedback", NULL,
};
static const char *const reserved_air[] = {
    "asyncTasks",
    "capabilities",
    "client",
    "commandTitle",
    "contentDelta",
    "contextCompaction",
    "customAnswer",
    "diffPatch",
    "diffStats",
    "fork",
    "goal",
    "kind",
    "customInstructions",
    "list",
    "mcp",
    "permission",
    "sessionFailure",
    "recommendedValue",
    "skill",
    "subagent",
    "version",
    NULL,
};

static herald_status extra_key_ok(herald_extra_space space, herald_string key)
{
    enum { KEY_MAX = 64 };
    if (!key.data || !key.size || (space != HERALD_EXTRA_CLAUDE_CODE && space != HERALD_EXTRA_AIR)) {
        return HERALD_E_ARGUMENT;
    }
    if (key.size > KEY_MAX) {
        return HERALD_E_TOO_LARGE;
    }
    for (size_t i = 0; i < key.size; i++) {
        char c = key.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '-' && c != '_' && c != '.') {
            return HERALD_E_ARGUMENT;
        }
    }
    const char *const *reserved = space == HERALD_EXTRA_AIR ? reserved_air : reserved_claude_code;
    for (; *reserved; reserved++) {
        if (str_is(str_of_string(key), *reserved)) {
            return HERALD_E_ARGUMENT;
        }
    }
    return HERALD_OK;
}

static herald_status host_add_extra(herald_facts *x, herald_extra_space space, herald_string key,
                                    herald_string text)
{
    enum { EXTRA_MAX = 64 * 1024 };
    str value = STR_ABSENT;
    herald_status st = fact_belongs(x, IN_USE | IN_RESULT);
    st = st ? st : extra_key_ok(space, key);
    st = st ? st : fact_room(x, LIST_EXTRAS, 1);
    st = st ? st : fact_keep_json(x, text, EXTRA_MAX, &value);
    struct fact_extra *item = st ? NULL : arena_alloc(x->facts->arena, sizeof(*item));
    if (item) {
        item->air = space == HERALD_EXTRA_AIR;
        item->key = fact_keep(x, key);
        item->json = value;
        *(x->facts->last_extra ? &x->facts->last_extra->next : &x->facts->extras) = item;
        x->facts->last_extra = item;
        x->counts[LIST_EXTRAS]++;
    }
    return fact_answer(x, "add_extra", st);
}

/* ---- The plan ------------------------------------------------------------------------------------ */

static herald_status host_add_plan_entry(herald_facts *x, herald_string content, herald_plan_status status)
{
    herald_status st = fact_belongs(x, IN_USE | OF_PLAN);
    st = st ? st : fact_text_ok(content, LIMIT_TEXT);
    st = st ? st : (uint32_t)status <= HERALD_PLAN_COMPLETED ? HERALD_OK : HERALD_E_ARGUMENT;
    st = st ? st : fact_room(x, LIST_PLAN_ENTRIES, 1);
    struct fact_plan_entry *item = st ? NULL : arena_alloc(x->facts->arena, sizeof(*item));
    if (item) {
        item->content = fact_keep(x, content);
        item->status = (enum plan_status)status;
        x->facts->plan = true;
        *(x->facts->last_plan_entry ? &x->facts->last_plan_entry->next : &x->facts->plan_entries) = item;
        x->facts->last_plan_entry = item;
        x->counts[LIST_PLAN_ENTRIES]++;
    }
    return fact_answer(x, "add_plan_entry", st);
}

static herald_status host_set_plan(herald_facts *x)
{
    herald_status st = fact_belongs(x, IN_USE | OF_PLAN);
    if (!st) {
        x->facts->plan = true;
    }
    return fact_answer(x, "set_plan", st);
}

void host_functions_use(herald_host *table)
{
    table->set_title = host_set_title;
    table->set_kind = host_set_kind;
    table->set_locations = host_set_locations;
    table->add_location = host_add_location;
    table->add_edit = host_add_edit;
    table->add_file_text_key = host_add_file_text_key;
    table->add_display = host_add_display;
    table->set_command = host_set_command;
    table->set_plan_keys = host_set_plan_keys;
    table->set_subagent = host_set_subagent;
    table->set_skill = host_set_skill;
    table->set_mcp = host_set_mcp;
    table->add_extra = host_add_extra;
    table->add_plan_entry = host_add_plan_entry;
    table->set_plan = host_set_plan;
}
