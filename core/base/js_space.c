#include "base/js_space.h"

#include <stdint.h>

#include "base/utf8.h"

static bool is_space(uint32_t cp)
{
    return cp == 0x20 || (cp >= 0x09 && cp <= 0x0D) || cp == 0xA0 || cp == 0x1680 ||
           (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 || cp == 0x2029 || cp == 0x202F || cp == 0x205F ||
           cp == 0x3000 || cp == 0xFEFF;
}

size_t space_at(str s, size_t at)
{
    if (at >= s.n) {
        return 0;
    }
    size_t next = at;
    return is_space(utf8_next(s, &next)) ? next - at : 0;
}

bool space_is_line_break(str s, size_t at)
{
    if (at >= s.n) {
        return false;
    }
    uint32_t cp = utf8_next(s, &at);
    return cp == '\n' || cp == '\r' || cp == 0x2028 || cp == 0x2029;
}

str space_trim(str s)
{
    size_t n;
    while ((n = space_at(s, 0)) != 0) {
        s = str_from(s, n);
    }
    while (s.n) {
        size_t last = s.n - 1;
        while (last && ((unsigned char)s.p[last] & 0xC0) == 0x80) {
            last--;
        }
        if (space_at(s, last) != s.n - last) {
            break;
        }
        s.n = last;
    }
    return s;
}

void space_squeeze(struct buf *b, str s)
{
    s = space_trim(s);
    size_t from = 0, at = 0;
    while (at < s.n) {
        size_t n = space_at(s, at);
        if (!n) {
            utf8_next(s, &at);
            continue;
        }
        buf_put(b, s.p + from, at - from);
        buf_put_byte(b, ' ');
        while ((n = space_at(s, at)) != 0) {
            at += n;
        }
        from = at;
    }
    buf_put_str(b, str_from(s, from));
}
