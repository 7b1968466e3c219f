#include "permission/offer.h"

#include <math.h>
#include <stdlib.h>

#include "base/js_space.h"
#include "base/utf8.h"
#include "permission/file_grant.h"
#include "permission/shell_grant.h"
#include "permission/suggestions.h"
#include "permission/text.h"
#include "permission/web_host.h"

enum {
    OPTIONS_MAX = 8,
    LABEL_MAX = 10000, /* of a lasting choice; what cannot be read is not offered */
    SKILL_MAX = 1000,
};

enum option_kind { ALLOW_ONCE, ALLOW_ALWAYS, REJECT_ONCE };

static const char *const kind_names[] = {
    [ALLOW_ONCE] = "allow_once",
    [ALLOW_ALWAYS] = "allow_always",
    [REJECT_ONCE] = "reject_once",
};

/* What an option does; `effects` below says how. */
enum effect { ONCE, UPDATES, SKILL_TOO_LONG, MODE, CLEAR_CONTEXT, REFUSE, KEEP_PLANNING };

struct option {
    const char *id;
    enum option_kind kind;
    enum effect effect;
    str name;
    str updates;      /* UPDATES: what the CLI is to apply, JSON */
    const char *mode; /* MODE, CLEAR_CONTEXT */
};

struct permission_offer {
    struct arena arena; /* owns the texts */
    struct change_set changes;
    struct option options[OPTIONS_MAX]; /* in the order in which they were made */
    size_t n;
    bool default_to_no;
    str tool_use_id;
    str input; /* JSON; absent when the question had none */
    str plan;  /* trimmed; absent when it is empty */
};

bool permission_question_read(struct permission_question *q, json request)
{
    json input = json_get(request, "input"), server = json_get(request, "mcp_server");
    *q = (struct permission_question){
        .tool_use_id = json_text(json_get(request, "tool_use_id")),
        .tool_name = json_text(json_get(request, "tool_name")),
        .display_name = json_text(json_get(request, "display_name")),
        .input = json_is(input, JSON_OBJECT) ? input : JSON_NONE,
        .suggestions = json_get(request, "permission_suggestions"),
        .mcp_server = json_is(server, JSON_OBJECT) ? server : JSON_NONE,
        .decision_reason = json_text(json_get(request, "decision_reason")),
        .blocked_path = json_text(json_get(request, "blocked_path")),
        .agent_id = json_text(json_get(request, "agent_id")),
        .matched_ask_rule = json_truthy(json_get(request, "matched_ask_rule")),
        .suppress_lasting = json_is_true(json_get(request, "suppress_always_allow_rule")),
        .default_to_no = json_is_true(json_get(request, "default_to_no")),
    };
    return str_present(q->tool_use_id) && str_present(q->tool_name);
}

/* ---- Making an offer ----------------------------------------------------------------------------- */

struct maker {
    struct permission_offer *offer;
    const struct permission_question *q;
    const struct permission_setting *at;
    bool lasting; /* a lasting choice is allowed at all */
};

static struct option *add(struct maker *m, const char *id, enum option_kind kind, enum effect effect,
                          str name)
{
    struct option *o = &m->offer->options[m->offer->n++];
    *o = (struct option){.id = id, .kind = kind, .effect = effect, .name = name};
    return o;
}

/* Adds a lasting choice, unless the label cannot be shown honestly. `updates` is JSON that the offer owns. */
static void add_lasting(struct maker *m, const char *id, const struct buf *label, str updates)
{
    str name = buf_str(label);
    if (buf_ok(label) && utf16_length(name) <= LABEL_MAX && permission_plain_text(name)) {
        add(m, id, ALLOW_ALWAYS, UPDATES, arena_str(&m->offer->arena, name))->updates = updates;
    }
}

static void add_changes(struct maker *m, const struct buf *label)
{
    add_lasting(m, "allow-with-updates", label, json_raw(change_set_updates(&m->offer->changes)));
}

static bool changes_usable(const struct maker *m)
{
    return change_set_present(&m->offer->changes) && m->offer->changes.plain;
}

