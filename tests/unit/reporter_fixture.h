/* What the tests of the built-in reporters share: a host that has loaded them, calls in a line each, and a
 * text of everything that a report states, so that a check sees what is there and what is not.
 *
 * JSON and expected texts are written with ' for ". A report is put into words fact by fact, in a fixed
 * order, one a line; a fact of which the two forms differ has a line for each, with /fact or /plain behind
 * its name. */
#ifndef HERALD_TESTS_REPORTER_FIXTURE_H
#define HERALD_TESTS_REPORTER_FIXTURE_H

#include <sys/stat.h>

#include "unit.h"

#include "base/macros.h"
#include "reporter_host/reporter_host.h"

struct fixture {
    struct reporter_host *host;
    struct log log;
};

static inline int fixture_setup(void **state)
{
    static struct fixture fx;
    struct reporter_dirs dirs = {.builtin = getenv("HERALD_BUILT_REPORTERS")};
    fx.host = reporter_host_new(&dirs, &fx.log);
    *state = &fx;
    return fx.host ? 0 : -1;
}

static inline int fixture_teardown(void **state)
{
    struct fixture *fx = *state;
    reporter_host_free(fx->host);
    return 0;
}

static inline char *with_quotes(const char *text)
{
    char *copy = str_dup(str_of(text));
    assert_non_null(copy);
    for (char *c = copy; *c; c++) {
        if (*c == '\'') {
            *c = '"';
        }
    }
    return copy;
}

static inline struct json_doc *parse_quoted(const char *text)
{
    char *copy = with_quotes(text);
    struct json_doc *doc = parse_or_fail(copy);
    free(copy);
    return doc;
}

/* ---- A report in words ------------------------------------------------------------------------------ */

static inline void say_text(struct buf *b, str s)
{
    AUTO_BUF(t);
    json_put_str(&t, s);
    buf_put_byte(b, ' ');
    for (size_t i = 0; i < t.n; i++) {
        buf_put_byte(b, (char)(t.p[i] == '"' ? '\'' : t.p[i]));
    }
}

static inline void say_locations(struct buf *b, const struct fact_locations *l)
{
    for (const struct fact_location *i = l->first; i; i = i->next) {
        say_text(b, i->path);
        if (i->line >= 0) {
            buf_printf(b, ":%lld", (long long)i->line);
        }
    }
}

static inline void say_contents(struct buf *b, const struct fact_contents *l)
{
    for (const struct fact_content *i = l->first; i; i = i->next) {
        if (i->type == CONTENT_TEXT) {
            say_text(b, i->text);
        } else {
            buf_put_c(b, " image");
            say_text(b, i->mime_type);
            say_text(b, i->data);
        }
    }
}

/* The part of a fact that can have two forms; nothing when that form is not stated. */
typedef void say_form(struct buf *b, const struct facts *f, enum fact_form form);

static inline void say_title(struct buf *b, const struct facts *f, enum fact_form form)
{
    if (f->title[form].p) {
        say_text(b, f->title[form]);
    }
}
static inline void say_kind(struct buf *b, const struct facts *f, enum fact_form form)
{
    if (f->kind[form] >= 0) {
        buf_printf(b, " %s", tool_kind_name((enum tool_kind)f->kind[form]));
    }
}
static inline void say_location_list(struct buf *b, const struct facts *f, enum fact_form form)
{
    if (f->locations[form].stated) {
        buf_put_c(b, " [");
        say_locations(b, &f->locations[form]);
        buf_put_c(b, " ]");
    }
}
static inline void say_display(struct buf *b, const struct facts *f, enum fact_form form)
{
    say_contents(b, &f->display[form]);
}
static inline void say_content(struct buf *b, const struct facts *f, enum fact_form form)
{
    if (f->content[form].stated) {
        buf_put_c(b, " [");
        say_contents(b, &f->content[form]);
        buf_put_c(b, " ]");
    }
}
static inline void say_raw(struct buf *b, const struct facts *f, enum fact_form form)
{
    if (f->raw_output_stated[form]) {
        if (f->raw_output[form].p) {
            say_text(b, f->raw_output[form]);
        } else {
            buf_put_c(b, " none");
        }
    }
}

