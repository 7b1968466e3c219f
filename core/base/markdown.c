#include "base/markdown.h"

#include <stdint.h>

#include "base/js_space.h"
#include "base/utf8.h"

static bool is_mark(char c)
{
    return c && strchr("\\`*_[]<>|", c);
}

static bool is_control(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7F && cp <= 0x9F);
}

static void put_line(struct buf *b, str text, bool escaped)
{
    for (size_t at = 0, next = 0; at < text.n; at = next) {
        uint32_t cp = utf8_next(text, &next);
        if (cp == '\t' || space_is_line_break(text, at)) {
            buf_put_byte(b, ' ');
        } else if (!is_control(cp)) {
            if (escaped && is_mark(text.p[at])) {
                buf_put_byte(b, '\\');
            }
            buf_put_str(b, (str){text.p + at, next - at});
        }
    }
}

void markdown_put_text(struct buf *b, str text)
{
    put_line(b, text, true);
}

void markdown_put_code(struct buf *b, str text)
{
    AUTO_BUF(line);
    put_line(&line, text, false);
    size_t longest = 0, run = 0;
    bool blank = true;
    for (size_t i = 0; i < line.n; i++) {
        run = line.p[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
        blank = blank && line.p[i] == ' ';
    }
    /* A span takes one blank at each end away, when both are there; a backtick there would join the fence. */
    bool padded = !line.n || line.p[0] == '`' || line.p[line.n - 1] == '`' ||
                  (!blank && line.p[0] == ' ' && line.p[line.n - 1] == ' ');
    buf_put_fill(b, '`', longest + 1);
    buf_put_c(b, padded ? " " : "");
    buf_put_str(b, buf_str(&line));
    buf_put_c(b, padded && line.n ? " " : "");
    buf_put_fill(b, '`', longest + 1);
    b->failed |= line.failed;
}
