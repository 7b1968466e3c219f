/* What an edit looks like before it is approved, and after it has happened.
 *
 * Three forms of a change exist: an exact patch for AIR, the protocol's v2 diff, which names the operation
 * and may hold a patch, and the standard diff of two texts. */
#include "base/js_space.h"
#include "base/utf8.h"
#include "report/items.h"
#include "report/patch.h"
#include "report/patch_text.h"

/* ---- Blocks ------------------------------------------------------------------------------------------ */

static void put_standard_diff(struct buf *b, str path, str old_text, str new_text)
{
    json_open_object(b);
    json_member_c(b, "type", "diff");
    json_member_str(b, "path", path);
    json_key(b, "oldText");
    json_put_str(b, old_text);
    json_member_str(b, "newText", new_text);
    json_close_object(b);
}

void put_edit_diff(struct buf *b, const struct fact_edit *edit)
{
    bool has_old = !edit->write && edit->old_text.n > 0;
    str new_text = !edit->write && !edit->new_text.p ? STR("") : edit->new_text;
    put_standard_diff(b, edit->path, has_old ? edit->old_text : STR_ABSENT, new_text);
}

/* `patch`: its text, or absent for the change alone. */
static void put_v2_diff(struct buf *b, str path, bool created, str patch)
{
    json_open_object(b);
    json_member_c(b, "type", "diff");
    json_key(b, "changes");
    json_open_array(b);
    json_open_object(b);
    json_member_c(b, "operation", created ? "add" : "modify");
    json_member_str(b, "path", path);
    json_member_c(b, "fileType", "text");
    json_close_object(b);
    json_close_array(b);
    if (patch.p) {
        json_key(b, "patch");
        json_open_object(b);
        json_member_c(b, "format", "git_patch");
        json_member_str(b, "text", patch);
        json_close_object(b);
    }
    json_close_object(b);
}

static void put_air_patch(struct buf *b, str path, str patch)
{
    json_open_object(b);
    json_member_c(b, "type", "diff");
    json_member_str(b, "path", path);
    json_member_null(b, "oldText");
    json_member_c(b, "newText", ""); /* these two only satisfy the schema */
    json_put_raw(b, STR("\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"diffPatch\":"
                        "{\"version\":1,\"format\":\"git_patch\""));
    json_member_str(b, "text", patch);
    buf_put_c(b, "}}}}}");
}

/* The content with the exact patch from `old_text` (absent: created) to `new_text`; absent when there is
 * none. */
static str exact_content(struct arena *a, const struct client_capabilities *c, str path, str old_text,
                         str new_text, struct patch *patch)
{
    if (!patch_make(a, path, !is_v2(c), old_text, new_text, patch)) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    json_open_array(&b);
    if (is_v2(c)) {
        put_v2_diff(&b, path, !old_text.p, patch->text);
    } else {
        put_air_patch(&b, path, patch->text);
    }
    json_close_array(&b);
    return arena_buf(a, &b);
}

/* ---- Before ------------------------------------------------------------------------------------------ */

/* An edit without an old text makes the file; it may exist with white space in it. A byte order mark, whose
 * fate is Claude's secret, must not be there. */
static bool may_be_filled(const struct file_source *source)
{
    str text = buf_str(&source->text);
    return source->state == SOURCE_MISSING ||
           (space_trim(text).n == 0 && !str_has(text, STR("\xEF\xBB\xBF")));
}

static size_t count_occurrences(str text, str what)
{
    size_t n = 0;
    for (size_t at = 0; (at = str_find(text, what, at)) != SIZE_MAX; at += what.n) {
        n++;
    }
    return n;
}

/* Replaces the first occurrence of `what`, or all of them. */
static void put_replaced(struct buf *b, str text, str what, str with, bool all)
{
    size_t from = 0;
    for (size_t at; (at = str_find(text, what, from)) != SIZE_MAX; from = at + what.n) {
        buf_put(b, text.p + from, at - from);
        buf_put_str(b, with);
        if (!all) {
            from = at + what.n;
            break;
        }
    }
    buf_put_str(b, str_from(text, from));
}

