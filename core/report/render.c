/* Reports of tool uses. */
#include "report/render.h"

#include "base/js_space.h"
#include "report/patch.h"
#include "report/render_internal.h"

/* ---- Parts of every report --------------------------------------------------------------------------- */

void render_begin(const struct render_context *cx, const struct render_call *call, bool first,
                  struct tool_report *out)
{
    out->first = first;
    out->id = call->id;
    out->name = STR_ABSENT;
    for (size_t i = 0; i < REPORT_FIELDS; i++) {
        out->field[i] = STR_ABSENT;
    }
    out->meta_count = 0;
    out->air_version = out->replaces_pinned = out->untracked = false;
    if (call->parent.n) {
        tool_report_add_meta(out, META_CLAUDE_CODE, STR("parentToolUseId"),
                             json_string(cx->arena, call->parent));
    }
}

void render_tool_name(const struct render_context *cx, str name, struct tool_report *out)
{
    tool_report_add_meta(out, META_CLAUDE_CODE, STR("toolName"), json_string(cx->arena, name));
}

void render_extras(const struct render_context *cx, const struct facts *f, struct tool_report *out)
{
    for (const struct fact_extra *e = f->extras; e; e = e->next) {
        if (!e->air) {
            tool_report_add_meta(out, META_CLAUDE_CODE, e->key, e->json);
        } else if (cx->client->air) {
            tool_report_add_meta(out, META_AIR, e->key, e->json);
        }
    }
}

str render_terminal_info(const struct render_context *cx, str id, str data)
{
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "terminal_id", id);
    json_member_str(&b, "data", data);
    json_close_object(&b);
    return arena_buf(cx->arena, &b);
}

/* ---- Title, kind, locations -------------------------------------------------------------------------- */

str render_title(const struct render_context *cx, const struct render_call *call, const struct facts *f)
{
    str title = f->title[form_for(cx)];
    return title.n ? title : call->name.n ? call->name : STR("Unknown Tool");
}

static str kind_json(const struct render_context *cx, const struct facts *f)
{
    int kind = f->kind[form_for(cx)];
    return json_string(cx->arena, str_of(tool_kind_name(kind < 0 ? KIND_OTHER : (enum tool_kind)kind)));
}

static str locations_json(const struct render_context *cx, const struct fact_locations *list, str extra)
{
    if (!list->stated && !list->first && !extra.n) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    bool known = !extra.n;
    json_open_array(&b);
    for (const struct fact_location *l = list->first; l; l = l->next) {
        put_location(&b, l->path, l->line);
        known = known || str_eq(l->path, extra);
    }
    if (!known) {
        put_location(&b, extra, -1);
    }
    json_close_array(&b);
    return arena_buf(cx->arena, &b);
}

str render_locations(const struct render_context *cx, const struct facts *f, str extra)
{
    return locations_json(cx, &f->locations[form_for(cx)], extra);
}

str render_own_locations(const struct render_context *cx, const struct facts *f)
{
    return render_locations(cx, f, STR_ABSENT);
}

/* ---- Content ----------------------------------------------------------------------------------------- */

static bool takes_plan_file(const struct render_context *cx, const struct facts *f)
{
    return cx->client->air_plan_file && f->plan_path_key.p && cx->plan_file.n;
}

/* An edit as the input tells it. A v2 diff cannot hold a snippet. A write tells no client that gets patches
 * whether the file is new, so nothing is shown before the patch comes; a stored session has no patch to wait
 * for. */
static bool shows_edit(const struct render_context *cx, const struct fact_edit *edit)
{
    return !is_v2(cx->client) && !(edit->write && cx->client->air_diff_patch && !cx->replay);
}

str render_use_content(const struct render_context *cx, const struct render_call *call, const struct facts *f)
{
    AUTO_BUF(b);
    bool terminal = f->command && client_has_terminal(cx->client);
    json_open_array(&b);
    if (terminal) {
        put_terminal(&b, call->id);
    }
    for (const struct fact_edit *e = f->edits; e; e = e->next) {
        if (shows_edit(cx, e)) {
            put_edit_diff(&b, e);
        }
    }
    if (!terminal && !cx->client->air_raw_input_rendering) {
        put_contents(&b, &f->display[form_for(cx)]);
        str plan = f->plan_text_key.p ? json_text(json_get_str(call->input, f->plan_text_key)) : STR_ABSENT;
        if (plan.n && !takes_plan_file(cx, f)) {
            render_put_text(&b, plan);
        }
    }
    json_close_array(&b);
    return arena_buf(cx->arena, &b);
}

str render_contents(const struct render_context *cx, const struct fact_contents *contents)
{
    if (!contents->stated && !contents->first) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    json_open_array(&b);
    put_contents(&b, contents);
    json_close_array(&b);
    return arena_buf(cx->arena, &b);
}

/* ---- Raw input --------------------------------------------------------------------------------------- */

/* The name by which a client finds the plan file. */
#define PLAN_FILE_KEY STR("planFilePath")