/* A rule of our own for this user and project. `content` may be absent: the whole tool. */
static str local_rule(struct maker *m, str tool, str content)
{
    AUTO_BUF(b);
    json_open_array(&b);
    json_open_object(&b);
    json_member_c(&b, "type", "addRules");
    json_key(&b, "rules");
    json_open_array(&b);
    json_open_object(&b);
    json_member_str(&b, "toolName", tool);
    json_member_str(&b, "ruleContent", content);
    json_close_object(&b);
    json_close_array(&b);
    json_member_c(&b, "behavior", "allow");
    json_member_c(&b, "destination", "localSettings");
    json_close_object(&b);
    json_close_array(&b);
    return arena_buf(&m->offer->arena, &b);
}

static str joined(struct maker *m, const char *before, str text, const char *after)
{
    AUTO_BUF(b);
    buf_put_c(&b, before);
    buf_put_str(&b, text);
    buf_put_c(&b, after);
    return arena_buf(&m->offer->arena, &b);
}

static void put_dont_ask(struct buf *label, str what, const char *after)
{
    buf_put_c(label, "Yes, and don't ask again for ");
    buf_put_str(label, what);
    buf_put_c(label, after);
}

static void make_shell(struct maker *m)
{
    AUTO_BUF(label);
    if (changes_usable(m) && shell_grant_label(&m->offer->arena, change_set_updates(&m->offer->changes),
                                               m->q->tool_name, &label)) {
        add_changes(m, &label);
    }
}

static void make_file(struct maker *m)
{
    AUTO_BUF(label);
    if (changes_usable(m) &&
        file_grant_label(&m->offer->arena, change_set_updates(&m->offer->changes), m->q, m->at, &label)) {
        add_changes(m, &label);
    }
}

static void make_web_fetch(struct maker *m)
{
    str host = web_host(&m->offer->arena, json_str(json_get(m->q->input, "url")));
    AUTO_BUF(label);
    if (m->lasting && !str_empty(host)) {
        put_dont_ask(&label, host, "");
        add_lasting(m, "allow-with-updates", &label,
                    local_rule(m, m->q->tool_name, joined(m, "domain:", host, "")));
    }
}

static void make_skill(struct maker *m)
{
    str skill = space_trim(json_str(json_get(m->q->input, "skill")));
    if (!m->lasting || str_empty(skill)) {
        return;
    }
    size_t first = m->offer->n, blank = str_find_byte(skill, ' ', 1);
    AUTO_BUF(exact);
    put_dont_ask(&exact, skill, "");
    add_lasting(m, "allow-skill-exact", &exact, local_rule(m, m->q->tool_name, skill));
    if (blank != SIZE_MAX) {
        str prefix = joined(m, "", str_first(skill, blank), ":*");
        AUTO_BUF(label);
        put_dont_ask(&label, prefix, " commands");
        if (m->offer->n > first) {
            add_lasting(m, "allow-skill-prefix", &label, local_rule(m, m->q->tool_name, prefix));
        }
    }
    for (size_t i = first; i < m->offer->n && utf16_length(skill) > SKILL_MAX; i++) {
        m->offer->options[i].effect = SKILL_TOO_LONG;
    }
}

static void make_sandbox_network(struct maker *m)
{
    str host = space_trim(json_str(json_get(m->q->input, "host")));
    json updates = change_set_updates(&m->offer->changes), update = json_nth(updates, 0);
    json rules = json_get(update, "rules"), rule = json_nth(rules, 0);
    AUTO_BUF(label);
    if (changes_usable(m) && !str_empty(host) && json_count(updates) == 1 && json_count(rules) == 1 &&
        str_is(json_str(json_get(update, "type")), "addRules") &&
        str_is(json_str(json_get(update, "behavior")), "allow") &&
        str_is(json_str(json_get(update, "destination")), "localSettings") &&
        str_eq(json_str(json_get(rule, "toolName")), m->q->tool_name) &&
        str_eq(space_trim(json_str(json_get(rule, "ruleContent"))), host)) {
        put_dont_ask(&label, host, "");
        add_changes(m, &label);
    }
}

/* The name of the tool for people. */
static str tool_label(const struct maker *m)
{
    str label = space_trim(m->q->display_name);
    return str_empty(label) ? m->q->tool_name : label;
}

/* Every update allows this very tool as a whole, and nothing else. */
static bool allows_whole_tool(json updates, str tool)
{
    for (struct json_iter it = json_each(updates); json_next(&it);) {
        json rules = json_get(it.value, "rules");
        if (!str_is(json_str(json_get(it.value, "type")), "addRules") ||
            !str_is(json_str(json_get(it.value, "behavior")), "allow") || json_count(rules) == 0) {
            return false;
        }
        for (struct json_iter rule = json_each(rules); json_next(&rule);) {
            if (!str_eq(json_str(json_get(rule.value, "toolName")), tool) ||
                json_present(json_get(rule.value, "ruleContent"))) {
                return false;
            }
        }
    }
    return json_count(updates) > 0;
}