/* What of the file is replaced: an edit that leaves nothing of a line takes its line break too. */
static str edit_target(struct arena *a, str text, const struct fact_edit *edit)
{
    str old_text = edit->old_text;
    if (edit->new_text.n || old_text.p[old_text.n - 1] == '\n') {
        return old_text;
    }
    char *line = arena_alloc(a, old_text.n + 1);
    if (!line) {
        return old_text;
    }
    memcpy(line, old_text.p, old_text.n);
    line[old_text.n] = '\n';
    str with_break = {line, old_text.n + 1};
    return str_has(text, with_break) ? with_break : old_text;
}

static str preview_replacement(struct arena *a, const struct client_capabilities *c,
                               const struct fact_edit *edit, str path, const struct file_source *source)
{
    struct patch patch;
    str text = source->state == SOURCE_TEXT ? buf_str(&source->text) : STR_ABSENT;
    if (source->state == SOURCE_UNUSABLE || !edit->new_text.p || str_eq(edit->old_text, edit->new_text) ||
        !patch_text_fits(edit->new_text)) {
        return STR_ABSENT;
    }
    if (edit->old_text.n == 0) {
        return may_be_filled(source) ? exact_content(a, c, path, text, edit->new_text, &patch) : STR_ABSENT;
    }
    size_t found = text.p ? count_occurrences(text, edit->old_text) : 0;
    if (found == 0 || (found > 1 && !edit->replace_all)) {
        return STR_ABSENT;
    }
    size_t growth = edit->new_text.n > edit->old_text.n ? edit->new_text.n - edit->old_text.n : 0;
    if (text.n > PATCH_TEXT_MAX || (growth && found > (PATCH_TEXT_MAX - text.n) / growth)) {
        return STR_ABSENT;
    }
    AUTO_BUF(b);
    put_replaced(&b, text, edit_target(a, text, edit), edit->new_text, edit->replace_all);
    return buf_ok(&b) ? exact_content(a, c, path, text, buf_str(&b), &patch) : STR_ABSENT;
}

/* The file cannot be shown: a text says so. */
static void put_notice(struct buf *b, str path)
{
    AUTO_BUF(text);
    buf_put_c(&text, "Overwrites the existing file `");
    buf_put_str(&text, path);
    buf_put_c(&text, "`. The adapter cannot show its current content.");
    put_built_text(b, &text);
}

/* A write in the protocol's form: two texts, or in v2 that it happens. */
static str whole_write(struct arena *a, const struct client_capabilities *c, const struct fact_edit *edit,
                       str path, str text)
{
    AUTO_BUF(b);
    json_open_array(&b);
    if (is_v2(c)) {
        put_v2_diff(&b, path, !text.p, STR_ABSENT);
    } else {
        put_standard_diff(&b, edit->path, text, edit->new_text);
    }
    json_close_array(&b);
    return arena_buf(a, &b);
}

static str write_notice(struct arena *a, const struct fact_edit *edit)
{
    AUTO_BUF(b);
    json_open_array(&b);
    put_notice(&b, edit->path);
    json_close_array(&b);
    return arena_buf(a, &b);
}

static str preview_write(struct arena *a, const struct client_capabilities *c, const struct fact_edit *edit,
                         str path, const struct file_source *source, bool *textless)
{
    str text = source->state == SOURCE_TEXT ? buf_str(&source->text) : STR_ABSENT;
    if (!edit->new_text.p) {
        return STR_ABSENT;
    }
    if (source->state == SOURCE_UNUSABLE) {
        *textless = true;
        return write_notice(a, edit);
    }
    bool changes = !text.p || !str_eq(text, edit->new_text);
    if (changes && patch_text_fits(edit->new_text)) {
        struct patch patch;
        str exact = exact_content(a, c, path, text, edit->new_text, &patch);
        if (exact.p) {
            return exact;
        }
    }
    *textless = is_v2(c); /* its diff has no texts */
    return changes || !is_v2(c) ? whole_write(a, c, edit, path, text) : STR_ABSENT;
}

str preview_content(struct arena *a, const struct client_capabilities *c, const struct fact_edit *edit,
                    str path, const struct file_source *source, bool *textless)
{
    *textless = false;
    if (!client_wants_patches(c)) {
        return STR_ABSENT;
    }
    str content = edit->write ? preview_write(a, c, edit, path, source, textless)
                              : preview_replacement(a, c, edit, path, source);
    /* a v2 call shows no snippet of its own */
    *textless = *textless || (!content.p && is_v2(c));
    return content;
}

