/* The tools that steer other agents and tasks. Their use and their success are general. Of a failure, a
 * client that renders each fact from its own field shows the text as it is; the others show it in a code
 * block. */
#include <herald/reporter.h>

static herald_status result(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    if (!call->is_error) {
        return HERALD_GENERAL;
    }
    h->add_result(facts, HERALD_FACT, call->result, false);
    h->add_result(facts, HERALD_PLAIN, call->result, true);
    return HERALD_OK;
}

static const char *const tools[] = {"SendMessage", "TaskStop", "ListAgents", "Monitor", NULL};
static const herald_reporter messages = {.struct_size = sizeof(messages),
                                         .name = "messages",
                                         .tools = tools,
                                         .result = result};
static const herald_reporter *const reporters[] = {&messages, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.messages",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
