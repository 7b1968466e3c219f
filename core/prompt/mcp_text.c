#include "prompt/mcp_text.h"

#include "base/arena.h"
#include "base/js_space.h"
#include "base/markdown.h"
#include "base/utf8.h"

enum {
    SERVERS_MAX = 1000, /* more are not looked at */
    ERROR_SENTENCES = 2,
    ERROR_LENGTH = 160, /* code points */
};

struct server {
    str name, state, error;
    str origin; /* where it is configured; absent when that is not known */
    bool lists_tools;
    size_t tools;
};

/* The servers of one state. */
struct group {
    str state;
    const char *title, *one, *many; /* the words for them; NULL: the state's own name */
    size_t n;
};

static const struct group known_groups[] = {
    {STR_INIT("failed"), "Failed", "failed", "failed", 0},
    {STR_INIT("needs-auth"), "Needs authentication", "needs authentication", "need authentication", 0},
    {STR_INIT("pending"), "Connecting", "connecting", "connecting", 0},
    {STR_INIT("connected"), "Connected", "connected", "connected", 0},
};

/* A status, read for its list. Disabled servers are in no group. */
struct list_of_servers {
    struct arena mem;
    struct server *all;
    struct group *groups;
    size_t n, n_groups, disabled;
};

/* ---- The command ---- */

/* Takes one word and the white space behind it. */
static str take_word(str *text)
{
    size_t end = 0;
    while (end < text->n && !space_at(*text, end)) {
        end++;
    }
    str word = str_first(*text, end);
    *text = space_trim(str_from(*text, end));
    return word;
}

bool mcp_command_read(str text, struct mcp_command *c)
{
    static const struct {
        const char *name;
        enum mcp_action action;
    } actions[] = {{"reconnect", MCP_RECONNECT}, {"enable", MCP_ENABLE}, {"disable", MCP_DISABLE}};
    *c = (struct mcp_command){.action = MCP_LIST};
    if (!str_is(take_word(&text), "/mcp")) {
        return false;
    }
    if (!text.n) {
        return true;
    }
    str word = take_word(&text);
    for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
        if (str_eq_nocase(word, str_of(actions[i].name))) {
            c->action = actions[i].action;
            c->all = text.n ? str_is(text, "all") : c->action == MCP_RECONNECT;
            c->server = text.n && !c->all ? text : STR_ABSENT;
            return true;
        }
    }
    return false;
}

/* ---- The servers ---- */

static json list_of(json status)
{
    return json_get(status, "mcpServers");
}

bool mcp_status_readable(json status)
{
    return json_is(list_of(status), JSON_ARRAY);
}

static bool read_server(json v, struct server *out)
{
    json tools = json_get(v, "tools");
    str scope = json_text(json_get(v, "scope"));
    *out = (struct server){
        .name = json_str(json_get(v, "name")),
        .state = json_text(json_get(v, "status")),
        .error = json_str(json_get(v, "error")),
        .origin = scope.p ? scope : json_text(json_get(v, "source")),
        .lists_tools = json_is(tools, JSON_ARRAY),
        .tools = json_count(tools),
    };
    return out->name.p && out->state.p;
}

/* The next server at or behind *at. */
static bool next_server(json status, size_t *at, struct server *out)
{
    size_t n = 0;
    for (struct json_iter it = json_each(list_of(status)); n < SERVERS_MAX && json_next(&it); n++) {
        if (n >= *at && read_server(it.value, out)) {
            *at = n + 1;
            return true;
        }
    }
    return false;
}

str mcp_status_of(json status, str name)
{
    struct server s;
    for (size_t at = 0; next_server(status, &at, &s);) {
        if (str_eq(s.name, name)) {
            return s.state;
        }
    }
    return STR_ABSENT;
}

static bool is_reconnectable(str state)
{
    return str_is(state, "failed") || str_is(state, "needs-auth") || str_is(state, "pending");
}

static bool is_target(const struct server *s, const struct mcp_command *c)
{
    if (c->server.p) {
        return str_eq(s->name, c->server);
    }
    bool disabled = str_is(s->state, "disabled");
    bool of_use =
        c->action == MCP_RECONNECT ? is_reconnectable(s->state) : disabled == (c->action == MCP_ENABLE);
    return c->all && of_use;
}

str mcp_next_target(json status, const struct mcp_command *c, size_t *at, struct map *done)
{
    struct server s;
    while (next_server(status, at, &s)) {
        if (is_target(&s, c) && !set_has(done, s.name)) {
            return set_add(done, s.name) ? s.name : STR_ABSENT;
        }
    }
    return STR_ABSENT;
}

/* ---- Errors ---- */

static bool ends_nocase(str text, const char *end)
{
    size_t n = strlen(end);
    return text.n >= n && str_eq_nocase(str_from(text, text.n - n), str_of(end));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* `crate::module::Type` */
static bool is_type_path(str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (!is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '_' && c != ':') {
            return false;
        }
    }
    return str_has(text, STR("::"));
}

