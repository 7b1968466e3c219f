#include "report/items.h"

void put_location(struct buf *b, str path, int64_t line)
{
    json_open_object(b);
    json_member_str(b, "path", path);
    if (line >= 0) {
        json_member_int(b, "line", line);
    }
    json_close_object(b);
}

void put_terminal(struct buf *b, str id)
{
    json_open_object(b);
    json_member_c(b, "type", "terminal");
    json_member_str(b, "terminalId", id);
    json_close_object(b);
}

void render_put_text(struct buf *b, str text)
{
    json_put_raw(b, STR("{\"type\":\"content\",\"content\":{\"type\":\"text\""));
    json_key(b, "text");
    json_put_str(b, text.p ? text : STR(""));
    buf_put(b, "}}", 2);
}

void put_built_text(struct buf *b, const struct buf *text)
{
    b->failed = b->failed || !buf_ok(text);
    render_put_text(b, buf_str(text));
}

static void put_image(struct buf *b, const struct fact_content *image)
{
    json_put_raw(b, STR("{\"type\":\"content\",\"content\":{\"type\":\"image\""));
    json_key(b, "data");
    json_put_str(b, image->data.p ? image->data : STR(""));
    json_key(b, "mimeType");
    json_put_str(b, image->mime_type.p ? image->mime_type : STR(""));
    buf_put(b, "}}", 2);
}

void put_contents(struct buf *b, const struct fact_contents *contents)
{
    for (const struct fact_content *c = contents->first; c; c = c->next) {
        if (c->type == CONTENT_IMAGE) {
            put_image(b, c);
        } else {
            render_put_text(b, c->text);
        }
    }
}

str json_string(struct arena *a, str text)
{
    if (!text.p) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    json_put_str(&b, text);
    return arena_buf(a, &b);
}

str text_content(struct arena *a, str text)
{
    AUTO_BUF(b);
    json_open_array(&b);
    render_put_text(&b, text);
    json_close_array(&b);
    return arena_buf(a, &b);
}
