#include "history/child_files.h"

#include <dirent.h>

#include "history/lines.h"
#include "json/json.h"

static const str AGENT = STR_INIT("agent-"), META = STR_INIT(".meta.json");

static str keep(struct child_files *cf, json v)
{
    str text = str_trim(json_text(v));
    return text.n ? arena_str(&cf->mem, text) : STR_ABSENT;
}

/* Reads a meta file; appends the id of the tool call that it names. */
static void read_meta(struct child_files *cf, const char *path, struct child_file *file, struct buf *call)
{
    struct lines l;
    if (!lines_open(&l, path)) {
        return;
    }
    AUTO_BUF(text);
    bool whole = l.size <= CHILD_META_MAX && lines_read_at(l.fd, 0, (size_t)l.size, &text);
    AUTO_JSON(doc) = whole ? json_parse(buf_str(&text), NULL) : NULL;
    json meta = json_root(doc);
    buf_put_str(call, json_str(json_get(meta, "toolUseId")));
    file->name = keep(cf, json_get(meta, "name"));
    file->type = keep(cf, json_get(meta, "agentType"));
    file->description = keep(cf, json_get(meta, "description"));
    lines_close(&l);
}

static void add(struct child_files *cf, str folder, str name)
{
    AUTO_BUF(call);
    str meta = arena_printf(&cf->mem, "%.*s/%.*s", STR_ARG(folder), STR_ARG(name));
    str transcript = arena_printf(&cf->mem, "%.*s.jsonl", STR_ARG(str_first(meta, meta.n - META.n)));
    struct child_file *file = arena_alloc(&cf->mem, sizeof(*file));
    if (!arena_ok(&cf->mem)) {
        return;
    }
    *file = (struct child_file){
        .path = transcript.p,
        .agent = arena_str(&cf->mem, str_from(str_first(name, name.n - META.n), AGENT.n)),
    };
    read_meta(cf, meta.p, file, &call);
    if (call.n && buf_ok(&call) && arena_ok(&cf->mem) && !map_get(&cf->by_call, buf_str(&call)) &&
        !map_put(&cf->by_call, buf_str(&call), file, NULL)) {
        return; /* memory is out: it is not shown */
    }
}

void child_files_find(struct child_files *cf, const char *transcript)
{
    *cf = (struct child_files){0};
    str path = str_of(transcript);
    size_t suffix = str_ends(path, STR(".jsonl")) ? STR(".jsonl").n : 0;
    str folder = arena_printf(&cf->mem, "%.*s/subagents", STR_ARG(str_first(path, path.n - suffix)));
    DIR *dir = arena_ok(&cf->mem) ? opendir(folder.p) : NULL;
    struct dirent *entry;
    for (unsigned n = 0; dir && n < CHILD_FILES_MAX && (entry = readdir(dir)); n++) {
        str name = str_of(entry->d_name);
        if (name.n >= AGENT.n + META.n && str_starts(name, AGENT) && str_ends(name, META)) {
            add(cf, folder, name);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

void child_files_free(struct child_files *cf)
{
    map_free(&cf->by_call, NULL);
    arena_free(&cf->mem);
}

static struct child_file *find(const struct child_files *cf, str call)
{
    return call.p ? map_get(&cf->by_call, call) : NULL;
}

const struct child_file *child_files_of(const struct child_files *cf, str call)
{
    return find(cf, call);
}

const char *child_files_take(struct child_files *cf, str call)
{
    struct child_file *file = find(cf, call);
    if (!file || file->taken) {
        return NULL;
    }
    file->taken = true;
    return file->path;
}