/* What only says that something failed: "Connection failed", "McpError", "MCP error -32001", "io::Error". */
static bool is_wrapper(str text)
{
    str word = text;
    while (word.n && is_digit(word.p[word.n - 1])) {
        word.n--;
    }
    if (word.n < text.n) {
        word.n -= word.n && word.p[word.n - 1] == '-';
        word = str_trim(word);
    }
    return !str_has(text, STR(".")) && (ends_nocase(text, "failed") || ends_nocase(word, "error") ||
                                        ends_nocase(text, "exception") || is_type_path(text));
}

static str unwrap(str error)
{
    size_t colon;
    while ((colon = str_find(error, STR(": "), 0)) != SIZE_MAX && is_wrapper(str_first(error, colon)) &&
           space_trim(str_from(error, colon + 1)).n) {
        error = space_trim(str_from(error, colon + 1));
    }
    return error;
}

/* The length of the sentence that the text begins with, its mark included. A line ends one too. */
static size_t sentence_end(str text)
{
    for (size_t i = 0; i < text.n; i++) {
        bool mark = text.p[i] == '.' || text.p[i] == '!' || text.p[i] == '?';
        if (mark && (i + 1 == text.n || space_at(text, i + 1))) {
            return i + 1;
        }
        if (text.p[i] == '\n') {
            return i;
        }
    }
    return text.n;
}

/* Appends ": ERROR", or nothing for a blank one. */
static void put_error(struct buf *b, str error)
{
    AUTO_BUF(line);
    space_squeeze(&line, error);
    str text = unwrap(buf_str(&line));
    size_t end = 0, at = 0, room = 0; /* `room`: what leaves room for an ellipsis */
    for (int i = 0; i < ERROR_SENTENCES; i++) {
        end += sentence_end(str_from(text, end));
    }
    text = str_first(text, end);
    for (int n = 1; at < text.n && n <= ERROR_LENGTH; n++) {
        (void)utf8_next(text, &at);
        room = n < ERROR_LENGTH ? at : room;
    }
    bool whole = at == text.n;
    buf_put_c(b, text.n ? ": " : "");
    markdown_put_text(b, space_trim(str_first(text, whole ? at : room)));
    buf_put_c(b, whole ? "" : "…");
    b->failed |= line.failed;
}

/* ---- What was done ---- */

void mcp_put_outcome(struct buf *b, enum mcp_action action, str server, const char *error)
{
    static const struct {
        const char *done, *refused;
    } words[] = {
        [MCP_LIST] = {"", ""},
        [MCP_RECONNECT] = {"Reconnected ", "Couldn't reconnect "},
        [MCP_ENABLE] = {"Enabled ", "Couldn't enable "},
        [MCP_DISABLE] = {"Disabled ", "Couldn't disable "},
    };
    buf_put_c(b, b->n ? "\n- " : "- ");
    buf_put_c(b, error ? words[action].refused : words[action].done);
    markdown_put_code(b, server);
    if (error) {
        put_error(b, str_of(error));
    }
}

/* The CLI means its own terminal, where the action could be done. */
static bool is_of_terminal(str sentence)
{
    static const char *const marks[] = {"available in this session", "in the terminal"};
    for (size_t m = 0; m < ARRAY_LEN(marks); m++) {
        size_t n = strlen(marks[m]);
        for (size_t i = 0; i + n <= sentence.n; i++) {
            if (str_eq_nocase((str){sentence.p + i, n}, str_of(marks[m]))) {
                return true;
            }
        }
    }
    return false;
}

static void put_sentences(struct buf *b, str text)
{
    for (text = space_trim(text); text.n;) {
        size_t end = sentence_end(text);
        str sentence = space_trim(str_first(text, end));
        if (!is_of_terminal(sentence)) {
            buf_put_c(b, b->n ? " " : "");
            buf_put_str(b, sentence);
        }
        text = space_trim(str_from(text, end));
    }
}

/* Why nothing was done. Of a server that does not exist the CLI may have said so. */
static void put_reason(struct buf *b, const struct mcp_command *c, bool cli_said)
{
    static const struct {
        const char *verb, *idle;
    } words[] = {
        [MCP_LIST] = {"", ""},
        [MCP_RECONNECT] = {"reconnect", "No MCP server is in need of a new connection."},
        [MCP_ENABLE] = {"enable", "No MCP server is disabled."},
        [MCP_DISABLE] = {"disable", "No MCP server is enabled."},
    };
    if (c->server.p) {
        if (!cli_said) {
            buf_put_c(b, "There is no MCP server ");
            markdown_put_code(b, c->server);
            buf_put_c(b, ".");
        }
    } else if (c->all) {
        buf_put_c(b, words[c->action].idle);
    } else {
        buf_printf(b, "Say which server, or `all`: `/mcp %s <server>`.", words[c->action].verb);
    }
}

/* ---- The list ---- */

