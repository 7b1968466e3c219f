#include "history/child_files.h"

#include <dirent.h>

#include "history/lines.h"
#include "json/json.h"

static const str META = STR_INIT(".meta.json");

/* Appends the id of the tool call that a meta file names. */
static void read_call(const char *path, struct buf *out)
{
    struct lines l;
    if (!lines_open(&l, path)) {
        return;
    }
    AUTO_BUF(text);
    bool whole = l.size <= CHILD_META_MAX && lines_read_at(l.fd, 0, (size_t)l.size, &text);
    AUTO_JSON(doc) = whole ? json_parse(buf_str(&text), NULL) : NULL;
    buf_put_str(out, json_str(json_get(json_root(doc), "toolUseId")));
    lines_close(&l);
}

static void add(struct child_files *cf, str folder, str name)
{
    AUTO_BUF(call);
    str meta = arena_printf(&cf->mem, "%.*s/%.*s", STR_ARG(folder), STR_ARG(name));
    str transcript = arena_printf(&cf->mem, "%.*s.jsonl", STR_ARG(str_first(meta, meta.n - META.n)));
    if (!arena_ok(&cf->mem)) {
        return;
    }
    read_call(meta.p, &call);
    if (call.n && buf_ok(&call) && !map_get(&cf->by_call, buf_str(&call)) &&
        !map_put(&cf->by_call, buf_str(&call), (void *)(uintptr_t)transcript.p, NULL)) {
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
        if (str_starts(name, STR("agent-")) && str_ends(name, META)) {
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

const char *child_files_take(struct child_files *cf, str call)
{
    return call.p ? map_remove(&cf->by_call, call) : NULL;
}
