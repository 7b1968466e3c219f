#include "history/summary.h"

#include <ctype.h>

#include "base/js_space.h"
#include "base/path.h"
#include "base/utf8.h"
#include "history/lines.h"
#include "history/prompt_words.h"
#include "json/json.h"

enum {
    PROMPT_TITLE_MAX = 200,
    WIRE_TITLE_MAX = 256,
    SIDECAR_FILE_MAX = 64 * 1024,
};

/* ---- Windows ---- */

void summary_windows_free(struct summary_windows *w)
{
    buf_free(&w->head);
    buf_free(&w->tail);
}

bool summary_windows_read(struct summary_windows *w, const char *path)
{
    struct lines file;
    if (!lines_open(&file, path)) {
        return false;
    }
    uint64_t n = file.size < SUMMARY_WINDOW ? file.size : SUMMARY_WINDOW;
    bool ok = n && lines_read_at(file.fd, 0, (size_t)n, &w->head);
    ok = ok && lines_read_at(file.fd, file.size - n, (size_t)n, &w->tail);
    lines_close(&file);
    return ok;
}

/* ---- Keys in the text ---- */

/* The string behind `"key":` at `at`, which begins with its quote; absent when the window cuts it. */
static str string_at(struct arena *a, str window, size_t at)
{
    size_t end = at + 1;
    while (end < window.n && window.p[end] != '"' && window.p[end] != '\n') {
        end += window.p[end] == '\\' ? 2 : 1;
    }
    if (end >= window.n || window.p[end] != '"') {
        return STR_ABSENT;
    }
    AUTO_JSON(doc) = json_parse((str){window.p + at, end + 1 - at}, NULL);
    return arena_str(a, json_text(json_root(doc)));
}

/* Where the string of the first or last `"key":"…"` begins; SIZE_MAX when there is none. */
static size_t find_key(str window, str key, bool last)
{
    size_t found = SIZE_MAX;
    for (size_t at = 0; (at = str_find(window, key, at)) != SIZE_MAX;) {
        at += key.n;
        size_t value = at + (at < window.n && window.p[at] == ' ');
        if (value < window.n && window.p[value] == '"') {
            found = value;
            if (!last) {
                break;
            }
        }
    }
    return found;
}

static str key_text(struct arena *a, str window, str key, bool last)
{
    size_t at = find_key(window, key, last);
    return at == SIZE_MAX ? STR_ABSENT : string_at(a, window, at);
}

#define KEY(name)             STR("\"" name "\":")
#define LAST(a, window, name) key_text(a, window, KEY(name), true)

static str either(str a, str b)
{
    return a.n ? a : b;
}

/* The line around `at`, whole or cut by the window. */
static str line_around(str window, size_t at)
{
    str before = str_first(window, at);
    size_t start = str_rfind(before, STR("\n")), end = str_find_byte(window, '\n', at);
    start = start == SIZE_MAX ? 0 : start + 1;
    return (str){window.p + start, (end == SIZE_MAX ? window.n : end) - start};
}

static bool has_flag(str line, const char *key)
{
    size_t n = strlen(key);
    for (size_t at = 0; (at = str_find(line, (str){key, n}, at)) != SIZE_MAX;) {
        at += n;
        if (str_starts(str_trim(str_first(str_from(line, at), 6)), STR("true"))) {
            return true;
        }
    }
    return false;
}

static bool is_user_line(str line)
{
    return str_has(line, STR("\"type\":\"user\"")) || str_has(line, STR("\"type\": \"user\""));
}

/* The next whole line of the head from *at. A line that the window cuts does not count, but for the file's
 * last one. */
static bool next_line(str window, size_t *at, bool whole_file, str *line)
{
    if (*at >= window.n) {
        return false;
    }
    size_t end = str_find_byte(window, '\n', *at);
    if (end == SIZE_MAX && !whole_file) {
        return false;
    }
    end = end == SIZE_MAX ? window.n : end;
    *line = (str){window.p + *at, end - *at};
    *at = end + 1;
    return true;
}

/* ---- The first prompt ---- */

bool utf16_cut(struct buf *out, str s, size_t max)
{
    size_t units = 0, at = 0;
    while (at < s.n) {
        size_t before = at;
        units += utf8_next(s, &at) > 0xFFFF ? 2 : 1;
        if (units > max) {
            buf_put(out, s.p, before);
            return true;
        }
    }
    buf_put_str(out, s);
    return false;
}

