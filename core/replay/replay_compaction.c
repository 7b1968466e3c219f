#include "replay/replay_compaction.h"

#include "extension/compaction.h"
#include "replay/replay_target.h"

static void send_tool(void *user, struct tool_report *report)
{
    const struct replay_target *to = user;
    to->surface->tool(to->surface_self, to->session, report);
}

static void send_update(void *user, const char *name, str members)
{
    const struct replay_target *to = user;
    to->surface->update(to->surface_self, to->session, name, members);
}

static const struct compaction_sink sink = {.tool = send_tool, .update = send_update};

/* The input of the hook that tells of the summary. */
static void put_summary(struct buf *b, json content)
{
    AUTO_BUF(text);
    if (json_is(content, JSON_STRING)) {
        buf_put_str(&text, json_str(content));
    }
    for (struct json_iter it = json_each(content); json_is(content, JSON_ARRAY) && json_next(&it);) {
        buf_put_str(&text, json_str(json_get(it.value, "text")));
    }
    json_open_object(b);
    json_member_str(b, "compact_summary", buf_ok(&text) ? buf_str(&text) : STR_ABSENT);
    json_close_object(b);
}

/* The CLI's frame of the compaction. */
static void put_frame(struct buf *b, str uuid, json boundary)
{
    static const struct {
        const char *stored, *sent;
    } facts[] = {{"trigger", "trigger"},
                 {"preTokens", "pre_tokens"},
                 {"postTokens", "post_tokens"},
                 {"durationMs", "duration_ms"}};
    json metadata = json_get(boundary, "compactMetadata");
    json_open_object(b);
    json_member_str(b, "uuid", uuid);
    if (json_is(metadata, JSON_OBJECT)) {
        json_key(b, "compact_metadata");
        json_open_object(b);
        for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
            json value = json_get(metadata, facts[i].stored);
            if (json_present(value)) {
                json_member(b, facts[i].sent, value);
            }
        }
        json_close_object(b);
    }
    json_close_object(b);
}

void replay_compaction(const struct replay_target *to, str uuid, json boundary, json content)
{
    AUTO_BUF(summary);
    AUTO_BUF(frame);
    put_summary(&summary, content);
    put_frame(&frame, uuid, boundary);
    AUTO_JSON(hook) = buf_ok(&summary) ? json_parse(buf_str(&summary), NULL) : NULL;
    AUTO_JSON(done) = buf_ok(&frame) ? json_parse(buf_str(&frame), NULL) : NULL;
    if (!hook || !done) {
        return;
    }
    struct compaction c;
    compaction_init(&c, to->client, &sink, (void *)(uintptr_t)to);
    compaction_on_hook(&c, json_root(hook));
    compaction_on_boundary(&c, json_root(done));
    compaction_free(&c);
}
