#include "cli/control_internal.h"

void cli_control_send(struct cli_control *c, str line)
{
    if (c->process) {
        cli_process_write(c->process, line);
    }
}

/* {"type":"control_response","response":{"subtype":…,"request_id":…, KEY:VALUE (JSON, or absent)}} */
static void send_response(struct cli_control *c, str id, const char *subtype, const char *key, str value)
{
    AUTO_BUF(line);
    map_remove(&c->theirs, id);
    buf_put_c(&line, "{\"type\":\"control_response\",\"response\":{");
    json_member_c(&line, "subtype", subtype);
    json_member_str(&line, "request_id", id);
    if (value.p) {
        json_member_raw(&line, key, value);
    }
    buf_put_c(&line, "}}");
    if (buf_ok(&line)) {
        cli_control_send(c, buf_str(&line));
    } else {
        log_write(c->log, LOG_ERROR, "out of memory for an answer to claude");
    }
}

void cli_control_answer(struct cli_control *c, str request_id, str response)
{
    send_response(c, request_id, "success", "response", response);
}

void cli_control_refuse(struct cli_control *c, str request_id, str error)
{
    AUTO_BUF(text);
    json_put_str(&text, error);
    send_response(c, request_id, "error", "error", buf_ok(&text) ? buf_str(&text) : STR("\"out of memory\""));
}