/* The length of a `<pasted_content id="12ab">` tag at `at`, or of its closing tag; 0 when there is none. */
static size_t pasted_tag(str s, size_t at)
{
    static const char open[] = "<pasted_content id=\"", close[] = "</pasted_content>";
    str rest = str_from(s, at);
    if (str_starts(rest, STR("</pasted_content>"))) {
        return sizeof(close) - 1;
    }
    size_t n = sizeof(open) - 1;
    if (!str_starts(rest, str_of(open)) || rest.n < n + 6 || !str_eq((str){rest.p + n + 4, 2}, STR("\">"))) {
        return 0;
    }
    for (size_t i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)rest.p[n + i])) {
            return 0;
        }
    }
    return n + 6;
}

/* The text with pasted parts in the place of their markers, without the line breaks around these. */
static void put_without_markers(struct buf *out, str s)
{
    for (size_t at = 0; at < s.n;) {
        size_t tag = s.p[at] == '<' ? pasted_tag(s, at) : 0;
        if (!tag) {
            buf_put_byte(out, s.p[at++]);
            continue;
        }
        for (int i = 0; i < 2 && out->n && out->p[out->n - 1] == '\n'; i++) {
            buf_truncate(out, out->n - 1);
        }
        at += tag;
        for (int i = 0; i < 2 && at < s.n && s.p[at] == '\n'; i++) {
            at++;
        }
    }
}

/* What stands between <tag> and </tag>. */
static str between(str s, const char *open, const char *close)
{
    size_t at = str_find(s, str_of(open), 0);
    if (at == SIZE_MAX) {
        return STR_ABSENT;
    }
    at += strlen(open);
    size_t end = str_find(s, str_of(close), at);
    return end == SIZE_MAX ? STR_ABSENT : (str){s.p + at, end - at};
}

/* The text begins with a tag, so that it is no person's. */
static bool is_tagged(str s)
{
    size_t at = 1;
    if (!s.p || s.n < 3 || s.p[0] != '<' || s.p[1] < 'a' || s.p[1] > 'z') {
        return false;
    }
    while (at < s.n && (isalnum((unsigned char)s.p[at]) || s.p[at] == '-' || s.p[at] == '_')) {
        at++;
    }
    return at < s.n && (s.p[at] == '>' || space_at(s, at));
}

struct first_prompt {
    struct arena *a;
    str title;   /* found */
    str command; /* of the first slash command */
    str mention; /* of the first mentioned file */
    str picture; /* "Image" or "Document": the first user record holds one */
    bool seen;   /* a user record came */
};

/* A slash command: its name, and what a person typed behind it. */
static str command_of(struct arena *a, str name, str text, bool human)
{
    size_t open = str_find(text, STR("<command-args>"), 0), end = str_rfind(text, STR("</command-args>"));
    if (!human || open == SIZE_MAX || end == SIZE_MAX || end < open) {
        return arena_str(a, name);
    }
    str args = space_trim(str_from(str_first(text, end), open + strlen("<command-args>")));
    return args.n ? arena_printf(a, "%.*s %.*s", STR_ARG(name), STR_ARG(args)) : arena_str(a, name);
}

/* What is known of the record that a text is from. */
struct prompt_record {
    bool typed; /* it is stored as a person typed it */
    bool human; /* a person is behind it */
};

static void keep_title(struct first_prompt *fp, str text)
{
    AUTO_BUF(cut);
    AUTO_BUF(title);
    bool more = utf16_cut(&cut, text, PROMPT_TITLE_MAX);
    buf_put_str(&title, space_trim(buf_str(&cut)));
    buf_put_c(&title, more ? "…" : "");
    fp->title = arena_buf(fp->a, &title);
}

/* A text of the CLI's own: true when it is no title. */
static bool consider_own(struct first_prompt *fp, str s, const struct prompt_record *rec)
{
    str command = between(s, "<command-name>", "</command-name>");
    str bash = between(s, "<bash-input>", "</bash-input>");
    if (command.p) {
        fp->command = fp->command.p ? fp->command : command_of(fp->a, command, s, rec->human);
        return true;
    }
    if (bash.p) {
        bash = space_trim(bash);
        fp->title = arena_printf(fp->a, "! %.*s", STR_ARG(bash));
        return true;
    }
    return is_tagged(s);
}

