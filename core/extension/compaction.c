#include "extension/compaction.h"

#include "base/js_space.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "client/air_meta.h"
#include "extension/compaction_summary.h"
#include "report/render.h"

enum { CHUNKS_MAX = 1024 * 1024 }; /* of a summary that is remembered; a longer one is sent again whole */

void compaction_init(struct compaction *c, const struct client_capabilities *client,
                     const struct compaction_sink *sink, void *user)
{
    *c = (struct compaction){.client = client, .sink = sink, .user = user};
}

void compaction_free(struct compaction *c)
{
    buf_free(&c->id);
    buf_free(&c->chunks);
    buf_free(&c->summary);
    buf_free(&c->error);
}

/* ---- Messages ---- */

/* What one message says beside the compaction's id. */
struct step {
    bool first;
    const char *status; /* NULL: unchanged */
    json metadata;      /* of the boundary; missing: no facts */
    str error;          /* of a failed one */
    str summary;        /* of a completed one */
    bool bare;          /* the end of one that was stopped: nothing is known of it */
};

static void put_facts(struct buf *b, json metadata)
{
    static const struct {
        const char *from, *to;
    } counts[] = {{"pre_tokens", "preTokens"}, {"post_tokens", "postTokens"}, {"duration_ms", "durationMs"}};
    if (!json_present(metadata)) {
        return;
    }
    bool automatic = str_is(json_str(json_get(metadata, "trigger")), "auto");
    json_member_c(b, "trigger", automatic ? "automatic" : "manual");
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        json value = json_get(metadata, counts[i].from);
        if (json_is(value, JSON_NUMBER)) {
            json_member(b, counts[i].to, value);
        }
    }
}

/* The value of contextCompaction. */
static void put_air_facts(struct buf *b, const struct step *step, bool with_error)
{
    json_open_object(b);
    json_member_int(b, "version", 1);
    put_facts(b, step->metadata);
    if (with_error) {
        json_member_str(b, "error", step->error);
    }
    json_close_object(b);
}

static void put_content(struct buf *b, str error)
{
    AUTO_BUF(text);
    buf_put_c(&text, "Compaction failed: ");
    buf_put_str(&text, error);
    json_open_array(b);
    render_put_text(b, buf_str(&text));
    json_close_array(b);
}

static void tell_tool(struct compaction *c, const struct step *step)
{
    AUTO_BUF(facts);
    AUTO_BUF(content);
    AUTO_BUF(status);
    AUTO_BUF(raw);
    struct tool_report r = {.first = step->first, .id = buf_str(&c->id)};
    if (step->first) {
        r.field[REPORT_TITLE] = STR("\"Compact conversation\"");
        r.field[REPORT_KIND] = STR("\"think\"");
    }
    if (step->status) {
        json_put_c(&status, step->status);
        r.field[REPORT_STATUS] = buf_str(&status);
    }
    if (step->error.p) {
        put_content(&content, step->error);
        r.field[REPORT_CONTENT] = buf_str(&content);
    }
    if (c->client->air) {
        put_air_facts(&facts, step, true);
        tool_report_add_meta(&r, META_AIR, STR("contextCompaction"), buf_str(&facts));
    } else {
        tool_report_add_meta(&r, META_CLAUDE_CODE, STR("toolName"), STR("\"compact\""));
        if (json_present(step->metadata) || step->error.p) {
            json_open_object(&raw);
            put_facts(&raw, step->metadata);
            json_member_str(&raw, "error", step->error);
            json_close_object(&raw);
            r.field[REPORT_RAW_OUTPUT] = buf_str(&raw);
        }
    }
    if (buf_ok(&c->id) && buf_ok(&facts) && buf_ok(&content) && buf_ok(&status) && buf_ok(&raw)) {
        c->sink->tool(c->user, &r);
    }
}

static void put_text_block(struct buf *b, str text)
{
    json_open_object(b);
    json_member_c(b, "type", "text");
    json_member_str(b, "text", text);
    json_close_object(b);
}

static void put_entity_meta(struct buf *b, const struct step *step)
{
    json_key(b, "_meta");
    json_open_object(b);
    air_meta_open(b);
    json_key(b, "contextCompaction");
    put_air_facts(b, step, false); /* the error has a member of its own */
    air_meta_close(b);
    json_close_object(b);
}

static void tell_entity(struct compaction *c, const struct step *step)
{
    AUTO_BUF(b);
    json_member_str(&b, "compactionId", buf_str(&c->id));
    json_member_c(&b, "status", step->status ? step->status : "completed");
    if (step->summary.n) {
        json_key(&b, "summary");
        json_open_array(&b);
        put_text_block(&b, step->summary);
        json_close_array(&b);
    }
    json_member_str(&b, "error", step->error);
    if (c->client->air && !step->bare) {
        put_entity_meta(&b, step);
    }
    if (buf_ok(&b) && buf_ok(&c->id)) {
        c->sink->update(c->user, "compaction_update", buf_str(&b));
    }
}

static void tell(struct compaction *c, const struct step *step)
{
    if (c->entity) {
        tell_entity(c, step);
    } else {
        tell_tool(c, step);
    }
}

/* ---- Steps ---- */