/* ---- After ------------------------------------------------------------------------------------------- */

/* A report that tells nothing of what happened: an edit of an empty file may have made it or filled it, and a
 * write of the text that was there changed nothing. */
static bool says_nothing(const struct fact_file_change *change)
{
    if (change->kind == CHANGE_EDITED) {
        return change->old_text.p && change->old_text.n == 0;
    }
    return change->kind == CHANGE_UPDATED && change->new_text.p && change->old_text.p &&
           str_eq(change->old_text, change->new_text);
}

bool final_change_needs_source(const struct client_capabilities *c, const struct fact_file_change *change)
{
    return change->stated && client_wants_patches(c) && !says_nothing(change) &&
           (change->kind == CHANGE_CREATED || (change->old_text.p && change->old_text.n <= PATCH_TEXT_MAX));
}

static str file_location(struct arena *a, str path)
{
    AUTO_BUF(b);
    json_open_array(&b);
    put_location(&b, path, -1);
    json_close_array(&b);
    return arena_buf(a, &b);
}

static str patch_locations(struct arena *a, str path, const struct patch *patch)
{
    AUTO_BUF(b);
    json_open_array(&b);
    for (const struct patch_line *l = patch->lines; l; l = l->next) {
        put_location(&b, path, l->line);
    }
    json_close_array(&b);
    return arena_buf(a, &b);
}

/* The change as the disk shows it; false when it cannot be told exactly. */
static bool exact_change(struct arena *a, const struct client_capabilities *c,
                         const struct fact_file_change *change, str path, const struct file_source *source,
                         str *content, str *locations)
{
    if (!source || source->state != SOURCE_TEXT || !final_change_needs_source(c, change)) {
        return false;
    }
    bool created = change->kind == CHANGE_CREATED;
    str text = buf_str(&source->text);
    if (str_starts(text, STR("\xEF\xBB\xBF")) ||
        (created && !(change->new_text.p && str_eq(text, change->new_text)))) {
        return false;
    }
    struct patch patch;
    *content = exact_content(a, c, path, created ? STR_ABSENT : change->old_text, text, &patch);
    if (content->p) {
        *locations = created ? file_location(a, path) : patch_locations(a, path, &patch);
    }
    return content->p != NULL;
}

/* A number of a hunk; `none` when it is not there or makes no sense. */
static int64_t hunk_number(json hunk, const char *key, int64_t none)
{
    int64_t n = json_int_or(json_get(hunk, key), none);
    return n < 0 ? none : n;
}

/* The two sides of a hunk that Claude made for display, without marks. */
static void split_hunk(json hunk, struct buf *old_text, struct buf *new_text, bool *empty)
{
    bool old_begun = false, new_begun = false;
    for (struct json_iter it = json_each(json_get(hunk, "lines")); json_next(&it);) {
        str line = json_str(it.value);
        if (!line.p || str_is(line, PATCH_NO_NEWLINE)) {
            continue;
        }
        char mark = ' ';
        size_t at = 0;
        if (line.n) {
            mark = line.p[0];
            utf8_next(line, &at); /* a mark is a character, whatever it is */
        }
        str rest = {line.p + at, line.n - at};
        if (mark != '+') {
            buf_put_c(old_text, old_begun ? "\n" : "");
            buf_put_str(old_text, rest);
            old_begun = true;
        }
        if (mark != '-') {
            buf_put_c(new_text, new_begun ? "\n" : "");
            buf_put_str(new_text, rest);
            new_begun = true;
        }
    }
    *empty = !old_begun && !new_begun;
}

/* The standard diffs of Claude's hunks; how many. */
static size_t put_standard_hunks(struct buf *content, struct buf *locations, str path, json hunks)
{
    AUTO_BUF(old_text);
    AUTO_BUF(new_text);
    size_t n = 0;
    for (struct json_iter it = json_each(hunks); json_next(&it);) {
        bool empty;
        buf_clear(&old_text);
        buf_clear(&new_text);
        split_hunk(it.value, &old_text, &new_text, &empty);
        if (empty) {
            continue;
        }
        content->failed = content->failed || !buf_ok(&old_text) || !buf_ok(&new_text);
        put_standard_diff(content, path, old_text.n ? buf_str(&old_text) : STR_ABSENT, buf_str(&new_text));
        put_location(locations, path, hunk_number(it.value, "newStart", -1));
        n++;
    }
    return n;
}

