#include "report/facts.h"

const char *tool_kind_name(enum tool_kind kind)
{
    static const char *const names[KIND_COUNT] = {
        [KIND_OTHER] = "other",     [KIND_READ] = "read",
        [KIND_EDIT] = "edit",       [KIND_DELETE] = "delete",
        [KIND_MOVE] = "move",       [KIND_SEARCH] = "search",
        [KIND_EXECUTE] = "execute", [KIND_THINK] = "think",
        [KIND_FETCH] = "fetch",     [KIND_SWITCH_MODE] = "switch_mode",
    };
    return kind < KIND_COUNT ? names[kind] : "other";
}

void facts_begin(struct facts *f, struct arena *arena, enum fact_phase phase)
{
    *f = (struct facts){.arena = arena, .phase = phase, .kind = {-1, -1}};
}