static void begin(struct compaction *c, str id)
{
    c->entity = c->client->session_compaction;
    c->text_told = false;
    buf_clear(&c->id);
    buf_put_str(&c->id, id);
    char own[UUID_SIZE];
    if (!id.n && uuid_v4(own)) {
        buf_put_c(&c->id, own);
    }
    buf_clear(&c->chunks);
}

static void open_compaction(struct compaction *c, str id)
{
    buf_clear(&c->summary);
    buf_clear(&c->error);
    begin(c, id);
    c->state = COMPACTION_RUNNING;
    tell(c, &(struct step){.first = true, .status = "in_progress"});
}

/* The summary, unless the client has it already from the chunks. */
static str new_summary(const struct compaction *c, struct buf *mem)
{
    if (!c->entity || !compaction_summary_put(mem, buf_str(&c->summary))) {
        return STR_ABSENT;
    }
    AUTO_BUF(streamed);
    bool told =
        compaction_summary_put(&streamed, buf_str(&c->chunks)) && str_eq(buf_str(&streamed), buf_str(mem));
    return told ? STR_ABSENT : buf_str(mem);
}

/* The end of the compaction at hand, or all of one that was not announced. */
static void end_compaction(struct compaction *c, str frame_id, json metadata, str error)
{
    AUTO_BUF(mem);
    struct step step = {
        .first = c->state == COMPACTION_NONE,
        .status = error.p ? "failed" : "completed",
        .metadata = metadata,
        .error = error,
    };
    if (step.first) {
        begin(c, frame_id);
    }
    c->state = COMPACTION_ENDED;
    if (!error.p) {
        c->output = true;
        step.summary = new_summary(c, &mem);
    }
    tell(c, &step);
    buf_clear(&c->summary);
    buf_clear(&c->error);
    buf_put_str(&c->error, error);
}

void compaction_on_status(struct compaction *c, json frame)
{
    str result = json_str(json_get(frame, "compact_result")), id = json_str(json_get(frame, "uuid"));
    if (c->stopped) {
        return;
    }
    if (str_is(json_str(json_get(frame, "status")), "compacting")) {
        if (c->state != COMPACTION_RUNNING) {
            open_compaction(c, id);
        }
    } else if (c->state == COMPACTION_ENDED) {
        return; /* told already */
    } else if (str_is(result, "success")) {
        end_compaction(c, id, JSON_NONE, STR_ABSENT);
    } else if (str_is(result, "failed")) {
        str error = json_text(json_get(frame, "compact_error"));
        end_compaction(c, id, JSON_NONE, error.p ? error : STR("Unknown error"));
    }
}

void compaction_on_boundary(struct compaction *c, json frame)
{
    static const struct step facts_only = {.status = NULL};
    if (c->stopped) {
        return;
    }
    if (c->state != COMPACTION_ENDED) {
        end_compaction(c, json_str(json_get(frame, "uuid")), json_get(frame, "compact_metadata"), STR_ABSENT);
        return;
    }
    struct step step = facts_only;
    step.metadata = json_get(frame, "compact_metadata");
    c->output = true;
    tell(c, &step);
}

void compaction_on_text(struct compaction *c, str uuid, str text)
{
    if (c->stopped || !text.n) {
        return;
    }
    if (c->state != COMPACTION_RUNNING) {
        if (c->client->session_compaction) {
            return; /* no compaction that it could belong to */
        }
        open_compaction(c, uuid);
    }
    if (!c->entity) {
        if (!c->text_told) {
            c->text_told = true;
            tell(c, &(struct step){.status = "in_progress"});
        }
        return;
    }
    if (c->chunks.n + text.n <= CHUNKS_MAX) {
        wtf8_append(&c->chunks, text);
    }
    AUTO_BUF(b);
    json_member_str(&b, "compactionId", buf_str(&c->id));
    json_key(&b, "content");
    put_text_block(&b, text);
    if (buf_ok(&b)) {
        c->sink->update(c->user, "compaction_summary_chunk", buf_str(&b));
    }
}

void compaction_on_hook(struct compaction *c, json input)
{
    if (c->stopped || json_truthy(json_get(input, "agent_id"))) {
        return;
    }
    buf_clear(&c->summary);
    buf_put_str(&c->summary, json_str(json_get(input, "compact_summary")));
}

/* ---- The turn around it ---- */

void compaction_close(struct compaction *c)
{
    if (c->state == COMPACTION_RUNNING) {
        tell(c, &(struct step){.status = c->entity ? "cancelled" : "failed", .bare = true});
    }
    c->state = COMPACTION_NONE;
    buf_clear(&c->summary);
}

void compaction_interrupt(struct compaction *c)
{
    compaction_close(c);
    c->stopped = true;
}

void compaction_accept(struct compaction *c)
{
    c->stopped = false;
}

void compaction_on_result(struct compaction *c)
{
    compaction_close(c);
    c->output = false;
    buf_clear(&c->error);
}

bool compaction_has_output(const struct compaction *c)
{
    return c->output;
}

bool compaction_take_error(struct compaction *c, str text)
{
    str error = space_trim(buf_str(&c->error)), said = space_trim(text);
    if (!error.n) {
        return false;
    }
    if (str_starts(said, STR("Error: ")) && !str_starts(error, STR("Error: "))) {
        said = str_from(said, 7);
    }
    if (!str_eq(said, error)) {
        return false;
    }
    buf_clear(&c->error);
    return true;
}
