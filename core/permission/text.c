#include "permission/text.h"

#include "base/js_space.h"
#include "base/map.h"
#include "base/utf8.h"

struct range {
    uint32_t from, to;
};

/* Controls, line ends, surrogates, the marks that set or override direction, and what Unicode has renderers
 * ignore. */
static const struct range not_plain[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},
    {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
    {0x2060, 0x206F}, {0x3164, 0x3164}, {0xD800, 0xDFFF},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

static bool is_plain(uint32_t cp)
{
    for (size_t i = 0; i < ARRAY_LEN(not_plain) && not_plain[i].from <= cp; i++) {
        if (cp <= not_plain[i].to) {
            return false;
        }
    }
    return true;
}

static bool is_control(uint32_t cp)
{
    return (cp < 0x20 && cp != '\t' && cp != '\n' && cp != '\r') || cp == 0x7F;
}

str permission_clean(struct arena *a, str s, enum text_lines lines, size_t limit)
{
    AUTO_BUF(out);
    bool blank = false;
    for (size_t at = 0; at < s.n;) {
        bool space = space_at(s, at) > 0;
        uint32_t cp = utf8_next(s, &at);
        if (is_control(cp)) {
            continue;
        }
        if (lines == TEXT_SINGLE_LINE && space) {
            blank = out.n > 0;
            continue;
        }
        if (blank) {
            buf_put_byte(&out, ' ');
            blank = false;
        }
        utf8_put(&out, cp);
    }
    str text = space_trim(buf_str(&out));
    if (!buf_ok(&out) || str_empty(text) || utf16_length(text) > limit) {
        return STR_ABSENT;
    }
    return arena_str(a, text);
}

bool permission_valid_text(str s, size_t limit)
{
    if (!str_present(s) || utf16_length(s) > limit) {
        return false;
    }
    str text = space_trim(s);
    for (size_t at = 0; at < text.n;) {
        if (is_control(utf8_next(text, &at))) {
            return false;
        }
    }
    return !str_empty(text);
}

bool permission_plain_text(str s)
{
    for (size_t at = 0; at < s.n;) {
        if (!is_plain(utf8_next(s, &at))) {
            return false;
        }
    }
    return true;
}

void permission_put_list(struct buf *b, const str *v, size_t n)
{
    size_t length = 0;
    for (size_t i = 0; i < n && length <= TEXT_LABEL_LIST_MAX; i++) {
        length += utf16_length(v[i]) + (i ? 2 : 0);
    }
    if (length > TEXT_LABEL_LIST_MAX) {
        buf_put_c(b, "similar");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (i) {
            buf_put_c(b, n == 2 ? " and " : i + 1 == n ? ", and " : ", ");
        }
        buf_put_str(b, v[i]);
    }
}

/* `path` without double slashes, "." and ".."; a trailing slash stays. */
static str normalize(struct arena *a, str path)
{
    AUTO_BUF(out);
    bool absolute = path.n && path.p[0] == '/';
    bool slash = str_ends(path, STR("/"));
    size_t floor = 0; /* what ".." cannot take back: the root, or the ".." of a relative path */
    if (absolute) {
        buf_put_byte(&out, '/');
        floor = 1;
    }
    for (str rest = path; rest.n;) {
        size_t end = str_find_byte(rest, '/', 0);
        str seg = str_first(rest, end == SIZE_MAX ? rest.n : end);
        rest = str_from(rest, end == SIZE_MAX ? rest.n : end + 1);
        bool up = str_is(seg, "..");
        if (seg.n == 0 || str_is(seg, ".") || (up && absolute && out.n == 1)) {
            continue;
        }
        if (up && out.n > floor) {
            str done = str_from(buf_str(&out), floor);
            size_t cut = str_rfind(done, STR("/"));
            buf_truncate(&out, cut == SIZE_MAX ? floor : floor + cut);
            continue;
        }
        if (out.n && out.p[out.n - 1] != '/') {
            buf_put_byte(&out, '/');
        }
        buf_put_str(&out, seg);
        if (up) {
            floor = out.n;
        }
    }
    if (!out.n) {
        buf_put_byte(&out, '.');
    }
    if (slash && out.p && out.p[out.n - 1] != '/') {
        buf_put_byte(&out, '/');
    }
    return arena_buf(a, &out);
}

/* The segments of a normalized path: without the slashes at both ends. */
static str body_of(str path)
{
    if (path.n && path.p[0] == '/') {
        path = str_from(path, 1);
    }
    return path.n && path.p[path.n - 1] == '/' ? str_first(path, path.n - 1) : path;
}

/* The number of bytes of the segments that both bodies end with; `a` is different from `b`. */
static size_t common_ending(str a, str b)
{
    size_t same = 0, whole = 0, n = a.n < b.n ? a.n : b.n;
    while (same < n && a.p[a.n - 1 - same] == b.p[b.n - 1 - same]) {
        if (a.p[a.n - 1 - same] == '/') {
            whole = same;
        }
        same++;
    }
    bool a_ends = same == a.n || a.p[a.n - 1 - same] == '/',
         b_ends = same == b.n || b.p[b.n - 1 - same] == '/';
    return a_ends && b_ends ? same : whole;
}

static str with_slash(struct arena *a, str name)
{
    AUTO_BUF(out);
    buf_put_str(&out, name);
    buf_put_byte(&out, '/');
    return arena_buf(a, &out);
}

/* The shortest ending of paths[i] that none of the others has, with a slash behind it. */
static str short_name(struct arena *a, const str *paths, size_t n, size_t i)
{
    str body = body_of(paths[i]), name = paths[i];
    if (str_empty(body)) {
        return paths[i];
    }
    bool alone = true;
    size_t common = 0;
    for (size_t k = 0; k < n; k++) {
        str other = body_of(paths[k]);
        if (k != i && !str_empty(other)) {
            size_t c = common_ending(body, other);
            common = c > common ? c : common;
            alone = alone && c < body.n;
        }
    }
    if (alone) { /* the common segments and one more */
        size_t before = body.n - common - (common ? 1 : 0);
        size_t slash = str_rfind(str_first(body, before), STR("/"));
        name = slash == SIZE_MAX ? body : str_from(body, slash + 1);
    }
    return str_ends(name, STR("/")) ? name : with_slash(a, name);
}

bool permission_put_paths(struct arena *a, struct buf *b, const str *v, size_t n)
{
    struct map seen = MAP_INIT;
    str *paths = arena_alloc(a, (n ? n : 1) * sizeof(*paths));
    bool ok = paths != NULL;
    size_t count = 0;
    for (size_t i = 0; ok && i < n; i++) {
        str path = normalize(a, v[i]);
        if (set_has(&seen, path)) {
            continue;
        }
        paths[count++] = path;
        ok = arena_ok(a) && set_add(&seen, path);
    }
    map_free(&seen, NULL);
    if (!ok || !count) {
        return ok;
    }
    str names[2] = {short_name(a, paths, count, 0), count > 1 ? short_name(a, paths, count, 1) : STR_ABSENT};
    if (count <= 2) {
        permission_put_list(b, names, count);
    } else {
        buf_put_str(b, names[0]);
        buf_put_c(b, ", ");
        buf_put_str(b, names[1]);
        buf_printf(b, " and %zu more", count - 2);
    }
    return arena_ok(a) && buf_ok(b);
}