str render_plan_file_input(const struct render_context *cx, json input, const struct facts *use,
                           str plan_file)
{
    AUTO_BUF(b);
    bool put = false;
    json_open_object(&b);
    for (struct json_iter it = json_is(input, JSON_OBJECT) ? json_each(input) : (struct json_iter){0};
         json_next(&it);) {
        str key = json_iter_key(&it);
        bool is_path =
            str_eq(key, PLAN_FILE_KEY) || (use->plan_path_key.p && str_eq(key, use->plan_path_key));
        if (is_path && !put) {
            json_key_str(&b, PLAN_FILE_KEY);
            json_put_str(&b, plan_file);
            put = true;
        } else if (!is_path && !json_iter_shadowed(&it) &&
                   !(use->plan_text_key.p && str_eq(key, use->plan_text_key))) {
            json_key_str(&b, key);
            json_put(&b, it.value);
        }
    }
    if (!put) {
        json_key_str(&b, PLAN_FILE_KEY);
        json_put_str(&b, plan_file);
    }
    json_close_object(&b);
    return arena_buf(cx->arena, &b);
}

static bool is_file_text(const struct facts *f, str key)
{
    for (const struct fact_text_key *k = f->file_text_keys; k; k = k->next) {
        if (str_eq(k->name, key)) {
            return true;
        }
    }
    return false;
}

/* AIR takes a path that is there and names no file for the word that there is no plan file any more. */
static bool is_no_plan_path(const struct facts *f, str key, json value)
{
    return f->plan_path_key.p && str_eq(key, f->plan_path_key) && str_empty(space_trim(json_str(value)));
}

/* The input without the text of files (but with `keep_file_text`) and without a plan file's path that is
 * none. */
static str without_file_text(const struct render_context *cx, json input, const struct facts *f,
                             bool keep_file_text)
{
    AUTO_BUF(b);
    json_open_object(&b);
    for (struct json_iter it = json_each(input); json_next(&it);) {
        str key = json_iter_key(&it);
        if ((keep_file_text || !is_file_text(f, key)) && !json_iter_shadowed(&it) &&
            !is_no_plan_path(f, key, it.value)) {
            json_key_str(&b, key);
            json_put(&b, it.value);
        }
    }
    json_close_object(&b);
    return arena_buf(cx->arena, &b);
}

str render_raw_input(const struct render_context *cx, json input, const struct facts *f, bool keep_file_text)
{
    if (takes_plan_file(cx, f)) {
        return render_plan_file_input(cx, input, f, cx->plan_file);
    }
    if (!json_present(input)) {
        return STR("{}");
    }
    bool whole = (keep_file_text || !f->file_text_keys) && !f->plan_path_key.p;
    if (!cx->client->air || whole || !json_is(input, JSON_OBJECT)) {
        return json_raw(input);
    }
    return without_file_text(cx, input, f, keep_file_text);
}

/* ---- The report -------------------------------------------------------------------------------------- */

static str skill_json(const struct render_context *cx, const struct facts *f)
{
    AUTO_BUF(b);
    json_open_object(&b);
    json_member_str(&b, "name", f->skill);
    json_member_str(&b, "path", cx->skill_path.n ? cx->skill_path : STR_ABSENT);
    json_close_object(&b);
    return arena_buf(cx->arena, &b);
}

static void add_use_meta(const struct render_context *cx, const struct render_call *call,
                         const struct facts *f, struct tool_report *out)
{
    render_tool_name(cx, call->name, out);
    if (cx->client->air) {
        if (f->command && f->command_title.n) {
            tool_report_add_meta(out, META_AIR, STR("commandTitle"),
                                 json_string(cx->arena, f->command_title));
        }
        if (f->subagent) {
            tool_report_add_meta(out, META_AIR, STR("subagent"), STR("true"));
        }
        if (f->skill.n) {
            tool_report_add_meta(out, META_AIR, STR("skill"), skill_json(cx, f));
        }
    }
    render_extras(cx, f, out);
}

static void add_first_meta(const struct render_context *cx, const struct render_call *call,
                           const struct facts *f, struct tool_report *out)
{
    if (f->command && client_has_terminal(cx->client)) {
        tool_report_add_meta(out, META_TOP, STR("terminal_info"),
                             render_terminal_info(cx, call->id, STR_ABSENT));
    }
    if (cx->client->air && (f->mcp || str_starts(call->name, STR("mcp__")))) {
        tool_report_add_meta(out, META_TOP, STR("is_mcp_tool_call"), STR("true"));
    }
}

void render_use(const struct render_context *cx, const struct render_call *call, const struct facts *f,
                struct render_use_options options, struct tool_report *out)
{
    bool incomplete = options.start || options.partial;
    render_begin(cx, call, options.first, out);
    add_use_meta(cx, call, f, out);
    out->replaces_pinned = options.rewritten;
    if (options.undescribed && cx->client->air) {
        tool_report_add_meta(out, META_AIR, STR("commandTitle"), STR("null")); /* a client merges the keys */
    }
    if (options.first) {
        add_first_meta(cx, call, f, out);
        out->name = call->name;
        out->field[REPORT_STATUS] = STR("\"pending\"");
    }
    out->field[REPORT_TITLE] = json_string(cx->arena, render_title(cx, call, f));
    out->field[REPORT_KIND] = kind_json(cx, f);
    out->field[REPORT_LOCATIONS] = render_own_locations(cx, f);
    if (!incomplete || !cx->client->air) {
        out->field[REPORT_RAW_INPUT] = render_raw_input(cx, call->input, f, false);
    }
    if (options.first || !incomplete) {
        out->field[REPORT_CONTENT] = options.preview.p ? options.preview : render_use_content(cx, call, f);
    }
}
