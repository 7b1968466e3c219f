/* Tool calls, the terminals of their commands, and the requests for permission. */
#include <stdlib.h>

#include "acp/updates.h"
#include "acp_v2/internal.h"
#include "base/base64.h"
#include "base/utf8.h"

/* ---- Terminals ---- */

enum terminal_key { TERMINAL_INFO, TERMINAL_OUTPUT, TERMINAL_DELTA, TERMINAL_EXIT, TERMINAL_KEYS };

/* What the report's _meta says of a terminal; those entries are taken out of it. False: nothing. */
static bool take_terminal(struct tool_report *r, str found[TERMINAL_KEYS])
{
    static const char *const keys[TERMINAL_KEYS] = {
        [TERMINAL_INFO] = "terminal_info",
        [TERMINAL_OUTPUT] = "terminal_output",
        [TERMINAL_DELTA] = "terminal_output_delta",
        [TERMINAL_EXIT] = "terminal_exit",
    };
    size_t kept = 0;
    bool any = false;
    for (size_t i = 0; i < r->meta_count; i++) {
        size_t k = 0;
        while (k < TERMINAL_KEYS && !(r->meta[i].space == META_TOP && str_is(r->meta[i].key, keys[k]))) {
            k++;
        }
        if (k < TERMINAL_KEYS) {
            found[k] = r->meta[i].json;
            any = true;
        } else {
            r->meta[kept++] = r->meta[i];
        }
    }
    r->meta_count = kept;
    return any;
}

/* The bytes of a text: a lone surrogate has none and becomes U+FFFD. */
static void put_bytes(struct buf *b, const char *key, str text)
{
    AUTO_BUF(whole);
    if (utf8_valid_until(text) < text.n) {
        for (size_t at = 0; at < text.n;) {
            uint32_t cp = utf8_next(text, &at);
            utf8_put(&whole, cp >= 0xd800 && cp <= 0xdfff ? 0xfffd : cp);
        }
        text = buf_str(&whole);
    }
    json_key(b, key);
    buf_put_byte(b, '"');
    base64_put(b, text);
    buf_put_byte(b, '"');
}

static void put_exit(struct buf *b, json exit)
{
    json code = json_get(exit, "exit_code"), signal = json_get(exit, "signal");
    json_key(b, "exitStatus");
    json_open_object(b);
    json_member(b, "exitCode", json_is(code, JSON_NULL) ? JSON_NONE : code);
    json_member(b, "signal", json_is(signal, JSON_NULL) ? JSON_NONE : signal);
    json_close_object(b);
}

static struct json_doc *parse(str text)
{
    return text.p ? json_parse(text, NULL) : NULL;
}

/* The command that the input names, when the terminal does not have it yet. */
static str new_command(struct stored_call *call, json input)
{
    str command = json_text(json_get(input, "command"));
    if (!command.p || str_is(command, call->command)) {
        return STR_ABSENT;
    }
    free(call->command);
    call->command = str_dup(command);
    return command;
}

static void tell_terminal(struct connection *c, str session, struct stored_call *call, str raw_input,
                          const str found[TERMINAL_KEYS])
{
    AUTO_JSON(input) = parse(raw_input);
    AUTO_JSON(output) = parse(found[TERMINAL_OUTPUT]);
    AUTO_JSON(delta) = parse(found[TERMINAL_DELTA]);
    AUTO_JSON(exit) = parse(found[TERMINAL_EXIT]);
    str command = new_command(call, json_root(input));
    if (found[TERMINAL_INFO].p || command.p || output || exit) {
        struct buf *b = acp_begin_update(c, session, "terminal_update");
        json_member_c(b, "terminalId", call->id);
        json_member_str(b, "command", command);
        if (output) {
            json_key(b, "output");
            json_open_object(b);
            put_bytes(b, "data", json_str(json_get(json_root(output), "data")));
            json_close_object(b);
        }
        if (exit) {
            put_exit(b, json_root(exit));
        }
        acp_end_update(c, b);
    }
    if (delta) {
        struct buf *b = acp_begin_update(c, session, "terminal_output_chunk");
        json_member_c(b, "terminalId", call->id);
        put_bytes(b, "data", json_str(json_get(json_root(delta), "data")));
        acp_end_update(c, b);
    }
    if (exit) {
        call->terminal = false;
        free(call->command);
        call->command = NULL;
    }
}

/* ---- Reports ---- */

static void put_call(struct buf *b, struct stored_call *call, const struct tool_report *r)
{
    json_member_str(b, "toolCallId", r->id);
    stored_call_put_name(b, call, r);
    tool_report_put_fields(b, r, true);
}

static void tell_call(struct connection *c, str session, struct stored_call *call,
                      const struct tool_report *r)
{
    bool changed = stored_call_take_meta(call, r);
    struct buf *b = acp_begin_update(c, session, "tool_call_update");
    put_call(b, call, r);
    if (changed) {
        stored_call_put_meta(b, call);
    }
    acp_end_update(c, b);
}

static bool says_nothing(const struct tool_report *r)
{
    for (size_t i = 0; i < REPORT_FIELDS; i++) {
        if (r->field[i].p) {
            return false;
        }
    }
    return !r->first;
}

void acp_v2_say_tool(void *self, str session, struct tool_report *report)
{
    struct connection *c = self;
    struct stored_call *call = tool_store_open(acp_v2_state(c)->tools, session, report->id, report->first);
    struct tool_report rest = *report;
    str found[TERMINAL_KEYS] = {STR_ABSENT, STR_ABSENT, STR_ABSENT, STR_ABSENT};
    if (!call) {
        log_write(c->setup.log, LOG_ERROR, "out of memory: a report of a tool call was dropped");
        return;
    }
    bool any = take_terminal(&rest, found);
    if (found[TERMINAL_INFO].p) { /* a new one, which has no command yet */
        call->terminal = true;
        free(call->command);
        call->command = NULL;
    }
    if (call->terminal) {
        tell_terminal(c, session, call, report->field[REPORT_RAW_INPUT], found);
    }
    if (!report->first) {
        rest.name = STR_ABSENT;
    }
    if (!any || !says_nothing(&rest)) {
        tell_call(c, session, call, &rest);
    }
}

/* ---- Permission ---- */

uint64_t acp_v2_ask_permission(void *self, const struct permission_request *rq, surface_answer_cb *cb,
                               void *user)
{
    struct connection *c = self;
    struct stored_call *call = tool_store_open(acp_v2_state(c)->tools, rq->session, rq->call->id, false);
    AUTO_BUF(b);
    if (!call) {
        return 0;
    }
    (void)stored_call_take_meta(call, rq->call);
    json_open_object(&b);
    json_member_str(&b, "sessionId", rq->session);
    json_member_str(&b, "title", rq->title.p ? rq->title : STR("Use tool?"));
    json_member_str(&b, "description", rq->description);
    json_key(&b, "subject");
    json_open_object(&b);
    json_member_c(&b, "type", "tool_call");
    json_key(&b, "toolCall");
    json_open_object(&b);
    put_call(&b, call, rq->call);
    stored_call_put_meta(&b, call);
    json_close_object(&b);
    json_close_object(&b);
    json_member_raw(&b, "options", rq->options);
    json_member_raw(&b, "_meta", rq->meta);
    json_close_object(&b);
    return buf_ok(&b) ? acp_ask(c, "session/request_permission", buf_str(&b), cb, user) : 0;
}
