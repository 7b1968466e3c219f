/* The members of content and location lists, as JSON. */
#ifndef HERALD_REPORT_ITEMS_H
#define HERALD_REPORT_ITEMS_H

#include "report/facts.h"
#include "report/render.h"

/* {"path":…,"line":…}; a line below zero is left out. */
void put_location(struct buf *b, str path, int64_t line);
void put_contents(struct buf *b, const struct fact_contents *contents);
/* A text item of what was built; a failure of `text` is one of `b`. */
void put_built_text(struct buf *b, const struct buf *text);
/* {"type":"terminal","terminalId":…} */
void put_terminal(struct buf *b, str id);
/* The text in a JSON string, in the arena. */
str json_string(struct arena *a, str text);
/* An array with one text item. */
str text_content(struct arena *a, str text);

/* The list of facts in the form that the client gets. */
static inline enum fact_form form_for(const struct render_context *cx)
{
    return client_takes_facts(cx->client) ? FORM_FACT : FORM_PLAIN;
}
static inline bool is_v2(const struct client_capabilities *c)
{
    return c->protocol_version >= 2;
}

#endif
