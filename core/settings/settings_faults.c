#include "settings/settings_faults.h"

#include "base/path.h"
#include "base/utf8.h"

enum {
    ERRORS_MAX = 64, /* of the CLI's list */
    KEYS_TOLD = 5,   /* of one file */
    TOLD_MAX = 300,  /* bytes of one key or reason */
};

void settings_faults_free(struct settings_faults *f)
{
    arena_free(&f->mem);
    *f = (struct settings_faults){.n = 0};
}

/* The CLI keeps in a file of its own what it got with --settings. */
static bool is_request(str file)
{
    return str_starts(path_basename(file), STR("claude-settings-"));
}

/* As much of a text as is told, on one line: names in a file can be anything. */
static str tame(struct arena *a, str text)
{
    AUTO_BUF(b);
    str start = str_first(text, TOLD_MAX);
    start = str_first(start, utf8_valid_until(start));
    for (size_t i = 0; i < start.n; i++) {
        char c = start.p[i];
        if ((c >= '\0' && c < ' ') || c == 0x7F) {
            c = ' ';
        }
        buf_put_byte(&b, c);
    }
    return arena_buf(a, &b);
}

static void add(struct settings_faults *f, str file, str key, str why)
{
    f->list[f->n++] =
        (struct settings_fault){arena_str(&f->mem, file), tame(&f->mem, key), tame(&f->mem, why)};
}

bool settings_faults_take(struct settings_faults *f, json errors, const struct settings *own, bool asked)
{
    size_t n = 0;
    const struct settings_fault *seen = own ? settings_faults(own, &n) : NULL;

    settings_faults_free(f);
    f->list = arena_alloc(&f->mem, (ERRORS_MAX + n) * sizeof *f->list);
    if (!f->list) {
        return false;
    }
    bool request = false;
    for (struct json_iter it = json_each(errors);
         json_is(errors, JSON_ARRAY) && f->n < ERRORS_MAX && json_next(&it);) {
        str file = json_text(json_get(it.value, "file"));
        if (file.p && asked && is_request(file)) {
            request = true;
            file = STR("_meta.claudeCode.options.settings");
        }
        if (file.p) {
            add(f, file, json_str(json_get(it.value, "path")), json_str(json_get(it.value, "message")));
        }
    }
    for (size_t i = 0; i < n; i++) {
        add(f, seen[i].file, seen[i].key, seen[i].why);
    }
    if (!arena_ok(&f->mem)) {
        settings_faults_free(f);
    }
    return request;
}

/* The file by what it is: a path may say more of a machine than a record should. */
static str name_of(struct arena *a, str file, const struct settings_place *place)
{
    str base = path_basename(file);
    return path_within(file, place->cwd) ? path_display(a, file, place->cwd, STR_ABSENT)
           : place->home.n && path_within(file, place->home)
               ? arena_printf(a, "~/%.*s", STR_ARG(path_display(a, file, place->home, STR_ABSENT)))
               : base;
}

/* "permissions.defaultMode (why), model (why) and 2 more". */
static void put_keys(struct buf *b, const struct settings_fault *list, size_t n)
{
    for (size_t i = 0; i < n && i < KEYS_TOLD; i++) {
        buf_put_c(b, i ? "; " : "");
        buf_put_str(b, list[i].key);
        buf_put_c(b, list[i].key.n ? ": " : "");
        buf_put_str(b, list[i].why);
    }
    if (n > KEYS_TOLD) {
        buf_printf(b, "; and %zu more", n - KEYS_TOLD);
    }
}

void settings_faults_put(struct buf *b, struct settings_faults *f, const struct settings_fault *list,
                         size_t n, const struct settings_place *place)
{
    buf_put_str(b, place ? name_of(&f->mem, list->file, place) : list->file);
    buf_put_c(b, " does not count, as Claude Code does not accept it (");
    put_keys(b, list, n);
    buf_put_c(b, "). It counts as a whole again once that is corrected.");
}
