#include "tool/input_scanner.h"

void input_scanner_free(struct input_scanner *s)
{
    buf_free(&s->text);
    *s = INPUT_SCANNER_INIT;
}

/* The rest of the input does not matter any more. */
static void finish(struct input_scanner *s)
{
    buf_free(&s->text);
    s->done = true;
}

/* Takes one byte at `offset`; true when it closes the outermost object. */
static bool scan_byte(struct input_scanner *s, char c, size_t offset)
{
    if (s->in_string) {
        if (s->escaped) {
            s->escaped = false;
        } else if (c == '\\') {
            s->escaped = true;
        } else if (c == '"') {
            s->in_string = false;
        }
        return false;
    }
    switch (c) {
    case '"':
        s->in_string = true;
        break;
    case '{':
        s->depth++;
        break;
    case '}':
        return --s->depth == 0;
    case '[':
        s->arrays++;
        break;
    case ']':
        s->arrays--;
        break;
    case ',':
        if (s->depth == 1 && s->arrays == 0) {
            s->comma = offset;
        }
        break;
    default:
        break;
    }
    return false;
}

enum input_scan input_scanner_feed(struct input_scanner *s, str fragment, struct buf *json)
{
    buf_clear(json);
    if (s->done || !fragment.n) {
        return SCAN_NONE;
    }
    size_t start = s->text.n;
    if (fragment.n > INPUT_SCANNER_MAX - start) {
        finish(s);
        return SCAN_NONE;
    }
    buf_put_str(&s->text, fragment);
    if (!buf_ok(&s->text)) {
        finish(s);
        return SCAN_NONE;
    }
    for (size_t i = 0; i < fragment.n; i++) {
        if (scan_byte(s, fragment.p[i], start + i)) {
            finish(s);
            return SCAN_COMPLETE;
        }
    }
    if (s->comma == s->reported) {
        return SCAN_NONE;
    }
    s->reported = s->comma;
    if (s->comma > INPUT_SCANNER_WORK_MAX - s->work) {
        finish(s);
        return SCAN_NONE;
    }
    s->work += s->comma;
    buf_put(json, s->text.p, s->comma);
    buf_put_byte(json, '}');
    return buf_ok(json) ? SCAN_PARTIAL : SCAN_NONE;
}
