#include "report/patch_text.h"

#include <string.h>

#include "report/patch.h"

bool patch_text_fits(str text)
{
    return text.n <= PATCH_TEXT_MAX && str_find_byte(text, '\0', 0) == SIZE_MAX &&
           str_find_byte(text, '\r', 0) == SIZE_MAX;
}

/* The letters of C's escapes; the other bytes that need quoting become octal. */
static const char escape_letters[128] = {
    [0x07] = 'a', [0x08] = 'b', [0x09] = 't', [0x0A] = 'n',  [0x0B] = 'v',
    [0x0C] = 'f', [0x0D] = 'r', ['"'] = '"',  ['\\'] = '\\',
};

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7F && !escape_letters[c];
}

/* Prefix and name as Git writes them with core.quotePath: in double quotes when a byte needs an escape. */
static void put_name(struct buf *b, str prefix, str name)
{
    bool quoted = false;
    for (size_t i = 0; i < name.n && !quoted; i++) {
        quoted = !is_plain((unsigned char)name.p[i]);
    }
    if (quoted) {
        buf_put_byte(b, '"');
    }
    buf_put_str(b, prefix);
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];
        if (is_plain(c)) {
            buf_put_byte(b, (char)c);
        } else if (c < 0x80 && escape_letters[c]) {
            const char escape[2] = {'\\', escape_letters[c]};
            buf_put(b, escape, sizeof(escape));
        } else {
            const char octal[4] = {'\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
                                   (char)('0' + (c & 7))};
            buf_put(b, octal, sizeof(octal));
        }
    }
    if (quoted) {
        buf_put_byte(b, '"');
    }
}

static void put_side(struct buf *b, const char *mark, str prefix, str name)
{
    buf_put_c(b, mark);
    put_name(b, prefix, name);
    if (str_find_byte(name, ' ', 0) != SIZE_MAX) {
        buf_put_byte(b, '\t'); /* tells other patch programs where the name ends */
    }
    buf_put_byte(b, '\n');
}

void patch_put_header(struct buf *b, str path, bool prefixes, bool created)
{
    str a_side = prefixes ? STR("a/") : STR(""), b_side = prefixes ? STR("b/") : STR("");
    while (prefixes && path.n && path.p[0] == '/') {
        path = str_from(path, 1);
    }
    buf_put_c(b, "diff --git ");
    put_name(b, a_side, path);
    buf_put_byte(b, ' ');
    put_name(b, b_side, path);
    buf_put_byte(b, '\n');
    if (created) {
        buf_put_c(b, "new file mode 100644\n--- /dev/null\n");
    } else {
        put_side(b, "--- ", a_side, path);
    }
    put_side(b, "+++ ", b_side, path);
}

static void put_range(struct buf *b, char sign, int64_t start, int64_t count)
{
    if (count == 0) {
        buf_printf(b, "%c%lld,0", sign, (long long)(start > 1 ? start - 1 : 0));
    } else if (count == 1) {
        buf_printf(b, "%c%lld", sign, (long long)start);
    } else {
        buf_printf(b, "%c%lld,%lld", sign, (long long)start, (long long)count);
    }
}

void patch_put_hunk_header(struct buf *b, int64_t old_start, int64_t old_n, int64_t new_start, int64_t new_n)
{
    buf_put_c(b, "@@ ");
    put_range(b, '-', old_start, old_n);
    buf_put_byte(b, ' ');
    put_range(b, '+', new_start, new_n);
    buf_put_c(b, " @@\n");
}

size_t patch_put_whole_file(struct buf *b, str text)
{
    size_t lines = 0;
    for (size_t at = 0; at < text.n; lines++) {
        size_t nl = str_find_byte(text, '\n', at);
        at = nl == SIZE_MAX ? text.n : nl + 1;
    }
    patch_put_hunk_header(b, 1, 0, 1, (int64_t)lines);
    for (size_t at = 0; at < text.n;) {
        size_t nl = str_find_byte(text, '\n', at);
        size_t end = nl == SIZE_MAX ? text.n : nl + 1;
        buf_put_byte(b, '+');
        buf_put(b, text.p + at, end - at);
        at = end;
    }
    if (text.n && text.p[text.n - 1] != '\n') {
        buf_put_c(b, "\n" PATCH_NO_NEWLINE "\n");
    }
    return lines;
}
