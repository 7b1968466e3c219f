#include "reporter_host/fact_checks.h"

#include "base/utf8.h"
#include "report/blocks.h"

herald_status fact_belongs(const herald_facts *x, unsigned where)
{
    if (!x || !x->active) {
        return HERALD_E_ARGUMENT;
    }
    bool here = where & 1U << x->facts->phase;
    return here && (!(where & OF_PLAN) || x->shows_plan) ? HERALD_OK : HERALD_E_PHASE;
}

herald_status fact_form_ok(herald_form form)
{
    return form == HERALD_BOTH || form == HERALD_FACT || form == HERALD_PLAIN ? HERALD_OK : HERALD_E_ARGUMENT;
}

herald_status fact_text_optional(herald_string s, size_t limit)
{
    if (!s.data) {
        return s.size ? HERALD_E_ARGUMENT : HERALD_OK;
    }
    if (s.size > limit) {
        return HERALD_E_TOO_LARGE;
    }
    return wtf8_valid(str_of_string(s)) ? HERALD_OK : HERALD_E_ENCODING;
}

herald_status fact_text_ok(herald_string s, size_t limit)
{
    return s.data ? fact_text_optional(s, limit) : HERALD_E_ARGUMENT;
}

herald_status fact_name_ok(herald_string s, size_t limit)
{
    return s.size ? fact_text_ok(s, limit) : HERALD_E_ARGUMENT;
}

herald_status fact_room(const herald_facts *x, enum fact_list list, size_t more)
{
    return more <= HERALD_MAX_ENTRIES - x->counts[list] ? HERALD_OK : HERALD_E_TOO_LARGE;
}

herald_status fact_room_in(const herald_facts *x, enum fact_list list, herald_form form, size_t more)
{
    herald_status status = HERALD_OK;
    for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
        status = status ? status : fact_room(x, list + i, more);
    }
    return status;
}

static const char *status_words(herald_status status)
{
    static const struct {
        herald_status status;
        const char *words;
    } rows[] = {
        {HERALD_E_ARGUMENT, "an argument is missing, unknown or out of its range"},
        {HERALD_E_ENCODING, "a text is not UTF-8"},
        {HERALD_E_TOO_LARGE, "a text or a list is beyond its limit"},
        {HERALD_E_PHASE, "the fact does not belong to this callback"},
        {HERALD_E_MEMORY, "memory is out"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].status == status) {
            return rows[i].words;
        }
    }
    return "refused";
}

herald_status fact_answer(herald_facts *x, const char *function, herald_status status)
{
    if (!status && !arena_ok(x->facts->arena)) {
        status = HERALD_E_MEMORY;
    }
    if (status && x && x->active && !*x->refusal_logged) {
        *x->refusal_logged = true;
        log_write(x->log, LOG_WARN, "reporter %s of %s: %s in %s was refused: %s (told once)", x->reporter,
                  x->file, function, x->callback, status_words(status));
    }
    return status;
}

str fact_keep(herald_facts *x, herald_string s)
{
    return arena_str(x->facts->arena, str_of_string(s));
}

void fact_add_texts(herald_facts *x, struct fact_contents lists[FORM_COUNT], enum fact_list count,
                    herald_form form, herald_string text)
{
    str copy = fact_keep(x, text);
    for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
        contents_add_text(x->facts->arena, &lists[i], copy);
        x->counts[count + i]++;
    }
}

herald_status fact_keep_json(herald_facts *x, herald_string text, size_t limit, str *out)
{
    herald_status st = fact_text_ok(text, limit);
    if (st) {
        return st;
    }
    AUTO_JSON(doc) = json_parse(str_of_string(text), NULL);
    if (!doc) {
        return HERALD_E_ARGUMENT;
    }
    *out = text_json(x->facts->arena, json_root(doc));
    return HERALD_OK;
}