static void make_whole_tool(struct maker *m, const char *after)
{
    AUTO_BUF(label);
    if (changes_usable(m) && allows_whole_tool(change_set_updates(&m->offer->changes), m->q->tool_name)) {
        put_dont_ask(&label, tool_label(m), after);
        add_changes(m, &label);
    }
}

static void make_computer_use(struct maker *m)
{
    make_whole_tool(m, "");
}

static void make_mcp(struct maker *m)
{
    make_whole_tool(m, " commands");
}

static void make_fallback(struct maker *m)
{
    AUTO_BUF(label);
    if (m->lasting && permission_plain_text(m->q->tool_name)) {
        put_dont_ask(&label, tool_label(m), " commands");
        add_lasting(m, "allow-with-updates", &label, local_rule(m, m->q->tool_name, STR_ABSENT));
    }
}

/* The elevated modes that a plan can be left for, the preferred one first. */
static const struct plan_mode {
    const char *mode, *id, *name, *clear_id, *clear_name;
} plan_modes[] = {
    {"auto", "exit-plan-auto", "Yes, and use auto mode", "exit-plan-clear-auto", " and use auto mode"},
    {"bypassPermissions", "exit-plan-bypass", "Yes, and bypass permissions", "exit-plan-clear-bypass",
     " and bypass permissions"},
    {"acceptEdits", "exit-plan-accept-edits", "Yes, auto-accept edits", "exit-plan-clear-accept-edits",
     " and auto-accept edits"},
};

static void make_exit_plan(struct maker *m)
{
    const struct plan_mode *to = &plan_modes[m->at->auto_offered ? 0 : m->at->bypass_offered ? 1 : 2];
    struct permission_offer *o = m->offer;
    if (str_present(o->plan)) {
        AUTO_BUF(name);
        buf_put_c(&name, "Yes, clear context");
        double used = 100 * m->at->context_used / m->at->context_size;
        if (m->at->usage_known && m->at->context_size > 0 && !isnan(used)) {
            double percent = floor(fmin(fmax(used, 0), 100) + 0.5);
            buf_printf(&name, " (%.0f%% used)", percent);
        }
        buf_put_c(&name, to->clear_name);
        add(m, to->clear_id, ALLOW_ALWAYS, CLEAR_CONTEXT, arena_buf(&o->arena, &name))->mode = to->mode;
    }
    add(m, to->id, ALLOW_ALWAYS, MODE, str_of(to->name))->mode = to->mode;
    add(m, "exit-plan-default", ALLOW_ONCE, MODE, STR("Yes, manually approve edits"))->mode = "default";
}

/* The tools by name: which lasting choices they have, and the texts of the two that all have. A tool without
 * `once` has its own ways to say yes. */
static const struct tool_choices {
    const char *name;
    void (*make)(struct maker *m);
    const char *once, *reject;
} tool_choices[] = {
    {"Bash", make_shell, "Yes", "No"},
    {"PowerShell", make_shell, "Yes", "No"},
    {"Read", make_file, "Yes", "No"},
    {"Glob", make_file, "Yes", "No"},
    {"Grep", make_file, "Yes", "No"},
    {"Edit", make_file, "Yes", "No"},
    {"Write", make_file, "Yes", "No"},
    {"NotebookEdit", make_file, "Yes", "No"},
    {"WebFetch", make_web_fetch, "Yes", "No"},
    {"Skill", make_skill, "Yes", "No"},
    {"SandboxNetworkAccess", make_sandbox_network, "Yes", "No"},
    {"AskUserQuestion", NULL, "Yes", "No"},
    {"EnterPlanMode", NULL, "Yes, enter plan mode", "No, start implementing now"},
    {"ExitPlanMode", make_exit_plan, NULL, "No, keep planning"},
};
static const struct tool_choices computer_use_choices = {NULL, make_computer_use, "Yes", "No"};
static const struct tool_choices mcp_choices = {NULL, make_mcp, "Yes", "No"};
static const struct tool_choices fallback_choices = {NULL, make_fallback, "Yes", "No"};