static inline void say_both(struct buf *b, const char *name, const struct facts *f, say_form *say)
{
    struct buf form[FORM_COUNT] = {BUF_INIT, BUF_INIT};
    static const char *const suffix[FORM_COUNT] = {[FORM_FACT] = "/fact", [FORM_PLAIN] = "/plain"};
    say(&form[FORM_FACT], f, FORM_FACT);
    say(&form[FORM_PLAIN], f, FORM_PLAIN);
    bool same = str_eq(buf_str(&form[FORM_FACT]), buf_str(&form[FORM_PLAIN]));
    for (int i = 0; i < FORM_COUNT; i++) {
        if (form[i].n && (!same || i == 0)) {
            buf_printf(b, "%s%s", name, same ? "" : suffix[i]);
            buf_put_str(b, buf_str(&form[i]));
            buf_put_byte(b, '\n');
        }
        buf_free(&form[i]);
    }
}

static inline void say_named(struct buf *b, const char *name, str s)
{
    if (s.p) {
        buf_put_c(b, name);
        say_text(b, s);
    }
}

static inline void say_line(struct buf *b, const char *name, str s)
{
    if (s.p) {
        say_named(b, name, s);
        buf_put_byte(b, '\n');
    }
}

static inline void say_use(struct buf *b, const struct facts *f)
{
    static const char *const statuses[] = {"pending", "in_progress", "completed"};
    for (const struct fact_edit *e = f->edits; e; e = e->next) {
        say_named(b, e->write ? "write" : "replace", e->path);
        say_named(b, " old", e->old_text);
        say_named(b, " new", e->new_text);
        buf_put_c(b, e->replace_all ? " all\n" : "\n");
    }
    size_t keys = 0;
    for (const struct fact_text_key *k = f->file_text_keys; k; k = k->next) {
        keys++;
    }
    /* Their order means nothing: the last one was stated first or the other way round. */
    for (size_t n = 0; n < keys; n++) {
        const struct fact_text_key *pick = NULL;
        for (const struct fact_text_key *k = f->file_text_keys; k; k = k->next) {
            size_t below = 0;
            for (const struct fact_text_key *o = f->file_text_keys; o; o = o->next) {
                below += str_cmp(o->name, k->name) < 0;
            }
            pick = below == n ? k : pick;
        }
        say_line(b, "file-text", pick ? pick->name : STR("repeated"));
    }
    say_both(b, "display", f, say_display);
    if (f->command) {
        buf_put_c(b, "command");
        say_named(b, "", f->command_title);
        buf_put_byte(b, '\n');
    }
    say_line(b, "plan-text", f->plan_text_key);
    say_line(b, "plan-path", f->plan_path_key);
    buf_put_c(b, f->subagent ? "subagent\n" : "");
    say_line(b, "skill", f->skill);
    buf_put_c(b, f->mcp ? "mcp\n" : "");
    buf_put_c(b, f->plan ? "plan\n" : "");
    for (const struct fact_plan_entry *e = f->plan_entries; e; e = e->next) {
        buf_printf(b, "entry %s", statuses[e->status]);
        say_text(b, e->content);
        buf_put_byte(b, '\n');
    }
}

static inline void say_result(struct buf *b, const struct facts *f)
{
    static const char *const changes[] = {"put", "merge", "remove", "clear", "relist"};
    static const char *const statuses[] = {"", " pending", " in_progress", " completed"};
    say_both(b, "content", f, say_content);
    if (f->output_stated) {
        buf_put_c(b, "output");
        say_text(b, f->output);
        if (f->exit_known) {
            buf_printf(b, " exit %d", (int)f->exit_code);
        }
        buf_put_c(b, f->interrupted ? " interrupted\n" : "\n");
    }
    say_both(b, "raw", f, say_raw);
    say_line(b, "plan-file", f->plan_file);
    say_line(b, "background", f->background_task);
    for (const struct fact_task_change *c = f->task_changes; c; c = c->next) {
        buf_put_c(b, changes[c->change]);
        say_named(b, "", c->id);
        say_named(b, " subject", c->subject);
        say_named(b, " active", c->active_form);
        say_named(b, " description", c->description);
        bool has_task = c->change != TASK_CLEAR && c->change != TASK_RELIST;
        buf_printf(b, "%s\n", has_task ? statuses[c->status + 1] : "");
    }
    buf_put_c(b, f->publish_tasks ? "publish\n" : "");
}