/* A file that was written as a whole without hunks: its texts, or a line about what is too large. */
static void put_whole_update(struct buf *b, const struct fact_file_change *change, str path)
{
    if (change->old_text.p) {
        put_standard_diff(b, path, change->old_text, change->new_text);
        return;
    }
    AUTO_BUF(text);
    buf_put_c(&text, "Updated `");
    buf_put_str(&text, path);
    buf_put_c(&text, "` (previous content too large to diff)");
    put_built_text(b, &text);
}

static void standard_change(struct arena *a, const struct fact_file_change *change, str path, str *content,
                            str *locations)
{
    if (!json_is(change->hunks, JSON_ARRAY)) {
        return;
    }
    AUTO_BUF(diffs);
    AUTO_BUF(places);
    json_open_array(&diffs);
    json_open_array(&places);
    size_t n = put_standard_hunks(&diffs, &places, path, change->hunks);
    if (!n && change->kind == CHANGE_UPDATED && change->new_text.p) {
        put_whole_update(&diffs, change, path);
        put_location(&places, path, -1);
        n = 1;
    }
    json_close_array(&diffs);
    json_close_array(&places);
    if (n) {
        *content = arena_buf(a, &diffs);
        *locations = arena_buf(a, &places);
    }
}

static void created_change(struct arena *a, const struct fact_file_change *change, str path, str *content,
                           str *locations)
{
    AUTO_BUF(b);
    json_open_array(&b);
    put_standard_diff(&b, path, STR_ABSENT, change->new_text);
    json_close_array(&b);
    *content = arena_buf(a, &b);
    *locations = file_location(a, path);
}

/* Claude's hunks as patch text: good enough to look at. Their starts in the new file become the locations. */
static bool put_display_patch(struct buf *patch, struct buf *locations, str path, json hunks)
{
    patch_put_header(patch, path, false, false);
    size_t n = 0;
    for (struct json_iter it = json_each(hunks); json_next(&it);) {
        int64_t new_start = hunk_number(it.value, "newStart", -1);
        if (!json_is(json_get(it.value, "lines"), JSON_ARRAY) || new_start < 0) {
            continue;
        }
        patch_put_hunk_header(patch, hunk_number(it.value, "oldStart", 0),
                              hunk_number(it.value, "oldLines", 0), new_start,
                              hunk_number(it.value, "newLines", 0));
        for (struct json_iter line = json_each(json_get(it.value, "lines")); json_next(&line);) {
            buf_put_str(patch, json_str(line.value));
            buf_put_byte(patch, '\n');
        }
        put_location(locations, path, new_start);
        n++;
    }
    return n > 0;
}

static void v2_change(struct arena *a, const struct fact_file_change *change, str path, str *content,
                      str *locations)
{
    if (says_nothing(change)) {
        return;
    }
    bool created = change->kind == CHANGE_CREATED, patched = false;
    AUTO_BUF(patch);
    AUTO_BUF(places);
    AUTO_BUF(b);
    json_open_array(&places);
    if (created && change->new_text.n && patch_text_fits(change->new_text)) {
        patch_put_header(&patch, path, false, true);
        patch_put_whole_file(&patch, change->new_text);
        patched = true;
    } else if (!created) {
        patched = put_display_patch(&patch, &places, path, change->hunks);
    }
    if (created || !patched) {
        put_location(&places, path, -1);
    }
    json_close_array(&places);
    json_open_array(&b);
    put_v2_diff(&b, path, created, patched ? buf_str(&patch) : STR_ABSENT);
    json_close_array(&b);
    if (buf_ok(&patch)) {
        *content = arena_buf(a, &b);
        *locations = arena_buf(a, &places);
    }
}

void final_change(struct arena *a, const struct client_capabilities *c, const struct fact_file_change *change,
                  str path, const struct file_source *source, str *content, str *locations)
{
    *content = *locations = STR_ABSENT;
    if (!change->stated || exact_change(a, c, change, path, source, content, locations)) {
        return;
    }
    if (is_v2(c)) {
        v2_change(a, change, path, content, locations);
    } else if (c->air_diff_patch && change->kind == CHANGE_CREATED && change->new_text.p) {
        created_change(a, change, path, content, locations);
    } else {
        standard_change(a, change, path, content, locations);
    }
}