static const struct tool_choices *choices_of(str tool)
{
    if (str_starts(tool, STR("mcp__computer-use__"))) {
        return &computer_use_choices;
    }
    for (size_t i = 0; i < ARRAY_LEN(tool_choices); i++) {
        if (str_is(tool, tool_choices[i].name)) {
            return &tool_choices[i];
        }
    }
    return str_starts(tool, STR("mcp__")) ? &mcp_choices : &fallback_choices;
}

struct permission_offer *permission_offer_new(const struct permission_question *q,
                                              const struct permission_setting *at)
{
    struct permission_offer *o = calloc(1, sizeof(*o));
    if (!o) {
        return NULL;
    }
    struct maker m = {.offer = o, .q = q, .at = at, .lasting = !q->matched_ask_rule && !q->suppress_lasting};
    str plan = space_trim(json_str(json_get(q->input, "plan")));
    o->default_to_no = q->default_to_no;
    o->tool_use_id = arena_str(&o->arena, q->tool_use_id);
    o->input = arena_str(&o->arena, json_is(q->input, JSON_OBJECT) ? json_raw(q->input) : STR_ABSENT);
    o->changes = m.lasting ? change_set_read(q->suggestions) : CHANGE_SET_NONE;

    const struct tool_choices *choices = choices_of(q->tool_name);
    if (choices->make == make_exit_plan) {
        o->plan = arena_str(&o->arena, str_empty(plan) ? STR_ABSENT : plan);
    }
    if (choices->once) {
        add(&m, "allow-once", ALLOW_ONCE, ONCE, str_of(choices->once));
    }
    if (choices->make) {
        choices->make(&m);
    }
    add(&m, "reject", REJECT_ONCE, choices->once ? REFUSE : KEEP_PLANNING, str_of(choices->reject));
    if (!arena_ok(&o->arena)) {
        permission_offer_free(o);
        return NULL;
    }
    return o;
}

void permission_offer_free(struct permission_offer *o)
{
    if (o) {
        change_set_free(&o->changes);
        arena_free(&o->arena);
        free(o);
    }
}

void permission_offer_put_options(struct buf *b, const struct permission_offer *o)
{
    static const enum option_kind orders[2][3] = {{ALLOW_ONCE, ALLOW_ALWAYS, REJECT_ONCE},
                                                  {REJECT_ONCE, ALLOW_ONCE, ALLOW_ALWAYS}};
    json_open_array(b);
    for (size_t k = 0; k < ARRAY_LEN(orders[0]); k++) {
        enum option_kind kind = orders[o->default_to_no][k];
        for (size_t i = 0; i < o->n; i++) {
            if (o->options[i].kind == kind) {
                json_open_object(b);
                json_member_c(b, "optionId", o->options[i].id);
                json_member_str(b, "name", o->options[i].name);
                json_member_c(b, "kind", kind_names[kind]);
                json_close_object(b);
            }
        }
    }
    json_close_array(b);
}

/* ---- Deciding ------------------------------------------------------------------------------------ */

void permission_decision_free(struct permission_decision *d)
{
    buf_free(&d->text);
    buf_free(&d->plan);
    *d = PERMISSION_DECISION_INIT;
}

str permission_decision_text(const struct permission_decision *d)
{
    return buf_ok(&d->text) ? buf_str(&d->text) : STR("Out of memory");
}

struct answer {
    const struct permission_offer *offer;
    const struct option *option;
    const char *mode; /* of the option, clamped */
};

static void fail(struct permission_decision *d, const char *text)
{
    d->verdict = PERMISSION_ERROR;
    buf_put_c(&d->text, text);
}

static void end_response(const struct answer *a, struct buf *b, const char *classification)
{
    json_member_str(b, "toolUseID", a->offer->tool_use_id);
    json_member_c(b, "decisionClassification", classification);
    json_close_object(b);
}

static void allow(const struct answer *a, struct permission_decision *d, str updates)
{
    if (!str_present(a->offer->input)) {
        fail(d, "The permission question has no tool input");
        return;
    }
    d->verdict = PERMISSION_ALLOW;
    json_open_object(&d->text);
    json_member_c(&d->text, "behavior", "allow");
    json_member_raw(&d->text, "updatedInput", a->offer->input);
    if (str_present(updates)) {
        json_member_raw(&d->text, "updatedPermissions", updates);
    }
    end_response(a, &d->text, a->option->kind == ALLOW_ONCE ? "user_temporary" : "user_permanent");
}

