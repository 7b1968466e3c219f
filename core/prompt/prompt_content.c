#include "prompt/prompt_content.h"

#include "base/js_space.h"

enum block_type {
    BLOCK_UNKNOWN,
    BLOCK_TEXT,
    BLOCK_IMAGE,
    BLOCK_AUDIO,
    BLOCK_LINK,
    BLOCK_RESOURCE,
};

/* The block types of ACP, with the strings that each must have. */
static const struct {
    str name;
    enum block_type type;
    const char *required[2];
    const char *expected;
} block_types[] = {
    {STR_INIT("text"), BLOCK_TEXT, {"text"}, "expected a text block with a string `text`"},
    {STR_INIT("image"),
     BLOCK_IMAGE,
     {"data", "mimeType"},
     "expected an image block with strings `data` and `mimeType`"},
    {STR_INIT("audio"),
     BLOCK_AUDIO,
     {"data", "mimeType"},
     "expected an audio block with strings `data` and `mimeType`"},
    {STR_INIT("resource_link"),
     BLOCK_LINK,
     {"name", "uri"},
     "expected a resource_link block with strings `name` and `uri`"},
    {STR_INIT("resource"),
     BLOCK_RESOURCE,
     {NULL},
     "expected a resource block with a `resource` that has strings `uri` and `text` or `blob`"},
};

static bool has_string(json object, const char *key)
{
    return json_is(json_get(object, key), JSON_STRING);
}

static enum block_type type_of(json block)
{
    str name = json_str(json_get(block, "type"));
    for (size_t i = 0; name.p && i < ARRAY_LEN(block_types); i++) {
        if (str_eq(name, block_types[i].name)) {
            return block_types[i].type;
        }
    }
    return BLOCK_UNKNOWN;
}

static const char *check_block(json block)
{
    if (!json_is(block, JSON_OBJECT)) {
        return "expected content blocks (objects with a `type`)";
    }
    str name = json_str(json_get(block, "type"));
    for (size_t i = 0; name.p && i < ARRAY_LEN(block_types); i++) {
        if (!str_eq(name, block_types[i].name)) {
            continue;
        }
        bool fine = true;
        for (size_t k = 0; k < ARRAY_LEN(block_types[i].required) && block_types[i].required[k]; k++) {
            fine &= has_string(block, block_types[i].required[k]);
        }
        if (block_types[i].type == BLOCK_RESOURCE) {
            json resource = json_get(block, "resource");
            fine =
                has_string(resource, "uri") && (has_string(resource, "text") || has_string(resource, "blob"));
        }
        return fine ? NULL : block_types[i].expected;
    }
    return "expected content blocks of a known `type` (text, image, audio, resource_link, resource)";
}

const char *prompt_check(json prompt)
{
    if (!json_is(prompt, JSON_ARRAY)) {
        return "expected an array of content blocks";
    }
    for (struct json_iter it = json_each(prompt); json_next(&it);) {
        const char *expected = check_block(it.value);
        if (expected) {
            return expected;
        }
    }
    return NULL;
}

/* ---- Texts -------------------------------------------------------------------------------------- */

static size_t word_end(str s, size_t from, bool stop_at_colon)
{
    size_t at = from;
    while (at < s.n && !space_at(s, at) && !(stop_at_colon && s.p[at] == ':')) {
        at++;
    }
    return at;
}

/* An MCP prompt under the name that commands.h gave it goes back to the CLI's own:
 * `/mcp:SERVER:COMMAND ARGUMENTS` to `/SERVER:COMMAND (MCP) ARGUMENTS`. The arguments are on one line,
 * though line breaks may stand before them. False for any other text. */
static bool put_mcp_prompt(struct buf *b, str text)
{
    const str start = STR("/mcp:");
    if (!str_starts(text, start)) {
        return false;
    }
    size_t colon = word_end(text, start.n, true);
    if (colon == start.n || colon >= text.n || text.p[colon] != ':') {
        return false;
    }
    size_t end = word_end(text, colon + 1, false), at = end, n;
    if (end == colon + 1) {
        return false;
    }
    while ((n = space_at(text, at)) != 0) {
        at += n;
    }
    for (; at < text.n; at++) {
        if (space_is_line_break(text, at)) {
            return false;
        }
    }
    buf_put_c(b, "/");
    buf_put(b, text.p + start.n, end - start.n);
    buf_put_c(b, " (MCP)");
    buf_put_str(b, str_from(text, end));
    return true;
}

static void put_link(struct buf *b, str uri)
{
    const str file = STR("file://"), zed = STR("zed://");
    str path;
    if (str_starts(uri, file)) {
        path = str_from(uri, file.n);
    } else if (str_starts(uri, zed)) {
        path = uri;
    } else {
        buf_put_str(b, uri);
        return;
    }
    size_t slash = str_rfind(path, STR("/"));
    str name = slash == SIZE_MAX ? path : str_from(path, slash + 1);
    buf_put_c(b, "[@");
    buf_put_str(b, name.n ? name : path);
    buf_put_c(b, "](");
    buf_put_str(b, uri);
    buf_put_c(b, ")");
}

/* ---- Content ------------------------------------------------------------------------------------ */

static void put_text_block(struct buf *b, str text)
{
    json_open_object(b);
    json_member_c(b, "type", "text");
    json_member_str(b, "text", text);
    json_close_object(b);
}

static void put_made_text(struct buf *b, struct buf *text)
{
    put_text_block(b, buf_str(text));
    b->failed |= text->failed;
}