static void consider(struct first_prompt *fp, str text, const struct prompt_record *rec)
{
    AUTO_BUF(flat);
    AUTO_BUF(words);
    put_without_markers(&flat, text);
    for (size_t i = 0; i < flat.n; i++) {
        if (flat.p[i] == '\n') {
            flat.p[i] = ' ';
        }
    }
    str s = space_trim(buf_str(&flat));
    if (prompt_text_is_mark(text)) {
        str name = prompt_mark_name(text);
        fp->mention = fp->mention.p || !name.p ? fp->mention : arena_str(fp->a, name);
        return;
    }
    if (!s.n || !buf_ok(&flat) || (!rec->typed && consider_own(fp, s, rec)) ||
        str_starts(s, STR("[Request interrupted by user"))) {
        return;
    }
    if (rec->typed) {
        prompt_put_untagged(&words, s);
        s = space_trim(buf_str(&words));
    }
    if (s.n && buf_ok(&words)) {
        keep_title(fp, s);
    }
}

static void consider_line(struct first_prompt *fp, str line)
{
    if (!is_user_line(line) || str_has(line, STR("\"tool_result\"")) || has_flag(line, "\"isMeta\":") ||
        has_flag(line, "\"isCompactSummary\":")) {
        return;
    }
    AUTO_JSON(doc) = json_parse(line, NULL);
    json root = json_root(doc), content = json_path(root, "message", "content", NULL);
    struct prompt_record rec = {
        .typed = json_present(json_get(root, "promptSource")),
        .human = str_is(json_str(json_path(root, "origin", "kind", NULL)), "human"),
    };
    if (!str_is(json_str(json_get(root, "type")), "user")) {
        return;
    }
    if (json_is(content, JSON_STRING)) {
        consider(fp, json_str(content), &rec);
    }
    for (struct json_iter it = json_each(content);
         json_is(content, JSON_ARRAY) && !fp->title.n && json_next(&it);) {
        str type = json_str(json_get(it.value, "type"));
        if (str_is(type, "text")) {
            consider(fp, json_str(json_get(it.value, "text")), &rec);
        } else if (!fp->seen && !fp->picture.p) {
            fp->picture = str_is(type, "image")      ? STR("Image")
                          : str_is(type, "document") ? STR("Document")
                                                     : STR_ABSENT;
        }
    }
    fp->seen = true;
}

static str first_prompt(struct arena *a, str head, bool whole_file)
{
    struct first_prompt fp = {.a = a};
    str line;
    for (size_t at = 0; !fp.title.n && next_line(head, &at, whole_file, &line);) {
        consider_line(&fp, line);
    }
    return either(either(fp.title, fp.command), either(fp.mention, fp.picture));
}

/* The words of the last prompt in the window from `at` on; absent when none is there. */
static str last_words(struct arena *a, str window, size_t at)
{
    str words = STR_ABSENT, line;
    while (next_line(window, &at, true, &line)) {
        struct first_prompt fp = {.a = a, .seen = true};
        consider_line(&fp, line);
        words = either(either(fp.title, fp.command), either(fp.mention, words));
    }
    return words;
}

/* The last prompt. The CLI notes the first text of it, some time after it was sent: a prompt that was stored
 * since then counts more, and so do its words when the note is but the mark of a file. */
static str last_prompt(struct arena *a, str tail)
{
    size_t at = find_key(tail, KEY("lastPrompt"), true);
    if (at == SIZE_MAX) {
        return STR_ABSENT;
    }
    str newer = last_words(a, tail, at), noted = string_at(a, tail, at);
    if (newer.n) {
        return newer;
    }
    if (prompt_text_is_mark(noted)) {
        return last_words(a, tail, 0);
    }
    AUTO_BUF(words);
    prompt_put_untagged(&words, noted);
    return arena_buf(a, &words);
}

/* ---- Is it a session? ---- */

/* The first line, or the first user record, belongs to a worker. */
static bool is_workers(str head)
{
    str line;
    for (size_t at = 0; next_line(head, &at, true, &line);) {
        bool user = is_user_line(line);
        if (line.p == head.p || user) {
            if (has_flag(line, "\"isSidechain\":") ||
                (user && find_key(line, KEY("teamName"), false) != SIZE_MAX)) {
                return true;
            }
        }
        if (user) {
            break;
        }
    }
    return false;
}

