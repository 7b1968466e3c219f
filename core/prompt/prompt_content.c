#include "prompt/prompt_content.h"

#include "base/base64.h"
#include "base/js_space.h"
#include "base/path.h"
#include "base/utf8.h"
#include "prompt/attachment.h"

enum { NAME_MAX_BYTES = 120 }; /* of what the client calls an attachment, in our words about it */

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

/* ---- Attachments -------------------------------------------------------------------------------- */

/* The attachment that a block holds. False: it holds none; an image that the model gets by its address is
 * none. */
static bool attachment_in(json block, struct attachment_source *source)
{
    enum block_type type = type_of(block);
    json resource = json_get(block, "resource");
    if (type == BLOCK_IMAGE) {
        *source = (struct attachment_source){
            .data = json_str(json_get(block, "data")),
            .mime_type = json_str(json_get(block, "mimeType")),
            .uri = json_str(json_get(block, "uri")),
            .image = true,
        };
        return source->data.n || !str_starts(source->uri, STR("http"));
    }
    if (type == BLOCK_RESOURCE && !has_string(resource, "text") && has_string(resource, "blob")) {
        *source = (struct attachment_source){
            .data = json_str(json_get(resource, "blob")),
            .mime_type = json_str(json_get(resource, "mimeType")),
            .uri = json_str(json_get(resource, "uri")),
        };
        return true;
    }
    return false;
}

static void put_base64(struct buf *b, str data)
{
    bool canonical;
    if (base64_valid(data, &canonical) && canonical) {
        json_member_str(b, "data", data);
        return;
    }
    AUTO_BUF(bytes);
    AUTO_BUF(again);
    b->failed |= !base64_decode(&bytes, data);
    base64_put(&again, buf_str(&bytes));
    json_member_str(b, "data", buf_str(&again));
    b->failed |= bytes.failed || again.failed;
}

static void put_source(struct buf *b, const char *type, const char *media_type, str data_or_url)
{
    json_open_object(b);
    json_member_c(b, "type", type);
    json_key(b, "source");
    json_open_object(b);
    json_member_c(b, "type", media_type ? "base64" : "url");
    if (media_type) {
        put_base64(b, data_or_url);
        json_member_c(b, "media_type", media_type);
    } else {
        json_member_str(b, "url", data_or_url);
    }
    json_close_object(b);
    json_close_object(b);
}

/* What of an attachment stands in its place: the picture or document itself; of a file its address too. */
static void put_attachment(struct buf *b, const struct attachment_source *source)
{
    struct attachment a = attachment_of(source);
    if (a.kind != ATTACHMENT_REFUSED && !source->image) {
        put_link_block(b, source->uri);
    }
    if (a.kind == ATTACHMENT_IMAGE || a.kind == ATTACHMENT_DOCUMENT) {
        put_source(b, a.kind == ATTACHMENT_IMAGE ? "image" : "document", a.media_type, source->data);
    }
}

static void put_block(struct buf *b, json block)
{
    struct attachment_source source;
    str uri = json_str(json_get(block, "uri"));
    if (attachment_in(block, &source)) {
        put_attachment(b, &source);
        return;
    }
    switch (type_of(block)) {
    case BLOCK_TEXT:
        put_text(b, json_str(json_get(block, "text")));
        break;
    case BLOCK_LINK:
        put_link_block(b, uri);
        break;
    case BLOCK_RESOURCE:
        put_link_block(b, json_str(json_path(block, "resource", "uri", NULL)));
        break;
    case BLOCK_IMAGE:
        put_source(b, "image", NULL, uri);
        break;
    case BLOCK_AUDIO:
    case BLOCK_UNKNOWN:
        break;
    }
}

static void put_context(struct buf *b, str uri, str text)
{
    AUTO_BUF(context);
    buf_put_c(&context, "\n<context ref=\"");
    buf_put_str(&context, uri);
    buf_put_c(&context, "\">\n");
    buf_put_str(&context, text);
    buf_put_c(&context, "\n</context>");
    put_made_text(b, &context);
}

/* The text of an embedded file, at the end. */
static void put_text_of(struct buf *b, json block)
{
    struct attachment_source source;
    json resource = json_get(block, "resource");
    if (attachment_in(block, &source)) {
        AUTO_BUF(text);
        if (attachment_of(&source).kind == ATTACHMENT_TEXT && base64_decode(&text, source.data)) {
            put_context(b, source.uri.n ? source.uri : STR("image.svg"), buf_str(&text));
            b->failed |= text.failed;
        }
    } else if (type_of(block) == BLOCK_RESOURCE && has_string(resource, "uri")) {
        put_context(b, json_str(json_get(resource, "uri")), json_str(json_get(resource, "text")));
    }
}

/* Our words about a block: its file's name and its type, as far as they are known. */
static void put_name(struct buf *b, str uri, str type, const char *otherwise)
{
    str name = path_basename(str_first(uri, str_find_byte(uri, '?', 0)));
    name = str_first(name, NAME_MAX_BYTES);
    name = str_first(name, utf8_valid_until(name));
    type = str_first(str_trim(type), NAME_MAX_BYTES);
    type = str_first(type, utf8_valid_until(type));
    if (name.n) {
        buf_put_str(b, name);
        buf_put_c(b, type.n ? " (" : "");
        buf_put_str(b, type);
        buf_put_c(b, type.n ? ")" : "");
    } else if (type.n) {
        buf_put_str(b, type);
    } else {
        buf_put_c(b, otherwise);
    }
}

bool prompt_refused(json blocks, struct buf *why)
{
    unsigned number = 0;
    for (struct json_iter it = json_each(blocks); json_next(&it);) {
        struct attachment_source source = {0};
        struct attachment a = {.kind = ATTACHMENT_TEXT};
        number++;
        if (type_of(it.value) == BLOCK_AUDIO) {
            source.mime_type = json_str(json_get(it.value, "mimeType"));
            a = (struct attachment){.kind = ATTACHMENT_REFUSED, .why = "is audio, which Claude cannot take"};
        } else if (attachment_in(it.value, &source)) {
            a = attachment_of(&source);
        }
        if (a.kind == ATTACHMENT_REFUSED) {
            buf_printf(why, "block %u: ", number);
            put_name(why, source.uri, source.mime_type, source.image ? "the image" : "the attachment");
            buf_printf(why, " %s", a.why);
            return true;
        }
    }
    return false;
}

/* ---- Content ------------------------------------------------------------------------------------ */

void prompt_put_content(struct buf *b, json blocks)
{
    json_open_array(b);
    if (json_is(blocks, JSON_ARRAY)) {
        for (struct json_iter it = json_each(blocks); json_next(&it);) {
            put_block(b, it.value);
        }
        for (struct json_iter it = json_each(blocks); json_next(&it);) {
            put_text_of(b, it.value);
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
