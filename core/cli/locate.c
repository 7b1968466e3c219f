#include "cli/locate.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

static const char PROGRAM[] = "claude";

/* Where the installers put it when the folder is not on PATH (an editor started from a desktop has a short
 * one). */
static const struct {
    bool in_home;
    const char *folder;
} well_known[] = {
    {true, ".local/bin"},
    {true, ".claude/local"},
    {false, "/usr/local/bin"},
    {false, "/opt/homebrew/bin"},
};

/* The program of this name in `folder`, when it is a file that we may run; else absent. A relative folder
 * would mean another one for each session and is not looked into. */
static str in_folder(struct arena *a, str folder, str name)
{
    struct stat st;
    if (!path_is_absolute(folder)) {
        return STR_ABSENT;
    }
    str path = path_join(a, folder, name);
    bool found = path.p && stat(path.p, &st) == 0 && S_ISREG(st.st_mode) && access(path.p, X_OK) == 0;
    return found ? path : STR_ABSENT;
}

/* Takes the first entry off a list of folders. */
static str next_entry(str *list)
{
    size_t colon = str_find_byte(*list, ':', 0);
    str entry = str_first(*list, colon);

    *list = str_from(*list, colon == SIZE_MAX ? list->n : colon + 1);
    return entry;
}

static str on_search_path(struct arena *a, str list, str name)
{
    while (list.n) {
        str found = in_folder(a, next_entry(&list), name);
        if (found.p) {
            return found;
        }
    }
    return STR_ABSENT;
}

str cli_safe_search_path(struct arena *a, str list)
{
    AUTO_BUF(kept);
    bool whole = !list.n || list.p[list.n - 1] != ':'; /* an empty entry at the end */

    while (list.n) {
        str entry = next_entry(&list);
        if (!path_is_absolute(entry)) {
            whole = false;
            continue;
        }
        buf_put_c(&kept, kept.n ? ":" : "");
        buf_put_str(&kept, entry);
    }
    return whole ? STR_ABSENT : kept.n || kept.failed ? arena_buf(a, &kept) : STR("/usr/bin:/bin");
}

static str well_known_folder(struct arena *a, str home)
{
    for (size_t i = 0; i < ARRAY_LEN(well_known); i++) {
        str folder = str_of(well_known[i].folder);
        if (well_known[i].in_home) {
            folder = str_empty(home) ? STR_ABSENT : path_join(a, home, folder);
        }
        str found = in_folder(a, folder, str_of(PROGRAM));
        if (found.p) {
            return found;
        }
    }
    return STR_ABSENT;
}

/* What the variable names. */
static struct cli_location named_program(struct arena *a, str named)
{
    static const char variable[] = "CLAUDE_CODE_EXECUTABLE";
    struct cli_location where = {.source = variable};

    if (path_is_absolute(named)) {
        where.path = arena_str(a, named);
    } else if (str_find_byte(named, '/', 0) != SIZE_MAX) {
        where.problem =
            arena_printf(a,
                         "%s is the relative path %.*s, which an opened folder could supply. Set it "
                         "to an absolute path, or to the name of a program on PATH",
                         variable, STR_ARG(named));
    } else {
        where.path = on_search_path(a, str_of(getenv("PATH")), named);
        where.problem = where.path.p ? STR_ABSENT
                                     : arena_printf(a, "%s is %.*s, and PATH has no program of that name",
                                                    variable, STR_ARG(named));
    }
    return where;
}

struct cli_location cli_locate(struct arena *a, str self, str home)
{
    str named = str_of(getenv("CLAUDE_CODE_EXECUTABLE"));
    if (named.n) {
        return named_program(a, named);
    }
    str found = path_is_absolute(self) ? in_folder(a, path_dirname(self), str_of(PROGRAM)) : STR_ABSENT;
    if (found.p) {
        return (struct cli_location){.path = found, .source = "beside herald"};
    }
    found = on_search_path(a, str_of(getenv("PATH")), str_of(PROGRAM));
    if (found.p) {
        return (struct cli_location){.path = found, .source = "PATH"};
    }
    found = well_known_folder(a, home);
    if (found.p) {
        return (struct cli_location){.path = found, .source = "well-known folder"};
    }
    return (struct cli_location){
        .problem =
            STR("No claude executable was found. Install Claude Code, or set CLAUDE_CODE_EXECUTABLE to "
                "where it is")};
}