/* The session that goes on with this one, unless this one went on itself. */
static void read_continued(struct summary *s, struct arena *a, str tail)
{
    size_t at = find_key(tail, KEY("continuedInSessionId"), true);
    str id = at == SIZE_MAX ? STR_ABSENT : string_at(a, tail, at), line;
    if (!id.p || !uuid_valid(id) || !str_has(line_around(tail, at), STR("continued-in"))) {
        return;
    }
    for (size_t next = at; next_line(tail, &next, true, &line);) {
        bool prompt =
            is_user_line(line) && !str_has(line, STR("\"tool_result\"")) && !has_flag(line, "\"isMeta\":");
        if (prompt || str_has(line, STR("\"stop_reason\":\"end_turn\""))) {
            return;
        }
    }
    memcpy(s->continued, id.p, UUID_LENGTH);
}

void summary_read(struct summary *s, struct arena *a, const struct summary_windows *w)
{
    str head = buf_str(&w->head), tail = buf_str(&w->tail);
    *s = (struct summary){.session = !is_workers(head)};
    if (!s->session) {
        return;
    }
    s->custom = LAST(a, tail, "customTitle");
    s->custom_head = LAST(a, head, "customTitle");
    s->generated = LAST(a, tail, "aiTitle");
    if (!s->generated.n) {
        s->generated = LAST(a, head, "aiTitle");
    }
    s->first_prompt = first_prompt(a, head, head.n < SUMMARY_WINDOW);
    s->fallback = either(either(last_prompt(a, tail), LAST(a, tail, "summary")), s->first_prompt);
    str name = LAST(a, tail, "agentName");
    s->name = either(name, LAST(a, head, "agentName"));
    str moved = LAST(a, tail, "relocatedCwd");
    s->cwd = either(either(moved, LAST(a, head, "relocatedCwd")), key_text(a, head, KEY("cwd"), false));
    read_continued(s, a, tail);
}

/* ---- Titles ---- */

static str sidecar_title(struct arena *a, str path)
{
    struct lines file;
    AUTO_BUF(text);
    str folder = str_first(path, path.n - (str_ends(path, STR(".jsonl")) ? 6 : 0));
    str side = path_join(a, folder, STR("custom-title.json"));
    if (!side.p || !lines_open(&file, side.p)) {
        return STR_ABSENT;
    }
    bool ok = file.size <= SIDECAR_FILE_MAX && lines_read_at(file.fd, 0, (size_t)file.size, &text);
    lines_close(&file);
    AUTO_JSON(doc) = ok ? json_parse(buf_str(&text), NULL) : NULL;
    str title = json_str(json_get(json_root(doc), "customTitle"));
    AUTO_BUF(clean);
    AUTO_BUF(cut);
    for (size_t i = 0; i < title.n; i++) {
        unsigned char c = (unsigned char)title.p[i];
        if (c >= 0x20 && c != 0x7F) {
            buf_put_byte(&clean, (char)c);
        }
    }
    utf16_cut(&cut, buf_str(&clean), SIDECAR_TITLE_MAX);
    str out = space_trim(buf_str(&cut));
    return out.n ? arena_str(a, out) : STR_ABSENT;
}

str summary_given_title(const struct summary *s, struct arena *a, str path)
{
    return s->custom.n ? s->custom : either(sidecar_title(a, path), s->custom_head);
}

str summary_title(const struct summary *s, struct arena *a, str path)
{
    return either(summary_given_title(s, a, path), either(s->generated, s->fallback));
}

void title_sanitize(struct buf *out, str title)
{
    AUTO_BUF(flat);
    space_squeeze(&flat, title);
    str s = buf_str(&flat);
    if (utf16_length(s) <= WIRE_TITLE_MAX) {
        buf_put_str(out, s);
        return;
    }
    utf16_cut(out, s, WIRE_TITLE_MAX - 1);
    buf_put_c(out, "…");
}

static const char mark[] = "[archived]";

bool title_is_archived(str title)
{
    str s = space_trim(title);
    return str_starts(s, str_of(mark)) && space_at(s, sizeof(mark) - 1) != 0;
}

str title_without_mark(str title)
{
    str s = space_trim(title);
    while (title_is_archived(s)) {
        s = space_trim(str_from(s, sizeof(mark) - 1));
    }
    return s;
}
