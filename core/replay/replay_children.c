#include "replay/replay_children.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "history/child_files.h"
#include "replay/replay_target.h"
#include "subagent/subagents_draft.h"

static void free_child(struct replay_child *c)
{
    free(c->call);
    free(c->session);
    free(c->parent);
    free(c);
}

void replay_children_init(struct replay_children *rc, const struct replay_target *to,
                          const struct child_files *files)
{
    *rc = (struct replay_children){.to = to,
                                   .draft = to->children->subagents.form == &subagents_draft,
                                   .files = files};
    list_init(&rc->list);
}

void replay_children_free(struct replay_children *rc)
{
    LIST_EACH(c, &rc->list, struct replay_child, link) {
        free_child(c);
    }
    list_init(&rc->list);
    map_free(&rc->by_call, NULL);
    map_free(&rc->by_session, NULL);
}

struct replay_child *replay_children_find(const struct replay_children *rc, str call)
{
    return call.p ? map_get(&rc->by_call, call) : NULL;
}

struct replay_child *replay_children_told_of(const struct replay_children *rc, str call, str agent)
{
    return !rc->draft ? replay_children_find(rc, call) : agent.p ? map_get(&rc->by_session, agent) : NULL;
}

/* ---- What the client is told ---- */

static void tell(struct replay_children *rc, const struct replay_child *c, const char *name,
                 const struct buf *members)
{
    const struct replay_target *to = rc->to;
    if (buf_ok(members)) {
        to->surface->update(to->surface_self, c->parent ? str_of(c->parent) : to->session, name,
                            buf_str(members));
    }
}

/* The first of these members that is not blank, trimmed. */
static str first_said(json input, const char *const *keys, size_t n, str fallback)
{
    for (size_t i = 0; i < n; i++) {
        str text = str_trim(json_str(json_get(input, keys[i])));
        if (text.n) {
            return text;
        }
    }
    return fallback;
}

static void tell_spawned(struct replay_children *rc, const struct replay_child *c, json input)
{
    static const char *const names[] = {"name", "description", "subagent_type"},
                             *const tasks[] = {"prompt", "description"};
    AUTO_BUF(b);
    json_member_c(&b, "subagentSessionId", c->session);
    json_member_str(&b, "name", first_said(input, names, ARRAY_LEN(names), STR("Restored agent")));
    json_member_str(&b, "task",
                    first_said(input, tasks, ARRAY_LEN(tasks),
                               STR("Delegated task restored from session history")));
    str prompt = json_str(json_get(input, "prompt"));
    json_member_str(&b, "prompt", str_trim(prompt).n ? prompt : STR_ABSENT);
    json_member_raw(&b, "capabilities", STR("{}"));
    tell(rc, c, "subagent_spawned", &b);
}

static void tell_running(struct replay_children *rc, const struct replay_child *c,
                         const struct child_file *file, json input)
{
    static const char *const name[] = {"name"}, *const type[] = {"subagent_type"},
                             *const description[] = {"description"};
    AUTO_BUF(b);
    draft_put_announced(&b, str_of(c->session), first_said(input, name, 1, file->name),
                        file->type.p ? file->type : first_said(input, type, 1, STR_ABSENT),
                        first_said(input, description, 1, file->description));
    tell(rc, c, "subagent_update", &b);
}

void replay_child_asked(struct replay_children *rc, struct replay_child *c, str call, str id, str text)
{
    const struct replay_target *to = rc->to;
    str by = call.p ? call : !c->asked ? str_of(c->call) : id;
    AUTO_BUF(b);
    c->asked = true;
    draft_put_message(&b, by, c->parent && !call.p ? str_of(c->parent) : to->session, str_of(c->session),
                      text);
    if (buf_ok(&b)) {
        to->surface->update(to->surface_self, str_of(c->session), "session_message", buf_str(&b));
    }
}

static void tell_over(struct replay_children *rc, const struct replay_child *c)
{
    AUTO_BUF(b);
    if (!rc->draft) {
        json_member_c(&b, "subagentSessionId", c->session);
        json_member_c(&b, "state", subagent_state_word(c->state));
        tell(rc, c, "subagent_state_update", &b);
    } else if (!subagents_retell(&rc->to->children->subagents,
                                 str_of(c->session))) { /* else its end is still to come */
        draft_put_over(&b, str_of(c->session), c->state, STR_ABSENT);
        tell(rc, c, "subagent_update", &b);
    }
}

