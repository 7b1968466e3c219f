/* What the CLI has to say beside the answer: notices, model fallbacks, retries. To a client that takes
 * session notices they are such, to AIR some are failure records, to the others text. */
#include "base/utf8.h"
#include "session/internal.h"

enum {
    NOTICE_TITLE_MAX = 256, /* UTF-16 units */
    NOTED_TOOLS_MAX = 256,
};

/* ---- Texts ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The text with each run of white space as one blank, without those at the ends. */
static void put_collapsed(struct buf *b, str text)
{
    bool gap = false;
    for (size_t i = 0; i < text.n; i++) {
        if (is_space(text.p[i])) {
            gap = b->n > 0;
            continue;
        }
        if (gap) {
            buf_put_byte(b, ' ');
            gap = false;
        }
        buf_put_byte(b, text.p[i]);
    }
}

bool session_was_notice(const struct session *s, str text)
{
    if (!s->answer.scratch.notice.n) {
        return false;
    }
    AUTO_BUF(b);
    put_collapsed(&b, text);
    return str_eq(buf_str(&b), buf_str(&s->answer.scratch.notice));
}

static void put_capitalised(struct buf *b, str text)
{
    size_t at = b->n;
    buf_put_str(b, text);
    if (buf_ok(b) && b->n > at && b->p[at] >= 'a' && b->p[at] <= 'z') {
        b->p[at] = (char)(b->p[at] - 'a' + 'A');
    }
}

/* The text without its inline Markdown: heading marks, bold marks, single backticks. */
static void put_unmarked(struct buf *b, str text)
{
    bool line_start = true;
    for (size_t i = 0; i < text.n; i++) {
        str behind = str_from(text, i + 1);
        char c = text.p[i], next = '\0';
        if (behind.n) {
            next = behind.p[0];
        }
        size_t hashes = 0;
        while (line_start && hashes < 6 && i + hashes < text.n && text.p[i + hashes] == '#') {
            hashes++;
        }
        line_start = c == '\n';
        if (hashes && i + hashes < text.n && text.p[i + hashes] == ' ') {
            i += hashes;
        } else if ((c == '*' || c == '_') && next == c) {
            i++;
        } else if (c != '`' || next == '`' || (i > 0 && text.p[i - 1] == '`')) {
            buf_put_byte(b, c);
        }
    }
}

static void notice(struct session *s, const char *severity, str title, str description)
{
    s->host->surface->notice(s->host->surface_self, str_of(s->id), severity, title,
                             description.n ? description : STR_ABSENT);
}

static void say(struct session *s, str message_id, str text, str meta)
{
    s->host->surface->text(s->host->surface_self, str_of(s->id), MESSAGE_AGENT, message_id, text, meta);
}

/* ---- system/informational ---- */

/* True when a notice about this tool call was given before; it counts from now on. */
static bool noted_tool(struct session *s, str tool_use_id)
{
    if (!tool_use_id.n) {
        return false;
    }
    if (set_has(&s->noticed, tool_use_id)) {
        return true;
    }
    if (s->noticed.used >= NOTED_TOOLS_MAX) {
        map_free(&s->noticed, NULL);
    }
    set_add(&s->noticed, tool_use_id); /* without memory it may be told again */
    return false;
}

static void informational_notice(struct session *s, str level, str content)
{
    bool warning = str_is(level, "warning");
    AUTO_BUF(text);
    put_unmarked(&text, content);
    str all = str_trim(buf_str(&text));
    size_t cut = str_find_byte(all, '\n', 0);
    str title = str_trim(str_first(all, cut));
    str rest = cut == SIZE_MAX ? STR_ABSENT : str_trim(str_from(all, cut));
    if (utf16_length(title) > NOTICE_TITLE_MAX) {
        title = warning ? STR("Claude reported a warning") : STR("Claude reported a notice");
        rest = all;
    }
    notice(s, warning ? "warning" : "info", title, rest);
}

void session_on_informational(struct session *s, json frame)
{
    str level = json_str(json_get(frame, "level")), content = json_str(json_get(frame, "content"));
    bool plain = !level.n || str_is(level, "info");
    if (!content.n) {
        return;
    }
    if (s->host->client.session_notices) {
        if (plain || noted_tool(s, json_str(json_get(frame, "tool_use_id")))) {
            return;
        }
        informational_notice(s, level, content);
    } else {
        AUTO_BUF(text);
        AUTO_BUF(meta);
        if (!plain) {
            buf_put_c(&text, "**");
            put_capitalised(&text, level);
            buf_put_c(&text, ":** ");
        }
        buf_put_str(&text, content);
        json_open_object(&meta);
        json_key(&meta, "claudeCode");
        json_open_object(&meta);
        json_member_c(&meta, "kind", "informational");
        json_member_str(&meta, "level", level);
        json_close_object(&meta);
        json_close_object(&meta);
        say(s, STR_ABSENT, buf_str(&text), buf_str(&meta));
    }
    buf_clear(&s->answer.scratch.notice);
    put_collapsed(&s->answer.scratch.notice, content);
}

