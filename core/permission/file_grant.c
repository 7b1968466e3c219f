#include "permission/file_grant.h"

#include "base/js_space.h"
#include "base/path.h"
#include "permission/text.h"

struct file_tool {
    const char *name;
    const char *key; /* of the input: the file */
    bool write;
    bool in_cwd; /* without a file the working directory is meant */
};

static const struct file_tool file_tools[] = {
    {"Read", "file_path", false, false}, {"Glob", "path", false, true},
    {"Grep", "path", false, true},       {"Edit", "file_path", true, false},
    {"Write", "file_path", true, false}, {"NotebookEdit", "notebook_path", true, false},
};

/* The question's file and what the bundle says about it. */
struct coverage {
    struct arena *arena;
    str cwd;
    str file; /* resolved; absent when it is not known */
    bool write;
    bool settings;  /* the file is one of Claude's own settings */
    bool edit_rule; /* some rule allows edits */
    bool covered;
};

/* A directory, or a rule's pattern for all below it, holds the file or is its folder. */
static bool holds(const struct coverage *c, str pattern)
{
    if (!str_present(c->file) || !str_present(pattern)) {
        return false;
    }
    if (str_ends(pattern, STR("/**")) || str_ends(pattern, STR("\\**"))) {
        pattern = str_first(pattern, pattern.n - 3);
    }
    str dir = path_resolve(c->arena, c->cwd, pattern);
    return str_present(dir) && path_within(c->file, dir);
}

static bool take_rules(struct coverage *c, json update)
{
    if (!str_is(json_str(json_get(update, "behavior")), "allow")) {
        return false;
    }
    for (struct json_iter it = json_each(json_get(update, "rules")); json_next(&it);) {
        if (!str_is(json_str(json_get(it.value, "toolName")), c->write ? "Edit" : "Read")) {
            return false;
        }
        c->edit_rule = c->write;
        json content = json_get(it.value, "ruleContent");
        c->covered = c->covered || !json_present(content) || holds(c, json_str(content));
    }
    return true;
}

static bool take_update(struct coverage *c, json update)
{
    str type = json_str(json_get(update, "type"));
    if (!str_is(json_str(json_get(update, "destination")), "session")) {
        return false;
    }
    if (str_is(type, "addRules")) {
        return take_rules(c, update);
    }
    if (!c->write) {
        return false;
    }
    if (str_is(type, "setMode")) {
        c->covered = c->covered || !c->settings;
        return str_is(json_str(json_get(update, "mode")), "acceptEdits");
    }
    for (struct json_iter it = json_each(json_get(update, "directories")); json_next(&it);) {
        c->covered = c->covered || holds(c, json_str(it.value));
    }
    return str_is(type, "addDirectories");
}

static bool in_settings(struct arena *a, str file, str folder)
{
    str settings = str_empty(folder) ? STR_ABSENT : path_resolve(a, folder, STR(".claude"));
    return str_present(settings) && path_within(file, settings);
}

static void put_label(struct buf *label, const struct coverage *c)
{
    if (c->settings && c->edit_rule) {
        buf_put_c(label, "Yes, and allow Claude to edit its own settings for this session");
        return;
    }
    if (!str_present(c->file) || path_within(c->file, c->cwd)) {
        buf_put_c(label, c->write ? "Yes, allow all edits during this session" : "Yes, during this session");
        return;
    }
    str dir = path_basename(path_dirname(c->file));
    buf_put_c(label, c->write ? "Yes, allow all edits in " : "Yes, allow reading from ");
    buf_put_str(label, str_empty(dir) ? STR("this directory") : dir);
    buf_put_c(label, "/ during this session");
}

bool file_grant_label(struct arena *a, json updates, const struct permission_question *q,
                      const struct permission_setting *at, struct buf *label)
{
    const struct file_tool *tool = NULL;
    for (size_t i = 0; i < ARRAY_LEN(file_tools); i++) {
        if (str_is(q->tool_name, file_tools[i].name)) {
            tool = &file_tools[i];
        }
    }
    if (!tool) {
        return false;
    }
    struct coverage c = {.arena = a, .write = tool->write, .cwd = path_resolve(a, STR("/"), at->cwd)};
    str file = space_trim(json_str(json_get(q->input, tool->key)));
    if (!str_empty(file) || tool->in_cwd) {
        c.file = path_resolve(a, c.cwd, file);
        c.settings = c.write && (in_settings(a, c.file, c.cwd) || in_settings(a, c.file, at->home));
    }
    for (struct json_iter it = json_each(updates); json_next(&it);) {
        if (!take_update(&c, it.value)) {
            return false;
        }
    }
    if (!c.covered || !arena_ok(a)) {
        return false;
    }
    put_label(label, &c);
    return buf_ok(label);
}
