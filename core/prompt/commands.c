#include "prompt/commands.h"

/* Commands of the CLI that mean nothing outside its terminal, or that a client does by other means. */
static const str hidden[] = {
    STR_INIT("clear"),         STR_INIT("cost"),   STR_INIT("keybindings-help"),
    STR_INIT("login"),         STR_INIT("logout"), STR_INIT("output-style:new"),
    STR_INIT("release-notes"), STR_INIT("todos"),
};

static bool lists(json array, str name)
{
    if (!json_is(array, JSON_ARRAY)) {
        return false;
    }
    for (struct json_iter it = json_each(array); json_next(&it);) {
        str s = json_str(it.value);
        if (s.p && str_eq(s, name)) {
            return true;
        }
    }
    return false;
}

static bool is_hidden(str name)
{
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
        if (str_eq(hidden[i], name)) {
            return true;
        }
    }
    return false;
}

/* Opens a command's object. v2 tells kinds of commands apart and passes over one that names none; v1 does not
 * know of kinds. */
static void open_command(struct buf *b, str name, str description, bool v2)
{
    json_open_object(b);
    if (v2) {
        json_member_c(b, "type", "command");
    }
    json_member_str(b, "name", name);
    json_member_str(b, "description", description);
}

/* Writes the input member; v1 has null where there is none. */
static void put_input(struct buf *b, str hint, bool v2)
{
    if (!hint.n && v2) {
        return;
    }
    json_key(b, "input");
    if (!hint.n) {
        json_put_null(b);
        return;
    }
    json_open_object(b);
    if (v2) {
        json_member_c(b, "type", "text");
    }
    json_member_str(b, "hint", hint);
    json_close_object(b);
}

/* The hint, or a list of hints as one text. */
static void read_hint(struct buf *text, json hint)
{
    if (!json_is(hint, JSON_ARRAY)) {
        buf_put_str(text, json_str(hint));
        return;
    }
    bool first = true;
    for (struct json_iter it = json_each(hint); json_next(&it);) {
        str part = json_str(it.value);
        if (part.p) {
            buf_put_c(text, first ? "" : " ");
            buf_put_str(text, part);
            first = false;
        }
    }
}

static void put_command(struct buf *b, json command, json terminal_commands, bool v2)
{
    str name = json_text(json_get(command, "name"));
    if (!name.p || str_is(name, "mcp") || lists(terminal_commands, name)) {
        return;
    }
    const str mcp_mark = STR(" (MCP)");
    AUTO_BUF(renamed);
    if (str_ends(name, mcp_mark)) {
        buf_put_c(&renamed, "mcp:");
        buf_put_str(&renamed, str_first(name, name.n - mcp_mark.n));
        name = buf_str(&renamed);
    }
    if (is_hidden(name)) {
        return;
    }
    str description = json_str(json_get(command, "description"));
    open_command(b, name, description.p ? description : STR(""), v2);
    AUTO_BUF(hint);
    read_hint(&hint, json_get(command, "argumentHint"));
    put_input(b, buf_str(&hint), v2);
    json_close_object(b);
    b->failed |= renamed.failed || hint.failed;
}

void commands_put(struct buf *b, json cli_commands, json terminal_commands, bool v2)
{
    json_open_array(b);
    if (json_is(cli_commands, JSON_ARRAY)) {
        for (struct json_iter it = json_each(cli_commands); json_next(&it);) {
            put_command(b, it.value, terminal_commands, v2);
        }
    }
    open_command(b, STR("mcp"),
                 STR("Show the MCP servers of this session, or reconnect, enable or disable them"), v2);
    put_input(b, STR("[reconnect|enable|disable [<server>|all]]"), v2);
    json_close_object(b);
    json_close_array(b);
}

static bool includes(json whole, json part)
{
    if (!json_is(part, JSON_ARRAY)) {
        return true;
    }
    for (struct json_iter it = json_each(part); json_next(&it);) {
        str s = json_str(it.value);
        if (s.p && !lists(whole, s)) {
            return false;
        }
    }
    return true;
}

bool commands_same_terminal_list(json a, json b)
{
    return includes(a, b) && includes(b, a);
}
