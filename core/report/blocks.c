#include "report/blocks.h"

#include <inttypes.h>

#include "base/utf8.h"

/* ---- Texts -------------------------------------------------------------------------------------- */

/* Whether a line begins at `at`: after LF, CR, U+2028 or U+2029. */
static bool begins_line(str s, size_t at)
{
    if (at == 0 || s.p[at - 1] == '\n' || s.p[at - 1] == '\r') {
        return true;
    }
    return at >= 3 && memcmp(s.p + at - 3, "\xE2\x80", 2) == 0 &&
           (s.p[at - 1] == '\xA8' || s.p[at - 1] == '\xA9');
}

static size_t fence_length(str text)
{
    size_t longest = 2;
    for (size_t at = 0; (at = str_find_byte(text, '`', at)) < text.n;) {
        size_t run = 1;
        while (at + run < text.n && text.p[at + run] == '`') {
            run++;
        }
        if (run > longest && begins_line(text, at)) {
            longest = run;
        }
        at += run;
    }
    return longest + 1;
}

str text_fence(struct arena *a, str language, str text)
{
    size_t fence = fence_length(text);
    AUTO_BUF(b);
    buf_put_fill(&b, '`', fence);
    buf_put_str(&b, language);
    buf_put_byte(&b, '\n');
    buf_put_str(&b, text);
    if (!str_ends(text, STR("\n"))) {
        buf_put_byte(&b, '\n');
    }
    buf_put_fill(&b, '`', fence);
    return arena_buf(a, &b);
}

str text_error(struct arena *a, str text)
{
    AUTO_BUF(b);
    buf_put_c(&b, "```\n");
    buf_put_str(&b, text);
    buf_put_c(&b, "\n```");
    return arena_buf(a, &b);
}

str text_size(struct arena *a, uint64_t bytes)
{
    if (bytes < 1024) {
        return arena_printf(a, "%" PRIu64 " B", bytes);
    }
    uint64_t unit = bytes < 1048576 ? 1024 : 1048576;
    uint64_t tenths = bytes % unit * 10, whole = bytes / unit;
    tenths = (2 * tenths + unit) / (2 * unit); /* the nearest, the larger one at a tie */
    return arena_printf(a, "%" PRIu64 ".%" PRIu64 " %s", whole + tenths / 10, tenths % 10,
                        unit == 1024 ? "KB" : "MB");
}

str text_json(struct arena *a, json v)
{
    str raw = json_raw(v);
    if (!raw.p) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    bool in_string = false;
    size_t from = 0;
    for (size_t i = 0; i < raw.n; i++) {
        char c = raw.p[i];
        if (c == '"') {
            in_string = !in_string;
        } else if (in_string) {
            i += c == '\\';
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            buf_put(&b, raw.p + from, i - from);
            from = i + 1;
        }
    }
    buf_put_str(&b, str_from(raw, from));
    return arena_buf(a, &b);
}

/* ---- Content ------------------------------------------------------------------------------------ */

static struct fact_content *add_content(struct arena *a, struct fact_contents *out)
{
    struct fact_content *c = arena_alloc(a, sizeof(*c));
    if (c) {
        *(out->last ? &out->last->next : &out->first) = c;
        out->last = c;
        out->stated = true;
    }
    return c;
}

void contents_add_text(struct arena *a, struct fact_contents *out, str text)
{
    struct fact_content *c = add_content(a, out);
    if (c) {
        c->type = CONTENT_TEXT;
        c->text = text;
    }
}

void contents_add_image(struct arena *a, struct fact_contents *out, str mime_type, str data)
{
    struct fact_content *c = add_content(a, out);
    if (c) {
        c->type = CONTENT_IMAGE;
        c->mime_type = mime_type;
        c->data = data;
    }
}

/* ---- Blocks of a result -------------------------------------------------------------------------- */

static void put_member(struct buf *b, json block, const char *key)
{
    buf_put_str(b, json_str(json_get(block, key)));
}

static void words_text(struct buf *b, struct arena *a, json block)
{
    (void)a;
    put_member(b, block, "text");
}

static void words_image(struct buf *b, struct arena *a, json block)
{
    (void)a;
    json source = json_get(block, "source");
    str url = json_str(json_get(source, "url"));
    buf_put_c(b, "[image: ");
    if (str_is(json_str(json_get(source, "type")), "url") && str_present(url)) {
        buf_put_str(b, url);
    } else {
        buf_put_c(b, "file reference");
    }
    buf_put_byte(b, ']');
}

static void words_document(struct buf *b, struct arena *a, json block)
{
    json source = json_get(block, "source");
    str title = json_text(json_get(block, "title")), type = json_str(json_get(source, "type"));
    str data = json_str(json_get(source, "data")), url = json_str(json_get(source, "url"));
    str media_type = json_str(json_get(source, "media_type"));
    buf_put_c(b, "[document");
    if (str_present(title)) {
        buf_put_c(b, " \"");
        buf_put_str(b, title);
        buf_put_byte(b, '"');
    }
    bool base64 = str_is(type, "base64");
    if (str_present(data) && (base64 || str_is(type, "text"))) {
        uint64_t size = base64 ? (uint64_t)data.n * 3 / 4 : utf16_length(data);
        buf_put_c(b, ": ");
        buf_put_str(b, media_type);
        buf_put_c(b, str_present(media_type) ? ", " : "");
        buf_put_str(b, text_size(a, size));
    } else if (str_is(type, "url") && str_present(url)) {
        buf_put_c(b, ": ");
        buf_put_str(b, url);
    }
    buf_put_byte(b, ']');
}

