#include "report/report.h"

static const char *const field_keys[REPORT_FIELDS] = {
    [REPORT_STATUS] = "status",        [REPORT_TITLE] = "title",         [REPORT_KIND] = "kind",
    [REPORT_CONTENT] = "content",      [REPORT_LOCATIONS] = "locations", [REPORT_RAW_INPUT] = "rawInput",
    [REPORT_RAW_OUTPUT] = "rawOutput",
};

void tool_report_add_meta(struct tool_report *r, enum meta_space space, str key, str text)
{
    if (!text.p || r->meta_count >= REPORT_META_MAX) {
        return;
    }
    r->meta[r->meta_count++] = (struct meta_entry){space, key, text};
    if (space == META_AIR) {
        r->air_version = true;
    }
}

static bool has_meta(const struct tool_report *r)
{
    return r->meta_count > 0 || r->air_version;
}

bool tool_report_empty(const struct tool_report *r)
{
    for (size_t i = 0; i < REPORT_FIELDS; i++) {
        if (r->field[i].p) {
            return false;
        }
    }
    return !has_meta(r);
}

static bool has_space(const struct tool_report *r, enum meta_space space)
{
    for (size_t i = 0; i < r->meta_count; i++) {
        if (r->meta[i].space == space) {
            return true;
        }
    }
    return false;
}

static void put_space(struct buf *b, const struct tool_report *r, enum meta_space space)
{
    for (size_t i = 0; i < r->meta_count; i++) {
        if (r->meta[i].space == space) {
            json_key_str(b, r->meta[i].key);
            json_put_raw(b, r->meta[i].json);
        }
    }
}

bool tool_report_put_meta(struct buf *b, const struct tool_report *r)
{
    if (!has_meta(r)) {
        return false;
    }
    json_open_object(b);
    if (has_space(r, META_CLAUDE_CODE)) {
        json_key(b, "claudeCode");
        json_open_object(b);
        put_space(b, r, META_CLAUDE_CODE);
        json_close_object(b);
    }
    put_space(b, r, META_TOP);
    if (r->air_version || has_space(r, META_AIR)) {
        json_key(b, "jetbrains");
        json_open_object(b);
        json_key(b, "air");
        json_open_object(b);
        if (r->air_version) {
            json_member_int(b, "version", 1);
        }
        put_space(b, r, META_AIR);
        json_close_object(b);
        json_close_object(b);
    }
    json_close_object(b);
    return true;
}

void tool_report_put_fields(struct buf *b, const struct tool_report *r, bool skip_null)
{
    for (size_t i = 0; i < REPORT_FIELDS; i++) {
        if (!(skip_null && str_is(r->field[i], "null"))) {
            json_member_raw(b, field_keys[i], r->field[i]);
        }
    }
}

static void put_members(struct buf *b, const struct tool_report *r, bool named)
{
    json_member_str(b, "toolCallId", r->id);
    if (named) {
        json_member_str(b, "name", r->name);
    }
    tool_report_put_fields(b, r, false);
    if (has_meta(r)) {
        json_key(b, "_meta");
        tool_report_put_meta(b, r);
    }
}

void tool_report_put_call(struct buf *b, const struct tool_report *r)
{
    put_members(b, r, true);
}

void tool_report_put_v1(struct buf *b, const struct tool_report *r)
{
    json_member_str(b, "sessionUpdate", r->first ? STR("tool_call") : STR("tool_call_update"));
    put_members(b, r, r->first);
}