static void deny(const struct answer *a, struct permission_decision *d, const char *message, bool interrupt)
{
    d->verdict = PERMISSION_DENY;
    json_open_object(&d->text);
    json_member_c(&d->text, "behavior", "deny");
    json_member_c(&d->text, "message", message);
    if (interrupt) {
        json_member_bool(&d->text, "interrupt", true);
    }
    end_response(a, &d->text, "user_reject");
}

static void decide_once(const struct answer *a, struct permission_decision *d)
{
    allow(a, d, STR_ABSENT);
}

static void decide_updates(const struct answer *a, struct permission_decision *d)
{
    allow(a, d, a->option->updates);
}

static void decide_skill_too_long(const struct answer *a, struct permission_decision *d)
{
    (void)a;
    fail(d, "Invalid Skill permission input");
}

static void decide_mode(const struct answer *a, struct permission_decision *d)
{
    AUTO_BUF(updates);
    json_open_array(&updates);
    json_open_object(&updates);
    json_member_c(&updates, "type", "setMode");
    json_member_c(&updates, "mode", a->mode);
    json_member_c(&updates, "destination", "session");
    json_close_object(&updates);
    json_close_array(&updates);
    d->mode = a->mode;
    allow(a, d, buf_str(&updates));
    d->text.failed = d->text.failed || updates.failed;
}

static void decide_clear_context(const struct answer *a, struct permission_decision *d)
{
    d->mode = a->mode;
    d->clear_context = true;
    buf_put_str(&d->plan, a->offer->plan);
    deny(a, d, PERMISSION_FRESH_CONTEXT, true);
}

static void decide_refuse(const struct answer *a, struct permission_decision *d)
{
    deny(a, d, PERMISSION_REFUSED, false);
}

static void decide_keep_planning(const struct answer *a, struct permission_decision *d)
{
    d->keep_planning = true;
    deny(a, d, PERMISSION_KEEP_PLANNING, true);
}

static void (*const effects[])(const struct answer *a, struct permission_decision *d) = {
    [ONCE] = decide_once,
    [UPDATES] = decide_updates,
    [SKILL_TOO_LONG] = decide_skill_too_long,
    [MODE] = decide_mode,
    [CLEAR_CONTEXT] = decide_clear_context,
    [REFUSE] = decide_refuse,
    [KEEP_PLANNING] = decide_keep_planning,
};

static const struct option *offered(const struct permission_offer *o, json id)
{
    for (size_t i = 0; i < o->n; i++) {
        if (str_is(json_str(id), o->options[i].id)) {
            return &o->options[i];
        }
    }
    return NULL;
}

static void put_not_offered(struct buf *b, json id)
{
    buf_put_c(b, "Permission option was not offered: ");
    buf_put_str(b, json_is(id, JSON_STRING) ? json_str(id)
                   : json_present(id)       ? json_raw(id)
                                            : STR("undefined"));
}

void permission_offer_decide(const struct permission_offer *o, json result, bool auto_unsupported,
                             struct permission_decision *d)
{
    json outcome = json_get(result, "outcome"), id = json_get(outcome, "optionId");
    if (!str_is(json_str(json_get(outcome, "outcome")), "selected")) {
        fail(d, PERMISSION_ABORTED);
        return;
    }
    struct answer a = {.offer = o, .option = offered(o, id)};
    if (!a.option) {
        d->verdict = PERMISSION_ERROR;
        put_not_offered(&d->text, id);
        return;
    }
    a.mode = a.option->mode;
    if (auto_unsupported && a.mode && strcmp(a.mode, "auto") == 0) {
        a.mode = "acceptEdits";
        d->auto_fell_back = true;
    }
    effects[a.option->effect](&a, d);
    if (d->verdict == PERMISSION_ERROR || !buf_ok(&d->text) || !buf_ok(&d->plan)) {
        d->text.failed = d->text.failed || !buf_ok(&d->plan);
        d->verdict = PERMISSION_ERROR;
        d->mode = NULL;
        d->auto_fell_back = d->keep_planning = d->clear_context = false;
    }
}

void permission_put_deny(struct buf *b, str tool_use_id, const char *message)
{
    json_open_object(b);
    json_member_c(b, "behavior", "deny");
    json_member_c(b, "message", message);
    json_member_str(b, "toolUseID", tool_use_id);
    json_close_object(b);
}