static void words_tool_reference(struct buf *b, struct arena *a, json block)
{
    (void)a;
    buf_put_c(b, "Tool: ");
    put_member(b, block, "tool_name");
}

static void words_tools_found(struct buf *b, struct arena *a, json block)
{
    (void)a;
    const char *before = "Tools found: ";
    for (struct json_iter it = json_each(json_get(block, "tool_references")); json_next(&it);) {
        buf_put_c(b, before);
        put_member(b, it.value, "tool_name");
        before = ", ";
    }
    buf_put_c(b, b->n ? "" : "Tools found: none");
}

static void words_error(struct buf *b, struct arena *a, json block)
{
    (void)a;
    buf_put_c(b, "Error: ");
    put_member(b, block, "error_code");
}

static void words_error_message(struct buf *b, struct arena *a, json block)
{
    words_error(b, a, block);
    str message = json_text(json_get(block, "error_message"));
    if (str_present(message)) {
        buf_put_c(b, " - ");
        buf_put_str(b, message);
    }
}

static void words_web_search(struct buf *b, struct arena *a, json block)
{
    (void)a;
    put_member(b, block, "title");
    buf_put_c(b, " (");
    put_member(b, block, "url");
    buf_put_byte(b, ')');
}

static void words_web_fetch(struct buf *b, struct arena *a, json block)
{
    (void)a;
    buf_put_c(b, "Fetched: ");
    put_member(b, block, "url");
}

static void words_execution(struct buf *b, struct arena *a, json block)
{
    (void)a;
    str out = json_text(json_get(block, "stdout"));
    buf_put_c(b, "Output: ");
    buf_put_str(b, str_present(out) ? out : json_str(json_get(block, "stderr")));
}

static void words_view(struct buf *b, struct arena *a, json block)
{
    (void)a;
    put_member(b, block, "content");
}

static void words_create(struct buf *b, struct arena *a, json block)
{
    (void)a;
    buf_put_c(b, json_truthy(json_get(block, "is_file_update")) ? "File updated" : "File created");
}

static void words_replace(struct buf *b, struct arena *a, json block)
{
    (void)a;
    const char *before = "";
    for (struct json_iter it = json_each(json_get(block, "lines")); json_next(&it);) {
        buf_put_c(b, before);
        buf_put_str(b, json_str(it.value));
        before = "\n";
    }
}

static const struct block_rule {
    const char *type;
    void (*words)(struct buf *b, struct arena *a, json block);
} block_rules[] = {
    {"text", words_text},
    {"image", words_image},
    {"document", words_document},
    {"tool_reference", words_tool_reference},
    {"tool_search_tool_search_result", words_tools_found},
    {"tool_search_tool_result_error", words_error_message},
    {"web_search_result", words_web_search},
    {"web_search_tool_result_error", words_error},
    {"web_fetch_result", words_web_fetch},
    {"web_fetch_tool_result_error", words_error},
    {"code_execution_result", words_execution},
    {"code_execution_tool_result_error", words_error},
    {"bash_code_execution_result", words_execution},
    {"bash_code_execution_tool_result_error", words_error},
    {"text_editor_code_execution_view_result", words_view},
    {"text_editor_code_execution_create_result", words_create},
    {"text_editor_code_execution_str_replace_result", words_replace},
    {"text_editor_code_execution_tool_result_error", words_error_message},
};

static str block_words(struct arena *a, json block)
{
    str type = json_str(json_get(block, "type"));
    for (size_t i = 0; i < ARRAY_LEN(block_rules); i++) {
        if (str_is(type, block_rules[i].type)) {
            AUTO_BUF(b);
            block_rules[i].words(&b, a, block);
            return arena_buf(a, &b);
        }
    }
    return text_json(a, block);
}

void facts_add_block(struct arena *a, struct fact_contents *out, json block, bool as_error)
{
    if (!json_present(block)) {
        return;
    }
    json source = json_get(block, "source");
    str data = json_str(json_get(source, "data")), mime_type = json_str(json_get(source, "media_type"));
    if (str_is(json_str(json_get(block, "type")), "image") &&
        str_is(json_str(json_get(source, "type")), "base64") && str_present(data) && str_present(mime_type)) {
        contents_add_image(a, out, mime_type, data); /* they live as long as the message */
        return;
    }
    str text = json_str(json_get(block, "text"));
    bool plain = str_is(json_str(json_get(block, "type")), "text") && str_present(text);
    str words = plain ? text : block_words(a, block);
    contents_add_text(a, out, as_error ? text_error(a, words) : words);
}

void facts_add_result(struct arena *a, struct fact_contents *out, json result, bool as_error)
{
    str text = json_text(result);
    if (str_present(text)) {
        contents_add_text(a, out, as_error ? text_error(a, text) : text);
    } else if (json_is(result, JSON_ARRAY)) {
        for (struct json_iter it = json_each(result); json_next(&it);) {
            facts_add_block(a, out, it.value, as_error);
        }
    } else if (json_present(json_get(result, "type"))) {
        facts_add_block(a, out, result, as_error);
    }
}
