/* What can go wrong in a callback; the tool's name says what. */
#include <herald/reporter.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int deeper(volatile char *before)
{
    volatile char here[4096];
    here[0] = before[0];
    return deeper(here) + here[0];
}

static bool is(const herald_call *call, const char *tool)
{
    return call->tool.size == strlen(tool) && memcmp(call->tool.data, tool, call->tool.size) == 0;
}

static herald_facts *kept;

static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    if (is(call, "Late")) { /* uses what an earlier callback was given */
        herald_status status =
            kept ? h->set_title(kept, HERALD_BOTH, HERALD_STRING("same context")) : HERALD_OK;
        kept = facts;
        return status;
    }
    h->set_title(facts, HERALD_BOTH, HERALD_STRING("mine"));
    if (is(call, "Fails")) {
        return HERALD_E_FAILED;
    }
    if (is(call, "Answers42")) {
        return 42;
    }
    if (is(call, "General")) {
        return HERALD_GENERAL;
    }
    if (is(call, "Waits")) {
        struct timespec t = {.tv_nsec = 120000000};
        nanosleep(&t, NULL);
    } else if (is(call, "Spins")) {
        for (int64_t end = now_ms(CLOCK_THREAD_CPUTIME_ID) + 80; now_ms(CLOCK_THREAD_CPUTIME_ID) < end;) {
        }
    } else if (is(call, "Segv")) {
        *(volatile int *)8 = 1;
    } else if (is(call, "Abort")) {
        abort();
    } else if (is(call, "Recurses")) {
        volatile char c[1] = {0};
        return deeper(c);
    } else if (is(call, "PlanInCall")) {
        return h->add_plan_entry(facts, HERALD_STRING("x"), HERALD_PLAN_PENDING);
    } else if (is(call, "ResultInUse")) {
        h->add_text(facts, HERALD_BOTH, HERALD_STRING("x"));
    }
    return HERALD_OK;
}

static const char *const tools[] = {"*", NULL};
static const herald_reporter reporter = {.struct_size = sizeof(reporter),
                                         .name = "misbehaving",
                                         .tools = tools,
                                         .use = use};
static const herald_reporter *const reporters[] = {&reporter, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.example.misbehaving",
                                                            .version = "1",
                                                            .reporters = reporters};

#ifdef CRASH_AT_LOAD
__attribute__((constructor)) static void at_load(void)
{
    abort();
}
#endif
