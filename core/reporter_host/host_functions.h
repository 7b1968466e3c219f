/* The functions that a reporter calls, and the context in which it does.
 *
 * A herald_facts is Herald's side of one callback: the facts to fill in, the call, and scratch memory. There
 * is one for each host, and it outlives the callback, so that a reporter that keeps the pointer and uses it
 * later is refused and does not write into freed memory. A herald_value is a json handle as it is: its
 * document and its index. */
#ifndef HERALD_REPORTER_HOST_HOST_FUNCTIONS_H
#define HERALD_REPORTER_HOST_HOST_FUNCTIONS_H

#include <herald/host.h>

#include "base/log.h"
#include "report/facts.h"
#include "reporter_host/reporter_host.h"

/* The lists whose length is bounded, one count for each form. */
enum fact_list {
    LIST_LOCATIONS,
    LIST_DISPLAY = LIST_LOCATIONS + FORM_COUNT,
    LIST_CONTENT = LIST_DISPLAY + FORM_COUNT,
    LIST_EDITS = LIST_CONTENT + FORM_COUNT,
    LIST_TEXT_KEYS,
    LIST_EXTRAS,
    LIST_PLAN_ENTRIES,
    LIST_TASK_CHANGES,
    LIST_COUNT,
};

enum { PARSED_MAX = 16 };

struct herald_facts {
    bool active; /* a callback is running */
    struct facts *facts;
    const struct reporter_call *call;
    bool shows_plan;
    size_t counts[LIST_COUNT];
    struct arena scratch;
    struct json_doc *parsed[PARSED_MAX]; /* texts that the callback had read, given back when it returns */
    size_t parsed_count;

    /* For the log. */
    const struct log *log;
    const char *file;
    const char *reporter;
    const char *callback;
    bool *refusal_logged; /* of the module */
};

/* Fills in the functions that read and make texts, those that state facts of a use, and those of a result. */
void host_functions_reading(herald_host *table);
void host_functions_use(herald_host *table);
void host_functions_result(herald_host *table);

static inline str str_of_string(herald_string s)
{
    return (str){s.data, s.size};
}
static inline herald_string string_of_str(str s)
{
    return (herald_string){s.p, s.p ? s.n : 0};
}
static inline json json_of_value(herald_value v)
{
    bool fits = v.document && v.index <= UINT32_MAX;
    return fits ? (json){(const struct json_doc *)v.document, (uint32_t)v.index} : JSON_NONE;
}
static inline herald_value value_of_json(json v)
{
    return (herald_value){v.doc, v.at};
}

#endif
