/* Calls what nobody defines, as a plugin does that was linked without one of its files. */
#include <herald/reporter.h>

herald_status function_that_is_nowhere(const herald_call *call, herald_facts *facts);

static herald_status use(const herald_call *call, herald_facts *facts)
{
    return function_that_is_nowhere(call, facts);
}

static const char *const tools[] = {"Weather", NULL};
static const herald_reporter reporter = {.struct_size = sizeof(reporter),
                                         .name = "undefined",
                                         .tools = tools,
                                         .use = use};
static const herald_reporter *const reporters[] = {&reporter, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.example.undefined",
                                                            .version = "1",
                                                            .reporters = reporters};