/* ---- Refusals ---- */

/* The sentence about a model that declined and the one that took over. */
static void put_fallback(struct buf *b, json frame, bool revert, bool local)
{
    str original = json_str(json_get(frame, "original_model")),
        fallback = json_str(json_get(frame, "fallback_model"));
    str category = json_text(json_get(frame, "api_refusal_category"));
    buf_put_str(b, original);
    buf_put_c(b, " declined this request");
    if (category.p) {
        buf_put_c(b, " (");
        buf_put_str(b, category);
        buf_put_c(b, ")");
    }
    buf_put_c(b, "; retried with ");
    buf_put_str(b, fallback);
    buf_put_c(b, ". ");
    if (revert) {
        buf_put_c(b, "The session stays on ");
        buf_put_str(b, original);
    } else if (local) {
        buf_put_c(b, "Only that response came from ");
        buf_put_str(b, fallback);
        buf_put_c(b, "; the session stays on ");
        buf_put_str(b, original);
    } else {
        buf_put_c(b, "The session will continue on ");
        buf_put_str(b, fallback);
    }
    buf_put_c(b, ".");
}

static void put_paragraphs(struct buf *b, str sentence, str explanation)
{
    buf_put_str(b, sentence);
    if (explanation.n) {
        buf_put_c(b, "\n\n");
        buf_put_str(b, explanation);
    }
}

void session_on_fallback(struct session *s, json frame)
{
    const struct client_capabilities *client = &s->host->client;
    bool revert = str_is(json_str(json_get(frame, "direction")), "revert");
    bool local = str_is(json_str(json_get(frame, "scope")), "local");
    str explanation = json_text(json_get(frame, "api_refusal_explanation"));
    AUTO_BUF(text);
    AUTO_BUF(other);
    if (!json_text(json_get(frame, "original_model")).n || !json_text(json_get(frame, "fallback_model")).n) {
        return; /* nothing can be said of it */
    }
    put_fallback(&text, frame, revert, local);
    str sentence = buf_str(&text);
    if (client->session_notices) {
        bool fits = utf16_length(sentence) <= NOTICE_TITLE_MAX;
        put_paragraphs(&other, sentence, explanation);
        notice(s, "warning", fits ? sentence : STR("Model fallback"), fits ? explanation : buf_str(&other));
    } else if (client->air_session_failure) {
        struct failure_record record;
        AUTO_BUF(details);
        failure_advisory(&other, &details, sentence, explanation);
        if (failures_notice(&s->failures, buf_str(&other), details.n ? buf_str(&details) : STR_ABSENT,
                            &record)) {
            session_send_failure(s, &record);
        }
    } else {
        buf_put_c(&other, "**Model fallback:** ");
        put_paragraphs(&other, sentence, explanation);
        say(s, STR_ABSENT, buf_str(&other), STR_ABSENT);
    }
    str fallback = json_text(json_get(frame, "fallback_model"));
    if (fallback.p && !revert && !local) {
        option_queue_model_switched(&s->changes, fallback);
    }
}

void session_on_no_fallback(struct session *s, json frame)
{
    str why = json_text(json_get(frame, "api_refusal_explanation"));
    if (!s->answer.scratch.refusal.n && json_is(json_get(frame, "refused_user_message_uuid"), JSON_STRING)) {
        buf_put_str(&s->answer.scratch.refusal, why.p ? why : json_str(json_get(frame, "content")));
    }
}

/* ---- Retries ---- */

/* The prompt that a model request is for: the active one, or the one that the CLI has begun. */
static struct turn *running_turn(struct session *s)
{
    if (s->turns.active) {
        return s->turns.active;
    }
    LIST_EACH(t, &s->turns.queue, struct turn, link) {
        if (t->started) {
            return t;
        }
    }
    return NULL;
}

void session_on_retry(struct session *s, json frame)
{
    enum failure_kind kind;
    struct failure_record record;
    AUTO_BUF(title);
    if (!s->host->client.air_session_failure || !failure_retry(frame, &kind, &title)) {
        return;
    }
    struct turn *turn = running_turn(s);
    if (turn && turn->state == TURN_HELD && s->host->client.protocol_version >= 2) {
        turn = NULL; /* its prompt is answered */
    }
    bool made = turn ? failures_turn(&s->failures, str_of(turn->uuid), kind, FAILURE_WARNING, buf_str(&title),
                                     &record)
                     : failures_session(&s->failures, kind, FAILURE_WARNING, buf_str(&title), &record);
    if (made) {
        session_send_failure(s, &record);
    }
}
