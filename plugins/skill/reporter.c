/* Skill: loads a skill by its name. The result text only confirms, so a result states nothing. */
#include <herald/reporter.h>
#include <herald/text.h>

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string skill = herald_member_text(h, call->input, HERALD_STRING("skill"));
    herald_text title = herald_text_begin(h, facts);
    herald_text_add(&title, HERALD_STRING("Load skill"));
    if (skill.size) {
        herald_text_add(&title, HERALD_STRING(": "));
        herald_text_add(&title, skill);
    }
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_OTHER);
    if (skill.data) {
        h->set_skill(facts, skill);
    }
    return HERALD_OK;
}

static herald_status result(const herald_call *call, herald_facts *facts)
{
    (void)facts;
    return call->is_error ? HERALD_GENERAL : HERALD_OK;
}

static const char *const tools[] = {"Skill", NULL};
static const herald_reporter skill_tool = {.struct_size = sizeof(skill_tool),
                                           .name = "skill",
                                           .tools = tools,
                                           .use = use,
                                           .result = result};
static const herald_reporter *const reporters[] = {&skill_tool, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.skill",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