/* The groups that have members: those that are known, in their order, then other states as they came. */
static bool read_list(struct list_of_servers *l, json status)
{
    struct server s;
    size_t room = json_count(list_of(status));
    room = room < SERVERS_MAX ? room : SERVERS_MAX;
    l->all = arena_alloc(&l->mem, (room + 1) * sizeof(*l->all));
    l->groups = arena_alloc(&l->mem, (room + ARRAY_LEN(known_groups)) * sizeof(*l->groups));
    if (!l->all || !l->groups) {
        return false;
    }
    for (; l->n_groups < ARRAY_LEN(known_groups); l->n_groups++) {
        l->groups[l->n_groups] = known_groups[l->n_groups];
    }
    for (size_t at = 0; next_server(status, &at, &s); l->n++) {
        size_t g = 0;
        while (g < l->n_groups && !str_eq(l->groups[g].state, s.state)) {
            g++;
        }
        if (str_is(s.state, "disabled")) {
            l->disabled++;
        } else if (g < l->n_groups) {
            l->groups[g].n++;
        } else {
            l->groups[l->n_groups++] = (struct group){.state = s.state, .n = 1};
        }
        l->all[l->n] = s;
    }
    return true;
}

static void put_name(struct buf *b, const struct list_of_servers *l, const struct server *s)
{
    size_t same = 0;
    for (size_t i = 0; i < l->n; i++) {
        same += str_eq(l->all[i].name, s->name);
    }
    markdown_put_code(b, s->name);
    if (same > 1 && s->origin.p) {
        buf_put_c(b, " (");
        markdown_put_text(b, s->origin);
        buf_put_c(b, ")");
    }
}

static void put_counts(struct buf *b, const struct list_of_servers *l)
{
    const char *before = "";
    buf_printf(b, "**MCP servers:** %zu (", l->n);
    for (size_t i = 0; i < l->n_groups; i++) {
        const struct group *g = &l->groups[i];
        if (g->n) {
            buf_printf(b, "%s%zu ", before, g->n);
            markdown_put_text(b, g->title ? str_of(g->n == 1 ? g->one : g->many) : g->state);
            before = ", ";
        }
    }
    if (l->disabled) {
        buf_printf(b, "%s%zu disabled", before, l->disabled);
    }
    buf_put_c(b, ")");
}

static void put_title(struct buf *b, const struct group *g)
{
    AUTO_BUF(title);
    buf_put_str(&title, g->title ? str_of(g->title) : g->state);
    if (title.n && title.p[0] >= 'a' && title.p[0] <= 'z') {
        title.p[0] = (char)(title.p[0] - 'a' + 'A');
    }
    buf_put_c(b, "\n\n**");
    markdown_put_text(b, buf_str(&title));
    buf_put_c(b, "**");
}

static void put_server(struct buf *b, const struct list_of_servers *l, const struct server *s)
{
    buf_put_c(b, "\n- ");
    put_name(b, l, s);
    size_t start = b->n;
    put_error(b, s->error);
    if (s->lists_tools) {
        buf_printf(b, "%s%zu tool%s", b->n > start ? "; " : ": ", s->tools, s->tools == 1 ? "" : "s");
    }
}

static void put_disabled(struct buf *b, const struct list_of_servers *l)
{
    const char *before = "\n\n**Disabled:** ";
    for (size_t i = 0; i < l->n; i++) {
        if (str_is(l->all[i].state, "disabled")) {
            buf_put_c(b, before);
            put_name(b, l, &l->all[i]);
            before = ", ";
        }
    }
}

static void put_groups(struct buf *b, const struct list_of_servers *l)
{
    bool reconnectable = false;
    for (size_t g = 0; g < l->n_groups; g++) {
        if (!l->groups[g].n) {
            continue;
        }
        put_title(b, &l->groups[g]);
        for (size_t i = 0; i < l->n; i++) {
            if (str_eq(l->all[i].state, l->groups[g].state)) {
                put_server(b, l, &l->all[i]);
            }
        }
        reconnectable = reconnectable || is_reconnectable(l->groups[g].state);
    }
    put_disabled(b, l);
    if (reconnectable) {
        buf_put_c(
            b, "\n\n`/mcp reconnect <server>` connects one server again, `/mcp reconnect` all that have no "
               "connection.");
    }
}

static void put_list(struct buf *b, json status)
{
    struct list_of_servers l = {.mem = ARENA_INIT};
    if (!read_list(&l, status)) {
        b->failed = true;
    } else if (!l.n) {
        buf_put_c(b, "No MCP servers are configured.");
    } else {
        put_counts(b, &l);
        put_groups(b, &l);
    }
    arena_free(&l.mem);
}

/* ---- The answer ---- */

static void put_block(struct buf *b, str block)
{
    if (block.n) {
        buf_put_c(b, b->n ? "\n\n" : "");
        buf_put_str(b, block);
    }
}

void mcp_put_answer(struct buf *b, const struct mcp_command *c, str cli_text, str outcomes, json status)
{
    AUTO_BUF(said);
    AUTO_BUF(reason);
    AUTO_BUF(list);
    if (c->action != MCP_LIST) {
        put_sentences(&said, cli_text);
        if (!outcomes.n) {
            put_reason(&reason, c, said.n > 0);
        }
    }
    if (json_present(status)) {
        put_list(&list, status);
    }
    put_block(b, buf_str(&said));
    put_block(b, outcomes.n ? outcomes : buf_str(&reason));
    put_block(b, buf_str(&list));
    b->failed |= said.failed || reason.failed || list.failed;
}
