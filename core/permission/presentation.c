#include "permission/presentation.h"

#include "base/utf8.h"
#include "client/air_meta.h"
#include "permission/text.h"
#include "report/items.h"

static bool is_computer_use(const struct permission_question *q)
{
    return str_starts(q->tool_name, STR("mcp__computer-use__"));
}

/* What names the subject better than the standard title; absent for most tools. */
static str subject(struct arena *a, const struct permission_question *q)
{
    str text = STR_ABSENT;
    if (is_computer_use(q)) {
        text = q->display_name;
    } else if (str_is(q->tool_name, "SandboxNetworkAccess")) {
        text = json_str(json_get(q->input, "host"));
    }
    return permission_clean(a, text, TEXT_SINGLE_LINE, TEXT_COMPACT_MAX);
}

str permission_heading(struct arena *a, const struct permission_question *q, str standard)
{
    str text = subject(a, q);
    return str_present(text) ? text : standard;
}

str permission_title(struct arena *a, const struct permission_question *q, str heading)
{
    if (str_is(q->tool_name, "ExitPlanMode")) {
        return STR("Ready to code?");
    }
    if (str_is(q->tool_name, "Bash") || str_is(q->tool_name, "PowerShell")) {
        return str_empty(heading) ? STR_ABSENT : heading;
    }
    str title = permission_clean(a, heading, TEXT_SINGLE_LINE, TEXT_TITLE_MAX);
    return str_present(title) ? title : STR("Use tool?");
}

str permission_description(struct arena *a, const struct permission_question *q)
{
    str reason = permission_clean(a, q->decision_reason, TEXT_MULTI_LINE, TEXT_REASON_MAX);
    if (!str_present(reason)) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    buf_put_c(&b, "Reason: ");
    buf_put_str(&b, reason);
    return arena_buf(a, &b);
}

str permission_blocked_path(struct arena *a, const struct permission_question *q)
{
    return permission_clean(a, q->blocked_path, TEXT_SINGLE_LINE, TEXT_PATH_MAX);
}

bool permission_put_request_meta(struct buf *b, const struct permission_question *q, str heading)
{
    AUTO_ARENA(a);
    str title = permission_title(&a, q, heading);
    if (!str_present(title)) {
        return false;
    }
    json_open_object(b);
    air_meta_open(b);
    json_key(b, "permission");
    json_open_object(b);
    json_member_int(b, "version", 1);
    json_member_str(b, "title", title);
    json_member_str(b, "description", permission_description(&a, q));
    if (q->default_to_no) {
        json_member_bool(b, "defaultToNo", true);
    }
    json_close_object(b);
    air_meta_close(b);
    json_close_object(b);
    return true;
}

static str server_json(struct arena *a, json server)
{
    AUTO_BUF(b);
    json_open_object(&b);
    json_member(&b, "name", json_get(server, "name"));
    json_member(&b, "source", json_get(server, "source"));
    json_close_object(&b);
    return arena_buf(a, &b);
}

void permission_add_call_meta(struct arena *a, const struct permission_question *q, bool air, str parent,
                              struct tool_report *call)
{
    bool server = json_present(q->mcp_server);
    if (!air) {
        tool_report_add_meta(call, META_CLAUDE_CODE, STR("toolName"), json_string(a, q->tool_name));
    }
    if (!air && str_present(parent)) {
        tool_report_add_meta(call, META_CLAUDE_CODE, STR("parentToolUseId"), json_string(a, parent));
    }
    if (server) {
        tool_report_add_meta(call, META_CLAUDE_CODE, STR("mcpServer"), server_json(a, q->mcp_server));
    }
}

/* The length of a fence that no line of `text` ends: JSON keeps U+2028 and U+2029 in its strings, and what
 * follows them is the start of a line. */
static size_t fence_length(str text)
{
    size_t length = 3, run = 0;
    bool start = true;
    for (size_t at = 0; at < text.n;) {
        uint32_t cp = utf8_next(text, &at);
        run = cp == '`' && (start || run) ? run + 1 : 0;
        length = run >= length ? run + 1 : length;
        start = cp == '\n' || cp == 0x2028 || cp == 0x2029;
    }
    return length;
}

bool permission_put_input_content(struct buf *b, const struct permission_question *q)
{
    AUTO_ARENA(a);
    AUTO_BUF(code);
    AUTO_BUF(text);
    if (!is_computer_use(q) && !str_present(subject(&a, q))) {
        return false;
    }
    if (json_present(q->input)) {
        json_put_indented(&code, q->input, 2);
    } else {
        buf_put_c(&code, "{}");
    }
    size_t fence = fence_length(buf_str(&code));
    buf_put_fill(&text, '`', fence);
    buf_put_c(&text, "json\n");
    buf_put_str(&text, buf_str(&code));
    buf_put_byte(&text, '\n');
    buf_put_fill(&text, '`', fence);

    json_open_array(b);
    json_open_object(b);
    json_member_c(b, "type", "content");
    json_key(b, "content");
    json_open_object(b);
    json_member_c(b, "type", "text");
    json_member_str(b, "text", buf_str(&text));
    json_close_object(b);
    json_close_object(b);
    json_close_array(b);
    b->failed = b->failed || !buf_ok(&code) || !buf_ok(&text);
    return true;
}