static void put_text(struct buf *b, str text)
{
    AUTO_BUF(prompt);
    if (text.p && put_mcp_prompt(&prompt, text)) {
        put_made_text(b, &prompt);
    } else if (text.p) {
        put_text_block(b, text);
    }
}

static void put_link_block(struct buf *b, str uri)
{
    if (uri.p) {
        AUTO_BUF(link);
        put_link(&link, uri);
        put_made_text(b, &link);
    }
}

static void put_image(struct buf *b, json block)
{
    str data = json_text(json_get(block, "data"));
    str uri = json_str(json_get(block, "uri"));
    if (!data.p && !(uri.p && str_starts(uri, STR("http")))) {
        return;
    }
    json_open_object(b);
    json_member_c(b, "type", "image");
    json_key(b, "source");
    json_open_object(b);
    json_member_c(b, "type", data.p ? "base64" : "url");
    if (data.p) {
        json_member_str(b, "data", data);
        json_member_str(b, "media_type", json_str(json_get(block, "mimeType")));
    } else {
        json_member_str(b, "url", uri);
    }
    json_close_object(b);
    json_close_object(b);
}

/* The text of an embedded resource block; absent for a binary one and for other blocks. */
static str resource_text(json block, str *uri)
{
    json resource = json_get(block, "resource");
    *uri = json_str(json_get(resource, "uri"));
    return uri->p && type_of(block) == BLOCK_RESOURCE ? json_str(json_get(resource, "text")) : STR_ABSENT;
}

static void put_block(struct buf *b, json block)
{
    str uri;
    switch (type_of(block)) {
    case BLOCK_TEXT:
        put_text(b, json_str(json_get(block, "text")));
        break;
    case BLOCK_LINK:
        put_link_block(b, json_str(json_get(block, "uri")));
        break;
    case BLOCK_RESOURCE:
        if (resource_text(block, &uri).p) {
            put_link_block(b, uri);
        }
        break;
    case BLOCK_IMAGE:
        put_image(b, block);
        break;
    case BLOCK_AUDIO:
    case BLOCK_UNKNOWN:
        break;
    }
}

static void put_context(struct buf *b, json block)
{
    str uri, text = resource_text(block, &uri);
    if (!text.p) {
        return;
    }
    AUTO_BUF(context);
    buf_put_c(&context, "\n<context ref=\"");
    buf_put_str(&context, uri);
    buf_put_c(&context, "\">\n");
    buf_put_str(&context, text);
    buf_put_c(&context, "\n</context>");
    put_made_text(b, &context);
}

void prompt_put_content(struct buf *b, json blocks)
{
    json_open_array(b);
    if (json_is(blocks, JSON_ARRAY)) {
        for (struct json_iter it = json_each(blocks); json_next(&it);) {
            put_block(b, it.value);
        }
        for (struct json_iter it = json_each(blocks); json_next(&it);) {
            put_context(b, it.value);
        }
    }
    json_close_array(b);
}

/* ---- The message -------------------------------------------------------------------------------- */

static void open_message(struct buf *b)
{
    json_open_object(b);
    json_member_c(b, "type", "user");
    json_key(b, "message");
    json_open_object(b);
    json_member_c(b, "role", "user");
    json_key(b, "content");
}

static void close_message(struct buf *b, str session_id, str uuid, str priority)
{
    json_close_object(b);
    json_member_str(b, "session_id", session_id);
    json_member_null(b, "parent_tool_use_id");
    json_key(b, "origin");
    json_open_object(b);
    json_member_c(b, "kind", "human");
    json_close_object(b);
    json_member_str(b, "uuid", uuid);
    json_member_str(b, "priority", priority);
    json_close_object(b);
}

void prompt_put_user_message(struct buf *b, json blocks, str session_id, str uuid, str priority)
{
    open_message(b);
    prompt_put_content(b, blocks);
    close_message(b, session_id, uuid, priority);
}

void prompt_put_user_text(struct buf *b, str text, str session_id, str uuid, str priority)
{
    open_message(b);
    json_open_array(b);
    put_text(b, text);
    json_close_array(b);
    close_message(b, session_id, uuid, priority);
}

/* ---- Questions about a prompt ------------------------------------------------------------------- */

void prompt_text(struct buf *b, json blocks)
{
    bool first = true;
    if (!json_is(blocks, JSON_ARRAY)) {
        return;
    }
    for (struct json_iter it = json_each(blocks); json_next(&it);) {
        if (type_of(it.value) == BLOCK_TEXT) {
            buf_put_c(b, first ? "" : "\n");
            buf_put_str(b, json_str(json_get(it.value, "text")));
            first = false;
        }
    }
}

str prompt_first_text(json blocks)
{
    if (json_is(blocks, JSON_ARRAY)) {
        for (struct json_iter it = json_each(blocks); json_next(&it);) {
            if (type_of(it.value) == BLOCK_TEXT) {
                return json_str(json_get(it.value, "text"));
            }
        }
    }
    return STR_ABSENT;
}

str prompt_sole_text(json blocks)
{
    if (!json_is(blocks, JSON_ARRAY) || json_count(blocks) != 1) {
        return STR_ABSENT;
    }
    str text = prompt_first_text(blocks);
    return text.p ? space_trim(text) : text;
}

bool prompt_is_command(json blocks, str command)
{
    str text = prompt_sole_text(blocks);
    return text.p && str_eq(text, command);
}

bool prompt_goal_argument(str text, str *argument)
{
    const str command = STR("/goal");
    if (!text.p) {
        return false;
    }
    text = space_trim(text);
    if (!str_starts(text, command) || !space_at(text, command.n)) {
        return false;
    }
    *argument = space_trim(str_from(text, command.n));
    return argument->n > 0;
}
