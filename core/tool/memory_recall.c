#include "tool/memory_recall.h"

/* The texts of memories as content items; how many. */
static size_t put_contents(struct buf *b, json memories)
{
    size_t n = 0;
    json_open_array(b);
    for (struct json_iter it = json_each(memories); json_next(&it);) {
        str text = json_str(json_get(it.value, "content"));
        if (!text.p) {
            continue;
        }
        n++;
        json_open_object(b);
        json_member_c(b, "type", "content");
        json_key(b, "content");
        json_open_object(b);
        json_member_c(b, "type", "text");
        json_member_str(b, "text", text);
        json_close_object(b);
        json_close_object(b);
    }
    json_close_array(b);
    return n;
}

static size_t put_locations(struct buf *b, json memories)
{
    size_t n = 0;
    json_open_array(b);
    for (struct json_iter it = json_each(memories); json_next(&it);) {
        str path = json_str(json_get(it.value, "path"));
        if (path.p) {
            n++;
            json_open_object(b);
            json_member_str(b, "path", path);
            json_close_object(b);
        }
    }
    json_close_array(b);
    return n;
}

void memory_recall_tell(const struct tool_host *host, json frame)
{
    json memories = json_get(frame, "memories");
    str mode = json_str(json_get(frame, "mode"));
    bool synthesized = str_is(mode, "synthesize");
    size_t count = json_is(memories, JSON_ARRAY) ? json_count(memories) : 0;
    struct tool_report r = {.first = true, .id = json_text(json_get(frame, "uuid")), .untracked = true};
    AUTO_BUF(title);
    AUTO_BUF(list);
    AUTO_BUF(response);
    if (!r.id.p || (!count && !json_is(memories, JSON_ARRAY))) {
        return;
    }
    if (synthesized) {
        buf_put_c(&title, "\"Recalled synthesized memory\"");
    } else {
        buf_printf(&title, "\"Recalled %zu %s\"", count, count == 1 ? "memory" : "memories");
    }
    r.field[REPORT_STATUS] = STR("\"completed\"");
    r.field[REPORT_KIND] = STR("\"read\"");
    r.field[REPORT_TITLE] = buf_str(&title);
    if (synthesized ? put_contents(&list, memories) : put_locations(&list, memories)) {
        r.field[synthesized ? REPORT_CONTENT : REPORT_LOCATIONS] = buf_str(&list);
    }
    json_open_object(&response);
    json_member_str(&response, "mode", mode);
    json_close_object(&response);
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("toolName"), STR("\"memory_recall\""));
    tool_report_add_meta(&r, META_CLAUDE_CODE, STR("toolResponse"), buf_str(&response));
    if (buf_ok(&title) && buf_ok(&list) && buf_ok(&response)) {
        host->calls->send(host->user, &r);
    }
}
