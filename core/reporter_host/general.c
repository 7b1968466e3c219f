#include "reporter_host/general.h"
#include "report/blocks.h"

void general_report(const struct reporter_call *call, struct facts *f)
{
    facts_begin(f, f->arena, f->phase);
    f->general = true;
    for (enum fact_form form = FORM_FACT; form < FORM_COUNT; form++) {
        if (f->phase == PHASE_USE) {
            f->title[form] = call->tool;
            f->kind[form] = KIND_OTHER;
        } else if (f->phase == PHASE_RESULT) {
            facts_add_result(f->arena, &f->content[form], call->result, call->is_error);
        }
    }
}

void general_mcp(const struct reporter_call *call, struct facts *f)
{
    str prefix = STR("mcp__");
    if (f->phase != PHASE_USE || f->mcp || !str_starts(call->tool, prefix)) {
        return;
    }
    str rest = str_from(call->tool, prefix.n);
    size_t end = str_find(rest, STR("__"), 0);
    f->mcp = true;
    f->mcp_server = end == (size_t)-1 ? rest : str_first(rest, end);
    f->mcp_tool = end == (size_t)-1 ? STR("") : str_from(rest, end + 2);
}
