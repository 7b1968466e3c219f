#include "command/command.h"

enum style { STYLE_TEXT, STYLE_JSON, STYLE_NAMES };

struct listing {
    FILE *out;
    enum style style;
    struct buf json; /* of STYLE_JSON */
    size_t count;
};

static const char *state_of(const struct reporter_row *row)
{
    return !row->refused ? "loaded" : row->superseded ? "superseded" : row->crashed ? "crashed" : "refused";
}

/* A path must not play tricks on a terminal. */
static void put_path(FILE *out, const char *path)
{
    for (; *path; path++) {
        putc((unsigned char)*path < 0x20 || *path == 0x7F ? '?' : *path, out);
    }
}

static void list_text(FILE *out, const struct reporter_row *row)
{
    fprintf(out, "%-10s  %-8s  ", state_of(row), row->origin);
    if (row->id) {
        fprintf(out, "%s %s  ", row->id, row->version);
    }
    put_path(out, row->file);
    for (const char *const *tool = row->tools; tool && *tool; tool++) {
        fprintf(out, "%s%s", tool == row->tools ? "  " : ", ", *tool);
    }
    fprintf(out, "%s%s\n", row->refused ? ": " : "", row->refused ? row->refused : "");
}

static void list_json(struct buf *b, const struct reporter_row *row)
{
    json_open_object(b);
    json_member_c(b, "file", row->file);
    json_member_c(b, "origin", row->origin);
    json_member_c(b, "state", state_of(row));
    if (row->id) {
        json_member_c(b, "id", row->id);
        json_member_c(b, "version", row->version);
    }
    if (row->tools) {
        json_key(b, "tools");
        json_open_array(b);
        for (const char *const *tool = row->tools; *tool; tool++) {
            json_put_c(b, *tool);
        }
        json_close_array(b);
    }
    if (row->refused) {
        json_member_c(b, "reason", row->refused);
    }
    json_close_object(b);
}

static void list_row(void *user, const struct reporter_row *row)
{
    struct listing *l = user;
    const char *base = strrchr(row->file, '/');
    l->count++;
    switch (l->style) {
    case STYLE_TEXT:
        list_text(l->out, row);
        break;
    case STYLE_JSON:
        list_json(&l->json, row);
        break;
    case STYLE_NAMES:
        put_path(l->out, base ? base + 1 : row->file);
        putc('\n', l->out);
        break;
    }
}

static void put_folders(const struct command_context *cx)
{
    const struct standard_dirs *d = cx->dirs;
    fprintf(cx->out, "No reporter plugin was found. These folders are looked into:\n");
    fprintf(cx->out, "  built-in  %s\n  system    %s\n", d->builtin_reporters, d->system_reporters);
    fprintf(cx->out, "  user      %s\n",
            d->user_reporters ? d->user_reporters : "none, there is no home folder");
    if (d->extra_reporters) {
        fprintf(cx->out, "  path      %s\n", d->extra_reporters);
    }
}

static int list(struct reporter_host *host, enum style style, const struct command_context *cx)
{
    struct listing l = {.out = cx->out, .style = style};
    if (style == STYLE_JSON) {
        json_open_object(&l.json);
        json_key(&l.json, "reporters");
        json_open_array(&l.json);
    }
    reporter_host_list(host, list_row, &l);
    if (style == STYLE_JSON) {
        json_close_array(&l.json);
        json_close_object(&l.json);
        buf_put_byte(&l.json, '\n');
        fwrite(buf_str(&l.json).p, 1, l.json.n, cx->out);
    } else if (style == STYLE_TEXT && l.count == 0) {
        put_folders(cx);
    }
    bool ok = buf_ok(&l.json) && fflush(cx->out) == 0;
    buf_free(&l.json);
    return ok ? 0 : 1;
}

static int enable(struct reporter_host *host, const char *file, const struct command_context *cx)
{
    const char *why;
    if (!reporter_host_enable(host, str_of(file), &why)) {
        fprintf(cx->err, "herald: %s: %s; herald reporters lists the files\n", file, why);
        return 1;
    }
    fprintf(cx->out, "%s is tried again at the next start\n", file);
    return fflush(cx->out) ? 1 : 0;
}

static int usage(const struct command_context *cx)
{
    fprintf(cx->err, "usage: herald reporters [--json | --names | --enable FILE]\n");
    return 2;
}

int command_reporters(int argc, char **argv, const struct command_context *cx)
{
    enum style style = STYLE_TEXT;
    const char *file = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            style = STYLE_JSON;
        } else if (strcmp(argv[i], "--names") == 0) {
            style = STYLE_NAMES;
        } else if (strcmp(argv[i], "--enable") == 0 && i + 1 < argc) {
            file = argv[++i];
        } else {
            return usage(cx);
        }
    }
    struct reporter_dirs dirs = command_reporter_dirs(cx->dirs);
    reporter_host_install_crash_handler(); /* opening a plugin runs code of it */
    struct reporter_host *host = reporter_host_new(&dirs, NULL);
    if (!host) {
        fprintf(cx->err, "herald: memory is out\n");
        return 1;
    }
    int code = file ? enable(host, file, cx) : list(host, style, cx);
    reporter_host_free(host);
    return code;
}
