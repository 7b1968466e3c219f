/* What the host functions that state facts have in common.
 *
 * Each of them is a chain of checks, of which the first that fails is the answer, and then the statement
 * itself. Checks come before any change, so a refused fact leaves no trace but the log line. Texts are copied
 * into the arena of the facts; memory that is out there costs the message, which its owner notices by the
 * arena. */
#ifndef HERALD_REPORTER_HOST_FACT_CHECKS_H
#define HERALD_REPORTER_HOST_FACT_CHECKS_H

#include "reporter_host/host_functions.h"

/* The limits of herald/abi.h as sizes. */
#define LIMIT_TITLE ((size_t)HERALD_MAX_TITLE)
#define LIMIT_TEXT  ((size_t)HERALD_MAX_TEXT)

/* The callbacks in which a fact may be stated. */
enum {
    IN_USE = 1 << PHASE_USE,
    IN_RESULT = 1 << PHASE_RESULT,
    IN_FINISHED = 1 << PHASE_FINISHED,
    OF_PLAN = 1 << 8, /* only for a reporter that is shown as the plan */
};

/* The forms that a herald_form stands for are those from the first to the last one. */
static inline enum fact_form form_first(herald_form form)
{
    return form == HERALD_PLAIN ? FORM_PLAIN : FORM_FACT;
}
static inline enum fact_form form_last(herald_form form)
{
    return form == HERALD_FACT ? FORM_FACT : FORM_PLAIN;
}

/* ---- Checks: HERALD_OK, or what is wrong ---------------------------------------------------------- */

/* Comes first: a callback is running, and it is one of `where`. */
herald_status fact_belongs(const herald_facts *x, unsigned where);
herald_status fact_form_ok(herald_form form);
/* Any text within the limit, none at all included. */
herald_status fact_text_optional(herald_string s, size_t limit);
/* A text, be it empty. */
herald_status fact_text_ok(herald_string s, size_t limit);
/* A text that is not empty. */
herald_status fact_name_ok(herald_string s, size_t limit);
/* There is room for more members of a list. */
herald_status fact_room(const herald_facts *x, enum fact_list list, size_t more);
/* The same for each list of a pair that the form stands for. */
herald_status fact_room_in(const herald_facts *x, enum fact_list list, herald_form form, size_t more);
/* Comes last: what the function answers. The first refusal of a module is logged. */
herald_status fact_answer(herald_facts *x, const char *function, herald_status status);

/* ---- Statements ----------------------------------------------------------------------------------- */

/* A copy in the arena of the facts. */
str fact_keep(herald_facts *x, herald_string s);
/* Checks a JSON text and keeps it in compact form: messages are lines, and a line break in a text that goes
 * into one as it is would cut it in two. */
herald_status fact_keep_json(herald_facts *x, herald_string text, size_t limit, str *out);
/* Adds a text to each list of the form. */
void fact_add_texts(herald_facts *x, struct fact_contents lists[FORM_COUNT], enum fact_list count,
                    herald_form form, herald_string text);

#endif
