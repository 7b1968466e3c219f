#include "base/path.h"

#include <stdint.h>
#include <sys/stat.h>

str path_resolve(struct arena *a, str base, str path)
{
    AUTO_BUF(out);
    str parts[2] = {path_is_absolute(path) ? STR_ABSENT : base, path};
    for (size_t k = 0; k < 2; k++) {
        str rest = parts[k];
        while (rest.n) {
            size_t slash = str_find_byte(rest, '/', 0);
            str seg = str_first(rest, slash == SIZE_MAX ? rest.n : slash);
            rest = str_from(rest, slash == SIZE_MAX ? rest.n : slash + 1);
            if (seg.n == 0 || str_is(seg, ".")) {
                continue;
            }
            if (str_is(seg, "..")) {
                size_t up = str_rfind(buf_str(&out), STR("/"));
                buf_truncate(&out, up == SIZE_MAX ? 0 : up);
                continue;
            }
            buf_put_byte(&out, '/');
            buf_put_str(&out, seg);
        }
    }
    if (!out.n) {
        buf_put_byte(&out, '/');
    }
    return arena_buf(a, &out);
}

str path_basename(str p)
{
    size_t slash = str_rfind(p, STR("/"));
    return slash == SIZE_MAX ? p : str_from(p, slash + 1);
}

str path_dirname(str p)
{
    size_t slash = str_rfind(p, STR("/"));
    return slash == SIZE_MAX ? STR(".") : slash == 0 ? STR("/") : str_first(p, slash);
}

str path_join(struct arena *a, str dir, str name)
{
    bool slash = str_ends(dir, STR("/"));
    return arena_printf(a, "%.*s%s%.*s", STR_ARG(dir), slash ? "" : "/", STR_ARG(name));
}

bool path_within(str path, str dir)
{
    if (str_is(dir, "/")) {
        return path_is_absolute(path);
    }
    return str_starts(path, dir) && (path.n == dir.n || path.p[dir.n] == '/');
}

str path_display(struct arena *a, str path, str cwd, str process_cwd)
{
    if (str_empty(cwd)) {
        return path;
    }
    str file = path_resolve(a, process_cwd, path), base = path_resolve(a, process_cwd, cwd);
    if (str_eq(file, base)) {
        return STR("");
    }
    if (!str_is(base, "/") && path_within(file, base)) {
        return str_from(file, base.n + 1);
    }
    return path;
}

void path_make_folders(char *path)
{
    size_t n = strlen(path);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            char keep = path[i];
            path[i] = '\0';
            (void)mkdir(path, 0700);
            path[i] = keep;
        }
    }
}
