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

/* The program in `folder`, when it is a file that we may run; else absent. A relative folder would mean
 * another one for each session and is not looked into. */
static str in_folder(struct arena *a, str folder)
{
    struct stat st;
    if (!path_is_absolute(folder)) {
        return STR_ABSENT;
    }
    str path = path_join(a, folder, str_of(PROGRAM));
    bool found = path.p && stat(path.p, &st) == 0 && S_ISREG(st.st_mode) && access(path.p, X_OK) == 0;
    return found ? path : STR_ABSENT;
}

static str on_search_path(struct arena *a, str list)
{
    while (list.n) {
        size_t colon = str_find_byte(list, ':', 0);
        str found = in_folder(a, str_first(list, colon));
        if (found.p) {
            return found;
        }
        list = str_from(list, colon == SIZE_MAX ? list.n : colon + 1);
    }
    return STR_ABSENT;
}

static str well_known_folder(struct arena *a, str home)
{
    for (size_t i = 0; i < ARRAY_LEN(well_known); i++) {
        str folder = str_of(well_known[i].folder);
        if (well_known[i].in_home) {
            folder = str_empty(home) ? STR_ABSENT : path_join(a, home, folder);
        }
        str found = in_folder(a, folder);
        if (found.p) {
            return found;
        }
    }
    return STR_ABSENT;
}

struct cli_location cli_locate(struct arena *a, str self, str home)
{
    str named = str_of(getenv("CLAUDE_CODE_EXECUTABLE"));
    if (named.n) {
        return (struct cli_location){arena_str(a, named), "CLAUDE_CODE_EXECUTABLE"};
    }
    str found = path_is_absolute(self) ? in_folder(a, path_dirname(self)) : STR_ABSENT;
    if (found.p) {
        return (struct cli_location){found, "beside herald"};
    }
    found = on_search_path(a, str_of(getenv("PATH")));
    if (found.p) {
        return (struct cli_location){found, "PATH"};
    }
    found = well_known_folder(a, home);
    return (struct cli_location){found, found.p ? "well-known folder" : NULL};
}