static inline void say_change(struct buf *b, const struct fact_file_change *c)
{
    static const char *const kinds[] =
        {[CHANGE_CREATED] = "created", [CHANGE_UPDATED] = "updated", [CHANGE_EDITED] = "edited"};
    if (c->stated) {
        say_named(b, kinds[c->kind], c->path);
        say_named(b, " old", c->old_text);
        say_named(b, " new", c->new_text);
        if (json_present(c->hunks)) {
            buf_printf(b, " hunks %zu", json_count(c->hunks));
        }
        buf_put_byte(b, '\n');
    }
}

static inline void say_facts(struct buf *b, const struct facts *f)
{
    buf_put_c(b, f->general ? "general\n" : "");
    say_both(b, "title", f, say_title);
    say_both(b, "kind", f, say_kind);
    say_both(b, "locations", f, say_location_list);
    say_use(b, f);
    say_result(b, f);
    say_change(b, &f->change);
}

/* ---- Calls ------------------------------------------------------------------------------------------ */

struct fixture_call {
    const char *tool;
    const char *input;  /* {} when NULL */
    const char *result; /* missing when NULL, as are the others */
    const char *structured;
    const char *response;
    bool is_error;
    bool start, partial;
};

static inline json root_or_none(const struct json_doc *doc)
{
    return doc ? json_root(doc) : JSON_NONE;
}

/* Makes one callback and puts what it stated into words. */
static inline void call_reporter(struct fixture *fx, enum fact_phase phase, const struct fixture_call *c,
                                 struct buf *words)
{
    bool use = phase == PHASE_USE, finished = phase == PHASE_FINISHED, result_of = phase == PHASE_RESULT;
    AUTO_JSON(input) = parse_quoted(c->input ? c->input : "{}");
    AUTO_JSON(result) = result_of && c->result ? parse_quoted(c->result) : NULL;
    AUTO_JSON(structured) = result_of && c->structured ? parse_quoted(c->structured) : NULL;
    AUTO_JSON(response) = finished && c->response ? parse_quoted(c->response) : NULL;
    AUTO_ARENA(arena);
    struct reporter_call call = {
        .tool = str_of(c->tool),
        .id = STR("toolu_1"),
        .cwd = STR("/ws"),
        .home = STR("/home/u"),
        .process_cwd = STR("/elsewhere"),
        .is_error = c->is_error,
        .input_state = c->start     ? INPUT_START
                       : c->partial ? INPUT_PARTIAL
                                    : INPUT_COMPLETE,
        .input = json_root(input),
        .result = root_or_none(result),
        .structured = root_or_none(structured),
        .response = root_or_none(response),
    };
    const struct reporter *r = reporter_for(fx->host, call.tool);
    struct facts f;
    facts_begin(&f, &arena, phase);
    if (use) {
        reporter_use(fx->host, r, &call, &f);
    } else if (result_of) {
        reporter_result(fx->host, r, &call, &f);
    } else {
        reporter_finished(fx->host, r, &call, &f);
    }
    assert_true(arena_ok(&arena));
    say_facts(words, &f);
    assert_true(buf_ok(words));
}

static inline void check_call(void **state, enum fact_phase phase, const struct fixture_call *c,
                              const char *expected, const char *file, int line)
{
    AUTO_BUF(words);
    call_reporter(*state, phase, c, &words);
    _assert_string_equal(buf_c(&words), expected, file, line);
}

/* CHECK_USE("Read", "{'file_path':'/ws/a'}", "title 'Read a'\n…") and the like; further members of the call
 * by name, as in CHECK_RESULT("… expected …", .tool = "Bash", .result = "'x'", .is_error = true). */
#define CHECK_USE(tool_, input_, expected)                                                                   \
    check_call(state, PHASE_USE, &(struct fixture_call){.tool = (tool_), .input = (input_)}, expected,       \
               __FILE__, __LINE__)
#define CHECK_RESULT(expected, ...)                                                                          \
    check_call(state, PHASE_RESULT, &(struct fixture_call){__VA_ARGS__}, expected, __FILE__, __LINE__)
#define CHECK_FINISHED(tool_, response_, expected)                                                           \
    check_call(state, PHASE_FINISHED, &(struct fixture_call){.tool = (tool_), .response = (response_)},      \
               expected, __FILE__, __LINE__)

#define RUN_REPORTER_TESTS(tests) cmocka_run_group_tests(tests, fixture_setup, fixture_teardown)

#endif