static void tell_missing(const struct replay_children *rc)
{
    const struct replay_target *to = rc->to;
    AUTO_BUF(text);
    if (!rc->missing || !to->client->session_notices) {
        return;
    }
    buf_printf(&text, "The history of %u %s of this session could not be restored.", rc->missing,
               rc->missing == 1 ? "subagent" : "subagents");
    if (buf_ok(&text)) {
        to->surface->notice(to->surface_self, to->session, "info",
                            STR("Some subagent history is not available"), buf_str(&text));
    }
}

/* ---- Launches ---- */

/* `session` is taken over. */
static struct replay_child *add(struct replay_children *rc, const struct replay_child *around, str call,
                                char *session)
{
    struct replay_child *c = calloc(1, sizeof(*c));
    if (!c) {
        free(session);
        return NULL;
    }
    c->state = SUBAGENT_DISCONNECTED;
    c->call = str_dup(call);
    c->session = session;
    c->parent = around ? str_dup(str_of(around->session)) : NULL;
    bool whole = c->call && c->session && (!around || c->parent);
    if (!whole || !map_put(&rc->by_session, str_of(c->session), c, NULL)) {
        free_child(c);
        return NULL;
    }
    if (!map_put(&rc->by_call, call, c, NULL)) {
        map_remove(&rc->by_session, str_of(c->session));
        free_child(c);
        return NULL;
    }
    list_append(&rc->list, &c->link);
    return c;
}

static void launch_air(struct replay_children *rc, const struct replay_child *around, str call, json input)
{
    AUTO_BUF(id);
    buf_printf(&id, "%.*s:replay-subagent:", STR_ARG(rc->to->session));
    buf_put_str(&id, call);
    struct replay_child *c = add(rc, around, call, buf_take(&id));
    if (c) {
        tell_spawned(rc, c, input);
    }
}

static void launch_draft(struct replay_children *rc, const struct replay_child *around, str call, json input)
{
    const struct child_file *file = rc->files ? child_files_of(rc->files, call) : NULL;
    bool usable = file && subagent_id_ok(file->agent) && utf8_valid_until(file->agent) == file->agent.n &&
                  !map_get(&rc->by_session, file->agent);
    struct replay_child *c = usable ? add(rc, around, call, str_dup(file->agent)) : NULL;
    if (c) {
        tell_running(rc, c, file, input);
    } else {
        rc->missing++;
    }
}

void replay_children_launch(struct replay_children *rc, const struct replay_child *around, json block)
{
    str call = json_text(json_get(block, "id"));
    if (subagent_id_ok(call) && !replay_children_find(rc, call)) {
        (rc->draft ? launch_draft : launch_air)(rc, around, call, json_get(block, "input"));
    }
}

/* ---- Ends ---- */

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool has_word(str text, str word)
{
    for (size_t at = 0; at + word.n <= text.n; at++) {
        size_t end = at + word.n;
        if (str_eq_nocase(str_first(str_from(text, at), word.n), word) &&
            (at == 0 || !is_word_byte(text.p[at - 1])) && (end == text.n || !is_word_byte(text.p[end]))) {
            return true;
        }
    }
    return false;
}

void replay_child_result(struct replay_child *c, json block)
{
    static const char *const stops[] = {"cancelled", "canceled", "interrupted", "stopped", "killed"};
    if (c->noticed) {
        return;
    }
    c->state = SUBAGENT_COMPLETED;
    if (json_is_true(json_get(block, "is_error"))) {
        AUTO_BUF(text);
        async_result_text(&text, json_get(block, "content"));
        c->state = SUBAGENT_FAILED;
        for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
            if (has_word(buf_str(&text), str_of(stops[i]))) {
                c->state = SUBAGENT_CANCELLED;
            }
        }
    }
}

void replay_child_notice(struct replay_child *c, str status)
{
    c->noticed = subagent_state_of(status, &c->state) || c->noticed;
}

void replay_children_end(struct replay_children *rc)
{
    for (struct list *at = rc->list.prev; at != &rc->list; at = at->prev) {
        tell_over(rc, LIST_ENTRY(at, struct replay_child, link));
    }
    tell_missing(rc);
}
