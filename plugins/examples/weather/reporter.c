/* A reporter for mcp__weather__forecast, a tool of a Model Context Protocol server named "weather".
 *
 * Its input is {"city": "Bern", "days": 3}, its answer a text. Without this reporter an editor shows the call
 * as "mcp__weather__forecast"; with it, as "Forecast for Bern, 3 days" under the icon of a fetch, and the
 * answer with a heading. */
#include <herald/reporter.h>
#include <herald/text.h>

/* The city and, when it is known, for how many days: "Bern, 3 days". No text when there is no city yet. */
static herald_string place_and_time(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string city = herald_member_text(h, call->input, HERALD_STRING("city"));
    herald_text t = herald_text_begin(h, facts);
    int64_t days;
    if (!city.size) {
        return (herald_string){NULL, 0};
    }
    herald_text_add(&t, city);
    if (h->integer(h->member(call->input, HERALD_STRING("days")), &days) && days > 0) {
        herald_text_add(&t, HERALD_STRING(", "));
        herald_text_add_integer(&t, days);
        herald_text_add(&t, days == 1 ? HERALD_STRING(" day") : HERALD_STRING(" days"));
    }
    return herald_text_end(&t);
}

/* Called when the tool is used: first without input, then as more of it is known. Each time all that can be
 * said is said anew. */
static herald_status use(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string what = place_and_time(call, facts);
    herald_text title = herald_text_begin(h, facts);
    herald_text_add(&title, HERALD_STRING("Forecast"));
    if (what.size) {
        herald_text_add(&title, HERALD_STRING(" for "));
        herald_text_add(&title, what);
    }
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_FETCH);
    return HERALD_OK;
}

/* Called when the tool has answered. A failure, and an answer without text, are shown as they are in general.
 */
static herald_status result(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string answer = h->result_text(facts, call->result);
    herald_string what = place_and_time(call, facts);
    herald_text content = herald_text_begin(h, facts);
    if (call->is_error || !answer.size || !what.size) {
        return HERALD_GENERAL;
    }
    herald_text_add(&content, HERALD_STRING("**"));
    herald_text_add(&content, what);
    herald_text_add(&content, HERALD_STRING("**\n\n"));
    herald_text_add(&content, answer);
    h->add_text(facts, HERALD_BOTH, herald_text_end(&content));
    return HERALD_OK;
}

static const char *const tools[] = {"mcp__weather__forecast", NULL};
static const herald_reporter forecast = {.struct_size = sizeof(forecast),
                                         .name = "forecast",
                                         .tools = tools,
                                         .use = use,
                                         .result = result};
static const herald_reporter *const reporters[] = {&forecast, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.example.weather",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
